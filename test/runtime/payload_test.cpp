#include "runtime/plan/LoadPlan.h"
#include "runtime/plan/Payload.h"
#include "test/runtime/support/TestData.h"
#include "test/runtime/support/TestPlan.h"
#include <gtest/gtest.h>

using namespace tw;
using namespace tw::test;

namespace {
struct Executable {
  TemporaryFolder folder;
  std::string path = folder.path("train");
  Executable() {
    planpb::Plan plan = linearPlan();
    plan.add_weight_files("");
    planpb::FileRange &range = *plan.mutable_parameters(0)->mutable_source()->mutable_file();
    range.set_offset(64);
    range.set_length(12);
    writeFile(folder.path("image"), "not really an ELF image");
    std::string weights(64 + 12, 'w');
    auto status = rt::writeExecutable(folder.path("image"), path, weights, plan.SerializeAsString());
    EXPECT_FALSE(status.failed()) << status.message();
  }
};
} // namespace

TEST(Payload, RoundTrip) {
  Executable executable;
  auto loaded = rt::loadPlanFile(executable.path);
  ASSERT_FALSE(loaded.failed()) << loaded.message();
  EXPECT_EQ(loaded->plan.model_name(), "linear");
  auto bytes = loaded->bytes(loaded->plan.parameters(0).source().file());
  ASSERT_FALSE(bytes.failed()) << bytes.message();
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(bytes->data), bytes->size), std::string(12, 'w'));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes->data) % 64, 0u);
  planpb::FileRange beyond;
  beyond.set_offset(70);
  beyond.set_length(12);
  EXPECT_NE(loaded->bytes(beyond).message().find("lie outside"), std::string::npos);
}

TEST(Payload, BarePlanFile) {
  TemporaryFolder folder;
  writeFile(folder.path("a.plan"), linearPlan().SerializeAsString());
  auto loaded = rt::loadPlanFile(folder.path("a.plan"));
  ASSERT_FALSE(loaded.failed()) << loaded.message();
  EXPECT_EQ(loaded->plan.programs_size(), 3);
}

TEST(Payload, EveryTruncationIsRefused) {
  Executable executable;
  std::string whole = readFile(executable.path);
  for (size_t length = 0; length < whole.size(); length += length < 64 ? 1 : 13) {
    writeFile(executable.path, whole.substr(0, length));
    EXPECT_TRUE(rt::loadPlanFile(executable.path).failed()) << length;
  }
}

TEST(Payload, DamageIsSeen) {
  Executable executable;
  std::string whole = readFile(executable.path);
  for (size_t back : {100u, 40u, 60u, 50u}) { // in the plan, the digest, and the offsets
    std::string damaged = whole;
    damaged[damaged.size() - back] = char(damaged[damaged.size() - back] ^ 0xff);
    writeFile(executable.path, damaged);
    auto loaded = rt::loadPlanFile(executable.path);
    ASSERT_TRUE(loaded.failed());
    EXPECT_NE(loaded.message().find("is damaged"), std::string::npos) << loaded.message();
  }
}

TEST(LoadPlan, AnotherFormatVersion) {
  TemporaryFolder folder;
  planpb::Plan plan = linearPlan();
  plan.set_format_version(99);
  writeFile(folder.path("a.plan"), plan.SerializeAsString());
  EXPECT_NE(rt::loadPlanFile(folder.path("a.plan")).message().find("format version 99, this program reads version 1"),
            std::string::npos);
}

TEST(LoadPlan, NotAPlan) {
  TemporaryFolder folder;
  writeFile(folder.path("a.plan"), "\xff\xff\xffhello");
  EXPECT_NE(rt::loadPlanFile(folder.path("a.plan")).message().find("is neither a plan nor an executable"),
            std::string::npos);
}
