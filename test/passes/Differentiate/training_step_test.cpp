// Whole training steps, executed: what several micro-batches add up to, running statistics, decay by group, clipping
// over all gradients.
#include "compiler/Interpreter/Interpreter.h"
#include "compiler/Support/Registration.h"
#include "passes/Differentiate/Passes.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tw::differentiate;
using tw::interpreter::Tensor;

namespace {

/// A program trained by the reference interpreter, without rounding.
class Training {
public:
  Training(const std::string &program, const DifferentiateOptions &options) {
    DialectRegistry registry;
    tw::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(program, &context);
    PassManager manager(&context);
    buildDifferentiatePipeline(manager, options);
    if (module && succeeded(manager.run(*module)))
      interpreter.emplace(*module, tw::interpreter::InterpreterOptions{tw::interpreter::Precision::Double, ""});
  }

  /// Loss, learning rate and gradient norm of one step.
  std::array<double, 3> step(ArrayRef<Tensor> arguments = {}) {
    if (!interpreter)
      return {NAN, NAN, NAN};
    auto results = interpreter->run("train", arguments);
    if (failed(results))
      return {NAN, NAN, NAN};
    return {(*results)[0].real(0), (*results)[1].real(0), (*results)[2].real(0)};
  }

  std::vector<double> parameter(StringRef name) {
    std::vector<double> values;
    auto value = interpreter ? interpreter->getParameter(name) : FailureOr<Tensor>(failure());
    for (int64_t i = 0; succeeded(value) && i < value->getNumElements(); ++i)
      values.push_back(value->real(i));
    return values;
  }

  Tensor floats(ArrayRef<int64_t> shape, ArrayRef<double> values) {
    Tensor tensor(shape, Float64Type::get(&context));
    for (auto [i, value] : llvm::enumerate(values))
      tensor.real(int64_t(i)) = value;
    return tensor;
  }
  Tensor integers(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
    Tensor tensor(shape, IntegerType::get(&context, 64));
    for (auto [i, value] : llvm::enumerate(values))
      tensor.integer(int64_t(i)) = value;
    return tensor;
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::optional<tw::interpreter::Interpreter> interpreter;
};

void expectNear(ArrayRef<double> values, ArrayRef<double> expected, double tolerance = 1e-12) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], tolerance) << "element " << i;
}

//===----------------------------------------------------------------------===//
// Micro-batches
//===----------------------------------------------------------------------===//

