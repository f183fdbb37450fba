// A tile of scores: which of them count, what is added to them, and which probabilities dropout keeps.
#ifndef TW_KERNELS_ATTENTION_SCORES_H
#define TW_KERNELS_ATTENTION_SCORES_H

#include "kernels/attention/Operands.h"
#include "kernels/support/RandomBlocks.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

struct Range {
  int64_t begin, end;
};

/// Queries [firstQuery, +rows) by keys [firstKey, +columns). Columns are counted from firstKey.
struct Tile {
  int64_t firstQuery, rows, firstKey, columns;
  Sight sight;

  int64_t column(int64_t key) const { return key < firstKey ? 0 : key - firstKey < columns ? key - firstKey : columns; }
  /// Columns that row r sees.
  Range seen(int64_t r) const {
    int64_t begin = column(sight.begin(firstQuery + r)), end = column(sight.end(firstQuery + r));
    return {begin < end ? begin : end, end};
  }
  /// Whole panels of columns that the rows [r, r + height) are worked on for.
  Range worked(int64_t r, int64_t height) const {
    return {seen(r).begin / kPanel * kPanel, padded(seen(r + height - 1).end)};
  }
  /// The same for the group of kTileRows rows that r belongs to.
  Range workedRow(int64_t r) const {
    int64_t first = r / kTileRows * kTileRows;
    return worked(first, rows - first < kTileRows ? rows - first : kTileRows);
  }
  /// Rows that see some of the columns [j, j + height).
  Range seers(int64_t j, int64_t height) const {
    int64_t begin = sight.firstQuery(firstKey + j) - firstQuery;
    int64_t end = sight.endQuery(firstKey + j + height - 1, firstQuery + rows) - firstQuery;
    begin = begin < 0 ? 0 : begin < rows ? begin : rows;
    return {begin, end < begin ? begin : end};
  }
};

/// Calls body(tile) for tiles that hold every key that one of the queries sees. They begin at whole panels.
template <typename Body>
inline void forKeyTiles(const Problem &p, int64_t firstQuery, int64_t rows, const Body &body) {
  int64_t last = p.sight.end(firstQuery + rows - 1);
  for (int64_t key = p.sight.begin(firstQuery) / kPanel * kPanel; key < last; key += kKeys)
    body(Tile{firstQuery, rows, key, last - key < kKeys ? last - key : kKeys, p.sight});
}

/// Adds a row of the bias, or hides what it says is hidden.
inline void addBias(float *scores, const tw_tensor &bias, int64_t batch, int64_t head, int64_t query, int64_t firstKey,
                    Range columns) {
  int64_t at[3] = {batch, head, query}, stride = bias.strides[3], offset = firstKey * stride;
  for (int i = 0; i < 3; ++i)
    offset += bias.shape[i] == 1 ? 0 : at[i] * bias.strides[i];
  if (bias.type == TW_BOOL) {
    const uint8_t *mask = static_cast<const uint8_t *>(bias.data) + offset;
    for (int64_t i = columns.begin; i < columns.end; ++i)
      scores[i] = mask[i * stride] ? scores[i] : -INFINITY;
    return;
  }
  withFloatType(bias.type, [&](auto zero) {
    const auto *from = static_cast<const decltype(zero) *>(bias.data) + offset;
    if (stride != 1)
      for (int64_t i = columns.begin; i < columns.end; ++i)
        scores[i] += toFloat(from[i * stride]);
    else
      forVectors(columns.end - columns.begin, [&](int64_t i, int64_t lanes) {
        float *to = scores + columns.begin + i;
        storeSome(to, loadSome(to, lanes) + loadSome(from + columns.begin + i, lanes), lanes);
      });
  });
}

/// Fills what row r does not see with -inf, and adds scale and bias to what it sees. Returns the columns to work on.
inline Range finishScores(float *scores, const Problem &p, const Tile &tile, int64_t r, int64_t batch, int64_t head) {
  Range seen = tile.seen(r), worked = tile.workedRow(r);
  for (int64_t i = worked.begin; i < worked.end; i += kFloats)
    store(scores + i, load(scores + i) * p.scale);
  if (p.bias)
    addBias(scores, *p.bias, batch, head, tile.firstQuery + r, tile.firstKey,
            {worked.begin, worked.end < tile.columns ? worked.end : tile.columns});
  for (int64_t i = worked.begin; i < seen.begin; ++i)
    scores[i] = -INFINITY;
  for (int64_t i = seen.end; i < worked.end; ++i)
    scores[i] = -INFINITY;
  return worked;
}

/// The factors that dropout multiplies probabilities with: 0 or 1 / (1 - ratio).
struct DropoutFactors {
  static constexpr int64_t kChunk = 4 * kFloats, kMost = kKeys + 4 + kChunk; // elements drawn at a time, of a row
  bool active;
  RandomStream stream{};
  uint64_t row = 0;
  const Problem &p;

  /// Reads seed, step and row.
  explicit DropoutFactors(const Problem &p) : active(p.dropout.seed), p(p) {
    if (!active)
      return;
    stream = {uint64_t(*p.dropout.seed), uint64_t(*p.dropout.step), p.dropout.id};
    row = uint64_t(*p.dropout.row);
  }

  /// Of the query's keys [firstKey, firstKey + count), count being at most kKeys; a pointer into the buffer of kMost.
  const float *factors(float *buffer, int64_t batch, int64_t head, int64_t query, int64_t firstKey,
                       int64_t count) const {
    uint64_t headsBefore = (row + uint64_t(batch)) * uint64_t(p.heads) + uint64_t(head);
    uint64_t rowsBefore = headsBefore * uint64_t(p.queries) + uint64_t(query);
    uint64_t element = rowsBefore * uint64_t(p.keys) + uint64_t(firstKey);
    int64_t lead = int64_t(element % 4); // a block is four elements
    int32_t threshold = int32_t(p.dropout.threshold);
    float kept = p.dropout.factor;
    for (int64_t done = 0; done < lead + count; done += kChunk) {
      uint32_t words[kChunk];
      randomBlocks<int(kFloats)>(stream, (element + uint64_t(done)) / 4, words);
      for (int64_t i = 0; i < kChunk; ++i)
        buffer[done + i] = int32_t(words[i] >> 8) >= threshold ? kept : 0.0f;
    }
    return buffer + lead;
  }
};

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
