// What a call of a pooling op means, checked, for the host and CUDA alike. Planes (one image, one channel) are
// independent; 1 to 3 spatial dimensions are treated as 3, those missing having size 1.
#ifndef TW_KERNELS_POOLING_POOL_H
#define TW_KERNELS_POOLING_POOL_H

#include "kernels/support/Call.h"
#include "kernels/support/Variant.h"

#ifdef __CUDACC__
#define TW_HOST_DEVICE __host__ __device__
#else
#define TW_HOST_DEVICE
#endif

namespace tw::kernels {
inline namespace TW_VARIANT {

struct Axis {
  int64_t in, out, window, stride, begin, dilation;
  /// The input that a window element of output i is; it may lie in the padding.
  TW_HOST_DEVICE int64_t position(int64_t i, int64_t element) const { return i * stride - begin + element * dilation; }
};

struct Pool {
  int64_t planes;
  Axis axes[3];
  TW_HOST_DEVICE int64_t inSize() const { return axes[0].in * axes[1].in * axes[2].in; }
  TW_HOST_DEVICE int64_t outSize() const { return axes[0].out * axes[1].out * axes[2].out; }
  TW_HOST_DEVICE int64_t window() const { return axes[0].window * axes[1].window * axes[2].window; }
};

/// Fills `pool` for the tensor before pooling and the one after it; else writes a sentence.
inline int readPool(const tw_call *call, const tw_tensor &input, const tw_tensor &result, Pool &pool, char *message,
                    size_t capacity) {
  int spatial = input.rank - 2;
  if (spatial < 1 || spatial > 3 || result.rank != input.rank)
    return fail(message, capacity, "pooling needs tensors of rank 3 to 5, not %d and %d", input.rank, result.rank);
  pool.planes = input.shape[0] * input.shape[1];
  for (int i = 0; i < 3; ++i) {
    int at = i - (3 - spatial);
    if (at < 0) {
      pool.axes[i] = {1, 1, 1, 1, 0, 1};
      continue;
    }
    pool.axes[i] = {input.shape[2 + at],           result.shape[2 + at],    entry(call, "window", at, 1),
                    entry(call, "strides", at, 1), entry(call, "pads", at), entry(call, "dilations", at, 1)};
    if (pool.axes[i].window < 1 || pool.axes[i].stride < 1 || pool.axes[i].dilation < 1)
      return fail(message, capacity, "pooling needs positive windows, strides and dilations");
  }
  return 0;
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
