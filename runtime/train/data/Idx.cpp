// IDX: two zero bytes, a type byte, the number of dimensions, each extent as a big-endian u32, the elements.
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/train/data/Array.h"

namespace tw::rt {

Expected<Array> readIdx(const std::string &path) {
  TW_ASSIGN(opened, MappedFile::open(path));
  auto file = std::make_shared<MappedFile>(std::move(opened));
  if (file->size() >= 2 && file->data()[0] == 0x1f && file->data()[1] == 0x8b) {
    TW_ASSIGN(unpacked, inflateToScratch(file->data(), file->size(), true, text("'", path, "'")));
    file = unpacked;
  }
  Array array;
  array.origin = text("'", path, "'");
  auto damaged = [&](const char *what) { return Status::error(text("'", path, "' is not an IDX file: ", what)); };
  const uint8_t *data = file->data();
  if (file->size() < 4 || data[0] != 0 || data[1] != 0)
    return damaged("it does not begin as one");
  if (data[2] == 0x08)
    array.type = TW_U8;
  else if (data[2] == 0x09)
    array.type = TW_I8;
  else
    return damaged("only elements of one byte are read");
  size_t rank = data[3];
  if (rank == 0 || rank > TW_MAX_RANK || file->size() < 4 + 4 * rank)
    return damaged("its header is truncated");
  for (size_t d = 0; d < rank; ++d) {
    const uint8_t *extent = data + 4 + 4 * d;
    array.shape.push_back(int64_t(extent[0]) << 24 | extent[1] << 16 | extent[2] << 8 | extent[3]);
  }
  array.data = data + 4 + 4 * rank;
  TW_TRY(checkArrayBytes(array, file->size() - 4 - 4 * rank));
  array.file = std::move(file);
  return array;
}

} // namespace tw::rt
