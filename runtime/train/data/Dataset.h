// The rows of a run: arrays from data files, matched to the plan's inputs and checked before training starts.
#ifndef TW_RUNTIME_TRAIN_DATA_DATASET_H
#define TW_RUNTIME_TRAIN_DATA_DATASET_H

#include "kernels/abi/plan.pb.h"
#include "runtime/train/data/Array.h"
#include <map>
#include <string>
#include <vector>

namespace tw::rt {

struct DataOptions {
  std::vector<std::string> files;     // "F.npz", "name=F.npy", "name=IDX"
  std::string tokens;                 // a file of token ids
  std::string tokenType = "auto";     // u8, u16, i32; auto: by the vocabulary of the input
  std::vector<std::string> normalize; // "name=mean,deviation"
  bool empty() const { return files.empty() && tokens.empty(); }
};

/// One input of the plan and where its rows are.
struct Column {
  const planpb::DataInput *input = nullptr;
  Array array;
  int64_t rowElements = 0;
  int64_t rowStep = 0; // elements from one row to the next; windows of tokens start at multiples of their length
  bool scaled = false; // value * factor + shift, for floats
  double factor = 1, shift = 0;
};

class Dataset {
public:
  /// Opens the files and checks names, types, shapes, bounds and numbers. `plan` outlives the dataset.
  static Expected<Dataset> open(const DataOptions &options, const planpb::Plan &plan);
  int64_t rows() const { return rows_; }
  /// Converts one row (or the whole, for an input that is not batched) to the plan's type at `destination`.
  void stage(const Column &column, int64_t row, void *destination) const;
  const Column *column(const std::string &input) const;
  /// Drops the pages of the files from resident memory.
  void release() const;

private:
  std::vector<Column> columns_;
  int64_t rows_ = 0;
};

/// Reads the arrays that the options name; arrays without a name of their own get the one that the option gives.
Expected<std::vector<Array>> readArrays(const DataOptions &options, const planpb::Plan &plan);
/// Inputs and labels as windows over a file of token ids: labels are the inputs shifted by one.
Expected<std::vector<Column>> tokenColumns(const DataOptions &options, const planpb::Plan &plan);
/// Type and shape of an array against the input that it is for.
Expected<Column> matchColumn(const planpb::DataInput &input, const Array &array);
/// Every number of a column: bounds of integers, no NaN or infinity.
Status checkNumbers(const Column &column, int64_t rows);

} // namespace tw::rt
#endif
