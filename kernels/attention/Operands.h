// Rows of attention's operands, which may be f32, f16 or bf16, in and out of the floats that tiles hold; and pieces of
// the workspace.
#ifndef TW_KERNELS_ATTENTION_OPERANDS_H
#define TW_KERNELS_ATTENTION_OPERANDS_H

#include "kernels/attention/Problem.h"
#include "kernels/attention/Tile.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

constexpr int64_t kQueries = 48; // rows of a tile of scores
constexpr int64_t kKeys = 128;   // its columns

template <typename T>
inline T *rowOf(const tw_tensor &tensor, int64_t batch, int64_t head, int64_t row) {
  return static_cast<T *>(tensor.data) + batch * tensor.strides[0] + head * tensor.strides[1] + row * tensor.strides[2];
}

/// Rows [first, first + rows) of a head, padded(width) apart.
inline void loadRows(float *to, const tw_tensor &tensor, int64_t batch, int64_t head, int64_t first, int64_t rows) {
  withFloatType(tensor.type, [&](auto zero) {
    packRows(to, rowOf<const decltype(zero)>(tensor, batch, head, first), tensor.strides[2], rows, tensor.shape[3]);
  });
}
/// The same, transposed in panels.
inline void loadAcross(float *to, const tw_tensor &tensor, int64_t batch, int64_t head, int64_t first, int64_t rows) {
  withFloatType(tensor.type, [&](auto zero) {
    packTransposed(to, rowOf<const decltype(zero)>(tensor, batch, head, first), tensor.strides[2], rows,
                   tensor.shape[3]);
  });
}
/// Stores factor * from as a row of a head.
inline void storeRow(const tw_tensor &tensor, int64_t batch, int64_t head, int64_t row, const float *from,
                     float factor) {
  withFloatType(tensor.type, [&](auto zero) {
    auto *to = rowOf<decltype(zero)>(tensor, batch, head, row);
    forVectors(tensor.shape[3], [&](int64_t i, int64_t lanes) { storeSome(to + i, load(from + i) * factor, lanes); });
  });
}

/// Hands out consecutive pieces of a thread's workspace; counts them alone where there is no memory.
struct Scratch {
  float *memory;
  int64_t used = 0;
  float *take(int64_t count) {
    float *piece = memory ? memory + used : nullptr;
    used += (count + 15) / 16 * 16;
    return piece;
  }
};

/// The floats that a thread's pieces take together.
template <typename Pieces>
inline int64_t floatsOf(const Problem &p) {
  Scratch scratch{nullptr};
  Pieces pieces(p, scratch);
  return scratch.used;
}
template <typename Pieces>
inline Pieces piecesOf(const Problem &p, const tw_call *call, int64_t thread) {
  Scratch scratch{static_cast<float *>(call->workspace) + thread * floatsOf<Pieces>(p)};
  return Pieces(p, scratch);
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
