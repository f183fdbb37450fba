// Every CUDA kernel against its reference, on a machine that has a GPU; and what any machine can tell.
#include "kernels/testing/Case.h"

#include "kernels/abi/types.h"
#include "kernels/support/Call.h"
#include "kernels/testing/Tolerance.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#ifdef TW_CUDA
#include <cuda_runtime_api.h>
#endif

using namespace tw::kernels;
using namespace tw::kernels::testing;

TEST(Cuda, everyHostKernelHasACudaKernel) {
  for (const tw_kernel *kernel = tw_all_kernels(); kernel->name; ++kernel) {
    std::string name = kernel->name, host = "_host";
    bool half = name.find("f16") != std::string::npos; // and bf16
    if (!half && name.size() > host.size() && name.compare(name.size() - host.size(), host.size(), host) == 0) {
      const tw_kernel *cuda = tw_find_kernel((name.substr(0, name.size() - host.size()) + "_cuda").c_str());
      ASSERT_TRUE(cuda) << name;
      EXPECT_EQ(cuda->strided, kernel->strided) << name;
    }
  }
}

TEST(Cuda, workspaceIsKnownWithoutCuda) {
  for (const Case &testCase : allCases()) {
    const tw_kernel *kernel = tw_find_kernel((testCase.kernel + "_cuda").c_str());
    if (testCase.benchmark || !kernel || !kernel->workspace_bytes)
      continue;
    TestCall call(testCase, 1);
    EXPECT_LE(kernel->workspace_bytes(&call.call()), size_t(64) << 20) << testCase.label();
  }
  TestCall loss({"cross_entropy_f32_i64",
                 cross_entropy_reference,
                 {floats({4, 3}), integers(TW_I64, {4}, 0, 3)},
                 {floats({}), floats({4})},
                 {ints("ignore_index", {-100}), real("label_smoothing", 0)}},
                1);
  EXPECT_EQ(tw_find_kernel("cross_entropy_f32_i64_cuda")->workspace_bytes(&loss.call()), 16u);
}

#ifdef TW_CUDA

namespace {

bool hasDevice() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

int64_t bytesOf(const tw_tensor &tensor) {
  return elements(tensor) * int64_t(tw_type_size(tensor.type));
}

/// A call whose tensors and workspace are copies in device memory.
class DeviceCall {
public:
  explicit DeviceCall(TestCall &host) : host(host), call(host.call()) {
    for (int i = 0; i < call.input_count; ++i)
      inputs.push_back(copied(host.input(i)));
    for (int i = 0; i < call.output_count; ++i)
      outputs.push_back(copied(host.output(i)));
    call.inputs = inputs.data();
    call.outputs = outputs.data();
  }
  ~DeviceCall() {
    for (void *pointer : memory)
      cudaFree(pointer);
  }

  std::string run(const tw_kernel *kernel) {
    char message[512] = "";
    call.workspace_bytes = kernel->workspace_bytes ? kernel->workspace_bytes(&call) : 0;
    call.workspace = allocate(call.workspace_bytes);
    int status = kernel->prepare ? kernel->prepare(&call, &call.state, message, sizeof message) : 0;
    if (!status)
      status = kernel->run(&call, message, sizeof message);
    cudaError_t finished = cudaDeviceSynchronize();
    if (kernel->destroy && call.state)
      kernel->destroy(call.state);
    if (status || finished != cudaSuccess)
      return message[0] ? message : cudaGetErrorString(finished);
    for (int i = 0; i < call.output_count; ++i)
      cudaMemcpy(host.output(i).data, outputs[i].data, bytesOf(outputs[i]), cudaMemcpyDeviceToHost);
    return "";
  }

private:
  void *allocate(int64_t bytes) {
    void *pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, size_t(bytes) + 64), cudaSuccess);
    memory.push_back(pointer);
    return pointer;
  }
  tw_tensor copied(tw_tensor tensor) {
    void *pointer = allocate(bytesOf(tensor));
    cudaMemcpy(pointer, tensor.data, bytesOf(tensor), cudaMemcpyHostToDevice);
    tensor.data = pointer;
    return tensor;
  }
  TestCall &host;
  tw_call call;
  std::vector<tw_tensor> inputs, outputs;
  std::vector<void *> memory;
};

