// The kernel table: a row for each line of Kernels.def, a column for each variant; the processor decides which one is
// used.
#include "kernels/abi/kernel.h"

#include <cstdlib>
#include <cstring>

namespace {
constexpr int WORKSPACE = 1, PREPARE = 2, STRIDED = 4, LIBRARY = 8;
} // namespace

// Every function a kernel may have; only those its flags promise are referred to.
#define TW_DECLARE(name)                                                                                               \
  extern "C" int name(const tw_call *, char *, size_t);                                                                \
  extern "C" size_t name##_workspace(const tw_call *);                                                                 \
  extern "C" int name##_prepare(const tw_call *, void **, char *, size_t);                                             \
  extern "C" void name##_destroy(void *);
#define TW_DECLARE_VARIANT(name, variant)                                                                              \
  extern "C" int name##_##variant(const tw_call *, char *, size_t);                                                    \
  extern "C" size_t name##_workspace_##variant(const tw_call *);
#define TW_KERNEL(name, family, flags)                                                                                 \
  TW_DECLARE(name) TW_DECLARE_VARIANT(name, base) TW_DECLARE_VARIANT(name, v3) TW_DECLARE_VARIANT(name, v4)
#define TW_CUDA_KERNEL(name, family, flags) TW_DECLARE(name)
#include "kernels/abi/Kernels.def"
#undef TW_KERNEL
#undef TW_CUDA_KERNEL

#define TW_ONCE(name, flags)                                                                                           \
  [] {                                                                                                                 \
    [[maybe_unused]] tw_kernel kernel{#name, name, nullptr, nullptr, nullptr, ((flags) & STRIDED) ? 1 : 0};            \
    if constexpr (((flags) & WORKSPACE) != 0)                                                                          \
      kernel.workspace_bytes = name##_workspace;                                                                       \
    if constexpr (((flags) & PREPARE) != 0) {                                                                          \
      kernel.prepare = name##_prepare;                                                                                 \
      kernel.destroy = name##_destroy;                                                                                 \
    }                                                                                                                  \
    return kernel;                                                                                                     \
  }()
#define TW_IN_VARIANT(name, flags, variant)                                                                            \
  [] {                                                                                                                 \
    if constexpr (((flags) & LIBRARY) != 0) {                                                                          \
      return TW_ONCE(name, flags);                                                                                     \
    } else {                                                                                                           \
      [[maybe_unused]] tw_kernel kernel{#name,   name##_##variant, nullptr,                                            \
                                        nullptr, nullptr,          ((flags) & STRIDED) ? 1 : 0};                       \
      if constexpr (((flags) & WORKSPACE) != 0)                                                                        \
        kernel.workspace_bytes = name##_workspace_##variant;                                                           \
      if constexpr (((flags) & PREPARE) != 0) {                                                                        \
        kernel.prepare = name##_prepare;                                                                               \
        kernel.destroy = name##_destroy;                                                                               \
      }                                                                                                                \
      return kernel;                                                                                                   \
    }                                                                                                                  \
  }()

#define TW_DESCRIBED(name, flags)                                                                                      \
  [] {                                                                                                                 \
    [[maybe_unused]] tw_kernel kernel{#name, nullptr, nullptr, nullptr, nullptr, ((flags) & STRIDED) ? 1 : 0};         \
    if constexpr (((flags) & WORKSPACE) != 0)                                                                          \
      kernel.workspace_bytes = name##_workspace;                                                                       \
    return kernel;                                                                                                     \
  }()

// What a variant that is not built leaves in the table; nothing refers to its symbols then.
constexpr tw_kernel absent{nullptr, nullptr, nullptr, nullptr, nullptr, 0};
#ifdef TW_HAVE_VARIANT_base
#define TW_IN_BASE(name, flags) TW_IN_VARIANT(name, flags, base)
#else
#define TW_IN_BASE(name, flags) absent
#endif
#ifdef TW_HAVE_VARIANT_v3
#define TW_IN_V3(name, flags) TW_IN_VARIANT(name, flags, v3)
#else
#define TW_IN_V3(name, flags) absent
#endif
#ifdef TW_HAVE_VARIANT_v4
#define TW_IN_V4(name, flags) TW_IN_VARIANT(name, flags, v4)
#else
#define TW_IN_V4(name, flags) absent
#endif

namespace {
enum Variant { Base, V3, V4, VariantCount };

struct Row {
  tw_kernel variants[VariantCount];
};
} // namespace

static constexpr Row rows[] = {
#define TW_KERNEL(name, family, flags) {{TW_IN_BASE(name, flags), TW_IN_V3(name, flags), TW_IN_V4(name, flags)}},
#ifdef TW_CUDA
#define TW_CUDA_KERNEL(name, family, flags) {{TW_ONCE(name, flags), TW_ONCE(name, flags), TW_ONCE(name, flags)}},
#else // known, so that plans can be made, but not there
#define TW_CUDA_KERNEL(name, family, flags)                                                                            \
  {{TW_DESCRIBED(name, flags), TW_DESCRIBED(name, flags), TW_DESCRIBED(name, flags)}},
#endif
#include "kernels/abi/Kernels.def"
#undef TW_KERNEL
};
constexpr size_t rowCount = sizeof rows / sizeof *rows;

static Variant chooseVariant() {
  // TW_KERNEL_VARIANT=base or v3 keeps to an older instruction set, for tests and comparisons.
  [[maybe_unused]] const char *wanted = getenv("TW_KERNEL_VARIANT");
  [[maybe_unused]] bool base = wanted && strcmp(wanted, "base") == 0, v3 = wanted && strcmp(wanted, "v3") == 0;
#ifdef TW_HAVE_VARIANT_v4
  if (__builtin_cpu_supports("x86-64-v4") && !base && !v3)
    return V4;
#endif
#ifdef TW_HAVE_VARIANT_v3
  if (__builtin_cpu_supports("x86-64-v3") && !base)
    return V3;
#endif
  return Base;
}

extern "C" const tw_kernel *tw_all_kernels(void) {
  static const tw_kernel *const kernels = [] {
    static tw_kernel chosen[rowCount + 1] = {}; // the last one stays empty: the end
    Variant variant = chooseVariant();
    for (size_t i = 0; i < rowCount; ++i)
      chosen[i] = rows[i].variants[variant];
    return chosen;
  }();
  return kernels;
}

extern "C" const tw_kernel *tw_find_kernel(const char *name) {
  for (const tw_kernel *kernel = tw_all_kernels(); kernel->name; ++kernel)
    if (strcmp(kernel->name, name) == 0)
      return kernel;
  return nullptr;
}
