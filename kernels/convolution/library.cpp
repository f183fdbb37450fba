// Convolution and its two backward ops by oneDNN.
//
// oneDNN picks the memory formats it computes fastest in (blocks of 8 or 16 channels, mostly). Operands of the call are
// plain; where the formats differ, reorders run before and after, with the reordered tensors in the workspace:
//   [source][filter][destination][scratchpad of the convolution], each aligned to 64 bytes.
#include "kernels/support/Call.h"

#include <dnnl.hpp>
#include <memory>
#include <omp.h>

using namespace tw::kernels;

namespace {

using dnnl::memory;
enum class Kind { Forward, BackwardInput, BackwardFilter };
enum Operand { Source, Filter, Destination, OperandCount };

/// oneDNN decides by OpenMP's thread count how to cut its work.
class ThreadCount {
public:
  explicit ThreadCount(int threads) : before(omp_get_max_threads()) {
    if (before != threads)
      omp_set_num_threads(threads);
    wanted = threads;
  }
  ~ThreadCount() {
    if (before != wanted)
      omp_set_num_threads(before);
  }

private:
  int before, wanted;
};

dnnl::engine &engine() {
  static dnnl::engine theEngine(dnnl::engine::kind::cpu, 0);
  return theEngine;
}

struct Problem {
  Kind kind;
  const tw_tensor *tensors[OperandCount];
  memory::dims dims[OperandCount];
  memory::dims strides, dilations, begins, ends;
  const tw_tensor *bias = nullptr;
};

int readProblem(const tw_call *call, Kind kind, Problem &p, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, kind == Kind::Forward ? 3 : 2, 1);
  p.kind = kind;
  const tw_tensor *first = &call->inputs[0], *second = &call->inputs[1], *result = &call->outputs[0];
  p.tensors[Source] = kind == Kind::Forward ? first : kind == Kind::BackwardInput ? result : second;
  p.tensors[Filter] = kind == Kind::BackwardFilter ? result : second;
  p.tensors[Destination] = kind == Kind::Forward ? result : first;
  p.bias = call->input_count > 2 ? &call->inputs[2] : nullptr;
  int rank = p.tensors[Source]->rank;
  int64_t groups = integer(call, "groups", 1);
  for (const tw_tensor *tensor : p.tensors)
    if (tensor->rank != rank || rank < 3 || rank > 5)
      return fail(message, capacity, "convolution needs operands of equal rank from 3 to 5");
  if (groups < 1 || p.tensors[Filter]->shape[0] % groups != 0)
    return fail(message, capacity, "convolution's %lld groups do not divide its %lld filters", (long long)groups,
                (long long)p.tensors[Filter]->shape[0]);
  for (int operand = 0; operand < OperandCount; ++operand)
    p.dims[operand].assign(p.tensors[operand]->shape, p.tensors[operand]->shape + rank);
  if (groups > 1) {
    p.dims[Filter][0] /= groups;
    p.dims[Filter].insert(p.dims[Filter].begin(), groups);
  }
  for (int i = 0; i < rank - 2; ++i) {
    p.strides.push_back(entry(call, "strides", i, 1));
    p.dilations.push_back(entry(call, "dilations", i, 1) - 1);
    p.begins.push_back(entry(call, "pads", i));
    p.ends.push_back(entry(call, "pads", i + rank - 2));
  }
  return 0;
}

bool isEmpty(const Problem &p) {
  for (const tw_tensor *tensor : p.tensors)
    if (elements(*tensor) == 0)
      return true;
  return false;
}

memory::desc plain(const memory::dims &dims) {
  memory::dims strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * dims[i];
  return memory::desc(dims, memory::data_type::f32, strides);
}

size_t aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// What oneDNN decided for a problem: formats and workspace, before any code is generated.
struct Decision {
  memory::desc formats[OperandCount], plains[OperandCount], bias, scratchpad;
  size_t offsets[OperandCount] = {0, 0, 0}, scratchpadOffset = 0, bytes = 0;
  dnnl::convolution_forward::primitive_desc forward;
  dnnl::convolution_backward_data::primitive_desc backwardInput;
  dnnl::convolution_backward_weights::primitive_desc backwardFilter;

