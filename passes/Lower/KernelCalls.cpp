#include "passes/Lower/KernelCalls.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tw::lower {

tw_type typeNumber(Type type) {
  if (type.isF32())
    return TW_F32;
  if (type.isF64())
    return TW_F64;
  if (type.isF16())
    return TW_F16;
  if (type.isBF16())
    return TW_BF16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isUnsigned())
    return integer && integer.getWidth() == 8 ? TW_U8 : TW_TYPE_INVALID;
  switch (integer.getWidth()) {
  case 1:
    return TW_BOOL;
  case 8:
    return TW_I8;
  case 16:
    return TW_I16;
  case 32:
    return TW_I32;
  case 64:
    return TW_I64;
  default:
    return TW_TYPE_INVALID;
  }
}

int64_t elementBytes(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

static std::string typeText(Type type) {
  if (type.isInteger(1))
    return "bool";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static Type elementType(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

std::string kernelName(Operation *op, StringRef target) {
  StringRef mnemonic = op->getName().stripDialect();
  std::string types = typeText(elementType(op->getOperand(0)));
  if (isa<graph::TransposeOp, graph::BroadcastOp, graph::SliceOp, graph::ConcatOp>(op))
    types = "b" + std::to_string(elementBytes(elementType(op->getOperand(0))));
  else if (isa<graph::GatherOp, graph::ScatterAddOp>(op))
    types += "_" + typeText(elementType(op->getOperand(1)));
  else if (auto loss = dyn_cast<graph::CrossEntropyOp>(op))
    types += "_" + typeText(elementType(loss.getLabels()));
  else if (auto backward = dyn_cast<graph::CrossEntropyBackwardOp>(op))
    types += "_" + typeText(elementType(backward.getLabels()));
  return (mnemonic + "_" + types + "_" + target).str();
}

/// Null for unit attributes that are false and for attributes that say how operands are grouped.
static Attribute callAttribute(StringRef name, Attribute value, MLIRContext *context) {
  Builder builder(context);
  if (name == "operandSegmentSizes" || name == "resultSegmentSizes")
    return {};
  if (isa<UnitAttr>(value))
    return builder.getI64IntegerAttr(1);
  if (auto kind = dyn_cast<graph::ReductionAttr>(value))
    return builder.getStringAttr(graph::stringifyReduction(kind.getValue()));
  if (auto flag = dyn_cast<BoolAttr>(value))
    return builder.getI64IntegerAttr(flag.getValue());
  return isa<IntegerAttr, FloatAttr, StringAttr, DenseI64ArrayAttr>(value) ? value : Attribute();
}

DictionaryAttr callAttributes(Operation *op) {
  SmallVector<NamedAttribute> attributes;
  if (auto info = op->getName().getRegisteredInfo())
    for (StringAttr name : info->getAttributeNames())
      if (std::optional<Attribute> value = op->getInherentAttr(name); value && *value)
        if (Attribute converted = callAttribute(name, *value, op->getContext()))
          attributes.push_back({name, converted});
  return DictionaryAttr::get(op->getContext(), attributes);
}

SmallVector<int64_t> inPlacePairs(Operation *op) {
  if (auto product = dyn_cast<graph::MatMulOp>(op))
    return product.getInit() && product.getInit().getType() == product.getType() ? SmallVector<int64_t>{0, 2}
                                                                                 : SmallVector<int64_t>{};
  if (isa<graph::CrossEntropyBackwardOp>(op))
    return {0, 1};
  if (isa<graph::SoftmaxBackwardOp, graph::LogSoftmaxBackwardOp>(op))
    return {0, 0, 0, 1};
  if (isa<graph::SoftmaxOp, graph::LogSoftmaxOp, graph::LayerNormBackwardOp, graph::RmsNormBackwardOp,
          graph::LayerNormOp, graph::RmsNormOp, graph::BatchNormOp, graph::BatchNormBackwardApplyOp, graph::DropoutOp>(
          op))
    return {0, 0};
  return {};
}

static tw_tensor describe(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  tw_tensor result{};
  result.rank = tensor.getRank();
  result.type = typeNumber(tensor.getElementType());
  int64_t stride = 1;
  for (int64_t d = tensor.getRank() - 1; d >= 0; --d) {
    result.shape[d] = tensor.getDimSize(d);
    result.strides[d] = stride;
    stride *= tensor.getDimSize(d);
  }
  return result;
}

static tw_attribute describe(NamedAttribute attribute) {
  tw_attribute result{};
  result.name = attribute.getName().data();
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute.getValue())) {
    result.kind = TW_ATTRIBUTE_INTS;
    result.count = list.size();
    result.ints = list.asArrayRef().data();
  } else if (auto number = dyn_cast<FloatAttr>(attribute.getValue())) {
    result.kind = TW_ATTRIBUTE_FLOAT;
    result.number = number.getValueAsDouble();
  } else if (auto text = dyn_cast<StringAttr>(attribute.getValue())) {
    result.kind = TW_ATTRIBUTE_STRING;
    result.string = text.data();
  } else {
    result.kind = TW_ATTRIBUTE_INTS;
    result.count = 1;
  }
  return result;
}

int64_t workspaceBytes(const tw_kernel &kernel, TypeRange inputs, TypeRange results, DictionaryAttr attributes,
                       int threads) {
  if (!kernel.workspace_bytes)
    return 0;
  SmallVector<tw_tensor> inputTensors, outputTensors;
  for (Type type : inputs)
    inputTensors.push_back(describe(type));
  for (Type type : results)
    outputTensors.push_back(describe(type));
  SmallVector<tw_attribute> callAttributes;
  SmallVector<int64_t> integers(attributes.size());
  for (auto [i, attribute] : llvm::enumerate(attributes)) {
    callAttributes.push_back(describe(attribute));
    if (auto integer = dyn_cast<IntegerAttr>(attribute.getValue())) {
      integers[i] = integer.getInt();
      callAttributes.back().ints = &integers[i];
    }
  }
  tw_call call{};
  call.inputs = inputTensors.data();
  call.outputs = outputTensors.data();
  call.attributes = callAttributes.data();
  call.input_count = inputTensors.size();
  call.output_count = outputTensors.size();
  call.attribute_count = callAttributes.size();
  call.threads = threads;
  return kernel.workspace_bytes(&call);
}

static const tw_kernel *findKernel(Location loc, StringRef what, const std::string &name) {
  const plan::KernelLibrary *library = plan::KernelLibrary::get(loc.getContext());
  const tw_kernel *kernel = library ? library->find(name) : nullptr;
  if (!kernel)
    emitError(loc) << "there is no kernel for " << what << ": looked for '" << name << "'"
                   << (library ? "" : " in no kernel library");
  return kernel;
}

plan::KernelOp createKernelCall(OpBuilder &builder, Operation *op, ValueRange inputs, const KernelTarget &target) {
  std::string name = kernelName(op, target.name);
  for (Type type : op->getResultTypes())
    if (cast<RankedTensorType>(type).getRank() > TW_MAX_RANK) {
      op->emitError() << "kernels take at most " << int(TW_MAX_RANK) << " dimensions, but this has " << type;
      return {};
    }
  const tw_kernel *kernel = findKernel(op->getLoc(), op->getName().getStringRef(), name);
  if (!kernel)
    return {};
  DictionaryAttr attributes = callAttributes(op);
  int64_t workspace = workspaceBytes(*kernel, inputs.getTypes(), op->getResultTypes(), attributes, target.threads);
  return plan::KernelOp::create(builder, op->getLoc(), op->getResultTypes(), name, inputs, attributes, inPlacePairs(op),
                                workspace, ArrayAttr());
}

plan::KernelOp createCopyCall(OpBuilder &builder, Location loc, Value input, const KernelTarget &target) {
  auto type = cast<RankedTensorType>(input.getType());
  std::string name = "transpose_b" + std::to_string(elementBytes(type.getElementType())) + "_" + target.name;
  if (!findKernel(loc, "copies", name))
    return {};
  auto identity = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  auto attributes =
      builder.getDictionaryAttr(builder.getNamedAttr("permutation", builder.getDenseI64ArrayAttr(identity)));
  return plan::KernelOp::create(builder, loc, TypeRange{type}, name, ValueRange{input}, attributes, ArrayRef<int64_t>{},
                                int64_t(0), ArrayAttr());
}

} // namespace tw::lower
