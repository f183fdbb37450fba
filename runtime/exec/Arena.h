// First values of the arena: parameters and constants.
#ifndef TW_RUNTIME_EXEC_ARENA_H
#define TW_RUNTIME_EXEC_ARENA_H

#include "runtime/device/Device.h"
#include "runtime/plan/LoadPlan.h"

namespace tw::rt {

/// Gives every parameter the value that its source names.
Status initializeParameters(LoadedPlan &loaded, Device &device);
/// Writes the constants of a program. Programs share the arena: needed again after another program ran.
Status uploadConstants(LoadedPlan &loaded, const planpb::Program &program, Device &device);
/// Fills `count` elements at an arena offset with a value, through a small buffer.
Status fillElements(Device &device, uint64_t offset, int type, int64_t count, double value);

} // namespace tw::rt
#endif
