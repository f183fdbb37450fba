// Verifiers of the ops on buffers.
#include "compiler/Dialect/Plan/Plan.h"

using namespace mlir;
using namespace tw::plan;

LogicalResult ProgramOp::verify() {
  int64_t arena = getArenaBytes(), bound = getLowerBound(), parameters = getParameterBytes();
  if (parameters < 0 || parameters > bound || bound > arena)
    return emitOpError("(C1) parameter_bytes <= lower_bound <= arena_bytes must hold, found ")
           << parameters << ", " << bound << ", " << arena;
  for (auto buffer : getOps<BufferOp>()) {
    auto type = buffer.getType();
    auto [strides, ignored] = type.getStridesAndOffset();
    int64_t last = 0;
    for (auto [stride, size] : llvm::zip(strides, type.getShape()))
      last += std::max<int64_t>(stride, 0) * (std::max<int64_t>(size, 1) - 1);
    int64_t bytes = type.getNumElements() ? (last + 1) * ((type.getElementTypeBitWidth() + 7) / 8) : 0;
    if (static_cast<int64_t>(buffer.getOffset()) + bytes > arena)
      return buffer.emitOpError("(C2) ends at byte ")
             << buffer.getOffset() + bytes << ", beyond the arena of " << arena << " bytes";
  }
  return success();
}

LogicalResult BufferOp::verify() {
  int64_t offset = getOffset();
  if (offset < 0 || (!getBase() && offset % 64))
    return emitOpError("(C1) offset must be a multiple of 64 and not negative, found ") << offset;
  if (getHolds().has_value() != getFrom().has_value() || getHolds().has_value() != getTo().has_value() ||
      (getHolds() && getBase()))
    return emitOpError("(C2) holds, from and to come together, on a buffer without a base");
  if (!getHolds())
    return success();
  int64_t bytes = *getHolds(), first = *getFrom(), last = *getTo();
  if (bytes < 0 || first < -1 || first > last)
    return emitOpError("(C2) found holds ")
           << bytes << " from " << first << " to " << last << ", expected -1 <= from <= to";
  return success();
}
