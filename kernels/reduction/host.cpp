// reduce: sum, max, min and prod over any dimensions.
//
// Neighbouring dimensions of one kind are merged; what remains is one of two loops. When the innermost dimension is
// reduced, each result sums "runs" of consecutive elements; when it is kept, each result row sums rows of that width.
// Up to kBlock elements accumulate in the element's type (f32 for half types), blocks accumulate in double (int64 for
// integers).
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Vector.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

constexpr int64_t kBlock = 4096;   // elements of a run
constexpr int64_t kRowBlock = 128; // rows of a column sum

template <typename T>
struct Limits;
template <>
struct Limits<float> {
  using Accumulator = double;
  static constexpr float lowest = -INFINITY, highest = INFINITY;
};
template <>
struct Limits<double> {
  using Accumulator = double;
  static constexpr double lowest = -INFINITY, highest = INFINITY;
};
template <>
struct Limits<int32_t> {
  using Accumulator = int64_t;
  static constexpr int32_t lowest = INT32_MIN, highest = INT32_MAX;
};
template <>
struct Limits<int64_t> {
  using Accumulator = int64_t;
  static constexpr int64_t lowest = INT64_MIN, highest = INT64_MAX;
};

/// What elements of a storage type are computed in.
template <typename E>
struct ComputedIn {
  using type = E;
};
template <>
struct ComputedIn<F16> {
  using type = float;
};
template <>
struct ComputedIn<BF16> {
  using type = float;
};
template <typename E>
using Computed = typename ComputedIn<E>::type;
template <typename E>
using AccumulatorOf = typename Limits<Computed<E>>::Accumulator;
template <typename E>
constexpr bool kIsHalf = kTypeOf<E> == TW_F16 || kTypeOf<E> == TW_BF16;

template <typename E>
inline Computed<E> computed(E element) {
  if constexpr (kIsHalf<E>)
    return toFloat(element);
  else
    return element;
}

struct Sum {
  template <typename V>
  static V combine(V a, V b) {
    return a + b;
  }
  template <typename T>
  static constexpr T identity = T(0);
};
struct Prod {
  template <typename V>
  static V combine(V a, V b) {
    return a * b;
  }
  template <typename T>
  static constexpr T identity = T(1);
};
// Max and Min let NaN through.
struct Max {
  template <typename V>
  static V combine(V a, V b) {
    return (b > a) | (b != b) ? b : a;
  }
  template <typename T>
  static constexpr T identity = Limits<T>::lowest;
};
struct Min {
  template <typename V>
  static V combine(V a, V b) {
    return (b < a) | (b != b) ? b : a;
  }
  template <typename T>
  static constexpr T identity = Limits<T>::highest;
};

/// The loops: kept dimensions and reduced dimensions, outermost first, with the input's strides.
struct Loops {
  struct Dimension {
    int64_t size, stride;
  };
  Dimension kept[TW_MAX_RANK], reduced[TW_MAX_RANK];
  int keptRank = 0, reducedRank = 0;
  int64_t results = 1; // all kept elements
  bool runs = false;   // the innermost dimension is reduced
  int64_t length = 1;  // of the innermost dimension
  int64_t groups = 1;  // result elements (runs) or result rows (columns)
  int64_t repeats = 1; // runs or rows of one group

  static int64_t offset(const Dimension *dimensions, int rank, int64_t index) {
    int64_t at = 0;
    for (int i = rank - 1; i >= 0; --i) {
      at += index % dimensions[i].size * dimensions[i].stride;
      index /= dimensions[i].size;
    }
    return at;
  }
  int64_t groupOffset(int64_t group) const { return offset(kept, keptRank, group); }
  int64_t repeatOffset(int64_t repeat) const { return offset(reduced, reducedRank, repeat); }
};

bool isReduced(const tw_call *call, int dimension) {
  const tw_attribute *dimensions = findAttribute(call, "dimensions");
  for (int64_t i = 0; dimensions && i < dimensions->count; ++i)
    if (dimensions->ints[i] == dimension)
      return true;
  return false;
}

Loops makeLoops(const tw_call *call) {
  const tw_tensor &input = call->inputs[0];
  Loops loops;
  bool kinds[TW_MAX_RANK];
  Loops::Dimension merged[TW_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < input.rank; ++i) {
    if (input.shape[i] == 1)
      continue;
    bool reduced = isReduced(call, i);
    int64_t stride = extent(input, i + 1, input.rank);
    if (rank > 0 && kinds[rank - 1] == reduced) {
      merged[rank - 1].size *= input.shape[i];
      merged[rank - 1].stride = stride;
    } else {
      kinds[rank] = reduced;
      merged[rank++] = {input.shape[i], stride};
    }
  }
  if (rank > 0) {
    loops.runs = kinds[rank - 1];
    loops.length = merged[rank - 1].size;
  }
  for (int i = 0; i < rank; ++i) {
    if (!kinds[i])
      loops.results *= merged[i].size;
    if (i == rank - 1)
      break;
    (kinds[i] ? loops.reduced[loops.reducedRank++] : loops.kept[loops.keptRank++]) = merged[i];
    (kinds[i] ? loops.repeats : loops.groups) *= merged[i].size;
  }
  return loops;
}

