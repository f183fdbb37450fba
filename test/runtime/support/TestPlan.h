// Small plans built by hand, with their generated kernels: no compiler is needed to test the runtime.
#ifndef TW_TEST_RUNTIME_SUPPORT_TESTPLAN_H
#define TW_TEST_RUNTIME_SUPPORT_TESTPLAN_H

#include "kernels/abi/plan.pb.h"
#include "runtime/plan/VerifyPlan.h"
#include <string>
#include <vector>

namespace tw::test {

/// Places buffers one after another in an arena and appends instructions.
class ProgramBuilder {
public:
  ProgramBuilder(planpb::Plan &plan, const std::string &name, uint32_t rank);
  /// A new buffer at its own place.
  uint32_t buffer(const std::string &name, int type, std::vector<int64_t> shape);
  /// A buffer over a parameter of the plan.
  uint32_t parameter(const std::string &name);
  void input(const std::string &name, uint32_t buffer);
  void output(const std::string &name, uint32_t buffer);
  /// The last `written` buffers are the ones written.
  planpb::Instruction &generated(const std::string &name, std::vector<uint32_t> buffers, int written,
                                 std::vector<int64_t> sizes, int64_t extent);
  planpb::Instruction &allReduce(std::vector<uint32_t> buffers);
  planpb::Instruction &fill(uint32_t buffer, double value);
  planpb::Instruction &copy(uint32_t source, uint32_t destination);
  planpb::Program &program() { return program_; }

private:
  planpb::Plan &plan_;
  planpb::Program &program_;
};

/// Adds a parameter at the next free place; the parameter regions of later programs hold it.
planpb::Parameter &addParameter(planpb::Plan &plan, const std::string &name, int type, std::vector<int64_t> shape,
                                planpb::Role role, double fill);

/// y = x w, mean squared error, SGD. Parameters "w" [features], "step", "seed"; inputs "x", "y";
/// programs "train", "dump" and "evaluate".
struct LinearOptions {
  int64_t rows = 4; // of one micro-batch on one rank
  int64_t features = 3;
  uint32_t microBatches = 1;
  uint32_t ranks = 1;
  double learningRate = 0.05;
};
planpb::Plan linearPlan(const LinearOptions &options = {});

/// A classifier: logits = x (identity), labels with bounds [0, classes) and ignore -100; nothing is trained.
/// Programs "train" and "evaluate" with outputs "logits", "loss_sum", "loss_weight".
planpb::Plan classifierPlan(int64_t rows, int64_t classes);

/// The kernel that counts steps raises `signal` when it reaches `step` (0: never).
struct StepHook {
  static int64_t step;
  static int signal;
};

/// The generated kernels of these plans; hand-written ones are not found.
rt::KernelTable testKernels();
const tw_generated_kernel *testGeneratedKernels();

} // namespace tw::test
#endif
