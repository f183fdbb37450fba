// What attention's CUDA kernels share: operands in f32, f16 or bf16, tiles in shared memory as float, scores.
#ifndef TW_KERNELS_ATTENTION_DEVICE_CUH
#define TW_KERNELS_ATTENTION_DEVICE_CUH

#include "kernels/abi/random.h"
#include "kernels/attention/Problem.h"
#include "kernels/support/Cuda.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace tw::kernels {
inline namespace TW_VARIANT {

constexpr int kTile = 32, kWarps = 8, kRows = kTile / kWarps;

/// Element `at` of memory of that type: f32, f16 or bf16. One kernel takes all three: threads of a block agree on the
/// branch, and compiling one for each type would take three times as long.
__device__ inline float loadElement(const void *data, int32_t type, int64_t at) {
  if (type == TW_F16)
    return __half2float(static_cast<const __half *>(data)[at]);
  if (type == TW_BF16)
    return __bfloat162float(static_cast<const __nv_bfloat16 *>(data)[at]);
  return static_cast<const float *>(data)[at];
}
/// Rounds to nearest even.
__device__ inline void storeElement(void *data, int32_t type, int64_t at, float value) {
  if (type == TW_F16)
    static_cast<__half *>(data)[at] = __float2half_rn(value);
  else if (type == TW_BF16)
    static_cast<__nv_bfloat16 *>(data)[at] = __float2bfloat16_rn(value);
  else
    static_cast<float *>(data)[at] = value;
}

/// A [b, h, s, d] view with stride 1 in the last dimension.
struct View {
  void *data;
  int32_t type;
  int64_t batch, head, row;
  /// Where a row starts, in elements.
  __device__ int64_t at(int64_t b, int64_t h, int64_t r) const { return b * batch + h * head + r * row; }
  __device__ float load(int64_t at) const { return loadElement(data, type, at); }
};
inline View viewOf(const tw_tensor &t) {
  return {t.data, t.type, t.strides[0], t.strides[1], t.strides[2]};
}

/// A bias of any type, broadcast where it has size 1; `data` null: none.
struct Bias {
  const void *data;
  int32_t type;
  int64_t strides[4];

  /// The score with the bias, or -inf where a mask hides the key.
  __device__ float added(float score, int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (!data)
      return score;
    int64_t at = b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3];
    if (type == TW_BOOL)
      return static_cast<const uint8_t *>(data)[at] ? score : -CUDART_INF_F;
    return score + loadElement(data, type, at);
  }
};
inline Bias biasOf(const Problem &p) {
  Bias bias{};
  if (!p.bias)
    return bias;
  bias.data = p.bias->data;
  bias.type = p.bias->type;
  for (int i = 0; i < 4; ++i)
    bias.strides[i] = p.bias->shape[i] == 1 ? 0 : p.bias->strides[i];
  return bias;
}

struct DeviceProblem {
  int64_t batch, heads, groups, queries, keys;
  int width, valueWidth;
  float scale;
  Sight sight;
  Dropout dropout;
  View query, key, value;
  Bias bias;

  explicit DeviceProblem(const Problem &p)
      : batch(p.batch), heads(p.heads), groups(p.groups), queries(p.queries), keys(p.keys), width(int(p.width)),
        valueWidth(int(p.valueWidth)), scale(p.scale), sight(p.sight), dropout(p.dropout), query(viewOf(*p.query)),
        key(viewOf(*p.key)), value(viewOf(*p.value)), bias(biasOf(p)) {}

  __device__ bool sees(int64_t i, int64_t j) const {
    return i < queries && j < keys && j >= sight.begin(i) && j < sight.end(i);
  }
  /// Keys that the queries [first, first + kTile) see lie in [firstKey, endKey).
  __device__ int64_t firstKey(int64_t first) const { return sight.begin(first); }
  __device__ int64_t endKey(int64_t first) const {
    return sight.end((first + kTile < queries ? first + kTile : queries) - 1);
  }
  /// Queries that see one of the keys [first, first + kTile) lie in [firstQuery, endQuery).
  __device__ int64_t firstQuery(int64_t first) const { return sight.firstQuery(first); }
  __device__ int64_t endQuery(int64_t first) const {
    return sight.endQuery((first + kTile < keys ? first + kTile : keys) - 1, queries);
  }
  /// What dropout multiplies the probability with.
  __device__ float factor(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (!dropout.seed)
      return 1;
    uint64_t element = ((uint64_t(*dropout.row + b) * heads + h) * queries + i) * keys + j;
    uint32_t words[4];
    tw_random_block(uint64_t(*dropout.seed), uint64_t(*dropout.step), dropout.id, element / 4, words);
    return words[element % 4] >> 8 >= dropout.threshold ? dropout.factor : 0.0f;
  }
};

/// Copies rows [first, first + 32) to shared memory, zeros beyond `count`. Rows are width + 1 apart: no bank conflicts.
__device__ inline void loadTile(float *to, const View &view, int64_t b, int64_t h, int64_t first, int64_t count,
                                int width) {
  for (int i = threadIdx.x; i < kTile * width; i += blockDim.x) {
    int row = i / width, column = i % width;
    to[row * (width + 1) + column] = first + row < count ? view.load(view.at(b, h, first + row) + column) : 0.0f;
  }
}
__device__ inline float dot(const float *a, const float *b, int width) {
  float sum = 0;
  for (int i = 0; i < width; ++i)
    sum += a[i] * b[i];
  return sum;
}
/// sum += the 32 lanes' weights times the tile's rows, for the elements this lane holds.
template <int Each>
__device__ void addWeighted(float *sum, float weight, const float *tile, int width, int lane) {
  for (int j = 0; j < kTile; ++j) {
    float w = __shfl_sync(0xffffffffu, weight, j);
#pragma unroll
    for (int e = 0; e < Each; ++e)
      if (lane + 32 * e < width)
        sum[e] += w * tile[j * (width + 1) + lane + 32 * e];
  }
}
template <int Each>
__device__ void storeRow(const View &to, int64_t at, const float *sum, float factor, int width, int lane) {
#pragma unroll
  for (int e = 0; e < Each; ++e)
    if (lane + 32 * e < width)
      storeElement(to.data, to.type, at + lane + 32 * e, sum[e] * factor);
}

struct Place {
  int64_t batch, head, first;
  __device__ Place(int64_t heads, int64_t tiles) {
    batch = blockIdx.x / tiles / heads;
    head = blockIdx.x / tiles % heads;
    first = blockIdx.x % tiles * kTile;
  }
};

inline int64_t tilesOf(int64_t rows) {
  return (rows + kTile - 1) / kTile;
}

/// Starts a kernel with that many floats of shared memory, which may be beyond the default limit.
template <typename Kernel, typename... Arguments>
void launch(Kernel *kernel, int64_t blocks, int64_t floats, cudaStream_t stream, Arguments... arguments) {
  size_t bytes = size_t(floats) * sizeof(float);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
  if (blocks > 0)
    kernel<<<unsigned(blocks), kWarps * 32, bytes, stream>>>(arguments...);
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
