#include "runtime/exec/Binder.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"

#include <algorithm>

namespace tw::rt {

tw_tensor makeTensor(const planpb::Buffer &buffer, uint8_t *base) {
  tw_tensor tensor{};
  tensor.data = base ? base + buffer.offset() : nullptr;
  tensor.rank = buffer.shape_size();
  tensor.type = buffer.type();
  std::vector<int64_t> strides = bufferStrides(buffer);
  for (int d = 0; d < tensor.rank; ++d) {
    tensor.shape[d] = buffer.shape(d);
    tensor.strides[d] = strides[size_t(d)];
  }
  return tensor;
}

namespace {

/// A kernel call with everything that its tw_call points to.
class BoundKernel : public BoundInstruction {
public:
  BoundKernel(const tw_kernel *kernel, const planpb::KernelCall &call) : kernel_(kernel) {
    ints_.reserve(size_t(call.attributes_size()));
    for (const planpb::Attribute &attribute : call.attributes()) {
      ints_.emplace_back(attribute.ints().begin(), attribute.ints().end());
      tw_attribute bound{};
      bound.name = attribute.name().c_str();
      bound.kind = attribute.kind();
      bound.count = attribute.ints_size();
      bound.ints = ints_.back().data();
      bound.number = attribute.number();
      bound.string = attribute.string().c_str();
      attributes_.push_back(bound);
    }
  }
  ~BoundKernel() override {
    if (call_.state && kernel_->destroy)
      kernel_->destroy(call_.state);
  }

  void setOperands(std::vector<tw_tensor> inputs, std::vector<tw_tensor> outputs, int threads, void *stream) {
    inputs_ = std::move(inputs);
    outputs_ = std::move(outputs);
    call_.inputs = inputs_.data();
    call_.outputs = outputs_.data();
    call_.attributes = attributes_.data();
    call_.input_count = int32_t(inputs_.size());
    call_.output_count = int32_t(outputs_.size());
    call_.attribute_count = int32_t(attributes_.size());
    call_.threads = threads;
    call_.stream = stream;
  }

  template <typename Body>
  auto withoutData(Body body) {
    std::vector<void *> saved;
    for (auto *list : {&inputs_, &outputs_})
      for (tw_tensor &tensor : *list) {
        saved.push_back(tensor.data);
        tensor.data = nullptr;
      }
    auto result = body();
    size_t next = 0;
    for (auto *list : {&inputs_, &outputs_})
      for (tw_tensor &tensor : *list)
        tensor.data = saved[next++];
    return result;
  }

  // Asks for workspace and prepares state with null data, as the ABI says; then sets the addresses.
  Status prepare(uint8_t *base, const planpb::KernelCall &call) {
    if (kernel_->workspace_bytes) {
      size_t needed = withoutData([&] { return kernel_->workspace_bytes(&call_); });
      if (needed > call.workspace_bytes())
        return Status::error(text("the kernel needs ", needed, " bytes of workspace with ", call_.threads,
                                  " threads, the plan gives ", call.workspace_bytes(),
                                  "; use fewer --threads or compile for this number"));
    }
    call_.workspace = call.workspace_bytes() ? base + call.workspace_offset() : nullptr;
    call_.workspace_bytes = call.workspace_bytes();
    if (!kernel_->prepare)
      return Status::ok();
    char message[512] = "";
    int code = withoutData([&] { return kernel_->prepare(&call_, &call_.state, message, sizeof message); });
    return code == 0 ? Status::ok() : Status::error(message[0] ? message : "the kernel cannot be prepared");
  }

