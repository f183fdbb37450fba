#include "runtime/base/AtomicFile.h"
#include "runtime/train/Metrics.h"
#include "test/runtime/support/TestData.h"
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace tw;
using namespace tw::rt;

TEST(Metrics, LinesAreJson) {
  EXPECT_EQ(metricsLine(3, {{"loss", 0.5}, {"lr", 1e-4}, {"grad_norm", NAN}}),
            "{\"step\": 3, \"loss\": 0.5, \"lr\": 0.0001, \"grad_norm\": null}");
}

TEST(Metrics, ResumingCutsLaterLines) {
  test::TemporaryFolder folder;
  std::string path = folder.path("new/metrics.jsonl");
  {
    auto file = MetricsFile::open(path, 0);
    ASSERT_FALSE(file.failed()) << file.message();
    for (int64_t step = 1; step <= 3; ++step)
      ASSERT_FALSE(file->write(step, {{"loss", double(step)}}).failed());
  }
  test::writeFile(path, test::readFile(path) + "{\"step\": 4, \"lo"); // killed while writing
  {
    auto file = MetricsFile::open(path, 2);
    ASSERT_FALSE(file->write(3, {{"loss", 30}}).failed());
  }
  EXPECT_EQ(test::readFile(path),
            "{\"step\": 1, \"loss\": 1}\n{\"step\": 2, \"loss\": 2}\n{\"step\": 3, \"loss\": 30}\n");
  {
    auto file = MetricsFile::open(path, 0);
  }
  EXPECT_EQ(test::readFile(path), "");
}

// RFC 3720, appendix B.4.
TEST(Crc32c, KnownValues) {
  EXPECT_EQ(crc32c("123456789", 9), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0').data(), 32), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff').data(), 32), 0x62a8ab43u);
}

TEST(EventFile, RecordsAreFramed) {
  test::TemporaryFolder folder;
  {
    auto file = EventFile::open(folder.path());
    ASSERT_FALSE(file.failed()) << file.message();
    ASSERT_FALSE(file->write(7, 1.5, {{"loss", 0.25}}).failed());
  }
  std::string path = std::filesystem::directory_iterator(folder.path())->path();
  EXPECT_NE(path.find("events.out.tfevents."), std::string::npos);
  std::string bytes = test::readFile(path);
  std::vector<std::string> events;
  for (size_t at = 0; at < bytes.size();) {
    uint64_t length;
    uint32_t crc;
    std::memcpy(&length, &bytes[at], 8);
    std::memcpy(&crc, &bytes[at + 8], 4);
    EXPECT_EQ(crc, maskedCrc32c(&bytes[at], 8));
    events.push_back(bytes.substr(at + 12, length));
    std::memcpy(&crc, &bytes[at + 12 + length], 4);
    EXPECT_EQ(crc, maskedCrc32c(events.back().data(), length));
    at += 16 + length;
  }
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].substr(9), std::string("\x1a\x0d") + "brain.Event:2");
  // wall_time 1.5, step 7, summary { value { tag "loss" simple_value 0.25 } }
  std::string wanted("\x09\0\0\0\0\0\0\xf8\x3f\x10\x07\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\x80\x3e", 26);
  EXPECT_EQ(events[1], wanted);
}

TEST(AppendWhole, LeavesNoHalfLineWhenThereIsNoRoom) {
  test::TemporaryFolder folder;
  std::string path = folder.path("m.jsonl");
  test::writeFile(path, "whole line\n");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{}, small{};
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 20;
  int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND);
  setrlimit(RLIMIT_FSIZE, &small);
  Status status = appendWhole(descriptor, "a line that does not fit\n", path);
  setrlimit(RLIMIT_FSIZE, &old);
  ::close(descriptor);
  EXPECT_NE(status.message().find("File too large; make room or choose another place"), std::string::npos)
      << status.message();
  EXPECT_EQ(test::readFile(path), "whole line\n");
}

TEST(AppendWhole, DevicesAreWrittenToo) {
  auto file = MetricsFile::open("/dev/full", 0);
  ASSERT_FALSE(file.failed()) << file.message();
  Status status = file->write(1, {{"loss", 1.0}});
  EXPECT_NE(status.message().find("cannot write '/dev/full': No space left on device"), std::string::npos);
}
