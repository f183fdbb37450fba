// PTX to machine code, by ptxas of the CUDA toolkit.
#ifndef TW_PASSES_LOWER_ASSEMBLE_PTX_H
#define TW_PASSES_LOWER_ASSEMBLE_PTX_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tw::lower {

/// The path of the toolkit's ptxas, or empty.
std::string findAssembler(llvm::StringRef toolkit);

/// The cubin of `ptx` for one architecture. Fails with a sentence in `message`.
mlir::FailureOr<std::string> assemblePTX(llvm::StringRef ptxas, llvm::StringRef ptx, unsigned architecture,
                                         std::string &message);

} // namespace tw::lower
#endif
