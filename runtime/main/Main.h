// The entry of a compiled program.
#ifndef TW_RUNTIME_MAIN_MAIN_H
#define TW_RUNTIME_MAIN_MAIN_H

#include "kernels/abi/kernel.h"

/// Defined by the object file that the compiler generates; ends where `name` is null.
extern "C" const tw_generated_kernel tw_generated_kernels[];

/// Loads the plan from the payload of the running executable and does what the command line says.
int tw_train_main(int argc, char **argv);

#endif
