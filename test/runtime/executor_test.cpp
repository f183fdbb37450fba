#include "runtime/base/Types.h"
#include "runtime/exec/InProcess.h"
#include "test/runtime/support/TestPlan.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tw;
using namespace tw::test;

namespace {

rt::HostTensor floats(std::vector<float> values) {
  rt::HostTensor tensor;
  tensor.type = TW_F32;
  tensor.bytes.resize(values.size() * 4);
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}
float number(const rt::HostTensor &tensor, size_t index = 0) {
  return float(rt::loadNumber(tensor.type, tensor.bytes.data(), index));
}

// The same eight rows, dealt over ranks, for ten steps.
rt::InProcessResult train(uint32_t ranks) {
  LinearOptions options;
  options.ranks = ranks;
  options.rows = 8 / ranks;
  rt::LoadedPlan loaded = rt::makeLoadedPlan(linearPlan(options));
  EXPECT_FALSE(rt::verifyPlan(loaded.plan, testKernels()).failed());
  std::vector<rt::NamedTensors> step(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    std::vector<float> x, y;
    for (int64_t i = 0; i < options.rows; ++i) {
      float row = float(rank * options.rows + i);
      for (int d = 0; d < 3; ++d)
        x.push_back(std::sin(row * float(d + 1)));
      y.push_back(x[x.size() - 3] - 2 * x[x.size() - 1]);
    }
    step[rank]["x"] = floats(x);
    step[rank]["y"] = floats(y);
  }
  rt::InProcessRun run;
  run.threads = 2;
  run.steps.assign(10, step);
  auto result = rt::runPlanInProcess(loaded, testKernels(), run);
  EXPECT_FALSE(result.failed()) << result.message();
  return result.failed() ? rt::InProcessResult() : result.take();
}

} // namespace

TEST(Executor, TrainsALinearModel) {
  rt::InProcessResult result = train(1);
  ASSERT_EQ(result.outputs.size(), 10u);
  float first = number(result.outputs[0][0]["loss"]), last = number(result.outputs[9][0]["loss"]);
  EXPECT_LT(last, first * 0.8f);
  EXPECT_EQ(rt::loadInteger(TW_I64, result.parameters[0]["step"].bytes.data(), 0), 10);
  EXPECT_GT(number(result.outputs[0][0]["gradient_norm"]), 0);
}

TEST(Executor, RanksComputeWhatOneRankComputes) {
  rt::InProcessResult one = train(1);
  for (uint32_t ranks : {2u, 4u}) {
    rt::InProcessResult many = train(ranks);
    ASSERT_EQ(many.outputs.size(), 10u);
    for (size_t step = 0; step < 10; ++step)
      EXPECT_NEAR(number(many.outputs[step][0]["loss"]), number(one.outputs[step][0]["loss"]), 1e-5);
    for (uint32_t rank = 1; rank < ranks; ++rank)
      EXPECT_EQ(many.parameters[rank]["w"].bytes, many.parameters[0]["w"].bytes);
  }
}

TEST(Executor, TheSameBitsTwice) {
  EXPECT_EQ(train(2).parameters[0]["w"].bytes, train(2).parameters[0]["w"].bytes);
}

TEST(Executor, StridedCopiesAndFills) {
  planpb::Plan plan = linearPlan();
  ProgramBuilder builder(plan, "views", 0);
  uint32_t matrix = builder.buffer("matrix", TW_F32, {2, 3}), transposed = builder.buffer("transposed", TW_F32, {3, 2});
  uint32_t view = builder.buffer("view", TW_F32, {3, 2}), column = builder.buffer("column", TW_F32, {2});
  planpb::Program &program = builder.program();
  for (uint32_t index : {view, column})
    program.mutable_buffers(int(index))->set_view_of(matrix + 1);
  program.mutable_buffers(int(view))->set_offset(program.buffers(int(matrix)).offset());
  program.mutable_buffers(int(view))->add_strides(1);
  program.mutable_buffers(int(view))->add_strides(3);
  program.mutable_buffers(int(column))->set_offset(program.buffers(int(matrix)).offset() + 4);
  program.mutable_buffers(int(column))->add_strides(3);
  builder.fill(matrix, 1);
  builder.fill(column, 5);
  builder.copy(view, transposed);
  builder.output("transposed", transposed);
  builder.output("column", column);
  rt::LoadedPlan loaded = rt::makeLoadedPlan(plan);
  rt::Status verified = rt::verifyPlan(plan, testKernels());
  ASSERT_FALSE(verified.failed()) << verified.message();
  rt::InProcessRun run;
  run.program = "views";
  run.steps.resize(1, std::vector<rt::NamedTensors>(1));
  auto result = rt::runPlanInProcess(loaded, testKernels(), run);
  ASSERT_FALSE(result.failed()) << result.message();
  std::vector<float> values;
  for (size_t i = 0; i < 6; ++i)
    values.push_back(number(result->outputs[0][0]["transposed"], i));
  EXPECT_EQ(values, (std::vector<float>{1, 1, 5, 5, 1, 1}));
  EXPECT_EQ(number(result->outputs[0][0]["column"], 1), 5);
}

