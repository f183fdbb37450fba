#include "runtime/plan/DeviceCode.h"
#include "runtime/base/Text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <elf.h>

namespace tw::rt {

static constexpr int machineCuda = 190, abiWithWideArchitecture = 8;

static bool isNameLetter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '$' || letter == '.';
}

// `.visible .entry name(.param .u64 name_param_0, ...)` for each kernel.
Expected<DeviceCode> readPtx(const std::string &ptx) {
  DeviceCode code;
  size_t target = ptx.find(".target sm_");
  if (ptx.find(".version") == std::string::npos || target == std::string::npos)
    return Status::error("the PTX has no version or target");
  code.architecture = std::atoi(ptx.c_str() + target + std::strlen(".target sm_"));
  static const std::string entry = ".entry ", parameter = ".param ";
  for (size_t at = ptx.find(entry); at != std::string::npos; at = ptx.find(entry, at)) {
    size_t name = at + entry.size(), end = name;
    while (end < ptx.size() && isNameLetter(ptx[end]))
      ++end;
    size_t body = ptx.find('{', end);
    if (end == name || body == std::string::npos)
      return Status::error("the PTX ends in the middle of a kernel");
    int count = 0;
    for (size_t p = ptx.find(parameter, end); p < body; p = ptx.find(parameter, p + 1))
      ++count;
    code.kernels[ptx.substr(name, end - name)] = count;
    at = body;
  }
  return code;
}

Expected<DeviceCode> readCubin(const std::string &bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    return Status::error("the cubin is no ELF file");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != machineCuda)
    return Status::error("the cubin is an ELF file for another machine");
  auto damaged = [] { return Status::error("the cubin is damaged: a part lies outside of it"); };
  auto inside = [&](uint64_t offset, uint64_t size) { return offset <= bytes.size() && size <= bytes.size() - offset; };
  auto section = [&](size_t index) {
    Elf64_Shdr result;
    std::memcpy(&result, bytes.data() + header.e_shoff + index * sizeof result, sizeof result);
    return result;
  };
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
      !inside(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)))
    return damaged();
  Elf64_Shdr names = section(header.e_shstrndx);
  if (!inside(names.sh_offset, names.sh_size))
    return damaged();
  DeviceCode code;
  code.architecture = int(header.e_ident[EI_ABIVERSION] >= abiWithWideArchitecture ? header.e_flags >> 8 & 0xff
                                                                                   : header.e_flags & 0xff);
  static const std::string prefix = ".text.";
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr part = section(i);
    if (part.sh_name >= names.sh_size || (part.sh_type != SHT_NOBITS && !inside(part.sh_offset, part.sh_size)))
      return damaged();
    const char *name = bytes.data() + names.sh_offset + part.sh_name;
    std::string text(name, strnlen(name, names.sh_size - part.sh_name));
    if (text.compare(0, prefix.size(), prefix) == 0)
      code.kernels[text.substr(prefix.size())] = -1;
  }
  return code;
}

Expected<const std::string *> codeFor(const planpb::Plan &plan, int gpu) {
  const planpb::Cubin *best = nullptr;
  for (const planpb::Cubin &cubin : plan.cubins())
    if (runsOn(int(cubin.architecture()), gpu))
      best = &cubin; // they ascend
  if (best)
    return &best->code();
  TW_ASSIGN(ptx, readPtx(plan.device_code()));
  if (ptx.architecture > gpu)
    return Status::error(text("this GPU is an sm_", gpu, ", the program was compiled for sm_", ptx.architecture,
                              " and newer; compile it with twc --gpu=sm_", gpu));
  return &plan.device_code();
}

} // namespace tw::rt
