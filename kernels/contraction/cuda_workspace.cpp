#include "kernels/abi/kernel.h"

/// What cuBLASLt's algorithms may use: which one it takes depends on the GPU, which is not known yet.
extern "C" size_t matmul_f32_cuda_workspace(const tw_call *) {
  return size_t(32) << 20;
}
