// Whole runs of a compiled program over hand-made plans: the command line in, files, text and exit code out.
#include "runtime/base/Types.h"
#include "runtime/train/Application.h"
#include "runtime/train/Checkpoint.h"
#include "runtime/train/Signals.h"
#include "test/runtime/support/TestData.h"
#include "test/runtime/support/TestPlan.h"
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/mount.h>
#include <sys/resource.h>

using namespace tw;
using namespace tw::test;
using nlohmann::json;

namespace {

class ApplicationTest : public testing::Test {
protected:
  TemporaryFolder folder;
  planpb::Plan plan = linearPlan();
  std::string out, err;

  void SetUp() override {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    StepHook::step = 0;
    rt::clearStopSignal();
    std::vector<float> x, y;
    for (int i = 0; i < 20; ++i) {
      for (int d = 0; d < 3; ++d)
        x.push_back(std::sin(float(i * (d + 1))));
      y.push_back(x[x.size() - 3] - 2 * x[x.size() - 1]);
    }
    writeFile(data(), npzBytes({{"x", npyOf("<f4", {20, 3}, x)}, {"y", npyOf("<f4", {20}, y)}}));
  }
  std::string data() const { return folder.path("data.npz"); }
  std::string path(const std::string &name) const { return folder.path(name); }

  // The exit code; what was printed is in `out` and `err`.
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "train");
    std::vector<const char *> argv;
    for (const std::string &argument : arguments)
      argv.push_back(argument.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int code = 2;
    auto parsed = rt::parseOptions(int(argv.size()), argv.data());
    if (parsed.failed())
      std::fprintf(stderr, "%s", parsed.message().c_str());
    else if (parsed->exitCode)
      code = *parsed->exitCode;
    else {
      rt::LoadedPlan loaded = rt::makeLoadedPlan(plan);
      code = rt::runApplication(loaded, testKernels(), parsed->options);
    }
    std::fflush(stdout);
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return code;
  }

  std::vector<json> metrics(const std::string &file) const {
    std::ifstream in(path(file));
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);)
      lines.push_back(json::parse(line));
    return lines;
  }
  // "step loss" of every line: what must be bitwise the same.
  std::vector<std::pair<int64_t, double>> losses(const std::string &file) const {
    std::vector<std::pair<int64_t, double>> result;
    for (const json &line : metrics(file))
      result.push_back({line["step"], line["loss"]});
    return result;
  }
  std::string weights(const std::string &checkpoint) const { return readFile(path(checkpoint) + "/model.safetensors"); }
  bool saysError(const std::string &part) const { return err.find(part) != std::string::npos; }
};

} // namespace

TEST_F(ApplicationTest, TrainsAndReports) {
  ASSERT_EQ(run({"--data", data(), "--steps", "30", "--metrics", path("m.jsonl"), "--tensorboard", path("tb"), "--time",
                 "--memory", "--eval"}),
            0)
      << err;
  std::vector<json> lines = metrics("m.jsonl");
  ASSERT_EQ(lines.size(), 30u);
  for (const char *key : {"step", "loss", "lr", "grad_norm", "tokens_or_samples_per_second"})
    EXPECT_TRUE(lines[0].contains(key) && lines[0][key].is_number()) << key;
  EXPECT_EQ(lines[0]["step"], 1);
  EXPECT_LT(lines[29]["loss"], lines[0]["loss"]);
  EXPECT_NE(out.find("\"median_step_ms\""), std::string::npos) << out;
  EXPECT_NE(out.find("\"planned_arena_bytes\""), std::string::npos) << out;
  EXPECT_NE(out.find("evaluation: loss "), std::string::npos) << out;
  EXPECT_NE(err.find("step 30/30"), std::string::npos) << err;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("tb")), {}), 1);
}

TEST_F(ApplicationTest, EpochsAndQuietness) {
  ASSERT_EQ(run({"--data", data(), "--epochs", "2", "--metrics", path("m.jsonl"), "--progress", "never"}), 0) << err;
  EXPECT_EQ(metrics("m.jsonl").size(), 10u); // 20 rows, 4 a step
  EXPECT_EQ(err, "");
}

TEST_F(ApplicationTest, TheSameBitsTwiceAndOtherBitsWithAnotherSeed) {
  for (const char *name : {"a", "b"})
    ASSERT_EQ(run({"--data", data(), "--steps", "12", "--metrics", path(name), "--seed", "3"}), 0) << err;
  ASSERT_EQ(run({"--data", data(), "--steps", "12", "--metrics", path("c"), "--seed", "4"}), 0) << err;
  EXPECT_EQ(losses("a"), losses("b"));
  EXPECT_NE(losses("a"), losses("c"));
}

