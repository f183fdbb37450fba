// Which piece of memory holds each value of a function, and when it is needed.
#ifndef TW_PASSES_LOWER_STORAGE_H
#define TW_PASSES_LOWER_STORAGE_H

#include "passes/Lower/Layout.h"
#include "passes/Lower/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace tw::lower {

/// A piece of the arena. Positions count the function's instructions; -1 is before the first.
struct Storage {
  int64_t bytes = 0;
  int64_t first = 0, last = 0;
  int64_t offset = -1; // in the arena; set from the start for parameters and constants
  bool fixed = false;  // holds a parameter or a constant
  plan::Kind kind = plan::Kind::Activation;
  mlir::Value owner; // the first value it holds
};

struct Location {
  int storage = -1;
  Layout layout; // in elements, from the start of the storage
};

/// A value that goes to a parameter by a copy after the last instruction, since it could not be computed there.
struct FinalCopy {
  mlir::Value value;
  mlir::FlatSymbolRefAttr parameter;
};

/// Where the module's parameters and constants are.
struct FixedMemory {
  llvm::MapVector<mlir::Attribute, int64_t> parameters; // symbol reference -> offset
  llvm::MapVector<mlir::Attribute, int64_t> constants;  // value -> offset
  int64_t parameterBytes = 0, bytes = 0;
};

/// The storages of one function whose body is plan.kernel, graph.fused, plan.all_reduce, views, loads and stores.
class StorageAssignment {
public:
  StorageAssignment(mlir::func::FuncOp function, const FixedMemory &fixed);

  /// Copies inserted before the assignment, for results that must not be what they are (see prepare).
  static mlir::LogicalResult prepare(mlir::func::FuncOp function, llvm::StringRef target);

  llvm::ArrayRef<Storage> getStorages() const { return storages; }
  llvm::MutableArrayRef<Storage> getStorages() { return storages; }
  const Location &locate(mlir::Value value) const { return locations.find(value)->second; }
  llvm::ArrayRef<mlir::Operation *> getInstructions() const { return instructions; }
  llvm::ArrayRef<FinalCopy> getFinalCopies() const { return finalCopies; }
  /// The storage of the instruction's scratch memory, or -1.
  int workspaceOf(mlir::Operation *op) const { return workspaces.lookup_or(op, -1); }
  /// True for parts of a plan.assemble, whose bytes belong to the whole.
  bool isPart(mlir::Value value) const { return parts.contains(value); }

private:
  int64_t end() const { return int64_t(instructions.size()); }
  int64_t lastUse(mlir::Value value) const;
  int addStorage(mlir::Value value, int64_t first);
  void place(mlir::Value value, int storage, Layout layout);
  void placeFixed();
  void placeTransfers();
  void placeParts();
  int64_t firstWrite(mlir::Value value) const;
  void bindStores();
  bool canOverwrite(mlir::OpResult value, mlir::FlatSymbolRefAttr parameter, int64_t at);
  void placeResults(mlir::Operation *op, int64_t at);
  int storageToReuse(mlir::OpResult result, int64_t at) const;
  bool canReuse(mlir::OpResult result, mlir::OpOperand &operand, int64_t at) const;
  void guessKinds();

  mlir::func::FuncOp function;
  const FixedMemory &fixed;
  llvm::SmallVector<mlir::Operation *> instructions;
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::SmallVector<Storage> storages;
  llvm::DenseMap<mlir::Value, Location> locations;
  llvm::DenseMap<mlir::Attribute, int> fixedStorages;
  llvm::DenseMap<mlir::Operation *, int> workspaces;
  llvm::DenseSet<mlir::Value> parts;
  llvm::DenseMap<int, int64_t> reusedAt; // storage -> position of the result that took it over
  llvm::SmallVector<FinalCopy> finalCopies;
};

int64_t tensorBytes(mlir::Type type);

} // namespace tw::lower
#endif
