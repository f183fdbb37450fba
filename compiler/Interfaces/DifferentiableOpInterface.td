// Reverse-mode differentiation of one op.
#ifndef TW_INTERFACES_DIFFERENTIABLE
#define TW_INTERFACES_DIFFERENTIABLE
include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::tw";
  let description = [{
    How cotangents of an op's results become cotangents of its operands. Attached as an external model, a file for each
    op family, in compiler/Autodiff.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the op's adjoint at the builder's insertion point. `cotangents` has one value a result, of the result's
      type; a null value stands for zero, and at least one is not null. `wanted` has one entry an operand. Returns one
      value an operand, of the operand's type, null where it is not wanted or zero. The emitted ops may use the op's
      operands and results: these are its residuals. Failure comes after a diagnostic at the op.
    }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "backward",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$cotangents, "::llvm::ArrayRef<bool>":$wanted)>,
    InterfaceMethod<[{
      Whether operand number `operand` takes a cotangent at all. The others (indices, masks, statistics) end the path.
    }], "bool", "isDifferentiable", (ins "unsigned":$operand), "", [{
      return ::llvm::isa<::mlir::FloatType>(::mlir::getElementTypeOrSelf($_op->getOperand(operand).getType()));
    }]>,
  ];
}
#endif
