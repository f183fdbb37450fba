// tw-lower-kernel-loops: generated kernels as loops, with the ABI of tw_generated_run or as CUDA kernels.
#include "passes/Lower/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_KERNELLOOPSPASS
#include "passes/Lower/Passes.h.inc"

namespace {

/// One operand of the kernel's linalg.generic: a row-major buffer over some of the dimensions.
struct Operand {
  Value pointer;
  SmallVector<unsigned> dimensions;
  Type element;
  Value start;  // of a reduction, else null
  Value loaded; // an input, once all its dimensions are fixed
};

class LoopEmitter {
public:
  /// `device`: loops as a GPU's threads share them; `gpuFunction`: a kernel for one, not a host function.
  LoopEmitter(func::FuncOp kernel, linalg::GenericOp generic, bool device, bool gpuFunction)
      : kernel(kernel), generic(generic), device(device), gpuFunction(gpuFunction), builder(kernel.getContext()),
        location(kernel.getLoc()) {}

  Operation *emit() {
    findDimensions();
    Operation *function = gpuFunction ? createDeviceFunction() : createHostFunction();
    findOperands();
    if (reductionsInMemory() && !device)
      emitColumns();
    else
      emitRows();
    builder.setInsertionPointToEnd(entry);
    if (gpuFunction)
      gpu::ReturnOp::create(builder, location);
    else
      func::ReturnOp::create(builder, location);
    return function;
  }

private:
  void findDimensions() {
    for (utils::IteratorType iterator : generic.getIteratorTypesArray())
      reduced.push_back(iterator == utils::IteratorType::reduction);
    staticSizes.assign(reduced.size(), ShapedType::kDynamic);
    for (OpOperand &operand : generic->getOpOperands()) {
      auto type = cast<MemRefType>(operand.get().getType());
      for (auto [size, expression] :
           llvm::zip_equal(type.getShape(), generic.getMatchingIndexingMap(&operand).getResults()))
        if (!ShapedType::isDynamic(size))
          staticSizes[cast<AffineDimExpr>(expression).getPosition()] = size;
    }
    indices.resize(reduced.size());
  }

  /// (buffers, sizes, begin, end)
  Operation *createHostFunction() {
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), integer = builder.getI64Type();
    auto type = builder.getFunctionType({pointer, pointer, integer, integer}, {});
    auto function = func::FuncOp::create(builder, location, kernel.getName(), type);
    beginFunction(function.addEntryBlock());
    for (unsigned i = 0; i < bufferCount(); ++i)
      buffers.push_back(loadArgument(0, pointer, i));
    for (unsigned i = 0; i < dynamicCount(reduced.size()); ++i)
      sizes.push_back(loadArgument(1, integer, i));
    begin = entry->getArgument(2);
    end = entry->getArgument(3);
    step = one;
    return function;
  }

