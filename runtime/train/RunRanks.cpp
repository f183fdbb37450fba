#include "runtime/train/RunRanks.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/exec/InProcess.h"
#include "runtime/train/Safetensors.h"

#include <algorithm>
#include <cstring>

namespace tw::rt {

namespace {

using Global = SafetensorsFile::Tensor;

Expected<const Global *> globalInput(const SafetensorsFile &file, const planpb::Plan &plan,
                                     const planpb::DataInput &input, int64_t *steps) {
  auto found = file.tensors.find("input/" + input.name());
  if (found == file.tensors.end())
    return Status::error(text("the inputs lack 'input/", input.name(), "'"));
  const Global &tensor = found->second;
  std::vector<int64_t> expected(input.row_shape().begin(), input.row_shape().end());
  if (input.batched()) {
    int64_t mesh = std::max<int64_t>(1, plan.mesh().data());
    int64_t rows = int64_t(plan.batch().micro_batches()) * plan.batch().micro_batch() * mesh;
    int64_t given = tensor.shape.empty() ? 0 : tensor.shape[0];
    expected.insert(expected.begin(), {given, rows});
    if (*steps >= 0 && given != *steps)
      return Status::error(text("'input/", input.name(), "' has ", given, " steps, other inputs have ", *steps));
    *steps = given;
  }
  if (tensor.type != int(input.type()) || tensor.shape != expected)
    return Status::error(text("'input/", input.name(), "' is ", typeName(tensor.type), shapeText(tensor.shape),
                              ", expected ", typeName(input.type()), shapeText(expected)));
  return &tensor;
}

/// The rows that `rank` reads in one step: of each micro-batch its share, in order.
HostTensor rankRows(const planpb::Plan &plan, const planpb::DataInput &input, const Global &global, int64_t step,
                    int64_t dataRank) {
  HostTensor result;
  result.type = global.type;
  int64_t shards = std::max<int64_t>(1, plan.mesh().data()), count = plan.batch().micro_batches();
  int64_t share = plan.batch().micro_batch();
  size_t rowBytes = size_t(elementCount(input.row_shape())) * typeSize(global.type);
  const uint8_t *base = global.data + size_t(step * count * share * shards) * rowBytes;
  result.shape = {count * share};
  result.bytes.resize(size_t(count * share) * rowBytes);
  for (int64_t j = 0; j < count; ++j)
    memcpy(result.bytes.data() + size_t(j * share) * rowBytes,
           base + size_t((j * shards + dataRank) * share) * rowBytes, size_t(share) * rowBytes);
  return result;
}

void addTensor(std::vector<TensorSource> &tensors, std::string name, const HostTensor &tensor) {
  tensors.push_back({std::move(name), tensor.type, tensor.shape, [&tensor](const TensorSource::Sink &sink) {
                       return sink(tensor.bytes.data(), tensor.bytes.size());
                     }});
}

Status writeResult(const InProcessResult &result, const std::string &path) {
  std::vector<TensorSource> tensors;
  for (size_t step = 0; step < result.outputs.size(); ++step)
    for (size_t rank = 0; rank < result.outputs[step].size(); ++rank)
      for (const auto &[name, tensor] : result.outputs[step][rank])
        addTensor(tensors, text("output/", step, "/", rank, "/", name), tensor);
  for (size_t rank = 0; rank < result.parameters.size(); ++rank)
    for (const auto &[name, tensor] : result.parameters[rank])
      addTensor(tensors, text("parameter/", rank, "/", name), tensor);
  return writeSafetensors(path, tensors, {});
}

} // namespace

Status runRanks(LoadedPlan &loaded, const KernelTable &kernels, const std::string &inputs, const std::string &results) {
  const planpb::Plan &plan = loaded.plan;
  TW_TRY(verifyPlan(plan, kernels));
  TW_ASSIGN(file, readSafetensors(inputs));
  int64_t steps = -1;
  std::vector<const Global *> globals;
  for (const planpb::DataInput &input : plan.inputs()) {
    TW_ASSIGN(global, globalInput(file, plan, input, &steps));
    globals.push_back(global);
  }
  InProcessRun run;
  run.program = findProgram(plan, "dump", 0) ? "dump" : "train";
  run.threads = int(std::max<uint32_t>(1, plan.threads()));
  int64_t world = int64_t(worldSize(plan)), model = world / std::max<int64_t>(1, plan.mesh().data());
  run.steps.assign(size_t(std::max<int64_t>(1, steps)), std::vector<NamedTensors>(size_t(world)));
  for (size_t step = 0; step < run.steps.size(); ++step)
    for (int64_t rank = 0; rank < world; ++rank)
      for (size_t i = 0; i < globals.size(); ++i) {
        const planpb::DataInput &input = plan.inputs(int(i));
        HostTensor &own = run.steps[step][size_t(rank)][input.name()];
        if (input.batched())
          own = rankRows(plan, input, *globals[i], int64_t(step), rank / model);
        else
          own = {globals[i]->type, globals[i]->shape, {globals[i]->data, globals[i]->data + globals[i]->bytes}};
      }
  TW_ASSIGN(result, runPlanInProcess(loaded, kernels, run));
  return writeResult(result, results);
}

} // namespace tw::rt
