// Small matrix products on packed tiles. All columns are padded to kPanel, so there are no column remainders.
#ifndef TW_KERNELS_ATTENTION_TILE_H
#define TW_KERNELS_ATTENTION_TILE_H

#include "kernels/support/Half.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

constexpr int64_t kPanelVectors = 2;
constexpr int64_t kPanel = kPanelVectors * kFloats; // columns of a register tile
#if defined(__AVX512F__)
constexpr int kTileRows = 12; // rows of a register tile: 24 accumulators of 32 registers
#else
constexpr int kTileRows = 6; // 12 accumulators of 16 registers
#endif

inline int64_t padded(int64_t columns) {
  return (columns + kPanel - 1) / kPanel * kPanel;
}

/// A matrix read one element at a time: element (i, k) is data[i * row + k * column].
struct Left {
  const float *data;
  int64_t row, column;
};

/// c (+)= a * b for R rows and kPanel columns; b's rows are `bPitch` apart, c's `cPitch`. What c holds is added last:
/// sums of sums lose less to rounding than one long sum does.
template <int R>
inline void tileProduct(int64_t depth, const Left &a, const float *b, int64_t bPitch, float *c, int64_t cPitch,
                        bool accumulate) {
  Floats sum[R][kPanelVectors];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kPanelVectors; ++v)
      sum[r][v] = Floats{};
  const float *left = a.data;
  for (int64_t k = 0; k < depth; ++k, left += a.column, b += bPitch) {
    Floats right[kPanelVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kPanelVectors; ++v)
      right[v] = load(b + v * kFloats);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      Floats value = fill(left[r * a.row]);
#pragma GCC unroll 2
      for (int v = 0; v < kPanelVectors; ++v)
        sum[r][v] += value * right[v];
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kPanelVectors; ++v)
      store(c + r * cPitch + v * kFloats, accumulate ? load(c + r * cPitch + v * kFloats) + sum[r][v] : sum[r][v]);
}

/// The same for 1 to R rows.
template <int R>
inline void tileProductRows(int rows, int64_t depth, const Left &a, const float *b, int64_t bPitch, float *c,
                            int64_t cPitch, bool accumulate) {
  if (rows == R)
    return tileProduct<R>(depth, a, b, bPitch, c, cPitch, accumulate);
  if constexpr (R > 1)
    tileProductRows<R - 1>(rows, depth, a, b, bPitch, c, cPitch, accumulate);
}

/// What a group of kTileRows rows takes part in: columns [firstColumn, endColumn) of c, firstColumn being a multiple of
/// kPanel, and [begin, end) of the depth.
struct Span {
  int64_t firstColumn, endColumn, begin, end;
};

/// c (+)= a * b over `rows` rows; span(first row, rows) bounds each row group's work (masks by place leave out the
/// rest). Column panel p of b starts at b + p * panelStride, with rows bPitch apart.
template <typename SpanOf>
inline void product(int64_t rows, Left a, const float *b, int64_t panelStride, int64_t bPitch, float *c, int64_t cPitch,
                    bool accumulate, const SpanOf &spanOf) {
  for (int64_t row = 0; row < rows; row += kTileRows) {
    int height = int(rows - row < kTileRows ? rows - row : kTileRows);
    Span span = spanOf(row, height);
    if (span.end <= span.begin && accumulate)
      continue;
    Left part = {a.data + row * a.row + span.begin * a.column, a.row, a.column};
    for (int64_t column = span.firstColumn; column < span.endColumn; column += kPanel)
      tileProductRows<kTileRows>(height, span.end - span.begin, part,
                                 b + column / kPanel * panelStride + span.begin * bPitch, bPitch,
                                 c + row * cPitch + column, cPitch, accumulate);
  }
}

/// to[r][0 .. padded(width)) = from[r][0 .. width) as float, zero-padded.
template <typename T>
inline void packRows(float *to, const T *from, int64_t fromPitch, int64_t rows, int64_t width) {
  int64_t pitch = padded(width);
  for (int64_t r = 0; r < rows; ++r, to += pitch, from += fromPitch) {
    int64_t i = 0;
    for (; i + kFloats <= width; i += kFloats)
      store(to + i, load(from + i));
    if (i < width) {
      store(to + i, loadSome(from + i, width - i));
      i += kFloats;
    }
    for (; i < pitch; i += kFloats)
      store(to + i, Floats{});
  }
}

/// The transpose in panels: to[p][k][c] = from[p * kPanel + c][k] as float, zero-padded to whole panels.
template <typename T>
inline void packTransposed(float *to, const T *from, int64_t fromPitch, int64_t rows, int64_t width) {
  constexpr int64_t depth = 16;
  float block[kPanel][depth];
  for (int64_t first = 0; first < rows; first += kPanel, to += kPanel * width) {
    int64_t count = rows - first < kPanel ? rows - first : kPanel;
    if (count < kPanel)
      memset(block, 0, sizeof block);
    for (int64_t k0 = 0; k0 < width; k0 += depth) {
      int64_t taken = width - k0 < depth ? width - k0 : depth;
      for (int64_t c = 0; c < count; ++c) {
        const T *row = from + (first + c) * fromPitch + k0;
        for (int64_t k = 0; k < taken; k += kFloats)
          store(&block[c][k], loadSome(row + k, taken - k < kFloats ? taken - k : kFloats));
      }
      for (int64_t k = 0; k < taken; ++k)
        for (int64_t c = 0; c < kPanel; ++c)
          to[(k0 + k) * kPanel + c] = block[c][k];
    }
  }
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
