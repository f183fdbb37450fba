#include "kernels/testing/Case.h"

#include "kernels/abi/types.h"
#include "kernels/support/Call.h"
#include "kernels/testing/HalfBits.h"
#include "kernels/testing/Tolerance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

namespace tw::kernels::testing {

Operand floats(Shape shape, double mean, double deviation) {
  Operand operand;
  operand.shape = std::move(shape);
  operand.mean = mean;
  operand.deviation = deviation;
  return operand;
}
Operand positive(Shape shape) {
  return floats(std::move(shape), 1, 0.2);
}
Operand integers(int32_t type, Shape shape, int64_t lower, int64_t upper) {
  Operand operand = floats(std::move(shape));
  operand.type = type;
  operand.lower = lower;
  operand.upper = upper;
  return operand;
}
Operand permuted(Operand operand, std::vector<int> order) {
  operand.order = std::move(order);
  return operand;
}

Attribute ints(std::string name, std::vector<int64_t> values) {
  return {std::move(name), TW_ATTRIBUTE_INTS, std::move(values), 0, ""};
}
Attribute real(std::string name, double value) {
  return {std::move(name), TW_ATTRIBUTE_FLOAT, {}, value, ""};
}
Attribute text(std::string name, std::string value) {
  return {std::move(name), TW_ATTRIBUTE_STRING, {}, 0, std::move(value)};
}
Attribute unit(std::string name) {
  return ints(std::move(name), {1});
}

std::string Case::label() const {
  std::string label = kernel;
  for (const Operand &operand : inputs) {
    label += operand.shape.empty() ? " scalar" : " ";
    for (size_t i = 0; i < operand.shape.size(); ++i)
      label += (i ? "x" : "") + std::to_string(operand.shape[i]);
  }
  for (const Attribute &attribute : attributes) {
    label += " " + attribute.name;
    for (int64_t value : attribute.ints)
      label += "," + std::to_string(value);
    if (attribute.kind == TW_ATTRIBUTE_STRING)
      label += "," + attribute.string;
  }
  return label;
}

/// `testCase` with the f32 operands that are not listed stored in `type`.
static Case stored(const Case &testCase, int32_t type, const std::vector<int> &wideInputs,
                   const std::vector<int> &wideOutputs) {
  Case made = testCase;
  auto convert = [&](std::vector<Operand> &operands, const std::vector<int> &wide) {
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].type == TW_F32 && std::find(wide.begin(), wide.end(), int(i)) == wide.end())
        operands[i].type = type;
  };
  convert(made.inputs, wideInputs);
  convert(made.outputs, wideOutputs);
  made.kernel.replace(made.kernel.find("_f32"), 4, std::string("_") + tw_type_name(type));
  return made;
}

void addHalves(std::vector<Case> &cases, const Case &testCase, const std::vector<int> &wideInputs,
               const std::vector<int> &wideOutputs) {
  for (int32_t type : {TW_F16, TW_BF16})
    cases.push_back(stored(testCase, type, wideInputs, wideOutputs));
}
void addStored(std::vector<Case> &cases, const Case &testCase, const std::vector<int> &wideInputs,
               const std::vector<int> &wideOutputs) {
  cases.push_back(testCase);
  addHalves(cases, testCase, wideInputs, wideOutputs);
}

static char *align(std::vector<char> &bytes) {
  return reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(bytes.data()) + 63) / 64 * 64);
}

static int64_t offsetOf(const tw_tensor &tensor, int64_t index) {
  int64_t offset = 0;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    offset += index % tensor.shape[i] * tensor.strides[i];
    index /= tensor.shape[i];
  }
  return offset;
}

