// Optimizers, clipping and schedules, executed over several steps. Numbers from make_optimizers.py: PyTorch's
// optimizers, and DeepSpeed's schedules; and from make_onnx_optimizers.py: ONNX's optimizers.
#include "compiler/Interpreter/Interpreter.h"
#include "compiler/Support/Registration.h"
#include "passes/Differentiate/Passes.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tw::differentiate;

namespace {

/// The loss is sum(w^3) / 3, whose gradient, w^2, changes from step to step.
constexpr const char *kProgram = R"(
  graph.parameter @w : tensor<3xf64> {role = #graph.role<trainable>, value = dense<[1.0, -0.5, 2.0]> : tensor<3xf64>}
  func.func @forward() -> (tensor<f64> {graph.name = "loss_sum"}) {
    %w = graph.load @w : tensor<3xf64>
    %third = arith.constant dense<0.33333333333333333> : tensor<3xf64>
    %square = arith.mulf %w, %w : tensor<3xf64>
    %cube = arith.mulf %square, %w : tensor<3xf64>
    %scaled = arith.mulf %cube, %third : tensor<3xf64>
    %sum = graph.reduce %scaled {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
    return %sum : tensor<f64>
  }
  func.func @loss_weight() -> (tensor<f64> {graph.name = "loss_weight"}) {
    %one = arith.constant dense<1.0> : tensor<f64>
    return %one : tensor<f64>
  })";

/// Trains kProgram and keeps what each step returned.
class Training {
public:
  Training(const DifferentiateOptions &options) {
    DialectRegistry registry;
    tw::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(kProgram, &context);
    PassManager manager(&context);
    buildDifferentiatePipeline(manager, options);
    built = module && succeeded(manager.run(*module));
  }

  void run(int steps) {
    ASSERT_TRUE(built);
    tw::interpreter::Interpreter interpreter(*module, {tw::interpreter::Precision::Double, ""});
    for (int step = 0; step < steps; ++step) {
      auto results = interpreter.run("train", {});
      ASSERT_TRUE(succeeded(results));
      losses.push_back((*results)[0].real(0));
      learningRates.push_back((*results)[1].real(0));
      norms.push_back((*results)[2].real(0));
    }
    auto value = interpreter.getParameter("w");
    auto count = interpreter.getParameter("step");
    ASSERT_TRUE(succeeded(value) && succeeded(count));
    weight = {value->real(0), value->real(1), value->real(2)};
    EXPECT_EQ(count->integer(0), steps);
  }

  std::vector<double> losses, learningRates, norms, weight;

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  bool built = false;
};

void expectWeight(const DifferentiateOptions &options, std::array<double, 3> expected) {
  Training training(options);
  training.run(4);
  ASSERT_EQ(training.weight.size(), 3u);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(training.weight[i], expected[i], 1e-12);
}

DifferentiateOptions sgd(double learningRate) {
  DifferentiateOptions options;
  options.optimizer.learningRate = learningRate;
  return options;
}

DifferentiateOptions adam(OptimizerKind kind) {
  DifferentiateOptions options = sgd(0.1);
  options.optimizer.kind = kind;
  options.optimizer.beta1 = 0.8;
  options.optimizer.beta2 = 0.95;
  options.optimizer.epsilon = 1e-3;
  options.optimizer.weightDecay = 0.1;
  return options;
}

TEST(Optimizers, SGD) {
  expectWeight(sgd(0.1), {0.6953849448608791, -0.6170950132330232, 1.028024261935104});
}

TEST(Optimizers, SGDWithWeightDecay) {
  DifferentiateOptions options = sgd(0.1);
  options.optimizer.weightDecay = 0.2;
  expectWeight(options, {0.6434156031055069, -0.5679615248145418, 0.9528136266451686});
}

TEST(Optimizers, WeightDecayGroupsReplaceTheDefault) {
  DifferentiateOptions options = sgd(0.1);
  options.optimizer.weightDecay = 7.0;
  options.optimizer.weightDecayGroups = {{"w*", 0.2}};
  expectWeight(options, {0.6434156031055069, -0.5679615248145418, 0.9528136266451686});
}

TEST(Optimizers, Momentum) {
  DifferentiateOptions options = sgd(0.05);
  options.optimizer.momentum = 0.9;
  expectWeight(options, {0.6080068122862995, -0.6223906978411594, 0.6167448276910381});
}

TEST(Optimizers, Dampening) {
  DifferentiateOptions options = sgd(0.05);
  options.optimizer.momentum = 0.9;
  options.optimizer.dampening = 0.3;
  expectWeight(options, {0.6705452107965767, -0.5978146577340098, 0.8065937152886417});
}

TEST(Optimizers, Nesterov) {
  DifferentiateOptions options = sgd(0.05);
  options.optimizer.momentum = 0.9;
  options.optimizer.nesterov = true;
  expectWeight(options, {0.529388350774661, -0.6761827566303668, 0.46822401027430927});
}

TEST(Optimizers, Adam) {
  expectWeight(adam(OptimizerKind::Adam), {0.612809603359662, -0.8988109146307943, 1.605027636234895});
}

TEST(Optimizers, AdamW) {
  expectWeight(adam(OptimizerKind::AdamW), {0.5820941657805687, -0.8746019510126566, 1.5336340446404029});
}

TEST(Optimizers, Adagrad) {
  DifferentiateOptions options = sgd(0.1);
  options.optimizer.kind = OptimizerKind::Adagrad;
  options.optimizer.learningRateDecay = 0.5;
  options.optimizer.epsilon = 1e-3;
  options.optimizer.initialAccumulator = 0.2;
  expectWeight(options, {0.8280341538041837, -0.6261173546243464, 1.8107605956466668});
}

DifferentiateOptions onnx(DifferentiateOptions options) {
  options.optimizer.definition = OptimizerDefinition::ONNX;
  return options;
}

DifferentiateOptions onnxMomentum() {
  DifferentiateOptions options = onnx(sgd(0.05));
  options.optimizer.momentum = 0.9;
  options.optimizer.dampening = 0.3; // beta = 0.7
  options.optimizer.weightDecay = 0.1;
  return options;
}

TEST(OnnxOptimizers, Momentum) {
  expectWeight(onnxMomentum(), {0.6395043979290367, -0.5777669498645707, 0.7527556789623604});
}

TEST(OnnxOptimizers, NesterovWithBeta) {
  DifferentiateOptions options = onnxMomentum();
  options.optimizer.nesterov = true;
  expectWeight(options, {0.5384463304169701, -0.6195294357466931, 0.5317913376472604});
}

TEST(OnnxOptimizers, Adam) {
  expectWeight(onnx(adam(OptimizerKind::Adam)), {0.5800810179733992, -0.9308223852979493, 1.5698656430828835});
}

TEST(OnnxOptimizers, AdamWithRegularizationAfterwards) {
  expectWeight(onnx(adam(OptimizerKind::AdamW)), {0.35070572931710836, -0.6661461018424869, 0.9944855232726603});
}

TEST(OnnxOptimizers, Adagrad) {
  DifferentiateOptions options = onnx(sgd(0.1));
  options.optimizer.kind = OptimizerKind::Adagrad;
  options.optimizer.learningRateDecay = 0.5;
  options.optimizer.epsilon = 1e-3;
  options.optimizer.initialAccumulator = 0.2;
  options.optimizer.weightDecay = 0.1;
  expectWeight(options, {0.8256308502785742, -0.6091413410943965, 1.8105357892611225});
}

TEST(Optimizers, ClippingByGlobalNorm) {
  DifferentiateOptions options = sgd(0.1);
  options.maxGradientNorm = 1.5;
  expectWeight(options, {0.8376676646535385, -0.5496708239289136, 1.4247917409993167});
}

TEST(Optimizers, LossAndNormAreThoseBeforeTheUpdate) {
  Training training(sgd(0.1));
  training.run(1);
  ASSERT_EQ(training.losses.size(), 1u);
  EXPECT_NEAR(training.losses[0], (1.0 - 0.125 + 8.0) / 3.0, 1e-12);
  EXPECT_NEAR(training.norms[0], std::sqrt(1.0 + 0.0625 + 16.0), 1e-12);
  EXPECT_NEAR(training.learningRates[0], 0.1, 1e-12);
}

void expectRates(ScheduleKind kind, WarmupKind warmup, std::array<double, 8> expected) {
  DifferentiateOptions options = sgd(0.1);
  options.optimizer.schedule.kind = kind;
  options.optimizer.schedule.warmup = warmup;
  options.optimizer.schedule.warmupSteps = 3;
  options.optimizer.schedule.totalSteps = 7;
  options.optimizer.schedule.warmupMinLearningRate = 0.01;
  options.optimizer.schedule.warmupMinRatio = 0.2;
  options.optimizer.schedule.cosineMinRatio = 0.05;
  Training training(options);
  training.run(8);
  ASSERT_EQ(training.learningRates.size(), 8u);
  for (int step = 0; step < 8; ++step)
    EXPECT_NEAR(training.learningRates[step], expected[step], 1e-9) << "step " << step;
}

TEST(Schedules, Constant) {
  expectRates(ScheduleKind::Constant, WarmupKind::Log, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
}

TEST(Schedules, WarmupLR) {
  expectRates(ScheduleKind::WarmupLR, WarmupKind::Log, {0.01, 0.01, 0.066783678, 0.1, 0.1, 0.1, 0.1, 0.1});
  expectRates(ScheduleKind::WarmupLR, WarmupKind::Linear, {0.01, 0.01, 0.04, 0.07, 0.1, 0.1, 0.1, 0.1});
}

TEST(Schedules, WarmupDecayLR) {
  expectRates(ScheduleKind::WarmupDecayLR, WarmupKind::Log, {0.01, 0.01, 0.066783678, 0.1, 0.1, 0.0775, 0.055, 0.0325});
  expectRates(ScheduleKind::WarmupDecayLR, WarmupKind::Linear, {0.01, 0.01, 0.04, 0.07, 0.1, 0.0775, 0.055, 0.0325});
}

TEST(Schedules, WarmupCosineLR) {
  expectRates(ScheduleKind::WarmupCosineLR, WarmupKind::Log,
              {0.0, 0.02, 0.070474380, 0.1, 0.086087572, 0.0525, 0.018912428, 0.005});
  expectRates(ScheduleKind::WarmupCosineLR, WarmupKind::Linear,
              {0.0, 0.02, 0.046666667, 0.073333333, 0.086087572, 0.0525, 0.018912428, 0.005});
}

} // namespace