  Status run() override {
    char message[512];
    message[0] = '\0';
    if (kernel_->run(&call_, message, sizeof message) == 0)
      return Status::ok();
    return Status::error(message[0] ? message : "the kernel failed without a message");
  }

private:
  const tw_kernel *kernel_;
  std::vector<tw_tensor> inputs_, outputs_;
  std::vector<std::vector<int64_t>> ints_;
  std::vector<tw_attribute> attributes_;
  tw_call call_{};
};

class BoundGenerated : public BoundInstruction {
public:
  explicit BoundGenerated(std::unique_ptr<GeneratedLaunch> launch) : launch_(std::move(launch)) {}
  Status run() override { return launch_->run(); }

private:
  std::unique_ptr<GeneratedLaunch> launch_;
};

class BoundCopy : public BoundInstruction {
public:
  BoundCopy(Device &device, tw_tensor source, tw_tensor destination, int threads, uint32_t stream)
      : device_(device), source_(source), destination_(destination), threads_(threads), stream_(stream) {}
  Status run() override { return device_.copy(source_, destination_, threads_, stream_); }

private:
  Device &device_;
  tw_tensor source_, destination_;
  int threads_;
  uint32_t stream_;
};

class BoundFill : public BoundInstruction {
public:
  BoundFill(Device &device, tw_tensor tensor, double value, int threads, uint32_t stream)
      : device_(device), tensor_(tensor), value_(value), threads_(threads), stream_(stream) {}
  Status run() override { return device_.fill(tensor_, value_, threads_, stream_); }

private:
  Device &device_;
  tw_tensor tensor_;
  double value_;
  int threads_;
  uint32_t stream_;
};

class BoundCollective : public BoundInstruction {
public:
  using C = planpb::Collective;
  Communicator *communicator = nullptr;
  void *stream = nullptr;
  const void *in = nullptr;
  void *out = nullptr;
  int64_t inCount = 0, outCount = 0;
  int type = 0, peer = 0;
  C::Operation operation = C::OPERATION_INVALID;
  Reduction reduction = Reduction::Sum;

