#include "compiler/Import/ModelFile.h"

#include "compiler/Import/Opset.h"
#include "compiler/Import/WireFormat.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "onnx/checker.h"
#include "onnx/inliner/inliner.h"

using namespace mlir;

namespace tw::import {

// Tensors up to this size stay in the model's Protobuf, where ONNX's shape inference can see them.
static constexpr size_t kInlineLimit = 1024;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static FailureOr<std::unique_ptr<llvm::MemoryBuffer>> mapFile(StringRef path, Location location) {
  llvm::sys::fs::file_status status;
  std::error_code code = llvm::sys::fs::status(path, status);
  if (!code && status.type() != llvm::sys::fs::file_type::regular_file)
    code = std::make_error_code(std::errc::is_a_directory);
  if (code)
    return emitError(location, "cannot read '") << path << "': " << code.message();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError(location, "cannot read '") << path << "': " << buffer.getError().message();
  return std::move(*buffer);
}

FailureOr<std::unique_ptr<ModelFile>> ModelFile::open(StringRef path, Weights weights, MLIRContext *context) {
  Location location = NameLoc::get(StringAttr::get(context, path));
  std::unique_ptr<ModelFile> file(new ModelFile(path, location));
  auto buffer = mapFile(path, location);
  if (failed(buffer))
    return failure();
  file->mapped[path.str()] = std::move(*buffer);
  file->absent = weights == Weights::Absent;
  if (failed(file->parse(weights)) || failed(file->check(weights)))
    return failure();
  return file;
}

LogicalResult ModelFile::parse(Weights weights) {
  StringRef data = mapped[modelPath]->getBuffer();
  if (data.empty())
    return emitError(fileLocation, "the file is empty: an ONNX model was expected");
  llvm::Expected<std::string> skeleton = skeletonOf(data, kInlineLimit);
  // Every ONNX model begins with its ir_version (field 1) or, from some writers, another small field of ModelProto.
  bool looksLikeOnnx = data[0] == 0x08 || data[0] == 0x12 || data[0] == 0x3a || data[0] == 0x42;
  if (!skeleton) {
    std::string why = llvm::toString(skeleton.takeError());
    return emitError(fileLocation) << (looksLikeOnnx ? "the file is truncated or damaged: "
                                                     : "this is not an ONNX model: ")
                                   << why;
  }
  if (!looksLikeOnnx || !proto.ParseFromString(*skeleton))
    return emitError(fileLocation, "this is not an ONNX model: it does not hold a ModelProto message");
  if (!proto.has_graph() || proto.graph().node_size() + proto.graph().output_size() == 0)
    return emitError(fileLocation, "this is not an ONNX model: it has no graph");
  return success();
}

LogicalResult ModelFile::check(Weights weights) {
  if (failed(checkOpset(proto, fileLocation)))
    return failure();
  try {
    onnx::checker::check_model(proto, /*full_check=*/false, /*skip_opset_compatibility_check=*/false,
                               /*check_custom_domain=*/false);
    if (proto.functions_size() > 0)
      onnx::inliner::InlineLocalFunctions(proto);
  } catch (const std::exception &error) {
    StringRef what = StringRef(error.what()).ltrim("\n ");
    return emitError(fileLocation, "ONNX's checker refuses the model: ") << what.substr(0, what.find('\n')).rtrim(". ");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type elementTypeOf(int32_t onnxType, MLIRContext *context) {
  Builder builder(context);
  switch (onnxType) {
  case onnx::TensorProto::FLOAT:
    return builder.getF32Type();
  case onnx::TensorProto::DOUBLE:
    return builder.getF64Type();
  case onnx::TensorProto::FLOAT16:
    return builder.getF16Type();
  case onnx::TensorProto::BFLOAT16:
    return builder.getBF16Type();
  case onnx::TensorProto::BOOL:
    return builder.getI1Type();
  case onnx::TensorProto::INT8:
  case onnx::TensorProto::UINT8:
    return builder.getI8Type();
  case onnx::TensorProto::INT16:
  case onnx::TensorProto::UINT16:
    return builder.getIntegerType(16);
  case onnx::TensorProto::INT32:
  case onnx::TensorProto::UINT32:
    return builder.getI32Type();
  case onnx::TensorProto::INT64:
  case onnx::TensorProto::UINT64:
    return builder.getI64Type();
  default:
    return {};
  }
}

bool isUnsignedType(int32_t type) {
  return type == onnx::TensorProto::BOOL || type == onnx::TensorProto::UINT8 || type == onnx::TensorProto::UINT16 ||
         type == onnx::TensorProto::UINT32 || type == onnx::TensorProto::UINT64;
}

FailureOr<RankedTensorType> ModelFile::typeOf(const onnx::TensorProto &tensor) const {
  Type element = elementTypeOf(tensor.data_type(), fileLocation.getContext());
  if (!element)
    return emitError(fileLocation, "tensor '")
           << tensor.name() << "' has element type "
           << onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(tensor.data_type()))
           << ", which is not supported: expected a float, integer or boolean type";
  int64_t count = 1;
  for (int64_t size : tensor.dims())
    if (size < 0 || llvm::MulOverflow(count, size, count) || count > (int64_t(1) << 48))
      return emitError(fileLocation, "tensor '") << tensor.name() << "' has an impossible shape";
  return RankedTensorType::get(llvm::ArrayRef(tensor.dims().data(), tensor.dims_size()), element);
}

static int64_t bytesFor(RankedTensorType type) {
  unsigned bits = type.getElementTypeBitWidth();
  return type.getNumElements() * (bits == 1 ? 1 : bits / 8);
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

FailureOr<FileRange> ModelFile::resolveExternal(const onnx::TensorProto &tensor) const {
  FileRange range;
  range.length = -1;
  StringRef location;
  for (const auto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    int64_t *number = entry.key() == "offset" ? &range.offset : entry.key() == "length" ? &range.length : nullptr;
    if (number && (StringRef(entry.value()).getAsInteger(10, *number) || *number < 0))
      return emitError(fileLocation, "tensor '") << tensor.name() << "' has external data at " << entry.key() << " '"
                                                 << entry.value() << "': expected a number of bytes";
  }
  if (location == kSelfLocation) {
    range.file = modelPath;
    return range;
  }
  location.consume_front(kSelfLocation);
  if (location.empty())
    return emitError(fileLocation, "tensor '") << tensor.name() << "' has external data without a location: expected "
                                               << "the name of a file beside the model";
  bool escapes = llvm::sys::path::is_absolute(location);
  for (auto part = llvm::sys::path::begin(location), end = llvm::sys::path::end(location); part != end; ++part)
    escapes |= *part == "..";
  if (escapes)
    return emitError(fileLocation, "tensor '") << tensor.name() << "' has its data in '" << location
                                               << "', outside of the model's folder: expected a path below it";
  llvm::SmallString<128> file(llvm::sys::path::parent_path(modelPath));
  llvm::sys::path::append(file, location);
  range.file = file.str().str();
  return range;
}

FailureOr<StringRef> ModelFile::bytesOf(const FileRange &range) const {
  auto &buffer = mapped[range.file];
  if (!buffer) {
    if (!llvm::sys::fs::exists(range.file))
      return emitError(fileLocation, "the external data file '")
             << range.file << "' is missing: put it beside the model, or import with absent weights";
    auto opened = mapFile(range.file, fileLocation);
    if (failed(opened))
      return failure();
    buffer = std::move(*opened);
  }
  return buffer->getBuffer();
}

FailureOr<std::optional<FileRange>> ModelFile::rangeOf(const onnx::TensorProto &tensor) const {
  auto type = typeOf(tensor);
  if (failed(type))
    return failure();
  std::optional<FileRange> found;
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    auto range = resolveExternal(tensor);
    if (failed(range))
      return failure();
    found = *range;
  } else {
    for (const auto &entry : tensor.metadata_props()) {
      auto [offset, length] = StringRef(entry.value()).split(' ');
      FileRange range;
      range.file = modelPath;
      if (entry.key() == kRangeKey && !offset.getAsInteger(10, range.offset) && !length.getAsInteger(10, range.length))
        found = range;
    }
  }
  if (!found || (absent && found->file != modelPath))
    return std::optional<FileRange>();
  auto bytes = bytesOf(*found);
  if (failed(bytes))
    return failure();
  int64_t expected = bytesFor(*type), size = bytes->size();
  if (found->length < 0)
    found->length = expected;
  if (found->length != expected)
    return emitError(fileLocation, "tensor '")
           << tensor.name() << "' has " << found->length << " bytes of data, but " << *type << " takes " << expected;
  if (found->offset < 0 || found->offset > size || found->length > size - found->offset)
    return emitError(fileLocation, "tensor '")
           << tensor.name() << "' has its data at bytes " << found->offset << " to " << found->offset + found->length
           << " of '" << found->file << "', which has only " << size;
  return found;
}

static DenseElementsAttr fromBytes(RankedTensorType type, StringRef bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, llvm::ArrayRef(bytes.data(), bytes.size()));
  SmallVector<bool> values;
  for (char byte : bytes)
    values.push_back(byte != 0);
  return DenseElementsAttr::get(type, values);
}

std::optional<StringRef> ModelFile::plainBytesOf(const onnx::TensorProto &tensor) const {
  auto range = rangeOf(tensor);
  if (failed(range) || !*range)
    return std::nullopt;
  auto bytes = bytesOf(**range);
  return failed(bytes) ? std::nullopt : std::optional(bytes->substr((*range)->offset, (*range)->length));
}

template <typename T, typename Field>
static void appendAs(std::string &bytes, const Field &field) {
  for (auto value : field) {
    T element = static_cast<T>(value);
    bytes.append(reinterpret_cast<const char *>(&element), sizeof(T));
  }
}

// The bytes of a tensor whose elements are in one of TensorProto's typed fields.
static std::string bytesOfTypedFields(const onnx::TensorProto &tensor) {
  std::string bytes;
  switch (tensor.data_type()) {
  case onnx::TensorProto::FLOAT:
    appendAs<float>(bytes, tensor.float_data());
    break;
  case onnx::TensorProto::DOUBLE:
    appendAs<double>(bytes, tensor.double_data());
    break;
  case onnx::TensorProto::INT64:
    appendAs<int64_t>(bytes, tensor.int64_data());
    break;
  case onnx::TensorProto::UINT64:
    appendAs<uint64_t>(bytes, tensor.uint64_data());
    break;
  case onnx::TensorProto::UINT32:
    appendAs<uint32_t>(bytes, tensor.uint64_data());
    break;
  case onnx::TensorProto::INT32:
    appendAs<int32_t>(bytes, tensor.int32_data());
    break;
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
  case onnx::TensorProto::INT16:
  case onnx::TensorProto::UINT16:
    appendAs<uint16_t>(bytes, tensor.int32_data());
    break;
  default:
    appendAs<uint8_t>(bytes, tensor.int32_data());
  }
  return bytes;
}

FailureOr<DenseElementsAttr> ModelFile::valueOf(const onnx::TensorProto &tensor) const {
  auto type = typeOf(tensor);
  if (failed(type))
    return failure();
  auto range = rangeOf(tensor);
  if (failed(range))
    return failure();
  if (*range) {
    auto bytes = bytesOf(**range);
    return fromBytes(*type, bytes->substr((*range)->offset, (*range)->length));
  }
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return emitError(fileLocation, "the value of tensor '")
           << tensor.name() << "' is needed to know shapes, but weights are absent";
  std::string bytes = tensor.has_raw_data() ? tensor.raw_data() : bytesOfTypedFields(tensor);
  if (static_cast<int64_t>(bytes.size()) != bytesFor(*type))
    return emitError(fileLocation, "tensor '") << tensor.name() << "' has " << bytes.size() << " bytes of data, but "
                                               << *type << " takes " << bytesFor(*type);
  return fromBytes(*type, bytes);
}

} // namespace tw::import