  explicit Decision(const Problem &p) {
    memory::desc any[OperandCount];
    for (int operand = 0; operand < OperandCount; ++operand) {
      any[operand] = memory::desc(p.dims[operand], memory::data_type::f32, memory::format_tag::any);
      plains[operand] = plain(p.dims[operand]);
    }
    if (p.bias)
      bias = plain({elements(*p.bias)});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto direct = dnnl::algorithm::convolution_direct;
    dnnl::convolution_forward::desc description(
        p.kind == Kind::Forward ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward, direct, any[Source],
        any[Filter], bias, any[Destination], p.strides, p.dilations, p.begins, p.ends);
    forward = dnnl::convolution_forward::primitive_desc(description, attributes, engine());
    if (p.kind == Kind::Forward) {
      setFormats(forward.src_desc(), forward.weights_desc(), forward.dst_desc(), forward.scratchpad_desc());
    } else if (p.kind == Kind::BackwardInput) {
      dnnl::convolution_backward_data::desc back(direct, any[Source], any[Filter], any[Destination], p.strides,
                                                 p.dilations, p.begins, p.ends);
      backwardInput = dnnl::convolution_backward_data::primitive_desc(back, attributes, engine(), forward);
      setFormats(backwardInput.diff_src_desc(), backwardInput.weights_desc(), backwardInput.diff_dst_desc(),
                 backwardInput.scratchpad_desc());
    } else {
      dnnl::convolution_backward_weights::desc back(direct, any[Source], any[Filter], any[Destination], p.strides,
                                                    p.dilations, p.begins, p.ends);
      backwardFilter = dnnl::convolution_backward_weights::primitive_desc(back, attributes, engine(), forward);
      setFormats(backwardFilter.src_desc(), backwardFilter.diff_weights_desc(), backwardFilter.diff_dst_desc(),
                 backwardFilter.scratchpad_desc());
    }
  }

  bool reordered(int operand) const { return formats[operand] != plains[operand]; }

private:
  void setFormats(memory::desc source, memory::desc filter, memory::desc destination, memory::desc scratch) {
    formats[Source] = source;
    formats[Filter] = filter;
    formats[Destination] = destination;
    scratchpad = scratch;
    for (int operand = 0; operand < OperandCount; ++operand) {
      offsets[operand] = bytes;
      bytes += reordered(operand) ? aligned(formats[operand].get_size()) : 0;
    }
    scratchpadOffset = bytes;
    bytes += aligned(scratchpad.get_size());
  }
};

/// A primitive with its arguments bound, so that running it neither builds maps nor allocates.
struct Step {
  dnnl::primitive primitive;
  std::vector<dnnl_exec_arg_t> arguments;
};

class Convolution {
public:
  explicit Convolution(const Problem &p) : decision(p), stream(engine()), kind(p.kind) {
    for (int operand = 0; operand < OperandCount; ++operand) {
      outer[operand] = memory(decision.plains[operand], engine(), nullptr);
      inner[operand] = memory(decision.formats[operand], engine(), nullptr);
    }
    if (p.bias)
      bias = memory(decision.bias, engine(), nullptr);
    scratchpad = memory(decision.scratchpad, engine(), nullptr);
    result = kind == Kind::Forward ? Destination : kind == Kind::BackwardInput ? Source : Filter;
    for (int operand = 0; operand < OperandCount; ++operand)
      if (operand != result && decision.reordered(operand))
        steps.push_back(reorder(outer[operand], inner[operand]));
    steps.push_back(convolution());
    if (decision.reordered(result))
      steps.push_back(reorder(inner[result], outer[result]));
  }

  size_t bytes() const { return decision.bytes; }

  dnnl_status_t run(const Problem &p, char *workspace) {
    for (int operand = 0; operand < OperandCount; ++operand) {
      void *data = p.tensors[operand]->data;
      dnnl_memory_set_data_handle(outer[operand].get(), data);
      dnnl_memory_set_data_handle(inner[operand].get(),
                                  decision.reordered(operand) ? workspace + decision.offsets[operand] : data);
    }
    if (p.bias)
      dnnl_memory_set_data_handle(bias.get(), p.bias->data);
    dnnl_memory_set_data_handle(scratchpad.get(), workspace + decision.scratchpadOffset);
    for (const Step &step : steps)
      if (dnnl_status_t status = dnnl_primitive_execute(step.primitive.get(), stream.get(), int(step.arguments.size()),
                                                        step.arguments.data()))
        return status;
    return dnnl_success;
  }

private:
  static Step reorder(memory &from, memory &to) {
    return {dnnl::reorder(from, to), {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}}};
  }

  Step convolution() {
    dnnl_memory_t source = inner[Source].get(), filter = inner[Filter].get(), destination = inner[Destination].get();
    dnnl_exec_arg_t scratch = {DNNL_ARG_SCRATCHPAD, scratchpad.get()};
    if (kind == Kind::BackwardInput)
      return {dnnl::convolution_backward_data(decision.backwardInput),
              {{DNNL_ARG_DIFF_DST, destination}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DIFF_SRC, source}, scratch}};
    if (kind == Kind::BackwardFilter)
      return {dnnl::convolution_backward_weights(decision.backwardFilter),
              {{DNNL_ARG_DIFF_DST, destination}, {DNNL_ARG_SRC, source}, {DNNL_ARG_DIFF_WEIGHTS, filter}, scratch}};
    Step step = {dnnl::convolution_forward(decision.forward),
                 {{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DST, destination}, scratch}};
    if (bias)
      step.arguments.push_back({DNNL_ARG_BIAS, bias.get()});
    return step;
  }

  Decision decision;
  dnnl::stream stream;
  Kind kind;
  int result;
  memory outer[OperandCount], inner[OperandCount], bias, scratchpad;
  std::vector<Step> steps;
};

