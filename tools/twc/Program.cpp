#include "tools/twc/Program.h"

#include "compiler/Import/ExportTemplate.h"
#include "passes/Lower/EmitDeviceCode.h"
#include "passes/Lower/EmitObject.h"
#include "runtime/plan/LoadPlan.h"
#include "tools/tw-plan/Commands.h"
#include "tools/twc/Link.h"
#include "tools/twc/Payload.h"
#include "tools/twc/VerifyEmittedPlan.h"

using namespace mlir;

namespace tw::twc {
namespace {

/// The object file that the program links: the generated kernels, for CUDA an empty table of them. Sets the CPU that
/// they need.
FailureOr<SmallVector<char>> emitKernels(ModuleOp module, ProgramOptions &options) {
  lower::EmitOptions emit;
  emit.cpu = options.command.cpu;
  std::string message;
  FailureOr<lower::HostCpu> cpu = lower::resolveCpu(emit.cpu, message);
  if (failed(cpu)) {
    fail(message);
    return failure();
  }
  auto kernels = module.lookupSymbol<ModuleOp>("generated_kernels");
  if (!kernels) {
    fail("no kernels were generated: the Lower phase is incomplete");
    return failure();
  }
  if (options.command.target == "cuda") {
    OwningOpRef<ModuleOp> none(ModuleOp::create(kernels.getLoc()));
    return lower::emitHostObject(*none, emit);
  }
  options.plan.cpu = cpu->name;
  options.plan.cpuFeatures = cpu->features;
  return lower::emitHostObject(kernels, emit);
}

LogicalResult addDeviceCode(ModuleOp module, const Options &command, planpb::Plan &plan) {
  lower::DeviceOptions device;
  device.architectures = command.gpus;
  FailureOr<lower::DeviceCode> code = lower::emitDeviceCode(module, device);
  if (failed(code))
    return failure();
  plan.set_device_code(std::move(code->ptx));
  for (auto &[architecture, bytes] : code->cubins) {
    planpb::Cubin &cubin = *plan.add_cubins();
    cubin.set_architecture(architecture);
    cubin.set_code(std::move(bytes));
  }
  if (code->cubins.empty() && !plan.device_code().empty() && !command.quiet)
    llvm::errs() << "twc: warning: there is no ptxas in CUDA_HOME or /usr/local/cuda: the GPU's driver compiles the "
                    "generated kernels each time that the program starts\n";
  return success();
}

/// The ONNX model that the program writes its parameters back into.
LogicalResult addExport(ModuleOp module, planpb::Plan &plan) {
  FailureOr<import::ExportTemplate> model = import::makeExportTemplate(module);
  if (failed(model))
    return failure();
  planpb::OnnxExport &result = *plan.mutable_onnx_export();
  result.set_path(model->path);
  result.set_model(std::move(model->model));
  for (const import::ExportTemplate::Target &target : model->targets) {
    planpb::OnnxExport::Target &entry = *result.add_targets();
    entry.set_parameter(target.parameter);
    entry.set_initializer(target.tensor);
  }
  return success();
}

FailureOr<lower::EmittedPlan> emitCheckedPlan(ModuleOp module, const ProgramOptions &options) {
  FailureOr<lower::EmittedPlan> emitted = lower::emitPlan(module, options.plan);
  if (failed(emitted))
    return failure();
  if (options.command.weights == WeightMode::Absent)
    for (planpb::Parameter &parameter : *emitted->plan.mutable_parameters())
      if (parameter.role() == planpb::TRAINABLE || parameter.role() == planpb::FROZEN)
        parameter.clear_source();
  emitted->plan.set_model_fingerprint(rt::parametersFingerprint(emitted->plan));
  if (options.command.weights != WeightMode::Absent && failed(addExport(module, emitted->plan)))
    return failure();
  if (options.command.target == "cuda" && failed(addDeviceCode(module, options.command, emitted->plan)))
    return failure();
  if (rt::Status status = verifyEmittedPlan(emitted->plan); status.failed()) {
    fail(status.message());
    return failure();
  }
  return emitted;
}

bool printMemory(const planpb::Plan &plan) {
  rt::LoadedPlan loaded;
  loaded.plan = plan;
  for (const char *program : {"train", "evaluate"}) {
    if (!rt::findProgram(plan, program, 0))
      continue;
    planTool::MemoryOptions options;
    options.program = program;
    if (rt::Status status = planTool::memory(loaded, options); status.failed())
      return fail(status.message());
  }
  return true;
}
} // namespace

bool writeProgram(ModuleOp module, ProgramOptions options) {
  const Options &command = options.command;
  FailureOr<SmallVector<char>> object = emitKernels(module, options);
  if (failed(object))
    return false;
  FailureOr<lower::EmittedPlan> emitted = emitCheckedPlan(module, options);
  if (failed(emitted) || (command.memoryReport && !printMemory(emitted->plan)))
    return false;
  if (command.output.empty())
    return true;
  std::string message;
  if (command.emit == Emit::Object)
    return writeBytes(command.output,
                      command.target == "cuda" ? StringRef(emitted->plan.device_code())
                                               : StringRef(object->data(), object->size()),
                      message) ||
           fail(message);
  if (command.emit == Emit::Plan)
    return writePlan(command.output, *emitted, message) || fail(message);
  LinkedImage image;
  return (image.link(StringRef(object->data(), object->size()), message) &&
          writeExecutable(command.output, image.path(), *emitted, command.weights == WeightMode::Reference, message)) ||
         fail(message);
}

} // namespace tw::twc