TEST_F(ApplicationTest, ResumesBitwiseAtEveryStep) {
  ASSERT_EQ(run({"--data", data(), "--steps", "9", "--metrics", path("whole"), "--save", path("whole.ckpt")}), 0)
      << err;
  for (int at = 1; at < 9; ++at) {
    std::string checkpoint = "ckpt" + std::to_string(at), file = "m" + std::to_string(at);
    ASSERT_EQ(
        run({"--data", data(), "--steps", std::to_string(at), "--save", path(checkpoint), "--metrics", path(file)}), 0);
    ASSERT_EQ(run({"--data", data(), "--steps", "9", "--resume", path(checkpoint), "--save", path(checkpoint),
                   "--metrics", path(file)}),
              0)
        << err;
    EXPECT_EQ(losses(file), losses("whole"));
    EXPECT_EQ(weights(checkpoint + "/step-000009"), weights("whole.ckpt/step-000009"));
  }
}

// The process that dies is started anew from this test, so both learn the folder from the environment.
TEST_F(ApplicationTest, ResumesAfterBeingKilled) {
  if (!std::getenv("TW_TEST_FOLDER"))
    setenv("TW_TEST_FOLDER", folder.path().c_str(), 1);
  std::string shared = std::getenv("TW_TEST_FOLDER");
  EXPECT_EXIT(
      {
        StepHook::step = 7;
        StepHook::signal = SIGKILL;
        run({"--data", shared + "/data.npz", "--steps", "9", "--save", shared + "/ckpt", "--save-every", "2"});
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(readFile(path("ckpt/latest")), "step-000006\n");
  ASSERT_EQ(run({"--data", data(), "--steps", "9", "--save", path("whole")}), 0) << err;
  ASSERT_EQ(run({"--data", data(), "--steps", "9", "--resume", path("ckpt"), "--save", path("ckpt")}), 0) << err;
  EXPECT_EQ(weights("ckpt/step-000009"), weights("whole/step-000009"));
  unsetenv("TW_TEST_FOLDER");
}

TEST_F(ApplicationTest, SignalsSaveAndStop) {
  for (int signal : {SIGINT, SIGTERM}) {
    StepHook::step = 3;
    StepHook::signal = signal;
    rt::clearStopSignal();
    std::string name = signal == SIGINT ? "SIGINT" : "SIGTERM";
    ASSERT_EQ(run({"--data", data(), "--steps", "9", "--save", path(name)}), 0) << err;
    EXPECT_TRUE(saysError("stopped by " + name + " after step 3; saved in " + path(name) + "/step-000003")) << err;
    EXPECT_EQ(readFile(path(name) + "/latest"), "step-000003\n");
  }
  rt::clearStopSignal();
  ASSERT_EQ(run({"--data", data(), "--steps", "9"}), 0) << err;
  EXPECT_TRUE(saysError("after step 3; nothing is saved (no --save)")) << err;
}

TEST_F(ApplicationTest, KeepsTheNewestCheckpoints) {
  ASSERT_EQ(run({"--data", data(), "--steps", "7", "--save", path("ckpt"), "--save-every", "2", "--keep", "2"}), 0)
      << err;
  std::vector<std::string> names;
  for (auto &entry : std::filesystem::directory_iterator(path("ckpt")))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"latest", "step-000006", "step-000007"}));
}

TEST_F(ApplicationTest, CheckpointOfAnotherModel) {
  ASSERT_EQ(run({"--data", data(), "--steps", "2", "--save", path("ckpt")}), 0) << err;
  LinearOptions options;
  options.features = 3;
  plan.mutable_parameters(0)->set_name("v");
  for (planpb::Program &program : *plan.mutable_programs())
    for (planpb::Buffer &buffer : *program.mutable_buffers())
      if (buffer.name() == "w")
        buffer.set_name("v");
  EXPECT_EQ(run({"--data", data(), "--steps", "4", "--resume", path("ckpt")}), 1);
  EXPECT_TRUE(saysError("is a checkpoint of another model: it has no tensor 'v'")) << err;
  plan = linearPlan();
  plan.mutable_parameters(0)->set_type(planpb::I32);
  EXPECT_EQ(run({"--data", data(), "--steps", "4", "--resume", path("ckpt")}), 1);
  EXPECT_TRUE(saysError("tensor 'w' is f32[3] there and i32[3] here")) << err;
  EXPECT_EQ(run({"--data", data(), "--steps", "4", "--resume", path("nowhere")}), 1);
  EXPECT_TRUE(saysError("holds no checkpoint")) << err;
}

