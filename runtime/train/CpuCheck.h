// Does this machine have what the generated kernels were compiled for?
#ifndef TW_RUNTIME_TRAIN_CPUCHECK_H
#define TW_RUNTIME_TRAIN_CPUCHECK_H

#include "runtime/base/Status.h"
#include <string>

namespace tw::rt {

/// `features` is LLVM's list, such as "+avx2,+fma,-avx512f"; `cpu` names the CPU in the message.
Status checkCpu(const std::string &cpu, const std::string &features);

} // namespace tw::rt
#endif