/// Combines consecutive elements, at most kBlock of them.
template <typename Op, typename E, typename T = Computed<E>>
T combineRun(const E *from, int64_t count) {
  using V = Vector<T>;
  constexpr int64_t lanes = kLanes<T>;
  V a = fill<T>(Op::template identity<T>), b = a, c = a, d = a;
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    a = Op::combine(a, load(from + i));
    b = Op::combine(b, load(from + i + lanes));
    c = Op::combine(c, load(from + i + 2 * lanes));
    d = Op::combine(d, load(from + i + 3 * lanes));
  }
  for (; i + lanes <= count; i += lanes)
    a = Op::combine(a, load(from + i));
  a = Op::combine(Op::combine(a, b), Op::combine(c, d));
  T result = Op::template identity<T>;
  for (; i < count; ++i)
    result = Op::combine(result, computed(from[i]));
  for (int64_t lane = 0; lane < lanes; ++lane)
    result = Op::combine(result, T(a[lane]));
  return result;
}

/// Pieces [first, last) of one group, a piece being up to kBlock elements of one run.
template <typename Op, typename E>
AccumulatorOf<E> combineRuns(const Loops &loops, const E *from, int64_t first, int64_t last) {
  int64_t pieces = (loops.length + kBlock - 1) / kBlock;
  AccumulatorOf<E> total = Op::template identity<Computed<E>>;
  for (int64_t piece = first; piece < last; ++piece) {
    int64_t begin = piece % pieces * kBlock, count = loops.length - begin;
    const E *run = from + loops.repeatOffset(piece / pieces) + begin;
    total = Op::combine(total, AccumulatorOf<E>(combineRun<Op>(run, count < kBlock ? count : kBlock)));
  }
  return total;
}

constexpr int64_t kTileBytes = 256;
template <typename E>
constexpr int64_t kTile = kTileBytes / int64_t(sizeof(Computed<E>));

/// to[i] = to[i] combined with row[i].
template <typename Op, typename E>
inline void combineRow(Computed<E> *to, const E *row, int64_t width) {
  if constexpr (kIsHalf<E>)
    forVectors(width, [&](int64_t i, int64_t lanes) {
      storeSome(to + i, Op::combine(loadSome(to + i, lanes), loadSome(row + i, lanes)), lanes);
    });
  else
    for (int64_t i = 0; i < width; ++i)
      to[i] = Op::combine(to[i], row[i]);
}

/// Rows [first, last) of one group, for `width` <= kTile columns.
template <typename Op, typename E>
void combineRows(const Loops &loops, const E *from, int64_t width, int64_t first, int64_t last,
                 AccumulatorOf<E> *totals) {
  using T = Computed<E>;
  for (int64_t i = 0; i < width; ++i)
    totals[i] = Op::template identity<T>;
  for (int64_t block = first; block < last; block += kRowBlock) {
    T partial[kTile<E>];
    for (T &value : partial)
      value = Op::template identity<T>;
    int64_t end = last - block < kRowBlock ? last : block + kRowBlock;
    for (int64_t row = block; row < end; ++row) {
      const E *at = from + loops.repeatOffset(row);
      if (width == kTile<E>)
        combineRow<Op>(partial, at, kTile<E>);
      else
        combineRow<Op>(partial, at, width);
    }
    for (int64_t i = 0; i < width; ++i)
      totals[i] = Op::combine(totals[i], AccumulatorOf<E>(partial[i]));
  }
}

/// How the work is cut: over results, or, when there are too few, over parts of each reduction.
struct Cut {
  int64_t tasks;    // independent results or column tiles
  int64_t elements; // reduced by one of them
  int64_t splits;   // what one task can be cut into
  int parts;        // 1: no cut
};
template <typename E>
Cut makeCut(const Loops &loops, int threads) {
  Cut cut;
  int64_t tiles = (loops.length + kTile<E> - 1) / kTile<E>;
  cut.tasks = loops.runs ? loops.groups : loops.groups * tiles;
  cut.splits = loops.runs ? loops.repeats * ((loops.length + kBlock - 1) / kBlock) : loops.repeats;
  cut.elements = loops.runs ? loops.repeats * loops.length : loops.repeats * (loops.length / (tiles ? tiles : 1));
  bool few = cut.tasks < 2 * threads && cut.splits >= threads;
  cut.parts = few ? teamSize(threads, cut.splits, cut.elements * cut.tasks / (cut.splits ? cut.splits : 1)) : 1;
  return cut;
}

