// ShardableOpInterface: an op's dimensions as factors, and the op at local shapes.
#ifndef TW_COMPILER_INTERFACES_SHARDABLEOPINTERFACE_H
#define TW_COMPILER_INTERFACES_SHARDABLEOPINTERFACE_H

#include "compiler/Interfaces/ShardingRule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace tw {
/// A copy of `op` (attributes, properties and regions) with other operands and result types.
mlir::Operation *cloneWithTypes(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands,
                                mlir::TypeRange resultTypes);
} // namespace tw

#include "compiler/Interfaces/ShardableOpInterface.h.inc"

#endif
