// Suggestions for names that do not exist.
#ifndef TW_PASSES_ADAPT_NEARNAMES_H
#define TW_PASSES_ADAPT_NEARNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tw::adapt {

/// "; near are 'a', 'b'" with up to three of `names` that are closest to `wanted`, or "" if there are none.
std::string nearNames(llvm::StringRef wanted, const std::vector<std::string> &names);

} // namespace tw::adapt

#endif
