#include "runtime/base/AtomicFile.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/VerifyPlan.h"
#include "runtime/train/Safetensors.h"
#include "tools/tw-plan/Commands.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

namespace tw::planTool {

using namespace rt;

namespace {

/// A folder for the batch and the results, removed at the end.
class Scratch {
public:
  Scratch() {
    const char *base = getenv("TMPDIR");
    path_ = text(base ? base : "/tmp", "/tw-plan-XXXXXX");
    if (!mkdtemp(path_.data()))
      path_.clear();
  }
  ~Scratch() {
    if (path_.empty())
      return;
    for (const std::string &file : files_)
      unlink(file.c_str());
    rmdir(path_.c_str());
  }
  bool ok() const { return !path_.empty(); }
  std::string file(const std::string &name) {
    files_.push_back(path_ + "/" + name);
    return files_.back();
  }

private:
  std::string path_;
  std::vector<std::string> files_;
};

int64_t globalRows(const planpb::Plan &plan) {
  return int64_t(plan.batch().micro_batches()) * plan.batch().micro_batch() * std::max<int64_t>(1, plan.mesh().data());
}

Status sameProblem(const planpb::Plan &plan, const planpb::Plan &reference) {
  if (plan.model_fingerprint() != reference.model_fingerprint())
    return Status::error("the two programs train different models: their parameters' names, types or shapes differ");
  if (globalRows(plan) != globalRows(reference))
    return Status::error(text("the global batches differ: ", globalRows(plan), " rows against ", globalRows(reference),
                              "; compile both with the same product of micro-batch, accumulation and data ranks"));
  return Status::ok();
}

/// Random values of an input: normal floats, integers inside the bounds.
void fillRandom(const planpb::DataInput &input, std::vector<uint8_t> &bytes, int64_t count, std::mt19937_64 &random) {
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int64_t> integer(input.has_bounds() ? input.lower() : 0,
                                                 input.has_bounds() ? input.upper() - 1 : 1);
  for (int64_t i = 0; i < count; ++i) {
    if (isFloat(input.type()))
      storeNumber(input.type(), bytes.data(), size_t(i), normal(random));
    else
      storeInteger(input.type(), bytes.data(), size_t(i), integer(random));
  }
}

Status writeBatch(const planpb::Plan &plan, const CheckOptions &options, const std::string &path) {
  std::mt19937_64 random(options.seed);
  std::vector<std::vector<uint8_t>> values;
  std::vector<TensorSource> tensors;
  values.reserve(size_t(plan.inputs_size()));
  for (const planpb::DataInput &input : plan.inputs()) {
    std::vector<int64_t> shape(input.row_shape().begin(), input.row_shape().end());
    if (input.batched())
      shape.insert(shape.begin(), {options.steps, globalRows(plan)});
    int64_t count = elementCount(shape);
    values.emplace_back(size_t(count) * typeSize(input.type()));
    fillRandom(input, values.back(), count, random);
    const std::vector<uint8_t> &bytes = values.back();
    tensors.push_back({"input/" + input.name(), input.type(), shape,
                       [&bytes](const TensorSource::Sink &sink) { return sink(bytes.data(), bytes.size()); }});
  }
  return writeSafetensors(path, tensors, {});
}

Status runProgram(const std::string &program, const std::string &inputs, const std::string &results) {
  std::string path = program.find('/') == std::string::npos ? "./" + program : program;
  pid_t child = fork();
  if (child == 0) {
    execl(path.c_str(), path.c_str(), "--run-ranks", inputs.c_str(), results.c_str(), (char *)nullptr);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0)
    return Status::error(text("cannot start '", path, "': ", systemError(errno)));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return Status::error(text("'", path, "' cannot be executed: give executables made by twc, not bare plans"));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Status::error(text("'", path, "' failed while running its ranks"));
  return Status::ok();
}

struct Difference {
  double relative = 0;
  std::string name;
};

/// Largest |a - b| over the reference's largest |b|, 1 when either is not finite.
double relativeDifference(const SafetensorsFile::Tensor &a, const SafetensorsFile::Tensor &b) {
  size_t count = size_t(elementCount(b.shape));
  double difference = 0, largest = 0;
  for (size_t i = 0; i < count; ++i) {
    double x = loadNumber(a.type, a.data, i), y = loadNumber(b.type, b.data, i);
    if (std::isnan(x) || std::isnan(y))
      return 1;
    if (x != y)
      difference = std::max(difference, std::fabs(x - y));
    largest = std::max(largest, std::fabs(y));
  }
  return difference == 0 ? 0 : difference / std::max(largest, 1e-30);
}

/// Compares the outputs of one step on every rank with rank 0 of the reference; tensors that are split over ranks
/// (their shapes differ) are left to the losses and gradients that depend on them.
Status compareOutputs(const planpb::Plan &plan, const SafetensorsFile &results, const SafetensorsFile &reference,
                      int step, double tolerance, Difference &worst, int &compared) {
  std::string prefix = text("output/", step, "/0/");
  for (const auto &[key, expected] : reference.tensors) {
    if (key.compare(0, prefix.size(), prefix) != 0)
      continue;
    std::string name = key.substr(prefix.size());
    for (uint64_t rank = 0; rank < worldSize(plan); ++rank) {
      auto found = results.tensors.find(text("output/", step, "/", rank, "/", name));
      if (found == results.tensors.end() || found->second.shape != expected.shape)
        continue;
      double relative = relativeDifference(found->second, expected);
      ++compared;
      if (relative > worst.relative)
        worst = {relative, text("'", name, "' at step ", step, " on rank ", rank)};
      if (relative > tolerance)
        return Status::error(text("the programs differ: '", name, "' at step ", step, " on rank ", rank, " by ",
                                  relative, " of its largest element; allowed is ", tolerance));
    }
  }
  return Status::ok();
}

Status compareRuns(const planpb::Plan &plan, const CheckOptions &options, const std::string &results,
                   const std::string &reference) {
  TW_ASSIGN(own, readSafetensors(results));
  TW_ASSIGN(other, readSafetensors(reference));
  Difference worst;
  int compared = 0;
  for (int step = 0; step < options.steps; ++step) {
    // Steps after the first see each other's rounding through the optimizer, so they get ten times the room.
    TW_TRY(compareOutputs(plan, own, other, step, options.tolerance * (step == 0 ? 1 : 10), worst, compared));
  }
  if (compared == 0)
    return Status::error("the programs have no output in common to compare");
  printf("equivalent: %d tensors over %d steps and %llu ranks agree", compared, options.steps,
         (unsigned long long)worldSize(plan));
  if (worst.relative > 0)
    printf("; largest difference %.3g in %s", worst.relative, worst.name.c_str());
  printf("\n");
  return Status::ok();
}

} // namespace

Status check(LoadedPlan &loaded, const CheckOptions &options) {
  KernelTable kernels; // generated kernels are in the executable only: it checks those itself
  kernels.kernel = [](const char *name) { return tw_find_kernel(name); };
  TW_TRY(verifyPlan(loaded.plan, kernels));
  printf("verified: %d programs, %llu ranks\n", loaded.plan.programs_size(),
         (unsigned long long)worldSize(loaded.plan));
  if (options.reference.empty())
    return Status::ok();
  if (options.steps < 1)
    return Status::error(text("--steps is ", options.steps, ", expected at least 1"));
  TW_ASSIGN(reference, loadPlanFile(options.reference));
  TW_TRY(sameProblem(loaded.plan, reference.plan));
  Scratch scratch;
  if (!scratch.ok())
    return Status::error(text("cannot make a temporary folder: ", systemError(errno)));
  std::string batch = scratch.file("batch.safetensors");
  std::string own = scratch.file("results.safetensors"), other = scratch.file("reference.safetensors");
  TW_TRY(writeBatch(loaded.plan, options, batch));
  TW_TRY(runProgram(options.path, batch, own));
  TW_TRY(runProgram(options.reference, batch, other));
  return compareRuns(loaded.plan, options, own, other);
}

} // namespace tw::planTool