/// Cross-entropy of x w for `rows` rows.
std::string classifier(int rows) {
  return llvm::formatv(R"(
  graph.parameter @w : tensor<2x3xf64> {{role = #graph.role<trainable>, value = dense<[[0.1, -0.2, 0.3], [0.4, 0.0, -0.5]]> : tensor<2x3xf64>}
  func.func @forward(%x: tensor<{0}x2xf64> {{graph.name = "x"}, %labels: tensor<{0}xi64> {{graph.name = "labels"}) -> (tensor<f64> {{graph.name = "loss_sum"}) {{
    %w = graph.load @w : tensor<2x3xf64>
    %logits = graph.matmul %x, %w : (tensor<{0}x2xf64>, tensor<2x3xf64>) -> tensor<{0}x3xf64>
    %loss, %lse = graph.cross_entropy %logits, %labels {{ignore_index = -100 : i64, label_smoothing = 0.0 : f64}
        : (tensor<{0}x3xf64>, tensor<{0}xi64>) -> (tensor<f64>, tensor<{0}xf64>)
    return %loss : tensor<f64>
  }
  func.func @loss_weight(%x: tensor<{0}x2xf64> {{graph.name = "x"}, %labels: tensor<{0}xi64> {{graph.name = "labels"}) -> (tensor<f64> {{graph.name = "loss_weight"}) {{
    %ignored = arith.constant dense<-100> : tensor<{0}xi64>
    %counts = arith.cmpi ne, %labels, %ignored : tensor<{0}xi64>
    %ones = arith.uitofp %counts : tensor<{0}xi1> to tensor<{0}xf64>
    %sum = graph.reduce %ones {{kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<{0}xf64>) -> tensor<f64>
    return %sum : tensor<f64>
  })",
                       rows)
      .str();
}

// One of four labels counts in the first half, all in the second: an average of averages would be another loss.
TEST(MicroBatches, EqualOneBatchOfAllTheirRows) {
  DifferentiateOptions options;
  options.optimizer.learningRate = 0.5;
  options.optimizer.momentum = 0.9;
  options.maxGradientNorm = 0.1;
  Training whole(classifier(8), options);
  options.microBatches = 2;
  Training halves(classifier(4), options);
  std::vector<double> x{1, 2, -1, 0.5, 0, 3, 2, 2, -2, 1, 1, -1, 0.3, 0.7, 4, 0};
  std::vector<int64_t> labels{2, -100, -100, -100, 0, 1, 1, 2};
  for (int step = 0; step < 3; ++step) {
    auto one = whole.step({whole.floats({8, 2}, x), whole.integers({8}, labels)});
    auto two = halves.step({halves.floats({2, 4, 2}, x), halves.integers({2, 4}, labels)});
    expectNear(two, one);
    EXPECT_GT(one[2], 0.1); // so that clipping had an effect
  }
  expectNear(halves.parameter("w"), whole.parameter("w"));
}

//===----------------------------------------------------------------------===//
// Running statistics
//===----------------------------------------------------------------------===//

constexpr const char *kNormalised = R"(
  graph.parameter @scale : tensor<2xf64> {role = #graph.role<trainable>, fill = 1.0 : f64}
  graph.parameter @bias : tensor<2xf64> {role = #graph.role<trainable>, fill = 0.0 : f64}
  graph.parameter @mean : tensor<2xf64> {role = #graph.role<buffer>, value = dense<[0.5, -1.0]> : tensor<2xf64>}
  graph.parameter @variance : tensor<2xf64> {role = #graph.role<buffer>, value = dense<[1.0, 2.0]> : tensor<2xf64>}
  func.func @forward(%x: tensor<3x2x2xf64> {graph.name = "x"}) -> (tensor<f64> {graph.name = "loss_sum"}) {
    %scale = graph.load @scale : tensor<2xf64>
    %bias = graph.load @bias : tensor<2xf64>
    %y, %m, %v = graph.batch_norm_training %x, %scale, %bias
        {epsilon = 1.0e-5 : f64, running_mean = @mean, running_variance = @variance, momentum = 0.75 : f64}
        : (tensor<3x2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
    %sum = graph.reduce %y {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<3x2x2xf64>) -> tensor<f64>
    return %sum : tensor<f64>
  }
  func.func @loss_weight(%x: tensor<3x2x2xf64> {graph.name = "x"}) -> (tensor<f64> {graph.name = "loss_weight"}) {
    %rows = arith.constant dense<3.0> : tensor<f64>
    return %rows : tensor<f64>
  })";

/// ONNX's BatchNormalization in training mode: running * momentum + batch * (1 - momentum), the batch's variance being
/// that of the population (divided by N, where PyTorch divides by N - 1).
struct Running {
  double mean, variance;
  void update(ArrayRef<double> values) {
    double sum = 0, squares = 0;
    for (double value : values)
      sum += value;
    double batchMean = sum / values.size();
    for (double value : values)
      squares += (value - batchMean) * (value - batchMean);
    mean = mean * 0.75 + batchMean * 0.25;
    variance = variance * 0.75 + squares / values.size() * 0.25;
  }
};

const std::vector<double> kFirstBatch{1, 2, -3, 0.5, 4, 1.5, 2, 2, 0, -1, 7, 3};
const std::vector<double> kSecondBatch{0.1, 0.2, 5, 6, -1, -2, 0.3, 0.4, 9, 8, 1, 1};

/// The values of a channel of a batch [3, 2, 2].
std::vector<double> channel(ArrayRef<double> batch, int index) {
  std::vector<double> values;
  for (int sample = 0; sample < 3; ++sample)
    for (int place = 0; place < 2; ++place)
      values.push_back(batch[sample * 4 + index * 2 + place]);
  return values;
}

std::array<Running, 2> expectedStatistics() {
  std::array<Running, 2> running{Running{0.5, 1.0}, Running{-1.0, 2.0}};
  for (const std::vector<double> &batch : {kFirstBatch, kSecondBatch})
    for (int i = 0; i < 2; ++i)
      running[i].update(channel(batch, i));
  return running;
}

TEST(BatchNorm, RunningStatisticsFollowOnnx) {
  Training training(kNormalised, {});
  training.step({training.floats({3, 2, 2}, kFirstBatch)});
  training.step({training.floats({3, 2, 2}, kSecondBatch)});
  auto expected = expectedStatistics();
  expectNear(training.parameter("mean"), {expected[0].mean, expected[1].mean});
  expectNear(training.parameter("variance"), {expected[0].variance, expected[1].variance});
}

TEST(BatchNorm, EveryMicroBatchUpdatesRunningStatistics) {
  DifferentiateOptions options;
  options.microBatches = 2;
  Training training(kNormalised, options);
  std::vector<double> both(kFirstBatch);
  both.insert(both.end(), kSecondBatch.begin(), kSecondBatch.end());
  training.step({training.floats({2, 3, 2, 2}, both)});
  auto expected = expectedStatistics();
  expectNear(training.parameter("mean"), {expected[0].mean, expected[1].mean});
  expectNear(training.parameter("variance"), {expected[0].variance, expected[1].variance});
}

//===----------------------------------------------------------------------===//
// Several parameters
//===----------------------------------------------------------------------===//

/// The loss is sum(weight^3) / 3 + sum(bias^3) / 3, whose gradients are squares.
constexpr const char *kTwoParameters = R"(
  graph.parameter @weight : tensor<3xf64> {role = #graph.role<trainable>, value = dense<[1.0, -0.5, 2.0]> : tensor<3xf64>}
  graph.parameter @bias : tensor<2xf64> {role = #graph.role<trainable>, value = dense<[0.5, 1.5]> : tensor<2xf64>}
  func.func @forward() -> (tensor<f64> {graph.name = "loss_sum"}) {
    %weight = graph.load @weight : tensor<3xf64>
    %bias = graph.load @bias : tensor<2xf64>
    %w2 = arith.mulf %weight, %weight : tensor<3xf64>
    %w3 = arith.mulf %w2, %weight : tensor<3xf64>
    %b2 = arith.mulf %bias, %bias : tensor<2xf64>
    %b3 = arith.mulf %b2, %bias : tensor<2xf64>
    %w = graph.reduce %w3 {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    %b = graph.reduce %b3 {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<2xf64>) -> tensor<f64>
    %sum = arith.addf %w, %b : tensor<f64>
    %third = arith.constant dense<0.33333333333333333> : tensor<f64>
    %loss = arith.mulf %sum, %third : tensor<f64>
    return %loss : tensor<f64>
  }
  func.func @loss_weight() -> (tensor<f64> {graph.name = "loss_weight"}) {
    %one = arith.constant dense<1.0> : tensor<f64>
    return %one : tensor<f64>
  })";

// Numbers from make_optimizers.py: PyTorch's clip_grad_norm_ over both, and AdamW with a group for each.
TEST(SeveralParameters, AreClippedByOneNorm) {
  DifferentiateOptions options;
  options.optimizer.learningRate = 0.1;
  options.maxGradientNorm = 1.5;
  Training training(kTwoParameters, options);
  for (int step = 0; step < 4; ++step)
    training.step();
  expectNear(training.parameter("weight"), {0.8613602607237062, -0.5410895146372928, 1.5000558054319582});
  expectNear(training.parameter("bias"), {0.4633919380223454, 1.2040915560783678});
}

TEST(SeveralParameters, DecayByTheirGroups) {
  DifferentiateOptions options;
  options.optimizer.kind = OptimizerKind::AdamW;
  options.optimizer.learningRate = 0.1;
  options.optimizer.weightDecay = 0.3;
  options.optimizer.weightDecayGroups = {{"b*", 0.0}};
  Training training(kTwoParameters, options);
  for (int step = 0; step < 4; ++step)
    training.step();
  expectNear(training.parameter("weight"), {0.5178082876509797, -0.8233407224576754, 1.3950545705472954});
  expectNear(training.parameter("bias"), {0.13167264980779592, 1.1054188175711486});
}

} // namespace
