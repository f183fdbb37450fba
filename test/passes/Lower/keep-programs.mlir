// RUN: tw-opt %s --tw-lower-keep-programs | FileCheck %s

// CHECK-NOT: @forward
// CHECK: func.func @train
// CHECK-NOT: @loss_weight
func.func @forward() { return }
func.func @train() { return }
func.func @loss_weight() { return }
