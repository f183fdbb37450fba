// The plan dialect: what runs, on which bytes, in which order.
#ifndef TW_PLAN_BASE
#define TW_PLAN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::tw::plan";
  let useDefaultAttributePrinterParser = 1;
  let summary = "Kernel calls over tensors, then over buffers at fixed arena offsets";
  let description = [{
    Two levels. On **tensors** (inside functions): `plan.kernel` calls a hand-written kernel (`graph.fused` a
    generated one), `plan.all_reduce` sums over ranks, `plan.view` and `plan.assemble` say that values share
    memory. On **buffers** (inside `plan.program`): `plan.buffer` places a typed range in the arena, and `plan.call`,
    `plan.generated`, `plan.collective`, `plan.copy` and `plan.fill` are the instructions that the executable plan
    (kernels/abi/plan.proto) lists. `tw-lower-plan-memory` goes from the first to the second.
  }];
}

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

def Plan_Tensor : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
def Plan_Buffer : MemRefOf<[AnyFloat, AnySignlessInteger]>;

#endif
