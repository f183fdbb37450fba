// The ONNX model that a trained program writes its parameters into.
#ifndef TW_TOOLS_TWC_MODELSKELETON_H
#define TW_TOOLS_TWC_MODELSKELETON_H

#include "kernels/abi/plan.pb.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tw::twc {

/// Fills `result` with the model at `path`, without the data of tensors that parameters of `module` replace, and with
/// where each parameter goes. Parameters that the exporter had merged get initializers of their own again. False with
/// a sentence in `message`.
bool addModelSkeleton(mlir::ModuleOp module, const std::string &path, planpb::OnnxExport &result, std::string &message);

} // namespace tw::twc
#endif
