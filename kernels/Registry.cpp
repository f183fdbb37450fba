// The kernel table, built from Kernels.def once for each variant; the processor decides which one is used.
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

#ifdef TW_CUDA
#define TW_CUDA_KERNEL(name, family, flags) TW_ONCE(name, flags),
#else // known, so that plans can be made, but not there
#define TW_CUDA_KERNEL(name, family, flags) TW_DESCRIBED(name, flags),
#endif

#ifdef TW_HAVE_VARIANT_base
static const tw_kernel *baseKernels() {
#define TW_KERNEL(name, family, flags) TW_IN_VARIANT(name, flags, base),
  static const tw_kernel kernels[] = {
#include "kernels/abi/Kernels.def"
      {nullptr, nullptr, nullptr, nullptr, nullptr, 0}};
  return kernels;
#undef TW_KERNEL
}
#endif

#ifdef TW_HAVE_VARIANT_v3
static const tw_kernel *v3Kernels() {
#define TW_KERNEL(name, family, flags) TW_IN_VARIANT(name, flags, v3),
  static const tw_kernel kernels[] = {
#include "kernels/abi/Kernels.def"
      {nullptr, nullptr, nullptr, nullptr, nullptr, 0}};
  return kernels;
#undef TW_KERNEL
}
#endif

#ifdef TW_HAVE_VARIANT_v4
static const tw_kernel *v4Kernels() {
#define TW_KERNEL(name, family, flags) TW_IN_VARIANT(name, flags, v4),
  static const tw_kernel kernels[] = {
#include "kernels/abi/Kernels.def"
      {nullptr, nullptr, nullptr, nullptr, nullptr, 0}};
  return kernels;
#undef TW_KERNEL
}
#endif

static const tw_kernel *chooseKernels() {
  // TW_KERNEL_VARIANT=base or v3 keeps to an older instruction set, for tests and comparisons.
  [[maybe_unused]] const char *wanted = getenv("TW_KERNEL_VARIANT");
  [[maybe_unused]] bool base = wanted && strcmp(wanted, "base") == 0, v3 = wanted && strcmp(wanted, "v3") == 0;
#ifdef TW_HAVE_VARIANT_v4
  if (__builtin_cpu_supports("x86-64-v4") && !base && !v3)
    return v4Kernels();
#endif
#ifdef TW_HAVE_VARIANT_v3
  if (__builtin_cpu_supports("x86-64-v3") && !base)
    return v3Kernels();
#endif
#ifdef TW_HAVE_VARIANT_base
  return baseKernels();
#else
  static const tw_kernel none = {nullptr, nullptr, nullptr, nullptr, nullptr, 0};
  return &none;
#endif
}

extern "C" const tw_kernel *tw_all_kernels(void) {
  static const tw_kernel *const kernels = chooseKernels();
  return kernels;
}

extern "C" const tw_kernel *tw_find_kernel(const char *name) {
  for (const tw_kernel *kernel = tw_all_kernels(); kernel->name; ++kernel)
    if (strcmp(kernel->name, name) == 0)
      return kernel;
  return nullptr;
}
