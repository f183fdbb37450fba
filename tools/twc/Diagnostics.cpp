#include "tools/twc/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tw::twc {

/// "node '/fc/MatMul' (MatMul): ", or "model.onnx: " for a location that is no node, or "".
static std::string place(Location location) {
  NameLoc name;
  location->walk([&](Location part) {
    name = dyn_cast<NameLoc>(part);
    return name ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!name)
    return "";
  if (auto type = dyn_cast<NameLoc>(name.getChildLoc()))
    return "node '" + name.getName().str() + "' (" + type.getName().str() + "): ";
  return name.getName().str() + ": ";
}

static LogicalResult print(Diagnostic &diagnostic, bool quiet) {
  if (quiet && diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return success();
  const char *severity = diagnostic.getSeverity() == DiagnosticSeverity::Error     ? "error: "
                         : diagnostic.getSeverity() == DiagnosticSeverity::Warning ? "warning: "
                                                                                   : "note: ";
  llvm::errs() << "twc: " << severity << place(diagnostic.getLocation()) << diagnostic << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    if (!StringRef(note.str()).starts_with("see current operation"))
      llvm::errs() << "twc: note: " << place(note.getLocation()) << note << "\n";
  return success();
}

void installDiagnosticPrinter(MLIRContext &context, bool quiet) {
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([quiet](Diagnostic &diagnostic) { return print(diagnostic, quiet); });
}

} // namespace tw::twc