  /// (buffers..., sizes..., extent); each thread starts at its number and goes on by the number of threads.
  Operation *createDeviceFunction() {
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), integer = builder.getI64Type();
    SmallVector<Type> arguments(bufferCount(), pointer);
    arguments.append(dynamicCount(reduced.size()) + 1, integer);
    auto function = gpu::GPUFuncOp::create(builder, location, kernel.getName(), builder.getFunctionType(arguments, {}));
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    beginFunction(&function.getBody().front());
    ValueRange values = entry->getArguments();
    llvm::append_range(buffers, values.take_front(bufferCount()));
    llvm::append_range(sizes, values.drop_front(bufferCount()).drop_back());
    auto x = [&](auto op) -> Value { return arith::IndexCastOp::create(builder, location, integer, op); };
    Value threads = x(gpu::BlockDimOp::create(builder, location, gpu::Dimension::x));
    Value block = x(gpu::BlockIdOp::create(builder, location, gpu::Dimension::x));
    begin = add(multiply(block, threads), x(gpu::ThreadIdOp::create(builder, location, gpu::Dimension::x)));
    end = values.back();
    step = multiply(threads, x(gpu::GridDimOp::create(builder, location, gpu::Dimension::x)));
    return function;
  }

  void beginFunction(Block *block) {
    entry = block;
    builder.setInsertionPointToStart(entry);
    zero = integerConstant(0);
    one = integerConstant(1);
  }

  /// Element `i` of the array that an argument points to.
  Value loadArgument(unsigned argument, Type type, int32_t i) {
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value slot =
        LLVM::GEPOp::create(builder, location, pointer, type, entry->getArgument(argument), ArrayRef<LLVM::GEPArg>{i});
    return LLVM::LoadOp::create(builder, location, type, slot);
  }

  unsigned bufferOf(unsigned argument) {
    return kernel.getArgAttrOfType<IntegerAttr>(argument, bufferAttribute).getInt();
  }

  unsigned bufferCount() { return bufferOf(kernel.getNumArguments() - 1) + 1; } // results come last

  /// How many of the first dimensions have their size in `sizes`.
  unsigned dynamicCount(unsigned dimensions) const {
    return llvm::count_if(ArrayRef(staticSizes).take_front(dimensions), ShapedType::isDynamic);
  }

  Value integerConstant(int64_t value) {
    return arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(value));
  }

  void findOperands() {
    for (OpOperand &operand : generic->getOpOperands()) {
      auto argument = cast<BlockArgument>(operand.get());
      Operand result;
      result.pointer = buffers[bufferOf(argument.getArgNumber())];
      result.element = cast<MemRefType>(argument.getType()).getElementType();
      for (AffineExpr expression : generic.getMatchingIndexingMap(&operand).getResults())
        result.dimensions.push_back(cast<AffineDimExpr>(expression).getPosition());
      result.start = generic.isDpsInit(&operand) ? startOf(argument) : Value();
      operands.push_back(result);
    }
  }

  size_t reducedCount() const { return llvm::count(reduced, true); }

  /// What linalg.fill writes into a reduction's result; null when there is none.
  Value startOf(Value result) {
    for (Operation *user : result.getUsers())
      if (auto fill = dyn_cast<linalg::FillOp>(user))
        return builder.clone(*fill.getInputs()[0].getDefiningOp())->getResult(0);
    return {};
  }

  /// Whether the innermost dimension stays while others are reduced: one accumulator for each of its indices.
  bool reductionsInMemory() const { return reducedCount() > 0 && !reduced.back(); }

  Value sizeOf(unsigned dimension) {
    bool isDynamic = ShapedType::isDynamic(staticSizes[dimension]);
    return isDynamic ? sizes[dynamicCount(dimension)] : integerConstant(staticSizes[dimension]);
  }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  Value multiply(Value a, Value b) { return arith::MulIOp::create(builder, location, a, b); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, location, a, b); }

  /// The address of the operand's element at the current indices.
  Value addressOf(const Operand &operand) {
    Value offset = zero;
    for (auto [i, dimension] : llvm::enumerate(operand.dimensions))
      offset = i == 0 ? indices[dimension] : add(multiply(offset, sizeOf(dimension)), indices[dimension]);
    return LLVM::GEPOp::create(builder, location, operand.pointer.getType(), operand.element, operand.pointer,
                               ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
  }

  template <typename Access>
  void markParallel(Access access) {
    if (group)
      access.setAccessGroupsAttr(builder.getArrayAttr({group}));
  }

  Value load(const Operand &operand) {
    auto result = LLVM::LoadOp::create(builder, location, operand.element, addressOf(operand));
    markParallel(result);
    return result;
  }

  void store(const Operand &operand, Value value) {
    markParallel(LLVM::StoreOp::create(builder, location, value, addressOf(operand)));
  }

  /// Loads inputs whose dimensions are all fixed: before the loops that do not change them.
  void loadFixedInputs() {
    for (unsigned i = 0; i < generic.getNumDpsInputs(); ++i) {
      bool fixed = llvm::all_of(operands[i].dimensions, [&](unsigned dimension) { return bool(indices[dimension]); });
      if (fixed && !operands[i].loaded)
        operands[i].loaded = load(operands[i]);
    }
  }

  void forgetInputs(ArrayRef<Value> before) {
    for (auto [operand, loaded] : llvm::zip_first(before, operands))
      loaded.loaded = operand;
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  using Body = llvm::function_ref<SmallVector<Value>(ValueRange carried)>;

  SmallVector<Value> loop(Value begin, Value end, Value step, ValueRange carried, bool innermost,
                          llvm::function_ref<void(Value)> bind, Body body) {
    OpBuilder::InsertionGuard guard(builder);
    auto loaded = llvm::map_to_vector(operands, [](const Operand &operand) { return operand.loaded; });
    auto result = scf::ForOp::create(builder, location, begin, end, step, carried);
    builder.setInsertionPointToStart(result.getBody());
    if (innermost)
      beginParallel(result);
    bind(result.getInductionVar());
    loadFixedInputs();
    SmallVector<Value> next = body(result.getRegionIterArgs());
    if (!carried.empty())
      scf::YieldOp::create(builder, location, next);
    group = {};
    forgetInputs(loaded);
    return llvm::to_vector_of<Value>(result.getResults());
  }

  SmallVector<Value> loopOver(unsigned dimension, Value begin, Value end, ValueRange carried, bool innermost,
                              Body body) {
    auto result = loop(begin, end, one, carried, innermost, [&](Value index) { indices[dimension] = index; }, body);
    indices[dimension] = {};
    return result;
  }

  /// Iterations touch different elements (accumulators that they share are in registers), so they may run at once.
  void beginParallel(scf::ForOp loop) {
    MLIRContext *context = builder.getContext();
    group = LLVM::AccessGroupAttr::get(context, DistinctAttr::create(builder.getUnitAttr()));
    auto annotation =
        LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, group);
    loop->setAttr("loop_annotation", annotation);
  }

  /// Indices of the parallel dimensions from their joint number.
  void bindParallel(ArrayRef<unsigned> dimensions, Value joint) {
    if (dimensions.empty())
      return;
    for (unsigned i = dimensions.size(); i-- > 1;) {
      Value size = sizeOf(dimensions[i]);
      indices[dimensions[i]] = arith::RemUIOp::create(builder, location, joint, size);
      joint = arith::DivUIOp::create(builder, location, joint, size);
    }
    indices[dimensions[0]] = joint;
  }

  SmallVector<unsigned> otherDimensions(ArrayRef<unsigned> parallel) const {
    SmallVector<unsigned> rest;
    for (unsigned i = 0; i < reduced.size(); ++i)
      if (!llvm::is_contained(parallel, i))
        rest.push_back(i);
    return rest;
  }

  /// The loop over [begin, end); also when there is a single point, which only one thread may compute.
  void overParallel(ArrayRef<unsigned> dimensions, bool innermost, llvm::function_ref<void()> body) {
    loadFixedInputs();
    loop(
        begin, end, step, {}, innermost, [&](Value joint) { bindParallel(dimensions, joint); },
        [&](ValueRange) {
          body();
          return SmallVector<Value>();
        });
    for (unsigned dimension : dimensions)
      indices[dimension] = {};
  }

  /// Elementwise kernels, and reductions whose accumulators are registers.
  void emitRows() {
    SmallVector<unsigned> parallel = parallelDimensions(reduced, device), rest = otherDimensions(parallel);
    overParallel(parallel, rest.empty(), [&] {
      SmallVector<Value> sums;
      for (Operand &operand : operands)
        if (operand.start)
          sums.push_back(operand.start);
      sums = nest(rest, sums);
      for (Operand &operand : operands)
        if (operand.start) {
          store(operand, sums.front());
          sums.erase(sums.begin());
        }
    });
  }

  SmallVector<Value> nest(ArrayRef<unsigned> dimensions, ValueRange carried) {
    if (dimensions.empty())
      return emitPoint(carried);
    unsigned dimension = dimensions.front();
    return loopOver(dimension, zero, sizeOf(dimension), carried, dimensions.size() == 1,
                    [&](ValueRange inner) { return nest(dimensions.drop_front(), inner); });
  }

  /// Reductions that keep the innermost dimension: the accumulators are the results themselves.
  void emitColumns() {
    unsigned innermost = reduced.size() - 1;
    SmallVector<unsigned> parallel = parallelDimensions(reduced, device);
    bool splitsColumns = parallel.front() == innermost;
    SmallVector<unsigned> outer = splitsColumns ? SmallVector<unsigned>() : parallel, rest;
    for (unsigned dimension : otherDimensions(parallel))
      if (dimension != innermost)
        rest.push_back(dimension);
    Value first = splitsColumns ? begin : zero;
    auto columns = [&](llvm::function_ref<void()> body) {
      Value last = splitsColumns ? end : sizeOf(innermost);
      loopOver(innermost, first, last, {}, true, [&](ValueRange) {
        body();
        return SmallVector<Value>();
      });
    };
    auto body = [&] {
      columns([&] {
        for (Operand &operand : operands)
          if (operand.start)
            store(operand, operand.start);
      });
      nestColumns(rest, [&] { columns([&] { accumulateInMemory(); }); });
    };
    if (splitsColumns)
      body();
    else
      overParallel(outer, false, body);
  }

  void nestColumns(ArrayRef<unsigned> dimensions, llvm::function_ref<void()> body) {
    if (dimensions.empty())
      return body();
    loopOver(dimensions.front(), zero, sizeOf(dimensions.front()), {}, false, [&](ValueRange) {
      nestColumns(dimensions.drop_front(), body);
      return SmallVector<Value>();
    });
  }

  void accumulateInMemory() {
    SmallVector<Value> sums;
    for (Operand &operand : operands)
      if (operand.start)
        sums.push_back(load(operand));
    sums = emitPoint(sums);
    for (Operand &operand : operands)
      if (operand.start) {
        store(operand, sums.front());
        sums.erase(sums.begin());
      }
  }

  //===--------------------------------------------------------------------===//
  // One point of the domain
  //===--------------------------------------------------------------------===//

  SmallVector<Value> emitPoint(ValueRange carried) {
    loadFixedInputs();
    Block &body = generic.getRegion().front();
    IRMapping scalars;
    unsigned next = 0;
    for (auto [operand, argument] : llvm::zip_equal(operands, body.getArguments()))
      scalars.map(argument, operand.start ? carried[next++] : operand.loaded);
    for (Operation &op : body.without_terminator())
      setFastMath(builder.clone(op, scalars), combines(op));
    SmallVector<Value> sums;
    unsigned inputs = generic.getNumDpsInputs();
    for (auto [i, yielded] : llvm::enumerate(body.getTerminator()->getOperands())) {
      Operand &operand = operands[inputs + i];
      if (operand.start)
        sums.push_back(scalars.lookup(yielded));
      else
        store(operand, scalars.lookup(yielded));
    }
    return sums;
  }

  /// Whether `op` adds to a reduction.
  bool combines(Operation &op) {
    unsigned inputs = generic.getNumDpsInputs();
    return llvm::any_of(op.getOperands(), [&](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      return argument && argument.getArgNumber() >= inputs;
    });
  }

  /// Products and sums may become one instruction, and zeros have no sign. Only reductions may change their order.
  void setFastMath(Operation *op, bool reorder) {
    if (!isa<arith::ArithFastMathInterface>(op) || isa<arith::TruncFOp, arith::ExtFOp>(op))
      return; // conversions take flags, but their lowering does not
    auto flags = arith::FastMathFlags::contract | arith::FastMathFlags::nsz;
    if (reorder)
      flags = flags | arith::FastMathFlags::reassoc;
    op->setAttr("fastmath", arith::FastMathFlagsAttr::get(op->getContext(), flags));
  }

  func::FuncOp kernel;
  linalg::GenericOp generic;
  bool device, gpuFunction;
  OpBuilder builder;
  Location location;
  SmallVector<bool> reduced;
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> buffers, sizes, indices;
  SmallVector<Operand> operands;
  Block *entry = nullptr;
  Value zero, one, begin, end, step; // of the parallel loop
  LLVM::AccessGroupAttr group;       // of the innermost loop being filled
};

struct KernelLoopsPass : impl::KernelLoopsPassBase<KernelLoopsPass> {
  using KernelLoopsPassBase::KernelLoopsPassBase;

  void runOnOperation() override {
    auto kernels = getOperation().lookupSymbol<ModuleOp>(kernelModuleName);
    if (!kernels)
      return;
    bool device = target != "host", gpuFunctions = target == "cuda";
    Block *place = gpuFunctions ? createDeviceModule(kernels) : kernels.getBody();
    for (func::FuncOp kernel : llvm::make_early_inc_range(kernels.getOps<func::FuncOp>())) {
      auto generics = kernel.getOps<linalg::GenericOp>();
      if (generics.empty())
        continue;
      place->push_back(LoopEmitter(kernel, *generics.begin(), device, gpuFunctions).emit());
      kernel.erase();
    }
    if (gpuFunctions)
      kernels.erase();
  }

  Block *createDeviceModule(ModuleOp kernels) {
    OpBuilder builder(kernels);
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());
    return gpu::GPUModuleOp::create(builder, kernels.getLoc(), kernelModuleName).getBody();
  }
};

} // namespace
} // namespace tw::lower
