// The contract between compiled plans, kernels and the runtime. Plain C, no dependencies.
//
// A kernel computes outputs from inputs. Its name is `<op>_<types>_<target>`, where `<op>` is the mnemonic of the
// `graph` op it implements; its inputs, outputs and attributes are exactly those of that op, in that order
// (optional operands that are absent are simply missing from the end; the op's documentation says which).
// Kernels never allocate: scratch memory is planned at compile time from `workspace_bytes` and passed in.
#ifndef TW_KERNELS_ABI_KERNEL_H
#define TW_KERNELS_ABI_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TW_MAX_RANK = 8 };

typedef enum tw_type {
  TW_TYPE_INVALID = 0,
  TW_F32 = 1,
  TW_F64 = 2,
  TW_F16 = 3,
  TW_BF16 = 4,
  TW_I8 = 5,
  TW_I16 = 6,
  TW_I32 = 7,
  TW_I64 = 8,
  TW_BOOL = 9, /* one byte, 0 or 1 */
  TW_U8 = 10,
} tw_type;

/* A tensor in memory. `strides` are in elements. Kernels that Kernels.def does not mark STRIDED may assume
   row-major contiguous operands. The memory belongs to the arena and outlives the call. */
typedef struct tw_tensor {
  void *data;
  int64_t shape[TW_MAX_RANK];
  int64_t strides[TW_MAX_RANK];
  int32_t rank;
  int32_t type; /* tw_type */
} tw_tensor;

typedef enum tw_attribute_kind {
  TW_ATTRIBUTE_INTS = 1,
  TW_ATTRIBUTE_FLOAT = 2,
  TW_ATTRIBUTE_STRING = 3
} tw_attribute_kind;

/* A named attribute. Booleans and single integers are INTS of count 1. */
typedef struct tw_attribute {
  const char *name;
  int32_t kind; /* tw_attribute_kind */
  int64_t count;
  const int64_t *ints;
  double number;
  const char *string;
} tw_attribute;

/* One call. `threads` is how many threads the kernel may use (an OpenMP team of that size on the host).
   `stream` is a cudaStream_t on CUDA, null on the host. `state` is what `prepare` returned. */
typedef struct tw_call {
  const tw_tensor *inputs;
  const tw_tensor *outputs;
  const tw_attribute *attributes;
  int32_t input_count;
  int32_t output_count;
  int32_t attribute_count;
  int32_t threads;
  void *workspace; /* aligned to 64 bytes */
  size_t workspace_bytes;
  void *stream;
  void *state;
} tw_call;

/* Returns 0, or non-zero after writing a sentence to `message` (at most `capacity` bytes with the ending zero). */
typedef int (*tw_kernel_run)(const tw_call *call, char *message, size_t capacity);
/* Scratch bytes the call needs. Looks at shapes, types, attributes and threads only: `data` is null. */
typedef size_t (*tw_kernel_workspace)(const tw_call *call);
/* Once per instruction at load time (for library primitives); `data` is null. Null state and 0 when not needed. */
typedef int (*tw_kernel_prepare)(const tw_call *call, void **state, char *message, size_t capacity);
typedef void (*tw_kernel_destroy)(void *state);

typedef struct tw_kernel {
  const char *name;
  tw_kernel_run run;                   /* null: this build knows the kernel, but does not have it (CUDA) */
  tw_kernel_workspace workspace_bytes; /* null: none */
  tw_kernel_prepare prepare;           /* null: none */
  tw_kernel_destroy destroy;           /* null: none */
  int32_t strided;                     /* 1: operands may have any strides */
} tw_kernel;

/* The kernel of that name, or null. Implemented by the kernel library over Kernels.def. */
const tw_kernel *tw_find_kernel(const char *name);
/* All kernels, for tools; ends where `name` is null. */
const tw_kernel *tw_all_kernels(void);

/* A kernel that the compiler generated. It computes iterations [begin, end) of its parallel loop; the runtime splits
   [0, extent) over threads. `sizes` are the dynamic sizes that the plan instruction lists. */
typedef void (*tw_generated_run)(void *const *buffers, const int64_t *sizes, int64_t begin, int64_t end);
typedef struct tw_generated_kernel {
  const char *name;
  tw_generated_run run;
} tw_generated_kernel;

#ifdef __cplusplus
}
#endif
#endif
