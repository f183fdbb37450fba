// tw-lower-kernels-to-llvm: the loops of generated kernels in the LLVM dialect.
#include "passes/Lower/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_KERNELSTOLLVMPASS
#include "passes/Lower/Passes.h.inc"

namespace {

void buildPipeline(OpPassManager &pipeline) {
  // No canonicalisation here: it rebuilds loops without their annotation.
  pipeline.addPass(createCSEPass());
  pipeline.addPass(createSCFToControlFlowPass());
  pipeline.addPass(createConvertMathToLLVMPass());
  pipeline.addPass(createConvertMathToLibmPass()); // what LLVM has no intrinsic for
  pipeline.addPass(createArithToLLVMConversionPass());
  pipeline.addPass(createConvertControlFlowToLLVMPass());
  pipeline.addPass(createConvertFuncToLLVMPass());
  pipeline.addPass(createReconcileUnrealizedCastsPass());
}

struct KernelsToLLVMPass : impl::KernelsToLLVMPassBase<KernelsToLLVMPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildPipeline(pipeline);
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override {
    auto kernels = getOperation().lookupSymbol<ModuleOp>(kernelModuleName);
    if (!kernels)
      return;
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildPipeline(pipeline);
    if (failed(runPipeline(pipeline, kernels)))
      signalPassFailure();
  }
};

} // namespace
} // namespace tw::lower
