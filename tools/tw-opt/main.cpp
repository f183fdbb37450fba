// tw-opt: reads a program, runs passes or pipelines on it, prints it. Options and diagnostics are mlir-opt's.
#include "compiler/Dialect/Plan/KernelLibrary.h"
#include "compiler/Support/Registration.h"
#include "passes/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tw::registerAllDialects(registry);
  tw::plan::attachKernelLibrary(registry, tw_find_kernel);
  tw::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Trainwright: any pass on any program\n", registry));
}
