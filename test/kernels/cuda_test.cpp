// Every CUDA kernel against its reference, on a machine that has a GPU; skipped elsewhere and in builds without CUDA.
#include "kernels/testing/Case.h"

#include "kernels/support/Call.h"
#include "kernels/testing/Tolerance.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#ifdef TW_CUDA
#include <cuda_runtime.h>

using namespace tw::kernels;
using namespace tw::kernels::testing;

namespace {

bool hasDevice() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

int64_t bytesOf(const tw_tensor &tensor) {
  return elements(tensor) * elementBytes(tensor.type);
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
    ASSERT_TRUE(a == e || (std::isnan(a) && std::isnan(e)) || std::fabs(a - e) <= allowed)
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

TEST(Cuda, everyHostKernelHasACudaKernel) {
  for (const tw_kernel *kernel = tw_all_kernels(); kernel->name; ++kernel) {
    std::string name = kernel->name, host = "_host";
    if (name.size() > host.size() && name.compare(name.size() - host.size(), host.size(), host) == 0)
      EXPECT_TRUE(tw_find_kernel((name.substr(0, name.size() - host.size()) + "_cuda").c_str())) << name;
  }
}

#else
TEST(Cuda, needsABuildWithCuda) {
  GTEST_SKIP() << "built without CUDA";
}
#endif
