// Training on a device whose memory the host cannot touch, as on a GPU: inputs go up and metrics, dumps, checkpoints
// and exports come down through the device's own copies, and everything is bitwise what the host's device gives.
#include "runtime/comm/self/SelfCommunicator.h"
#include "runtime/device/host/HostDevice.h"
#include "runtime/device/host/StridedLoop.h"
#include "runtime/exec/Arena.h"
#include "runtime/train/Evaluator.h"
#include "runtime/train/Trainer.h"
#include "test/runtime/support/TestData.h"
#include "test/runtime/support/TestPlan.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tw;
using namespace tw::test;

namespace {

/// The arena lies at addresses that fault; its kernels reach the same memory at others.
class DistantDevice : public rt::Device {
public:
  ~DistantDevice() override {
    if (base_)
      ::munmap(base_, bytes_);
    if (near_)
      ::munmap(near_, bytes_);
  }
  const char *name() const override { return "distant"; }
  bool hostVisible() const override { return false; }
  rt::Status allocate(uint64_t bytes) override {
    int file = ::memfd_create("arena", 0);
    if (file < 0 || ::ftruncate(file, off_t(bytes)) != 0)
      return rt::Status::error("no memory");
    base_ = static_cast<uint8_t *>(::mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0));
    near_ = static_cast<uint8_t *>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    bytes_ = bytes;
    ::close(file);
    return rt::Status::ok();
  }
  rt::Status upload(uint64_t offset, const void *data, size_t size) override {
    ++uploads;
    std::memcpy(near_ + offset, data, size);
    return rt::Status::ok();
  }
  rt::Status download(void *data, uint64_t offset, size_t size) override {
    ++downloads;
    std::memcpy(data, near_ + offset, size);
    return rt::Status::ok();
  }
  rt::Status prepare(uint32_t, const std::vector<uint32_t> &) override { return rt::Status::ok(); }
  void *stream(uint32_t) override { return nullptr; }
  rt::Status record(uint32_t, uint32_t) override { return rt::Status::ok(); }
  rt::Status wait(uint32_t, uint32_t) override { return rt::Status::ok(); }
  rt::Status synchronize() override { return rt::Status::ok(); }
  rt::Expected<std::unique_ptr<rt::GeneratedLaunch>> bind(const rt::GeneratedArguments &arguments,
                                                          tw_generated_run run) override {
    return std::unique_ptr<rt::GeneratedLaunch>(std::make_unique<Launch>(*this, arguments, run));
  }
  rt::Status copy(const tw_tensor &source, const tw_tensor &destination, int, uint32_t) override {
    rt::copyStrided(nearby(source), nearby(destination), 1);
    return rt::Status::ok();
  }
  rt::Status fill(const tw_tensor &tensor, double value, int, uint32_t) override {
    rt::fillStrided(nearby(tensor), value, 1);
    return rt::Status::ok();
  }
  int uploads = 0, downloads = 0;

private:
  struct Launch : rt::GeneratedLaunch {
    Launch(DistantDevice &device, rt::GeneratedArguments arguments, tw_generated_run run)
        : arguments(std::move(arguments)), function(run) {
      for (void *&buffer : this->arguments.buffers)
        buffer = device.nearby(buffer);
    }
    rt::Status run() override {
      function(arguments.buffers.data(), arguments.sizes.data(), 0, arguments.extent);
      return rt::Status::ok();
    }
    rt::GeneratedArguments arguments;
    tw_generated_run function;
  };
  void *nearby(void *address) const { return near_ + (static_cast<uint8_t *>(address) - base_); }
  tw_tensor nearby(tw_tensor tensor) const {
    tensor.data = nearby(tensor.data);
    return tensor;
  }
  uint8_t *near_ = nullptr;
};

/// What a run leaves behind.
struct Results {
  std::vector<std::string> losses; // lines of the metrics, without times
  std::string dump, checkpoint;
  double evaluation = 0;
  double rate = 0;
};

class DistantDeviceTest : public testing::Test {
protected:
  TemporaryFolder folder;

  void SetUp() override {
    StepHook::step = 0;
    std::vector<float> x, y;
    for (int i = 0; i < 20; ++i) {
      for (int d = 0; d < 3; ++d)
        x.push_back(std::sin(float(i * (d + 1))));
      y.push_back(x[x.size() - 3] - 2 * x[x.size() - 1]);
    }
    writeFile(folder.path("data.npz"), npzBytes({{"x", npyOf("<f4", {20, 3}, x)}, {"y", npyOf("<f4", {20}, y)}}));
  }

  rt::Options options(const std::string &name) const {
    std::string prefix = folder.path(name);
    std::vector<std::string> words = {"train",
                                      "--data",
                                      folder.path("data.npz"),
                                      "--steps",
                                      "6",
                                      "--save",
                                      prefix + ".ckpt",
                                      "--metrics",
                                      prefix + ".jsonl",
                                      "--dump",
                                      prefix + ".dump",
                                      "--progress",
                                      "never"};
    std::vector<const char *> argv;
    for (const std::string &word : words)
      argv.push_back(word.c_str());
    auto parsed = rt::parseOptions(int(argv.size()), argv.data());
    EXPECT_FALSE(parsed.failed()) << parsed.message();
    return parsed->options;
  }

  rt::Status train(rt::Device &device, const std::string &name, Results &results) const {
    rt::Options wanted = options(name);
    rt::LoadedPlan loaded = rt::makeLoadedPlan(linearPlan());
    rt::SelfCommunicator self;
    TW_ASSIGN(session, rt::Session::create(loaded, device, self, testKernels(), 1, {"train", "dump", "evaluate"}));
    TW_TRY(rt::initializeParameters(loaded, device));
    TW_ASSIGN(dataset, rt::Dataset::open(wanted.data, loaded.plan));
    rt::TrainingState state;
    state.datasetRows = dataset.rows();
    rt::Trainer trainer(*session, dataset, wanted, state);
    TW_TRY(trainer.run());
    TW_ASSIGN(evaluation, rt::evaluate(*session, dataset));
    results.evaluation = evaluation.loss;
    TW_ASSIGN(rate, session->scalar(session->program("train"), "learning_rate"));
    results.rate = rate;
    results.dump = readFile(folder.path(name + ".dump") + "/step0.safetensors");
    results.checkpoint = readFile(folder.path(name + ".ckpt") + "/step-000006/model.safetensors");
    std::istringstream lines(readFile(folder.path(name + ".jsonl")));
    for (std::string line; std::getline(lines, line);)
      results.losses.push_back(line.substr(0, line.find("\"tokens_or_samples")));
    return rt::Status::ok();
  }
};

} // namespace

TEST_F(DistantDeviceTest, GivesWhatTheHostGives) {
  Results near, far;
  rt::HostDevice host;
  DistantDevice distant;
  rt::Status status = train(host, "near", near);
  ASSERT_FALSE(status.failed()) << status.message();
  status = train(distant, "far", far);
  ASSERT_FALSE(status.failed()) << status.message();
  ASSERT_EQ(near.losses.size(), 6u);
  EXPECT_EQ(far.losses, near.losses);
  EXPECT_FALSE(near.dump.empty());
  EXPECT_EQ(far.dump, near.dump);
  EXPECT_EQ(far.checkpoint, near.checkpoint);
  EXPECT_EQ(far.evaluation, near.evaluation);
  EXPECT_EQ(far.rate, near.rate);
  EXPECT_GE(distant.uploads, 12) << "two inputs in each step";
  EXPECT_GE(distant.downloads, 6) << "the loss of each step";
}
