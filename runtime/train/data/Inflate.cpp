#include "runtime/base/Text.h"
#include "runtime/train/data/Array.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>
#include <zlib.h>

namespace tw::rt {

static Status writeAll(int descriptor, const uint8_t *data, size_t size) {
  while (size > 0) {
    ssize_t count = ::write(descriptor, data, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return Status::error(
          text("cannot unpack into a temporary file: ", systemError(errno), "; set TMPDIR to a folder with room"));
    data += count;
    size -= size_t(count);
  }
  return Status::ok();
}

static Status inflateAll(z_stream &stream, const uint8_t *data, uint64_t size, bool gzip, int descriptor,
                         const std::string &origin) {
  uint8_t block[1 << 15];
  uint64_t consumed = 0;
  bool ended = false;
  while (!ended || (gzip && consumed < size)) {
    if (ended) { // a gzip file may have several members
      inflateReset(&stream);
      ended = false;
    }
    stream.next_in = const_cast<Bytef *>(data + consumed);
    stream.avail_in = uInt(std::min<uint64_t>(size - consumed, 1 << 20));
    uInt given = stream.avail_in;
    stream.next_out = block;
    stream.avail_out = sizeof block;
    int code = inflate(&stream, Z_NO_FLUSH);
    consumed += given - stream.avail_in;
    size_t produced = sizeof block - stream.avail_out;
    TW_TRY(writeAll(descriptor, block, produced));
    if (code == Z_STREAM_END)
      ended = true;
    else if (code != Z_OK && code != Z_BUF_ERROR)
      return Status::error(text(origin, " cannot be unpacked: ", stream.msg ? stream.msg : "damaged data"));
    else if (produced == 0 && consumed == size)
      return Status::error(text(origin, " cannot be unpacked: it is truncated; copy or make it again"));
  }
  return Status::ok();
}

Expected<std::shared_ptr<MappedFile>> inflateToScratch(const uint8_t *data, uint64_t size, bool gzip,
                                                       const std::string &origin) {
  z_stream stream{};
  // Window bits: 16 more for a gzip header, negative for none (zlib.h).
  if (inflateInit2(&stream, gzip ? 16 + MAX_WBITS : -MAX_WBITS) != Z_OK)
    return Status::error(text(origin, " cannot be unpacked: zlib does not start"));
  auto descriptor = openScratchFile();
  Status status =
      descriptor.failed() ? descriptor.takeStatus() : inflateAll(stream, data, size, gzip, *descriptor, origin);
  inflateEnd(&stream);
  if (status.failed()) {
    if (!descriptor.failed())
      ::close(*descriptor);
    return Status(std::move(status));
  }
  TW_ASSIGN(file, MappedFile::adopt(*descriptor, origin));
  return std::make_shared<MappedFile>(std::move(file));
}

} // namespace tw::rt
