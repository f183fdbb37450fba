// A whole compiled program: linked as the compiler links it, with a payload, started as a process, alone and by mpirun.
#include "runtime/plan/Payload.h"
#include "test/runtime/support/TestData.h"
#include "test/runtime/support/TestPlan.h"
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

using namespace tw;
using namespace tw::test;

namespace {

class ProgramTest : public testing::Test {
protected:
  static TemporaryFolder *folder;

  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    std::string binary = TW_BINARY_DIR;
    ASSERT_EQ(shell("c++ @" + binary + "/lib/tw_program.rsp " + binary + "/lib/libtw_runtime_test_support.a -o " +
                    folder->path("image")),
              0)
        << readFile(folder->path("log"));
    std::vector<float> x, y;
    for (int i = 0; i < 16; ++i) {
      for (int d = 0; d < 3; ++d)
        x.push_back(std::sin(float(i * (d + 1))));
      y.push_back(x[x.size() - 3] - 2 * x[x.size() - 1]);
    }
    writeFile(folder->path("data.npz"), npzBytes({{"x", npyOf("<f4", {16, 3}, x)}, {"y", npyOf("<f4", {16}, y)}}));
  }
  static void TearDownTestSuite() { delete folder; }

  static int shell(const std::string &command) {
    int status = std::system((command + " > " + folder->path("log") + " 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static std::string log() { return readFile(folder->path("log")); }

  static std::string compile(const std::string &name, uint32_t ranks) {
    LinearOptions options;
    options.ranks = ranks;
    options.rows = 8 / ranks;
    rt::Status status =
        rt::writeExecutable(folder->path("image"), folder->path(name), "", linearPlan(options).SerializeAsString());
    EXPECT_FALSE(status.failed()) << status.message();
    return folder->path(name);
  }
  static std::vector<double> losses(const std::string &file) {
    std::ifstream in(folder->path(file));
    std::vector<double> result;
    for (std::string line; std::getline(in, line);)
      result.push_back(nlohmann::json::parse(line)["loss"]);
    return result;
  }
};
TemporaryFolder *ProgramTest::folder = nullptr;

// Open MPI unloads its plug-ins before LeakSanitizer looks, so that what they leak cannot be told apart.
const std::string mpirun = "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 mpirun --oversubscribe --bind-to none -n 2 ";

} // namespace

TEST_F(ProgramTest, TwoRanksTrainLikeOne) {
  std::string arguments = " --data " + folder->path("data.npz") + " --steps 10 --threads 1 --metrics ";
  ASSERT_EQ(shell(compile("one", 1) + arguments + folder->path("one.jsonl")), 0) << log();
  ASSERT_EQ(shell(mpirun + compile("two", 2) + arguments + folder->path("two.jsonl") + " --eval"), 0) << log();
  EXPECT_NE(log().find("evaluation: loss"), std::string::npos) << log();
  std::vector<double> one = losses("one.jsonl"), two = losses("two.jsonl");
  ASSERT_EQ(one.size(), 10u);
  ASSERT_EQ(two.size(), 10u);
  for (size_t i = 0; i < 10; ++i)
    EXPECT_NEAR(one[i], two[i], 1e-5 * one[i]);
}

TEST_F(ProgramTest, RanksThatAreTooFewOrMany) {
  std::string arguments = " --steps 1 --data " + folder->path("data.npz");
  EXPECT_EQ(shell(compile("two", 2) + arguments), 1);
  EXPECT_NE(log().find("compiled for 2 ranks, but 1 started"), std::string::npos) << log();
  EXPECT_EQ(shell(mpirun + compile("one", 1) + arguments), 1);
  EXPECT_NE(log().find("compiled for 1 rank, but 2 started"), std::string::npos) << log();
}

TEST_F(ProgramTest, AllRanksGiveOneSentence) {
  EXPECT_EQ(shell(mpirun + compile("two", 2) + " --steps 1 --data " + folder->path("none.npz")), 1);
  size_t first = log().find("there is no data file");
  EXPECT_NE(first, std::string::npos) << log();
  EXPECT_EQ(log().find("there is no data file", first + 1), std::string::npos) << log();
}

TEST_F(ProgramTest, WithoutAPayload) {
  EXPECT_EQ(shell(folder->path("image") + " --data x.npz"), 1);
  EXPECT_NE(log().find("neither a plan nor an executable that carries one"), std::string::npos) << log();
}

// Either the runtime was built without CUDA, or there is no GPU here, or the plan has no device code.
TEST_F(ProgramTest, CudaPlansFailInOneLine) {
  planpb::Plan plan = linearPlan();
  plan.set_target("cuda");
  std::string path = folder->path("cuda");
  ASSERT_FALSE(rt::writeExecutable(folder->path("image"), path, "", plan.SerializeAsString()).failed());
  EXPECT_EQ(shell(path + " --steps 1 --data " + folder->path("data.npz")), 1);
  EXPECT_EQ(log().find("error: "), 0u) << log();
  EXPECT_EQ(log().find('\n'), log().size() - 1) << log();
}

// OpenMP's own account of its settings, as it starts: the last one counts, the first is from before the second start.
TEST_F(ProgramTest, WaitingThreadsSpinBrieflyUnlessTheUserSays) {
  std::string display = "OMP_DISPLAY_ENV=verbose " + compile("one", 1) + " --help";
  auto spinCount = [&](const std::string &environment) {
    EXPECT_EQ(shell("env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT " + environment + " " + display), 0) << log();
    std::string text = log(), key = "GOMP_SPINCOUNT = '";
    size_t at = text.rfind(key);
    return at == std::string::npos ? -1 : std::atol(text.c_str() + at + key.size());
  };
  EXPECT_EQ(spinCount(""), 1000);
  EXPECT_EQ(spinCount("GOMP_SPINCOUNT=77"), 77);
  EXPECT_EQ(spinCount("OMP_WAIT_POLICY=passive"), 0);
}
