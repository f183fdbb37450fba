// Sizes and names of tw_type, for the compiler, kernels and the runtime alike. Plain C.
#ifndef TW_KERNELS_ABI_TYPES_H
#define TW_KERNELS_ABI_TYPES_H

#include "kernels/abi/kernel.h"

/* Bytes of one element; 0 for an invalid type. */
static inline size_t tw_type_size(int32_t type) {
  static const unsigned char sizes[] = {0, 4, 8, 2, 2, 1, 2, 4, 8, 1, 1};
  return type > TW_TYPE_INVALID && type <= TW_U8 ? sizes[type] : 0;
}

/* "f32", "i64" and so on; "invalid" for an invalid type. */
static inline const char *tw_type_name(int32_t type) {
  static const char *const names[] = {"invalid", "f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64", "bool", "u8"};
  return type > TW_TYPE_INVALID && type <= TW_U8 ? names[type] : names[0];
}

#endif
