#include "tools/twc/Batch.h"

#include "compiler/Import/Onnx.h"
#include "compiler/Import/WireFormat.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace mlir;

namespace tw::twc {

bool bindBatchDimensions(const std::string &model, int64_t batch, std::map<std::string, int64_t> &dims,
                         std::string &message) {
  auto file = llvm::MemoryBuffer::getFile(model, false, false);
  if (!file)
    return true;
  llvm::Expected<std::string> skeleton = import::skeletonOf((*file)->getBuffer(), 0);
  onnx::ModelProto proto;
  if (!skeleton) {
    llvm::consumeError(skeleton.takeError());
    return true;
  }
  if (!proto.ParseFromString(*skeleton))
    return true;
  std::set<std::string> initializers;
  for (const onnx::TensorProto &tensor : proto.graph().initializer())
    initializers.insert(tensor.name());
  for (const onnx::ValueInfoProto &input : proto.graph().input()) {
    const onnx::TensorShapeProto &shape = input.type().tensor_type().shape();
    if (initializers.count(input.name()) || shape.dim_size() == 0 || shape.dim(0).has_dim_value())
      continue;
    std::string name = shape.dim(0).dim_param().empty() ? input.name() + ".0" : shape.dim(0).dim_param();
    auto [entry, isNew] = dims.try_emplace(name, batch);
    if (!isNew && entry->second != batch) {
      message = "--dim " + name + "=" + std::to_string(entry->second) + " contradicts the recipe, whose batch is " +
                std::to_string(batch) + " (train_micro_batch_size_per_gpu times data ranks)";
      return false;
    }
  }
  return true;
}

static int64_t leadingSize(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() ? tensor.getDimSize(0) : 0;
}

std::optional<BatchInputs> findBatchInputs(ModuleOp module, int64_t wanted, int64_t ranks, std::string &message) {
  BatchInputs result;
  result.batch = wanted;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main) {
    message = "the imported model has no function @main";
    return std::nullopt;
  }
  bool found = false;
  for (BlockArgument argument : main.getArguments()) {
    auto name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name");
    int64_t size = leadingSize(argument.getType());
    if (size == 0 && cast<RankedTensorType>(argument.getType()).getRank() > 0) {
      message = "input '" + (name ? name.str() : std::string("?")) +
                "' has a leading dimension of 0: there are no rows to train on; export the model with a batch";
      return std::nullopt;
    }
    if (!result.batch)
      result.batch = size;
    if (size == result.batch)
      found = true;
    else if (name)
      result.whole.push_back(name.str());
  }
  if (wanted && !found && main.getNumArguments()) {
    message = "the recipe asks for batches of " + std::to_string(wanted) +
              ", but the model's first input has a fixed leading dimension of " +
              std::to_string(leadingSize(main.getArgument(0).getType())) +
              ": export the model with a dynamic batch dimension, or leave out train_micro_batch_size_per_gpu";
    return std::nullopt;
  }
  result.batch = std::max<int64_t>(result.batch, 1);
  if (result.batch % ranks) {
    message = "a batch of " + std::to_string(result.batch) + " cannot be split over " + std::to_string(ranks) +
              " data-parallel ranks";
    return std::nullopt;
  }
  return result;
}

} // namespace tw::twc
