// Checkpoints that are damaged: refused, or read as what they say, but never a crash (sanitizers watch).
#include "runtime/comm/self/SelfCommunicator.h"
#include "runtime/device/host/HostDevice.h"
#include "runtime/exec/Arena.h"
#include "runtime/train/Checkpoint.h"
#include "runtime/train/data/Loader.h"
#include "test/runtime/support/TestData.h"
#include "test/runtime/support/TestPlan.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace tw;
using namespace tw::test;

namespace {

class CheckpointTest : public testing::Test {
protected:
  TemporaryFolder folder;
  rt::LoadedPlan loaded = rt::makeLoadedPlan(linearPlan());
  rt::HostDevice device;
  rt::SelfCommunicator self;
  std::unique_ptr<rt::Session> session;
  std::string save = folder.path("ckpt"), model = save + "/step-000002/model.safetensors",
              state = save + "/step-000002/state.json";

  void SetUp() override {
    auto made = rt::Session::create(loaded, device, self, testKernels(), 1, {"train"});
    ASSERT_FALSE(made.failed()) << made.message();
    session = made.take();
    ASSERT_FALSE(rt::initializeParameters(loaded, device).failed());
    ASSERT_FALSE(rt::saveCheckpoint(*session, {2, {0, 8}, 3, true, 20}, save, 0).failed());
  }
  std::string arena() const { return std::string(reinterpret_cast<const char *>(device.base()), device.bytes()); }
};

} // namespace

TEST_F(CheckpointTest, EveryTruncationIsRefusedAndChangesNothing) {
  std::string before = arena();
  for (const std::string &path : {model, state}) {
    std::string whole = readFile(path);
    size_t end = path == state ? whole.find_last_of('}') + 1 : whole.size(); // JSON may lack its line end
    for (size_t length = 0; length < end; ++length) {
      writeFile(path, whole.substr(0, length));
      EXPECT_TRUE(rt::loadCheckpoint(*session, save).failed()) << path << " truncated to " << length;
    }
    writeFile(path, whole);
  }
  EXPECT_EQ(arena(), before);
  EXPECT_FALSE(rt::loadCheckpoint(*session, save).failed());
}

TEST_F(CheckpointTest, DamagedStatesAreRefusedOrUsable) {
  std::string whole = readFile(state);
  for (size_t at = 0; at < whole.size(); ++at)
    for (int flip : {0x01, 0x04, 0x10, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ flip);
      writeFile(state, damaged);
      auto read = rt::loadCheckpoint(*session, save);
      if (read.failed())
        continue;
      rt::Sampler sampler(20, 4, read->seed, read->shuffle);
      int64_t row = sampler.row(sampler.next(read->position), 3);
      EXPECT_TRUE(row >= 0 && row < 20) << damaged;
    }
}

TEST_F(CheckpointTest, NumbersBeyondAnyRun) {
  std::string whole = readFile(state);
  for (const char *number : {"9223372036854775807", "-1", "1e99", "18446744073709551615", "null"}) {
    std::string damaged = whole;
    size_t at = damaged.find("\"index\": 8");
    ASSERT_NE(at, std::string::npos) << whole;
    damaged.replace(at + 9, 1, number);
    writeFile(state, damaged);
    auto read = rt::loadCheckpoint(*session, save);
    ASSERT_TRUE(read.failed()) << number;
    EXPECT_NE(read.message().find("is not a checkpoint's state"), std::string::npos) << read.message();
  }
}

TEST_F(CheckpointTest, DamagedTensorsAreRefusedAndChangeNothing) {
  std::string whole = readFile(model), before = arena();
  for (size_t at = 0; at < whole.size(); ++at)
    for (int flip : {0x01, 0x10, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ flip);
      writeFile(model, damaged);
      EXPECT_TRUE(rt::loadCheckpoint(*session, save).failed()) << at;
    }
  EXPECT_EQ(arena(), before);
}

TEST_F(CheckpointTest, ChecksumNamesTheDamagedFile) {
  std::string whole = readFile(model);
  whole.back() = char(whole.back() ^ 1);
  writeFile(model, whole);
  auto read = rt::loadCheckpoint(*session, save);
  ASSERT_TRUE(read.failed());
  EXPECT_NE(read.message().find("model.safetensors' is damaged"), std::string::npos) << read.message();
}

TEST_F(CheckpointTest, WithoutAChecksumAsEarlierVersionsWroteIt) {
  std::string whole = readFile(state), line = "  \"model_crc32\": ";
  size_t at = whole.find(line);
  ASSERT_NE(at, std::string::npos) << whole;
  whole.erase(at, whole.find('\n', at) + 1 - at);
  writeFile(state, whole);
  EXPECT_FALSE(rt::loadCheckpoint(*session, save).failed());
}
