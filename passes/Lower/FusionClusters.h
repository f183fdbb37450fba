// Which ops of a block become one kernel.
#ifndef TW_PASSES_LOWER_FUSION_CLUSTERS_H
#define TW_PASSES_LOWER_FUSION_CLUSTERS_H

#include "passes/Lower/IterationDomain.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tw::lower {

/// Whether a kernel can compute `op`: elementwise ops, broadcasts and reductions of ranked tensors.
bool isFusible(mlir::Operation *op);
/// Whether `value` is a constant with equal elements; `splat` receives it.
bool isSplat(mlir::Value value, mlir::SplatElementsAttr *splat = nullptr);
/// The number of elements that `op` walks: of a reduction's input, else of the result.
int64_t domainSize(mlir::Operation *op);
/// The tensor whose elements in row-major order are those of `value`: what stands before reshapes.
mlir::Value stripReshapes(mlir::Value value);

/// Clusters of fusible ops. Contracting every cluster to a point leaves the block's dependences acyclic.
class FusionClusters {
public:
  explicit FusionClusters(mlir::Block &block);

  /// Joins what only one cluster needs with it, then other producers with consumers, then readers of one tensor, then
  /// scalar arithmetic.
  void merge();
  /// The clusters' ops in block order, clusters by their last op.
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> getClusters() const;

private:
  struct Cluster {
    llvm::SmallVector<unsigned> members;
    Boundaries boundaries;
    mlir::Operation *reduction = nullptr;
    int64_t domain = 0;
  };

  void addEdges(mlir::Block &block);
  bool isMaterialized(unsigned op) const;
  llvm::SmallVector<unsigned> exclusiveProducers(unsigned root) const;
  void mergeExclusiveProducers();
  void mergeProducers();
  void mergeReaders();
  void mergeScalars();
  bool tryMerge(unsigned a, unsigned b);
  bool canMerge(unsigned a, unsigned b, Boundaries &merged);
  bool reachesThroughOthers(unsigned from, unsigned to);
  unsigned countBuffers(unsigned a, unsigned b) const;

  llvm::SmallVector<mlir::Operation *> ops;                       // of the block, in order
  llvm::DenseMap<mlir::Operation *, unsigned> index;              // of ops
  llvm::SmallVector<llvm::SmallVector<unsigned>> users, operands; // between indices, reshapes skipped
  llvm::SmallVector<int64_t> domainOf;                            // of each op; 0 when it is not fusible
  llvm::SmallVector<unsigned> clusterOf;                          // an index of clusters for each op, fusible or not
  llvm::SmallVector<Cluster> clusters;
  llvm::SmallVector<unsigned> visited; // the search that saw a cluster last
  unsigned search = 0;
};

} // namespace tw::lower
#endif
