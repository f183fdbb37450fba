// From plan.programs to the plan as Protobuf.
#ifndef TW_PASSES_LOWER_EMITPLAN_H
#define TW_PASSES_LOWER_EMITPLAN_H

#include "kernels/abi/plan.pb.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace tw::lower {

struct EmitPlanOptions {
  std::string target = "host";
  std::string cpu, cpuFeatures; // of generated kernels
  int threads = 1;
  int64_t data = 1, tensor = 1, pipeline = 1; // the mesh
  int64_t microBatches = 1;                   // train inputs have a leading dimension of this size when above 1
  int64_t microBatch = 0;                     // rows of one micro-batch on one rank; 0: dimension 0 of the inputs
  std::vector<std::string> wholeInputs;       // inputs without a batch dimension
  std::map<std::string, std::string> metadata;
};

struct EmittedPlan {
  planpb::Plan plan;
  /// Bytes of values that the module itself holds: FileRanges whose file is "" count into it.
  std::string ownWeights;
};

/// Emits every plan.program of `module` for every rank of the mesh. FileRanges name the files of graph.parameter.
mlir::FailureOr<EmittedPlan> emitPlan(mlir::ModuleOp module, const EmitPlanOptions &options);

} // namespace tw::lower
#endif
