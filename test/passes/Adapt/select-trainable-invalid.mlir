// RUN: not tw-opt %s --tw-adapt-select-trainable="trainable=layer1.*" 2>&1 | FileCheck %s
// RUN: not tw-opt %s --tw-adapt-select-trainable="frozen=[a" 2>&1 | FileCheck %s --check-prefix=PATTERN
// CHECK: error: no parameter matches 'layer1.*'; near are 'layers.1.weight', 'layers.2.weight'
// PATTERN: error: '[a' is not a pattern
graph.parameter @layers.1.weight : tensor<2xf32> {role = #graph.role<trainable>}
graph.parameter @layers.2.weight : tensor<2xf32> {role = #graph.role<trainable>}
