// Matrix products by cuBLASLt. Its matrices are column-major, so it computes result^T = rhs^T lhs^T.
#include "kernels/support/Cuda.cuh"

#include <cublasLt.h>
#include <memory>

using namespace tw::kernels;

namespace {

cublasLtHandle_t handle() {
  static cublasLtHandle_t theHandle = [] {
    cublasLtHandle_t made = nullptr;
    return cublasLtCreate(&made) == CUBLAS_STATUS_SUCCESS ? made : nullptr;
  }();
  return theHandle;
}

struct Product {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr; // rhs, lhs, result of the call
  cublasLtMatmulAlgo_t aligned, unaligned; // for pointers that are multiples of 16 bytes, and for others
  bool empty = false, zero = false, rowInit = false, init = false;

  ~Product() {
    if (operation)
      cublasLtMatmulDescDestroy(operation);
    for (cublasLtMatrixLayout_t layout : {left, right, result})
      if (layout)
        cublasLtMatrixLayoutDestroy(layout);
  }
};

template <typename T>
bool setAttribute(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, const T &value) {
  return cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
}

bool makeLayout(cublasLtMatrixLayout_t &layout, int64_t rows, int64_t columns, int32_t batch) {
  int64_t stride = rows * columns;
  return cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, uint64_t(rows), uint64_t(columns), rows) ==
             CUBLAS_STATUS_SUCCESS &&
         cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch) ==
             CUBLAS_STATUS_SUCCESS &&
         cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                          sizeof stride) == CUBLAS_STATUS_SUCCESS;
}

bool chooseAlgorithm(const Product &p, uint32_t alignment, size_t workspace, cublasLtMatmulAlgo_t &algorithm) {
  cublasLtMatmulPreference_t preference = nullptr;
  if (cublasLtMatmulPreferenceCreate(&preference) != CUBLAS_STATUS_SUCCESS)
    return false;
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                       sizeof workspace);
  for (auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                         CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    cublasLtMatmulPreferenceSetAttribute(preference, attribute, &alignment, sizeof alignment);
  cublasLtMatmulHeuristicResult_t found;
  int count = 0;
  cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handle(), p.operation, p.left, p.right, p.result, p.result,
                                                         preference, 1, &found, &count);
  cublasLtMatmulPreferenceDestroy(preference);
  if (status != CUBLAS_STATUS_SUCCESS || count == 0)
    return false;
  algorithm = found.algo;
  return true;
}

/// The element type is f32 throughout, with f32 products: no TF32.
bool build(Product &p, const tw_call *call, int64_t m, int64_t n, int64_t k, int32_t batch) {
  bool transposeLhs = flag(call, "transpose_lhs"), transposeRhs = flag(call, "transpose_rhs");
  if (!handle() || cublasLtMatmulDescCreate(&p.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F) != CUBLAS_STATUS_SUCCESS)
    return false;
  cublasOperation_t left = transposeRhs ? CUBLAS_OP_T : CUBLAS_OP_N, right = transposeLhs ? CUBLAS_OP_T : CUBLAS_OP_N;
  bool made = setAttribute(p.operation, CUBLASLT_MATMUL_DESC_TRANSA, left) &&
              setAttribute(p.operation, CUBLASLT_MATMUL_DESC_TRANSB, right) &&
              makeLayout(p.left, transposeRhs ? k : n, transposeRhs ? n : k, batch) &&
              makeLayout(p.right, transposeLhs ? m : k, transposeLhs ? k : m, batch) &&
              makeLayout(p.result, n, m, batch);
  if (made && p.rowInit)
    made = setAttribute(p.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
  return made && chooseAlgorithm(p, 16, call->workspace_bytes, p.aligned) &&
         chooseAlgorithm(p, 4, call->workspace_bytes, p.unaligned);
}

bool isAligned(const tw_call *call) {
  uintptr_t bits = reinterpret_cast<uintptr_t>(call->outputs[0].data);
  for (int i = 0; i < call->input_count; ++i)
    bits |= reinterpret_cast<uintptr_t>(call->inputs[i].data);
  return bits % 16 == 0;
}

__global__ void repeatRows(float *to, const float *from, int64_t count, int64_t width) {
  TW_GRID_LOOP(i, count)
  to[i] = from ? from[i % width] : 0.0f;
}

} // namespace

extern "C" int matmul_f32_cuda_prepare(const tw_call *call, void **state, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 3, 1);
  const tw_tensor &lhs = call->inputs[0], &rhs = call->inputs[1], &result = call->outputs[0];
  int rank = result.rank;
  if (rank < 2 || lhs.rank != rank || rhs.rank != rank)
    return fail(message, capacity, "matmul needs operands of equal rank of at least 2, not %d, %d and %d", lhs.rank,
                rhs.rank, rank);
  auto made = std::make_unique<Product>();
  int64_t m = result.shape[rank - 2], n = result.shape[rank - 1], batch = extent(result, 0, rank - 2);
  int64_t k = lhs.shape[flag(call, "transpose_lhs") ? rank - 2 : rank - 1];
  made->init = call->input_count > 2;
  made->rowInit = made->init && call->inputs[2].rank == 1;
  made->empty = m == 0 || n == 0 || batch == 0;
  made->zero = k == 0;
  if (!made->empty && !made->zero && !build(*made, call, m, n, k, int32_t(batch)))
    return fail(message, capacity, "cuBLASLt has no algorithm for a product of %lld x %lld over %lld", (long long)m,
                (long long)n, (long long)k);
  *state = made.release();
  return 0;
}

extern "C" void matmul_f32_cuda_destroy(void *state) {
  delete static_cast<Product *>(state);
}

extern "C" int matmul_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  Product *p = static_cast<Product *>(call->state);
  if (!p)
    return fail(message, capacity, "the product was not prepared");
  if (p->empty)
    return 0;
  float *result = out(call, 0);
  if (p->zero) {
    int64_t count = elements(call->outputs[0]), width = p->rowInit ? elements(call->inputs[2]) : count;
    repeatRows<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(result, p->init ? in(call, 2) : nullptr, count, width);
    return launched("matmul", message, capacity);
  }
  if (p->rowInit) {
    const float *bias = in(call, 2);
    setAttribute(p->operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }
  bool whole = p->init && !p->rowInit;
  float one = 1, beta = whole ? 1 : 0;
  cublasStatus_t status = cublasLtMatmul(handle(), p->operation, &one, in(call, 1), p->left, in(call, 0), p->right,
                                         &beta, whole ? in(call, 2) : result, p->result, result, p->result,
                                         isAligned(call) ? &p->aligned : &p->unaligned, call->workspace,
                                         call->workspace_bytes, streamOf(call));
  return status == CUBLAS_STATUS_SUCCESS
             ? 0
             : fail(message, capacity, "cuBLASLt's product failed: %s", cublasLtGetStatusString(status));
}
