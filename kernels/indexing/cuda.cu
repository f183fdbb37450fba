// gather and scatter_add. An index outside of the axis gathers zero and scatters nothing.
#include "kernels/support/Cuda.cuh"

using namespace tw::kernels;

namespace {

struct Picking {
  int64_t outer, size, inner, count;
};
int readPicking(const tw_call *call, const tw_tensor &whole, Picking &p, char *message, size_t capacity) {
  int64_t axis = integer(call, "axis", -1);
  if (axis < 0 || axis >= whole.rank)
    return fail(message, capacity, "axis %lld is not a dimension of a tensor of rank %d", (long long)axis, whole.rank);
  p = {extent(whole, 0, int(axis)), whole.shape[axis], extent(whole, int(axis) + 1, whole.rank),
       elements(call->inputs[1])};
  return 0;
}

/// The place along the axis, or -1.
template <typename Index>
__device__ int64_t placeOf(const Index *indices, int64_t i, int64_t size) {
  int64_t index = indices[i];
  index = index < 0 ? index + size : index;
  return index < 0 || index >= size ? -1 : index;
}

template <typename T, typename Index>
__global__ void gatherElements(const T *whole, const Index *indices, T *picked, Picking p) {
  TW_GRID_LOOP(i, p.outer * p.count * p.inner) {
    int64_t row = i / p.inner, place = placeOf(indices, row % p.count, p.size);
    picked[i] = place < 0 ? T(0) : whole[(row / p.count * p.size + place) * p.inner + i % p.inner];
  }
}

/// A block for each position and outer index. The first position of an index adds up all that have it, in order.
template <typename Index>
__global__ void scatterPositions(const float *updates, const Index *indices, float *whole, Picking p) {
  int64_t position = blockIdx.x, outer = blockIdx.y, place = placeOf(indices, position, p.size);
  if (place < 0)
    return;
  bool earlier = false;
  for (int64_t j = threadIdx.x; j < position; j += kBlock)
    earlier |= placeOf(indices, j, p.size) == place;
  if (__syncthreads_or(earlier))
    return;
  float *to = whole + (outer * p.size + place) * p.inner;
  for (int64_t j = position; j < p.count; ++j) {
    if (placeOf(indices, j, p.size) != place)
      continue;
    const float *from = updates + (outer * p.count + j) * p.inner;
    for (int64_t c = threadIdx.x; c < p.inner; c += kBlock)
      to[c] += from[c];
  }
}

template <typename T, typename Index>
int gather(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Picking p{};
  if (int status = readPicking(call, call->inputs[0], p, message, capacity))
    return status;
  int64_t count = p.outer * p.count * p.inner;
  if (count > 0)
    gatherElements<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(in<T>(call, 0), in<Index>(call, 1), out<T>(call, 0),
                                                                    p);
  return launched("gather", message, capacity);
}

template <typename Index>
int scatterAdd(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Picking p{};
  if (int status = readPicking(call, call->outputs[0], p, message, capacity))
    return status;
  if (p.outer > 65535)
    return fail(message, capacity, "scatter_add takes up to 65535 slices before its axis, not %lld",
                (long long)p.outer);
  cudaMemsetAsync(out(call, 0), 0, elements(call->outputs[0]) * sizeof(float), streamOf(call));
  if (p.count > 0 && p.outer > 0)
    scatterPositions<<<dim3(unsigned(p.count), unsigned(p.outer)), kBlock, 0, streamOf(call)>>>(
        in(call, 0), in<Index>(call, 1), out(call, 0), p);
  return launched("scatter_add", message, capacity);
}

} // namespace

#define TW_GATHER(name, type, index, Index)                                                                            \
  extern "C" int gather_##name##_##index##_cuda(const tw_call *call, char *message, size_t capacity) {                 \
    return gather<type, Index>(call, message, capacity);                                                               \
  }
#define TW_INDEXED(index, Index)                                                                                       \
  TW_GATHER(f32, uint32_t, index, Index)                                                                               \
  TW_GATHER(f64, uint64_t, index, Index)                                                                               \
  TW_GATHER(i32, uint32_t, index, Index)                                                                               \
  TW_GATHER(i64, uint64_t, index, Index)                                                                               \
  extern "C" int scatter_add_f32_##index##_cuda(const tw_call *call, char *message, size_t capacity) {                 \
    return scatterAdd<Index>(call, message, capacity);                                                                 \
  }
TW_INDEXED(i32, int32_t)
TW_INDEXED(i64, int64_t)
