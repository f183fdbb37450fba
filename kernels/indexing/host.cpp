// gather and scatter_add along one axis.
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

/// The whole tensor is [outer, size, inner], the picked one [outer, count, inner].
struct Picking {
  int64_t outer, size, inner, count;
};
int readPicking(const tw_call *call, const tw_tensor &whole, const tw_tensor &indices, const tw_tensor &picked,
                Picking &picking, char *message, size_t capacity) {
  int64_t axis = integer(call, "axis", -1);
  if (axis < 0 || axis >= whole.rank)
    return fail(message, capacity, "axis %lld is not a dimension of a tensor of rank %d", (long long)axis, whole.rank);
  picking = {extent(whole, 0, int(axis)), whole.shape[axis], extent(whole, int(axis) + 1, whole.rank),
             elements(indices)};
  if (picking.outer * picking.count * picking.inner != elements(picked))
    return fail(message, capacity, "%lld indices along axis %lld do not fit the picked tensor's %lld elements",
                (long long)picking.count, (long long)axis, (long long)elements(picked));
  return 0;
}

template <typename Index>
int checkIndices(const Index *indices, const Picking &picking, char *message, size_t capacity) {
  for (int64_t i = 0; i < picking.count; ++i)
    if (indices[i] < -picking.size || indices[i] >= picking.size)
      return fail(message, capacity, "index %lld at position %lld is outside of an axis of size %lld",
                  (long long)indices[i], (long long)i, (long long)picking.size);
  return 0;
}

template <typename T, typename Index>
int gather(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Picking p{};
  if (int status = readPicking(call, call->inputs[0], call->inputs[1], call->outputs[0], p, message, capacity))
    return status;
  const Index *indices = in<Index>(call, 1);
  if (int status = checkIndices(indices, p, message, capacity))
    return status;
  const T *whole = in<T>(call, 0);
  T *picked = static_cast<T *>(call->outputs[0].data);
  parallelFor(call->threads, p.outer * p.count, p.inner, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t index = indices[i % p.count];
      const T *from = whole + (i / p.count * p.size + (index < 0 ? index + p.size : index)) * p.inner;
      if (p.inner == 1)
        picked[i] = *from;
      else
        memcpy(picked + i * p.inner, from, p.inner * sizeof(T));
    }
  });
  return 0;
}

/// Adds in the order of the indices for columns [firstColumn, lastColumn) and destinations [first, last): threads that
/// own different columns or destinations never meet, and the sums do not depend on their number.
template <typename Index>
void scatterPart(const float *updates, const Index *indices, float *whole, const Picking &p, int64_t outer,
                 int64_t first, int64_t last, int64_t firstColumn, int64_t lastColumn) {
  int64_t width = lastColumn - firstColumn;
  for (int64_t at = first; at < last; ++at)
    memset(whole + (outer * p.size + at) * p.inner + firstColumn, 0, width * sizeof(float));
  for (int64_t i = 0; i < p.count; ++i) {
    int64_t index = indices[i] < 0 ? indices[i] + p.size : indices[i];
    if (index < first || index >= last)
      continue;
    const float *from = updates + (outer * p.count + i) * p.inner + firstColumn;
    float *to = whole + (outer * p.size + index) * p.inner + firstColumn;
    for (int64_t c = 0; c < width; ++c)
      to[c] += from[c];
  }
}

template <typename Index>
int scatterAdd(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Picking p{};
  if (int status = readPicking(call, call->outputs[0], call->inputs[1], call->inputs[0], p, message, capacity))
    return status;
  const Index *indices = in<Index>(call, 1);
  if (int status = checkIndices(indices, p, message, capacity))
    return status;
  const float *updates = in(call, 0);
  float *whole = out(call, 0);
  constexpr int64_t columns = 64;
  int64_t cost = (p.size + p.count) * p.inner, groups = (p.inner + columns - 1) / columns;
  if (p.outer >= call->threads) {
    parallelFor(call->threads, p.outer, cost, [&](int, int64_t begin, int64_t end) {
      for (int64_t outer = begin; outer < end; ++outer)
        scatterPart(updates, indices, whole, p, outer, 0, p.size, 0, p.inner);
    });
    return 0;
  }
  for (int64_t outer = 0; outer < p.outer; ++outer) {
    if (groups >= call->threads)
      parallelFor(call->threads, groups, cost / groups, [&](int, int64_t begin, int64_t end) {
        scatterPart(updates, indices, whole, p, outer, 0, p.size, begin * columns,
                    end * columns < p.inner ? end * columns : p.inner);
      });
    else
      parallelFor(call->threads, p.size, cost / (p.size ? p.size : 1), [&](int, int64_t begin, int64_t end) {
        scatterPart(updates, indices, whole, p, outer, begin, end, 0, p.inner);
      });
  }
  return 0;
}

