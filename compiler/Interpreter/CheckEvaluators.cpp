// Expectations of tests.
#include "compiler/Interpreter/Evaluator.h"
#include "compiler/Interpreter/Execution.h"

#include "compiler/Dialect/Check/Check.h"

#include <cmath>
#include <cstdio>

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::check;

/// Enough digits to see an error in the last place of fp32.
static std::string toText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

/// The first element for which `differs` holds is an error that also counts the others.
static LogicalResult expectAll(Operation *op, const Tensor &actual, const Tensor &expected,
                               llvm::function_ref<bool(int64_t)> differs) {
  int64_t differing = 0, first = -1;
  for (int64_t i = 0, count = actual.getNumElements(); i < count; ++i)
    if (differs(i) && ++differing == 1)
      first = i;
  if (!differing)
    return success();
  SmallVector<int64_t> index(actual.getRank());
  for (int64_t dimension = actual.getRank() - 1, rest = first; dimension >= 0; --dimension) {
    index[dimension] = rest % actual.getDimSize(dimension);
    rest /= actual.getDimSize(dimension);
  }
  InFlightDiagnostic error = op->emitError()
                             << differing << " of " << actual.getNumElements() << " elements differ; the first, at [";
  llvm::interleaveComma(index, error);
  if (actual.isFloat())
    return error << "], is " << toText(actual.real(first)) << ", expected " << toText(expected.real(first));
  return error << "], is " << actual.integer(first) << ", expected " << expected.integer(first);
}

static bool isClose(double actual, double expected, double rtol, double atol) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected);
  return actual == expected || std::fabs(actual - expected) <= atol + rtol * std::fabs(expected);
}

static LogicalResult evaluateExpectClose(ExpectCloseOp op, Evaluation &e) {
  const Tensor &actual = *e.operands[0], &expected = *e.operands[1];
  double rtol = op.getRtol().convertToDouble(), atol = op.getAtol().convertToDouble();
  return expectAll(op, actual, expected,
                   [&](int64_t i) { return !isClose(actual.real(i), expected.real(i), rtol, atol); });
}

static LogicalResult evaluateExpectEqual(ExpectEqualOp op, Evaluation &e) {
  const Tensor &actual = *e.operands[0], &expected = *e.operands[1];
  return expectAll(op, actual, expected, [&](int64_t i) {
    if (!actual.isFloat())
      return actual.integer(i) != expected.integer(i);
    double a = actual.real(i), b = expected.real(i);
    return !(a == b && std::signbit(a) == std::signbit(b)) && !(std::isnan(a) && std::isnan(b));
  });
}

void tw::interpreter::addCheckEvaluators(EvaluatorTable &table) {
  table.add(evaluateExpectClose);
  table.add(evaluateExpectEqual);
}

//===----------------------------------------------------------------------===//
// Finite differences
//===----------------------------------------------------------------------===//

namespace {
/// Evaluates a function at displaced points, in double precision and from fresh copies of the parameters.
class CentralDifferences {
public:
  CentralDifferences(ExpectFiniteDifferencesOp op, ArrayRef<Tensor> arguments, Interpreter &original)
      : op(op), arguments(arguments),
        interpreter(original.getModule(), InterpreterOptions{Precision::Double, original.getOptions().fileRoot}),
        step(op.getStep().convertToDouble()) {}

  FailureOr<Interpreter::Tensors> gradients() { return interpreter.run(op.getGradient(), arguments); }

  LogicalResult compareArgument(int64_t position, const Tensor &gradient) {
    return compare(("argument " + Twine(position)).str(), gradient, [&](int64_t element, double displacement) {
      Interpreter::Tensors displaced(arguments);
      displaced[position].real(element) += displacement;
      return value(displaced);
    });
  }

  LogicalResult compareParameter(StringRef name, const Tensor &gradient) {
    FailureOr<Tensor> original = interpreter.getParameter(name);
    if (failed(original))
      return failure();
    return compare(("parameter '" + name + "'").str(), gradient, [&](int64_t element, double displacement) {
      Tensor displaced(*original);
      displaced.real(element) += displacement;
      return value(arguments, std::pair<StringRef, Tensor>(name, displaced));
    });
  }

private:
  /// The function's value. Each run starts from the parameters' first values: the function may store.
  FailureOr<double> value(ArrayRef<Tensor> point, std::optional<std::pair<StringRef, Tensor>> parameter = {}) {
    Interpreter fresh(interpreter.getModule(), interpreter.getOptions());
    if (parameter)
      fresh.setParameter(parameter->first, parameter->second);
    FailureOr<Interpreter::Tensors> results = fresh.run(op.getFunction(), point);
    if (failed(results))
      return failure();
    return (*results)[0].real(int64_t(0));
  }

  LogicalResult compare(StringRef what, const Tensor &gradient,
                        llvm::function_ref<FailureOr<double>(int64_t, double)> valueAt) {
    for (int64_t element = 0, count = gradient.getNumElements(); element < count; ++element) {
      FailureOr<double> above = valueAt(element, step), below = valueAt(element, -step);
      if (failed(above) || failed(below))
        return failure();
      double difference = (*above - *below) / (2 * step);
      if (!isClose(gradient.real(element), difference, op.getRtol().convertToDouble(), op.getAtol().convertToDouble()))
        return op.emitError("gradient of ")
               << what << ", element " << element << ", is " << toText(gradient.real(element))
               << ", but the finite difference is " << toText(difference);
    }
    return success();
  }

  ExpectFiniteDifferencesOp op;
  ArrayRef<Tensor> arguments;
  Interpreter interpreter;
  double step;
};
} // namespace

LogicalResult tw::interpreter::checkFiniteDifferences(ExpectFiniteDifferencesOp op, ArrayRef<Tensor> arguments,
                                                      Interpreter &interpreter) {
  CentralDifferences differences(op, arguments, interpreter);
  FailureOr<Interpreter::Tensors> gradients = differences.gradients();
  if (failed(gradients))
    return failure();
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getGradientAttr());
  CentralDifferences fresh(op, arguments, interpreter); // the gradient function may have stored
  bool hasNames = false;
  for (auto [i, gradient] : llvm::enumerate(*gradients)) {
    StringRef parameter = ExpectFiniteDifferencesOp::getGradientParameter(function, i);
    if (parameter.empty())
      continue;
    hasNames = true;
    if (failed(fresh.compareParameter(parameter, gradient)))
      return failure();
  }
  if (hasNames)
    return success();
  for (auto [position, gradient] : llvm::zip_equal(op.getComparedArguments(), *gradients))
    if (failed(fresh.compareArgument(position, gradient)))
      return failure();
  return success();
}
