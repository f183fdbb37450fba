// Which dimension of the model's inputs is the batch, and how large it is.
#ifndef TW_TOOLS_TWC_BATCH_H
#define TW_TOOLS_TWC_BATCH_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tw::twc {

/// Binds the symbolic leading dimensions of the model's inputs to `batch`, unless --dim did so already; that must
/// agree then. False with a sentence in `message`. A file that is no model is left to the importer.
bool bindBatchDimensions(const std::string &model, int64_t batch, std::map<std::string, int64_t> &dims,
                         std::string &message);

struct BatchInputs {
  int64_t batch = 1;              // rows of one micro-batch of all data-parallel ranks together
  std::vector<std::string> whole; // inputs without a batch dimension
};
/// From the arguments of @main. `wanted` is the batch that the recipe asks for, or 0; `ranks` must divide it.
std::optional<BatchInputs> findBatchInputs(mlir::ModuleOp module, int64_t wanted, int64_t ranks, std::string &message);

} // namespace tw::twc
#endif