/// Places of each destination as lists: the first place of destination d, then from a place to the next of the same
/// destination, in ascending order; -1 ends a list. 32 bits each, in the workspace: [destinations][places].
struct PlaceLists {
  int32_t *first, *next;
};
size_t listBytes(const tw_call *call) {
  int64_t axis = integer(call, "axis", -1);
  const tw_tensor &whole = call->outputs[0];
  int64_t size = axis < 0 || axis >= whole.rank ? 0 : whole.shape[axis];
  return size_t(size + elements(call->inputs[1])) * sizeof(int32_t);
}
template <typename Index>
void makeLists(const Index *indices, const Picking &p, const PlaceLists &lists) {
  for (int64_t at = 0; at < p.size; ++at)
    lists.first[at] = -1;
  for (int64_t i = p.count - 1; i >= 0; --i) {
    int64_t index = indices[i] < 0 ? indices[i] + p.size : indices[i];
    lists.next[i] = lists.first[index];
    lists.first[index] = int32_t(i);
  }
}

/// Sums of one destination, kColumns at a time, in f32; each is rounded once.
template <typename T, typename Result>
void sumPlaces(const T *updates, const PlaceLists &lists, int64_t at, const Picking &p, Result *to) {
  constexpr int64_t kColumns = 256;
  float sums[kColumns];
  for (int64_t column = 0; column < p.inner; column += kColumns) {
    int64_t width = p.inner - column < kColumns ? p.inner - column : kColumns;
    memset(sums, 0, width * sizeof(float));
    for (int32_t i = lists.first[at]; i >= 0; i = lists.next[i]) {
      const T *from = updates + i * p.inner + column;
      forVectors(width, [&](int64_t c, int64_t lanes) {
        storeSome(sums + c, loadSome(sums + c, lanes) + loadSome(from + c, lanes), lanes);
      });
    }
    forVectors(width, [&](int64_t c, int64_t lanes) { storeSome(to + column + c, loadSome(sums + c, lanes), lanes); });
  }
}

template <typename T, typename Result>
void sumDestinations(const tw_call *call, const PlaceLists &lists, const Picking &p) {
  const T *updates = in<T>(call, 0);
  Result *whole = out<Result>(call, 0);
  int64_t cost = (p.size + p.count) * p.inner / (p.size ? p.size : 1);
  parallelFor(call->threads, p.outer * p.size, cost, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      sumPlaces(updates + i / p.size * p.count * p.inner, lists, i % p.size, p, whole + i * p.inner);
  });
}

/// Half updates; the result is of the same type or f32.
template <typename T, typename Index>
int scatterAddHalf(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Picking p{};
  if (int status = readPicking(call, call->outputs[0], call->inputs[1], call->inputs[0], p, message, capacity))
    return status;
  const Index *indices = in<Index>(call, 1);
  if (int status = checkIndices(indices, p, message, capacity))
    return status;
  if (p.size > INT32_MAX || p.count > INT32_MAX)
    return fail(message, capacity, "scatter_add of half types takes up to 2^31 - 1 indices and places on its axis");
  if (call->workspace_bytes < listBytes(call))
    return fail(message, capacity, "scatter_add needs %zu bytes of workspace, but has %zu", listBytes(call),
                call->workspace_bytes);
  int32_t *memory = static_cast<int32_t *>(call->workspace);
  PlaceLists lists{memory, memory + p.size};
  makeLists(indices, p, lists);
  if (call->outputs[0].type == TW_F32)
    sumDestinations<T, float>(call, lists, p);
  else
    sumDestinations<T, T>(call, lists, p);
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_GATHER(name, type, index, Index)                                                                            \
  TW_RUN(gather_##name##_##index##_host) {                                                                             \
    return gather<type, Index>(call, message, capacity);                                                               \
  }
#define TW_SCATTER_HALF(name, T, index, Index)                                                                         \
  TW_RUN(scatter_add_##name##_##index##_host) {                                                                        \
    return scatterAddHalf<T, Index>(call, message, capacity);                                                          \
  }                                                                                                                    \
  TW_WORKSPACE(scatter_add_##name##_##index##_host) {                                                                  \
    return listBytes(call);                                                                                            \
  }
#define TW_INDEXED(index, Index)                                                                                       \
  TW_GATHER(f32, uint32_t, index, Index)                                                                               \
  TW_GATHER(f64, uint64_t, index, Index)                                                                               \
  TW_GATHER(f16, uint16_t, index, Index)                                                                               \
  TW_GATHER(bf16, uint16_t, index, Index)                                                                              \
  TW_GATHER(i32, uint32_t, index, Index)                                                                               \
  TW_GATHER(i64, uint64_t, index, Index)                                                                               \
  TW_SCATTER_HALF(f16, F16, index, Index)                                                                              \
  TW_SCATTER_HALF(bf16, BF16, index, Index)                                                                            \
  TW_RUN(scatter_add_f32_##index##_host) {                                                                             \
    return scatterAdd<Index>(call, message, capacity);                                                                 \
  }
TW_INDEXED(i32, int32_t)
TW_INDEXED(i64, int64_t)
