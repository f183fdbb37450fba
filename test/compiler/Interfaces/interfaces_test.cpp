#include "compiler/Interfaces/CostOpInterface.h"
#include "compiler/Interfaces/ShardableOpInterface.h"

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tw;

namespace {

class InterfacesTest : public testing::Test {
protected:
  InterfacesTest() : diagnostics(&context, [this](Diagnostic &diagnostic) { message = diagnostic.str(); }) {
    context.loadDialect<graph::GraphDialect, arith::ArithDialect, func::FuncDialect>();
  }
  /// The first op of the only function.
  Operation *parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << message;
    return &(*module->getOps<func::FuncOp>().begin()).getBody().front().front();
  }
  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler diagnostics;
  OwningOpRef<ModuleOp> module;
};

const char *const kMatMul = R"(func.func @f(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) {
  %r = graph.matmul %a, %b : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
})";

ShardingRule matmulRule() {
  ShardingRule rule;
  unsigned m = rule.addFactor(4), k = rule.addFactor(6, FactorKind::ReduceSum), n = rule.addFactor(8);
  rule.operands = {{{m}, {k}}, {{k}, {n}}};
  rule.results = {{{m}, {n}}};
  rule.linearOperands = {0, 1};
  return rule;
}

TEST_F(InterfacesTest, aFittingRuleIsAccepted) {
  EXPECT_TRUE(succeeded(verifyShardingRule(parse(kMatMul), matmulRule())));
}

TEST_F(InterfacesTest, rulesThatDoNotFitAreErrors) {
  Operation *op = parse(kMatMul);
  auto expectError = [&](const ShardingRule &rule, StringRef expected) {
    EXPECT_TRUE(failed(verifyShardingRule(op, rule)));
    EXPECT_NE(message.find(expected.str()), std::string::npos) << message;
  };
  ShardingRule rule = matmulRule();
  rule.operands.pop_back();
  expectError(rule, "has 1 entries for 2 operands");
  rule = matmulRule();
  rule.operands[1].pop_back();
  expectError(rule, "operand 1 has 1 entries for rank 2");
  rule = matmulRule();
  rule.operands[0][0] = {2};
  expectError(rule, "factors of operand 0 dimension 0 multiply to 8, but its size is 4");
  rule = matmulRule();
  rule.operands[0][0] = {7};
  expectError(rule, "names factor 7, but there are 3");
  rule = matmulRule();
  rule.results[0][0] = {1};
  expectError(rule, "result 0 dimension 0 has reduction factor 1");
  rule = matmulRule();
  rule.linearOperands = {2};
  expectError(rule, "linear operand 2 does not exist");
}

TEST_F(InterfacesTest, elementwiseOperandsShareTheirFactors) {
  Operation *op = parse(R"(func.func @f(%c: tensor<2x3xi1>, %a: tensor<2x3xf32>) {
    %r = arith.select %c, %a, %a : tensor<2x3xi1>, tensor<2x3xf32>
    return
  })");
  ShardingRule rule = elementwiseShardingRule(op);
  EXPECT_TRUE(succeeded(verifyShardingRule(op, rule))) << message;
  EXPECT_EQ(rule.factors.size(), 2u);
  EXPECT_EQ(rule.operands[0], rule.results[0]);
}

TEST_F(InterfacesTest, aCloneHasOtherTypesAndTheSameAttributes) {
  Operation *op = parse(R"(func.func @f(%a: tensor<4x6xf32>, %b: tensor<2x6xf32>) {
    %r = graph.softmax %a {axis = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return
  })");
  OpBuilder builder(op);
  Value other = op->getBlock()->getArgument(1);
  Operation *clone = cloneWithTypes(builder, op, other, other.getType());
  EXPECT_EQ(clone->getResult(0).getType(), other.getType());
  EXPECT_EQ(cast<graph::SoftmaxOp>(clone).getAxis(), 1u);
  EXPECT_TRUE(succeeded(clone->getName().verifyInvariants(clone))) << message;
}

TEST_F(InterfacesTest, bytesSaturate) {
  Type f32 = Float32Type::get(&context), boolean = IntegerType::get(&context, 1);
  EXPECT_EQ(byteSize(RankedTensorType::get({3, 5}, f32)), 60);
  EXPECT_EQ(byteSize(RankedTensorType::get({3}, boolean)), 3);
  EXPECT_EQ(byteSize(RankedTensorType::get({INT64_MAX / 2}, f32)), INT64_MAX);
  EXPECT_EQ(operandAndResultBytes(parse(kMatMul)), 4 * (24 + 48 + 32));
}

} // namespace
