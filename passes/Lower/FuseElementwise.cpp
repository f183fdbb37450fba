// tw-lower-fuse-elementwise: gathers elementwise ops and reductions into graph.fused.
#include "passes/Lower/FusionClusters.h"
#include "passes/Lower/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "passes/Lower/Passes.h.inc"

namespace {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value splatConstant(OpBuilder &builder, Location location, SplatElementsAttr splat, RankedTensorType type) {
  auto attribute = DenseElementsAttr::get(type, splat.getSplatValue<Attribute>());
  return arith::ConstantOp::create(builder, location, attribute);
}

/// f(broadcast a, broadcast b, splat) is broadcast(f(a, b, splat)): the arithmetic happens on the small tensors.
LogicalResult computeBeforeBroadcast(Operation *op, PatternRewriter &rewriter) {
  if (!isFusible(op) || isa<graph::BroadcastOp, graph::ReduceOp>(op))
    return failure();
  graph::BroadcastOp first;
  for (Value operand : op->getOperands()) {
    auto broadcast = operand.getDefiningOp<graph::BroadcastOp>();
    if (!broadcast && !isSplat(operand))
      return failure();
    if (first && broadcast &&
        (tensorType(first.getInput()).getShape() != tensorType(broadcast.getInput()).getShape() ||
         first.getDimensions() != broadcast.getDimensions()))
      return failure();
    first = first ? first : broadcast;
  }
  if (!first)
    return failure();
  ArrayRef<int64_t> shape = tensorType(first.getInput()).getShape();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    SplatElementsAttr splat;
    if (isSplat(operand, &splat))
      operands.push_back(splatConstant(rewriter, op->getLoc(), splat, tensorType(operand).clone(shape)));
    else
      operands.push_back(operand.getDefiningOp<graph::BroadcastOp>().getInput());
  }
  auto type = tensorType(op->getResult(0));
  OperationState state(op->getLoc(), op->getName(), operands, {type.clone(shape)}, op->getAttrs());
  Value small = rewriter.create(state)->getResult(0);
  rewriter.replaceOpWithNewOp<graph::BroadcastOp>(op, type, small, first.getDimensions());
  return success();
}

struct ComputeBeforeBroadcast : RewritePattern {
  explicit ComputeBeforeBroadcast(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    return computeBeforeBroadcast(op, rewriter);
  }
};

/// Each user of a broadcast gets a copy, so that no tensor of repeated values need exist.
void copyBroadcastsToUsers(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto broadcast = dyn_cast<graph::BroadcastOp>(op);
    if (!broadcast || broadcast->hasOneUse())
      continue;
    OpBuilder builder(broadcast);
    for (OpOperand &use : llvm::make_early_inc_range(broadcast->getUses()))
      if (isFusible(use.getOwner()))
        use.set(builder.clone(op)->getResult(0));
    if (broadcast->use_empty())
      broadcast->erase();
  }
}

/// Numbers of elements at which a reduction to a scalar is shared by threads, and of what one of them sums up.
constexpr int64_t splitFrom = 1 << 15, smallestChunk = 1 << 12, mostChunks = 1024;

int64_t chooseChunks(int64_t elements) {
  for (int64_t chunks = std::min(mostChunks, elements / smallestChunk); chunks > 1; --chunks)
    if (elements % chunks == 0)
      return chunks;
  return 1;
}

/// reduce(x) to a scalar = reduce(reduce(x as [chunks, elements / chunks], 1), 0).
struct SplitReduction : OpRewritePattern<graph::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ReduceOp op, PatternRewriter &rewriter) const override {
    RankedTensorType input = tensorType(op.getInput()), result = tensorType(op);
    int64_t elements = input.getNumElements();
    int64_t chunks = result.getNumElements() == 1 && elements >= splitFrom ? chooseChunks(elements) : 1;
    if (chunks == 1)
      return failure();
    Location location = op.getLoc();
    auto grouped = input.clone({chunks, elements / chunks}), partial = input.clone(ArrayRef<int64_t>(chunks));
    Value view = graph::ReshapeOp::create(rewriter, location, grouped, op.getInput());
    Value sums = graph::ReduceOp::create(rewriter, location, partial, view, op.getKind(), ArrayRef<int64_t>{1});
    Value total = graph::ReduceOp::create(rewriter, location, result.clone(ArrayRef<int64_t>{}), sums, op.getKind(),
                                          ArrayRef<int64_t>{0});
    if (total.getType() != result)
      total = graph::ReshapeOp::create(rewriter, location, result, total);
    rewriter.replaceOp(op, total);
    return success();
  }
};

