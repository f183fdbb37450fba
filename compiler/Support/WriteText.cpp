#include "compiler/Support/WriteText.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tw {

/// LLVM ends the process when a stream with an error is destroyed; asking for the error prevents that.
static std::error_code finish(raw_fd_ostream &out) {
  out.flush();
  std::error_code code = out.error();
  out.clear_error();
  return code;
}

static std::error_code writeDirectly(StringRef path, StringRef text) {
  std::error_code code;
  raw_fd_ostream out(path, code, sys::fs::CD_OpenExisting);
  if (code)
    return code;
  out << text;
  return finish(out);
}

static std::error_code writeAtomically(StringRef path, StringRef text) {
  SmallString<128> real(path), temporary;
  if (sys::fs::exists(path))
    if (std::error_code code = sys::fs::real_path(path, real))
      return code;
  int descriptor;
  if (std::error_code code = sys::fs::createUniqueFile(real + ".tmp-%%%%%%", descriptor, temporary, sys::fs::OF_None,
                                                       sys::fs::all_read | sys::fs::all_write))
    return code;
  raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  out << text;
  std::error_code code = finish(out);
  out.close();
  if (!code)
    code = sys::fs::rename(temporary, real);
  if (code)
    (void)sys::fs::remove(temporary);
  return code;
}

std::string writeText(StringRef path, function_ref<void(raw_ostream &)> print) {
  std::string text;
  raw_string_ostream stream(text);
  print(stream);
  if (path.empty() || path == "-") {
    outs() << text;
    std::error_code code = finish(outs());
    return code ? "cannot write standard output: " + code.message() : "";
  }
  bool direct = sys::fs::exists(path) && !sys::fs::is_regular_file(path);
  std::error_code code = direct ? writeDirectly(path, text) : writeAtomically(path, text);
  return code ? ("cannot write '" + path + "': " + code.message()).str() : "";
}

} // namespace tw
