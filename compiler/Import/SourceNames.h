// Which parameters of the source program a node's weights stand for, where the exporter tells.
//
// PyTorch's dynamo exporter writes into a node's metadata the operation of the source that it came from, such as
//   pkg.torch.onnx.fx_node: "%addmm : [...] = call_function[target=torch.ops.aten.addmm.default](args = (%p_fc_bias,
//   ..."
// where `%p_` begins the name of a parameter. Comparing these with the weights that the operation's nodes read in the
// ONNX graph names the uses of merged tensors, and finds parameters that the exporter dropped.
#ifndef TW_COMPILER_IMPORT_SOURCENAMES_H
#define TW_COMPILER_IMPORT_SOURCENAMES_H

#include "compiler/Import/Onnx.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tw::import {

class SourceNames {
public:
  /// A node's input that is a float weight, and the weight's name in the file.
  struct Read {
    const onnx::NodeProto *node = nullptr;
    int index = 0;
    std::string name;
  };
  /// A parameter of the source that no weight of the file stands for.
  struct Dropped {
    std::string name;                      // as PyTorch spells it, such as "fc.bias"
    std::string operation;                 // of the source, such as "aten.addmm"
    const onnx::NodeProto *node = nullptr; // the last node that the operation became
  };

  /// `reads`: in the order of the nodes. `weights`: names of all float tensors of the file.
  void resolve(const onnx::GraphProto &graph, llvm::ArrayRef<Read> reads, const std::set<std::string> &weights);

  /// The source's name of the parameter that this input stands for; empty if the exporter does not tell.
  llvm::StringRef nameOf(const onnx::NodeProto *node, int index) const;
  const std::vector<Dropped> &dropped() const { return droppedParameters; }
  /// Whether the exporter tells which operation of the source a node came from.
  static bool tells(const onnx::NodeProto &node);

private:
  std::map<std::pair<const onnx::NodeProto *, int>, std::string> names;
  std::vector<Dropped> droppedParameters;
};

} // namespace tw::import

#endif
