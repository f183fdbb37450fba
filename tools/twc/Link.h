// Links generated kernels with the runtime and the kernel library.
#ifndef TW_TOOLS_TWC_LINK_H
#define TW_TOOLS_TWC_LINK_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tw::twc {

/// A linked program without payload, in a temporary folder that disappears with this object.
class LinkedImage {
public:
  LinkedImage() = default;
  LinkedImage(const LinkedImage &) = delete;
  ~LinkedImage();
  /// False with a sentence in `message`.
  bool link(llvm::StringRef object, std::string &message);
  std::string path() const { return image; }

private:
  llvm::SmallString<128> folder;
  std::string image;
};

} // namespace tw::twc
#endif
