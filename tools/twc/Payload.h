// Files that appear whole or not at all.
#ifndef TW_TOOLS_TWC_PAYLOAD_H
#define TW_TOOLS_TWC_PAYLOAD_H

#include "passes/Lower/EmitPlan.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tw::twc {

// All return false with a sentence in `message`.
bool writeBytes(const std::string &path, llvm::StringRef bytes, std::string &message);
/// The plan alone; weights stay where they are, and those that the module itself held go into a file beside it.
bool writePlan(const std::string &path, lower::EmittedPlan &emitted, std::string &message);
/// The image, the weights (all of them, or with `reference` only those that no file holds) and the plan.
bool writeExecutable(const std::string &path, const std::string &image, lower::EmittedPlan &emitted, bool reference,
                     std::string &message);

} // namespace tw::twc
#endif
