// Copies one strided view into another on the host.
#ifndef TW_KERNELS_STRUCTURE_COPYVIEW_H
#define TW_KERNELS_STRUCTURE_COPYVIEW_H

#include "kernels/structure/Views.h"
#include "kernels/support/Parallel.h"

#include <cstring>

namespace tw::kernels {
inline namespace TW_VARIANT {

/// Walks the row-major index space of the first `rank` dimensions, keeping both offsets.
struct Walk {
  const Views &views;
  int rank;
  int64_t at[TW_MAX_RANK], to, from;
  Walk(const Views &views, int rank, int64_t index) : views(views), rank(rank), to(0), from(0) {
    for (int i = rank - 1; i >= 0; --i) {
      at[i] = index % views.shape[i];
      index /= views.shape[i];
      to += at[i] * views.to[i];
      from += at[i] * views.from[i];
    }
  }
  void next() {
    for (int i = rank - 1; i >= 0; --i) {
      to += views.to[i];
      from += views.from[i];
      if (++at[i] < views.shape[i])
        return;
      to -= at[i] * views.to[i];
      from -= at[i] * views.from[i];
      at[i] = 0;
    }
  }
};

template <typename T>
inline void copyRun(T *to, int64_t toStride, const T *from, int64_t fromStride, int64_t count) {
  if (toStride == 1 && fromStride == 1) {
    memcpy(to, from, count * sizeof(T));
  } else if (toStride == 1 && fromStride == 0) {
    T value = *from;
    for (int64_t i = 0; i < count; ++i)
      to[i] = value;
  } else {
    for (int64_t i = 0; i < count; ++i)
      to[i * toStride] = from[i * fromStride];
  }
}

/// Rows of the innermost dimension, cut into pieces so that one long row keeps all threads busy.
template <typename T>
inline void copyRows(T *to, const T *from, const Views &views, int threads) {
  int inner = views.rank - 1;
  int64_t length = views.shape[inner], rows = 1;
  for (int i = 0; i < inner; ++i)
    rows *= views.shape[i];
  int64_t piece = length > kGrainElements ? kGrainElements : length;
  int64_t pieces = (length + piece - 1) / piece;
  parallelFor(threads, rows * pieces, piece, [&](int, int64_t begin, int64_t end) {
    Walk walk(views, inner, begin / pieces);
    for (int64_t item = begin; item < end; ++item) {
      int64_t first = item % pieces * piece, count = length - first < piece ? length - first : piece;
      copyRun(to + walk.to + first * views.to[inner], views.to[inner], from + walk.from + first * views.from[inner],
              views.from[inner], count);
      if (first + count == length)
        walk.next();
    }
  });
}

/// An 8 x 8 block of 4-byte elements through registers: rows are read, pairs, quads and halves interleaved.
template <typename T>
inline void transpose8x8(T *to, int64_t toRow, const T *from, int64_t fromRow) {
  typedef uint32_t Row __attribute__((vector_size(32)));
  Row r[8], s[8];
  for (int i = 0; i < 8; ++i)
    memcpy(&r[i], from + i * fromRow, sizeof(Row));
  for (int i = 0; i < 4; ++i) {
    s[2 * i] = __builtin_shuffle(r[2 * i], r[2 * i + 1], Row{0, 8, 1, 9, 4, 12, 5, 13});
    s[2 * i + 1] = __builtin_shuffle(r[2 * i], r[2 * i + 1], Row{2, 10, 3, 11, 6, 14, 7, 15});
  }
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 2; ++i) {
      Row a = s[4 * half + i], b = s[4 * half + 2 + i];
      r[4 * half + 2 * i] = __builtin_shuffle(a, b, Row{0, 1, 8, 9, 4, 5, 12, 13});
      r[4 * half + 2 * i + 1] = __builtin_shuffle(a, b, Row{2, 3, 10, 11, 6, 7, 14, 15});
    }
  for (int i = 0; i < 4; ++i) {
    s[i] = __builtin_shuffle(r[i], r[4 + i], Row{0, 1, 2, 3, 8, 9, 10, 11});
    s[4 + i] = __builtin_shuffle(r[i], r[4 + i], Row{4, 5, 6, 7, 12, 13, 14, 15});
  }
  for (int i = 0; i < 8; ++i)
    memcpy(to + i * toRow, &s[i], sizeof(Row));
}

/// to[r][c] = from[c][r] for a tile.
template <typename T>
inline void transposeTile(T *to, int64_t toRow, const T *from, int64_t fromRow, int64_t rows, int64_t columns) {
  int64_t blockRows = 0;
  if constexpr (sizeof(T) == 4) {
    int64_t blockColumns = columns / 8 * 8;
    blockRows = rows / 8 * 8;
    // Blocks of 16 x 16, so that whole cache lines are read and written while they are there: strides are often powers
    // of two, and then few lines fit at a time.
    for (int64_t c0 = 0; c0 < blockColumns; c0 += 16)
      for (int64_t r = 0; r < blockRows; r += 8)
        for (int64_t c = c0; c < blockColumns && c < c0 + 16; c += 8)
          transpose8x8(to + r * toRow + c, toRow, from + c * fromRow + r, fromRow);
    for (int64_t r = 0; r < blockRows; ++r)
      for (int64_t c = blockColumns; c < columns; ++c)
        to[r * toRow + c] = from[c * fromRow + r];
  }
  for (int64_t r = blockRows; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      to[r * toRow + c] = from[c * fromRow + r];
}

/// The source is sequential in dimension `across`, the destination in the last one: square tiles that stay in L1.
template <typename T>
inline void copyTiles(T *to, const T *from, const Views &views, int across, int threads) {
  constexpr int64_t tile = 128 / sizeof(T) > 32 ? 32 : 128 / sizeof(T);
  int inner = views.rank - 1;
  Views outer;
  for (int i = 0; i < inner; ++i)
    if (i != across)
      outer.add(views.shape[i], views.to[i], views.from[i]);
  int64_t rows = views.shape[across], columns = views.shape[inner], outerCount = 1;
  for (int i = 0; i < outer.rank; ++i)
    outerCount *= outer.shape[i];
  int64_t bands = (rows + tile - 1) / tile, toRow = views.to[across], fromColumn = views.from[inner];
  parallelFor(threads, outerCount * bands, tile * columns, [&](int, int64_t begin, int64_t end) {
    Walk walk(outer, outer.rank, begin / bands);
    for (int64_t item = begin; item < end; ++item) {
      int64_t firstRow = item % bands * tile, height = rows - firstRow < tile ? rows - firstRow : tile;
      T *target = to + walk.to + firstRow * toRow;
      const T *source = from + walk.from + firstRow;
      for (int64_t first = 0; first < columns; first += tile)
        transposeTile(target + first, toRow, source + first * fromColumn, fromColumn, height,
                      columns - first < tile ? columns - first : tile);
      if (item % bands == bands - 1)
        walk.next();
    }
  });
}

template <typename T>
inline void copyViews(T *to, const T *from, Views views, int threads) {
  int64_t count = simplify(views);
  if (count == 0)
    return;
  to += views.toStart;
  from += views.fromStart;
  if (views.rank == 0) {
    *to = *from;
    return;
  }
  int inner = views.rank - 1;
  if (views.to[inner] == 1 && views.from[inner] != 1 && views.from[inner] != 0)
    for (int i = 0; i < inner; ++i)
      if (views.from[i] == 1)
        return copyTiles(to, from, views, i, threads);
  copyRows(to, from, views, threads);
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
