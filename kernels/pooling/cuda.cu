// Pooling: a thread for each result element. Backward, an input element visits the windows that contain it.
#include "kernels/support/Cuda.cuh"

using namespace tw::kernels;

namespace {

struct Axis {
  int64_t in, out, window, stride, begin, dilation;
  __device__ int64_t position(int64_t i, int64_t element) const { return i * stride - begin + element * dilation; }
  __device__ bool inside(int64_t at) const { return at >= 0 && at < in; }
};
struct Pool {
  int64_t planes;
  Axis axes[3];
  __host__ __device__ int64_t inSize() const { return axes[0].in * axes[1].in * axes[2].in; }
  __host__ __device__ int64_t outSize() const { return axes[0].out * axes[1].out * axes[2].out; }
  __host__ __device__ int64_t window() const { return axes[0].window * axes[1].window * axes[2].window; }
};

/// Calls body(offset in the plane) for each element of a window that lies inside, in row-major order.
template <typename Body>
__device__ void forWindow(const Pool &p, int64_t z, int64_t y, int64_t x, const Body &body) {
  for (int64_t wz = 0; wz < p.axes[0].window; ++wz) {
    int64_t az = p.axes[0].position(z, wz);
    if (!p.axes[0].inside(az))
      continue;
    for (int64_t wy = 0; wy < p.axes[1].window; ++wy) {
      int64_t ay = p.axes[1].position(y, wy);
      if (!p.axes[1].inside(ay))
        continue;
      for (int64_t wx = 0; wx < p.axes[2].window; ++wx) {
        int64_t ax = p.axes[2].position(x, wx);
        if (p.axes[2].inside(ax))
          body((az * p.axes[1].in + ay) * p.axes[2].in + ax);
      }
    }
  }
}

/// Output along an axis whose window element `element` is the input `at`, or -1.
__device__ int64_t outputOf(const Axis &axis, int64_t at, int64_t element) {
  int64_t shifted = at + axis.begin - element * axis.dilation;
  if (shifted < 0 || shifted % axis.stride != 0 || shifted / axis.stride >= axis.out)
    return -1;
  return shifted / axis.stride;
}

/// Calls body(z, y, x) for each output whose window contains the input element.
template <typename Body>
__device__ void forOutputs(const Pool &p, int64_t at, const Body &body) {
  int64_t ax = at % p.axes[2].in, ay = at / p.axes[2].in % p.axes[1].in, az = at / p.axes[2].in / p.axes[1].in;
  for (int64_t wz = 0; wz < p.axes[0].window; ++wz) {
    int64_t z = outputOf(p.axes[0], az, wz);
    for (int64_t wy = 0; z >= 0 && wy < p.axes[1].window; ++wy) {
      int64_t y = outputOf(p.axes[1], ay, wy);
      for (int64_t wx = 0; y >= 0 && wx < p.axes[2].window; ++wx) {
        int64_t x = outputOf(p.axes[2], ax, wx);
        if (x >= 0)
          body(z, y, x);
      }
    }
  }
}
__device__ int64_t outputOffset(const Pool &p, int64_t z, int64_t y, int64_t x) {
  return (z * p.axes[1].out + y) * p.axes[2].out + x;
}

template <bool Maximum>
__global__ void poolElements(const float *input, float *result, bool padding, Pool p) {
  TW_GRID_LOOP(i, p.planes * p.outSize()) {
    const float *from = input + i / p.outSize() * p.inSize();
    int64_t rest = i % p.outSize(), x = rest % p.axes[2].out, y = rest / p.axes[2].out % p.axes[1].out;
    int64_t z = rest / p.axes[2].out / p.axes[1].out, count = 0;
    float value = Maximum ? -CUDART_INF_F : 0.0f;
    forWindow(p, z, y, x, [&](int64_t at) {
      value = Maximum ? MaxOf()(value, from[at]) : value + from[at];
      ++count;
    });
    result[i] = Maximum ? value : value / float(padding ? p.window() : count ? count : 1);
  }
}

__global__ void maxGradients(const float *cotangent, const float *input, float *result, Pool p) {
  TW_GRID_LOOP(i, p.planes * p.inSize()) {
    int64_t plane = i / p.inSize(), at = i % p.inSize();
    const float *from = input + plane * p.inSize(), *dy = cotangent + plane * p.outSize();
    float sum = 0;
    forOutputs(p, at, [&](int64_t z, int64_t y, int64_t x) {
      int64_t best = -1;
      forWindow(p, z, y, x, [&](int64_t candidate) {
        if (best < 0 || from[candidate] > from[best])
          best = candidate;
      });
      if (best == at)
        sum += dy[outputOffset(p, z, y, x)];
    });
    result[i] = sum;
  }
}

__global__ void averageGradients(const float *cotangent, float *result, bool padding, Pool p) {
  TW_GRID_LOOP(i, p.planes * p.inSize()) {
    const float *dy = cotangent + i / p.inSize() * p.outSize();
    float sum = 0;
    forOutputs(p, i % p.inSize(), [&](int64_t z, int64_t y, int64_t x) {
      int64_t count = 0;
      if (padding)
        count = p.window();
      else
        forWindow(p, z, y, x, [&](int64_t) { ++count; });
      sum += dy[outputOffset(p, z, y, x)] / float(count);
    });
    result[i] = sum;
  }
}

int readPool(const tw_call *call, const tw_tensor &input, const tw_tensor &result, Pool &pool, char *message,
             size_t capacity) {
  int spatial = input.rank - 2;
  if (spatial < 1 || spatial > 3 || result.rank != input.rank)
    return fail(message, capacity, "pooling needs tensors of rank 3 to 5, not %d and %d", input.rank, result.rank);
  pool.planes = input.shape[0] * input.shape[1];
  for (int i = 0; i < 3; ++i) {
    int at = i - (3 - spatial);
    pool.axes[i] = at < 0
                       ? Axis{1, 1, 1, 1, 0, 1}
                       : Axis{input.shape[2 + at],           result.shape[2 + at],    entry(call, "window", at, 1),
                              entry(call, "strides", at, 1), entry(call, "pads", at), entry(call, "dilations", at, 1)};
    if (pool.axes[i].window < 1 || pool.axes[i].stride < 1 || pool.axes[i].dilation < 1)
      return fail(message, capacity, "pooling needs positive windows, strides and dilations");
  }
  return 0;
}

template <bool Maximum>
int forward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  Pool pool{};
  if (int status = readPool(call, call->inputs[0], call->outputs[0], pool, message, capacity))
    return status;
  if (int64_t count = elements(call->outputs[0]))
    poolElements<Maximum><<<blocksFor(count), kBlock, 0, streamOf(call)>>>(in(call, 0), out(call, 0),
                                                                           flag(call, "count_include_pad"), pool);
  return launched("pooling", message, capacity);
}

} // namespace

extern "C" int max_pool_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return forward<true>(call, message, capacity);
}
extern "C" int average_pool_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return forward<false>(call, message, capacity);
}
extern "C" int max_pool_backward_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Pool pool{};
  if (int status = readPool(call, call->inputs[1], call->inputs[0], pool, message, capacity))
    return status;
  if (int64_t count = elements(call->outputs[0]))
    maxGradients<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(in(call, 0), in(call, 1), out(call, 0), pool);
  return launched("max_pool_backward", message, capacity);
}
extern "C" int average_pool_backward_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  Pool pool{};
  if (int status = readPool(call, call->outputs[0], call->inputs[0], pool, message, capacity))
    return status;
  if (int64_t count = elements(call->outputs[0]))
    averageGradients<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(in(call, 0), out(call, 0),
                                                                      flag(call, "count_include_pad"), pool);
  return launched("average_pool_backward", message, capacity);
}
