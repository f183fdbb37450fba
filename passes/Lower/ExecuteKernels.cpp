// tw-lower-execute-kernels: runs compiled kernels on random numbers beside the reference interpreter.
#include "passes/Lower/EmitObject.h"
#include "passes/Lower/KernelPipeline.h"
#include "passes/Lower/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "compiler/Interpreter/Evaluator.h"
#include "kernels/abi/kernel.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <limits>
#include <random>

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_EXECUTEKERNELSPASS
#include "passes/Lower/Passes.h.inc"

namespace {

using interpreter::Tensor;

/// A tensor's elements as a kernel sees them.
class Memory {
public:
  explicit Memory(RankedTensorType type) : type(type), bytes(type.getNumElements() * elementBytes(type) + 64) {}

  static size_t elementBytes(RankedTensorType type) { return (type.getElementTypeBitWidth() + 7) / 8; }
  /// Not aligned to more than the element, and followed by bytes that must not change.
  void *data() { return bytes.data(); }

  void write(const Tensor &tensor) {
    size_t width = elementBytes(type);
    if (type.getElementType().isInteger(1)) {
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        bytes[i] = tensor.integer(i) != 0;
      return;
    }
    ArrayRef<char> raw = tensor.toAttribute().getRawData();
    bool isSplat = raw.size() == width && type.getNumElements() > 1;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      std::copy_n(raw.data() + (isSplat ? 0 : i * width), width, bytes.data() + i * width);
  }

  Tensor read() const {
    ArrayRef<char> content(bytes.data(), type.getNumElements() * elementBytes(type));
    return *Tensor::fromBytes(type, content);
  }

private:
  RankedTensorType type;
  std::vector<char> bytes;
};

/// Compiled kernels, by name.
class CompiledKernels {
public:
  LogicalResult load(ModuleOp kernels, const EmitOptions &options) {
    auto object = emitHostObject(kernels, options);
    if (failed(object))
      return failure();
    auto builder = llvm::orc::LLJITBuilder().create();
    if (!builder)
      return kernels.emitError(llvm::toString(builder.takeError()));
    jit = std::move(*builder);
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(StringRef(object->data(), object->size()));
    if (llvm::Error error = jit->addObjectFile(std::move(copy)))
      return kernels.emitError(llvm::toString(std::move(error)));
    auto table = jit->lookup("tw_generated_kernels");
    if (!table)
      return kernels.emitError(llvm::toString(table.takeError()));
    for (auto *entry = table->toPtr<const tw_generated_kernel *>(); entry->name; ++entry)
      byName[entry->name] = entry->run;
    return success();
  }

  tw_generated_run find(StringRef name) const { return byName.lookup(name); }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<tw_generated_run> byName;
};

using Values = llvm::DenseMap<Value, Tensor>;

/// Evaluates a function's ops; those that are fused by a kernel when there are any.
class FunctionRun {
public:
  FunctionRun(const CompiledKernels *kernels, bool inPlace) : kernels(kernels), inPlace(inPlace) {}

  FailureOr<SmallVector<Tensor>> run(func::FuncOp function, ArrayRef<Tensor> arguments) {
    for (auto [argument, tensor] : llvm::zip_equal(function.getArguments(), arguments))
      values[argument] = tensor;
    for (Operation &op : function.getBody().front().without_terminator())
      if (failed(runOp(&op)))
        return failure();
    return llvm::map_to_vector(function.getBody().front().getTerminator()->getOperands(),
                               [&](Value value) { return values.at(value); });
  }

private:
  LogicalResult runOp(Operation *op) {
    if (auto fused = dyn_cast<graph::FusedOp>(op))
      return runKernel(fused);
    SmallVector<const Tensor *> operands;
    for (Value operand : op->getOperands())
      operands.push_back(&values.at(operand));
    auto results = interpreter::evaluate(op, operands, /*roundFloats=*/false);
    if (failed(results))
      return failure();
    for (auto [value, tensor] : llvm::zip_equal(op->getResults(), *results))
      values[value] = tensor;
    return success();
  }

  LogicalResult runKernel(graph::FusedOp op) {
    tw_generated_run kernel = kernels->find(*op.getKernel());
    if (!kernel)
      return op.emitOpError("has no compiled kernel");
    SmallVector<std::unique_ptr<Memory>> memories;
    SmallVector<void *> buffers;
    auto add = [&](Value value) {
      memories.push_back(std::make_unique<Memory>(cast<RankedTensorType>(value.getType())));
      buffers.push_back(memories.back()->data());
    };
    for (Value input : op.getInputs()) {
      add(input);
      memories.back()->write(values.at(input));
    }
    SmallVector<unsigned> memoryOf = placeResults(op, add);
    SmallVector<void *> arguments(buffers.begin(), buffers.begin() + op.getInputs().size());
    for (unsigned memory : memoryOf)
      arguments.push_back(buffers[memory]);
    callInPieces(kernel, arguments, op);
    for (auto [result, memory] : llvm::zip_equal(op.getResults(), memoryOf))
      values[result] = memories[memory]->read();
    return success();
  }

