// Attention in tiles (FlashAttention, T. Dao et al., 2022). A block works on 32 rows, 4 for each of its 8 warps,
// against tiles of 32 rows of the other side in shared memory: lane j of a warp has the score with row j of that tile,
// and holds every 32nd element of its rows' sums.
#include "kernels/attention/Gradients.cuh"

#include <type_traits>

using namespace tw::kernels;

namespace {

template <int Each>
__global__ void forwardTiles(DeviceProblem p, int64_t tiles, View result, float *logsumexp, int64_t lseBatch,
                             int64_t lseHead, int64_t lseRow) {
  extern __shared__ float shared[];
  float *queries = shared, *keys = queries + kTile * (p.width + 1), *values = keys + kTile * (p.width + 1);
  Place place(p.heads, tiles);
  int64_t group = place.head / (p.heads / p.groups);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  loadTile(queries, p.query, place.batch, place.head, place.first, p.queries, p.width);
  float sums[kRows][Each] = {}, maxima[kRows], totals[kRows] = {};
  for (float &maximum : maxima)
    maximum = -CUDART_INF_F;
  for (int64_t firstKey = p.firstKey(place.first); firstKey < p.endKey(place.first); firstKey += kTile) {
    __syncthreads();
    loadTile(keys, p.key, place.batch, group, firstKey, p.keys, p.width);
    loadTile(values, p.value, place.batch, group, firstKey, p.keys, p.valueWidth);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      int row = warp * kRows + r;
      int64_t i = place.first + row, j = firstKey + lane;
      float score = -CUDART_INF_F, kept = 1;
      if (p.sees(i, j)) {
        score = dot(queries + row * (p.width + 1), keys + lane * (p.width + 1), p.width) * p.scale;
        score = p.bias.added(score, place.batch, place.head, i, j);
        kept = p.factor(place.batch, place.head, i, j);
      }
      float updated = warpReduce(MaxOf()(maxima[r], score), MaxOf());
      float shift = updated == -CUDART_INF_F ? 0.0f : updated, weight = expf(score - shift);
      float factor = maxima[r] == -CUDART_INF_F ? 0.0f : expf(maxima[r] - shift);
      totals[r] = totals[r] * factor + warpReduce(weight, SumOf());
      maxima[r] = updated;
      for (float &sum : sums[r])
        sum *= factor;
      addWeighted<Each>(sums[r], weight * kept, values, p.valueWidth, lane);
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    int64_t i = place.first + warp * kRows + r;
    if (i >= p.queries)
      continue;
    bool nothing = totals[r] == 0;
    storeRow<Each>(result, result.at(place.batch, place.head, i), sums[r], nothing ? 0.0f : 1.0f / totals[r],
                   p.valueWidth, lane);
    if (lane == 0)
      logsumexp[place.batch * lseBatch + place.head * lseHead + i * lseRow] =
          nothing ? -CUDART_INF_F : maxima[r] + logf(totals[r]);
  }
}

int checkWidths(const Problem &p, char *message, size_t capacity) {
  if (p.width <= 256 && p.valueWidth <= 256)
    return 0;
  return fail(message, capacity, "attention on CUDA takes heads of up to 256 elements, not %lld and %lld",
              (long long)p.width, (long long)p.valueWidth);
}

template <int Each>
void startForward(const tw_call *call, const DeviceProblem &p) {
  const tw_tensor &logs = call->outputs[1];
  int64_t tiles = tilesOf(p.queries), floats = kTile * (2 * (p.width + 1) + p.valueWidth + 1);
  launch(forwardTiles<Each>, p.batch * p.heads * tiles, floats, streamOf(call), p, tiles, viewOf(call->outputs[0]),
         static_cast<float *>(logs.data), logs.strides[0], logs.strides[1], logs.strides[2]);
}

template <int Each>
void startBackward(const tw_call *call, const DeviceProblem &p, const Backward &o) {
  int64_t rows = p.batch * p.heads * p.queries, floats = kTile * 2 * (p.width + 1 + p.valueWidth + 1);
  if (rows > 0)
    rowDeltas<<<unsigned((rows * 32 + kBlock - 1) / kBlock), kBlock, 0, streamOf(call)>>>(p, o);
  launch(queryGradients<Each>, p.batch * p.heads * tilesOf(p.queries), floats, streamOf(call), p, tilesOf(p.queries),
         o);
  launch(keyGradients<Each>, p.batch * p.groups * tilesOf(p.keys), floats, streamOf(call), p, tilesOf(p.keys), o);
  if (call->output_count != 4)
    return;
  BiasGradient d(call->outputs[3]);
  launch(biasGradients, d.blocks(), floats, streamOf(call), p, d, d.rowTiles(), tilesOf(p.keys), o);
}

/// Calls start with the number of elements of a row that a lane holds, as a compile-time constant.
template <typename Start>
void withEach(const Problem &p, const Start &start) {
  int64_t width = p.width > p.valueWidth ? p.width : p.valueWidth;
  if (width <= 32)
    start(std::integral_constant<int, 1>());
  else if (width <= 64)
    start(std::integral_constant<int, 2>());
  else if (width <= 128)
    start(std::integral_constant<int, 4>());
  else
    start(std::integral_constant<int, 8>());
}

int attention(const tw_call *call, int32_t type, char *message, size_t capacity) {
  Problem p{};
  if (int status = readForward(call, type, p, message, capacity))
    return status;
  if (int status = checkWidths(p, message, capacity))
    return status;
  withEach(p, [&](auto each) { startForward<decltype(each)::value>(call, DeviceProblem(p)); });
  return launched("attention", message, capacity);
}

int attentionBackward(const tw_call *call, int32_t type, char *message, size_t capacity) {
  Problem p{};
  BackwardOperands o{};
  if (int status = readBackward(call, type, p, o, message, capacity))
    return status;
  if (int status = checkWidths(p, message, capacity))
    return status;
  size_t deltas = size_t(elements(*o.logsumexp)) * sizeof(float);
  if (int status = expectWorkspace(call, deltas, "attention_backward", message, capacity))
    return status;
  withEach(p, [&](auto each) {
    startBackward<decltype(each)::value>(call, DeviceProblem(p), Backward(o, static_cast<float *>(call->workspace)));
  });
  return launched("attention_backward", message, capacity);
}

} // namespace

extern "C" int attention_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return attention(call, TW_F32, message, capacity);
}
extern "C" int attention_f16_cuda(const tw_call *call, char *message, size_t capacity) {
  return attention(call, TW_F16, message, capacity);
}
extern "C" int attention_bf16_cuda(const tw_call *call, char *message, size_t capacity) {
  return attention(call, TW_BF16, message, capacity);
}
extern "C" int attention_backward_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return attentionBackward(call, TW_F32, message, capacity);
}
extern "C" int attention_backward_f16_cuda(const tw_call *call, char *message, size_t capacity) {
  return attentionBackward(call, TW_F16, message, capacity);
}
extern "C" int attention_backward_bf16_cuda(const tw_call *call, char *message, size_t capacity) {
  return attentionBackward(call, TW_BF16, message, capacity);
}