void expectClose(const tw_tensor &actual, const tw_tensor &expected, const Case &testCase) {
  double scale = testCase.scale;
  for (int64_t i = 0; i < elements(expected); ++i)
    if (std::isfinite(get(expected, i)))
      scale = std::max(scale, std::fabs(get(expected, i)));
  double allowed = tolerance(expected.type, testCase.length, scale);
  for (int64_t i = 0; i < elements(expected); ++i) {
    double a = get(actual, i), e = get(expected, i);
    ASSERT_TRUE(a == e || (std::isnan(a) && std::isnan(e)) || std::fabs(a - e) <= allowed + rounding(expected.type, e))
        << testCase.label() << ": element " << i << " is " << a << ", the reference says " << e;
  }
}

/// cuDNN pads both sides alike; the kernel refuses other convolutions, and so does this test.
bool isSupported(const Case &testCase) {
  if (testCase.kernel.rfind("convolution", 0) != 0)
    return true;
  for (const Attribute &attribute : testCase.attributes)
    if (attribute.name == "pads")
      for (size_t i = 0; i < attribute.ints.size() / 2; ++i)
        if (attribute.ints[i] != attribute.ints[i + attribute.ints.size() / 2])
          return false;
  return true;
}

} // namespace

TEST(Cuda, kernelsAgreeWithTheirReferences) {
  if (!hasDevice())
    GTEST_SKIP() << "no CUDA device";
  for (const Case &testCase : allCases()) {
    const tw_kernel *kernel = tw_find_kernel((testCase.kernel + "_cuda").c_str());
    if (testCase.benchmark || !kernel || !isSupported(testCase))
      continue;
    TestCall actual(testCase, 1), expected(testCase, 1);
    ASSERT_EQ(expected.run(testCase.reference), "");
    ASSERT_EQ(DeviceCall(actual).run(kernel), "") << testCase.label();
    for (int i = 0; i < actual.outputCount(); ++i)
      expectClose(actual.output(i), expected.output(i), testCase);
  }
}

/// Operands are checked on the host, so a machine without a GPU can tell.
static std::string errorOf(const Case &testCase) {
  return TestCall(testCase, 1).run(testCase.kernel + "_cuda");
}

TEST(Cuda, badOperandsAreRefusedBeforeAnythingRuns) {
  EXPECT_EQ(
      errorOf(
          {"slice_b4", slice_reference, {floats({5, 2})}, {floats({3})}, {ints("starts", {1}), ints("strides", {1})}}),
      "slice needs equal ranks, not 2 and 1");
  EXPECT_EQ(
      errorOf({"slice_b4", slice_reference, {floats({5})}, {floats({3})}, {ints("starts", {3}), ints("strides", {1})}}),
      "slice reaches outside dimension 0: elements 3 to 5 of 5");
  EXPECT_EQ(errorOf({"concat_b4", concat_reference, {floats({2}), floats({3})}, {floats({6})}, {ints("axis", {0})}}),
            "concat's operands have 5 of 6 elements");
  std::vector<Attribute> window = {ints("strides", {1, 1}), ints("pads", {1, 1, 1, 1}), ints("dilations", {1, 1}),
                                   ints("groups", {1})};
  EXPECT_EQ(errorOf({"convolution_f32",
                     convolution_reference,
                     {floats({2, 4, 5, 5}), floats({6, 4, 3, 3})},
                     {floats({2, 6, 5, 4})},
                     window}),
            "convolution's window has 5 places along dimension 3, its result 4");
  window[1] = ints("pads", {1, 0, 1, 2});
  EXPECT_NE(errorOf({"convolution_f32",
                     convolution_reference,
                     {floats({2, 4, 5, 5}), floats({6, 4, 3, 3})},
                     {floats({2, 6, 5, 5})},
                     window})
                .find("cuDNN pads both sides alike, but this convolution has 0 before and 2 after dimension 3"),
            std::string::npos);
}
#endif
