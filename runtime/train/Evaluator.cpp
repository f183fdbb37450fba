#include "runtime/train/Evaluator.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"
#include "runtime/train/data/Loader.h"

#include <algorithm>
#include <cstdio>

namespace tw::rt {

namespace {

class Evaluator {
public:
  Evaluator(Session &session, const Dataset &dataset)
      : session_(session), dataset_(dataset), program_(session.program("evaluate")),
        layout_(rowLayout(session.plan(), program_)), staging_(program_, dataset), accuracy_(session.plan(), program_) {
    for (const planpb::DataInput &input : session.plan().inputs())
      canIgnore_ |= input.batched() && input.has_ignore();
    for (const planpb::Instruction &instruction : program_.instructions())
      reduced_ |= instruction.has_collective();
  }

  Expected<Evaluation> run() {
    int64_t rows = dataset_.rows(), perStep = layout_.stepRows();
    std::vector<int64_t> mine(size_t(layout_.rankRows()));
    for (int64_t start = 0; start < rows; start += perStep) {
      for (size_t local = 0; local < mine.size(); ++local) {
        int64_t row = start + layout_.place(int64_t(local));
        mine[local] = row < rows ? row : -1;
      }
      staging_.fill(mine);
      dataset_.release();
      TW_TRY(staging_.upload(session_.device()));
      TW_TRY(session_.run("evaluate"));
      TW_TRY(addLoss(start + perStep <= rows, std::min(perStep, rows - start)));
      if (accuracy_.valid())
        TW_TRY(accuracy_.count(session_, mine));
    }
    return result();
  }

private:
  Status addLoss(bool full, int64_t rows) {
    if (!full && !canIgnore_) {
      partial_ = true;
      return Status::ok();
    }
    if (Session::output(program_, "loss_sum") && Session::output(program_, "loss_weight")) {
      TW_ASSIGN(sum, session_.scalar(program_, "loss_sum"));
      TW_ASSIGN(weight, session_.scalar(program_, "loss_weight"));
      sum_ += sum;
      weight_ += weight;
      return Status::ok();
    }
    TW_ASSIGN(loss, session_.scalar(program_, "loss"));
    sum_ += loss * double(rows);
    weight_ += double(rows);
    return Status::ok();
  }

  Expected<Evaluation> result() {
    double sums[2] = {sum_, weight_};
    int64_t counts[2] = {accuracy_.labels, accuracy_.correct};
    Communicator &communicator = session_.communicator();
    if (communicator.size() > 1) {
      if (!reduced_)
        TW_TRY(communicator.allReduce(sums, sums, 2, TW_F64, Reduction::Sum));
      TW_TRY(communicator.allReduce(counts, counts, 2, TW_I64, Reduction::Sum));
    }
    Evaluation evaluation;
    evaluation.rows = dataset_.rows();
    evaluation.loss = sums[1] > 0 ? sums[0] / sums[1] : 0;
    evaluation.lossIsPartial = partial_;
    if (accuracy_.valid())
      evaluation.labels = counts[0];
    evaluation.correct = counts[1];
    return evaluation;
  }

  Session &session_;
  const Dataset &dataset_;
  const planpb::Program &program_;
  RowLayout layout_;
  Staging staging_;
  Accuracy accuracy_;
  bool canIgnore_ = false, reduced_ = false, partial_ = false;
  double sum_ = 0, weight_ = 0;
};

} // namespace

Expected<Evaluation> evaluate(Session &session, const Dataset &dataset) {
  if (!session.has("evaluate"))
    return Status::error(
        "this program was compiled without the program \"evaluate\"; compile it again without leaving it out");
  return Evaluator(session, dataset).run();
}

std::string evaluationText(const Evaluation &evaluation) {
  char number[64];
  std::snprintf(number, sizeof number, "loss %.6f", evaluation.loss);
  std::string result = number;
  if (evaluation.labels && *evaluation.labels > 0) {
    std::snprintf(number, sizeof number, ", accuracy %.4f", double(evaluation.correct) / double(*evaluation.labels));
    result += text(number, " (", evaluation.correct, " of ", *evaluation.labels, ")");
  }
  if (evaluation.lossIsPartial)
    result += ", the last rows that do not fill a batch are not in the loss";
  return result;
}

Accuracy::Accuracy(const planpb::Plan &plan, const planpb::Program &program) {
  const planpb::Buffer *first = nullptr;
  for (const planpb::Binding &binding : program.outputs()) {
    const planpb::Buffer &buffer = program.buffers(int(binding.buffer()));
    if (buffer.shape_size() >= 2 && isFloat(buffer.type())) {
      first = &buffer;
      break;
    }
  }
  if (!first)
    return;
  std::vector<int64_t> shape(first->shape().begin(), first->shape().end());
  for (const planpb::DataInput &input : plan.inputs()) {
    const planpb::Buffer *labels = Session::input(program, input.name());
    if (!labels || !input.batched() || !isInteger(input.type()))
      continue;
    std::vector<int64_t> wanted(labels->shape().begin(), labels->shape().end());
    for (size_t axis : {shape.size() - 1, size_t(1)}) {
      std::vector<int64_t> rest = shape;
      rest.erase(rest.begin() + int64_t(axis));
      if (rest != wanted || shape[axis] < 2)
        continue;
      logits_ = first; // a later input wins: labels come after the model's own inputs
      labelBuffer_ = labels;
      input_ = &input;
      classes_ = shape[axis];
      outer_ = elementCount(shape.data(), axis);
      inner_ = elementCount(shape.data() + axis + 1, shape.size() - axis - 1);
      break;
    }
  }
}

Status Accuracy::count(Session &session, const std::vector<int64_t> &rows) {
  std::vector<uint8_t> fetchedLogits, fetchedLabels;
  auto bytes = [&](const planpb::Buffer &buffer, std::vector<uint8_t> &fetched) -> Expected<const uint8_t *> {
    if (session.device().hostVisible() && isContiguous(buffer))
      return static_cast<const uint8_t *>(session.device().base() + buffer.offset());
    fetched.resize(bufferBytes(buffer));
    TW_TRY(session.download(buffer, fetched.data()));
    return static_cast<const uint8_t *>(fetched.data());
  };
  TW_ASSIGN(logits, bytes(*logits_, fetchedLogits));
  TW_ASSIGN(answers, bytes(*labelBuffer_, fetchedLabels));
  int64_t total = outer_ * inner_, perRow = std::max<int64_t>(total / int64_t(rows.size()), 1);
  for (int64_t i = 0; i < total; ++i) {
    int64_t label = loadInteger(input_->type(), answers, size_t(i));
    if (rows[size_t(i / perRow)] < 0 || (input_->has_ignore() && label == input_->ignore()))
      continue;
    ++labels;
    correct += largestClass(logits, i / inner_, i % inner_) == label;
  }
  return Status::ok();
}

int64_t Accuracy::largestClass(const uint8_t *logits, int64_t outer, int64_t inner) const {
  int64_t best = 0;
  if (logits_->type() == planpb::F32 && inner_ == 1) { // vocabularies are large: no conversion for each number
    const float *scores = reinterpret_cast<const float *>(logits) + outer * classes_;
    for (int64_t c = 1; c < classes_; ++c)
      best = scores[c] > scores[best] ? c : best;
    return best;
  }
  double largest = 0;
  for (int64_t c = 0; c < classes_; ++c) {
    double value = loadNumber(logits_->type(), logits, size_t((outer * classes_ + c) * inner_ + inner));
    if (c == 0 || value > largest) {
      largest = value;
      best = c;
    }
  }
  return best;
}

} // namespace tw::rt
