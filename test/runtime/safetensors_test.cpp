#include "kernels/abi/kernel.h"
#include "runtime/train/Safetensors.h"
#include "test/runtime/support/TestData.h"
#include <gtest/gtest.h>

using namespace tw;
using namespace tw::rt;

static TensorSource source(const std::string &name, int type, std::vector<int64_t> shape, std::string bytes) {
  TensorSource tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.write = [bytes](const TensorSource::Sink &sink) { return sink(bytes.data(), bytes.size()); };
  return tensor;
}

static std::string example(const test::TemporaryFolder &folder) {
  std::string path = folder.path("a.safetensors");
  Status status =
      writeSafetensors(path, {source("a/b", TW_F32, {2}, "12345678"), source("c", TW_BF16, {}, "xy")}, {{"k", "v"}});
  EXPECT_FALSE(status.failed()) << status.message();
  return path;
}

TEST(Safetensors, RoundTrip) {
  test::TemporaryFolder folder;
  auto file = readSafetensors(example(folder));
  ASSERT_FALSE(file.failed()) << file.message();
  EXPECT_EQ(file->tensors.size(), 2u);
  EXPECT_EQ(file->tensors["a/b"].shape, std::vector<int64_t>{2});
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(file->tensors["c"].data), 2), "xy");
  EXPECT_EQ(file->metadata["k"], "v");
}

TEST(Safetensors, EveryTruncationIsRefusedAndNoDamageCrashes) {
  test::TemporaryFolder folder;
  std::string path = example(folder), whole = test::readFile(path);
  for (size_t length = 0; length < whole.size(); ++length) {
    test::writeFile(path, whole.substr(0, length));
    EXPECT_TRUE(readSafetensors(path).failed()) << length;
  }
  for (size_t at = 0; at < whole.size(); ++at)
    for (int flip : {1, 16, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ flip);
      test::writeFile(path, damaged);
      auto file = readSafetensors(path);
      if (file.failed())
        continue;
      for (auto &[name, tensor] : file->tensors)
        EXPECT_LE(tensor.bytes, whole.size());
    }
}

TEST(Safetensors, SourcesThatGiveOtherBytesLeaveNoFile) {
  test::TemporaryFolder folder;
  std::string path = folder.path("b.safetensors");
  EXPECT_TRUE(writeSafetensors(path, {source("a", TW_F32, {3}, "1234")}, {}).failed());
  EXPECT_EQ(test::readFile(path), "");
}
