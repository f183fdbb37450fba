// What the Partition phase can be told.
#ifndef TW_PASSES_PARTITION_OPTIONS_H
#define TW_PASSES_PARTITION_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tw::partition {

/// The grid's axes, in order.
enum Axis : int16_t { kDataAxis = 0, kTensorAxis = 1, kPipelineAxis = 2 };

struct PartitionOptions {
  int64_t data = 1, tensor = 1, pipeline = 1; ///< the grid's sizes
  /// Names (graph.name) of arguments without a batch dimension: every rank gets all of them.
  std::vector<std::string> wholeArguments;
};

} // namespace tw::partition

#endif