// A kernel with state, workspace and attributes, which fails when asked to.
namespace {
int states = 0;
size_t scaleWorkspace(const tw_call *call) {
  return call->inputs[0].data ? 1u << 30 : size_t(call->threads) * 64;
}
int scalePrepare(const tw_call *call, void **state, char *, size_t) {
  ++states;
  *state = new double(call->attributes[0].number);
  return 0;
}
void scaleDestroy(void *state) {
  --states;
  delete static_cast<double *>(state);
}
int scaleRun(const tw_call *call, char *message, size_t capacity) {
  double factor = *static_cast<double *>(call->state);
  if (factor == 0) {
    std::snprintf(message, capacity, "the factor is zero");
    return 1;
  }
  for (int64_t i = 0; i < call->inputs[0].shape[0]; ++i)
    static_cast<float *>(call->outputs[0].data)[i] = static_cast<float *>(call->inputs[0].data)[i] * float(factor);
  return 0;
}
const tw_kernel scale = {"scale_f32_host", scaleRun, scaleWorkspace, scalePrepare, scaleDestroy, 0};

rt::Expected<rt::InProcessResult> runScale(double factor, int threads) {
  planpb::Plan plan = linearPlan();
  ProgramBuilder builder(plan, "scale", 0);
  uint32_t a = builder.buffer("a", TW_F32, {4}), b = builder.buffer("b", TW_F32, {4}),
           w = builder.buffer("w", TW_U8, {128});
  builder.fill(a, 3);
  planpb::Instruction &instruction = *builder.program().add_instructions();
  instruction.set_node("/fc/Mul");
  planpb::KernelCall &call = *instruction.mutable_kernel();
  call.set_name("scale_f32_host");
  call.add_inputs(a);
  call.add_outputs(b);
  call.set_workspace_offset(builder.program().buffers(int(w)).offset());
  call.set_workspace_bytes(128);
  planpb::Attribute &attribute = *call.add_attributes();
  attribute.set_name("factor");
  attribute.set_kind(planpb::Attribute::FLOAT);
  attribute.set_number(factor);
  builder.output("b", b);
  rt::LoadedPlan loaded = rt::makeLoadedPlan(plan);
  rt::KernelTable table = testKernels();
  table.kernel = [](const char *name) { return std::string(name) == scale.name ? &scale : nullptr; };
  rt::Status verified = rt::verifyPlan(plan, table);
  if (verified.failed())
    return verified;
  rt::InProcessRun run;
  run.program = "scale";
  run.threads = threads;
  run.steps.resize(1, std::vector<rt::NamedTensors>(1));
  return rt::runPlanInProcess(loaded, table, run);
}
} // namespace

TEST(Executor, KernelsWithStateAndWorkspace) {
  auto result = runScale(2, 2);
  ASSERT_FALSE(result.failed()) << result.message();
  EXPECT_EQ(number(result->outputs[0][0]["b"], 3), 6);
  EXPECT_EQ(states, 0);
}

TEST(Executor, ErrorsNameRankInstructionKernelAndNode) {
  auto result = runScale(0, 2);
  ASSERT_TRUE(result.failed());
  EXPECT_EQ(result.message(),
            "rank 0: program 'scale' of rank 0, instruction 1 (kernel scale_f32_host, node '/fc/Mul'): "
            "the factor is zero");
  EXPECT_EQ(states, 0);
}

TEST(Executor, WorkspaceThatIsTooSmallForTheThreads) {
  auto result = runScale(2, 3);
  ASSERT_TRUE(result.failed());
  EXPECT_NE(result.message().find("needs 192 bytes of workspace with 3 threads, the plan gives 128"), std::string::npos)
      << result.message();
}

TEST(Executor, AFailingRankEndsTheOthers) {
  LinearOptions options;
  options.ranks = 2;
  rt::LoadedPlan loaded = rt::makeLoadedPlan(linearPlan(options));
  rt::InProcessRun run;
  run.steps.resize(1, std::vector<rt::NamedTensors>(2)); // rank 0 has its inputs, rank 1 has none
  run.steps[0][0] = {{"x", floats(std::vector<float>(12))}, {"y", floats(std::vector<float>(4))}};
  auto result = rt::runPlanInProcess(loaded, testKernels(), run);
  ASSERT_TRUE(result.failed());
  EXPECT_EQ(result.message(), "rank 1: input 'x' is missing or has the wrong size");
}