/// Task `task` over splits [first, last) into totals, which is indexed by result.
template <typename Op, typename E>
void runTask(const Loops &loops, const E *input, int64_t task, int64_t first, int64_t last, AccumulatorOf<E> *totals,
             int64_t &begin, int64_t &end) {
  if (loops.runs) {
    begin = task;
    end = task + 1;
    totals[0] = combineRuns<Op>(loops, input + loops.groupOffset(task), first, last);
    return;
  }
  int64_t tiles = (loops.length + kTile<E> - 1) / kTile<E>, column = task % tiles * kTile<E>;
  int64_t width = loops.length - column < kTile<E> ? loops.length - column : kTile<E>;
  begin = task / tiles * loops.length + column;
  end = begin + width;
  combineRows<Op>(loops, input + loops.groupOffset(task / tiles) + column, width, first, last, totals);
}

/// The output: of the input's type, or f32 for half inputs.
template <typename E>
struct Results {
  E *same;
  float *wide; // null: `same`
  explicit Results(const tw_tensor &tensor)
      : same(static_cast<E *>(tensor.data)),
        wide(kIsHalf<E> && tensor.type == TW_F32 ? static_cast<float *>(tensor.data) : nullptr) {}
  void set(int64_t i, AccumulatorOf<E> value) const {
    if constexpr (kIsHalf<E>) {
      if (wide)
        wide[i] = float(value);
      else
        same[i] = fromFloat<E>(float(value));
    } else {
      same[i] = E(value);
    }
  }
};

template <typename Op, typename E>
int reduceBy(const tw_call *call, char *message, size_t capacity) {
  using Accumulator = AccumulatorOf<E>;
  Loops loops = makeLoops(call);
  const E *input = static_cast<const E *>(call->inputs[0].data);
  Results<E> output(call->outputs[0]);
  if (loops.results != elements(call->outputs[0]))
    return fail(message, capacity, "reduce has %lld results, but its output has %lld elements",
                (long long)loops.results, (long long)elements(call->outputs[0]));
  Cut cut = makeCut<E>(loops, call->threads);
  if (cut.parts <= 1) {
    parallelFor(call->threads, cut.tasks, cut.elements, [&](int, int64_t first, int64_t last) {
      Accumulator totals[kTile<E>];
      for (int64_t task = first; task < last; ++task) {
        int64_t begin, end;
        runTask<Op>(loops, input, task, 0, cut.splits, totals, begin, end);
        for (int64_t i = begin; i < end; ++i)
          output.set(i, totals[i - begin]);
      }
    });
    return 0;
  }
  if (call->workspace_bytes < cut.parts * loops.results * sizeof(Accumulator))
    return fail(message, capacity, "reduce needs %zu bytes of workspace, but has %zu",
                size_t(cut.parts * loops.results * sizeof(Accumulator)), call->workspace_bytes);
  Accumulator *partials = static_cast<Accumulator *>(call->workspace);
  forRanges(cut.parts, cut.splits, [&](int part, int64_t first, int64_t last) {
    for (int64_t task = 0; task < cut.tasks; ++task) {
      Accumulator totals[kTile<E>];
      int64_t begin, end;
      runTask<Op>(loops, input, task, first, last, totals, begin, end);
      for (int64_t i = begin; i < end; ++i)
        partials[part * loops.results + i] = totals[i - begin];
    }
  });
  for (int64_t i = 0; i < loops.results; ++i) {
    Accumulator total = partials[i];
    for (int part = 1; part < cut.parts; ++part)
      total = Op::combine(total, partials[part * loops.results + i]);
    output.set(i, total);
  }
  return 0;
}

template <typename E>
int reduce(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_attribute *kind = findAttribute(call, "kind");
  const char *name = kind && kind->string ? kind->string : "none";
  if (strcmp(name, "sum") == 0)
    return reduceBy<Sum, E>(call, message, capacity);
  if (strcmp(name, "max") == 0)
    return reduceBy<Max, E>(call, message, capacity);
  if (strcmp(name, "min") == 0)
    return reduceBy<Min, E>(call, message, capacity);
  if (strcmp(name, "prod") == 0)
    return reduceBy<Prod, E>(call, message, capacity);
  return fail(message, capacity, "reduce knows sum, max, min and prod, not '%s'", name);
}

template <typename E>
size_t reduceWorkspace(const tw_call *call) {
  Loops loops = makeLoops(call);
  Cut cut = makeCut<E>(loops, call->threads);
  return cut.parts <= 1 ? 0 : cut.parts * loops.results * sizeof(AccumulatorOf<E>);
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_REDUCE(name, type)                                                                                          \
  TW_RUN(name) {                                                                                                       \
    return reduce<type>(call, message, capacity);                                                                      \
  }                                                                                                                    \
  TW_WORKSPACE(name) {                                                                                                 \
    return reduceWorkspace<type>(call);                                                                                \
  }
TW_REDUCE(reduce_f32_host, float)
TW_REDUCE(reduce_f64_host, double)
TW_REDUCE(reduce_f16_host, F16)
TW_REDUCE(reduce_bf16_host, BF16)
TW_REDUCE(reduce_i32_host, int32_t)
TW_REDUCE(reduce_i64_host, int64_t)
