// A model is read into an empty module, and the other phases go on from there.
// RUN: tw-opt %s --tw-import-pipeline="model=%oracle/mlp/model.dynamo20-dynamic.onnx dims=s77=16" | FileCheck %s
// RUN: tw-opt %s --tw-import-pipeline="model=%oracle/cnn/model.torchscript18-unfolded.onnx frozen-batch-norm=true" | FileCheck %s --check-prefix=FROZEN
// RUN: tw-opt %s --tw-import-read-model="model=%oracle/mlp/model.dynamo20.onnx absent-weights=true" | FileCheck %s --check-prefix=ABSENT
// RUN: tw-opt %s --tw-import-pipeline=model=%oracle/mlp/model.dynamo20.onnx --tw-adapt-pipeline --tw-differentiate-pipeline | FileCheck %s --check-prefix=TRAIN

// CHECK: module attributes {graph.model_name = "main_graph", graph.model_path = "{{.*}}model.dynamo20-dynamic.onnx"}
// CHECK: graph.parameter @net.0.weight : tensor<48x64xf32> {file = "
// CHECK: func.func @main(%arg0: tensor<16x64xf32> {graph.name = "x"}) -> (tensor<16x10xf32> {graph.name = "output"})
// FROZEN: graph.batch_norm %
// FROZEN-NOT: graph.batch_norm_training
// ABSENT: graph.parameter @net.0.weight : tensor<48x64xf32> {role
// TRAIN: func.func @train
module {
}
