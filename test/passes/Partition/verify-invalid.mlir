// RUN: tw-opt %s --tw-partition-verify --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a shard.grid @mesh; run tw-partition-annotate first}}
module {
}

// -----

module {
  shard.grid @mesh(shape = 2x1x1)
  func.func @train(%x: tensor<f32>) -> tensor<f32> {
    // expected-error @+1 {{belongs to no group; run tw-partition-fuse-all-reduce}}
    %a = shard.all_reduce %x on @mesh grid_axes = [0] : tensor<f32> -> tensor<f32>
    return %a : tensor<f32>
  }
}

// -----

module {
  shard.grid @mesh(shape = 2x1x1)
  func.func @train(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{annotation must not remain after the Partition phase; run tw-partition-localize}}
    %sharding = shard.sharding @mesh split_axes = [[0]] : !shard.sharding
    %s = shard.shard %x to %sharding : tensor<4xf32>
    return %s : tensor<4xf32>
  }
}
