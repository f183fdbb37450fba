// The backward pass's CUDA kernels: one each for delta, d_query, d_key and d_value, and d_bias, so that every sum
// belongs to one warp (or one block, in a fixed order) and needs no atomics.
#ifndef TW_KERNELS_ATTENTION_GRADIENTS_CUH
#define TW_KERNELS_ATTENTION_GRADIENTS_CUH

#include "kernels/attention/Device.cuh"

namespace tw::kernels {
inline namespace TW_VARIANT {

struct Backward {
  View cotangent, result;
  const float *logsumexp;
  int64_t lseBatch, lseHead, lseRow;
  float *deltas; // [b, h, s]
  View dQuery, dKey, dValue;

  Backward(const BackwardOperands &o, float *deltas)
      : cotangent(viewOf(*o.cotangent)), result(viewOf(*o.result)),
        logsumexp(static_cast<const float *>(o.logsumexp->data)), lseBatch(o.logsumexp->strides[0]),
        lseHead(o.logsumexp->strides[1]), lseRow(o.logsumexp->strides[2]), deltas(deltas), dQuery(viewOf(*o.dQuery)),
        dKey(viewOf(*o.dKey)), dValue(viewOf(*o.dValue)) {}
  __device__ float log(int64_t b, int64_t h, int64_t i) const {
    float value = logsumexp[b * lseBatch + h * lseHead + i * lseRow];
    return value == -CUDART_INF_F ? CUDART_INF_F : value; // a row that sees nothing has no probabilities
  }
};

/// delta = rowsum(dy * y): a warp for each row.
static __global__ void rowDeltas(DeviceProblem p, Backward o) {
  int64_t row = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= p.batch * p.heads * p.queries)
    return;
  int64_t i = row % p.queries, h = row / p.queries % p.heads, b = row / p.queries / p.heads;
  float sum = 0;
  for (int64_t e = lane; e < p.valueWidth; e += 32)
    sum += o.cotangent.load(o.cotangent.at(b, h, i) + e) * o.result.load(o.result.at(b, h, i) + e);
  sum = warpReduce(sum, SumOf());
  if (lane == 0)
    o.deltas[row] = sum;
}

/// m p and ds of query i and key j, from their rows in shared memory. 0 where the query does not see the key.
struct Cell {
  float probability = 0, dScore = 0;
  __device__ Cell(const DeviceProblem &p, const Backward &o, int64_t b, int64_t h, int64_t i, int64_t j,
                  const float *query, const float *key, const float *cotangent, const float *value) {
    if (!p.sees(i, j))
      return;
    float score = p.bias.added(dot(query, key, p.width) * p.scale, b, h, i, j);
    float weight = expf(score - o.log(b, h, i)), factor = p.factor(b, h, i, j);
    probability = weight * factor;
    dScore = weight * (factor * dot(cotangent, value, p.valueWidth) - o.deltas[(b * p.heads + h) * p.queries + i]);
  }
};

template <int Each>
__global__ void queryGradients(DeviceProblem p, int64_t tiles, Backward o) {
  extern __shared__ float shared[];
  int pitch = p.width + 1, valuePitch = p.valueWidth + 1;
  float *queries = shared, *cotangents = queries + kTile * pitch;
  float *keys = cotangents + kTile * valuePitch, *values = keys + kTile * pitch;
  Place place(p.heads, tiles);
  int64_t group = place.head / (p.heads / p.groups);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  loadTile(queries, p.query, place.batch, place.head, place.first, p.queries, p.width);
  loadTile(cotangents, o.cotangent, place.batch, place.head, place.first, p.queries, p.valueWidth);
  float sums[kRows][Each] = {};
  for (int64_t firstKey = p.firstKey(place.first); firstKey < p.endKey(place.first); firstKey += kTile) {
    __syncthreads();
    loadTile(keys, p.key, place.batch, group, firstKey, p.keys, p.width);
    loadTile(values, p.value, place.batch, group, firstKey, p.keys, p.valueWidth);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      int row = warp * kRows + r;
      Cell cell(p, o, place.batch, place.head, place.first + row, firstKey + lane, queries + row * pitch,
                keys + lane * pitch, cotangents + row * valuePitch, values + lane * valuePitch);
      addWeighted<Each>(sums[r], cell.dScore, keys, p.width, lane);
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    int64_t i = place.first + warp * kRows + r;
    if (i < p.queries)
      storeRow<Each>(o.dQuery, o.dQuery.at(place.batch, place.head, i), sums[r], p.scale, p.width, lane);
  }
}

template <int Each>
__global__ void keyGradients(DeviceProblem p, int64_t tiles, Backward o) {
  extern __shared__ float shared[];
  int pitch = p.width + 1, valuePitch = p.valueWidth + 1;
  float *keys = shared, *values = keys + kTile * pitch;
  float *queries = values + kTile * valuePitch, *cotangents = queries + kTile * pitch;
  Place place(p.groups, tiles);
  int64_t headsEach = p.heads / p.groups;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  loadTile(keys, p.key, place.batch, place.head, place.first, p.keys, p.width);
  loadTile(values, p.value, place.batch, place.head, place.first, p.keys, p.valueWidth);
  float dKeys[kRows][Each] = {}, dValues[kRows][Each] = {};
  for (int64_t head = place.head * headsEach; head < (place.head + 1) * headsEach; ++head)
    for (int64_t first = p.firstQuery(place.first); first < p.endQuery(place.first); first += kTile) {
      __syncthreads();
      loadTile(queries, p.query, place.batch, head, first, p.queries, p.width);
      loadTile(cotangents, o.cotangent, place.batch, head, first, p.queries, p.valueWidth);
      __syncthreads();
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        int row = warp * kRows + r;
        Cell cell(p, o, place.batch, head, first + lane, place.first + row, queries + lane * pitch, keys + row * pitch,
                  cotangents + lane * valuePitch, values + row * valuePitch);
        addWeighted<Each>(dKeys[r], cell.dScore, queries, p.width, lane);
        addWeighted<Each>(dValues[r], cell.probability, cotangents, p.valueWidth, lane);
      }
    }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    int64_t j = place.first + warp * kRows + r;
    if (j >= p.keys)
      continue;
    storeRow<Each>(o.dKey, o.dKey.at(place.batch, place.head, j), dKeys[r], p.scale, p.width, lane);
    storeRow<Each>(o.dValue, o.dValue.at(place.batch, place.head, j), dValues[r], 1.0f, p.valueWidth, lane);
  }
}

