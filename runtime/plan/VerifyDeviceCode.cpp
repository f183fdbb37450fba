// C9: the device code of plans for CUDA.
#include "runtime/base/Text.h"
#include "runtime/plan/Access.h"
#include "runtime/plan/DeviceCode.h"
#include "runtime/plan/VerifyPlan.h"

namespace tw::rt {

namespace {

/// Checks that `code`, which `what` names, defines every generated kernel that the plan's programs call.
Status verifyKernels(const planpb::Plan &plan, const DeviceCode &code, const std::string &what) {
  for (const planpb::Program &program : plan.programs())
    for (int i = 0; i < program.instructions_size(); ++i) {
      if (!program.instructions(i).has_generated())
        continue;
      const planpb::GeneratedCall &call = program.instructions(i).generated();
      auto found = code.kernels.find(call.name());
      if (found == code.kernels.end())
        return Status::error(text("the plan's ", what, " lacks this kernel; compile it again"))
            .in(instructionPlace(program, i));
      int given = call.buffers_size() + call.sizes_size() + 1; // the extent
      if (found->second >= 0 && found->second != given)
        return Status::error(text("the kernel in the plan's ", what, " takes ", found->second,
                                  " parameters, the call gives ", given))
            .in(instructionPlace(program, i));
    }
  return Status::ok();
}

bool callsGeneratedKernels(const planpb::Plan &plan) {
  for (const planpb::Program &program : plan.programs())
    for (const planpb::Instruction &instruction : program.instructions())
      if (instruction.has_generated())
        return true;
  return false;
}

} // namespace

Status verifyDeviceCode(const planpb::Plan &plan) {
  bool any = !plan.device_code().empty() || plan.cubins_size() > 0;
  if (plan.target() != "cuda")
    return any ? Status::error(text("the plan is for '", plan.target(), "', but carries device code")) : Status::ok();
  if (!any)
    return callsGeneratedKernels(plan) ? Status::error("the plan is for CUDA, but carries no code of its generated "
                                                       "kernels; compile it again")
                                       : Status::ok();
  Expected<DeviceCode> ptx = readPtx(plan.device_code());
  if (ptx.failed())
    return ptx.takeStatus().in("the plan's device code");
  TW_TRY(verifyKernels(plan, *ptx, "PTX"));
  uint32_t least = uint32_t(ptx->architecture);
  for (const planpb::Cubin &cubin : plan.cubins()) {
    std::string what = text("cubin for sm_", cubin.architecture());
    if (cubin.architecture() < least)
      return Status::error(
          text("the plan's ", what, " is out of order or older than its PTX, which is for sm_", ptx->architecture));
    least = cubin.architecture() + 1;
    Expected<DeviceCode> code = readCubin(cubin.code());
    if (code.failed())
      return code.takeStatus().in(text("the plan's ", what));
    if (uint32_t(code->architecture) != cubin.architecture())
      return Status::error(text("the plan's ", what, " holds code for sm_", code->architecture));
    TW_TRY(verifyKernels(plan, *code, what));
  }
  return Status::ok();
}

} // namespace tw::rt
