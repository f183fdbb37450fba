// What one op costs.
#ifndef TW_INTERFACES_COST
#define TW_INTERFACES_COST
include "mlir/IR/OpBase.td"

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::tw";
  let description = [{
    Floating-point operations and bytes of an op at its shapes, as saturating 64-bit counts. Attached as an external
    model, a file for each op family, in compiler/Cost.
  }];
  let methods = [
    InterfaceMethod<"Floating-point operations; a multiply-add counts as two.", "int64_t", "getFlops", (ins)>,
    InterfaceMethod<"Bytes read plus bytes written, each operand and result once.", "int64_t", "getBytes", (ins), "", [{
      return ::tw::operandAndResultBytes($_op);
    }]>,
  ];
}
#endif