/// d_bias, of float, f16 or bf16, and its sizes.
struct BiasGradient {
  void *data;
  int32_t type;
  int64_t shape[4], strides[4];

  explicit BiasGradient(const tw_tensor &tensor) : data(tensor.data), type(tensor.type) {
    for (int i = 0; i < 4; ++i) {
      shape[i] = tensor.shape[i];
      strides[i] = tensor.strides[i];
    }
  }
  int64_t rowTiles() const { return shape[2] == 1 ? 1 : tilesOf(shape[2]); }
  int64_t blocks() const { return shape[0] * shape[1] * rowTiles() * tilesOf(shape[3]); }
  __device__ void set(int64_t b, int64_t h, int64_t i, int64_t j, float value) const {
    int64_t at = b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3];
    storeElement(data, type, at, value);
  }
};

/// Adds ds of the 32 queries from `first` on and the block's keys: row r of a warp and its lane to sums[r].
__device__ inline void addScores(float (&sums)[kRows], const DeviceProblem &p, const Backward &o, int64_t b, int64_t h,
                                 int64_t first, int64_t firstKey, float *shared) {
  int pitch = p.width + 1, valuePitch = p.valueWidth + 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float *queries = shared, *cotangents = queries + kTile * pitch;
  float *keys = cotangents + kTile * valuePitch, *values = keys + kTile * pitch;
  int64_t group = h / (p.heads / p.groups);
  __syncthreads();
  loadTile(queries, p.query, b, h, first, p.queries, p.width);
  loadTile(cotangents, o.cotangent, b, h, first, p.queries, p.valueWidth);
  loadTile(keys, p.key, b, group, firstKey, p.keys, p.width);
  loadTile(values, p.value, b, group, firstKey, p.keys, p.valueWidth);
  __syncthreads();
  for (int r = 0; r < kRows; ++r) {
    int row = warp * kRows + r;
    sums[r] += Cell(p, o, b, h, first + row, firstKey + lane, queries + row * pitch, keys + lane * pitch,
                    cotangents + row * valuePitch, values + lane * valuePitch)
                   .dScore;
  }
}

/// A block owns 32 x 32 elements of d_bias (1 x 32 where queries are summed), and sums over the rest in order.
static __global__ void biasGradients(DeviceProblem p, BiasGradient d, int64_t rowTiles, int64_t keyTiles, Backward o) {
  extern __shared__ float shared[];
  __shared__ float partial[kTile][kTile];
  int64_t firstKey = blockIdx.x % keyTiles * kTile, firstRow = blockIdx.x / keyTiles % rowTiles * kTile;
  int64_t head = blockIdx.x / keyTiles / rowTiles % d.shape[1], batch = blockIdx.x / keyTiles / rowTiles / d.shape[1];
  bool oneBatch = d.shape[0] != 1, oneHead = d.shape[1] != 1, oneRow = d.shape[2] == 1;
  int64_t first = oneRow ? p.firstQuery(firstKey) : firstRow, last = oneRow ? p.endQuery(firstKey) : firstRow + 1;
  float sums[kRows] = {};
  for (int64_t b = oneBatch ? batch : 0; b < (oneBatch ? batch + 1 : p.batch); ++b)
    for (int64_t h = oneHead ? head : 0; h < (oneHead ? head + 1 : p.heads); ++h)
      for (int64_t i = first; i < last; i += kTile)
        addScores(sums, p, o, b, h, i, firstKey, shared);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r = 0; r < kRows; ++r) {
    int row = warp * kRows + r;
    partial[row][lane] = sums[r];
    if (!oneRow && firstRow + row < p.queries && firstKey + lane < p.keys)
      d.set(batch, head, firstRow + row, firstKey + lane, sums[r]);
  }
  __syncthreads();
  if (!oneRow || warp != 0 || firstKey + lane >= p.keys)
    return;
  float sum = 0;
  for (int row = 0; row < kTile; ++row)
    sum += partial[row][lane];
  d.set(batch, head, 0, firstKey + lane, sum);
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
