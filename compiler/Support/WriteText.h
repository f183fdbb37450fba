// Text that the tools write: IR and reports.
#ifndef TW_COMPILER_SUPPORT_WRITETEXT_H
#define TW_COMPILER_SUPPORT_WRITETEXT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace tw {

/// Writes what `print` prints to the file `path`, whole or not at all; to standard output when `path` is "" or "-", and
/// straight into devices and pipes. Returns one sentence that says what went wrong, or "".
std::string writeText(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> print);

} // namespace tw
#endif
