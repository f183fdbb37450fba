// Copies one strided view into another: what transpose, broadcast, slice, concat and pad come down to.
#ifndef TW_KERNELS_STRUCTURE_COPYVIEW_H
#define TW_KERNELS_STRUCTURE_COPYVIEW_H

#include "kernels/support/Parallel.h"

#include <cstring>

namespace tw::kernels {
inline namespace TW_VARIANT {

/// The same index space walked in two memories. Strides are in elements.
struct Views {
  int rank = 0;
  int64_t shape[TW_MAX_RANK], to[TW_MAX_RANK], from[TW_MAX_RANK];
  void add(int64_t size, int64_t toStride, int64_t fromStride) {
    shape[rank] = size;
    to[rank] = toStride;
    from[rank++] = fromStride;
  }
};

/// Drops dimensions of size 1, orders the others so that writes are sequential, and merges those that walk memory as
/// one. Returns the number of elements.
inline int64_t simplify(Views &views) {
  Views kept;
  int64_t count = 1;
  for (int i = 0; i < views.rank; ++i) {
    count *= views.shape[i];
    if (views.shape[i] == 1)
      continue;
    int64_t size = views.shape[i], to = views.to[i], from = views.from[i];
    int at = kept.rank++;
    for (; at > 0 && (kept.to[at - 1] < 0 ? -kept.to[at - 1] : kept.to[at - 1]) < (to < 0 ? -to : to); --at) {
      kept.shape[at] = kept.shape[at - 1];
      kept.to[at] = kept.to[at - 1];
      kept.from[at] = kept.from[at - 1];
    }
    kept.shape[at] = size;
    kept.to[at] = to;
    kept.from[at] = from;
  }
  views.rank = 0;
  for (int i = 0; i < kept.rank; ++i) {
    int last = views.rank - 1;
    if (last >= 0 && views.to[last] == kept.to[i] * kept.shape[i] && views.from[last] == kept.from[i] * kept.shape[i]) {
      views.shape[last] *= kept.shape[i];
      views.to[last] = kept.to[i];
      views.from[last] = kept.from[i];
    } else {
      views.add(kept.shape[i], kept.to[i], kept.from[i]);
    }
  }
  return count;
}

/// Offsets of the element of that row-major index over the first `rank` dimensions.
inline void locate(const Views &views, int rank, int64_t index, int64_t &to, int64_t &from) {
  to = from = 0;
  for (int i = rank - 1; i >= 0; --i) {
    int64_t at = index % views.shape[i];
    index /= views.shape[i];
    to += at * views.to[i];
    from += at * views.from[i];
  }
}

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
    for (int64_t item = begin; item < end; ++item) {
      int64_t toOffset, fromOffset, first = item % pieces * piece;
      locate(views, inner, item / pieces, toOffset, fromOffset);
      int64_t count = length - first < piece ? length - first : piece;
      copyRun(to + toOffset + first * views.to[inner], views.to[inner], from + fromOffset + first * views.from[inner],
              views.from[inner], count);
    }
  });
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
    for (int64_t item = begin; item < end; ++item) {
      int64_t toOffset, fromOffset, firstRow = item % bands * tile;
      locate(outer, outer.rank, item / bands, toOffset, fromOffset);
      int64_t height = rows - firstRow < tile ? rows - firstRow : tile;
      T *target = to + toOffset + firstRow * toRow;
      const T *source = from + fromOffset + firstRow;
      for (int64_t first = 0; first < columns; first += tile) {
        int64_t last = columns - first < tile ? columns : first + tile;
        for (int64_t r = 0; r < height; ++r)
          for (int64_t c = first; c < last; ++c)
            target[r * toRow + c] = source[r + c * fromColumn];
      }
    }
  });
}

template <typename T>
inline void copyViews(T *to, const T *from, Views views, int threads) {
  int64_t count = simplify(views);
  if (count == 0)
    return;
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
