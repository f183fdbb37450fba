// attention_backward's cotangents of query, key and value. A share of the work has some queries of the heads that use
// one key/value head, and its own sums for that head's keys; where threads outnumber key/value heads, several shares
// work on one, and their sums are added in order.
#ifndef TW_KERNELS_ATTENTION_BACKWARD_H
#define TW_KERNELS_ATTENTION_BACKWARD_H

#include "kernels/attention/Recompute.h"
#include "kernels/support/Parallel.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

struct BackwardScratch : TileScratch {
  float *keysAcross, *valuesAcross, *keys, *dKeys, *dValues, *dQuery;
  BackwardScratch(const Problem &p, Scratch &scratch) : TileScratch(p, scratch) {
    keysAcross = scratch.take(padded(p.keys) * p.width);
    valuesAcross = scratch.take(padded(p.keys) * p.valueWidth);
    keys = scratch.take(p.keys * padded(p.width));
    dKeys = scratch.take(p.keys * padded(p.width));
    dValues = scratch.take(p.keys * padded(p.valueWidth));
    dQuery = scratch.take(kQueries * padded(p.width));
  }
};

/// One tile of scores: adds to dValues, dKeys and dQuery.
inline void backwardTile(const Problem &p, const DropoutFactors &dropout, const BackwardScratch &s, const Tile &tile,
                         int64_t batch, int64_t head) {
  int64_t width = padded(p.width), valueWidth = padded(p.valueWidth);
  recompute(p, dropout, s, tile, s.keysAcross + tile.firstKey * p.width, s.valuesAcross + tile.firstKey * p.valueWidth,
            batch, head);
  // Keys are the rows now, queries the depth.
  auto seers = [&tile](int64_t columns) {
    return [&tile, columns](int64_t j, int height) -> Span {
      Range rows = tile.seers(j, height);
      return {0, columns, rows.begin, rows.end};
    };
  };
  product(tile.columns, {s.scores, 1, kKeys}, s.cotangent, kPanel, valueWidth, s.dValues + tile.firstKey * valueWidth,
          valueWidth, true, seers(valueWidth));
  product(tile.columns, {s.dScores, 1, kKeys}, s.query, kPanel, width, s.dKeys + tile.firstKey * width, width, true,
          seers(width));
  product(tile.rows, {s.dScores, kKeys, 1}, s.keys + tile.firstKey * width, kPanel, width, s.dQuery, width, true,
          [&](int64_t r, int height) -> Span {
            Range worked = tile.worked(r, height);
            return {0, width, worked.begin, worked.end < tile.columns ? worked.end : tile.columns};
          });
}

struct Share {
  int64_t batch, group;
  int64_t part, parts; // tiles of queries `part`, `part + parts` and so on: a causal mask makes later ones larger
};

inline void backwardShare(const Problem &p, const BackwardOperands &o, const DropoutFactors &dropout,
                          const BackwardScratch &s, const Share &share) {
  int64_t width = padded(p.width), headsEach = p.heads / p.groups, tiles = (p.queries + kQueries - 1) / kQueries;
  loadAcross(s.keysAcross, *p.key, share.batch, share.group, 0, p.keys);
  loadAcross(s.valuesAcross, *p.value, share.batch, share.group, 0, p.keys);
  loadRows(s.keys, *p.key, share.batch, share.group, 0, p.keys);
  memset(s.dKeys, 0, p.keys * width * sizeof(float));
  memset(s.dValues, 0, p.keys * padded(p.valueWidth) * sizeof(float));
  for (int64_t item = share.part; item < headsEach * tiles; item += share.parts) {
    int64_t head = share.group * headsEach + item / tiles, query = item % tiles * kQueries;
    int64_t rows = p.queries - query < kQueries ? p.queries - query : kQueries;
    loadQueries(p, o, s, share.batch, head, query, rows);
    memset(s.dQuery, 0, rows * width * sizeof(float));
    forKeyTiles(p, query, rows, [&](const Tile &tile) { backwardTile(p, dropout, s, tile, share.batch, head); });
    for (int64_t r = 0; r < rows; ++r)
      storeRow(*o.dQuery, share.batch, head, query + r, s.dQuery + r * width, p.scale);
  }
}

/// to += from, both of whole panels.
inline void addRow(float *to, const float *from, int64_t width) {
  for (int64_t i = 0; i < width; i += kFloats)
    store(to + i, load(to + i) + load(from + i));
}

/// Adds up key j's sums of the shares that the threads from `first` on hold, and stores them.
inline void storeKey(const Problem &p, const BackwardOperands &o, const tw_call *call, int64_t first,
                     const Share &share, int64_t j) {
  int64_t width = padded(p.width), valueWidth = padded(p.valueWidth);
  BackwardScratch sums = piecesOf<BackwardScratch>(p, call, first);
  for (int64_t part = 1; part < share.parts; ++part) {
    BackwardScratch more = piecesOf<BackwardScratch>(p, call, first + part);
    addRow(sums.dKeys + j * width, more.dKeys + j * width, width);
    addRow(sums.dValues + j * valueWidth, more.dValues + j * valueWidth, valueWidth);
  }
  storeRow(*o.dKey, share.batch, share.group, j, sums.dKeys + j * width, p.scale);
  storeRow(*o.dValue, share.batch, share.group, j, sums.dValues + j * valueWidth, 1);
}

inline void inputGradients(const Problem &p, const BackwardOperands &o, const DropoutFactors &dropout,
                           const tw_call *call) {
  int64_t groups = p.batch * p.groups,
          tiles = p.heads / (p.groups ? p.groups : 1) * ((p.queries + kQueries - 1) / kQueries);
  int team = teamSize(call->threads, groups * (tiles > 0 ? tiles : 1), kQueries * p.keys * p.width / 2);
  int64_t parts = groups > 0 && team / groups > 1 ? team / groups : 1;
  forRanges(parts > 1 ? int(groups * parts) : team, groups * parts, [&](int thread, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Share share = {i / parts / p.groups, i / parts % p.groups, i % parts, parts};
      backwardShare(p, o, dropout, piecesOf<BackwardScratch>(p, call, thread), share);
      for (int64_t j = 0; parts == 1 && j < p.keys; ++j)
        storeKey(p, o, call, thread, share, j);
    }
  });
  if (parts == 1)
    return;
  parallelFor(call->threads, groups * p.keys, parts * (p.width + p.valueWidth), [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t group = i / p.keys;
      storeKey(p, o, call, group * parts, {group / p.groups, group % p.groups, 0, parts}, i % p.keys);
    }
  });
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
