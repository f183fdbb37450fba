#include "runtime/base/AtomicFile.h"
#include "runtime/base/FolderLock.h"
#include "runtime/base/Half.h"
#include "runtime/base/Sha256.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/device/host/HostDevice.h"
#include "test/runtime/support/TestData.h"
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace tw;
using namespace tw::rt;

static std::string sha(const std::string &bytes) {
  Digest digest = sha256(bytes.data(), bytes.size());
  return hexText(digest.data(), digest.size());
}

// Examples of FIPS 180-4's companion "SHA-256 examples" and a million times "a" in uneven pieces.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  Sha256 hash;
  std::string piece(977, 'a');
  for (size_t done = 0; done < 1000000; done += piece.size())
    hash.update(piece.data(), std::min<size_t>(piece.size(), 1000000 - done));
  Digest digest = hash.finish();
  EXPECT_EQ(hexText(digest.data(), digest.size()), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Half, EveryHalfSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float value = halfToFloat(uint16_t(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(value))));
    } else {
      EXPECT_EQ(floatToHalf(value), bits);
    }
    float wide = bfloatToFloat(uint16_t(bits));
    if (!std::isnan(wide)) {
      EXPECT_EQ(floatToBfloat(wide), bits);
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f), 0x3c00);     // half way: to even, down
  EXPECT_EQ(floatToHalf(1.0f + 3 * 0x1p-11f), 0x3c02); // half way: to even, up
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00); // overflow
  EXPECT_EQ(floatToHalf(0x1p-24f), 1);      // smallest subnormal
  EXPECT_EQ(floatToHalf(0x1p-25f), 0);      // half of it: to even
  EXPECT_EQ(floatToHalf(-0.0f), 0x8000);
  EXPECT_EQ(floatToBfloat(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(floatToBfloat(1.0f + 3 * 0x1p-8f), 0x3f82);
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(NAN))));
}

TEST(Types, ElementCountsThatOverflow) {
  EXPECT_EQ(elementCount(std::vector<int64_t>{}), 1);
  EXPECT_EQ(elementCount(std::vector<int64_t>{3, 0, int64_t(1) << 60}), 0);
  EXPECT_EQ(elementCount(std::vector<int64_t>{int64_t(1) << 40, int64_t(1) << 40}), -1);
  EXPECT_EQ(elementCount(std::vector<int64_t>{-1}), -1);
}

TEST(AtomicFile, OldContentStaysUntilCommit) {
  test::TemporaryFolder folder;
  std::string path = folder.path("file");
  test::writeFile(path, "old");
  {
    auto file = AtomicFile::create(path);
    ASSERT_FALSE(file.failed());
    ASSERT_FALSE(file->write("new").failed());
    EXPECT_EQ(test::readFile(path), "old");
  }
  EXPECT_EQ(test::readFile(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  ASSERT_FALSE(writeFileAtomically(path, "new").failed());
  EXPECT_EQ(test::readFile(path), "new");
}

TEST(AtomicFile, NamesTheFolderThatIsMissing) {
  auto status = writeFileAtomically("/no/such/folder/file", "x");
  EXPECT_NE(status.message().find("No such file or directory"), std::string::npos);
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  test::TemporaryFolder folder;
  test::writeFile(folder.path("file"), "old");
  std::filesystem::create_symlink("file", folder.path("link"));
  ASSERT_FALSE(writeFileAtomically(folder.path("link"), "new").failed());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(test::readFile(folder.path("file")), "new");
}

TEST(AtomicFile, RefusesWhatIsNoPlainFile) {
  test::TemporaryFolder folder;
  std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string &path : {pipe, folder.path(), std::string("/dev/null")})
    EXPECT_EQ(writeFileAtomically(path, "x").message(),
              "cannot write '" + path + "': it is not a plain file; choose another name");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFile, RefusesTheRunningProgram) {
  std::string path = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(writeFileAtomically(path, "x").message(),
            "cannot write '" + path + "': it is the running program; choose another name");
}

TEST(FolderLock, OneAtATime) {
  test::TemporaryFolder folder;
  {
    auto first = FolderLock::take(folder.path());
    ASSERT_FALSE(first.failed());
    EXPECT_EQ(FolderLock::take(folder.path()).message(),
              "another program is saving into '" + folder.path() + "': wait for it to end, or choose another folder");
  }
  EXPECT_FALSE(FolderLock::take(folder.path()).failed());
  EXPECT_NE(FolderLock::take(folder.path("none")).message().find("No such file or directory"), std::string::npos);
}

TEST(HostDevice, RefusesMoreThanTheMachineHas) {
  HostDevice device;
  Status status = device.allocate(uint64_t(1) << 50);
  EXPECT_NE(status.message().find("the program needs an arena of 1024.0 TiB, and this machine has "), std::string::npos)
      << status.message();
}

TEST(Text, NearestName) {
  EXPECT_EQ(nearestName("lables", {"input", "labels"}), "labels");
  EXPECT_EQ(nearestName("x", {"completely_different"}), "");
}
