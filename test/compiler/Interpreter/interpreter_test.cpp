#include "compiler/Interpreter/Evaluator.h"
#include "compiler/Interpreter/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tw::interpreter;

namespace {

class InterpreterTest : public testing::Test {
protected:
  InterpreterTest() : diagnostics(&context, [this](Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; }) {
    context.loadDialect<tw::graph::GraphDialect, arith::ArithDialect, func::FuncDialect, shard::ShardDialect>();
  }

  ModuleOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << messages;
    return *module;
  }

  Tensor vector(std::vector<double> values) {
    Tensor tensor({static_cast<int64_t>(values.size())}, Float32Type::get(&context));
    for (size_t i = 0; i < values.size(); ++i)
      tensor.real(static_cast<int64_t>(i)) = values[i];
    return tensor;
  }

  MLIRContext context;
  std::string messages;
  ScopedDiagnosticHandler diagnostics;
  OwningOpRef<ModuleOp> module;
};

const char *const kCounter = R"(
  graph.parameter @total : tensor<2xf32> {role = #graph.role<buffer>, fill = 0.0 : f64}
  func.func @add(%x: tensor<2xf32>) -> tensor<2xf32> {
    %old = graph.load @total : tensor<2xf32>
    %new = arith.addf %old, %x : tensor<2xf32>
    graph.store %new, @total : tensor<2xf32>
    return %old : tensor<2xf32>
  })";

TEST_F(InterpreterTest, stateLivesFromRunToRun) {
  Interpreter interpreter(parse(kCounter));
  ASSERT_TRUE(succeeded(interpreter.run("add", {vector({1, 2})})));
  auto results = interpreter.run("add", {vector({10, 20})});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((*results)[0].real(int64_t(1)), 2);
  auto total = interpreter.getParameter("total");
  ASSERT_TRUE(succeeded(total));
  EXPECT_EQ(total->real(int64_t(0)), 11);
}

TEST_F(InterpreterTest, aGivenParameterIsUsed) {
  Interpreter interpreter(parse(kCounter));
  interpreter.setParameter("total", vector({5, 6}));
  auto results = interpreter.run("add", {vector({0, 0})});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((*results)[0].real(int64_t(0)), 5);
}

TEST_F(InterpreterTest, wrongRequestsAreErrors) {
  Interpreter interpreter(parse(kCounter));
  EXPECT_TRUE(failed(interpreter.run("subtract", {})));
  EXPECT_NE(messages.find("there is no function 'subtract'"), std::string::npos) << messages;
  EXPECT_TRUE(failed(interpreter.run("add", {})));
  EXPECT_NE(messages.find("takes 1 arguments, found 0"), std::string::npos) << messages;
  EXPECT_TRUE(failed(interpreter.run("add", {vector({1, 2, 3})})));
  EXPECT_NE(messages.find("argument 0 of rank 0 has type 'tensor<3xf32>', expected 'tensor<2xf32>'"), std::string::npos)
      << messages;
  EXPECT_TRUE(failed(interpreter.getParameter("none")));
  interpreter.setParameter("total", vector({1}));
  EXPECT_TRUE(failed(interpreter.run("add", {vector({1, 2})})));
  EXPECT_NE(messages.find("was given a value of type 'tensor<1xf32>'"), std::string::npos) << messages;
}

