// Control flow whose path is known when the model is imported.
#include "compiler/Import/Importer.h"

using namespace mlir;

namespace tw::import {
namespace {

LogicalResult importIf(Node &node) {
  DenseElementsAttr condition = constantOf(node.input(0));
  if (!condition || condition.getNumElements() != 1 || !condition.getElementType().isInteger(1))
    return node.error()
           << "its condition ('" << node.proto.input(0)
           << "') depends on data: only conditions that are known when the model is compiled are supported";
  const auto *branch = node.attribute(*condition.getValues<bool>().begin() ? "then_branch" : "else_branch");
  if (!branch || branch->g().output_size() != node.proto.output_size())
    return node.error() << "its branch does not have as many outputs as the node";
  if (failed(node.importer.importNodes(branch->g())))
    return failure();
  for (auto [i, output] : llvm::enumerate(branch->g().output())) {
    const ImportedValue *value = node.importer.valueOf(output.name(), nullptr, 0, node.emit.location);
    if (!value)
      return failure();
    if (node.hasOutput(i))
      node.importer.define(node.proto.output(i), ImportedValue(*value));
  }
  return success();
}

} // namespace

void addControl(HandlerTable &table) {
  table["If"] = {importIf, 1};
}

} // namespace tw::import
