// Signals that bad files raise: what the process does instead of dying of them.
#include "runtime/base/AtomicFile.h"
#include "runtime/base/MappedFile.h"
#include "runtime/train/Signals.h"
#include "test/runtime/support/TestData.h"
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace tw;
using namespace tw::test;

// Each runs in a child: the handlers and the limit stay there.
TEST(FileSignals, AFileCutShortWhileMappedEndsWithASentence) {
  TemporaryFolder folder;
  std::string path = folder.path("data");
  writeFile(path, std::string(3 << 12, 'x'));
  EXPECT_EXIT(
      {
        rt::catchFileSignals();
        auto file = rt::MappedFile::open(path);
        std::filesystem::resize_file(path, 1 << 12);
        volatile char beyond = char(file->data()[2 << 12]);
        std::_Exit(beyond);
      },
      testing::ExitedWithCode(1), "error: a data, checkpoint or weight file was cut short");
}

TEST(FileSignals, AWriteBeyondTheLimitIsAnErrorAndLeavesNoFile) {
  TemporaryFolder folder;
  std::string path = folder.path("out");
  EXPECT_EXIT(
      {
        rt::catchFileSignals();
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = 1000;
        setrlimit(RLIMIT_FSIZE, &limit);
        rt::Status status = rt::writeFileAtomically(path, std::string(2000, 'x'));
        std::fprintf(stderr, "%s\n", status.message().c_str());
        std::_Exit(status.failed() ? 3 : 0);
      },
      testing::ExitedWithCode(3), "cannot write '.*out': File too large");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}
