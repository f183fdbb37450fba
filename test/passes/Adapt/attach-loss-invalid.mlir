// RUN: not tw-opt %s --tw-adapt-attach-loss 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: not tw-opt %s --tw-adapt-attach-loss="output=logit" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tw-opt %s --tw-adapt-attach-loss="loss=mean_square" 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not tw-opt %s --tw-adapt-attach-loss="output=logits labels=x" 2>&1 | FileCheck %s --check-prefix=LABELS
// RUN: not tw-opt %s --tw-adapt-attach-loss="output=logits labels=w" 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: not tw-opt %s --tw-adapt-attach-loss="output=logits loss=output" 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not tw-opt %s --tw-adapt-attach-loss="output=logits label-smoothing=1.5" 2>&1 | FileCheck %s --check-prefix=SMOOTHING
// RUN: not tw-opt %s --tw-adapt-attach-loss="output=ids" 2>&1 | FileCheck %s --check-prefix=INTEGER
// WHICH: error: the model has 2 outputs (logits, ids): name the one that the loss is about
// NONE: error: the model has no output 'logit' for the loss; near are 'logits', 'ids'
// KIND: error: there is no loss 'mean_square'; near are
// LABELS: error: input 'x' is 'tensor<4x5xf32>', but as labels it has to be 'tensor<4xi64>'
// PARAMETER: error: the loss's labels are named 'w', which is a parameter of the model; name an input, or what is no name yet
// SCALAR: error: the model's own loss is to be output 'logits', which is 'tensor<4x5xf32>': expected one number
// SMOOTHING: error: label smoothing is 1.5{{.*}}: expected 0 or more and below 1
// INTEGER: error: the loss is of output 'ids', which is 'tensor<4xi64>': expected floats
graph.parameter @w : tensor<2xf32> {role = #graph.role<trainable>, fill = 0.0 : f64}
func.func @main(%x: tensor<4x5xf32> {graph.name = "x"}, %i: tensor<4xi64> {graph.name = "i"}) -> (tensor<4x5xf32> {graph.name = "logits"}, tensor<4xi64> {graph.name = "ids"}) {
  return %x, %i : tensor<4x5xf32>, tensor<4xi64>
}
