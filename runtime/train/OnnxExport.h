// Parameters back into the ONNX file that the program came from.
#ifndef TW_RUNTIME_TRAIN_ONNXEXPORT_H
#define TW_RUNTIME_TRAIN_ONNXEXPORT_H

#include "runtime/exec/Session.h"
#include <string>

namespace tw::rt {

struct OnnxExportOptions {
  /// Models above this go to `path` with their tensors in `path`.data: Protobuf messages end at 2 GB.
  uint64_t inlineLimit = (uint64_t(2) << 30) - (1 << 20);
};

/// Writes the model with the arena's values, atomically. Tensor data stream to the file: no second copy is made.
Status exportOnnx(Session &session, const std::string &path, const OnnxExportOptions &options = {});

} // namespace tw::rt
#endif
