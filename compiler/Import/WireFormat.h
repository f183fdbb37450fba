// Protobuf's wire format, read with bounds checks: finds where a serialized ONNX model keeps its tensors' bytes, so
// that they are mapped and never copied.
#ifndef TW_COMPILER_IMPORT_WIREFORMAT_H
#define TW_COMPILER_IMPORT_WIREFORMAT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tw::import {

/// In a skeleton, the key in TensorProto.metadata_props of "<offset> <length>": the file range of the tensor's data.
inline constexpr llvm::StringLiteral kRangeKey = "tw.range";
/// The location of external data that lies in the model's own file. '#' keeps ONNX's checker from looking for a file.
inline constexpr llvm::StringLiteral kSelfLocation = "#";

/// Copies a serialized ModelProto without the bytes of tensors that are longer than `inlineLimit`: these become
/// external data at kSelfLocation. Every tensor whose data are plain little-endian bytes gets its range under
/// kRangeKey. An error says what is wrong at which byte (truncated, or not an ONNX model).
llvm::Expected<std::string> skeletonOf(llvm::StringRef model, size_t inlineLimit);

} // namespace tw::import

#endif
