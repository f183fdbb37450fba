#include "passes/Differentiate/NamedResults.h"

using namespace mlir;

namespace tw::differentiate {

SmallVector<NamedResult> getNamedResults(func::FuncOp function) {
  SmallVector<NamedResult> results;
  for (auto [index, value] : llvm::enumerate(function.front().getTerminator()->getOperands())) {
    auto name = function.getResultAttrOfType<StringAttr>(index, kNameAttribute);
    results.push_back({name ? name.str() : std::string(), value});
  }
  return results;
}

void setNamedResults(func::FuncOp function, ArrayRef<NamedResult> results) {
  MLIRContext *context = function.getContext();
  SmallVector<Value> values;
  SmallVector<Attribute> attributes;
  for (const NamedResult &result : results) {
    values.push_back(result.value);
    auto name = NamedAttribute(kNameAttribute, StringAttr::get(context, result.name));
    attributes.push_back(DictionaryAttr::get(context, name));
  }
  function.front().getTerminator()->setOperands(values);
  function.setType(FunctionType::get(context, function.getArgumentTypes(), ValueRange(values).getTypes()));
  function.setResAttrsAttr(ArrayAttr::get(context, attributes));
}

Value findResult(ArrayRef<NamedResult> results, StringRef name) {
  for (const NamedResult &result : results)
    if (result.name == name)
      return result.value;
  return nullptr;
}

} // namespace tw::differentiate
