#include "passes/Lower/EmitDeviceCode.h"

#include "passes/Lower/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace mlir;

namespace tw::lower {
namespace {

/// Empty when there is none: then kernels that call libdevice (f64 functions) cannot be compiled.
std::string findToolkit(const DeviceOptions &options) {
  if (!options.toolkit.empty())
    return options.toolkit;
  const char *home = std::getenv("CUDA_HOME");
  std::string path = home ? home : "/usr/local/cuda";
  return llvm::sys::fs::is_directory(path) ? path : "";
}

bool hasAssembler(StringRef toolkit) {
  if (toolkit.empty())
    return false;
  SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "bin", "ptxas");
  return llvm::sys::fs::can_execute(path);
}

void buildPipeline(OpPassManager &pipeline, const DeviceOptions &options) {
  KernelLoopsPassOptions loops;
  loops.target = "cuda";
  pipeline.addPass(createKernelLoopsPass(loops));
  pipeline.addPass(createExpandMathPass());
  OpPassManager &kernels = pipeline.nest<gpu::GPUModuleOp>();
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps()); // math as calls of libdevice
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createArithToLLVMConversionPass());
  pipeline.addPass(createConvertControlFlowToLLVMPass());
  pipeline.addPass(createReconcileUnrealizedCastsPass());
  GpuNVVMAttachTargetOptions target;
  target.chip = options.chip;
  target.features = "+ptx80";
  target.optLevel = 3;
  pipeline.addPass(createGpuNVVMAttachTarget(target));
  GpuModuleToBinaryPassOptions binary;
  binary.toolkitPath = findToolkit(options);
  binary.compilationTarget = !options.assembly && hasAssembler(binary.toolkitPath) ? "bin" : "isa";
  pipeline.addPass(createGpuModuleToBinaryPass(binary));
}

void registerTranslations(MLIRContext *context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  context->appendDialectRegistry(registry);
}

} // namespace

FailureOr<SmallVector<char>> emitDeviceCode(ModuleOp program, const DeviceOptions &options) {
  auto kernels = program.lookupSymbol<ModuleOp>(kernelModuleName);
  if (!kernels || kernels.getBody()->empty())
    return SmallVector<char>();
  registerTranslations(program.getContext());
  OwningOpRef<ModuleOp> holder(ModuleOp::create(program.getLoc()));
  holder->push_back(kernels->clone());
  PassManager passes(program.getContext());
  buildPipeline(passes, options);
  if (failed(passes.run(*holder)))
    return failure();
  for (gpu::BinaryOp binary : holder->getOps<gpu::BinaryOp>()) {
    StringRef bytes = cast<gpu::ObjectAttr>(binary.getObjects()[0]).getObject().getValue();
    return SmallVector<char>(bytes.begin(), bytes.end());
  }
  return program.emitError("no code was made for the generated kernels");
}

} // namespace tw::lower