/// Builds one graph.fused from the ops of a cluster.
class FusedBuilder {
public:
  FusedBuilder(ArrayRef<Operation *> ops)
      : ops(ops), members(ops.begin(), ops.end()), builder(ops.back()), body(builder.getContext()) {}

  void build() {
    collectOutputs();
    auto *block = new Block;
    body.setInsertionPointToStart(block);
    for (Operation *op : ops)
      cloneIntoBody(op, block);
    SmallVector<Value> yielded;
    for (Value output : outputs)
      yielded.push_back(inner.lookup(output));
    graph::FusedYieldOp::create(body, location(), yielded);
    OperationState state(location(), graph::FusedOp::getOperationName());
    state.addOperands(inputs);
    state.addTypes(ValueRange(outputs).getTypes());
    state.addRegion()->push_back(block);
    Operation *fused = builder.create(state);
    for (auto [output, result] : llvm::zip_equal(outputs, fused->getResults()))
      output.replaceAllUsesWith(result);
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
  }

private:
  /// The ONNX node of the last op speaks for all.
  Location location() { return ops.back()->getLoc(); }

  void collectOutputs() {
    for (Operation *op : ops) {
      Value result = op->getResult(0);
      if (usedOutside(result))
        outputs.push_back(result);
    }
  }

  /// Whether an op outside of the cluster uses the value or a reshape of it.
  bool usedOutside(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return isa<graph::ReshapeOp>(user) ? usedOutside(user->getResult(0)) : !members.contains(user);
    });
  }

  void cloneIntoBody(Operation *op, Block *block) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(importOperand(operand, domainSize(op), block));
    OperationState state(op->getLoc(), op->getName(), operands, op->getResultTypes(), op->getAttrs());
    inner.map(op->getResult(0), body.create(state)->getResult(0));
  }

  /// The body's value for an operand. Reshapes of tensors that span the domain move into the body.
  Value importOperand(Value operand, int64_t domain, Block *block) {
    if (Value known = inner.lookupOrNull(operand))
      return known;
    SplatElementsAttr splat;
    Value value;
    if (isSplat(operand, &splat)) {
      value = arith::ConstantOp::create(body, operand.getLoc(), splat);
    } else if (Value source = stripReshapes(operand);
               source != operand && tensorType(operand).getNumElements() == domain) {
      value = graph::ReshapeOp::create(body, operand.getLoc(), operand.getType(), importOperand(source, domain, block));
    } else {
      inputs.push_back(operand);
      value = block->addArgument(operand.getType(), operand.getLoc());
    }
    inner.map(operand, value);
    return value;
  }

  ArrayRef<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 16> members;
  OpBuilder builder, body;
  IRMapping inner;
  SmallVector<Value> inputs, outputs;
};

/// Ops of the block that nothing needs, last first.
void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Puts ops back into their order, each fused one just before the first op that needs it.
class DemandOrder {
public:
  explicit DemandOrder(Block &block) : block(block) {}

  void apply() {
    auto ops = llvm::map_to_vector(block.without_terminator(), [](Operation &op) { return &op; });
    for (Operation *op : ops)
      if (!isa<graph::FusedOp>(op))
        place(op);
    for (Operation *op : ops)
      place(op);
  }

private:
  void place(Operation *op) {
    if (!placed.insert(op).second)
      return;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == &block)
          place(source);
    });
    op->moveBefore(block.getTerminator());
  }

  Block &block;
  llvm::DenseSet<Operation *> placed;
};

void fuseBlock(Block &block) {
  eraseDeadOps(block);
  copyBroadcastsToUsers(block);
  FusionClusters clusters(block);
  clusters.merge();
  for (const auto &ops : clusters.getClusters())
    FusedBuilder(ops).build();
  eraseDeadOps(block);
  DemandOrder(block).apply();
}

struct FuseElementwisePass : impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ComputeBeforeBroadcast, SplitReduction>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Operation *op) {
      if (isa<func::FuncOp, graph::AccumulateOp>(op) && !op->getRegion(0).empty())
        blocks.push_back(&op->getRegion(0).front());
    });
    for (Block *block : blocks)
      fuseBlock(*block);
  }
};

} // namespace
} // namespace tw::lower
