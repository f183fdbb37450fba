// The passes of the Partition phase, in the order in which Passes.td lists them.
#ifndef TW_PASSES_PARTITION_PASSES_H
#define TW_PASSES_PARTITION_PASSES_H

#include "compiler/Dialect/Graph/Graph.h"
#include "passes/Partition/Options.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tw::partition {

#define GEN_PASS_DECL
#include "passes/Partition/Passes.h.inc"

/// The whole phase. With a single rank it leaves the program as it is.
void buildPartitionPipeline(mlir::OpPassManager &manager, const PartitionOptions &options);

/// Registers all passes and `--tw-partition-pipeline`.
void registerPartitionPasses();

} // namespace tw::partition

#endif
