// The static verifier of plans. It runs each time a plan is loaded.
//
// C1  Every buffer has a valid type, at most 8 dimensions and lies inside the arena; the arena holds its lower bound.
// C2  Parameters have distinct names and bytes and lie in [0, parameter_bytes) of every program.
// C3  Operands are buffer indices, and types and shapes fit the instruction (copy, collective, generated call).
// C4  Kernels exist, run on the plan's target, and those without the strided mark get contiguous operands.
// C5  Every byte that is read was written before by that buffer or a view of it (or is a parameter, input or constant):
//     so no two live buffers share memory.
// C6  An instruction waits only for earlier ones, and every access to bytes used on another stream is ordered by waits.
// C7  All ranks issue matching collectives in one order; every send meets its receive.
// C8  Inputs and outputs are bound to buffers that fit them; batched inputs of a program hold equally many rows.
// C9  A plan for CUDA carries PTX, and cubins of ascending architectures that are no older; each defines every
// generated
//     kernel, with as many parameters as its calls give. Other plans carry no device code.
#ifndef TW_RUNTIME_PLAN_VERIFYPLAN_H
#define TW_RUNTIME_PLAN_VERIFYPLAN_H

#include "kernels/abi/kernel.h"
#include "kernels/abi/plan.pb.h"
#include "runtime/base/Status.h"
#include <functional>
#include <string>

namespace tw::rt {

/// Finds hand-written and generated kernels by name; an empty function is not asked.
struct KernelTable {
  std::function<const tw_kernel *(const char *)> kernel;
  std::function<tw_generated_run(const char *)> generated;
};
/// Over `tw_generated_kernels`, an array that ends with a null name.
KernelTable kernelTable(const tw_kernel *(*kernel)(const char *), const tw_generated_kernel *generated);

/// Checks C1 to C9 for all programs. The error names the program, rank, instruction and node.
Status verifyPlan(const planpb::Plan &plan, const KernelTable &kernels = {});

// The parts, in the order in which verifyPlan runs them; each relies on those before it.
Status verifyParameters(const planpb::Plan &plan);                              // C2
Status verifyBuffers(const planpb::Plan &plan, const planpb::Program &program); // C1
Status verifyInstructions(const planpb::Plan &plan, const planpb::Program &program,
                          const KernelTable &kernels);                           // C3, C4
Status verifyBindings(const planpb::Plan &plan, const planpb::Program &program); // C8
Status verifyDataFlow(const planpb::Plan &plan, const planpb::Program &program); // C5, C6
Status verifyCollectives(const planpb::Plan &plan);                              // C7
Status verifyDeviceCode(const planpb::Plan &plan);                               // C9

} // namespace tw::rt
#endif