size_t workspaceBytes(const tw_call *call, Kind kind) {
  Problem p;
  if (readProblem(call, kind, p, nullptr, 0) || isEmpty(p))
    return 0;
  ThreadCount threads(call->threads);
  try {
    return Decision(p).bytes;
  } catch (const dnnl::error &) {
    return 0; // prepare reports it
  }
}

int prepare(const tw_call *call, Kind kind, void **state, char *message, size_t capacity) {
  *state = nullptr;
  Problem p;
  if (int status = readProblem(call, kind, p, message, capacity))
    return status;
  if (isEmpty(p))
    return 0;
  ThreadCount threads(call->threads);
  try {
    auto made = std::make_unique<Convolution>(p);
    if (made->bytes() > call->workspace_bytes)
      return fail(message, capacity,
                  "oneDNN needs %zu bytes of workspace for this convolution on this processor, but the plan has %zu; "
                  "compile the model again on this machine",
                  made->bytes(), call->workspace_bytes);
    *state = made.release();
    return 0;
  } catch (const dnnl::error &error) {
    return fail(message, capacity, "oneDNN cannot compute this convolution: %s", error.what());
  }
}

/// The result of a problem without input elements: the bias, or zeros.
void runEmpty(const Problem &p, Kind kind) {
  const tw_tensor &result = *p.tensors[kind == Kind::Forward         ? Destination
                                       : kind == Kind::BackwardInput ? Source
                                                                     : Filter];
  int64_t plane = result.rank > 2 ? extent(result, 2, result.rank) : 1;
  for (int64_t i = 0; i < elements(result); ++i)
    static_cast<float *>(result.data)[i] =
        p.bias ? static_cast<const float *>(p.bias->data)[i / plane % result.shape[1]] : 0.0f;
}

int run(const tw_call *call, Kind kind, char *message, size_t capacity) {
  Problem p;
  if (int status = readProblem(call, kind, p, message, capacity))
    return status;
  if (isEmpty(p)) {
    runEmpty(p, kind);
    return 0;
  }
  if (!call->state)
    return fail(message, capacity, "the convolution was not prepared");
  ThreadCount threads(call->threads);
  dnnl_status_t status = static_cast<Convolution *>(call->state)->run(p, static_cast<char *>(call->workspace));
  return status == dnnl_success ? 0
                                : fail(message, capacity, "oneDNN's convolution failed with status %d", int(status));
}

} // namespace

#define TW_CONVOLUTION(name, kind)                                                                                     \
  extern "C" int name(const tw_call *call, char *message, size_t capacity) {                                           \
    return run(call, kind, message, capacity);                                                                         \
  }                                                                                                                    \
  extern "C" size_t name##_workspace(const tw_call *call) {                                                            \
    return workspaceBytes(call, kind);                                                                                 \
  }                                                                                                                    \
  extern "C" int name##_prepare(const tw_call *call, void **state, char *message, size_t capacity) {                   \
    return prepare(call, kind, state, message, capacity);                                                              \
  }                                                                                                                    \
  extern "C" void name##_destroy(void *state) {                                                                        \
    delete static_cast<Convolution *>(state);                                                                          \
  }
TW_CONVOLUTION(convolution_f32_host, Kind::Forward)
TW_CONVOLUTION(convolution_backward_input_f32_host, Kind::BackwardInput)
TW_CONVOLUTION(convolution_backward_filter_f32_host, Kind::BackwardFilter)
