// The compiler's last check of its own work.
#ifndef TW_TOOLS_TWC_VERIFYEMITTEDPLAN_H
#define TW_TOOLS_TWC_VERIFYEMITTEDPLAN_H

#include "kernels/abi/kernel.h"
#include "runtime/plan/VerifyPlan.h"

namespace tw::twc {

/// Verifies a plan before it is written. Whether its generated kernels exist is left to the program that holds them,
/// which verifies the plan again when it starts.
inline rt::Status verifyEmittedPlan(const planpb::Plan &plan) {
  rt::KernelTable kernels;
  kernels.kernel = [](const char *name) { return tw_find_kernel(name); };
  rt::Status status = rt::verifyPlan(plan, kernels);
  if (!status.failed())
    return status;
  return rt::Status::error("internal error: the compiler made a plan that is not valid, so nothing was written: " +
                           status.message());
}

} // namespace tw::twc
#endif
