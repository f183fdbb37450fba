// Convolution and its two backward ops by oneDNN.
//
// oneDNN picks the memory formats it computes fastest in (blocks of 8 or 16 channels, mostly). Operands of the call are
// plain; where the formats differ, reorders run before and after, with the reordered tensors in the workspace:
//   [source][filter][destination][scratchpad of the convolution], each aligned to 64 bytes.
#include "kernels/convolution/Floats.h"
#include "kernels/convolution/Problem.h"

#include <dnnl.hpp>
#include <memory>
#include <omp.h>

using namespace tw::kernels;

namespace {

using namespace tw::kernels::convolution;
using dnnl::memory;

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

/// The window as oneDNN describes it: dilations count the elements left out.
struct Window {
  memory::dims strides, dilations, begins, ends;

  explicit Window(const Problem &p)
      : strides(p.strides, p.strides + p.spatial), dilations(p.dilations, p.dilations + p.spatial),
        begins(p.begins, p.begins + p.spatial), ends(p.ends, p.ends + p.spatial) {
    for (auto &dilation : dilations)
      --dilation;
  }
};

/// An operand's sizes; with groups, the filter's first dimension is split.
memory::dims dimsOf(const Problem &p, int operand) {
  const tw_tensor &tensor = *p.tensors[operand];
  memory::dims dims(tensor.shape, tensor.shape + tensor.rank);
  if (operand == Filter && p.groups > 1) {
    dims[0] /= p.groups;
    dims.insert(dims.begin(), p.groups);
  }
  return dims;
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
    Window w(p);
    for (int operand = 0; operand < OperandCount; ++operand) {
      memory::dims dims = dimsOf(p, operand);
      any[operand] = memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
      plains[operand] = plain(dims);
    }
    if (p.bias)
      bias = plain({elements(*p.bias)});
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto direct = dnnl::algorithm::convolution_direct;
    dnnl::convolution_forward::desc description(
        p.kind == Kind::Forward ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward, direct, any[Source],
        any[Filter], bias, any[Destination], w.strides, w.dilations, w.begins, w.ends);
    forward = dnnl::convolution_forward::primitive_desc(description, attributes, engine());
    if (p.kind == Kind::Forward) {
      setFormats(forward.src_desc(), forward.weights_desc(), forward.dst_desc(), forward.scratchpad_desc());
    } else if (p.kind == Kind::BackwardInput) {
      dnnl::convolution_backward_data::desc back(direct, any[Source], any[Filter], any[Destination], w.strides,
                                                 w.dilations, w.begins, w.ends);
      backwardInput = dnnl::convolution_backward_data::primitive_desc(back, attributes, engine(), forward);
      setFormats(backwardInput.diff_src_desc(), backwardInput.weights_desc(), backwardInput.diff_dst_desc(),
                 backwardInput.scratchpad_desc());
    } else {
      dnnl::convolution_backward_weights::desc back(direct, any[Source], any[Filter], any[Destination], w.strides,
                                                    w.dilations, w.begins, w.ends);
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

/// The result of a problem without input elements: the bias, or zeros.
void runEmpty(const Problem &p) {
  const tw_tensor &result = p.result();
  int64_t plane = result.rank > 2 ? extent(result, 2, result.rank) : 1;
  for (int64_t i = 0; i < elements(result); ++i)
    static_cast<float *>(result.data)[i] =
        p.bias ? static_cast<const float *>(p.bias->data)[i / plane % result.shape[1]] : 0.0f;
}

} // namespace

size_t convolution::floatWorkspace(const tw_call *call, Kind kind) {
  Problem p;
  if (readProblem(call, kind, p, nullptr, 0) || p.isEmpty())
    return 0;
  ThreadCount threads(libraryThreads(call));
  try {
    return Decision(p).bytes;
  } catch (const dnnl::error &) {
    return 0; // prepare reports it
  }
}

int convolution::prepareFloats(const tw_call *call, Kind kind, void **state, char *message, size_t capacity) {
  *state = nullptr;
  Problem p;
  if (int status = readProblem(call, kind, p, message, capacity))
    return status;
  if (p.isEmpty())
    return 0;
  ThreadCount threads(libraryThreads(call));
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

int convolution::runFloats(const tw_call *call, Kind kind, char *message, size_t capacity) {
  Problem p;
  if (int status = readProblem(call, kind, p, message, capacity))
    return status;
  if (p.isEmpty()) {
    runEmpty(p);
    return 0;
  }
  if (!call->state)
    return fail(message, capacity, "the convolution was not prepared");
  ThreadCount threads(libraryThreads(call));
  dnnl_status_t status = static_cast<Convolution *>(call->state)->run(p, static_cast<char *>(call->workspace));
  return status == dnnl_success ? 0
                                : fail(message, capacity, "oneDNN's convolution failed with status %d", int(status));
}

#define TW_CONVOLUTION(op, kind)                                                                                       \
  extern "C" int op##_f32_host(const tw_call *call, char *message, size_t capacity) {                                  \
    return runFloats(call, kind, message, capacity);                                                                   \
  }                                                                                                                    \
  extern "C" size_t op##_f32_host_workspace(const tw_call *call) {                                                     \
    return floatWorkspace(call, kind);                                                                                 \
  }                                                                                                                    \
  extern "C" int op##_f32_host_prepare(const tw_call *call, void **state, char *message, size_t capacity) {            \
    return prepareFloats(call, kind, state, message, capacity);                                                        \
  }                                                                                                                    \
  TW_DESTROY(op##_f32_host)                                                                                            \
  TW_PREPARE_HALVES(op##_f16_host, kind)                                                                               \
  TW_PREPARE_HALVES(op##_bf16_host, kind)
#define TW_DESTROY(name)                                                                                               \
  extern "C" void name##_destroy(void *state) {                                                                        \
    delete static_cast<Convolution *>(state);                                                                          \
  }
#define TW_PREPARE_HALVES(name, kind)                                                                                  \
  extern "C" int name##_prepare(const tw_call *call, void **state, char *message, size_t capacity) {                   \
    FloatCall floats(call);                                                                                            \
    return prepareFloats(&floats.call, kind, state, message, capacity);                                                \
  }                                                                                                                    \
  TW_DESTROY(name)
TW_CONVOLUTION(convolution, Kind::Forward)
TW_CONVOLUTION(convolution_backward_input, Kind::BackwardInput)
TW_CONVOLUTION(convolution_backward_filter, Kind::BackwardFilter)
