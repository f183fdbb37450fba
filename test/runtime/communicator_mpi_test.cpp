// Runs as a whole under `mpirun -n 2`, and passes alone too.
#include "runtime/comm/mpi/MpiCommunicator.h"
#include "test/runtime/support/CommunicatorConformance.h"
#include <gtest/gtest.h>

using namespace tw;

TEST(MpiCommunicator, Conforms) {
  auto world = rt::makeMpiCommunicator();
  ASSERT_FALSE(world.failed()) << world.message();
  for (const std::string &failure : test::checkCommunicator(**world))
    ADD_FAILURE() << failure;
}
