#include "runtime/device/cuda/StridedKernels.h"

namespace tw::rt {

namespace {

// Shape and strides by value: kernels get no pointers to host memory.
struct Layout {
  int rank;
  int64_t count;
  int64_t shape[TW_MAX_RANK], source[TW_MAX_RANK], destination[TW_MAX_RANK];
};

Layout makeLayout(const tw_tensor &source, const tw_tensor &destination) {
  Layout layout{};
  layout.rank = destination.rank;
  layout.count = 1;
  for (int d = 0; d < destination.rank; ++d) {
    layout.count *= destination.shape[d];
    layout.shape[d] = destination.shape[d];
    layout.source[d] = source.strides[d];
    layout.destination[d] = destination.strides[d];
  }
  return layout;
}

__device__ void locate(const Layout &layout, int64_t index, int64_t &from, int64_t &to) {
  from = to = 0;
  for (int d = layout.rank - 1; d >= 0; --d) {
    int64_t at = index % layout.shape[d];
    index /= layout.shape[d];
    from += at * layout.source[d];
    to += at * layout.destination[d];
  }
}

template <typename T>
__global__ void copyElements(const T *source, T *destination, Layout layout) {
  int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < layout.count; i += step) {
    int64_t from, to;
    locate(layout, i, from, to);
    destination[to] = source[from];
  }
}

template <typename T>
__global__ void fillElements(T *destination, T value, Layout layout) {
  int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < layout.count; i += step) {
    int64_t from, to;
    locate(layout, i, from, to);
    destination[to] = value;
  }
}

constexpr int block = 256;
unsigned gridFor(int64_t count) {
  int64_t blocks = (count + block - 1) / block;
  return unsigned(blocks < 65535 ? blocks : 65535);
}

template <typename T>
cudaError_t copyAs(const tw_tensor &source, const tw_tensor &destination, const Layout &layout, cudaStream_t stream) {
  copyElements<T><<<gridFor(layout.count), block, 0, stream>>>(static_cast<const T *>(source.data),
                                                               static_cast<T *>(destination.data), layout);
  return cudaGetLastError();
}

template <typename T>
cudaError_t fillAs(const tw_tensor &tensor, uint64_t bits, const Layout &layout, cudaStream_t stream) {
  fillElements<T><<<gridFor(layout.count), block, 0, stream>>>(static_cast<T *>(tensor.data), T(bits), layout);
  return cudaGetLastError();
}

bool contiguous(const tw_tensor &tensor) {
  int64_t expected = 1;
  for (int d = tensor.rank - 1; d >= 0; --d) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected)
      return false;
    expected *= tensor.shape[d];
  }
  return true;
}

} // namespace

cudaError_t launchStridedCopy(const tw_tensor &source, const tw_tensor &destination, size_t size, cudaStream_t stream) {
  Layout layout = makeLayout(source, destination);
  if (layout.count == 0)
    return cudaSuccess;
  if (contiguous(source) && contiguous(destination))
    return cudaMemcpyAsync(destination.data, source.data, size_t(layout.count) * size, cudaMemcpyDeviceToDevice,
                           stream);
  switch (size) {
  case 1:
    return copyAs<uint8_t>(source, destination, layout, stream);
  case 2:
    return copyAs<uint16_t>(source, destination, layout, stream);
  case 4:
    return copyAs<uint32_t>(source, destination, layout, stream);
  default:
    return copyAs<uint64_t>(source, destination, layout, stream);
  }
}

cudaError_t launchStridedFill(const tw_tensor &tensor, uint64_t bits, size_t size, cudaStream_t stream) {
  Layout layout = makeLayout(tensor, tensor);
  if (layout.count == 0)
    return cudaSuccess;
  if (bits == 0 && contiguous(tensor))
    return cudaMemsetAsync(tensor.data, 0, size_t(layout.count) * size, stream);
  switch (size) {
  case 1:
    return fillAs<uint8_t>(tensor, bits, layout, stream);
  case 2:
    return fillAs<uint16_t>(tensor, bits, layout, stream);
  case 4:
    return fillAs<uint32_t>(tensor, bits, layout, stream);
  default:
    return fillAs<uint64_t>(tensor, bits, layout, stream);
  }
}

} // namespace tw::rt
