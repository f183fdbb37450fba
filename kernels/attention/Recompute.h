// What the backward pass recomputes from logsumexp for a tile: dropped probabilities and the cotangents of scores.
#ifndef TW_KERNELS_ATTENTION_RECOMPUTE_H
#define TW_KERNELS_ATTENTION_RECOMPUTE_H

#include "kernels/attention/Scores.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

/// Rows of one tile of queries, and the tile.
struct TileScratch {
  float *query, *cotangent, *scores, *dScores, *deltas, *logs;
  TileScratch(const Problem &p, Scratch &scratch) {
    query = scratch.take(kQueries * padded(p.width));
    cotangent = scratch.take(kQueries * padded(p.valueWidth));
    scores = scratch.take(kQueries * kKeys);
    dScores = scratch.take(kQueries * kKeys);
    deltas = scratch.take(kQueries);
    logs = scratch.take(kQueries);
  }
};

/// Packs queries and cotangents, and computes delta = rowsum(dy * y).
inline void loadQueries(const Problem &p, const BackwardOperands &o, const TileScratch &s, int64_t batch, int64_t head,
                        int64_t first, int64_t rows) {
  loadRows(s.query, *p.query, batch, head, first, rows);
  loadRows(s.cotangent, *o.cotangent, batch, head, first, rows);
  const tw_tensor &logs = *o.logsumexp;
  const float *logsumexp = static_cast<const float *>(logs.data) + batch * logs.strides[0] + head * logs.strides[1];
  for (int64_t r = 0; r < rows; ++r) {
    const float *dy = s.cotangent + r * padded(p.valueWidth);
    s.deltas[r] = withFloatType(o.result->type, [&](auto zero) {
      const auto *y = rowOf<const decltype(zero)>(*o.result, batch, head, first + r);
      return sumOver(p.valueWidth,
                     [&](int64_t i, int64_t lanes) { return loadSome(dy + i, lanes) * loadSome(y + i, lanes); });
    });
    float value = logsumexp[(first + r) * logs.strides[2]];
    s.logs[r] = value == -INFINITY ? INFINITY : value; // a row that sees nothing has no probabilities
  }
}

/// Groups of keys read columns beside those that a row was worked on for, by less than a panel: zeros there.
inline void clearBeside(float *row, Range worked) {
  if (worked.begin > 0)
    memset(row + worked.begin - kPanel, 0, kPanel * sizeof(float));
  if (worked.end < kKeys)
    memset(row + worked.end, 0, kPanel * sizeof(float));
}

/// p = exp(scores - logsumexp), ds = p (m dp - delta), row by row; leaves m p and ds. Without dropout m is 1.
inline void probabilities(const Problem &p, const DropoutFactors &dropout, const TileScratch &s, const Tile &tile,
                          int64_t batch, int64_t head) {
  for (int64_t r = 0; r < tile.rows; ++r) {
    float *scores = s.scores + r * kKeys, *dScores = s.dScores + r * kKeys;
    Range worked = finishScores(scores, p, tile, r, batch, head);
    float shift = s.logs[r], delta = s.deltas[r];
    if (dropout.active) {
      float buffer[DropoutFactors::kMost];
      const float *factors = dropout.factors(buffer, batch, head, tile.firstQuery + r, tile.firstKey + worked.begin,
                                             worked.end - worked.begin);
      for (int64_t i = worked.begin; i < worked.end; i += kFloats) {
        Floats probability = exponential(load(scores + i) - shift), factor = load(factors + i - worked.begin);
        store(scores + i, probability * factor);
        store(dScores + i, probability * (load(dScores + i) * factor - delta));
      }
    } else {
      for (int64_t i = worked.begin; i < worked.end; i += kFloats) {
        Floats probability = exponential(load(scores + i) - shift);
        store(scores + i, probability);
        store(dScores + i, probability * (load(dScores + i) - delta));
      }
    }
    clearBeside(scores, worked);
    clearBeside(dScores, worked);
  }
}

/// Scores and their cotangents, from keys and values that are packed across from the tile's first key on.
inline void recompute(const Problem &p, const DropoutFactors &dropout, const TileScratch &s, const Tile &tile,
                      const float *keysAcross, const float *valuesAcross, int64_t batch, int64_t head) {
  auto wholeRows = [&tile](int64_t depth) {
    return [&tile, depth](int64_t r, int height) -> Span {
      Range worked = tile.worked(r, height);
      return {worked.begin, worked.end, 0, depth};
    };
  };
  product(tile.rows, {s.query, padded(p.width), 1}, keysAcross, kPanel * p.width, kPanel, s.scores, kKeys, false,
          wholeRows(p.width));
  product(tile.rows, {s.cotangent, padded(p.valueWidth), 1}, valuesAcross, kPanel * p.valueWidth, kPanel, s.dScores,
          kKeys, false, wholeRows(p.valueWidth));
  probabilities(p, dropout, s, tile, batch, head);
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
