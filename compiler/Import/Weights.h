// Which of an ONNX model's tensors are parameters, and in what role.
//
// A tensor here is an initializer, the value of a Constant node, or a graph input that the user declares a parameter.
// The rules, first match wins:
//   1. Integers and booleans are constants.
//   2. Where an operator takes the tensor as a setting (Clip's bounds, Resize's scales, Pow's exponent ...): constant.
//   3. BatchNormalization's running mean and variance are buffers.
//   4. One element: constant, unless the operator takes a weight there (a convolution's bias ...) or the name is that
//   of
//      a module's parameter (`head.logit_scale`).
//   5. A mask (every element 0 or at most -1e4, not all 0): constant, so that passes can recognise it.
//   6. Elements that are all equal, in a tensor of rank other than 1 that no operator takes as a weight and that has no
//      module's name: constant.
//   7. All that is made of it runs into Sin or Cos before it meets anything else (a rotary embedding's frequencies):
//      constant.
//   8. Two tensors of equal shape that are multiplied elementwise, a^2 + b^2 = 1 everywhere (rotary cosines and sines):
//      frozen.
//   9. Anything else is trainable.
// A vector (rank 1) whose elements are all equal and that is used in several places was merged by an exporter because
// initial values happened to be equal: each use gets a parameter of its own, under the name that it had in the source
// where the exporter kept it. Any other weight used in several places is tied, unless the exporter kept several names.
// A bias that an exporter dropped from a Gemm because it was all zero is there again, where the exporter kept its name.
#ifndef TW_COMPILER_IMPORT_WEIGHTS_H
#define TW_COMPILER_IMPORT_WEIGHTS_H

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Import/ModelFile.h"
#include "compiler/Import/SourceNames.h"

#include <set>

namespace tw::import {

enum class WeightKind { Constant, Trainable, Frozen, Buffer };

struct Weight {
  std::string name;                          // initializer, Constant node's output or input
  const onnx::TensorProto *tensor = nullptr; // null for an input
  mlir::RankedTensorType type;
  WeightKind kind = WeightKind::Trainable;
  std::string reason;
  bool isInput = false, fromConstantNode = false;
  bool isRestored = false; // all zero; not in the file

  struct Use {
    const onnx::NodeProto *node = nullptr; // null: a graph output
    int index = 0;
    std::string as; // the name by which the node reads it: the weight's own or an Identity's output
    std::string symbol;
  };
  std::vector<Use> uses;
};

class WeightTable {
public:
  /// Finds and classifies the weights of the model. `parameterInputs` holds the declared inputs and their types.
  mlir::LogicalResult build(ModelFile &file, const std::map<std::string, mlir::RankedTensorType> &parameterInputs,
                            Report &report);

  /// The weight that `name` stands for (also through Identity), or null.
  const Weight *find(llvm::StringRef name) const;

  /// The parameter that input `index` of `node` reads.
  llvm::StringRef symbolFor(const Weight &weight, const onnx::NodeProto *node, int index) const;

  const std::vector<std::unique_ptr<Weight>> &all() const { return weights; }

private:
  void collect(const onnx::GraphProto &graph, bool isMain);
  mlir::LogicalResult addTensor(llvm::StringRef name, const onnx::TensorProto &tensor, bool fromConstantNode);
  void addUses(const onnx::GraphProto &graph);
  mlir::LogicalResult classify(Weight &weight);
  bool runsIntoSinOrCos(const Weight &weight) const;
  void findRotaryTables();
  void resolveSourceNames();
  bool restoreBias(const SourceNames::Dropped &dropped);
  enum class Origin { One, Several, Unknown };
  Origin originOf(const Weight &weight) const;
  void tellApart(Weight &weight);

  ModelFile *file = nullptr;
  Report *report = nullptr;
  std::vector<std::unique_ptr<Weight>> weights;
  std::map<std::string, Weight *, std::less<>> byName;
  std::map<std::string, std::vector<std::pair<const onnx::NodeProto *, int>>, std::less<>> consumers;
  std::set<std::string> symbols;
  SourceNames sourceNames;
  bool failedToRead = false;
};

} // namespace tw::import

#endif
