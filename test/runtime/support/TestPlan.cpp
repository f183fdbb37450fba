#include "test/runtime/support/TestPlan.h"
#include "runtime/base/Types.h"
#include "runtime/plan/LoadPlan.h"

#include <cmath>
#include <csignal>

namespace tw::test {

int64_t StepHook::step = 0;
int StepHook::signal = 0;

namespace {

const float *in(void *const *buffers, int i) {
  return static_cast<const float *>(buffers[i]);
}
float *out(void *const *buffers, int i) {
  return static_cast<float *>(buffers[i]);
}

// x [rows, features], w -> prediction
void predict(void *const *b, const int64_t *sizes, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    float sum = 0;
    for (int64_t d = 0; d < sizes[0]; ++d)
      sum += in(b, 0)[i * sizes[0] + d] * in(b, 1)[d];
    out(b, 2)[i] = sum;
  }
}
// prediction, y -> sum of squared differences; sizes: rows, divisor
void squaredError(void *const *b, const int64_t *sizes, int64_t, int64_t) {
  double sum = 0;
  for (int64_t i = 0; i < sizes[0]; ++i)
    sum += std::pow(double(in(b, 0)[i]) - in(b, 1)[i], 2);
  out(b, 2)[0] = float(sum / double(sizes[1]));
}
// x, prediction, y -> gradient; sizes: rows, features, divisor
void gradient(void *const *b, const int64_t *sizes, int64_t begin, int64_t end) {
  for (int64_t d = begin; d < end; ++d) {
    double sum = 0;
    for (int64_t i = 0; i < sizes[0]; ++i)
      sum += 2 * (double(in(b, 1)[i]) - in(b, 2)[i]) * in(b, 0)[i * sizes[1] + d];
    out(b, 3)[d] = float(sum / double(sizes[2]));
  }
}
// gradient -> norm
void norm(void *const *b, const int64_t *sizes, int64_t, int64_t) {
  double sum = 0;
  for (int64_t d = 0; d < sizes[0]; ++d)
    sum += double(in(b, 0)[d]) * in(b, 0)[d];
  out(b, 1)[0] = float(std::sqrt(sum));
}
// gradient, rate -> w
void sgd(void *const *b, const int64_t *, int64_t begin, int64_t end) {
  for (int64_t d = begin; d < end; ++d)
    out(b, 2)[d] -= in(b, 1)[0] * in(b, 0)[d];
}
void count(void *const *b, const int64_t *, int64_t, int64_t) {
  if (++*static_cast<int64_t *>(b[0]) == StepHook::step)
    std::raise(StepHook::signal);
}
// -> the number of rows
void weight(void *const *b, const int64_t *sizes, int64_t, int64_t) {
  out(b, 0)[0] = float(sizes[0]);
}
// logits, labels -> loss sum, loss weight (softmax cross-entropy over labels other than -100); sizes: rows, classes
void crossEntropy(void *const *b, const int64_t *sizes, int64_t, int64_t) {
  double sum = 0, used = 0;
  for (int64_t i = 0; i < sizes[0]; ++i) {
    int64_t label = static_cast<const int64_t *>(b[1])[i];
    if (label == -100)
      continue;
    double total = 0;
    for (int64_t c = 0; c < sizes[1]; ++c)
      total += std::exp(double(in(b, 0)[i * sizes[1] + c]));
    sum += std::log(total) - in(b, 0)[i * sizes[1] + label];
    ++used;
  }
  out(b, 2)[0] = float(sum);
  out(b, 3)[0] = float(used);
}
void copyFloats(void *const *b, const int64_t *, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    out(b, 1)[i] = in(b, 0)[i];
}

uint64_t aligned(uint64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

void addInput(planpb::Plan &plan, const std::string &name, int type, std::vector<int64_t> rowShape) {
  planpb::DataInput &input = *plan.add_inputs();
  input.set_name(name);
  input.set_type(planpb::Type(type));
  for (int64_t extent : rowShape)
    input.add_row_shape(extent);
  input.set_batched(true);
}

void addLinearTraining(planpb::Plan &plan, const LinearOptions &o, const std::string &name, uint32_t rank) {
  ProgramBuilder b(plan, name, rank);
  int64_t rows = o.rows * o.microBatches, all = rows * o.ranks;
  bool several = o.microBatches > 1;
  uint32_t x = several ? b.buffer("x", TW_F32, {o.microBatches, o.rows, o.features})
                       : b.buffer("x", TW_F32, {o.rows, o.features});
  uint32_t y = several ? b.buffer("y", TW_F32, {o.microBatches, o.rows}) : b.buffer("y", TW_F32, {o.rows});
  uint32_t prediction = b.buffer("prediction", TW_F32, {rows});
  uint32_t loss = b.buffer("loss", TW_F32, {});
  uint32_t g = b.buffer("gradient", TW_F32, {o.features});
  uint32_t rate = b.buffer("rate", TW_F32, {}), gradientNorm = b.buffer("norm", TW_F32, {});
  uint32_t w = b.parameter("w"), step = b.parameter("step");
  b.input("x", x);
  b.input("y", y);
  b.generated("predict", {x, w, prediction}, 1, {o.features}, rows);
  b.generated("squared_error", {prediction, y, loss}, 1, {rows, all}, 1);
  b.generated("gradient", {x, prediction, y, g}, 1, {rows, o.features, all}, o.features);
  if (o.ranks > 1) {
    b.allReduce({loss});
    b.allReduce({g});
  }
  b.generated("norm", {g, gradientNorm}, 1, {o.features}, 1);
  b.fill(rate, o.learningRate);
  b.generated("sgd", {g, rate, w}, 1, {}, o.features).set_node("/update");
  b.generated("count", {step}, 1, {}, 1);
  b.output("loss", loss);
  b.output("learning_rate", rate);
  b.output("gradient_norm", gradientNorm);
  if (name == "dump") {
    b.output("prediction", prediction);
    b.output("gradient/w", g);
  }
}

void addLinearEvaluation(planpb::Plan &plan, const LinearOptions &o, uint32_t rank) {
  ProgramBuilder b(plan, "evaluate", rank);
  uint32_t x = b.buffer("x", TW_F32, {o.rows, o.features}), y = b.buffer("y", TW_F32, {o.rows});
  uint32_t prediction = b.buffer("prediction", TW_F32, {o.rows}), loss = b.buffer("loss_sum", TW_F32, {});
  uint32_t rows = b.buffer("loss_weight", TW_F32, {}), w = b.parameter("w");
  b.input("x", x);
  b.input("y", y);
  b.generated("predict", {x, w, prediction}, 1, {o.features}, o.rows);
  b.generated("squared_error", {prediction, y, loss}, 1, {o.rows, 1}, 1);
  b.generated("weight", {rows}, 1, {o.rows}, 1);
  b.output("loss_sum", loss);
  b.output("loss_weight", rows);
  b.output("prediction", prediction);
}

} // namespace

// Under the name that a compiled program has them, for tests that link one.
extern "C" const tw_generated_kernel tw_generated_kernels[] = {{"predict", predict},
                                                               {"squared_error", squaredError},
                                                               {"gradient", gradient},
                                                               {"norm", norm},
                                                               {"sgd", sgd},
                                                               {"count", count},
                                                               {"weight", weight},
                                                               {"cross_entropy", crossEntropy},
                                                               {"copy_floats", copyFloats},
                                                               {nullptr, nullptr}};

ProgramBuilder::ProgramBuilder(planpb::Plan &plan, const std::string &name, uint32_t rank)
    : plan_(plan), program_(*plan.add_programs()) {
  program_.set_name(name);
  program_.set_rank(rank);
  program_.set_streams(1);
  uint64_t end = 0;
  for (const planpb::Parameter &parameter : plan.parameters())
    end = aligned(parameter.offset() + uint64_t(rt::elementCount(parameter.shape())) * rt::typeSize(parameter.type()));
  program_.set_parameter_bytes(end);
  program_.set_arena_bytes(end);
}

uint32_t ProgramBuilder::buffer(const std::string &name, int type, std::vector<int64_t> shape) {
  planpb::Buffer &buffer = *program_.add_buffers();
  buffer.set_name(name);
  buffer.set_type(planpb::Type(type));
  for (int64_t extent : shape)
    buffer.add_shape(extent);
  buffer.set_offset(program_.arena_bytes());
  buffer.set_kind(planpb::ACTIVATION);
  program_.set_arena_bytes(program_.arena_bytes() + aligned(uint64_t(rt::elementCount(shape)) * rt::typeSize(type)));
  return uint32_t(program_.buffers_size() - 1);
}

uint32_t ProgramBuilder::parameter(const std::string &name) {
  for (const planpb::Parameter &parameter : plan_.parameters()) {
    if (parameter.name() != name)
      continue;
    planpb::Buffer &buffer = *program_.add_buffers();
    buffer.set_name(name);
    buffer.set_type(parameter.type());
    *buffer.mutable_shape() = parameter.shape();
    buffer.set_offset(parameter.offset());
    buffer.set_kind(planpb::WEIGHT);
  }
  return uint32_t(program_.buffers_size() - 1);
}

static void bind(planpb::Binding &binding, const std::string &name, uint32_t buffer) {
  binding.set_name(name);
  binding.set_buffer(buffer);
}
void ProgramBuilder::input(const std::string &name, uint32_t buffer) {
  bind(*program_.add_inputs(), name, buffer);
}
void ProgramBuilder::output(const std::string &name, uint32_t buffer) {
  bind(*program_.add_outputs(), name, buffer);
}

planpb::Instruction &ProgramBuilder::generated(const std::string &name, std::vector<uint32_t> buffers, int written,
                                               std::vector<int64_t> sizes, int64_t extent) {
  planpb::Instruction &instruction = *program_.add_instructions();
  planpb::GeneratedCall &call = *instruction.mutable_generated();
  call.set_name(name);
  for (size_t i = 0; i < buffers.size(); ++i) {
    call.add_buffers(buffers[i]);
    if (int(buffers.size() - i) <= written)
      call.add_written(uint32_t(i));
  }
  for (int64_t size : sizes)
    call.add_sizes(size);
  call.set_extent(extent);
  call.set_grain(1);
  return instruction;
}

planpb::Instruction &ProgramBuilder::allReduce(std::vector<uint32_t> buffers) {
  planpb::Instruction &instruction = *program_.add_instructions();
  planpb::Collective &call = *instruction.mutable_collective();
  call.set_operation(planpb::Collective::ALL_REDUCE);
  call.set_reduction(planpb::Collective::SUM);
  for (uint32_t buffer : buffers) {
    call.add_inputs(buffer);
    call.add_outputs(buffer);
  }
  for (uint32_t rank = 0; rank < rt::worldSize(plan_); ++rank)
    call.add_group(rank);
  return instruction;
}

planpb::Instruction &ProgramBuilder::fill(uint32_t buffer, double value) {
  planpb::Instruction &instruction = *program_.add_instructions();
  instruction.mutable_fill()->set_buffer(buffer);
  instruction.mutable_fill()->set_value(value);
  return instruction;
}

planpb::Instruction &ProgramBuilder::copy(uint32_t source, uint32_t destination) {
  planpb::Instruction &instruction = *program_.add_instructions();
  instruction.mutable_copy()->set_source(source);
  instruction.mutable_copy()->set_destination(destination);
  return instruction;
}

planpb::Parameter &addParameter(planpb::Plan &plan, const std::string &name, int type, std::vector<int64_t> shape,
                                planpb::Role role, double fill) {
  uint64_t offset = 0;
  if (plan.parameters_size() > 0) {
    const planpb::Parameter &last = plan.parameters(plan.parameters_size() - 1);
    offset = aligned(last.offset() + uint64_t(rt::elementCount(last.shape())) * rt::typeSize(last.type()));
  }
  planpb::Parameter &parameter = *plan.add_parameters();
  parameter.set_name(name);
  parameter.set_type(planpb::Type(type));
  for (int64_t extent : shape)
    parameter.add_shape(extent);
  parameter.set_role(role);
  parameter.set_offset(offset);
  parameter.mutable_source()->set_fill(fill);
  return parameter;
}

static planpb::Plan emptyPlan(uint32_t ranks) {
  planpb::Plan plan;
  plan.set_format_version(rt::planFormatVersion);
  plan.set_producer("test");
  plan.set_target("host");
  plan.set_threads(2);
  plan.mutable_mesh()->set_data(ranks);
  return plan;
}

planpb::Plan linearPlan(const LinearOptions &o) {
  planpb::Plan plan = emptyPlan(o.ranks);
  plan.set_model_name("linear");
  addParameter(plan, "w", TW_F32, {o.features}, planpb::TRAINABLE, 0.5);
  addParameter(plan, "step", TW_I64, {}, planpb::COUNTER, 0);
  addParameter(plan, "seed", TW_I64, {}, planpb::COUNTER, 0);
  plan.set_model_fingerprint(rt::parametersFingerprint(plan));
  addInput(plan, "x", TW_F32, {o.features});
  addInput(plan, "y", TW_F32, {});
  plan.mutable_batch()->set_micro_batches(o.microBatches);
  plan.mutable_batch()->set_micro_batch(uint32_t(o.rows));
  for (uint32_t rank = 0; rank < o.ranks; ++rank) {
    addLinearTraining(plan, o, "train", rank);
    addLinearTraining(plan, o, "dump", rank);
    addLinearEvaluation(plan, o, rank);
  }
  return plan;
}

planpb::Plan classifierPlan(int64_t rows, int64_t classes) {
  planpb::Plan plan = emptyPlan(1);
  addParameter(plan, "step", TW_I64, {}, planpb::COUNTER, 0);
  addInput(plan, "x", TW_F32, {classes});
  addInput(plan, "labels", TW_I64, {});
  planpb::DataInput &labels = *plan.mutable_inputs(1);
  labels.set_has_bounds(true);
  labels.set_upper(classes);
  labels.set_has_ignore(true);
  labels.set_ignore(-100);
  plan.mutable_batch()->set_micro_batches(1);
  plan.mutable_batch()->set_micro_batch(uint32_t(rows));
  for (const char *name : {"train", "evaluate"}) {
    ProgramBuilder b(plan, name, 0);
    uint32_t x = b.buffer("x", TW_F32, {rows, classes}), y = b.buffer("labels", TW_I64, {rows});
    uint32_t logits = b.buffer("logits", TW_F32, {rows, classes});
    uint32_t sum = b.buffer("loss_sum", TW_F32, {}), used = b.buffer("loss_weight", TW_F32, {});
    b.input("x", x);
    b.input("labels", y);
    b.generated("copy_floats", {x, logits}, 1, {}, rows * classes);
    b.generated("cross_entropy", {logits, y, sum, used}, 2, {rows, classes}, 1);
    b.output("logits", logits);
    b.output(std::string(name) == "train" ? "loss" : "loss_sum", sum);
    b.output("loss_weight", used);
  }
  return plan;
}

rt::KernelTable testKernels() {
  return rt::kernelTable([](const char *) -> const tw_kernel * { return nullptr; }, tw_generated_kernels);
}
const tw_generated_kernel *testGeneratedKernels() {
  return tw_generated_kernels;
}

} // namespace tw::test