TEST_F(ApplicationTest, DamagedCheckpointsAreRefused) {
  ASSERT_EQ(run({"--data", data(), "--steps", "2", "--save", path("ckpt")}), 0) << err;
  std::string state = path("ckpt/step-000002/state.json"), model = path("ckpt/step-000002/model.safetensors");
  std::string whole = readFile(model);
  writeFile(model, whole.substr(0, whole.size() - 1));
  EXPECT_EQ(run({"--data", data(), "--steps", "4", "--resume", path("ckpt")}), 1);
  EXPECT_TRUE(saysError("not a complete safetensors file")) << err;
  writeFile(model, whole);
  writeFile(state, "{\"step\": 2}");
  EXPECT_EQ(run({"--data", data(), "--steps", "4", "--resume", path("ckpt")}), 1);
  EXPECT_TRUE(saysError("is not a checkpoint's state")) << err;
}

// A file size limit fails a write in the middle, as a full disk does.
TEST_F(ApplicationTest, FullDiskLeavesTheCheckpointBefore) {
  ASSERT_EQ(run({"--data", data(), "--steps", "2", "--save", path("ckpt")}), 0) << err;
  std::string before = weights("ckpt/step-000002");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{}, small{};
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 100;
  std::string output;
  testing::internal::CaptureStderr(); // the limit holds for the captured text's file too: keep it empty
  setrlimit(RLIMIT_FSIZE, &small);
  rt::LoadedPlan loaded = rt::makeLoadedPlan(plan);
  std::vector<std::string> text = {"train",      "--data", data(),       "--steps",    "4",    "--resume",
                                   path("ckpt"), "--save", path("ckpt"), "--progress", "never"};
  std::vector<const char *> argv;
  for (const std::string &argument : text)
    argv.push_back(argument.c_str());
  auto parsed = rt::parseOptions(int(argv.size()), argv.data());
  int code = rt::runApplication(loaded, testKernels(), parsed->options);
  setrlimit(RLIMIT_FSIZE, &old);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, 1);
  EXPECT_EQ(readFile(path("ckpt/latest")), "step-000002\n");
  EXPECT_EQ(weights("ckpt/step-000002"), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("ckpt")), {}), 2);
  ASSERT_EQ(run({"--data", data(), "--steps", "4", "--resume", path("ckpt"), "--save", path("ckpt")}), 0) << err;
}

// The same on a real file system that is full, where this user may mount one.
TEST_F(ApplicationTest, FullFileSystem) {
  std::string disk = path("disk");
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "cannot mount a small file system";
  EXPECT_EQ(run({"--data", data(), "--steps", "1", "--save", disk + "/ckpt"}), 0) << err;
  std::ofstream(disk + "/filler") << std::string(64 << 10, 'x');
  EXPECT_EQ(run({"--data", data(), "--steps", "2", "--resume", disk + "/ckpt", "--save", disk + "/ckpt"}), 1);
  EXPECT_TRUE(saysError("checkpoint step-000002 is not saved, earlier ones are untouched")) << err;
  EXPECT_TRUE(saysError("No space left on device")) << err;
  EXPECT_EQ(readFile(disk + "/ckpt/latest"), "step-000001\n");
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(ApplicationTest, NonFiniteLossStopsAndSavesNothing) {
  LinearOptions options;
  options.learningRate = 1e20;
  plan = linearPlan(options);
  EXPECT_EQ(run({"--data", data(), "--steps", "20", "--save", path("ckpt"), "--save-every", "1", "--keep", "1"}), 1);
  EXPECT_TRUE(saysError("the loss of step ")) << err;
  EXPECT_TRUE(saysError(": training stops and saves nothing; the checkpoint of step ")) << err;
  std::string latest = readFile(path("ckpt/latest"));
  EXPECT_TRUE(std::filesystem::exists(path("ckpt/" + latest.substr(0, latest.size() - 1) + "/model.safetensors")));
}

TEST_F(ApplicationTest, DumpHoldsTheFirstStep) {
  ASSERT_EQ(run({"--data", data(), "--dump", path("dump"), "--no-shuffle"}), 0) << err;
  auto file = rt::readSafetensors(path("dump/step0.safetensors"));
  ASSERT_FALSE(file.failed()) << file.message();
  for (const char *name : {"loss", "prediction", "gradient/w", "parameter/w"})
    EXPECT_TRUE(file->tensors.count(name)) << name;
  double gradient = rt::loadNumber(TW_F32, file->tensors["gradient/w"].data, 1);
  double updated = rt::loadNumber(TW_F32, file->tensors["parameter/w"].data, 1);
  EXPECT_NEAR(updated, 0.5 - 0.05 * gradient, 1e-6);
  auto &programs = *plan.mutable_programs();
  programs.DeleteSubrange(1, 1);
  EXPECT_EQ(run({"--data", data(), "--dump", path("dump")}), 1);
  EXPECT_TRUE(saysError("compiled without the program \"dump\"")) << err;
}

TEST_F(ApplicationTest, DumpThenTrainIsTraining) {
  ASSERT_EQ(run({"--data", data(), "--steps", "5", "--metrics", path("a")}), 0) << err;
  ASSERT_EQ(run({"--data", data(), "--steps", "5", "--metrics", path("b"), "--dump", path("dump")}), 0) << err;
  EXPECT_EQ(losses("a"), losses("b"));
}

TEST_F(ApplicationTest, EvaluationCountsEveryRowOnce) {
  plan = classifierPlan(4, 3);
  // Ten rows: 3 of the 9 labels that count are wrong; one is ignored.
  std::vector<float> x(30, 0.0f);
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < 10; ++i) {
    x[size_t(i * 3 + i % 3)] = 2;
    labels.push_back(i == 9 ? -100 : i < 3 ? (i + 1) % 3 : i % 3);
  }
  writeFile(data(), npzBytes({{"x", npyOf("<f4", {10, 3}, x)}, {"labels", npyOf("<i8", {10}, labels)}}));
  ASSERT_EQ(run({"--eval", "--eval-data", data()}), 0) << err;
  double right = std::log(std::exp(2.0) + 2) - 2, wrong = std::log(std::exp(2.0) + 2);
  char wanted[128];
  std::snprintf(wanted, sizeof wanted, "evaluation: loss %.6f, accuracy 0.6667 (6 of 9)\n",
                (6 * right + 3 * wrong) / 9);
  EXPECT_EQ(out, wanted);
}

