// Errors as values. A Status is success or one sentence for a person; an Expected<T> is a T or such a sentence.
// No exception crosses a public function of the runtime.
#ifndef TW_RUNTIME_BASE_STATUS_H
#define TW_RUNTIME_BASE_STATUS_H

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tw::rt {

class [[nodiscard]] Status {
public:
  Status() = default;
  static Status ok() { return Status(); }
  static Status error(std::string message) {
    Status status;
    status.message_ = std::make_unique<std::string>(std::move(message));
    return status;
  }
  bool failed() const { return message_ != nullptr; }
  /// Empty on success.
  const std::string &message() const {
    static const std::string none;
    return message_ ? *message_ : none;
  }
  /// The same error with `context` and ": " in front.
  Status in(const std::string &context) && {
    if (message_)
      message_->insert(0, context + ": ");
    return std::move(*this);
  }

private:
  std::unique_ptr<std::string> message_;
};

template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T &&value) : value_(std::move(value)) {}
  Expected(const T &value) : value_(value) {}
  Expected(Status &&status) : status_(std::move(status)) { assert(status_.failed()); }
  bool failed() const { return !value_.has_value(); }
  const std::string &message() const { return status_.message(); }
  Status takeStatus() { return std::move(status_); }
  // Callers ask failed() first, as those of std::optional ask has_value().
  // NOLINTBEGIN(bugprone-unchecked-optional-access)
  T &operator*() { return *value_; }
  const T &operator*() const { return *value_; }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }
  T take() { return std::move(*value_); }
  // NOLINTEND(bugprone-unchecked-optional-access)

private:
  std::optional<T> value_;
  Status status_;
};

/// Returns the error of `expression`, a Status, to the caller.
#define TW_TRY(expression)                                                                                             \
  do {                                                                                                                 \
    ::tw::rt::Status twStatus = (expression);                                                                          \
    if (twStatus.failed())                                                                                             \
      return twStatus;                                                                                                 \
  } while (0)

#define TW_JOIN_INNER(a, b) a##b
#define TW_JOIN(a, b) TW_JOIN_INNER(a, b)
/// Declares `name` as the value of `expression`, an Expected, or returns its error to the caller.
#define TW_ASSIGN(name, expression)                                                                                    \
  auto TW_JOIN(twExpected, __LINE__) = (expression);                                                                   \
  if (TW_JOIN(twExpected, __LINE__).failed())                                                                          \
    return TW_JOIN(twExpected, __LINE__).takeStatus();                                                                 \
  auto name = TW_JOIN(twExpected, __LINE__).take()

} // namespace tw::rt
#endif
