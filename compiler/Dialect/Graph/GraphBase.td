// The graph dialect: what upstream MLIR lacks to describe a model and its training step.
#ifndef TW_GRAPH_BASE
#define TW_GRAPH_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::tw::graph";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"]; // constants that folders make
  let summary = "Models and training steps over ranked, statically shaped tensors";
  let description = [{
    Values are ranked tensors of static shape. Elementwise maths is `arith` and `math` on such tensors; this dialect
    has the rest: state, contraction, convolution, pooling, normalisation, attention, structure, indexing, reductions,
    losses and random numbers. Ops are pure unless they touch state. Locations name the ONNX node.
  }];
}

class Graph_Op<string mnemonic, list<Trait> traits = []> : Op<Graph_Dialect, mnemonic, traits>;

// A pure op printed as `graph.x %a, %b {attributes} : (types) -> types`.
class Graph_PureOp<string mnemonic, list<Trait> traits = []> : Graph_Op<mnemonic, !listconcat([Pure], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

class Graph_TensorOf<list<Type> elements> : RankedTensorOf<elements, [HasStaticShapePred], "statically shaped tensor">;
def Graph_Tensor : Graph_TensorOf<[AnyFloat, AnySignlessInteger]>;
def Graph_FloatTensor : Graph_TensorOf<[AnyFloat]>;
def Graph_IntTensor : Graph_TensorOf<[AnySignlessInteger]>;
def Graph_IndexScalar : 0DTensorOf<[I64]>;
def Graph_FloatScalar : 0DTensorOf<[AnyFloat]>;

#endif
