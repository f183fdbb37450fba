// RUN: split-file %s %t
// RUN: not tw-opt %t/empty.mlir --tw-import-read-model 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tw-opt %t/full.mlir --tw-import-read-model=model=x.onnx 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not tw-opt %t/empty.mlir --tw-import-read-model="model=x.onnx dims=batch" 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not tw-opt %t/empty.mlir --tw-import-read-model=model=%t/none.onnx 2>&1 | FileCheck %s --check-prefix=FILE
// NONE: error: option model is missing: the ONNX file to read
// FULL: error: a model is read into an empty module, but this one holds 1 operations
// DIM: error: option dims takes name=size, but is 'batch'
// FILE: error: {{.*}}cannot read '{{.*}}none.onnx': No such file or directory

//--- empty.mlir
module {
}
//--- full.mlir
module {
  func.func @main() {
    return
  }
}
