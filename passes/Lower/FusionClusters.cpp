#include "passes/Lower/FusionClusters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tw::lower {

/// More operands than this would spill the registers that hold addresses.
static constexpr unsigned maximalBuffers = 24;

bool isSplat(Value value, SplatElementsAttr *splat) {
  SplatElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return false;
  if (splat)
    *splat = attribute;
  return true;
}

bool isFusible(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return false;
  auto isTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getElementType().isIntOrFloat() && tensor.getNumElements() > 0;
  };
  if (!llvm::all_of(op->getOperandTypes(), isTensor) || !isTensor(op->getResult(0).getType()))
    return false;
  if (isa<graph::BroadcastOp, graph::ReduceOp>(op))
    return true;
  return op->getNumOperands() > 0 && OpTrait::hasElementwiseMappableTraits(op);
}

static int64_t elementCount(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

int64_t domainSize(Operation *op) {
  auto reduce = dyn_cast<graph::ReduceOp>(op);
  return elementCount(reduce ? Value(reduce.getInput()) : op->getResult(0));
}

Value stripReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

FusionClusters::FusionClusters(Block &block) {
  for (Operation &op : block) {
    index[&op] = ops.size();
    ops.push_back(&op);
  }
  addEdges(block);
  domainOf.resize(ops.size());
  clusterOf.resize(ops.size());
  clusters.resize(ops.size());
  visited.assign(ops.size(), 0);
  for (auto [i, op] : llvm::enumerate(ops)) {
    clusterOf[i] = i;
    clusters[i].members.push_back(i);
    if (!isFusible(op))
      continue;
    domainOf[i] = clusters[i].domain = domainSize(op);
    clusters[i].boundaries = findBoundaries(op);
    clusters[i].reduction = isa<graph::ReduceOp>(op) ? op : nullptr;
  }
}

void FusionClusters::addEdges(Block &block) {
  users.resize(ops.size());
  operands.resize(ops.size());
  for (auto [i, op] : llvm::enumerate(ops)) {
    llvm::SetVector<unsigned> sources;
    op->walk([&](Operation *nested) { // ops with regions use what their bodies use
      for (Value operand : nested->getOperands()) {
        Operation *source = stripReshapes(operand).getDefiningOp();
        if (source && source->getBlock() == &block && source != op)
          sources.insert(index[source]);
      }
    });
    for (unsigned source : sources) {
      operands[i].push_back(source);
      users[source].push_back(i);
    }
  }
}

void FusionClusters::merge() {
  mergeExclusiveProducers();
  mergeProducers();
  mergeReaders();
  mergeScalars();
}

/// Whether the op's result is in memory under any clustering.
bool FusionClusters::isMaterialized(unsigned op) const {
  if (domainOf[op] == 0 || isa<graph::ReduceOp>(ops[op]))
    return true;
  return llvm::any_of(users[op], [&](unsigned user) { return domainOf[user] != domainOf[op]; });
}

/// Ops of the root's domain that only the root needs, directly or through others, last first; of these, those that
/// compute from tensors that are in memory anyway.
SmallVector<unsigned> FusionClusters::exclusiveProducers(unsigned root) const {
  auto inDomain = [&](unsigned op) { return domainOf[op] == domainOf[root] && !isMaterialized(op); };
  llvm::SmallSetVector<unsigned, 16> cone;
  std::set<unsigned, std::greater<>> pending(operands[root].begin(), operands[root].end());
  while (!pending.empty()) {
    unsigned op = *pending.begin();
    pending.erase(pending.begin());
    if (!inDomain(op) || !llvm::all_of(users[op], [&](unsigned user) { return user == root || cone.contains(user); }))
      continue;
    cone.insert(op);
    pending.insert(operands[op].begin(), operands[op].end());
  }
  llvm::SmallDenseSet<unsigned, 16> kept;
  for (unsigned op : llvm::reverse(cone.getArrayRef()))
    if (llvm::all_of(operands[op], [&](unsigned source) { return isMaterialized(source) || kept.contains(source); }))
      kept.insert(op);
  SmallVector<unsigned> result;
  for (unsigned op : cone)
    if (kept.contains(op))
      result.push_back(op);
  return result;
}

/// The mask of a rectifier, say, is computed in the backward pass from the rectifier's result, which is kept anyway,
/// rather than early and kept too.
void FusionClusters::mergeExclusiveProducers() {
  llvm::BitVector absorbed(ops.size());
  for (unsigned root = ops.size(); root-- > 0;) {
    if (domainOf[root] <= 1 || absorbed[root])
      continue;
    for (unsigned op : exclusiveProducers(root))
      if (tryMerge(clusterOf[op], clusterOf[root]))
        absorbed.set(op);
  }
}

void FusionClusters::mergeProducers() {
  for (unsigned i = 0; i < ops.size(); ++i)
    for (unsigned source : operands[i])
      if (!isa<graph::ReduceOp>(ops[source]))
        tryMerge(clusterOf[source], clusterOf[i]);
}

/// Readers of one tensor join, so that it is read once.
void FusionClusters::mergeReaders() {
  llvm::MapVector<Value, SmallVector<unsigned>> readers;
  for (auto [i, op] : llvm::enumerate(ops))
    if (domainOf[i] > 1)
      for (Value operand : op->getOperands())
        if (Value value = stripReshapes(operand); elementCount(value) == domainOf[i] && !isSplat(value))
          readers[value].push_back(i);
  for (auto &[value, list] : readers)
    for (size_t i = 1; i < list.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (tryMerge(clusterOf[list[j]], clusterOf[list[i]]))
          break;
}

void FusionClusters::mergeScalars() {
  SmallVector<unsigned> scalars;
  for (unsigned i = 0; i < ops.size(); ++i) {
    if (domainOf[i] != 1 || clusterOf[i] != i)
      continue;
    bool merged = llvm::any_of(scalars, [&](unsigned other) { return tryMerge(clusterOf[other], clusterOf[i]); });
    if (!merged)
      scalars.push_back(i);
  }
}

bool FusionClusters::tryMerge(unsigned a, unsigned b) {
  if (a == b)
    return false;
  Boundaries merged;
  if (!canMerge(a, b, merged))
    return false;
  Cluster &into = clusters[a], &from = clusters[b];
  for (unsigned member : from.members)
    clusterOf[member] = a;
  into.members.append(from.members);
  into.boundaries = merged;
  into.reduction = into.reduction ? into.reduction : from.reduction;
  from = Cluster();
  return true;
}

static bool reduceAlike(Operation *a, Operation *b) {
  auto first = cast<graph::ReduceOp>(a), second = cast<graph::ReduceOp>(b);
  return cast<RankedTensorType>(first.getInput().getType()).getShape() ==
             cast<RankedTensorType>(second.getInput().getType()).getShape() &&
         first.getDimensions() == second.getDimensions();
}

bool FusionClusters::canMerge(unsigned a, unsigned b, Boundaries &merged) {
  Cluster &first = clusters[a], &second = clusters[b];
  if (first.domain == 0 || first.domain != second.domain)
    return false;
  if (first.reduction && second.reduction && !reduceAlike(first.reduction, second.reduction))
    return false;
  auto united = uniteBoundaries(first.boundaries, second.boundaries);
  if (!united || (first.domain > 1 && countBuffers(a, b) > maximalBuffers))
    return false;
  merged = *united;
  return !reachesThroughOthers(a, b) && !reachesThroughOthers(b, a);
}

/// Whether a path leaves `from`, passes at least one other cluster, and ends in `to`. A reduction's result is not
/// there before its kernel ends, so an edge from one counts as such a path.
bool FusionClusters::reachesThroughOthers(unsigned from, unsigned to) {
  ++search;
  SmallVector<unsigned> stack;
  visited[from] = search;
  for (unsigned member : clusters[from].members)
    for (unsigned user : users[member]) {
      unsigned next = clusterOf[user];
      if (next == to && isa<graph::ReduceOp>(ops[member]))
        return true;
      if (next != to && visited[next] != search) {
        visited[next] = search;
        stack.push_back(next);
      }
    }
  while (!stack.empty()) {
    unsigned current = stack.pop_back_val();
    for (unsigned member : clusters[current].members)
      for (unsigned user : users[member]) {
        unsigned next = clusterOf[user];
        if (next == to)
          return true;
        if (visited[next] != search) {
          visited[next] = search;
          stack.push_back(next);
        }
      }
  }
  return false;
}

unsigned FusionClusters::countBuffers(unsigned a, unsigned b) const {
  auto inside = [&](unsigned op) { return clusterOf[op] == a || clusterOf[op] == b; };
  llvm::SmallPtrSet<void *, 32> buffers;
  for (unsigned cluster : {a, b})
    for (unsigned member : clusters[cluster].members) {
      for (Value operand : ops[member]->getOperands()) {
        Value value = stripReshapes(operand);
        auto source = index.find(value.getDefiningOp());
        if (!isSplat(value) && (source == index.end() || !inside(source->second)))
          buffers.insert(value.getAsOpaquePointer());
      }
      if (!llvm::all_of(users[member], inside))
        buffers.insert(ops[member]->getResult(0).getAsOpaquePointer());
    }
  return buffers.size();
}

SmallVector<SmallVector<Operation *>> FusionClusters::getClusters() const {
  SmallVector<SmallVector<unsigned>> sorted;
  for (const Cluster &cluster : clusters)
    if (cluster.domain != 0) {
      sorted.push_back(cluster.members);
      llvm::sort(sorted.back());
    }
  llvm::sort(sorted, [](const auto &a, const auto &b) { return a.back() < b.back(); });
  SmallVector<SmallVector<Operation *>> result;
  for (const auto &members : sorted)
    result.push_back(llvm::map_to_vector(members, [&](unsigned member) { return ops[member]; }));
  return result;
}

} // namespace tw::lower
