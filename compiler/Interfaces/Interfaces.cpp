#include "compiler/Interfaces/CostOpInterface.h"
#include "compiler/Interfaces/DifferentiableOpInterface.h"
#include "compiler/Interfaces/ShardableOpInterface.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "compiler/Interfaces/CostOpInterface.cpp.inc"
#include "compiler/Interfaces/DifferentiableOpInterface.cpp.inc"
#include "compiler/Interfaces/ShardableOpInterface.cpp.inc"

int64_t tw::byteSize(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrIndexOrFloat())
    return 0;
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  int64_t bytes = (bits + 7) / 8;
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && shaped.hasStaticShape())
    for (int64_t size : shaped.getShape())
      bytes = llvm::SaturatingMultiply<uint64_t>(bytes, size) > INT64_MAX ? INT64_MAX : bytes * size;
  return bytes;
}

int64_t tw::operandAndResultBytes(Operation *op) {
  uint64_t total = 0;
  for (Type type : op->getOperandTypes())
    total = llvm::SaturatingAdd<uint64_t>(total, byteSize(type));
  for (Type type : op->getResultTypes())
    total = llvm::SaturatingAdd<uint64_t>(total, byteSize(type));
  return std::min<uint64_t>(total, INT64_MAX);
}
