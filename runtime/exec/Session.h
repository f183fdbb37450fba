// A rank's arena with its parameters, and the programs that run over it.
#ifndef TW_RUNTIME_EXEC_SESSION_H
#define TW_RUNTIME_EXEC_SESSION_H

#include "runtime/exec/Executor.h"
#include "runtime/plan/LoadPlan.h"

namespace tw::rt {

class Session {
public:
  /// Allocates the arena for the largest of `programs` and binds them; those that the plan lacks are left out.
  /// `loaded`, `device` and `communicator` outlive the session. Parameters are not set yet.
  static Expected<std::unique_ptr<Session>> create(LoadedPlan &loaded, Device &device, Communicator &communicator,
                                                   const KernelTable &kernels, int threads,
                                                   const std::vector<std::string> &programs);
  bool has(const std::string &program) const { return executors_.count(program) != 0; }
  /// Writes the program's constants if another ran last, then runs it.
  Status run(const std::string &program);
  /// Like run; adds each instruction's seconds.
  Status runTimed(const std::string &program, std::vector<double> &seconds);
  const planpb::Program &program(const std::string &name) const { return executors_.at(name)->program(); }

  const planpb::Plan &plan() const { return loaded_.plan; }
  LoadedPlan &loaded() { return loaded_; }
  Device &device() { return device_; }
  Communicator &communicator() { return communicator_; }
  /// Bytes of the arena in use by the programs of this session.
  uint64_t arenaBytes() const { return device_.bytes(); }

  /// The buffer bound to an input or output, or null.
  static const planpb::Buffer *input(const planpb::Program &program, const std::string &name);
  static const planpb::Buffer *output(const planpb::Program &program, const std::string &name);
  /// The single number of an output such as "loss".
  Expected<double> scalar(const planpb::Program &program, const std::string &output);
  /// Bytes of a contiguous copy of any buffer.
  Status download(const planpb::Buffer &buffer, void *data);

private:
  Session(LoadedPlan &loaded, Device &device, Communicator &communicator)
      : loaded_(loaded), device_(device), communicator_(communicator) {}
  Status enter(const std::string &program);

  LoadedPlan &loaded_;
  Device &device_;
  Communicator &communicator_;
  std::map<std::string, std::unique_ptr<Executor>> executors_;
  std::string last_;
};

} // namespace tw::rt
#endif
