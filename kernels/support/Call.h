// Reading a tw_call: attributes, sizes, errors. Compiled once; nothing here is hot.
#ifndef TW_KERNELS_SUPPORT_CALL_H
#define TW_KERNELS_SUPPORT_CALL_H

#include "kernels/abi/kernel.h"

namespace tw::kernels {

/// Writes a sentence and returns 1.
int fail(char *message, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// The attribute of that name, or null.
const tw_attribute *findAttribute(const tw_call *call, const char *name);
/// A single integer attribute.
int64_t integer(const tw_call *call, const char *name, int64_t otherwise = 0);
/// A floating-point attribute.
double number(const tw_call *call, const char *name, double otherwise = 0);
/// True when a unit attribute is present and not 0.
bool flag(const tw_call *call, const char *name);
/// An integer array attribute: entry i, or `otherwise` where there is none.
int64_t entry(const tw_call *call, const char *name, int i, int64_t otherwise = 0);

/// Threads that OpenBLAS and oneDNN may use for the call. One under ThreadSanitizer, which does not see how they
/// synchronise.
int libraryThreads(const tw_call *call);

/// Number of elements in dimensions [first, last).
int64_t extent(const tw_tensor &tensor, int first, int last);
/// Number of elements.
int64_t elements(const tw_tensor &tensor);

/// 0 when the call has between `least` and `most` inputs and exactly `outputs` outputs; else writes a sentence.
int expectOperands(const tw_call *call, int least, int most, int outputs, char *message, size_t capacity);

} // namespace tw::kernels

/// Returns from the kernel when the numbers of operands are wrong.
#define TW_EXPECT_OPERANDS(least, most, outputs)                                                                       \
  do {                                                                                                                 \
    if (int status = tw::kernels::expectOperands(call, least, most, outputs, message, capacity))                       \
      return status;                                                                                                   \
  } while (0)

#endif