TEST_F(InterpreterTest, ranksHaveTheirOwnArgumentsAndState) {
  ModuleOp program = parse(R"(
    shard.grid @mesh(shape = 2)
    graph.parameter @last : tensor<1xf32> {role = #graph.role<buffer>, fill = 0.0 : f64}
    func.func @sum(%x: tensor<1xf32>) -> tensor<1xf32> {
      graph.store %x, @last : tensor<1xf32>
      %sum = shard.all_reduce %x on @mesh grid_axes = [0] : tensor<1xf32> -> tensor<1xf32>
      return %sum : tensor<1xf32>
    })");
  ASSERT_EQ(getRankCount(program), 2u);
  Interpreter interpreter(program, {}, 2);
  SmallVector<Interpreter::Tensors> arguments{{vector({3})}, {vector({4})}};
  auto results = interpreter.runRanks("sum", arguments);
  ASSERT_TRUE(succeeded(results)) << messages;
  EXPECT_EQ((*results)[0][0].real(int64_t(0)), 7);
  EXPECT_EQ((*results)[1][0].real(int64_t(0)), 7);
  EXPECT_EQ(interpreter.getParameter("last", 0)->real(int64_t(0)), 3);
  EXPECT_EQ(interpreter.getParameter("last", 1)->real(int64_t(0)), 4);
  EXPECT_TRUE(failed(interpreter.runRanks("sum", ArrayRef(arguments).take_front())));
  EXPECT_NE(messages.find("needs arguments for 2 ranks, found 1"), std::string::npos) << messages;
}

TEST_F(InterpreterTest, aFailedRunStoresNothing) {
  Interpreter interpreter(parse(R"(
    graph.parameter @p : tensor<1xi64> {role = #graph.role<buffer>, fill = 1.0 : f64}
    func.func @divide(%by: tensor<1xi64>) {
      %p = graph.load @p : tensor<1xi64>
      graph.store %by, @p : tensor<1xi64>
      %q = arith.divsi %p, %by : tensor<1xi64>
      return
    })"));
  Tensor zero({1}, IntegerType::get(&context, 64));
  EXPECT_TRUE(failed(interpreter.run("divide", {zero})));
  EXPECT_EQ(interpreter.getParameter("p")->integer(0), 1);
}

TEST_F(InterpreterTest, doublePrecisionRoundsNothing) {
  ModuleOp program = parse(R"(
    func.func @third() -> tensor<f32> {
      %one = arith.constant dense<1.0> : tensor<f32>
      %three = arith.constant dense<3.0> : tensor<f32>
      %third = arith.divf %one, %three : tensor<f32>
      return %third : tensor<f32>
    })");
  EXPECT_EQ((*Interpreter(program).run("third", {}))[0].real(int64_t(0)), static_cast<double>(1.0f / 3.0f));
  EXPECT_EQ((*Interpreter(program, {Precision::Double, ""}).run("third", {}))[0].real(int64_t(0)), 1.0 / 3.0);
}

//===----------------------------------------------------------------------===//
// evaluateConstant
//===----------------------------------------------------------------------===//

class EvaluateConstantTest : public InterpreterTest {
protected:
  /// The first op of @f.
  Operation *firstOp(StringRef text) { return &parse(text).lookupSymbol<func::FuncOp>("f").getBody().front().front(); }
};

TEST_F(EvaluateConstantTest, foldsIntegers) {
  Operation *op = firstOp(R"(func.func @f(%x: tensor<3xi64>, %i: tensor<2xi64>) {
    %r = graph.gather %x, %i {axis = 0 : i64} : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
    return
  })");
  Builder builder(&context);
  auto results = evaluateConstant(op, {builder.getI64TensorAttr({7, 8, 9}), builder.getI64TensorAttr({-1, 0})});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((*results)[0], builder.getI64TensorAttr({9, 7}));
}

TEST_F(EvaluateConstantTest, roundsToTheType) {
  Operation *op = firstOp(R"(func.func @f(%x: tensor<1xf32>) {
    %r = arith.truncf %x : tensor<1xf32> to tensor<1xbf16>
    return
  })");
  auto input = DenseElementsAttr::get(RankedTensorType::get({1}, Float32Type::get(&context)), 1.00390625f);
  auto results = evaluateConstant(op, {input});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((*cast<DenseElementsAttr>((*results)[0]).value_begin<APFloat>()).convertToDouble(), 1.0);
}

TEST_F(EvaluateConstantTest, failsSilentlyWhereItCannotHelp) {
  Operation *op = firstOp(R"(func.func @f(%x: tensor<1xf32>) {
    %r = arith.negf %x : tensor<1xf32>
    return
  })");
  EXPECT_TRUE(failed(evaluateConstant(op, {Attribute()})));
  Operation *call = firstOp(R"(func.func @f() {
    func.call @f() : () -> ()
    return
  })");
  EXPECT_TRUE(failed(evaluateConstant(call, {})));
  EXPECT_EQ(messages, "");
}

TEST_F(EvaluateConstantTest, saysWhatIsWrongWithTheValues) {
  Operation *op = firstOp(R"(func.func @f(%x: tensor<3xi64>, %i: tensor<1xi64>) {
    %r = graph.gather %x, %i {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    return
  })");
  Builder builder(&context);
  EXPECT_TRUE(failed(evaluateConstant(op, {builder.getI64TensorAttr({7, 8, 9}), builder.getI64TensorAttr({3})})));
  EXPECT_NE(messages.find("index 3"), std::string::npos) << messages;
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

TEST_F(InterpreterTest, bytesMustFitTheType) {
  Type type = RankedTensorType::get({2}, IntegerType::get(&context, 16));
  auto tensor = Tensor::fromBytes(type, {'\xff', '\xff', '\x01', '\x02'});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->integer(0), -1);
  EXPECT_EQ(tensor->integer(1), 513);
  EXPECT_FALSE(Tensor::fromBytes(type, {'\xff', '\xff', '\x01'}));
}

} // namespace
