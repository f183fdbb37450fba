#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"
#include "runtime/plan/DeviceCode.h"
#include "tools/tw-plan/Commands.h"

#include <cstdio>

namespace tw::planTool {

using namespace rt;

static const char *roleName(int role) {
  static const char *const names[] = {"invalid", "trainable", "frozen", "buffer", "optimizer", "counter"};
  return role >= 0 && role < 6 ? names[role] : "invalid";
}

static std::string kernelsText(const Expected<DeviceCode> &code) {
  return code.failed() ? text(", damaged: ", code.message()) : text(", ", code->kernels.size(), " kernels");
}

/// What the GPU's architectures and code are.
static void showDeviceCode(const planpb::Plan &plan) {
  Expected<DeviceCode> ptx = readPtx(plan.device_code());
  printf("PTX       sm_%d and newer, %zu bytes%s\n", ptx.failed() ? 0 : ptx->architecture, plan.device_code().size(),
         kernelsText(ptx).c_str());
  for (const planpb::Cubin &cubin : plan.cubins())
    printf("cubin     sm_%u, %zu bytes%s\n", cubin.architecture(), cubin.code().size(),
           kernelsText(readCubin(cubin.code())).c_str());
}

static void showHeader(const planpb::Plan &plan) {
  printf("model     %s\nproducer  %s\ntarget    %s%s, %u threads\n", plan.model_name().c_str(), plan.producer().c_str(),
         plan.target().c_str(), plan.cpu().empty() ? "" : text(" (", plan.cpu(), ")").c_str(), plan.threads());
  if (!plan.device_code().empty())
    showDeviceCode(plan);
  printf("mesh      data %u, tensor %u, pipeline %u\n", plan.mesh().data(), plan.mesh().tensor(),
         plan.mesh().pipeline());
  printf("batch     %u micro-batches of %u rows on each rank\n\n", plan.batch().micro_batches(),
         plan.batch().micro_batch());
  printf("parameters:\n");
  for (const planpb::Parameter &parameter : plan.parameters())
    printf("  %-10s %s %s at %llu  %s\n", roleName(parameter.role()), typeName(parameter.type()),
           shapeText(parameter.shape()).c_str(), (unsigned long long)parameter.offset(), parameter.name().c_str());
  printf("inputs:\n");
  for (const planpb::DataInput &input : plan.inputs()) {
    printf("  %s: %s %s%s", input.name().c_str(), typeName(input.type()), shapeText(input.row_shape()).c_str(),
           input.batched() ? " a row" : "");
    if (input.has_bounds())
      printf(", values in [%lld, %lld)", (long long)input.lower(), (long long)input.upper());
    if (input.has_ignore())
      printf(" or %lld", (long long)input.ignore());
    printf("\n");
  }
}

static std::string bufferText(const planpb::Program &program, uint32_t index) {
  if (index >= uint32_t(program.buffers_size()))
    return "?";
  const planpb::Buffer &buffer = program.buffers(int(index));
  return text("%", index, " ", typeName(buffer.type()), shapeText(buffer.shape()));
}

static std::string operandsText(const planpb::Program &program, const std::vector<uint32_t> &operands) {
  std::string result;
  for (uint32_t operand : operands)
    result += (result.empty() ? "" : ", ") + bufferText(program, operand);
  return result;
}

static void showProgram(const planpb::Program &program, bool buffers) {
  printf("\nprogram '%s' of rank %u: arena %llu bytes, parameters %llu bytes, %d buffers, %d instructions\n",
         program.name().c_str(), program.rank(), (unsigned long long)program.arena_bytes(),
         (unsigned long long)program.parameter_bytes(), program.buffers_size(), program.instructions_size());
  for (const planpb::Binding &input : program.inputs())
    printf("  input '%s' is %s\n", input.name().c_str(), bufferText(program, input.buffer()).c_str());
  for (const planpb::Binding &output : program.outputs())
    printf("  output '%s' is %s\n", output.name().c_str(), bufferText(program, output.buffer()).c_str());
  if (buffers)
    for (int i = 0; i < program.buffers_size(); ++i) {
      const planpb::Buffer &buffer = program.buffers(i);
      printf("  %%%d = %s %s at %llu, %s%s%s\n", i, typeName(buffer.type()), shapeText(buffer.shape()).c_str(),
             (unsigned long long)buffer.offset(), buffer.name().c_str(), buffer.node().empty() ? "" : ", node ",
             buffer.node().c_str());
    }
  for (int i = 0; i < program.instructions_size(); ++i) {
    const planpb::Instruction &instruction = program.instructions(i);
    Access access = instructionAccess(instruction);
    printf("  %5d  %s (%s) -> (%s)%s%s\n", i, instructionText(instruction).c_str(),
           operandsText(program, access.reads).c_str(), operandsText(program, access.writes).c_str(),
           instruction.node().empty() ? "" : "  node ", instruction.node().c_str());
  }
}

Status show(const LoadedPlan &loaded, const ShowOptions &options) {
  showHeader(loaded.plan);
  bool found = false;
  for (const planpb::Program &program : loaded.plan.programs()) {
    if (program.rank() != uint32_t(options.rank) || (!options.program.empty() && program.name() != options.program))
      continue;
    found = true;
    showProgram(program, options.buffers);
  }
  if (!found)
    return Status::error(text("the plan has no program",
                              options.program.empty() ? std::string() : text(" '", options.program, "'"), " for rank ",
                              options.rank, "; it has ", worldSize(loaded.plan), " ranks"));
  return Status::ok();
}

} // namespace tw::planTool
