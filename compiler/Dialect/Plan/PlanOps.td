// All ops of the plan dialect, by level.
include "compiler/Dialect/Plan/ValueOps.td"
include "compiler/Dialect/Plan/ProgramOps.td"
