#include "compiler/Interpreter/State.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

static Tensor filled(RankedTensorType type, double value) {
  Tensor result(type);
  for (int64_t i = 0, count = result.getNumElements(); i < count; ++i)
    if (result.isFloat())
      result.real(i) = value;
    else
      result.integer(i) = static_cast<int64_t>(value);
  return result;
}

static FailureOr<Tensor> readFile(ParameterOp parameter, StringRef root) {
  SmallString<128> path(*parameter.getFile());
  if (llvm::sys::path::is_relative(path) && !root.empty()) {
    path = root;
    llvm::sys::path::append(path, *parameter.getFile());
  }
  uint64_t length = parameter.getLength().value_or(0), offset = parameter.getOffset().value_or(0);
  auto buffer = llvm::MemoryBuffer::getFileSlice(path, length, offset);
  if (!buffer)
    return parameter.emitError("cannot read '") << path << "': " << buffer.getError().message();
  RankedTensorType type = parameter.getTensorType();
  std::optional<Tensor> value = Tensor::fromBytes(type, {(*buffer)->getBufferStart(), (*buffer)->getBufferSize()});
  if (!value)
    return parameter.emitError("file range has ") << (*buffer)->getBufferSize() << " bytes, which do not fit " << type;
  return *value;
}

FailureOr<Tensor> State::firstValue(ParameterOp parameter) {
  if (std::optional<ElementsAttr> attribute = parameter.getValue()) {
    std::optional<Tensor> value = Tensor::fromAttribute(*attribute);
    if (!value)
      return parameter.emitError("the data of its value is missing");
    return *value;
  }
  if (std::optional<APFloat> number = parameter.getFill())
    return filled(parameter.getTensorType(), number->convertToDouble());
  if (std::optional<StringRef> source = parameter.getCopyOf()) {
    auto original = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(parameter, parameter.getCopyOfAttr());
    if (!original || original.getCopyOf())
      return parameter.emitError("'") << *source << "' is no parameter with a first value of its own";
    return firstValue(original);
  }
  if (parameter.getFile())
    return readFile(parameter, fileRoot);
  return parameter.emitError("parameter '") << parameter.getSymName() << "' has no value: give it one to execute";
}

FailureOr<const Tensor *> State::load(ParameterOp parameter) {
  auto found = values.find(parameter.getSymName());
  if (found == values.end()) {
    FailureOr<Tensor> value = firstValue(parameter);
    if (failed(value))
      return failure();
    found = values.try_emplace(parameter.getSymName(), std::move(*value)).first;
  }
  return &found->second;
}

void State::commit() {
  for (auto &entry : pending)
    values[entry.getKey()] = std::move(entry.getValue());
  pending.clear();
}
