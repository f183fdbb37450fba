#include "compiler/Import/Dimensions.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>
#include <set>

using namespace mlir;

namespace tw::import {

static Report::Dimension &dimensionNamed(Report &report, const std::string &name) {
  for (Report::Dimension &dimension : report.dimensions)
    if (dimension.name == name)
      return dimension;
  report.dimensions.push_back({name, {}, -1});
  return report.dimensions.back();
}

static LogicalResult bindInput(onnx::ValueInfoProto &input, const std::map<std::string, int64_t> &sizes,
                               std::set<std::string> &known, Report &report, Location location) {
  if (!input.type().has_tensor_type())
    return emitError(location, "input '") << input.name() << "' is not a tensor: only tensors are supported";
  if (!input.type().tensor_type().has_shape())
    return emitError(location, "input '")
           << input.name() << "' has no shape, not even its rank, which is not supported";
  auto &dims = *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim();
  double elements = 1;
  for (int i = 0; i < dims.size(); ++i) {
    std::string place = input.name() + "." + std::to_string(i);
    if (dims[i].has_dim_value()) {
      if (dims[i].dim_value() < 0)
        return emitError(location, "dimension ") << i << " of input '" << input.name() << "' is negative";
      elements *= static_cast<double>(dims[i].dim_value());
      continue;
    }
    std::string name = dims[i].dim_param().empty() ? place : dims[i].dim_param();
    Report::Dimension &dimension = dimensionNamed(report, name);
    dimension.where.push_back(place);
    known.insert({name, place});
    auto size = sizes.find(place);
    if (size == sizes.end())
      size = sizes.find(name);
    if (size == sizes.end())
      continue;
    constexpr int64_t largest = std::numeric_limits<int32_t>::max(); // of libraries' dimensions
    if (size->second <= 0 || size->second > largest)
      return emitError(location, "dimension '")
             << name << "' is bound to " << size->second << ": expected a size from 1 to " << largest;
    dimension.size = size->second;
    dims[i].set_dim_value(size->second);
    elements *= static_cast<double>(size->second);
  }
  if (elements > 0x1p40)
    return emitError(location, "input '")
           << input.name() << "' would have " << elements << " elements: more than 2^40, bind smaller sizes";
  return success();
}

LogicalResult bindDimensions(onnx::GraphProto &graph, const std::map<std::string, int64_t> &sizes, Report &report,
                             Location location) {
  std::set<std::string> known, initialized;
  for (const auto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  for (auto &input : *graph.mutable_input())
    if (!initialized.count(input.name()) && failed(bindInput(input, sizes, known, report, location)))
      return failure();
  for (const auto &[name, size] : sizes)
    if (!known.count(name))
      return emitError(location, "no input has a symbolic dimension '")
             << name << "': the model's are " << (known.empty() ? "all fixed" : llvm::join(known, ", "));
  SmallVector<std::string> unbound, flags;
  for (const Report::Dimension &dimension : report.dimensions)
    if (dimension.size < 0) {
      unbound.push_back("'" + dimension.name + "' (" + llvm::join(dimension.where, ", ") + ")");
      flags.push_back("--dim " + dimension.name + "=N");
    }
  if (!unbound.empty())
    return emitError(location) << (unbound.size() == 1 ? "dimension " : "dimensions ") << llvm::join(unbound, ", ")
                               << (unbound.size() == 1 ? " has" : " have") << " no size: add "
                               << llvm::join(flags, " ");
  graph.clear_value_info();
  for (auto &output : *graph.mutable_output())
    if (output.type().has_tensor_type())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
  return success();
}

} // namespace tw::import
