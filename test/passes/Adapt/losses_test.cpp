// Each loss and its gradient, executed. Numbers from make_losses.py: PyTorch's.
#include "compiler/Interpreter/Interpreter.h"
#include "compiler/Support/Registration.h"
#include "passes/Adapt/Passes.h"
#include "passes/Differentiate/Passes.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using tw::adapt::LossKind;
using tw::adapt::LossOptions;
using tw::interpreter::Tensor;

namespace {

/// Multiples of 1/8 from -2 to 2, as make_losses.py makes them.
std::vector<double> scores(int count) {
  std::vector<double> result;
  for (int i = 0; i < count; ++i)
    result.push_back(((7 * i) % 33 - 16) / 8.0);
  return result;
}

/// A model whose output is its parameter, and the loss of it.
class LossTest : public testing::Test {
protected:
  LossTest() {
    DialectRegistry registry;
    tw::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// Mean loss and gradient for `values` of type tensor<`shape`xf32>.
  void run(const LossOptions &options, const std::string &shape, ArrayRef<double> values, Tensor labels) {
    std::string type = "tensor<" + shape + "xf32>";
    std::string text = "graph.parameter @scores : " + type + " {role = #graph.role<trainable>, fill = 0.0 : f64}\n" +
                       "func.func @main() -> (" + type + " {graph.name = \"output\"}) {\n" +
                       "%scores = graph.load @scores : " + type + "\nreturn %scores : " + type + "\n}";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    PassManager manager(&context);
    tw::adapt::AdaptOptions adapt;
    adapt.loss = options;
    tw::adapt::buildAdaptPipeline(manager, adapt);
    tw::differentiate::DifferentiateOptions differentiate;
    differentiate.optimizer.learningRate = 1.0; // so that the parameter's change is its gradient
    tw::differentiate::buildDifferentiatePipeline(manager, differentiate);
    ASSERT_TRUE(succeeded(manager.run(*module)));

    tw::interpreter::Interpreter interpreter(*module, {tw::interpreter::Precision::Double, ""});
    auto before = interpreter.getParameter("scores");
    ASSERT_TRUE(succeeded(before));
    for (auto [i, value] : llvm::enumerate(values))
      before->real(int64_t(i)) = value;
    interpreter.setParameter("scores", *before);
    SmallVector<Tensor> arguments;
    if (options.kind != LossKind::Output)
      arguments.push_back(labels);
    auto evaluated = interpreter.run("evaluate", arguments);
    auto results = interpreter.run("train", arguments);
    auto after = interpreter.getParameter("scores");
    ASSERT_TRUE(succeeded(evaluated) && succeeded(results) && succeeded(after));
    loss = (*results)[0].real(0);
    EXPECT_NEAR((*evaluated)[0].real(0) / (*evaluated)[1].real(0), loss, 1e-12);
    gradient.clear();
    for (int64_t i = 0; i < after->getNumElements(); ++i)
      gradient.push_back(before->real(i) - after->real(i));
  }

  void expect(double expectedLoss, ArrayRef<double> expectedGradient) {
    EXPECT_NEAR(loss, expectedLoss, 1e-9);
    ASSERT_EQ(gradient.size(), expectedGradient.size());
    for (size_t i = 0; i < gradient.size(); ++i)
      EXPECT_NEAR(gradient[i], expectedGradient[i], 1e-9) << "element " << i;
  }

  Tensor integers(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
    Tensor tensor(shape, IntegerType::get(&context, 64));
    for (auto [i, value] : llvm::enumerate(values))
      tensor.integer(int64_t(i)) = value;
    return tensor;
  }
  Tensor floats(ArrayRef<int64_t> shape, ArrayRef<double> values) {
    Tensor tensor(shape, Float32Type::get(&context));
    for (auto [i, value] : llvm::enumerate(values))
      tensor.real(int64_t(i)) = value;
    return tensor;
  }
  Tensor targets() { return floats({2, 3}, {0, 1, 0.25, 1, 0.5, 0}); }

  MLIRContext context;
  double loss = NAN;
  std::vector<double> gradient;
};

TEST_F(LossTest, CrossEntropyIgnoresLabels) {
  run({}, "4x3", scores(12), integers({4}, {2, -100, 0, 1}));
  expect(2.01735570837, {0.0364160305435, 0.087357515975, -0.123773546518, 0, 0, 0, -0.29691730279, 0.087357515975,
                         0.209559786815, 0.294519051307, -0.321913590428, 0.0273945391202});
}

TEST_F(LossTest, CrossEntropySmoothsLabels) {
  LossOptions options;
  options.labelSmoothing = 0.1;
  run(options, "4x3", scores(12), integers({4}, {2, -100, 0, 1}));
  expect(1.97152237504, {0.0253049194323, 0.0762464048639, -0.101551324296, 0, 0, 0, -0.274695080568, 0.0762464048639,
                         0.198448675704, 0.283407940196, -0.299691368205, 0.0162834280091});
}

TEST_F(LossTest, CrossEntropyIgnoresAnotherIndex) {
  LossOptions options;
  options.ignoreIndex = 0;
  run(options, "4x3", scores(12), integers({4}, {2, 2, 0, 1}));
  expect(2.48779209562, {0.0364160305435, 0.087357515975, -0.123773546518, 0.0954592939729, 0.228994941891,
                         -0.324454235864, 0, 0, 0, 0.294519051307, -0.321913590428, 0.0273945391202});
}

TEST_F(LossTest, CrossEntropyOfTokens) {
  run({}, "2x2x3", scores(12), integers({2, 2}, {1, 0, 2, -100}));
  expect(1.01790363365, {0.0364160305435, -0.245975817358, 0.209559786815, -0.23787403936, 0.228994941891,
                         0.0088790974693, 0.0364160305435, 0.087357515975, -0.123773546518, 0, 0, 0});
}

TEST_F(LossTest, CrossEntropyOfPixels) {
  run({}, "1x3x2x2", scores(12), integers({1, 2, 2}, {0, 1, 2, -100}));
  expect(3.12701714528, {-0.326903400845, 0.0173064106399, 0.182972616733, 0, 0.212930120416, -0.324069879252,
                         0.0979381842123, 0, 0.113973280429, 0.306763468612, -0.280910800945, 0});
}

TEST_F(LossTest, BinaryCrossEntropyOfLogits) {
  LossOptions options;
  options.kind = LossKind::BinaryCrossEntropy;
  run(options, "2x3", scores(6), targets());
  expect(0.618642612311,
         {0.0198671536704, -0.125819164478, 0.031303916519, -0.0581075225557, 0.0529290793656, 0.0246745330053});
}

TEST_F(LossTest, BinaryCrossEntropyOfProbabilities) {
  LossOptions options;
  options.kind = LossKind::BinaryCrossEntropy;
  options.fromLogits = false;
  std::vector<double> probabilities = scores(6);
  for (double &value : probabilities)
    value = (value + 2.125) / 4.25;
  run(options, "2x3", probabilities, targets());
  expect(0.613912621808,
         {0.171717171717, -0.708333333333, 0.129239766082, -0.257575757576, 0.468965517241, 0.182795698925});
}

// PyTorch's loss there; its gradient is a matter of a guard of its own, but is not NaN.
TEST_F(LossTest, ProbabilitiesOfZeroAndOneGiveFiniteGradients) {
  LossOptions options;
  options.kind = LossKind::BinaryCrossEntropy;
  options.fromLogits = false;
  run(options, "4", {0, 1, 0, 1}, floats({4}, {0, 1, 1, 0.5}));
  EXPECT_NEAR(loss, 37.5, 1e-9);
  for (double value : gradient)
    EXPECT_TRUE(std::isfinite(value)) << value;
}

TEST_F(LossTest, MeanSquaredError) {
  LossOptions options;
  options.kind = LossKind::MeanSquaredError;
  run(options, "2x3", scores(6), targets());
  expect(2.16145833333, {-0.666666666667, -0.708333333333, -0.166666666667, -0.125, 0.333333333333, -0.583333333333});
}

TEST_F(LossTest, MeanAbsoluteError) {
  LossOptions options;
  options.kind = LossKind::MeanAbsoluteError;
  run(options, "2x3", scores(6), targets());
  expect(1.29166666667,
         {-0.166666666667, -0.166666666667, -0.166666666667, -0.166666666667, 0.166666666667, -0.166666666667});
}

TEST_F(LossTest, TheModelsOwnOutput) {
  LossOptions options;
  options.kind = LossKind::Output;
  run(options, "1", {0.75}, {});
  expect(0.75, {1.0});
}

} // namespace
