// RUN: not tw-opt %s --tw-differentiate-update-parameters=optimizer=adamax 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not tw-opt %s --tw-differentiate-update-parameters=definition=tensorflow 2>&1 | FileCheck %s --check-prefix=DEFINITION
// RUN: not tw-opt %s --tw-differentiate-update-parameters="weight-decay-groups=*.weigth=0.1" 2>&1 | FileCheck %s --check-prefix=PATTERN
// RUN: not tw-opt %s --tw-differentiate-update-parameters="weight-decay-groups=fc" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not tw-opt %s --tw-differentiate-update-parameters="nesterov=true" 2>&1 | FileCheck %s --check-prefix=NESTEROV
// RUN: not tw-opt %s --tw-differentiate-update-parameters="schedule=WarmupCosineLR" 2>&1 | FileCheck %s --check-prefix=TOTAL
// RUN: not tw-opt %s --tw-differentiate-clip-gradients=max-norm=-1 2>&1 | FileCheck %s --check-prefix=NORM

// KIND: error: option optimizer must be one of sgd, adam, adamw, adagrad, but is 'adamax'
// DEFINITION: error: option definition must be one of pytorch, onnx, but is 'tensorflow'
// PATTERN: error: weight-decay pattern '*.weigth' matches no parameter that is left to it
// FORM: error: weight-decay group 'fc' is not of the form pattern=decay
// NESTEROV: error: Nesterov's momentum needs a positive momentum and no dampening
// TOTAL: error: schedule WarmupCosineLR needs a positive total-steps
// NORM: error: max-norm must not be negative, but is -1
module {
  graph.parameter @fc.weight : tensor<2xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  func.func @train(%g: tensor<2xf32>) -> (tensor<f32> {graph.name = "loss"}, tensor<2xf32> {graph.name = "gradient/fc.weight"}) {
    %loss = arith.constant dense<1.0> : tensor<f32>
    return %loss, %g : tensor<f32>, tensor<2xf32>
  }
}
