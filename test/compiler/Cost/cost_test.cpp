#include "compiler/Interfaces/CostOpInterface.h"
#include "compiler/Interfaces/Models.h"

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace {

class CostTest : public testing::Test {
protected:
  CostTest() {
    DialectRegistry registry;
    registry.insert<tw::graph::GraphDialect, arith::ArithDialect, math::MathDialect, func::FuncDialect>();
    tw::registerCostModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  /// The cost of `%r = <op>` in a function of these arguments.
  tw::CostOpInterface cost(const std::string &arguments, const std::string &op) {
    module = parseSourceString<ModuleOp>("func.func @f(" + arguments + ") {\n" + op + "\nreturn\n}", &context);
    return cast<tw::CostOpInterface>(module->lookupSymbol<func::FuncOp>("f").getBody().front().front());
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(CostTest, aMatrixProductCountsMultiplyAdds) {
  auto op = cost("%a: tensor<6x4xf32>, %b: tensor<6x8xf32>",
                 "%r = graph.matmul %a, %b {transpose_lhs} : (tensor<6x4xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>");
  EXPECT_EQ(op.getFlops(), 2 * 4 * 8 * 6);
  EXPECT_EQ(op.getBytes(), 4 * (24 + 48 + 32));
}

TEST_F(CostTest, aConvolutionCountsItsGroupsOnly) {
  auto op = cost("%a: tensor<2x4x5x5xf32>, %b: tensor<6x2x3x3xf32>",
                 "%r = graph.convolution %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, "
                 "dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<2x4x5x5xf32>, tensor<6x2x3x3xf32>) -> "
                 "tensor<2x6x3x3xf32>");
  EXPECT_EQ(op.getFlops(), 2 * (2 * 6 * 3 * 3) * (2 * 3 * 3));
}

TEST_F(CostTest, attentionCountsVisiblePairs) {
  std::string arguments = "%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x8xf32>";
  std::string types = " : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, "
                      "tensor<1x2x4xf32>)";
  int64_t full = cost(arguments, "%r:2 = graph.attention %q, %k, %v {scale = 1.0 : f64}" + types).getFlops();
  EXPECT_EQ(full, 2 * 4 * 4 * (2 * (8 + 8) + 4));
  int64_t causal = cost(arguments, "%r:2 = graph.attention %q, %k, %v {scale = 1.0 : f64, causal}" + types).getFlops();
  EXPECT_EQ(causal, full * (1 + 2 + 3 + 4) / 16);
  int64_t window =
      cost(arguments, "%r:2 = graph.attention %q, %k, %v {scale = 1.0 : f64, window = 2 : i64}" + types).getFlops();
  EXPECT_EQ(window, full * (2 + 3 + 3 + 2) / 16);
}

TEST_F(CostTest, elementwiseAndMoves) {
  EXPECT_EQ(cost("%a: tensor<3x5xf32>", "%r = math.exp %a : tensor<3x5xf32>").getFlops(), 15);
  auto move = cost("%a: tensor<3x5xf32>",
                   "%r = graph.transpose %a {permutation = array<i64: 1, 0>} : (tensor<3x5xf32>) -> tensor<5x3xf32>");
  EXPECT_EQ(move.getFlops(), 0);
  EXPECT_EQ(move.getBytes(), 2 * 60);
}

TEST_F(CostTest, countsSaturate) {
  auto op = cost("%a: tensor<4000000000x4000000000xf32>",
                 "%r = graph.softmax %a {axis = 1 : i64} : (tensor<4000000000x4000000000xf32>) -> "
                 "tensor<4000000000x4000000000xf32>");
  EXPECT_EQ(op.getFlops(), INT64_MAX);
  EXPECT_EQ(op.getBytes(), INT64_MAX);
}

// Every pure op of the graph dialect has a cost: a new op without one fails here.
TEST_F(CostTest, everyGraphOpHasACost) {
  for (RegisteredOperationName name : context.getRegisteredOperationsByDialect("graph")) {
    StringRef mnemonic = name.getStringRef();
    bool isStructural = llvm::is_contained({"graph.parameter", "graph.load", "graph.store", "graph.accumulate",
                                            "graph.yield", "graph.fused", "graph.fused_yield"},
                                           mnemonic);
    EXPECT_EQ(name.hasInterface<tw::CostOpInterface>(), !isStructural) << mnemonic.str();
  }
}

} // namespace
