#include "runtime/train/ParameterReader.h"
#include "runtime/base/Types.h"
#include "runtime/train/Checkpoint.h"

#include <algorithm>

namespace tw::rt {

static constexpr std::pair<int, int> onnxTypes[] = {{1, TW_F32},  {2, TW_U8},   {3, TW_I8},   {5, TW_I16},
                                                    {6, TW_I32},  {7, TW_I64},  {9, TW_BOOL}, {10, TW_F16},
                                                    {11, TW_F64}, {16, TW_BF16}};

int ParameterReader::typeOfOnnx(int type) {
  for (auto &[onnx, ours] : onnxTypes)
    if (onnx == type)
      return ours;
  return 0;
}
int ParameterReader::onnxType(int type) {
  for (auto &[onnx, ours] : onnxTypes)
    if (ours == type)
      return onnx;
  return 0;
}

Status ParameterReader::send(const TensorSource::Sink &sink) {
  if (!transposed_ && type_ == parameter_.type())
    return parameterSource(session_, parameter_, parameter_.name()).write(sink);
  size_t inSize = typeSize(parameter_.type()), outSize = typeSize(type_);
  int64_t count = elementCount(parameter_.shape());
  int64_t rows = transposed_ ? parameter_.shape(0) : count, columns = transposed_ ? parameter_.shape(1) : 1;
  Device &device = session_.device();
  // The arena is read in place on the host; elsewhere the one tensor is fetched as a whole.
  std::vector<uint8_t> fetched;
  const uint8_t *values = device.base() + parameter_.offset();
  if (!device.hostVisible()) {
    fetched.resize(size_t(count) * inSize);
    TW_TRY(device.download(fetched.data(), parameter_.offset(), fetched.size()));
    values = fetched.data();
  }
  std::vector<uint8_t> piece;
  int64_t perPiece = std::max<int64_t>(1, (int64_t(1) << 16) / int64_t(outSize));
  for (int64_t at = 0; at < count; at += perPiece) {
    int64_t part = std::min(perPiece, count - at);
    piece.resize(size_t(part) * outSize);
    for (int64_t i = 0; i < part; ++i) {
      // Element (c, r) of the transpose is element (r, c): out index c * rows + r.
      int64_t out = at + i, from = transposed_ ? out % rows * columns + out / rows : out;
      if (isFloat(type_) && isFloat(parameter_.type()))
        storeNumber(type_, piece.data(), size_t(i), loadNumber(parameter_.type(), values, size_t(from)));
      else
        storeInteger(type_, piece.data(), size_t(i), loadInteger(parameter_.type(), values, size_t(from)));
    }
    TW_TRY(sink(piece.data(), piece.size()));
  }
  return Status::ok();
}

} // namespace tw::rt
