#include "tools/twc/Link.h"

#include "tools/twc/Payload.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace sys = llvm::sys;

namespace tw::twc {

LinkedImage::~LinkedImage() {
  if (!folder.empty())
    sys::fs::remove_directories(folder);
}

/// The libraries and flags to link with: beside this tool when it was moved with its folder, else where it was built.
static std::string responseFile() {
  std::string tool = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&responseFile));
  llvm::SmallString<128> beside(sys::path::parent_path(sys::path::parent_path(tool)));
  sys::path::append(beside, "lib", "tw_program.rsp");
  return sys::fs::exists(beside) ? beside.str().str() : TW_PROGRAM_RSP;
}

static std::string textOf(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().rtrim().str() : "";
}

bool LinkedImage::link(llvm::StringRef object, std::string &message) {
  if (std::error_code code = sys::fs::createUniqueDirectory("twc", folder)) {
    message = "cannot make a temporary folder: " + code.message();
    return false;
  }
  std::string base = folder.str().str(), objectPath = base + "/generated.o", log = base + "/link.log";
  image = base + "/image";
  if (!writeBytes(objectPath, object, message))
    return false;
  auto driver = sys::findProgramByName(TW_LINK_DRIVER);
  if (!driver) {
    message = "cannot find the C++ compiler driver '" TW_LINK_DRIVER "' that links the program: install it";
    return false;
  }
  std::string response = "@" + responseFile();
  llvm::SmallVector<llvm::StringRef> arguments{*driver, objectPath, response, "-o", image};
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, llvm::StringRef(log), llvm::StringRef(log)};
  int code = sys::ExecuteAndWait(*driver, arguments, std::nullopt, redirects, 0, 0, &message);
  if (code == 0)
    return true;
  message = "linking failed" + (message.empty() ? "" : " (" + message + ")") + ": " + textOf(log);
  return false;
}

} // namespace tw::twc
