#include "runtime/train/WarmLibraries.h"
#include "runtime/device/host/Team.h"

#include <sys/mman.h>

namespace tw::rt {

namespace {

/// A matrix of zeros that takes no memory until it is written: all of its pages are the system's one page of zeros.
class Zeros {
public:
  Zeros(int64_t rows, int64_t columns) : bytes_(size_t(rows * columns) * sizeof(float)) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    data_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0);
    tensor.data = data_;
    tensor.rank = 2;
    tensor.type = TW_F32;
    tensor.shape[0] = rows;
    tensor.shape[1] = tensor.strides[0] = columns;
    tensor.strides[1] = 1;
  }
  Zeros(const Zeros &) = delete;
  Zeros &operator=(const Zeros &) = delete;
  ~Zeros() {
    if (valid())
      ::munmap(data_, bytes_);
  }
  bool valid() const { return data_ != MAP_FAILED; }
  tw_tensor tensor{};

private:
  size_t bytes_;
  void *data_;
};

} // namespace

void warmLibraries(const KernelTable &kernels, int threads) {
  runTeam(threads, [](int, int) {});
  const tw_kernel *product = kernels.kernel ? kernels.kernel("matmul_f32_host") : nullptr;
  // Larger than the blocks that any BLAS packs at once; the kernel hands it no more rows than these.
  constexpr int64_t rows = 4096, size = 1024;
  Zeros lhs(rows, size), rhs(size, size), result(rows, size);
  if (!product || !lhs.valid() || !rhs.valid() || !result.valid())
    return;
  tw_tensor inputs[] = {lhs.tensor, rhs.tensor};
  tw_call call{};
  call.inputs = inputs;
  call.outputs = &result.tensor;
  call.input_count = 2;
  call.output_count = 1;
  call.threads = threads;
  char message[256];
  (void)product->run(&call, message, sizeof message); // a measure only: training reports what fails
}

} // namespace tw::rt
