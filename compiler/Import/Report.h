// What the importer found: parameters, dimensions to bind and doubtful choices, as text or JSON.
#ifndef TW_COMPILER_IMPORT_REPORT_H
#define TW_COMPILER_IMPORT_REPORT_H

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tw::import {

struct Report {
  struct Parameter {
    std::string name, type, role;
    std::string reason;   // why it has this role
    std::string onnxName; // differs from `name` where a merged initializer was told apart
    int64_t elements = 0;
  };
  struct Dimension {
    std::string name;               // what --dim calls it
    std::vector<std::string> where; // "<input>.<index>"
    int64_t size = -1;              // bound to; -1: not bound
  };
  std::string model, producer;
  int64_t opset = 0;
  std::vector<Parameter> parameters;
  std::vector<Dimension> dimensions;
  std::vector<std::string> inputs, outputs; // "name: type"
  std::vector<std::string> warnings;
  std::vector<std::string> notDifferentiable; // "node (op type)": on a path from a trainable parameter to an output

  void print(llvm::raw_ostream &os) const;
  void printJson(llvm::raw_ostream &os) const;
};

} // namespace tw::import

#endif
