// One call of one kernel on made-up data: what tests and benchmarks share.
#ifndef TW_KERNELS_TESTING_CASE_H
#define TW_KERNELS_TESTING_CASE_H

#include "kernels/abi/kernel.h"

#include <string>
#include <vector>

namespace tw::kernels::testing {

using Shape = std::vector<int64_t>;
using Reference = int (*)(const tw_call *, char *, size_t);

/// A tensor to be made. Floats are normal (mean, deviation); integers are uniform in [lower, upper).
struct Operand {
  int32_t type = TW_F32;
  Shape shape;
  double mean = 0, deviation = 1;
  int64_t lower = 0, upper = 100;
  /// When not empty: the tensor is a view of memory with these sizes, dimension i of the view being dimension
  /// order[i] of the memory.
  std::vector<int> order;
};
Operand floats(Shape shape, double mean = 0, double deviation = 1);
Operand positive(Shape shape); // uniform-like in about [0.2, 3]
Operand integers(int32_t type, Shape shape, int64_t lower, int64_t upper);
Operand permuted(Operand operand, std::vector<int> order);

struct Attribute {
  std::string name;
  int32_t kind;
  std::vector<int64_t> ints;
  double number = 0;
  std::string string;
};
Attribute ints(std::string name, std::vector<int64_t> values);
Attribute real(std::string name, double value);
Attribute text(std::string name, std::string value);
Attribute unit(std::string name);

struct Case {
  std::string kernel; // without the target, such as "reduce_f32"
  Reference reference;
  std::vector<Operand> inputs, outputs;
  std::vector<Attribute> attributes;
  double length = 1;     // of the longest sum, for the tolerance
  double scale = 0;      // smallest scale for the tolerance: the magnitude of terms that may cancel
  int inPlaceInput = -1; // output `inPlaceOutput` may share this input's memory: tried as well
  int inPlaceOutput = 0;
  bool benchmark = false; // large: for the benchmark only
  double operations = 0;  // floating-point operations, for the benchmark
  std::string label() const;
};

/// Adds what a case of an f32 kernel is for f16 and bf16: all f32 operands are stored in that type but for the listed
/// ones.
void addHalves(std::vector<Case> &cases, const Case &testCase, const std::vector<int> &wideInputs = {},
               const std::vector<int> &wideOutputs = {});
/// Adds the case itself and those.
void addStored(std::vector<Case> &cases, const Case &testCase, const std::vector<int> &wideInputs = {},
               const std::vector<int> &wideOutputs = {});

/// A case with memory: data, call structure, workspace and prepared state.
class TestCall {
public:
  /// `inPlace`: the output shares the input's memory, as the case allows.
  TestCall(const Case &testCase, int threads, bool inPlace = false, unsigned seed = 1);
  ~TestCall();
  TestCall(const TestCall &) = delete;
  TestCall &operator=(const TestCall &) = delete;

  /// Runs the kernel of that name (asks for its workspace and prepares it first); empty, or what went wrong.
  std::string run(const std::string &kernel);
  std::string run(Reference reference);
  tw_call &call() { return theCall; }
  tw_tensor &input(int i) { return inputs[i]; }
  tw_tensor &output(int i) { return outputs[i]; }
  int outputCount() const { return int(outputs.size()); }

private:
  void makeTensor(const Operand &operand, tw_tensor &tensor, bool random, unsigned seed);
  std::vector<std::vector<char>> memory;
  std::vector<tw_tensor> inputs, outputs;
  std::vector<tw_attribute> attributes;
  std::vector<char> workspace;
  tw_call theCall{};
  const tw_kernel *prepared = nullptr;
  Case made;
};

/// Element of that row-major index, through strides.
double get(const tw_tensor &tensor, int64_t index);
void set(const tw_tensor &tensor, int64_t index, double value);

/// Runs the reference once and the kernel on each number of threads, also in place where the case allows that, and
/// compares all outputs; empty when they agree, else what differs and how it was run.
std::string compareWithReference(const Case &testCase, const std::string &target, const std::vector<int> &threads);

/// All cases, small and large, of every family.
std::vector<Case> allCases();
void addStructureCases(std::vector<Case> &cases);
void addContractionCases(std::vector<Case> &cases);
void addReductionCases(std::vector<Case> &cases);
void addNormalizationCases(std::vector<Case> &cases);
void addSoftmaxCases(std::vector<Case> &cases);
void addLossCases(std::vector<Case> &cases);
void addIndexingCases(std::vector<Case> &cases);
void addRandomCases(std::vector<Case> &cases);
void addBatchNormCases(std::vector<Case> &cases);
void addPoolingCases(std::vector<Case> &cases);
void addConvolutionCases(std::vector<Case> &cases);
void addAttentionCases(std::vector<Case> &cases);

} // namespace tw::kernels::testing

// References have the signature of kernels.
#define TW_REFERENCE(op) extern "C" int op##_reference(const tw_call *call, char *message, size_t capacity)
TW_REFERENCE(transpose);
TW_REFERENCE(broadcast);
TW_REFERENCE(slice);
TW_REFERENCE(concat);
TW_REFERENCE(pad);
TW_REFERENCE(matmul);
TW_REFERENCE(reduce);
TW_REFERENCE(layer_norm);
TW_REFERENCE(layer_norm_backward);
TW_REFERENCE(rms_norm);
TW_REFERENCE(rms_norm_backward);
TW_REFERENCE(softmax);
TW_REFERENCE(softmax_backward);
TW_REFERENCE(log_softmax);
TW_REFERENCE(log_softmax_backward);
TW_REFERENCE(cross_entropy);
TW_REFERENCE(cross_entropy_backward);
TW_REFERENCE(gather);
TW_REFERENCE(scatter_add);
TW_REFERENCE(dropout);
TW_REFERENCE(centered_square_sum);
TW_REFERENCE(batch_norm);
TW_REFERENCE(batch_norm_backward_reduce);
TW_REFERENCE(batch_norm_backward_apply);
TW_REFERENCE(max_pool);
TW_REFERENCE(max_pool_backward);
TW_REFERENCE(average_pool);
TW_REFERENCE(average_pool_backward);
TW_REFERENCE(convolution);
TW_REFERENCE(convolution_backward_input);
TW_REFERENCE(convolution_backward_filter);
TW_REFERENCE(attention);
TW_REFERENCE(attention_backward);

#endif
