// Matrix products by BLAS.
#include "kernels/contraction/Product.h"
#include "kernels/support/Call.h"
#include "kernels/support/Parallel.h"

#include <cblas.h>
#include <cstring>

using namespace tw::kernels;
using namespace tw::kernels::contraction;

int contraction::readProduct(const tw_call *call, Product &p, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 3, 1);
  const tw_tensor &lhs = call->inputs[0], &rhs = call->inputs[1], &result = call->outputs[0];
  int rank = result.rank;
  if (rank < 2 || lhs.rank != rank || rhs.rank != rank)
    return fail(message, capacity, "matmul needs operands of equal rank of at least 2, not %d, %d and %d", lhs.rank,
                rhs.rank, rank);
  p.transposeLhs = flag(call, "transpose_lhs");
  p.transposeRhs = flag(call, "transpose_rhs");
  p.batch = extent(result, 0, rank - 2);
  p.m = result.shape[rank - 2];
  p.n = result.shape[rank - 1];
  p.k = lhs.shape[p.transposeLhs ? rank - 2 : rank - 1];
  if (lhs.shape[p.transposeLhs ? rank - 1 : rank - 2] != p.m ||
      rhs.shape[p.transposeRhs ? rank - 1 : rank - 2] != p.k || rhs.shape[p.transposeRhs ? rank - 2 : rank - 1] != p.n)
    return fail(message, capacity, "matmul's operands do not fit a result of %lld x %lld over %lld", (long long)p.m,
                (long long)p.n, (long long)p.k);
  if (p.m > INT32_MAX || p.n > INT32_MAX || p.k > INT32_MAX)
    return fail(message, capacity, "matmul's matrices have more than 2^31 - 1 rows or columns");
  p.lhs = lhs.data;
  p.rhs = rhs.data;
  p.init = call->input_count > 2 ? call->inputs[2].data : nullptr;
  p.rowInit = call->input_count > 2 && call->inputs[2].rank == 1;
  p.result = result.data;
  return 0;
}

void contraction::setBlasThreads(const tw_call *call) {
  if (int threads = libraryThreads(call); openblas_get_num_threads() != threads)
    openblas_set_num_threads(threads);
}

// OpenBLAS packs operands for as many rows of the result as it is given, up to 40 MB a thread. In blocks of rows, each
// large enough to hide what a call costs, 5 MB do.
static constexpr int64_t kRowsPerCall = 4096;

void contraction::multiply(int64_t m, int64_t n, int64_t k, const Matrix &left, const Matrix &right, float beta,
                           float *result, int64_t pitch) {
  for (int64_t row = 0; row < m; row += kRowsPerCall) {
    int64_t rows = m - row < kRowsPerCall ? m - row : kRowsPerCall;
    cblas_sgemm(CblasRowMajor, left.transposed ? CblasTrans : CblasNoTrans,
                right.transposed ? CblasTrans : CblasNoTrans, int(rows), int(n), int(k), 1.0f,
                left.data + (left.transposed ? row : row * left.pitch), int(left.pitch), right.data, int(right.pitch),
                beta, result + row * pitch, int(pitch));
  }
}

namespace {

// result = init, or where beta is 1 nothing to do because they are the same memory.
void copyInit(const Product &p, int64_t firstRow, int64_t lastRow) {
  const float *init = static_cast<const float *>(p.init);
  float *result = static_cast<float *>(p.result);
  for (int64_t row = firstRow; row < lastRow; ++row)
    memcpy(result + row * p.n, p.rowInit ? init : init + row * p.n, p.n * sizeof(float));
}

void multiplyOne(const Product &p, int64_t b, float beta) {
  Matrix lhs{static_cast<const float *>(p.lhs) + b * p.m * p.k, p.transposeLhs ? p.m : p.k, p.transposeLhs};
  Matrix rhs{static_cast<const float *>(p.rhs) + b * p.k * p.n, p.transposeRhs ? p.k : p.n, p.transposeRhs};
  multiply(p.m, p.n, p.k, lhs, rhs, beta, static_cast<float *>(p.result) + b * p.m * p.n, p.n);
}

} // namespace

extern "C" int matmul_f32_host(const tw_call *call, char *message, size_t capacity) {
  Product p{};
  if (int status = readProduct(call, p, message, capacity))
    return status;
  if (p.batch == 0 || p.m == 0 || p.n == 0)
    return 0;
  bool copies = p.init && p.init != p.result;
  float beta = p.init ? 1.0f : 0.0f;
  if (p.k == 0 && !p.init) {
    memset(p.result, 0, p.batch * p.m * p.n * sizeof(float));
    return 0;
  }
  setBlasThreads(call);
  // Many matrices: one thread each (BLAS sees that it runs inside a team and stays on one thread). Else BLAS splits.
  int64_t cost = p.m * p.n * p.k / 8;
  bool overBatch =
      p.batch >= 2 * call->threads || (p.batch >= call->threads && p.batch % call->threads == 0 && p.batch > 1);
  if (overBatch) {
    parallelFor(call->threads, p.batch, cost, [&](int, int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        if (copies)
          copyInit(p, b * p.m, (b + 1) * p.m);
        if (p.k > 0)
          multiplyOne(p, b, beta);
      }
    });
    return 0;
  }
  if (copies)
    parallelFor(call->threads, p.batch * p.m, p.n, [&](int, int64_t begin, int64_t end) { copyInit(p, begin, end); });
  if (p.k == 0)
    return 0;
  for (int64_t b = 0; b < p.batch; ++b)
    multiplyOne(p, b, beta);
  return 0;
}
