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

int64_t extent(const tw_tensor &tensor, int first, int last) {
  int64_t product = 1;
  for (int i = first; i < last; ++i)
    product *= tensor.shape[i];
  return product;
}

int64_t elements(const tw_tensor &tensor) {
  return extent(tensor, 0, tensor.rank);
}

int64_t elementBytes(int32_t type) {
  switch (type) {
  case TW_F32:
  case TW_I32:
    return 4;
  case TW_F64:
  case TW_I64:
    return 8;
  case TW_F16:
  case TW_BF16:
  case TW_I16:
    return 2;
  case TW_I8:
  case TW_U8:
  case TW_BOOL:
    return 1;
  }
  return 0;
}

const char *typeName(int32_t type) {
  static const char *const names[] = {"?", "f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "bool", "u8"};
  return type > 0 && type <= TW_U8 ? names[type] : names[0];
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
