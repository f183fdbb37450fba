#include "test/runtime/support/TestData.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <zlib.h>

namespace tw::test {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tw-test-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}
void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

static void put(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8)
    out += char(value);
}

std::string npyBytes(const std::string &type, const std::vector<int64_t> &shape, const std::string &data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : shape)
    header += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
  header += "), }";
  header.resize((header.size() + 10 + 63) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  std::string out("\x93NUMPY\1\0", 8);
  put(out, header.size(), 2);
  return out + header + data;
}

static std::string deflate(const std::string &bytes, int windowBits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = uInt(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
std::string gzipBytes(const std::string &bytes) {
  return deflate(bytes, 16 + MAX_WBITS);
}

std::string npzBytes(const std::vector<std::pair<std::string, std::string>> &arrays, bool deflated) {
  std::string out, directory;
  for (auto &[name, array] : arrays) {
    std::string file = name + ".npy", packed = deflated ? deflate(array, -MAX_WBITS) : array, common;
    put(common, 20, 2);               // version needed
    put(common, 0, 2);                // flags
    put(common, deflated ? 8 : 0, 2); // method
    put(common, 0, 4);                // time
    put(common, crc32(0, reinterpret_cast<const Bytef *>(array.data()), uInt(array.size())), 4);
    put(common, packed.size(), 4);
    put(common, array.size(), 4);
    put(common, file.size(), 2);
    put(common, 0, 2); // extra
    std::string entry("PK\1\2", 4);
    put(entry, 20, 2);
    entry += common;
    put(entry, 0, 2 + 2 + 2 + 4); // comment, disk, attributes
    put(entry, out.size(), 4);
    directory += entry + file;
    out += std::string("PK\3\4", 4) + common + file + packed;
  }
  std::string end("PK\5\6", 4);
  put(end, 0, 4);
  put(end, arrays.size(), 2);
  put(end, arrays.size(), 2);
  put(end, directory.size(), 4);
  put(end, out.size(), 4);
  put(end, 0, 2);
  return out + directory + end;
}

std::string idxBytes(const std::vector<uint32_t> &shape, const std::string &data) {
  std::string out("\0\0\x08", 3);
  out += char(shape.size());
  for (uint32_t extent : shape)
    for (int byte = 3; byte >= 0; --byte)
      out += char(extent >> (8 * byte));
  return out + data;
}

} // namespace tw::test
