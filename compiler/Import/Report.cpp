#include "compiler/Import/Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tw::import {

static void printParameters(const Report &report, StringRef role, raw_ostream &os) {
  int64_t count = 0, elements = 0;
  for (const Report::Parameter &parameter : report.parameters)
    if (parameter.role == role) {
      ++count;
      elements += parameter.elements;
    }
  if (count == 0)
    return;
  os << "\n" << role << " (" << count << " parameters, " << elements << " elements)\n";
  for (const Report::Parameter &parameter : report.parameters) {
    if (parameter.role != role)
      continue;
    os << "  " << parameter.name << " : " << parameter.type;
    if (parameter.onnxName != parameter.name)
      os << "  [" << parameter.onnxName << " in the file]";
    if (role == "frozen")
      os << "  (" << parameter.reason << ")";
    os << "\n";
  }
}

static void printList(StringRef title, const std::vector<std::string> &lines, raw_ostream &os) {
  if (lines.empty())
    return;
  os << "\n" << title << "\n";
  for (const std::string &line : lines)
    os << "  " << line << "\n";
}

void Report::print(raw_ostream &os) const {
  os << model << ": opset " << opset << ", written by " << producer << "\n";
  printList("inputs", inputs, os);
  printList("outputs", outputs, os);
  if (!dimensions.empty())
    os << "\ndimensions\n";
  for (const Dimension &dimension : dimensions) {
    os << "  " << dimension.name << " = ";
    if (dimension.size < 0)
      os << "?  add --dim " << dimension.name << "=N";
    else
      os << dimension.size;
    os << "  (";
    interleaveComma(dimension.where, os);
    os << ")\n";
  }
  for (StringRef role : {"trainable", "frozen", "buffer"})
    printParameters(*this, role, os);
  printList("without a gradient, on a path from a trainable parameter", notDifferentiable, os);
  printList("warnings", warnings, os);
}

void Report::printJson(raw_ostream &os) const {
  json::OStream json(os, 2);
  json.object([&] {
    json.attribute("model", model);
    json.attribute("producer", producer);
    json.attribute("opset", opset);
    auto list = [&](StringRef name, const std::vector<std::string> &values) {
      json.attributeArray(name, [&] {
        for (const std::string &value : values)
          json.value(value);
      });
    };
    list("inputs", inputs);
    list("outputs", outputs);
    json.attributeArray("dimensions", [&] {
      for (const Dimension &dimension : dimensions)
        json.object([&] {
          json.attribute("name", dimension.name);
          json.attribute("size", dimension.size < 0 ? json::Value(nullptr) : json::Value(dimension.size));
          json.attributeArray("where", [&] {
            for (const std::string &place : dimension.where)
              json.value(place);
          });
        });
    });
    json.attributeArray("parameters", [&] {
      for (const Parameter &parameter : parameters)
        json.object([&] {
          json.attribute("name", parameter.name);
          json.attribute("type", parameter.type);
          json.attribute("role", parameter.role);
          json.attribute("reason", parameter.reason);
          json.attribute("onnx_name", parameter.onnxName);
        });
    });
    list("not_differentiable", notDifferentiable);
    list("warnings", warnings);
  });
  os << "\n";
}

} // namespace tw::import
