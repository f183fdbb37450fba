// Hot files are compiled once for each instruction set ("variant"): the same source with TW_VARIANT set to base, v3
// (AVX2 and FMA) or v4 (AVX-512). The registry picks one table when the library is first used.
//
// A function of a variant must never stand in for another variant's at link time. Hence two rules for variant files
// and the headers they include: everything lives in the inline namespace TW_VARIANT, and no template or inline function
// of the standard library is used unless it is always inlined (std::min and the like). test/kernels checks the objects.
#ifndef TW_KERNELS_SUPPORT_VARIANT_H
#define TW_KERNELS_SUPPORT_VARIANT_H

#include "kernels/abi/kernel.h"

#ifndef TW_VARIANT
#define TW_VARIANT base
#endif

#define TW_JOIN_EXPANDED(a, b) a##_##b
#define TW_JOIN(a, b) TW_JOIN_EXPANDED(a, b)
/// The symbol of a kernel's function in this variant.
#define TW_SYMBOL(name) TW_JOIN(name, TW_VARIANT)

/// Opens the definition of a kernel's run function.
#define TW_RUN(name) extern "C" int TW_SYMBOL(name)(const tw_call *call, char *message, size_t capacity)
/// Opens the definition of a kernel's workspace function.
#define TW_WORKSPACE(name) extern "C" size_t TW_SYMBOL(name##_workspace)(const tw_call *call)

#endif
