// The ONNX node that an operation stems from.
#ifndef TW_COMPILER_SUPPORT_NODENAME_H
#define TW_COMPILER_SUPPORT_NODENAME_H

#include "mlir/IR/Location.h"
#include <string>

namespace tw {

/// The name in the first NameLoc of `location` (call sites and fusions are searched through), or "".
inline std::string nodeName(mlir::Location location) {
  std::string name;
  location->walk([&](mlir::Location part) {
    auto named = llvm::dyn_cast<mlir::NameLoc>(part);
    if (!named)
      return mlir::WalkResult::advance();
    name = named.getName().str();
    return mlir::WalkResult::interrupt();
  });
  return name;
}

} // namespace tw
#endif
