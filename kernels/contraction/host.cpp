// Matrix products of half types, computed in f32: a task is a block of the result. It widens blocks of both operands,
// lets BLAS add their product to an f32 block, and rounds that once when the sum is complete. A widened element takes
// part in hundreds of multiplications, so that widening costs a few percent and no matrix is ever whole in f32.
#include "kernels/contraction/Product.h"
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

using namespace contraction;

/// Largest blocks: of the result, and of the sum.
constexpr int64_t kRows = 256, kColumns = 512, kDepth = 512;
/// What a block is not cut below to give each thread the same number of blocks.
constexpr int64_t kLeast = 64;

inline int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
inline int64_t partsOf(int64_t size, int64_t largest) {
  return (size + largest - 1) / largest;
}

struct Blocks {
  int64_t rows, columns, depth; // of a block; the last ones may be smaller
  int64_t rowParts, columnParts, depthParts, tasks;

  /// Floats of a thread's three blocks: of lhs, of rhs, of the result.
  int64_t lhsSize() const { return rows * depth; }
  int64_t rhsSize() const { return depth * columns; }
  int64_t scratch() const { return (lhsSize() + rhsSize() + rows * columns + 15) / 16 * 16; }
};

/// More parts where that gives every thread as many blocks.
int64_t evenParts(int64_t parts, int64_t size, int64_t others, int threads) {
  for (int64_t more = parts; more <= size / kLeast && more < parts + threads; ++more)
    if (more * others % threads == 0)
      return more;
  return parts;
}

Blocks makeBlocks(const Product &p, int threads) {
  Blocks blocks;
  blocks.rowParts = partsOf(p.m, kRows);
  blocks.columnParts = partsOf(p.n, kColumns);
  if (p.batch * blocks.rowParts * blocks.columnParts < 4 * threads) {
    if (p.n >= p.m)
      blocks.columnParts = evenParts(blocks.columnParts, p.n, p.batch * blocks.rowParts, threads);
    else
      blocks.rowParts = evenParts(blocks.rowParts, p.m, p.batch * blocks.columnParts, threads);
  }
  blocks.depthParts = partsOf(p.k, kDepth);
  // Multiples of the widest vector, so that blocks but the last have no remainders.
  auto blockOf = [](int64_t size, int64_t parts) { return parts > 1 ? partsOf(partsOf(size, parts), 16) * 16 : size; };
  blocks.rows = blockOf(p.m, blocks.rowParts);
  blocks.columns = blockOf(p.n, blocks.columnParts);
  blocks.depth = blockOf(p.k, blocks.depthParts);
  blocks.rowParts = partsOf(p.m, blocks.rows);
  blocks.columnParts = partsOf(p.n, blocks.columns);
  blocks.tasks = p.batch * blocks.rowParts * blocks.columnParts;
  return blocks;
}

template <typename To, typename From>
void convert(const From *from, int64_t fromPitch, To *to, int64_t toPitch, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row)
    forVectors(columns, [&](int64_t i, int64_t lanes) {
      storeSome(to + row * toPitch + i, loadSome(from + row * fromPitch + i, lanes), lanes);
    });
}

/// An operand in memory: `pitch` elements from one row to the next, and whether it is laid out transposed.
template <typename T>
struct Operand {
  const T *data;
  int64_t pitch;
  bool transposed;

  /// The block of `rows` x `columns` whose first element is (row, column), in f32 at `to`, laid out as it is here.
  Matrix widened(int64_t row, int64_t column, int64_t rows, int64_t columns, float *to) const {
    int64_t height = transposed ? columns : rows, width = transposed ? rows : columns;
    convert(data + (transposed ? column * pitch + row : row * pitch + column), pitch, to, width, height, width);
    return {to, width, transposed};
  }
};

template <typename T>
class BlockProduct {
public:
  BlockProduct(const Product &p, const Blocks &blocks, float *scratch)
      : p(p), blocks(blocks), lhs(scratch), rhs(lhs + blocks.lhsSize()), sum(rhs + blocks.rhsSize()) {}

