// attention: tiles of scores with the softmax kept up to date by running maxima and sums.
#ifndef TW_KERNELS_ATTENTION_FORWARD_H
#define TW_KERNELS_ATTENTION_FORWARD_H

#include "kernels/attention/Scores.h"
#include "kernels/support/Parallel.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

struct ForwardScratch {
  float *keys, *values, *query, *scores, *sums, *maxima, *totals;
  ForwardScratch(const Problem &p, Scratch &scratch) {
    keys = scratch.take(padded(p.keys) * p.width);
    values = scratch.take(p.keys * padded(p.valueWidth));
    query = scratch.take(kQueries * padded(p.width));
    scores = scratch.take(kQueries * kKeys);
    sums = scratch.take(kQueries * padded(p.valueWidth));
    maxima = scratch.take(kQueries);
    totals = scratch.take(kQueries);
  }
};

/// One row of the online softmax: scores become exponentials, and the row's sum of values is rescaled.
inline void softmaxRow(float *scores, Range worked, float &maximum, float &total, float *sums, int64_t sumsWidth) {
  Floats largest = fill(maximum);
  for (int64_t i = worked.begin; i < worked.end; i += kFloats)
    largest = max(largest, load(scores + i));
  float updated = maxLanes(largest), shift = updated == -INFINITY ? 0.0f : updated;
  Floats sum{};
  for (int64_t i = worked.begin; i < worked.end; i += kFloats) {
    Floats value = exponential(load(scores + i) - shift);
    store(scores + i, value);
    sum += value;
  }
  if (updated != maximum && maximum != -INFINITY) {
    float factor = std::exp(maximum - updated);
    total *= factor;
    for (int64_t i = 0; i < sumsWidth; i += kFloats)
      store(sums + i, load(sums + i) * factor);
  }
  total += sumLanes(sum);
  maximum = updated;
}

/// The softmax's denominator keeps what dropout takes from the sum of values.
inline void dropProbabilities(float *probabilities, Range worked, const DropoutFactors &dropout, const Tile &tile,
                              int64_t r, int64_t batch, int64_t head) {
  float buffer[DropoutFactors::kMost];
  int64_t count = worked.end - worked.begin;
  const float *factors = dropout.factors(buffer, batch, head, tile.firstQuery + r, tile.firstKey + worked.begin, count);
  for (int64_t i = 0; i < count; i += kFloats)
    store(probabilities + worked.begin + i, load(probabilities + worked.begin + i) * load(factors + i));
}

inline void forwardTile(const Problem &p, const DropoutFactors &dropout, const ForwardScratch &s, const Tile &tile,
                        int64_t batch, int64_t head) {
  int64_t valuePitch = padded(p.valueWidth);
  product(tile.rows, {s.query, padded(p.width), 1}, s.keys + tile.firstKey * p.width, kPanel * p.width, kPanel,
          s.scores, kKeys, false, [&](int64_t r, int height) -> Span {
            Range worked = tile.worked(r, height);
            return {worked.begin, worked.end, 0, p.width};
          });
  for (int64_t r = 0; r < tile.rows; ++r) {
    float *scores = s.scores + r * kKeys;
    Range worked = finishScores(scores, p, tile, r, batch, head);
    softmaxRow(scores, worked, s.maxima[r], s.totals[r], s.sums + r * valuePitch, valuePitch);
    if (dropout.active)
      dropProbabilities(scores, worked, dropout, tile, r, batch, head);
  }
  product(tile.rows, {s.scores, kKeys, 1}, s.values + tile.firstKey * valuePitch, kPanel, valuePitch, s.sums,
          valuePitch, true, [&](int64_t r, int height) -> Span {
            Range worked = tile.worked(r, height);
            return {0, valuePitch, worked.begin, worked.end < tile.columns ? worked.end : tile.columns};
          });
}

/// Queries [first, +rows) of one head against all keys, which are packed already. A row that sees nothing gets zeros;
/// NaN among the scores makes the total NaN, and so all of the row.
inline void forwardQueries(const Problem &p, const DropoutFactors &dropout, const ForwardScratch &s, int64_t batch,
                           int64_t head, int64_t first, int64_t rows, const tw_tensor &result, const tw_tensor &logs) {
  int64_t valuePitch = padded(p.valueWidth);
  loadRows(s.query, *p.query, batch, head, first, rows);
  for (int64_t r = 0; r < rows; ++r) {
    s.maxima[r] = -INFINITY;
    s.totals[r] = 0;
  }
  memset(s.sums, 0, rows * valuePitch * sizeof(float));
  forKeyTiles(p, first, rows, [&](const Tile &tile) { forwardTile(p, dropout, s, tile, batch, head); });
  float *logsumexp = static_cast<float *>(logs.data) + batch * logs.strides[0] + head * logs.strides[1];
  for (int64_t r = 0; r < rows; ++r) {
    float total = s.totals[r];
    storeRow(result, batch, head, first + r, s.sums + r * valuePitch, total == 0 ? 0.0f : 1.0f / total);
    logsumexp[(first + r) * logs.strides[2]] = total == 0 ? -INFINITY : s.maxima[r] + std::log(total);
  }
}

inline size_t forwardWorkspace(const tw_call *call, int32_t type) {
  Problem p{};
  if (readProblem(call, type, 0, 3, p, nullptr, 0))
    return 0;
  return size_t(call->threads) * size_t(floatsOf<ForwardScratch>(p)) * sizeof(float);
}

/// Threads share heads and tiles of queries.
inline int attention(const tw_call *call, int32_t type, char *message, size_t capacity) {
  Problem p{};
  if (int status = readForward(call, type, p, message, capacity))
    return status;
  size_t needed = size_t(call->threads) * size_t(floatsOf<ForwardScratch>(p)) * sizeof(float);
  if (call->workspace_bytes < needed)
    return fail(message, capacity, "attention needs %zu bytes of workspace, but has %zu", needed,
                call->workspace_bytes);
  DropoutFactors dropout(p);
  int64_t tiles = (p.queries + kQueries - 1) / kQueries, tasks = p.batch * p.heads * tiles;
  int team = teamSize(call->threads, tasks, kQueries * p.keys * (p.width + p.valueWidth) / 8);
  // Consecutive tasks share packed keys and values. With few heads and a causal mask, later tiles are larger: then
  // threads take turns.
  bool turns = p.sight.causal && p.batch * p.heads < 2 * team;
  forRanges(team, team, [&](int part, int64_t, int64_t) {
    ForwardScratch scratch = piecesOf<ForwardScratch>(p, call, part);
    int64_t first = turns ? part : tasks * part / team, last = turns ? tasks : tasks * (part + 1) / team;
    int64_t packed = -1;
    for (int64_t task = first; task < last; task += turns ? team : 1) {
      int64_t batch = task / tiles / p.heads, head = task / tiles % p.heads, group = head / (p.heads / p.groups);
      if (packed != batch * p.groups + group) {
        loadAcross(scratch.keys, *p.key, batch, group, 0, p.keys);
        loadRows(scratch.values, *p.value, batch, group, 0, p.keys);
        packed = batch * p.groups + group;
      }
      int64_t query = task % tiles * kQueries, rows = p.queries - query < kQueries ? p.queries - query : kQueries;
      forwardQueries(p, dropout, scratch, batch, head, query, rows, call->outputs[0], call->outputs[1]);
    }
  });
  return 0;
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