double get(const tw_tensor &tensor, int64_t index) {
  int64_t at = offsetOf(tensor, index);
  switch (tensor.type) {
  case TW_F32:
    return static_cast<const float *>(tensor.data)[at];
  case TW_F64:
    return static_cast<const double *>(tensor.data)[at];
  case TW_F16:
    return decodeHalf(static_cast<const uint16_t *>(tensor.data)[at], kF16);
  case TW_BF16:
    return decodeHalf(static_cast<const uint16_t *>(tensor.data)[at], kBF16);
  case TW_I8:
    return static_cast<const int8_t *>(tensor.data)[at];
  case TW_BOOL:
  case TW_U8:
    return static_cast<const uint8_t *>(tensor.data)[at];
  case TW_I16:
    return static_cast<const int16_t *>(tensor.data)[at];
  case TW_I32:
    return static_cast<const int32_t *>(tensor.data)[at];
  case TW_I64:
    return double(static_cast<const int64_t *>(tensor.data)[at]);
  }
  return NAN;
}

void set(const tw_tensor &tensor, int64_t index, double value) {
  int64_t at = offsetOf(tensor, index);
  switch (tensor.type) {
  case TW_F32:
    static_cast<float *>(tensor.data)[at] = float(value);
    break;
  case TW_F64:
    static_cast<double *>(tensor.data)[at] = value;
    break;
  case TW_F16:
    static_cast<uint16_t *>(tensor.data)[at] = encodeHalf(value, kF16);
    break;
  case TW_BF16:
    static_cast<uint16_t *>(tensor.data)[at] = encodeHalf(value, kBF16);
    break;
  case TW_I8:
    static_cast<int8_t *>(tensor.data)[at] = int8_t(value);
    break;
  case TW_BOOL:
  case TW_U8:
    static_cast<uint8_t *>(tensor.data)[at] = uint8_t(value);
    break;
  case TW_I16:
    static_cast<int16_t *>(tensor.data)[at] = int16_t(value);
    break;
  case TW_I32:
    static_cast<int32_t *>(tensor.data)[at] = int32_t(value);
    break;
  case TW_I64:
    static_cast<int64_t *>(tensor.data)[at] = int64_t(value);
    break;
  }
}

void TestCall::makeTensor(const Operand &operand, tw_tensor &tensor, bool random, unsigned seed) {
  tensor.type = operand.type;
  tensor.rank = int32_t(operand.shape.size());
  std::copy(operand.shape.begin(), operand.shape.end(), tensor.shape);
  std::vector<int> order = operand.order;
  if (order.empty()) {
    order.resize(operand.shape.size());
    std::iota(order.begin(), order.end(), 0);
  }
  // Memory dimension order[i] is dimension i of the view: lay memory out from its last dimension.
  int64_t stride = 1;
  for (int memoryDimension = tensor.rank - 1; memoryDimension >= 0; --memoryDimension) {
    int dimension = int(std::find(order.begin(), order.end(), memoryDimension) - order.begin());
    tensor.strides[dimension] = stride;
    stride *= tensor.shape[dimension];
  }
  int64_t count = elements(tensor);
  memory.emplace_back(size_t(count) * tw_type_size(operand.type) + 128, char(0x5a));
  tensor.data = align(memory.back());
  if (!random)
    return;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(operand.mean, operand.deviation);
  std::uniform_int_distribution<int64_t> uniform(operand.lower, std::max(operand.lower, operand.upper - 1));
  bool integer = epsilon(operand.type) == 0;
  for (int64_t i = 0; i < count; ++i)
    set(tensor, i, integer ? double(uniform(engine)) : normal(engine));
}

TestCall::TestCall(const Case &testCase, int threads, bool inPlace, unsigned seed) : made(testCase) {
  memory.reserve(made.inputs.size() + made.outputs.size());
  inputs.resize(made.inputs.size());
  outputs.resize(made.outputs.size());
  for (size_t i = 0; i < made.inputs.size(); ++i)
    makeTensor(made.inputs[i], inputs[i], true, seed * 1000 + unsigned(i));
  for (size_t i = 0; i < made.outputs.size(); ++i) {
    if (inPlace && int(i) == made.inPlaceOutput)
      outputs[i] = inputs[made.inPlaceInput];
    else
      makeTensor(made.outputs[i], outputs[i], false, 0);
  }
  for (const Attribute &attribute : made.attributes)
    attributes.push_back({attribute.name.c_str(), attribute.kind, int64_t(attribute.ints.size()), attribute.ints.data(),
                          attribute.number, attribute.string.c_str()});
  theCall.inputs = inputs.data();
  theCall.outputs = outputs.data();
  theCall.attributes = attributes.data();
  theCall.input_count = int32_t(inputs.size());
  theCall.output_count = int32_t(outputs.size());
  theCall.attribute_count = int32_t(attributes.size());
  theCall.threads = threads;
}

