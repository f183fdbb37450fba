// What an instruction reads and writes, and where a buffer's bytes are.
#ifndef TW_RUNTIME_PLAN_ACCESS_H
#define TW_RUNTIME_PLAN_ACCESS_H

#include "kernels/abi/plan.pb.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tw::rt {

struct ByteRange {
  uint64_t begin, end;
};

/// Buffer indices in the plan's order. Workspace is not among them.
struct Access {
  std::vector<uint32_t> reads, writes;
};
Access instructionAccess(const planpb::Instruction &instruction);

/// Row-major strides of a shape, or the buffer's own.
std::vector<int64_t> bufferStrides(const planpb::Buffer &buffer);
/// True when the elements lie row-major without gaps (extents of 1 may have any stride).
bool isContiguous(const planpb::Buffer &buffer);
/// Smallest range that holds all elements. Needs a verified type, shape and strides.
ByteRange bufferHull(const planpb::Buffer &buffer);
/// The contiguous byte ranges of the elements, in order of address; only the hull when there are more than `limit`.
std::vector<ByteRange> bufferRuns(const planpb::Buffer &buffer, size_t limit, bool *exact);
/// Bytes of the elements themselves.
uint64_t bufferBytes(const planpb::Buffer &buffer);
/// Bytes beside the arena in which a program's next inputs are prepared: each input, rounded up to 64.
uint64_t stagingBytes(const planpb::Program &program);

/// "kernel matmul_f32_host", "all_reduce", "copy", ...
std::string instructionText(const planpb::Instruction &instruction);
/// "program 'train' of rank 0, instruction 12 (kernel matmul_f32_host, node '/fc/MatMul')".
std::string instructionPlace(const planpb::Program &program, int index);

} // namespace tw::rt
#endif
