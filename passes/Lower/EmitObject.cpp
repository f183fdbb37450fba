#include "passes/Lower/EmitObject.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace mlir;

namespace tw::lower {
namespace {

void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const HostCpu &cpu, std::string &message) {
  initializeTarget();
  llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu.name, cpu.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

std::string hostFeatures() {
  std::string features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features += (features.empty() ? "" : ",") + ((feature.second ? "+" : "-") + feature.first().str());
  return features;
}

/// The kernels' names and addresses, ended by nulls: tw_generated_kernels of kernels/abi/kernel.h.
void addKernelTable(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::get(context, 0);
  auto *entry = llvm::StructType::get(pointer, pointer);
  SmallVector<llvm::Constant *> entries;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto *text = llvm::ConstantDataArray::getString(context, function.getName());
    auto *name = new llvm::GlobalVariable(module, text->getType(), true, llvm::GlobalValue::PrivateLinkage, text);
    entries.push_back(llvm::ConstantStruct::get(entry, name, &function));
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  entries.push_back(llvm::ConstantAggregateZero::get(entry));
  auto *type = llvm::ArrayType::get(entry, entries.size());
  new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantArray::get(type, entries), "tw_generated_kernels");
}

void setFunctionAttributes(llvm::Module &module, const HostCpu &cpu, const llvm::TargetMachine &machine) {
  bool wide = machine.getMCSubtargetInfo()->checkFeatures("+avx512f");
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", cpu.name);
    function.addFnAttr("target-features", cpu.features);
    function.addFnAttr("no-trapping-math", "true");
    if (wide) // LLVM prefers 256 bits for older CPUs that lower their clock
      function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(callGraph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, callGraph, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

LogicalResult emit(ModuleOp kernels, const EmitOptions &options, llvm::CodeGenFileType kind,
                   SmallVectorImpl<char> &bytes) {
  std::string message;
  auto cpu = resolveCpu(options.cpu, message);
  std::unique_ptr<llvm::TargetMachine> machine;
  if (succeeded(cpu))
    machine = createTargetMachine(*cpu, message);
  if (!machine)
    return kernels.emitError(message);
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  kernels->getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(kernels, context, "generated_kernels");
  if (!module)
    return failure();
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  addKernelTable(*module);
  setFunctionAttributes(*module, *cpu, *machine);
  optimize(*module, *machine);
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr, kind))
    return kernels.emitError("LLVM cannot emit code for '") << cpu->name << "'";
  codegen.run(*module);
  return success();
}

} // namespace

FailureOr<HostCpu> resolveCpu(StringRef cpu, std::string &message) {
  if (cpu == "native")
    return HostCpu{llvm::sys::getHostCPUName().str(), hostFeatures()};
  auto generic = createTargetMachine({"", ""}, message);
  if (!generic)
    return failure();
  if (!generic->getMCSubtargetInfo()->isCPUStringValid(cpu)) {
    message = "unknown CPU '" + cpu.str() +
              "': give LLVM's name of one, such as haswell, skylake-avx512 or znver4, or native";
    return failure();
  }
  auto machine = createTargetMachine({cpu.str(), ""}, message);
  if (!machine)
    return failure();
  if (!machine->getMCSubtargetInfo()->checkFeatures("+64bit")) {
    message = "CPU '" + cpu.str() + "' has no 64-bit instructions: give a 64-bit one, such as x86-64";
    return failure();
  }
  // Of all that LLVM knows about a CPU, what a program can ask the machine for.
  llvm::StringMap<bool> detectable = llvm::sys::getHostCPUFeatures();
  HostCpu result{cpu.str(), ""};
  for (const llvm::SubtargetFeatureKV &feature : machine->getMCSubtargetInfo()->getEnabledProcessorFeatures())
    if (detectable.contains(feature.Key))
      result.features += (result.features.empty() ? "+" : ",+") + std::string(feature.Key);
  return result;
}

FailureOr<SmallVector<char>> emitHostObject(ModuleOp kernels, const EmitOptions &options) {
  SmallVector<char> bytes;
  if (failed(emit(kernels, options, llvm::CodeGenFileType::ObjectFile, bytes)))
    return failure();
  return bytes;
}

FailureOr<std::string> emitHostAssembly(ModuleOp kernels, const EmitOptions &options) {
  SmallVector<char> bytes;
  if (failed(emit(kernels, options, llvm::CodeGenFileType::AssemblyFile, bytes)))
    return failure();
  return std::string(bytes.data(), bytes.size());
}

} // namespace tw::lower
