// reduce: a block for each result where the innermost dimension is reduced, 32 results a block where it is kept.
// Accumulates in double (int64 for integers).
#include "kernels/support/Cuda.cuh"

#include <cstring>
#include <limits>

using namespace tw::kernels;

namespace {

/// A group of dimensions with the input's strides, and the offset of an index over them.
struct Dimensions {
  int rank = 0;
  int64_t size[TW_MAX_RANK], stride[TW_MAX_RANK], count = 1;
  void add(int64_t extent, int64_t step) {
    count *= extent;
    if (rank > 0 && stride[rank - 1] == extent * step) {
      size[rank - 1] *= extent;
      stride[rank - 1] = step;
      return;
    }
    size[rank] = extent;
    stride[rank++] = step;
  }
  __device__ int64_t offset(int64_t index) const {
    int64_t at = 0;
    for (int i = rank - 1; i >= 0; --i) {
      at += index % size[i] * stride[i];
      index /= size[i];
    }
    return at;
  }
};

template <typename T, typename Accumulator, typename Op>
__global__ void reduceRuns(const T *input, T *output, Dimensions kept, Dimensions reduced, Accumulator identity,
                           Op op) {
  for (int64_t result = blockIdx.x; result < kept.count; result += gridDim.x) {
    const T *from = input + kept.offset(result);
    Accumulator value = identity;
    for (int64_t i = threadIdx.x; i < reduced.count; i += kBlock)
      value = op(value, Accumulator(from[reduced.offset(i)]));
    value = blockReduce(value, identity, op);
    if (threadIdx.x == 0)
      output[result] = T(value);
  }
}

/// 32 neighbouring results by 8 strands of the reduction, combined in order.
template <typename T, typename Accumulator, typename Op>
__global__ void reduceColumns(const T *input, T *output, Dimensions kept, Dimensions reduced, Accumulator identity,
                              Op op) {
  __shared__ Accumulator strands[8][33];
  for (int64_t first = int64_t(blockIdx.x) * 32; first < kept.count; first += int64_t(gridDim.x) * 32) {
    int64_t result = first + threadIdx.x;
    Accumulator value = identity;
    if (result < kept.count) {
      const T *from = input + kept.offset(result);
      for (int64_t i = threadIdx.y; i < reduced.count; i += 8)
        value = op(value, Accumulator(from[reduced.offset(i)]));
    }
    __syncthreads();
    strands[threadIdx.y][threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.y == 0 && result < kept.count) {
      for (int strand = 1; strand < 8; ++strand)
        value = op(value, strands[strand][threadIdx.x]);
      output[result] = T(value);
    }
  }
}

template <typename T, typename Accumulator, typename Op>
int reduceBy(const tw_call *call, Accumulator identity, Op op, char *message, size_t capacity) {
  const tw_tensor &input = call->inputs[0];
  const tw_attribute *dimensions = findAttribute(call, "dimensions");
  Dimensions kept, reduced;
  bool runs = true;
  for (int i = 0; i < input.rank; ++i) {
    bool isReduced = false;
    for (int64_t j = 0; dimensions && j < dimensions->count; ++j)
      isReduced |= dimensions->ints[j] == i;
    if (input.shape[i] == 1)
      continue;
    (isReduced ? reduced : kept).add(input.shape[i], extent(input, i + 1, input.rank));
    runs = isReduced;
  }
  if (kept.count != elements(call->outputs[0]))
    return fail(message, capacity, "reduce has %lld results, but its output has %lld elements", (long long)kept.count,
                (long long)elements(call->outputs[0]));
  if (kept.count == 0)
    return 0;
  const T *from = in<T>(call, 0);
  T *to = out<T>(call, 0);
  if (runs)
    reduceRuns<<<blocksFor(kept.count * kBlock), kBlock, 0, streamOf(call)>>>(from, to, kept, reduced, identity, op);
  else
    reduceColumns<<<blocksFor(kept.count * 8), dim3(32, 8), 0, streamOf(call)>>>(from, to, kept, reduced, identity, op);
  return launched("reduce", message, capacity);
}

template <typename T, typename Accumulator>
int reduce(const tw_call *call, Accumulator lowest, Accumulator highest, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_attribute *kind = findAttribute(call, "kind");
  const char *name = kind && kind->string ? kind->string : "none";
  if (strcmp(name, "sum") == 0)
    return reduceBy<T>(call, Accumulator(0), SumOf(), message, capacity);
  if (strcmp(name, "max") == 0)
    return reduceBy<T>(call, lowest, MaxOf(), message, capacity);
  if (strcmp(name, "min") == 0)
    return reduceBy<T>(call, highest, MinOf(), message, capacity);
  if (strcmp(name, "prod") == 0)
    return reduceBy<T>(call, Accumulator(1), ProductOf(), message, capacity);
  return fail(message, capacity, "reduce knows sum, max, min and prod, not '%s'", name);
}

const double kInfinity = std::numeric_limits<double>::infinity();

} // namespace

extern "C" int reduce_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return reduce<float, double>(call, -kInfinity, kInfinity, message, capacity);
}
extern "C" int reduce_f64_cuda(const tw_call *call, char *message, size_t capacity) {
  return reduce<double, double>(call, -kInfinity, kInfinity, message, capacity);
}
extern "C" int reduce_i32_cuda(const tw_call *call, char *message, size_t capacity) {
  return reduce<int32_t, int64_t>(call, INT32_MIN, INT32_MAX, message, capacity);
}
extern "C" int reduce_i64_cuda(const tw_call *call, char *message, size_t capacity) {
  return reduce<int64_t, int64_t>(call, INT64_MIN, INT64_MAX, message, capacity);
}
