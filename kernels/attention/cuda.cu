// Attention in tiles (FlashAttention, T. Dao et al., 2022). A block works on 32 rows, 4 for each of its 8 warps,
// against tiles of 32 rows of the other side in shared memory: lane j of a warp has the score with row j of that tile,
// and holds every 32nd element of its rows' sums. The backward pass has one kernel for d_query and one for d_key and
// d_value, so that every sum belongs to one warp and needs no atomics.
#include "kernels/support/Cuda.cuh"

#include <type_traits>

using namespace tw::kernels;

namespace {

constexpr int kTile = 32, kWarps = 8, kRows = kTile / kWarps;

/// A [b, h, s, d] view with stride 1 in the last dimension.
struct View {
  float *data;
  int64_t batch, head, row;
  __device__ float *at(int64_t b, int64_t h, int64_t r) const { return data + b * batch + h * head + r * row; }
};
View viewOf(const tw_tensor &t) {
  return {static_cast<float *>(t.data), t.strides[0], t.strides[1], t.strides[2]};
}

struct Problem {
  int64_t batch, heads, groups, queries, keys;
  int width, valueWidth;
  float scale;
  bool causal;
  View query, key, value;
  const float *bias; // null: none
  int64_t biasStrides[4];
  __device__ float biasAt(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return bias ? bias[b * biasStrides[0] + h * biasStrides[1] + i * biasStrides[2] + j * biasStrides[3]] : 0.0f;
  }
  __device__ bool sees(int64_t i, int64_t j) const { return i < queries && j < keys && (!causal || j <= i); }
};

/// Copies rows [first, first + 32) to shared memory, zeros beyond `count`. Rows are width + 1 apart: no bank conflicts.
__device__ void loadTile(float *to, const View &view, int64_t b, int64_t h, int64_t first, int64_t count, int width) {
  for (int i = threadIdx.x; i < kTile * width; i += blockDim.x) {
    int row = i / width, column = i % width;
    to[row * (width + 1) + column] = first + row < count ? view.at(b, h, first + row)[column] : 0.0f;
  }
}
__device__ float dot(const float *a, const float *b, int width) {
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
__device__ void storeRow(float *to, const float *sum, float factor, int width, int lane) {
#pragma unroll
  for (int e = 0; e < Each; ++e)
    if (lane + 32 * e < width)
      to[lane + 32 * e] = sum[e] * factor;
}

struct Place {
  int64_t batch, head, first;
  __device__ Place(int64_t heads, int64_t tiles) {
    batch = blockIdx.x / tiles / heads;
    head = blockIdx.x / tiles % heads;
    first = blockIdx.x % tiles * kTile;
  }
};

template <int Each>
__global__ void forwardTiles(Problem p, int64_t tiles, View result, float *logsumexp, int64_t lseBatch, int64_t lseHead,
                             int64_t lseRow) {
  extern __shared__ float shared[];
  float *queries = shared, *keys = queries + kTile * (p.width + 1), *values = keys + kTile * (p.width + 1);
  Place place(p.heads, tiles);
  int64_t group = place.head / (p.heads / p.groups);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  loadTile(queries, p.query, place.batch, place.head, place.first, p.queries, p.width);
  float sums[kRows][Each] = {}, maxima[kRows], totals[kRows] = {};
  for (float &maximum : maxima)
    maximum = -CUDART_INF_F;
  int64_t lastKey = p.causal && place.first + kTile < p.keys ? place.first + kTile : p.keys;
  for (int64_t firstKey = 0; firstKey < lastKey; firstKey += kTile) {
    __syncthreads();
    loadTile(keys, p.key, place.batch, group, firstKey, p.keys, p.width);
    loadTile(values, p.value, place.batch, group, firstKey, p.keys, p.valueWidth);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      int row = warp * kRows + r;
      int64_t i = place.first + row, j = firstKey + lane;
      float score = -CUDART_INF_F;
      if (p.sees(i, j))
        score = dot(queries + row * (p.width + 1), keys + lane * (p.width + 1), p.width) * p.scale +
                p.biasAt(place.batch, place.head, i, j);
      float updated = warpReduce(MaxOf()(maxima[r], score), MaxOf());
      float shift = updated == -CUDART_INF_F ? 0.0f : updated, weight = expf(score - shift);
      float factor = maxima[r] == -CUDART_INF_F ? 0.0f : expf(maxima[r] - shift);
      totals[r] = totals[r] * factor + warpReduce(weight, SumOf());
      maxima[r] = updated;
      for (float &sum : sums[r])
        sum *= factor;
      addWeighted<Each>(sums[r], weight, values, p.valueWidth, lane);
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    int64_t i = place.first + warp * kRows + r;
    if (i >= p.queries)
      continue;
    bool nothing = totals[r] == 0;
    storeRow<Each>(result.at(place.batch, place.head, i), sums[r], nothing ? 0.0f : 1.0f / totals[r], p.valueWidth,
                   lane);
    if (lane == 0)
      logsumexp[place.batch * lseBatch + place.head * lseHead + i * lseRow] =
          nothing ? -CUDART_INF_F : maxima[r] + logf(totals[r]);
  }
}

struct Backward {
  View cotangent, result;
  const float *logsumexp;
  int64_t lseBatch, lseHead, lseRow;
  float *deltas; // [b, h, s]
  View dQuery, dKey, dValue;
  __device__ float log(int64_t b, int64_t h, int64_t i) const {
    float value = logsumexp[b * lseBatch + h * lseHead + i * lseRow];
    return value == -CUDART_INF_F ? CUDART_INF_F : value; // a row that sees nothing has no probabilities
  }
};

/// delta = rowsum(dy * y): a warp for each row.
__global__ void rowDeltas(Problem p, Backward o) {
  int64_t row = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= p.batch * p.heads * p.queries)
    return;
  int64_t i = row % p.queries, h = row / p.queries % p.heads, b = row / p.queries / p.heads;
  float sum = 0;
  for (int64_t e = lane; e < p.valueWidth; e += 32)
    sum += o.cotangent.at(b, h, i)[e] * o.result.at(b, h, i)[e];
  sum = warpReduce(sum, SumOf());
  if (lane == 0)
    o.deltas[row] = sum;
}

template <int Each>
__global__ void queryGradients(Problem p, int64_t tiles, Backward o) {
  extern __shared__ float shared[];
  float *queries = shared, *cotangents = queries + kTile * (p.width + 1);
  float *keys = cotangents + kTile * (p.valueWidth + 1), *values = keys + kTile * (p.width + 1);
  Place place(p.heads, tiles);
  int64_t group = place.head / (p.heads / p.groups);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  loadTile(queries, p.query, place.batch, place.head, place.first, p.queries, p.width);
  loadTile(cotangents, o.cotangent, place.batch, place.head, place.first, p.queries, p.valueWidth);
  float sums[kRows][Each] = {};
  int64_t lastKey = p.causal && place.first + kTile < p.keys ? place.first + kTile : p.keys;
  for (int64_t firstKey = 0; firstKey < lastKey; firstKey += kTile) {
    __syncthreads();
    loadTile(keys, p.key, place.batch, group, firstKey, p.keys, p.width);
    loadTile(values, p.value, place.batch, group, firstKey, p.keys, p.valueWidth);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      int row = warp * kRows + r;
      int64_t i = place.first + row, j = firstKey + lane;
      float dScore = 0;
      if (p.sees(i, j)) {
        float score = dot(queries + row * (p.width + 1), keys + lane * (p.width + 1), p.width) * p.scale +
                      p.biasAt(place.batch, place.head, i, j);
        float probability = expf(score - o.log(place.batch, place.head, i));
        float dProbability =
            dot(cotangents + row * (p.valueWidth + 1), values + lane * (p.valueWidth + 1), p.valueWidth);
        dScore = probability * (dProbability - o.deltas[(place.batch * p.heads + place.head) * p.queries + i]);
      }
      addWeighted<Each>(sums[r], dScore, keys, p.width, lane);
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    int64_t i = place.first + warp * kRows + r;
    if (i < p.queries)
      storeRow<Each>(o.dQuery.at(place.batch, place.head, i), sums[r], p.scale, p.width, lane);
  }
}

template <int Each>
__global__ void keyGradients(Problem p, int64_t tiles, Backward o) {
  extern __shared__ float shared[];
  float *keys = shared, *values = keys + kTile * (p.width + 1);
  float *queries = values + kTile * (p.valueWidth + 1), *cotangents = queries + kTile * (p.width + 1);
  Place place(p.groups, tiles);
  int64_t headsEach = p.heads / p.groups;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  loadTile(keys, p.key, place.batch, place.head, place.first, p.keys, p.width);
  loadTile(values, p.value, place.batch, place.head, place.first, p.keys, p.valueWidth);
  float dKeys[kRows][Each] = {}, dValues[kRows][Each] = {};
  int64_t firstSeen = p.causal ? place.first : 0; // earlier queries see none of these keys
  for (int64_t head = place.head * headsEach; head < (place.head + 1) * headsEach; ++head)
    for (int64_t firstQuery = firstSeen; firstQuery < p.queries; firstQuery += kTile) {
      __syncthreads();
      loadTile(queries, p.query, place.batch, head, firstQuery, p.queries, p.width);
      loadTile(cotangents, o.cotangent, place.batch, head, firstQuery, p.queries, p.valueWidth);
      __syncthreads();
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        int row = warp * kRows + r;
        int64_t i = firstQuery + lane, j = place.first + row;
        float probability = 0, dScore = 0;
        if (p.sees(i, j)) {
          float score = dot(queries + lane * (p.width + 1), keys + row * (p.width + 1), p.width) * p.scale +
                        p.biasAt(place.batch, head, i, j);
          probability = expf(score - o.log(place.batch, head, i));
          float dProbability =
              dot(cotangents + lane * (p.valueWidth + 1), values + row * (p.valueWidth + 1), p.valueWidth);
          dScore = probability * (dProbability - o.deltas[(place.batch * p.heads + head) * p.queries + i]);
        }
        addWeighted<Each>(dKeys[r], dScore, queries, p.width, lane);
        addWeighted<Each>(dValues[r], probability, cotangents, p.valueWidth, lane);
      }
    }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    int64_t j = place.first + warp * kRows + r;
    if (j >= p.keys)
      continue;
    storeRow<Each>(o.dKey.at(place.batch, place.head, j), dKeys[r], p.scale, p.width, lane);
    storeRow<Each>(o.dValue.at(place.batch, place.head, j), dValues[r], 1.0f, p.valueWidth, lane);
  }
}

