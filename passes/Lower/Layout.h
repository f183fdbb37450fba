// Where the elements of a value lie in the memory of the value that owns them.
#ifndef TW_PASSES_LOWER_LAYOUT_H
#define TW_PASSES_LOWER_LAYOUT_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace tw::lower {

/// Element (i, j, ...) lies at offset + i * strides[0] + j * strides[1] + ..., in elements.
struct Layout {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);
Layout rowMajorLayout(llvm::ArrayRef<int64_t> shape);
/// Row-major without gaps, whatever the offset; extents of 1 may have any stride.
bool isRowMajor(const Layout &layout, llvm::ArrayRef<int64_t> shape);

/// The layout of `to` over the same elements in row-major order as `from` has under `layout`; none when no strides
/// say it.
std::optional<Layout> reshapeLayout(const Layout &layout, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
/// The layout of the result of a graph.reshape, transpose, slice or broadcast of an input with that layout; none for
/// other ops and where no strides say it.
std::optional<Layout> resultLayout(mlir::Operation *op, const Layout &input);
/// The layout an input needs for the result of a graph.reshape or transpose to have that layout.
std::optional<Layout> inputLayout(mlir::Operation *op, const Layout &result);

} // namespace tw::lower
#endif
