// Data files for tests, written byte by byte, and a folder of their own.
#ifndef TW_TEST_RUNTIME_SUPPORT_TESTDATA_H
#define TW_TEST_RUNTIME_SUPPORT_TESTDATA_H

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tw::test {

/// A folder that is removed with its content at the end.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string path(const std::string &name) const { return path_ + "/" + name; }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &bytes);

/// A .npy file: `type` as NumPy writes it, such as "<f4".
std::string npyBytes(const std::string &type, const std::vector<int64_t> &shape, const std::string &data);
template <typename T>
std::string npyOf(const std::string &type, std::vector<int64_t> shape, const std::vector<T> &values) {
  return npyBytes(type, shape, std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)));
}
/// A ZIP archive of arrays, stored or deflated.
std::string npzBytes(const std::vector<std::pair<std::string, std::string>> &arrays, bool deflated = false);
std::string idxBytes(const std::vector<uint32_t> &shape, const std::string &data);
std::string gzipBytes(const std::string &bytes);

} // namespace tw::test
#endif