// A step that touches all of a large arena; checkpoints, exports and data add next to nothing.
TEST_F(ApplicationTest, PeakMemoryIsThePlannedArena) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers keep shadow memory";
#endif
  for (int64_t megabytes : {60, 200}) { // below and above the use of huge pages
    plan = linearPlan();
    planpb::Program &train = *plan.mutable_programs(0);
    planpb::Buffer &large = *train.add_buffers();
    large.set_name("large");
    large.set_type(planpb::F32);
    large.add_shape(megabytes << 18);
    large.set_offset(train.arena_bytes());
    train.set_arena_bytes(train.arena_bytes() + uint64_t(megabytes << 20));
    planpb::Instruction &fill = *train.add_instructions();
    fill.mutable_fill()->set_buffer(uint32_t(train.buffers_size() - 1));
    ASSERT_EQ(run({"--data", data(), "--steps", "3", "--memory", "--save", path("ckpt"), "--metrics", path("m")}), 0)
        << err;
    json printed = json::parse(out);
    EXPECT_NEAR(double(printed["measured_over_planned"]), 1.0, 0.02) << out;
  }
}

TEST_F(ApplicationTest, WhatThePersonIsTold) {
  EXPECT_EQ(run({}), 2);
  EXPECT_TRUE(saysError("there is nothing to do: give --data")) << err;
  EXPECT_EQ(run({"--steps", "x", "--data", data()}), 2);
  EXPECT_EQ(run({"--nonsense"}), 2);
  EXPECT_TRUE(saysError("nonsense")) << err;
  EXPECT_EQ(run({"--data", data(), "--save-every", "3"}), 2);
  EXPECT_EQ(run({"--data", path("none.npz")}), 1);
  EXPECT_TRUE(saysError("there is no data file")) << err;
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_NE(out.find("--export-onnx"), std::string::npos);
}

TEST_F(ApplicationTest, AnotherCpu) {
  plan.set_cpu("sapphirerapids");
  plan.set_cpu_features("+sse3,+xop,+fma4");
  EXPECT_EQ(run({"--data", data(), "--steps", "1"}), 1);
  EXPECT_TRUE(saysError("compiled for the CPU 'sapphirerapids'; this machine lacks")) << err;
}

// In a process of its own: it starts MPI, and Open MPI unloads its plug-ins before LeakSanitizer looks, so that what
// they leak cannot be told apart.
TEST_F(ApplicationTest, WrongNumberOfRanks) {
  LinearOptions options;
  options.ranks = 3;
  plan = linearPlan(options);
  EXPECT_EXIT(
      {
        int code = run({"--data", data(), "--steps", "1"});
        std::fprintf(stderr, "%s", err.c_str());
        std::_Exit(code);
      },
      testing::ExitedWithCode(1), "compiled for 3 ranks, but 1 started; run it with `mpirun -n 3`");
}

TEST_F(ApplicationTest, BadPlansAreRefused) {
  plan.mutable_programs(0)->mutable_instructions(0)->mutable_generated()->set_buffers(0, 77);
  EXPECT_EQ(run({"--data", data(), "--steps", "1"}), 1);
  EXPECT_TRUE(saysError("operand 77 is not one of")) << err;
  plan = linearPlan();
  plan.set_target("abacus");
  EXPECT_EQ(run({"--data", data(), "--steps", "1"}), 1);
  EXPECT_TRUE(saysError("compiled for 'abacus'")) << err;
}