  void run(int64_t task) {
    int64_t columnPart = task % blocks.columnParts, rest = task / blocks.columnParts;
    row = rest % blocks.rowParts * blocks.rows;
    column = columnPart * blocks.columns;
    batch = rest / blocks.rowParts;
    rows = least(blocks.rows, p.m - row);
    columns = least(blocks.columns, p.n - column);
    start();
    for (int64_t depth = 0; depth < p.k; depth += blocks.depth)
      addProduct(depth, least(blocks.depth, p.k - depth));
    convert(sum, columns, static_cast<T *>(p.result) + offset(), p.n, rows, columns);
  }

private:
  int64_t offset() const { return (batch * p.m + row) * p.n + column; }

  /// The sum's first value: init, or what BLAS overwrites.
  void start() {
    const T *init = static_cast<const T *>(p.init);
    if (p.init)
      convert(p.rowInit ? init + column : init + offset(), p.rowInit ? 0 : p.n, sum, columns, rows, columns);
    else if (p.k == 0)
      memset(sum, 0, rows * columns * sizeof(float));
  }

  void addProduct(int64_t depth, int64_t length) {
    // Neighbouring tasks share rows: with one part of the sum, what is there may stay.
    int64_t wanted = (batch * p.m + row) * p.k + depth;
    if (wanted != held) {
      Operand<T> from{static_cast<const T *>(p.lhs) + batch * p.m * p.k, p.transposeLhs ? p.m : p.k, p.transposeLhs};
      left = from.widened(row, depth, rows, length, lhs);
    }
    held = wanted;
    Operand<T> from{static_cast<const T *>(p.rhs) + batch * p.k * p.n, p.transposeRhs ? p.k : p.n, p.transposeRhs};
    Matrix right = from.widened(depth, column, length, columns, rhs);
    multiply(rows, columns, length, left, right, p.init || depth > 0 ? 1.0f : 0.0f, sum, columns);
  }

  const Product &p;
  const Blocks &blocks;
  float *lhs, *rhs, *sum;
  int64_t batch = 0, row = 0, column = 0, rows = 0, columns = 0;
  int64_t held = -1; // which block `left` is
  Matrix left{};
};

size_t workspaceBytes(const Blocks &blocks, int threads) {
  return size_t(least(threads, blocks.tasks)) * size_t(blocks.scratch()) * sizeof(float);
}

size_t matmulWorkspace(const tw_call *call) {
  Product p{};
  if (readProduct(call, p, nullptr, 0) || p.batch == 0 || p.m == 0 || p.n == 0)
    return 0;
  return workspaceBytes(makeBlocks(p, call->threads), call->threads);
}

template <typename T>
int matmul(const tw_call *call, char *message, size_t capacity) {
  Product p{};
  if (int status = readProduct(call, p, message, capacity))
    return status;
  if (p.batch == 0 || p.m == 0 || p.n == 0)
    return 0;
  Blocks blocks = makeBlocks(p, call->threads);
  if (call->workspace_bytes < workspaceBytes(blocks, call->threads))
    return fail(message, capacity, "matmul needs %zu bytes of workspace, but has %zu",
                workspaceBytes(blocks, call->threads), call->workspace_bytes);
  setBlasThreads(call);
  float *scratch = static_cast<float *>(call->workspace);
  int64_t cost = blocks.rows * blocks.columns * (p.k / 8 + 1);
  int team = teamSize(call->threads, blocks.tasks, cost);
  forRanges(team, blocks.tasks, [&](int part, int64_t begin, int64_t end) {
    BlockProduct<T> product(p, blocks, scratch + part * blocks.scratch());
    for (int64_t task = begin; task < end; ++task)
      product.run(task);
  });
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_MATMUL(type, T)                                                                                             \
  TW_RUN(matmul_##type##_host) {                                                                                       \
    return matmul<T>(call, message, capacity);                                                                         \
  }                                                                                                                    \
  TW_WORKSPACE(matmul_##type##_host) {                                                                                 \
    return matmulWorkspace(call);                                                                                      \
  }
TW_MATMUL(f16, F16)
TW_MATMUL(bf16, BF16)
