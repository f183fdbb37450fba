// RUN: tw-opt %s --tw-adapt-select-trainable="trainable=head.*,*bias" | FileCheck %s
// RUN: tw-opt %s --tw-adapt-select-trainable="frozen=body.*" | FileCheck %s --check-prefix=FROZEN
// CHECK: @body.weight : {{.*}}#graph.role<frozen>
// CHECK: @body.bias : {{.*}}#graph.role<trainable>
// CHECK: @head.weight : {{.*}}#graph.role<trainable>
// CHECK: @statistics : {{.*}}#graph.role<buffer>
// FROZEN: @body.weight : {{.*}}#graph.role<frozen>
// FROZEN: @body.bias : {{.*}}#graph.role<frozen>
// FROZEN: @head.weight : {{.*}}#graph.role<trainable>
graph.parameter @body.weight : tensor<2xf32> {role = #graph.role<trainable>}
graph.parameter @body.bias : tensor<2xf32> {role = #graph.role<trainable>}
graph.parameter @head.weight : tensor<2xf32> {role = #graph.role<trainable>}
graph.parameter @statistics : tensor<2xf32> {role = #graph.role<buffer>}