  /// The memory of each result: an input's where it may be shared, else its own.
  SmallVector<unsigned> placeResults(graph::FusedOp op, llvm::function_ref<void(Value)> add) {
    SmallVector<unsigned> memoryOf;
    unsigned next = op.getInputs().size();
    for (unsigned result = 0; result < op.getNumResults(); ++result) {
      std::optional<unsigned> shared;
      for (unsigned input = 0; inPlace && input < op.getInputs().size() && !shared; ++input)
        if (op.canShareMemory(input, result) && !llvm::is_contained(memoryOf, input))
          shared = input;
      if (!shared) {
        add(op.getResult(result));
        shared = next++;
      }
      memoryOf.push_back(*shared);
    }
    return memoryOf;
  }

  /// As three threads would.
  static void callInPieces(tw_generated_run kernel, ArrayRef<void *> buffers, graph::FusedOp op) {
    int64_t extent = *op.getExtent();
    for (int64_t piece = 0; piece < 3; ++piece)
      kernel(buffers.data(), op.getSizes()->data(), extent * piece / 3, extent * (piece + 1) / 3);
  }

  const CompiledKernels *kernels;
  bool inPlace;
  Values values;
};

/// Random numbers, with some values at which functions tend to break.
Tensor randomTensor(RankedTensorType type, std::mt19937_64 &random, bool special, double scale) {
  static const double edges[] = {0.0,
                                 -0.0,
                                 1e-40,
                                 -1e-40,
                                 1e-30,
                                 -1e-30,
                                 1.0,
                                 -1.0,
                                 20.0,
                                 -20.0,
                                 88.0,
                                 -88.0,
                                 100.0,
                                 -100.0,
                                 1e30,
                                 -1e30,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  Tensor tensor(type);
  std::normal_distribution<double> normal(0.0, scale);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    if (tensor.isFloat())
      tensor.real(i) = special && random() % 2 ? edges[random() % std::size(edges)] : normal(random);
    else
      tensor.integer(i) = int64_t(random() % 7) - 3;
  }
  tensor.normalize(/*roundFloats=*/true);
  return tensor;
}

/// How far values lie from the expected ones, relative to those (or to `floor` where they are smaller).
struct Difference {
  double largest = 0;
  int64_t kinds = 0; // elements of which one is NaN or infinite and the other is not the same

  void compare(const Tensor &expected, const Tensor &actual, double floor) {
    for (int64_t i = 0; i < expected.getNumElements(); ++i) {
      if (!expected.isFloat()) {
        kinds += expected.integer(i) != actual.integer(i);
        continue;
      }
      double e = roundToStorage(expected, i), a = actual.real(i);
      if (std::isfinite(e) && std::isfinite(a))
        largest = std::max(largest, std::abs(a - e) / std::max(std::abs(e), floor));
      else
        kinds += !(std::isnan(e) && std::isnan(a)) && e != a;
    }
  }

  /// Overflow to infinity is part of the type; rounding is part of the error.
  static double roundToStorage(const Tensor &tensor, int64_t i) {
    double rounded = interpreter::roundToType(tensor.real(i), cast<FloatType>(tensor.getElementType()));
    return std::isfinite(rounded) ? tensor.real(i) : rounded;
  }
};

struct ExecuteKernelsPass : impl::ExecuteKernelsPassBase<ExecuteKernelsPass> {
  using ExecuteKernelsPassBase::ExecuteKernelsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildFusionPipeline(pipeline, target);
    buildKernelCodePipeline(pipeline, target);
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override {
    OwningOpRef<ModuleOp> original(getOperation().clone());
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildFusionPipeline(pipeline, target);
    buildKernelCodePipeline(pipeline, target);
    if (failed(runPipeline(pipeline, getOperation())))
      return signalPassFailure();
    CompiledKernels kernels;
    if (failed(kernels.load(getOperation().lookupSymbol<ModuleOp>(kernelModuleName), {cpu})))
      return signalPassFailure();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (failed(compare(original->lookupSymbol<func::FuncOp>(function.getName()), function, kernels)))
        return signalPassFailure();
  }

  LogicalResult compare(func::FuncOp original, func::FuncOp compiled, const CompiledKernels &kernels) {
    std::mt19937_64 random(seed);
    Difference difference;
    for (int64_t round = 0; round < rounds; ++round) {
      SmallVector<Tensor> arguments;
      for (Type type : original.getArgumentTypes())
        arguments.push_back(randomTensor(cast<RankedTensorType>(type), random, special, scale));
      auto expected = FunctionRun(nullptr, false).run(original, arguments);
      for (bool inPlace : {false, true}) {
        auto actual = FunctionRun(&kernels, inPlace).run(compiled, arguments);
        if (failed(expected) || failed(actual))
          return failure();
        for (auto [e, a] : llvm::zip_equal(*expected, *actual))
          difference.compare(e, a, floor);
      }
    }
    report(original.getName(), difference);
    return success();
  }

  void report(StringRef name, const Difference &difference) {
    bool agrees = difference.kinds == 0 && difference.largest <= tolerance;
    llvm::outs() << name << ": " << (agrees ? "agrees" : "DIFFERS") << ", largest error "
                 << llvm::format("%.2e", difference.largest) << ", " << difference.kinds << " of another kind\n";
    llvm::outs().flush();
  }
};

} // namespace
} // namespace tw::lower