int readProblem(const tw_call *call, int first, int bias, Problem &p, char *message, size_t capacity) {
  const tw_tensor &query = call->inputs[first], &key = call->inputs[first + 1], &value = call->inputs[first + 2];
  for (const tw_tensor *tensor : {&query, &key, &value})
    if (tensor->rank != 4 || (tensor->shape[3] > 1 && tensor->strides[3] != 1))
      return fail(message, capacity,
                  "attention needs query, key and value of rank 4 with stride 1 in the last dimension");
  p.batch = query.shape[0];
  p.heads = query.shape[1];
  p.groups = key.shape[1];
  p.queries = query.shape[2];
  p.keys = key.shape[2];
  if (query.shape[3] > 256 || value.shape[3] > 256)
    return fail(message, capacity, "attention on CUDA takes heads of up to 256 elements, not %lld and %lld",
                (long long)query.shape[3], (long long)value.shape[3]);
  if (p.groups == 0 || p.heads % p.groups != 0 || value.shape[1] != p.groups || value.shape[2] != p.keys ||
      key.shape[3] != query.shape[3])
    return fail(message, capacity, "attention's query, key and value do not fit each other");
  p.width = int(query.shape[3]);
  p.valueWidth = int(value.shape[3]);
  p.scale = float(number(call, "scale", 1));
  p.causal = flag(call, "causal");
  p.query = viewOf(query);
  p.key = viewOf(key);
  p.value = viewOf(value);
  p.bias = call->input_count > bias ? in(call, bias) : nullptr;
  for (int i = 0; p.bias && i < 4; ++i)
    p.biasStrides[i] = call->inputs[bias].shape[i] == 1 ? 0 : call->inputs[bias].strides[i];
  return 0;
}

