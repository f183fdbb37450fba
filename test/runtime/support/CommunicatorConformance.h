// What every communicator must do. Each rank calls the check with its own communicator; failures are sentences.
#ifndef TW_TEST_RUNTIME_SUPPORT_COMMUNICATORCONFORMANCE_H
#define TW_TEST_RUNTIME_SUPPORT_COMMUNICATORCONFORMANCE_H

#include "runtime/comm/Communicator.h"
#include <string>
#include <vector>

namespace tw::test {

std::vector<std::string> checkCommunicator(rt::Communicator &communicator);

} // namespace tw::test
#endif
