#include "passes/Lower/AssemblePTX.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace sys = llvm::sys;

namespace tw::lower {
namespace {

/// A temporary folder that disappears with this object.
class Folder {
public:
  Folder() { error = sys::fs::createUniqueDirectory("tw-ptx", path); }
  ~Folder() {
    if (!error)
      (void)sys::fs::remove_directories(path); // what stays is in the system's temporary folder
  }
  Folder(const Folder &) = delete;
  std::string file(StringRef name) const {
    SmallString<128> result(path);
    sys::path::append(result, name);
    return result.str().str();
  }
  std::error_code error;

private:
  SmallString<128> path;
};

bool write(const std::string &path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  stream << text;
  stream.close();
  bool failed = code || stream.has_error();
  stream.clear_error();
  return !failed;
}

/// What ptxas says is wrong, as one line; it may print thousands.
std::string firstLine(const std::string &path) {
  auto log = llvm::MemoryBuffer::getFile(path);
  return log ? (*log)->getBuffer().trim().split('\n').first.str() : "";
}

} // namespace

std::string findAssembler(StringRef toolkit) {
  SmallString<128> path(toolkit);
  sys::path::append(path, "bin", "ptxas");
  return !toolkit.empty() && sys::fs::can_execute(path) ? path.str().str() : "";
}

FailureOr<std::string> assemblePTX(StringRef ptxas, StringRef ptx, unsigned architecture, std::string &message) {
  Folder folder;
  std::string source = folder.file("kernels.ptx"), result = folder.file("kernels.cubin"), log = folder.file("log");
  if (folder.error || !write(source, ptx)) {
    message = "cannot write a temporary file for ptxas: " + (folder.error ? folder.error.message() : source);
    return failure();
  }
  std::string chip = "-arch=sm_" + std::to_string(architecture);
  SmallVector<StringRef> arguments{ptxas, chip, source, "-o", result};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log), StringRef(log)};
  int code = sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects, 0, 0, &message);
  auto cubin = llvm::MemoryBuffer::getFile(result, false, false);
  if (code == 0 && cubin)
    return (*cubin)->getBuffer().str();
  std::string why = message.empty() ? firstLine(log) : message;
  message = "ptxas cannot assemble the generated kernels for sm_" + std::to_string(architecture) + ": " + why;
  return failure();
}

} // namespace tw::lower