int64_t tilesOf(int64_t rows) {
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

template <int Each>
void startForward(const tw_call *call, const Problem &p) {
  const tw_tensor &logs = call->outputs[1];
  int64_t tiles = tilesOf(p.queries), floats = kTile * (2 * (p.width + 1) + p.valueWidth + 1);
  launch(forwardTiles<Each>, p.batch * p.heads * tiles, floats, streamOf(call), p, tiles, viewOf(call->outputs[0]),
         static_cast<float *>(logs.data), logs.strides[0], logs.strides[1], logs.strides[2]);
}

template <int Each>
void startBackward(const tw_call *call, const Problem &p, const Backward &o) {
  int64_t rows = p.batch * p.heads * p.queries, floats = kTile * 2 * (p.width + 1 + p.valueWidth + 1);
  if (rows > 0)
    rowDeltas<<<unsigned((rows * 32 + kBlock - 1) / kBlock), kBlock, 0, streamOf(call)>>>(p, o);
  launch(queryGradients<Each>, p.batch * p.heads * tilesOf(p.queries), floats, streamOf(call), p, tilesOf(p.queries),
         o);
  launch(keyGradients<Each>, p.batch * p.groups * tilesOf(p.keys), floats, streamOf(call), p, tilesOf(p.keys), o);
}

/// Calls start with the number of elements of a row that a lane holds, as a compile-time constant.
template <typename Start>
void withEach(const Problem &p, const Start &start) {
  int width = p.width > p.valueWidth ? p.width : p.valueWidth;
  if (width <= 32)
    start(std::integral_constant<int, 1>());
  else if (width <= 64)
    start(std::integral_constant<int, 2>());
  else if (width <= 128)
    start(std::integral_constant<int, 4>());
  else
    start(std::integral_constant<int, 8>());
}

} // namespace

extern "C" int attention_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(3, 4, 2);
  Problem p{};
  if (int status = readProblem(call, 0, 3, p, message, capacity))
    return status;
  withEach(p, [&](auto each) { startForward<decltype(each)::value>(call, p); });
  return launched("attention", message, capacity);
}

extern "C" int attention_backward_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(6, 7, 3);
  Problem p{};
  if (int status = readProblem(call, 1, 6, p, message, capacity))
    return status;
  const tw_tensor &logs = call->inputs[5];
  size_t deltas = size_t(elements(logs)) * sizeof(float);
  if (int status = expectWorkspace(call, deltas, "attention_backward", message, capacity))
    return status;
  Backward o = {viewOf(call->inputs[0]),
                viewOf(call->inputs[4]),
                static_cast<const float *>(logs.data),
                logs.strides[0],
                logs.strides[1],
                logs.strides[2],
                static_cast<float *>(call->workspace),
                viewOf(call->outputs[0]),
                viewOf(call->outputs[1]),
                viewOf(call->outputs[2])};
  withEach(p, [&](auto each) { startBackward<decltype(each)::value>(call, p, o); });
  return launched("attention_backward", message, capacity);
}
