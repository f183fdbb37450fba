#include "runtime/device/host/StridedLoop.h"
#include "runtime/base/Types.h"
#include "runtime/device/host/Team.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tw::rt {

namespace {

// A loop nest over two tensors with dimensions of extent 1 dropped and neighbours merged where both allow it.
struct Nest {
  int rank = 0;
  int64_t extent[TW_MAX_RANK], source[TW_MAX_RANK], destination[TW_MAX_RANK];
  int64_t count = 1;
};

Nest makeNest(const tw_tensor &source, const tw_tensor &destination) {
  Nest nest;
  for (int d = 0; d < destination.rank; ++d) {
    int64_t extent = destination.shape[d];
    nest.count *= extent;
    if (extent == 1)
      continue;
    int last = nest.rank - 1;
    if (last >= 0 && nest.source[last] == source.strides[d] * extent &&
        nest.destination[last] == destination.strides[d] * extent) {
      nest.extent[last] *= extent;
      nest.source[last] = source.strides[d];
      nest.destination[last] = destination.strides[d];
      continue;
    }
    nest.extent[nest.rank] = extent;
    nest.source[nest.rank] = source.strides[d];
    nest.destination[nest.rank] = destination.strides[d];
    ++nest.rank;
  }
  return nest;
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

constexpr int64_t parallelBytes = 1 << 18; // below this a team costs more than it saves

template <typename Row>
void forRows(const Nest &nest, int threads, int64_t bytes, Row row) {
  int64_t inner = nest.rank ? nest.extent[nest.rank - 1] : 1;
  int64_t rows = nest.count / std::max<int64_t>(inner, 1);
  forTeam(bytes > parallelBytes && rows > 1 ? threads : 1, rows, [&](int64_t r) {
    int64_t rest = r, from = 0, to = 0;
    for (int d = nest.rank - 2; d >= 0; --d) {
      int64_t index = rest % nest.extent[d];
      rest /= nest.extent[d];
      from += index * nest.source[d];
      to += index * nest.destination[d];
    }
    row(from, to);
  });
}

template <typename T>
void copyTyped(const Nest &nest, const void *source, void *destination, int threads) {
  const T *in = static_cast<const T *>(source);
  T *out = static_cast<T *>(destination);
  int64_t inner = nest.rank ? nest.extent[nest.rank - 1] : 1;
  int64_t inStride = nest.rank ? nest.source[nest.rank - 1] : 1;
  int64_t outStride = nest.rank ? nest.destination[nest.rank - 1] : 1;
  forRows(nest, threads, nest.count * int64_t(sizeof(T)), [=](int64_t from, int64_t to) {
    if (inStride == 1 && outStride == 1) {
      std::memmove(out + to, in + from, size_t(inner) * sizeof(T));
      return;
    }
    for (int64_t i = 0; i < inner; ++i)
      out[to + i * outStride] = in[from + i * inStride];
  });
}

template <typename T>
void fillTyped(const Nest &nest, void *destination, T value, int threads) {
  T *out = static_cast<T *>(destination);
  int64_t inner = nest.rank ? nest.extent[nest.rank - 1] : 1;
  int64_t stride = nest.rank ? nest.destination[nest.rank - 1] : 1;
  forRows(nest, threads, nest.count * int64_t(sizeof(T)), [=](int64_t, int64_t to) {
    for (int64_t i = 0; i < inner; ++i)
      out[to + i * stride] = value;
  });
}

void copyBytes(const void *source, void *destination, int64_t bytes, int threads) {
  constexpr int64_t chunk = 1 << 20;
  int64_t chunks = (bytes + chunk - 1) / chunk;
  forTeam(chunks > 1 ? threads : 1, chunks, [&](int64_t c) {
    std::memmove(static_cast<char *>(destination) + c * chunk, static_cast<const char *>(source) + c * chunk,
                 size_t(std::min(chunk, bytes - c * chunk)));
  });
}

} // namespace

void copyStrided(const tw_tensor &source, const tw_tensor &destination, int threads) {
  size_t size = typeSize(destination.type);
  int64_t count = elementCount(destination.shape, size_t(destination.rank));
  if (count <= 0 || source.data == destination.data)
    if (count <= 0 || (contiguous(source) && contiguous(destination)))
      return;
  if (contiguous(source) && contiguous(destination))
    return copyBytes(source.data, destination.data, count * int64_t(size), threads);
  Nest nest = makeNest(source, destination);
  switch (size) {
  case 1:
    return copyTyped<uint8_t>(nest, source.data, destination.data, threads);
  case 2:
    return copyTyped<uint16_t>(nest, source.data, destination.data, threads);
  case 4:
    return copyTyped<uint32_t>(nest, source.data, destination.data, threads);
  default:
    return copyTyped<uint64_t>(nest, source.data, destination.data, threads);
  }
}

void fillStrided(const tw_tensor &tensor, double value, int threads) {
  if (elementCount(tensor.shape, size_t(tensor.rank)) <= 0)
    return;
  alignas(8) unsigned char element[8] = {};
  storeNumber(tensor.type, element, 0, value);
  Nest nest = makeNest(tensor, tensor);
  auto fill = [&](auto typed) {
    std::memcpy(&typed, element, sizeof typed);
    fillTyped(nest, tensor.data, typed, threads);
  };
  switch (typeSize(tensor.type)) {
  case 1:
    return fill(uint8_t());
  case 2:
    return fill(uint16_t());
  case 4:
    return fill(uint32_t());
  default:
    return fill(uint64_t());
  }
}

} // namespace tw::rt
