// The Partition phase: from a program for the whole batch to one for each rank.
//
//   annotate         the grid @mesh, and how every function's arguments are split over it
//   propagate        how every other value is split, and which are partial sums
//   localize         local shapes; all_reduce where a partial sum must be whole
//   fuse-all-reduce  all_reduces that can wait for each other side by side, under one group number
//   verify           what is no longer legal
#ifndef TW_PASSES_PARTITION
#define TW_PASSES_PARTITION
include "mlir/Pass/PassBase.td"

class PartitionPass<string flag> : Pass<"tw-partition-" # flag, "mlir::ModuleOp"> {
  let dependentDialects = ["::tw::graph::GraphDialect", "mlir::arith::ArithDialect", "mlir::tensor::TensorDialect",
                           "mlir::func::FuncDialect", "mlir::shard::ShardDialect"];
}

def AnnotatePass : PartitionPass<"annotate"> {
  let summary = "declare the grid and split the arguments' batch dimension over its data axis";
  let description = [{
    The batch dimension is dimension 0, or 1 of arguments that graph.accumulate slices. The grid's axes are data, tensor
    and pipeline.

    ```mlir
    shard.grid @mesh(shape = 2x1x1)
    %sharding = shard.sharding @mesh split_axes = [[0]] : !shard.sharding
    %x = shard.shard %arg0 to %sharding : tensor<8x4xf32>
    ```
  }];
  let options = [
    Option<"data", "data", "int64_t", "1", "ranks along the data axis">,
    Option<"tensor", "tensor", "int64_t", "1", "ranks along the tensor axis">,
    Option<"pipeline", "pipeline", "int64_t", "1", "ranks along the pipeline axis">,
    ListOption<"wholeArguments", "whole-arguments", "std::string", "names of arguments without a batch dimension">,
  ];
}
def PropagatePass : PartitionPass<"propagate"> {
  let summary = "spread the arguments' shardings to all values";
  let description = [{
    Works on the factors that ShardableOpInterface gives, forwards and backwards, until nothing changes. Parameters stay
    whole. Writes `graph.sharding`, one text a result: the axes that split each dimension.
  }];
}
def LocalizePass : PartitionPass<"localize"> {
  let summary = "turn the program into that of one rank";
  let description = [{
    Every op at its local shapes. A value computed from parts of what it sums over is a partial sum; it stays one
    through ops that are linear in it, also through the iterations of graph.accumulate, and is completed by
    shard.all_reduce where another op uses it, or where it leaves the function. A row number that decides random numbers
    gets the rank's offset. What would have to move between ranks otherwise is an error, all places at once.
  }];
}
def FuseAllReducePass : PartitionPass<"fuse-all-reduce"> {
  let summary = "put all_reduces that do not depend on each other side by side";
  let description = [{
    Those on which equally many further rounds of all_reduce depend form a group: they move to where the last of them
    stands and get the same `group` number, so that Lower makes one collective of them. All gradients are one group.
  }];
}
def CheckEquivalencePass : PartitionPass<"check-equivalence"> {
  let summary = "run the program whole and partitioned, on all ranks, and compare";
  let description = [{
    A copy of the module goes through the phase. Both run in the reference interpreter, in double precision, from the
    same pseudo-random parameters and inputs: @train for some steps, then @evaluate. Results and parameters of every
    rank must agree; what is split is compared part by part. The program itself stays as it is.
  }];
  let options = [
    Option<"data", "data", "int64_t", "2", "ranks along the data axis">,
    Option<"steps", "steps", "int64_t", "2", "steps of @train">,
    Option<"integersBelow", "integers-below", "int64_t", "2", "integer inputs are in [0, this)">,
    Option<"tolerance", "tolerance", "double", "1e-9", "relative to max(1, |value|)">,
  ];
}
def VerifyPartitionPass : PartitionPass<"verify"> {
  let summary = "check the form of a partitioned program";
}
#endif
