// Gives symbolic dimensions of a model's inputs their sizes.
#ifndef TW_COMPILER_IMPORT_DIMENSIONS_H
#define TW_COMPILER_IMPORT_DIMENSIONS_H

#include "compiler/Import/ModelFile.h"

namespace tw::import {

/// Replaces every symbolic dimension of the graph's inputs by its size from `sizes` and drops the recorded shapes of
/// all other values. An input's dimension without a name is called `<input>.<index>`. Unbound dimensions and names that
/// no dimension has are errors. Fills `report.dimensions`.
mlir::LogicalResult bindDimensions(onnx::GraphProto &graph, const std::map<std::string, int64_t> &sizes, Report &report,
                                   mlir::Location location);

} // namespace tw::import

#endif
