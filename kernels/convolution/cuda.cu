// Convolution and its backward ops by cuDNN, on plain (NCHW) memory, with f32 products and deterministic algorithms.
#include "kernels/convolution/Problem.h"
#include "kernels/support/Cuda.cuh"

#include <cudnn.h>
#include <memory>

using namespace tw::kernels;

namespace {

using namespace tw::kernels::convolution;

cudnnHandle_t handle() {
  static cudnnHandle_t theHandle = [] {
    cudnnHandle_t made = nullptr;
    return cudnnCreate(&made) == CUDNN_STATUS_SUCCESS ? made : nullptr;
  }();
  return theHandle;
}

struct Descriptors {
  cudnnTensorDescriptor_t source = nullptr, destination = nullptr;
  cudnnFilterDescriptor_t filter = nullptr;
  cudnnConvolutionDescriptor_t description = nullptr;
  cudnnConvolutionFwdAlgo_t forward;
  cudnnConvolutionBwdDataAlgo_t backwardInput;
  cudnnConvolutionBwdFilterAlgo_t backwardFilter;
  bool empty = false;

  ~Descriptors() {
    if (source)
      cudnnDestroyTensorDescriptor(source);
    if (destination)
      cudnnDestroyTensorDescriptor(destination);
    if (filter)
      cudnnDestroyFilterDescriptor(filter);
    if (description)
      cudnnDestroyConvolutionDescriptor(description);
  }
};

/// Shape with at least two spatial dimensions, which is what cuDNN wants: a leading 1 is added to one.
int dimensionsOf(const tw_tensor &tensor, int *sizes) {
  int rank = 0;
  for (int i = 0; i < tensor.rank; ++i) {
    if (tensor.rank == 3 && i == 2)
      sizes[rank++] = 1;
    sizes[rank++] = int(tensor.shape[i]);
  }
  return rank;
}

cudnnStatus_t describeTensor(cudnnTensorDescriptor_t &descriptor, const tw_tensor &tensor) {
  int sizes[TW_MAX_RANK], strides[TW_MAX_RANK], rank = dimensionsOf(tensor, sizes);
  strides[rank - 1] = 1;
  for (int i = rank - 1; i > 0; --i)
    strides[i - 1] = strides[i] * sizes[i];
  cudnnStatus_t status = cudnnCreateTensorDescriptor(&descriptor);
  return status ? status : cudnnSetTensorNdDescriptor(descriptor, CUDNN_DATA_FLOAT, rank, sizes, strides);
}

cudnnStatus_t describeConvolution(Descriptors &c, const Problem &p) {
  int pads[kMostSpatial] = {0, 0, 0}, strides[kMostSpatial] = {1, 1, 1}, dilations[kMostSpatial] = {1, 1, 1};
  int shift = p.spatial == 1 ? 1 : 0;
  for (int i = 0; i < p.spatial; ++i) {
    pads[i + shift] = int(p.begins[i]);
    strides[i + shift] = int(p.strides[i]);
    dilations[i + shift] = int(p.dilations[i]);
  }
  cudnnStatus_t status = cudnnCreateConvolutionDescriptor(&c.description);
  if (!status)
    status = cudnnSetConvolutionNdDescriptor(c.description, p.spatial + shift, pads, strides, dilations,
                                             CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
  if (!status)
    status = cudnnSetConvolutionGroupCount(c.description, int(p.groups));
  return status ? status : cudnnSetConvolutionMathType(c.description, CUDNN_FMA_MATH);
}

/// The first, that is fastest, algorithm that is deterministic and small enough.
template <typename Performance, typename Algorithm>
bool pick(const Performance *found, int count, size_t workspace, Algorithm &algorithm) {
  for (int i = 0; i < count; ++i)
    if (found[i].status == CUDNN_STATUS_SUCCESS && found[i].memory <= workspace &&
        found[i].determinism == CUDNN_DETERMINISTIC && found[i].mathType != CUDNN_TENSOR_OP_MATH) {
      algorithm = found[i].algo;
      return true;
    }
  return false;
}

bool chooseAlgorithm(Descriptors &c, Kind kind, size_t workspace) {
  constexpr int most = 16;
  int count = 0;
  if (kind == Kind::Forward) {
    cudnnConvolutionFwdAlgoPerf_t found[most];
    return !cudnnGetConvolutionForwardAlgorithm_v7(handle(), c.source, c.filter, c.description, c.destination, most,
                                                   &count, found) &&
           pick(found, count, workspace, c.forward);
  }
  if (kind == Kind::BackwardInput) {
    cudnnConvolutionBwdDataAlgoPerf_t found[most];
    return !cudnnGetConvolutionBackwardDataAlgorithm_v7(handle(), c.filter, c.destination, c.description, c.source,
                                                        most, &count, found) &&
           pick(found, count, workspace, c.backwardInput);
  }
  cudnnConvolutionBwdFilterAlgoPerf_t found[most];
  return !cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle(), c.source, c.destination, c.description, c.filter,
                                                        most, &count, found) &&
         pick(found, count, workspace, c.backwardFilter);
}

cudnnStatus_t describe(Descriptors &c, const Problem &p) {
  int sizes[TW_MAX_RANK], rank = dimensionsOf(*p.tensors[Filter], sizes);
  cudnnStatus_t status = describeTensor(c.source, *p.tensors[Source]);
  if (!status)
    status = describeTensor(c.destination, *p.tensors[Destination]);
  if (!status)
    status = cudnnCreateFilterDescriptor(&c.filter);
  if (!status)
    status = cudnnSetFilterNdDescriptor(c.filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, rank, sizes);
  return status ? status : describeConvolution(c, p);
}

int prepare(const tw_call *call, Kind kind, void **state, char *message, size_t capacity) {
  Problem p;
  if (int status = readProblem(call, kind, p, message, capacity))
    return status;
  for (int i = 0; i < p.spatial; ++i)
    if (p.begins[i] != p.ends[i])
      return fail(message, capacity,
                  "cuDNN pads both sides alike, but this convolution has %lld before and %lld after dimension %d; put "
                  "a pad op before it",
                  (long long)p.begins[i], (long long)p.ends[i], i + 2);
  auto made = std::make_unique<Descriptors>();
  made->empty = p.isEmpty();
  if (!made->empty) {
    if (!handle())
      return fail(message, capacity, "cuDNN could not be started");
    if (cudnnStatus_t status = describe(*made, p))
      return fail(message, capacity, "cuDNN does not take this convolution: %s", cudnnGetErrorString(status));
    if (!chooseAlgorithm(*made, kind, call->workspace_bytes))
      return fail(message, capacity, "cuDNN has no deterministic algorithm within %zu bytes for this convolution",
                  call->workspace_bytes);
  }
  *state = made.release();
  return 0;
}

__global__ void addBias(float *result, const float *bias, int64_t count, int64_t plane, int64_t channels) {
  TW_GRID_LOOP(i, count)
  result[i] += bias[i / plane % channels];
}

int run(const tw_call *call, Kind kind, char *message, size_t capacity) {
  Descriptors *c = static_cast<Descriptors *>(call->state);
  if (!c)
    return fail(message, capacity, "the convolution was not prepared");
  float *result = out(call, 0), one = 1, zero = 0;
  int64_t count = elements(call->outputs[0]);
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  if (c->empty) {
    cudaMemsetAsync(result, 0, count * sizeof(float), streamOf(call));
  } else {
    status = cudnnSetStream(handle(), streamOf(call));
    if (status)
      return fail(message, capacity, "cuDNN refused the stream: %s", cudnnGetErrorString(status));
    const float *first = in(call, 0), *second = in(call, 1);
    if (kind == Kind::Forward)
      status = cudnnConvolutionForward(handle(), &one, c->source, first, c->filter, second, c->description, c->forward,
                                       call->workspace, call->workspace_bytes, &zero, c->destination, result);
    else if (kind == Kind::BackwardInput)
      status = cudnnConvolutionBackwardData(handle(), &one, c->filter, second, c->destination, first, c->description,
                                            c->backwardInput, call->workspace, call->workspace_bytes, &zero, c->source,
                                            result);
    else
      status = cudnnConvolutionBackwardFilter(handle(), &one, c->source, second, c->destination, first, c->description,
                                              c->backwardFilter, call->workspace, call->workspace_bytes, &zero,
                                              c->filter, result);
  }
  if (status)
    return fail(message, capacity, "cuDNN's convolution failed: %s", cudnnGetErrorString(status));
  if (call->input_count > 2 && count > 0) {
    const tw_tensor &tensor = call->outputs[0];
    addBias<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(result, in(call, 2), count, extent(tensor, 2, tensor.rank),
                                                             tensor.shape[1]);
  }
  return launched("convolution", message, capacity);
}

} // namespace

#define TW_CONVOLUTION(name, kind)                                                                                     \
  extern "C" int name(const tw_call *call, char *message, size_t capacity) {                                           \
    return run(call, kind, message, capacity);                                                                         \
  }                                                                                                                    \
  extern "C" int name##_prepare(const tw_call *call, void **state, char *message, size_t capacity) {                   \
    return prepare(call, kind, state, message, capacity);                                                              \
  }                                                                                                                    \
  extern "C" void name##_destroy(void *state) {                                                                        \
    delete static_cast<Descriptors *>(state);                                                                          \
  }
TW_CONVOLUTION(convolution_f32_cuda, Kind::Forward)
TW_CONVOLUTION(convolution_backward_input_f32_cuda, Kind::BackwardInput)
TW_CONVOLUTION(convolution_backward_filter_f32_cuda, Kind::BackwardFilter)
