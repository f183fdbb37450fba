#include "kernels/support/Call.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace tw::kernels {

int fail(char *message, size_t capacity, const char *format, ...) {
  if (message && capacity) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, capacity, format, arguments);
    va_end(arguments);
  }
  return 1;
}

const tw_attribute *findAttribute(const tw_call *call, const char *name) {
  for (int32_t i = 0; i < call->attribute_count; ++i)
    if (strcmp(call->attributes[i].name, name) == 0)
      return &call->attributes[i];
  return nullptr;
}

int64_t entry(const tw_call *call, const char *name, int i, int64_t otherwise) {
  const tw_attribute *attribute = findAttribute(call, name);
  if (!attribute || attribute->kind != TW_ATTRIBUTE_INTS || i >= attribute->count)
    return otherwise;
  return attribute->ints[i];
}

int64_t integer(const tw_call *call, const char *name, int64_t otherwise) {
  return entry(call, name, 0, otherwise);
}

double number(const tw_call *call, const char *name, double otherwise) {
  const tw_attribute *attribute = findAttribute(call, name);
  return attribute && attribute->kind == TW_ATTRIBUTE_FLOAT ? attribute->number : otherwise;
}

bool flag(const tw_call *call, const char *name) {
  return integer(call, name, 0) != 0;
}

int libraryThreads(const tw_call *call) {
#ifdef __SANITIZE_THREAD__
  return 1;
#else
  return call->threads;
#endif
}

int64_t extent(const tw_tensor &tensor, int first, int last) {
  int64_t product = 1;
  for (int i = first; i < last; ++i)
    product *= tensor.shape[i];
  return product;
}

int64_t elements(const tw_tensor &tensor) {
  return extent(tensor, 0, tensor.rank);
}

int expectOperands(const tw_call *call, int least, int most, int outputs, char *message, size_t capacity) {
  if (call->input_count < least || call->input_count > most)
    return fail(message, capacity, "the kernel takes %d to %d inputs, but the call has %d", least, most,
                call->input_count);
  if (call->output_count != outputs)
    return fail(message, capacity, "the kernel has %d outputs, but the call has %d", outputs, call->output_count);
  return 0;
}

} // namespace tw::kernels
