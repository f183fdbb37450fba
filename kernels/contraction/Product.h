// What a call of matmul means, checked, and BLAS behind a function that any file may call.
#ifndef TW_KERNELS_CONTRACTION_PRODUCT_H
#define TW_KERNELS_CONTRACTION_PRODUCT_H

#include "kernels/abi/kernel.h"

namespace tw::kernels::contraction {

/// result[b] = init + lhs[b] rhs[b], for `batch` matrices of m x n over k; lhs is laid out [k, m] and rhs [n, k] when
/// transposed.
struct Product {
  int64_t batch, m, n, k;
  bool transposeLhs, transposeRhs;
  bool rowInit; // init is [n], added to every row
  const void *lhs, *rhs, *init;
  void *result;
};

/// Fills `product` from the call; else writes a sentence.
int readProduct(const tw_call *call, Product &product, char *message, size_t capacity);

/// Lets BLAS use the call's threads where it is called outside of a team; inside of one it stays on one thread.
void setBlasThreads(const tw_call *call);

/// A matrix in memory, row-major with rows `pitch` elements apart; `transposed` says how it enters the product.
struct Matrix {
  const float *data;
  int64_t pitch;
  bool transposed;
};
/// result = beta result + left right, of m x n over k.
void multiply(int64_t m, int64_t n, int64_t k, const Matrix &left, const Matrix &right, float beta, float *result,
              int64_t pitch);

} // namespace tw::kernels::contraction
#endif
