// What the generator and the lowering of kernels must agree on: which dimensions the parallel loop covers.
#ifndef TW_PASSES_LOWER_KERNEL_SHAPE_H
#define TW_PASSES_LOWER_KERNEL_SHAPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/STLExtras.h"

namespace tw::lower {

/// The nested module that holds generated kernels, and the attribute of a kernel's argument that names its buffer.
inline constexpr llvm::StringLiteral kernelModuleName = "generated_kernels";
inline constexpr llvm::StringLiteral bufferAttribute = "graph.buffer";

/// The dimensions that the loop over [begin, end) covers, row-major. On the host all but the innermost for elementwise
/// kernels of several dimensions; all that stay for reductions along the innermost dimension; for other reductions the
/// outer ones that stay, or the innermost when there is no other. On a device all that stay: a thread for each result.
inline llvm::SmallVector<unsigned> parallelDimensions(llvm::ArrayRef<bool> reduced, bool device) {
  llvm::SmallVector<unsigned> stay;
  for (unsigned i = 0; i < reduced.size(); ++i)
    if (!reduced[i])
      stay.push_back(i);
  bool innermostStays = !reduced.empty() && !reduced.back();
  if (!device && innermostStays && stay.size() > 1)
    stay.pop_back();
  return stay;
}

} // namespace tw::lower
#endif
