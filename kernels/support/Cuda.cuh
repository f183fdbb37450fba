// What CUDA kernels share: launching, block-wide sums, errors. Sums run in a fixed order: no atomics anywhere.
//
// Labels and indices live on the device, so a kernel cannot report a bad one without waiting for it. The runtime checks
// data on the host before it is copied; kernels only never touch memory for a bad one (they write NaN or zero).
#ifndef TW_KERNELS_SUPPORT_CUDA_CUH
#define TW_KERNELS_SUPPORT_CUDA_CUH

#include "kernels/support/Call.h"

#include <cuda_runtime.h>
#include <math_constants.h>

namespace tw::kernels {

constexpr int kBlock = 256; // threads of a block

inline cudaStream_t streamOf(const tw_call *call) {
  return static_cast<cudaStream_t>(call->stream);
}
inline unsigned blocksFor(int64_t count) {
  int64_t blocks = (count + kBlock - 1) / kBlock;
  return unsigned(blocks < 1 ? 1 : blocks > 65535 * 16 ? 65535 * 16 : blocks);
}
template <typename T = float>
inline const T *in(const tw_call *call, int i) {
  return static_cast<const T *>(call->inputs[i].data);
}
template <typename T = float>
inline T *out(const tw_call *call, int i) {
  return static_cast<T *>(call->outputs[i].data);
}

/// 0, or the message of the launch that went wrong.
inline int launched(const char *kernel, char *message, size_t capacity) {
  cudaError_t status = cudaGetLastError();
  return status == cudaSuccess ? 0
                               : fail(message, capacity, "%s did not start: %s", kernel, cudaGetErrorString(status));
}

inline int expectWorkspace(const tw_call *call, size_t bytes, const char *kernel, char *message, size_t capacity) {
  if (call->workspace_bytes >= bytes)
    return 0;
  return fail(message, capacity, "%s needs %zu bytes of workspace, but has %zu", kernel, bytes, call->workspace_bytes);
}

#ifdef __CUDACC__
/// The index of this thread over the grid, and the step to its next one.
#define TW_GRID_LOOP(i, count)                                                                                         \
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < (count); i += int64_t(gridDim.x) * blockDim.x)

struct SumOf {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct MaxOf {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return b > a || b != b ? b : a;
  }
};
struct MinOf {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return b < a || b != b ? b : a;
  }
};
struct ProductOf {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a * b;
  }
};

template <typename T, typename Op>
__device__ inline T warpReduce(T value, Op op) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = op(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

/// Combines a value of each thread of a one-dimensional block of kBlock threads; all threads get the result.
template <typename T, typename Op>
__device__ inline T blockReduce(T value, T identity, Op op) {
  __shared__ T partial[kBlock / 32];
  value = warpReduce(value, op);
  __syncthreads(); // the last call's reads are done
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  T result = identity;
  for (int warp = 0; warp < kBlock / 32; ++warp)
    result = op(result, partial[warp]);
  return result;
}
#endif

} // namespace tw::kernels
#endif
