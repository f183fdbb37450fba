// The Adapt phase: from an imported model, @main, to something that can be trained.
//
//   fold-transposes       transposes that only swap a product's matrix become its flags
//   raise-softmax         exp(x - max) / sum
//   raise-normalization   layer norm and RMS norm from means and roots
//   raise-gelu            GELU from erf and tanh
//   raise-attention       product, scale, mask, softmax, product
//   attach-loss           @main becomes @forward, @evaluate and @loss_weight
//   select-trainable      roles of parameters by pattern
//   check-batched-parameters  parameters that hold the batch
//   verify                what is no longer legal
#ifndef TW_PASSES_ADAPT
#define TW_PASSES_ADAPT
include "mlir/Pass/PassBase.td"

class AdaptPass<string flag> : Pass<"tw-adapt-" # flag, "mlir::ModuleOp"> {
  let dependentDialects = ["::tw::graph::GraphDialect", "mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::func::FuncDialect"];
}

def FoldTransposesPass : AdaptPass<"fold-transposes"> {
  let summary = "read transposed matrices in place: transposes before products become their flags";
  let description = [{
    A transpose that moves the last dimension to the one before it disappears into `transpose_lhs` or `transpose_rhs`;
    what is left of its permutation stays. A transpose between two reshapes that only merge and split the dimensions in
    front of it becomes one transpose.
  }];
}
def RaiseSoftmaxPass : AdaptPass<"raise-softmax"> {
  let summary = "recognise softmax and its logarithm written as exp, sum and quotient";
}
def RaiseNormalizationPass : AdaptPass<"raise-normalization"> {
  let summary = "recognise layer norm and RMS norm written as means, squares and roots";
  let description = [{
    (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) and x / sqrt(mean(x^2) + epsilon) over trailing dimensions,
    the root being spelled as sqrt, rsqrt or a power; a following scale and bias of those dimensions joins.
  }];
}
def RaiseGeluPass : AdaptPass<"raise-gelu"> {
  let summary = "recognise GELU written with erf or tanh, in whatever order its factors stand";
}
def RaiseAttentionPass : AdaptPass<"raise-attention"> {
  let summary = "recognise scaled dot-product attention and its mask";
  let description = [{
    softmax(scale q k^T + bias) v with the scale on the product, on q, on k or on both. Masks become a bias; a constant
    causal mask becomes `causal`; a guard that turns NaN rows into zeros disappears, since graph.attention gives zeros
    there. Keys and values repeated for grouped queries are read unrepeated. Masks of attention that the model spells as
    one operator are simplified alike.
  }];
}
def AttachLossPass : AdaptPass<"attach-loss"> {
  let summary = "make @forward, @evaluate and @loss_weight from @main and a loss";
  let description = [{
    cross_entropy: sum over labels that are not ignore_index; weight: their number. binary_cross_entropy, mse, l1: sum
    over elements; weight: their number. output: a scalar output of the model; weight: 1.
  }];
  let options = [
    Option<"loss", "loss", "std::string", "\"cross_entropy\"",
           "cross_entropy, binary_cross_entropy, mse, l1 or output">,
    Option<"output", "output", "std::string", "\"\"", "the output that the loss is about; empty: the only one">,
    Option<"labels", "labels", "std::string", "\"labels\"", "name of the labels">,
    Option<"ignoreIndex", "ignore-index", "int64_t", "-100", "label of rows that do not count">,
    Option<"labelSmoothing", "label-smoothing", "double", "0.0", "weight of the uniform distribution">,
    Option<"classAxis", "class-axis", "int64_t", "INT64_MIN",
           "dimension of the classes; by default the last up to rank 3, then 1">,
    Option<"fromLogits", "from-logits", "bool", "true", "binary_cross_entropy: the output is logits">,
    ListOption<"outputs", "outputs", "std::string", "outputs to keep; by default all">,
  ];
}
def SelectTrainablePass : AdaptPass<"select-trainable"> {
  let summary = "choose trainable parameters by name patterns";
  let options = [
    ListOption<"trainable", "trainable", "std::string", "glob patterns; with any, all others are frozen">,
    ListOption<"frozen", "frozen", "std::string", "glob patterns of what is not trained">,
  ];
}
def CheckBatchedParametersPass : AdaptPass<"check-batched-parameters"> {
  let summary = "warn of trainable parameters that have the batch as a dimension";
  let description = [{
    An exporter that folds the expansion of a class token to the batch leaves a parameter with values for each place in
    the batch. Training it trains another model, so this is a warning; with several data-parallel ranks it is an error.
    Such dimensions are found by following the batch through the ops, not by their size.
  }];
  let options = [
    ListOption<"wholeInputs", "whole-inputs", "std::string", "arguments of @forward without a batch dimension">,
    Option<"data", "data", "int64_t", "1", "data-parallel ranks">,
  ];
}
def VerifyAdaptPass : AdaptPass<"verify"> {
  let summary = "check the form of a model with a loss";
}
#endif
