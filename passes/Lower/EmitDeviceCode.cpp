#include "passes/Lower/EmitDeviceCode.h"

#include "passes/Lower/AssemblePTX.h"
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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"

#include <cstdlib>

using namespace mlir;

namespace tw::lower {
namespace {

/// Empty when there is none: then kernels that call libdevice (f64 functions) cannot be compiled.
std::string findToolkit(const DeviceOptions &options) {
  if (!options.toolkit.empty())
    return options.toolkit;
  const char *home = std::getenv("CUDA_HOME");
  std::string path = home && *home ? home : "/usr/local/cuda";
  return llvm::sys::fs::is_directory(path) ? path : "";
}

bool hasLibdevice(StringRef toolkit) {
  SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
  return !toolkit.empty() && llvm::sys::fs::exists(path);
}

void buildLoopPipeline(OpPassManager &pipeline) {
  KernelLoopsPassOptions loops;
  loops.target = "cuda";
  pipeline.addPass(createKernelLoopsPass(loops));
  pipeline.addPass(createExpandMathPass());
}

/// LLVM's function for an op that PTX has instructions for, or empty.
StringRef intrinsicOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::FmaOp) { return "llvm.fma"; })
      .Case([](math::SqrtOp) { return "llvm.sqrt"; })
      .Case([](math::AbsFOp) { return "llvm.fabs"; })
      .Case([](math::FloorOp) { return "llvm.floor"; })
      .Case([](math::CeilOp) { return "llvm.ceil"; })
      .Case([](math::TruncOp) { return "llvm.trunc"; })
      .Case([](math::RoundEvenOp) { return "llvm.roundeven"; })
      .Default([](Operation *) { return ""; });
}

/// No call of libdevice where there is an instruction: the library is there only with a toolkit.
void useInstructions(ModuleOp module) {
  module.walk([](Operation *op) {
    StringRef intrinsic = intrinsicOf(op);
    if (intrinsic.empty())
      return;
    OpBuilder builder(op);
    auto call = LLVM::CallIntrinsicOp::create(builder, op->getLoc(), op->getResult(0).getType(),
                                              builder.getStringAttr(intrinsic), op->getOperands());
    op->getResult(0).replaceAllUsesWith(call.getResult(0));
    op->erase();
  });
}

/// The oldest PTX version that knows the architectures from that one on: older drivers read it.
StringRef ptxVersion(unsigned architecture) {
  return architecture < 100 ? "+ptx80" : "+ptx90";
}

void buildCodePipeline(OpPassManager &pipeline, unsigned architecture, StringRef toolkit) {
  OpPassManager &kernels = pipeline.nest<gpu::GPUModuleOp>();
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps()); // math as calls of libdevice
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createArithToLLVMConversionPass());
  pipeline.addPass(createConvertControlFlowToLLVMPass());
  pipeline.addPass(createReconcileUnrealizedCastsPass());
  GpuNVVMAttachTargetOptions target;
  target.chip = ("sm_" + Twine(architecture)).str();
  target.features = ptxVersion(architecture).str();
  target.optLevel = 3;
  pipeline.addPass(createGpuNVVMAttachTarget(target));
  GpuModuleToBinaryPassOptions binary;
  binary.toolkitPath = toolkit.str();
  binary.compilationTarget = "isa";
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

/// A function that the PTX calls and does not define, or empty.
StringRef missingFunction(StringRef ptx) {
  size_t at = ptx.find(".extern .func");
  if (at == StringRef::npos)
    return "";
  size_t name = ptx.find("__nv_", at);
  return name == StringRef::npos
             ? "an unknown function"
             : ptx.substr(name).take_while([](char letter) { return llvm::isAlnum(letter) || letter == '_'; });
}

FailureOr<std::string> textOf(ModuleOp holder) {
  for (gpu::BinaryOp binary : holder.getOps<gpu::BinaryOp>())
    return cast<gpu::ObjectAttr>(binary.getObjects()[0]).getObject().getValue().rtrim('\0').str();
  return holder.emitError("no code was made for the generated kernels");
}

} // namespace

FailureOr<unsigned> parseArchitecture(StringRef name, std::string &message) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTargetMC();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  unsigned number;
  constexpr unsigned oldest = 75; // that CUDA 13 supports
  if (name.starts_with("sm_") && !name.drop_front(3).getAsInteger(10, number) && number >= oldest) {
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
    if (!target)
      return failure();
    std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
    if (info && info->isCPUStringValid(name))
      return number;
  }
  message = "unknown GPU architecture '" + name.str() +
            "': give NVIDIA's name of one from sm_75 on, such as sm_80 (A100), sm_89 (L4) or sm_90 (H100)";
  return failure();
}

FailureOr<std::string> emitPTX(ModuleOp program, const DeviceOptions &options) {
  auto kernels = program.lookupSymbol<ModuleOp>(kernelModuleName);
  if (!kernels || kernels.getBody()->empty())
    return std::string();
  registerTranslations(program.getContext());
  OwningOpRef<ModuleOp> holder(ModuleOp::create(program.getLoc()));
  holder->push_back(kernels->clone());
  std::string toolkit = findToolkit(options);
  PassManager loops(program.getContext()), code(program.getContext());
  buildLoopPipeline(loops);
  unsigned oldest = *llvm::min_element(options.architectures);
  bool hasLibrary = hasLibdevice(toolkit);
  buildCodePipeline(code, oldest, hasLibrary ? toolkit : "");
  if (failed(loops.run(*holder)))
    return failure();
  useInstructions(*holder);
  // MLIR complains about a toolkit without libdevice also when nothing needs it; below we say when something does.
  ScopedDiagnosticHandler complaints(program.getContext(), [&](Diagnostic &diagnostic) {
    std::string text = diagnostic.str();
    bool drop = !hasLibrary && (text.find("CUDA path") == 0 || text.find("LibDevice path") == 0);
    return success(drop);
  });
  if (failed(code.run(*holder)))
    return failure();
  FailureOr<std::string> ptx = textOf(*holder);
  if (StringRef missing = succeeded(ptx) ? missingFunction(*ptx) : ""; !missing.empty())
    return program.emitError() << "generated kernels call " << missing << " of CUDA's libdevice, which is not "
                               << (toolkit.empty() ? "on this machine" : "in '" + toolkit + "'")
                               << ": install the CUDA toolkit or name its folder in CUDA_HOME";
  return ptx;
}

FailureOr<DeviceCode> emitDeviceCode(ModuleOp program, const DeviceOptions &options) {
  FailureOr<std::string> ptx = emitPTX(program, options);
  if (failed(ptx))
    return failure();
  DeviceCode result;
  result.ptx = std::move(*ptx);
  std::string assembler = findAssembler(findToolkit(options));
  if (result.ptx.empty() || assembler.empty())
    return result;
  for (unsigned architecture : options.architectures) {
    std::string message;
    FailureOr<std::string> cubin = assemblePTX(assembler, result.ptx, architecture, message);
    if (failed(cubin))
      return program.emitError() << message;
    result.cubins[architecture] = std::move(*cubin);
  }
  return result;
}

} // namespace tw::lower