TestCall::~TestCall() {
  if (prepared && prepared->destroy)
    prepared->destroy(theCall.state);
}

std::string TestCall::run(const std::string &name) {
  char message[512] = "";
  if (!prepared) {
    const tw_kernel *kernel = tw_find_kernel(name.c_str());
    if (!kernel)
      return "there is no kernel " + name;
    if (kernel->workspace_bytes)
      theCall.workspace_bytes = kernel->workspace_bytes(&theCall);
    workspace.assign(theCall.workspace_bytes + 128, char(0x7f));
    theCall.workspace = align(workspace);
    if (kernel->prepare && kernel->prepare(&theCall, &theCall.state, message, sizeof message))
      return message;
    prepared = kernel;
  }
  if (prepared->run(&theCall, message, sizeof message))
    return message[0] ? message : "the kernel failed without a message";
  return "";
}

std::string TestCall::run(Reference reference) {
  char message[512] = "";
  return reference(&theCall, message, sizeof message) ? message : "";
}

static std::string compare(const tw_tensor &actual, const tw_tensor &expected, const Case &testCase, int output) {
  int64_t count = elements(expected);
  double scale = testCase.scale;
  for (int64_t i = 0; i < count; ++i)
    if (std::isfinite(get(expected, i)))
      scale = std::max(scale, std::fabs(get(expected, i)));
  double allowed = tolerance(expected.type, testCase.length, scale);
  for (int64_t i = 0; i < count; ++i) {
    double a = get(actual, i), e = get(expected, i);
    bool same = a == e || (std::isnan(a) && std::isnan(e)) || std::fabs(a - e) <= allowed + rounding(expected.type, e);
    if (!same)
      return "output " + std::to_string(output) + " element " + std::to_string(i) + " is " + std::to_string(a) +
             ", the reference says " + std::to_string(e) + " +- " + std::to_string(allowed);
  }
  return "";
}

static std::string compareRun(const Case &testCase, const std::string &kernel, int threads, bool inPlace,
                              TestCall &expected) {
  TestCall actual(testCase, threads, inPlace);
  std::string error = actual.run(kernel);
  for (int i = 0; error.empty() && i < actual.outputCount(); ++i)
    error = compare(actual.output(i), expected.output(i), testCase, i);
  if (!error.empty())
    error += " (" + std::to_string(threads) + " threads" + (inPlace ? ", in place)" : ")");
  return error;
}

std::string compareWithReference(const Case &testCase, const std::string &target, const std::vector<int> &threads) {
  TestCall expected(testCase, 1);
  std::string error = expected.run(testCase.reference);
  if (!error.empty())
    return "reference: " + error;
  for (int count : threads)
    for (bool inPlace : {false, true})
      if (error.empty() && (!inPlace || testCase.inPlaceInput >= 0))
        error = compareRun(testCase, testCase.kernel + "_" + target, count, inPlace, expected);
  return error;
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  addStructureCases(cases);
  addContractionCases(cases);
  addReductionCases(cases);
  addNormalizationCases(cases);
  addSoftmaxCases(cases);
  addLossCases(cases);
  addIndexingCases(cases);
  addRandomCases(cases);
  addBatchNormCases(cases);
  addPoolingCases(cases);
  addConvolutionCases(cases);
  addAttentionCases(cases);
  return cases;
}

} // namespace tw::kernels::testing