  Status run() override {
    communicator->useStream(stream);
    switch (operation) {
    case C::ALL_REDUCE:
      return communicator->allReduce(in, out, inCount, type, reduction);
    case C::ALL_GATHER:
      return communicator->allGather(in, out, inCount, type);
    case C::REDUCE_SCATTER:
      return communicator->reduceScatter(in, out, outCount, type, reduction);
    case C::BROADCAST:
      return communicator->broadcast(out, outCount, type, peer);
    case C::SEND:
      return communicator->send(in, inCount, type, peer);
    case C::RECEIVE:
      return communicator->receive(out, outCount, type, peer);
    default:
      return Status::error("the collective has no operation");
    }
  }
};

} // namespace

Status Binder::bindAll() {
  uint32_t streams = 1;
  std::vector<uint32_t> awaited;
  for (const planpb::Instruction &instruction : program_.instructions()) {
    streams = std::max(streams, instruction.stream() + 1);
    awaited.insert(awaited.end(), instruction.waits().begin(), instruction.waits().end());
  }
  std::sort(awaited.begin(), awaited.end());
  awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  if (device_.bytes() < program_.arena_bytes())
    return Status::error(text("program '", program_.name(), "' needs an arena of ", program_.arena_bytes(),
                              " bytes, the device has ", device_.bytes()));
  TW_TRY(device_.prepare(streams, awaited));
  for (int i = 0; i < program_.instructions_size(); ++i) {
    const planpb::Instruction &instruction = program_.instructions(i);
    Bound bound = bind(instruction);
    if (bound.failed())
      return bound.takeStatus().in(instructionPlace(program_, i));
    Executor::Step step;
    step.body = bound.take();
    step.waits.assign(instruction.waits().begin(), instruction.waits().end());
    step.stream = instruction.stream();
    step.awaited = std::binary_search(awaited.begin(), awaited.end(), uint32_t(i));
    executor_.steps_.push_back(std::move(step));
  }
  return Status::ok();
}

Binder::Bound Binder::bind(const planpb::Instruction &instruction) {
  uint32_t stream = instruction.stream();
  switch (instruction.body_case()) {
  case planpb::Instruction::kKernel:
    return bindKernel(instruction.kernel(), stream);
  case planpb::Instruction::kGenerated:
    return bindGenerated(instruction.generated(), stream);
  case planpb::Instruction::kCollective:
    return bindCollective(instruction.collective(), stream);
  case planpb::Instruction::kCopy:
    return bindCopy(instruction.copy(), stream);
  case planpb::Instruction::kFill:
    return bindFill(instruction.fill(), stream);
  default:
    return Status::error("the instruction is empty");
  }
}

Binder::Bound Binder::bindKernel(const planpb::KernelCall &call, uint32_t stream) {
  const tw_kernel *kernel = kernels_.kernel ? kernels_.kernel(call.name().c_str()) : nullptr;
  if (!kernel || !kernel->run)
    return Status::error("this program has no such kernel; compiler and runtime are of different versions");
  auto bound = std::make_unique<BoundKernel>(kernel, call);
  std::vector<tw_tensor> inputs, outputs;
  for (uint32_t index : call.inputs())
    inputs.push_back(tensor(index));
  for (uint32_t index : call.outputs())
    outputs.push_back(tensor(index));
  bound->setOperands(std::move(inputs), std::move(outputs), threads_, device_.stream(stream));
  TW_TRY(bound->prepare(device_.base(), call));
  return std::unique_ptr<BoundInstruction>(std::move(bound));
}

Binder::Bound Binder::bindGenerated(const planpb::GeneratedCall &call, uint32_t stream) {
  GeneratedArguments arguments;
  arguments.name = call.name();
  for (uint32_t index : call.buffers())
    arguments.buffers.push_back(tensor(index).data);
  arguments.sizes.assign(call.sizes().begin(), call.sizes().end());
  arguments.extent = call.extent();
  arguments.grain = call.grain();
  arguments.threads = threads_;
  arguments.stream = stream;
  tw_generated_run run = kernels_.generated ? kernels_.generated(call.name().c_str()) : nullptr;
  TW_ASSIGN(launch, device_.bind(arguments, run));
  return std::unique_ptr<BoundInstruction>(std::make_unique<BoundGenerated>(std::move(launch)));
}

Expected<Communicator *> Binder::communicatorFor(const planpb::Collective &call) {
  std::vector<int> ranks(call.group().begin(), call.group().end());
  bool pair = call.operation() == planpb::Collective::SEND || call.operation() == planpb::Collective::RECEIVE;
  if (pair || ranks.empty() || int(ranks.size()) == world_.size())
    return &world_;
  auto &group = executor_.groups_[ranks];
  if (!group) {
    TW_ASSIGN(made, world_.group(ranks));
    group = std::move(made);
  }
  return group.get();
}

Binder::Bound Binder::bindCollective(const planpb::Collective &call, uint32_t stream) {
  auto bound = std::make_unique<BoundCollective>();
  TW_ASSIGN(communicator, communicatorFor(call));
  bound->communicator = communicator;
  bound->stream = device_.stream(stream);
  bound->operation = call.operation();
  if (call.reduction() != planpb::Collective::REDUCTION_INVALID)
    bound->reduction = Reduction(int(call.reduction()));
  // Operands lie side by side: one range from the first to the last.
  auto range = [&](const google::protobuf::RepeatedField<uint32_t> &list, int64_t &count) -> void * {
    if (list.empty())
      return nullptr;
    const planpb::Buffer &first = program_.buffers(int(list[0]));
    bound->type = first.type();
    count = int64_t((bufferHull(program_.buffers(int(list[list.size() - 1]))).end - first.offset()) /
                    typeSize(first.type()));
    return device_.base() + first.offset();
  };
  bound->in = range(call.inputs(), bound->inCount);
  bound->out = range(call.outputs(), bound->outCount);
  bound->peer = int(call.peer());
  if (call.operation() == planpb::Collective::BROADCAST) {
    if (bound->in && bound->in != bound->out)
      return Status::error("a broadcast must be in place");
    for (int i = 0; i < call.group_size() && communicator != &world_; ++i)
      if (call.group(i) == call.peer())
        bound->peer = i; // the root's rank within its group
  }
  return std::unique_ptr<BoundInstruction>(std::move(bound));
}

Binder::Bound Binder::bindCopy(const planpb::Copy &call, uint32_t stream) {
  return std::unique_ptr<BoundInstruction>(
      std::make_unique<BoundCopy>(device_, tensor(call.source()), tensor(call.destination()), threads_, stream));
}

Binder::Bound Binder::bindFill(const planpb::Fill &call, uint32_t stream) {
  return std::unique_ptr<BoundInstruction>(
      std::make_unique<BoundFill>(device_, tensor(call.buffer()), call.value(), threads_, stream));
}

} // namespace tw::rt
