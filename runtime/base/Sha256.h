// SHA-256 (FIPS 180-4).
#ifndef TW_RUNTIME_BASE_SHA256_H
#define TW_RUNTIME_BASE_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tw::rt {

using Digest = std::array<uint8_t, 32>;

class Sha256 {
public:
  void update(const void *data, size_t size);
  Digest finish();

private:
  void block(const uint8_t *bytes);
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  size_t pendingSize_ = 0;
  uint64_t total_ = 0;
};

Digest sha256(const void *data, size_t size);
std::string hexText(const void *data, size_t size);

} // namespace tw::rt
#endif
