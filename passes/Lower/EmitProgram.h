// One plan.program as Protobuf.
#ifndef TW_PASSES_LOWER_EMITPROGRAM_H
#define TW_PASSES_LOWER_EMITPROGRAM_H

#include "compiler/Dialect/Plan/Plan.h"
#include "kernels/abi/plan.pb.h"

namespace tw::lower {

mlir::LogicalResult emitProgram(plan::ProgramOp program, int64_t rank, planpb::Program &result);

/// The elements' bytes, row-major and little-endian; i1 takes a byte each.
mlir::LogicalResult elementBytesOf(mlir::Location location, mlir::ElementsAttr value, std::string &bytes);

} // namespace tw::lower
#endif
