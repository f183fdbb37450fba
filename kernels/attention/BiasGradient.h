// attention_backward's cotangent of the bias: the cotangents of scores, summed over the dimensions that the bias has as
// 1. This is a pass of its own that recomputes them: each task owns a part of d_bias (a batch and a head of the bias, a
// block of its rows, kKeys of its columns) and sums batches, heads and queries in order, so that the result does not
// depend on the number of threads and nothing larger than the part is held.
#ifndef TW_KERNELS_ATTENTION_BIASGRADIENT_H
#define TW_KERNELS_ATTENTION_BIASGRADIENT_H

#include "kernels/attention/Recompute.h"
#include "kernels/support/Parallel.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

constexpr int64_t kBiasRows = 4 * kQueries; // packing keys and values costs little beside that many queries

struct BiasScratch : TileScratch {
  float *keysAcross, *valuesAcross, *sums;
  BiasScratch(const Problem &p, Scratch &scratch) : TileScratch(p, scratch) {
    keysAcross = scratch.take(kKeys * p.width);
    valuesAcross = scratch.take(kKeys * p.valueWidth);
    sums = scratch.take(kBiasRows * kKeys);
  }
};

/// A part of d_bias, and what it sums over.
struct BiasPart {
  Range batches, heads, queries;
  int64_t firstKey, columns;
  bool oneRow; // all queries are summed into one row

  int64_t rows() const { return oneRow ? 1 : queries.end - queries.begin; }
};

/// Parts of d_bias along each dimension.
struct BiasParts {
  int64_t batches, heads, blocks, keys;
  explicit BiasParts(const Problem &p, const tw_tensor &bias)
      : batches(bias.shape[0]), heads(bias.shape[1]),
        blocks(bias.shape[2] == 1 ? 1 : (p.queries + kBiasRows - 1) / kBiasRows), keys((p.keys + kKeys - 1) / kKeys) {}
  int64_t count() const { return batches * heads * blocks * keys; }

  BiasPart part(const Problem &p, const tw_tensor &bias, int64_t task) const {
    int64_t firstKey = task % keys * kKeys, block = task / keys % blocks, head = task / keys / blocks % heads;
    int64_t batch = task / keys / blocks / heads, left = p.queries - block * kBiasRows;
    auto along = [&](int dimension, int64_t at, int64_t size) -> Range {
      return bias.shape[dimension] == 1 ? Range{0, size} : Range{at, at + 1};
    };
    BiasPart part = {along(0, batch, p.batch),
                     along(1, head, p.heads),
                     {0, p.queries},
                     firstKey,
                     p.keys - firstKey < kKeys ? p.keys - firstKey : kKeys,
                     bias.shape[2] == 1};
    if (!part.oneRow)
      part.queries = {block * kBiasRows, block * kBiasRows + (left < kBiasRows ? left : kBiasRows)};
    return part;
  }
};

/// Adds what one head of one sample gives; its keys and values are packed.
inline void addHead(const Problem &p, const BackwardOperands &o, const DropoutFactors &dropout, const BiasScratch &s,
                    const BiasPart &part, int64_t batch, int64_t head) {
  for (int64_t query = part.queries.begin; query < part.queries.end; query += kQueries) {
    int64_t rows = part.queries.end - query < kQueries ? part.queries.end - query : kQueries;
    if (p.sight.end(query + rows - 1) <= part.firstKey || p.sight.begin(query) >= part.firstKey + part.columns)
      continue;
    Tile tile = {query, rows, part.firstKey, part.columns, p.sight};
    loadQueries(p, o, s, batch, head, query, rows);
    recompute(p, dropout, s, tile, s.keysAcross, s.valuesAcross, batch, head);
    for (int64_t r = 0; r < rows; ++r) {
      Range worked = tile.workedRow(r);
      float *to = s.sums + (part.oneRow ? 0 : query - part.queries.begin + r) * kKeys;
      for (int64_t i = worked.begin; i < worked.end; i += kFloats)
        store(to + i, load(to + i) + load(s.dScores + r * kKeys + i));
    }
  }
}

inline void storeBias(const tw_tensor &dBias, const float *sums, const BiasPart &part) {
  auto at = [&](int dimension, int64_t index) { return dBias.shape[dimension] == 1 ? 0 : index; };
  withFloatType(dBias.type, [&](auto zero) {
    using T = decltype(zero);
    int64_t stride = dBias.strides[3];
    for (int64_t r = 0; r < part.rows(); ++r) {
      T *to = rowOf<T>(dBias, at(0, part.batches.begin), at(1, part.heads.begin), at(2, part.queries.begin + r)) +
              part.firstKey * stride;
      for (int64_t i = 0; i < part.columns; ++i)
        to[i * stride] = fromFloat<T>(sums[r * kKeys + i]);
    }
  });
}

inline void biasPart(const Problem &p, const BackwardOperands &o, const DropoutFactors &dropout, const BiasScratch &s,
                     const BiasPart &part) {
  int64_t headsEach = p.heads / p.groups, packed = -1;
  memset(s.sums, 0, part.rows() * kKeys * sizeof(float));
  for (int64_t batch = part.batches.begin; batch < part.batches.end; ++batch)
    for (int64_t head = part.heads.begin; head < part.heads.end; ++head) {
      int64_t group = head / headsEach;
      if (packed != batch * p.groups + group) {
        loadAcross(s.keysAcross, *p.key, batch, group, part.firstKey, part.columns);
        loadAcross(s.valuesAcross, *p.value, batch, group, part.firstKey, part.columns);
        packed = batch * p.groups + group;
      }
      addHead(p, o, dropout, s, part, batch, head);
    }
  storeBias(*o.dBias, s.sums, part);
}

inline void biasGradient(const Problem &p, const BackwardOperands &o, const DropoutFactors &dropout,
                         const tw_call *call) {
  BiasParts parts(p, *o.dBias);
  int64_t scores = p.batch * p.heads * p.queries * p.keys, count = parts.count();
  int team = teamSize(call->threads, count, count > 0 ? scores / count * p.width / 4 : 0);
  forRanges(team, count, [&](int thread, int64_t begin, int64_t end) {
    BiasScratch scratch = piecesOf<BiasScratch>(p, call, thread);
    for (int64_t task = begin; task < end; ++task)
      biasPart(p, o, dropout, scratch, parts.part(p, *o.dBias, task));
  });
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
