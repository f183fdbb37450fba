// How one op can be split over a grid of devices.
#ifndef TW_INTERFACES_SHARDABLE
#define TW_INTERFACES_SHARDABLE
include "mlir/IR/OpBase.td"

def ShardableOpInterface : OpInterface<"ShardableOpInterface"> {
  let cppNamespace = "::tw";
  let description = [{
    An op's dimensions as factors, as in an einsum; propagation and partition work on these alone and name no op.
    Attached as an external model, a file for each op family, in compiler/Sharding.
  }];
  let methods = [
    InterfaceMethod<"The op's factors at its present (global or local) shapes.",
      "::tw::ShardingRule", "getShardingRule", (ins)>,
    InterfaceMethod<[{
      Rebuilds the op at local shapes and returns the new op. The default clones it with new operands and result types;
      an op with attributes that speak of sizes adapts them here.
    }], "::mlir::Operation *", "localize",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands, "::mlir::TypeRange":$resultTypes), "", [{
      return ::tw::cloneWithTypes(builder, $_op, operands, resultTypes);
    }]>,
  ];
}
#endif
