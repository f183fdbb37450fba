#include "runtime/train/CpuCheck.h"
#include "runtime/base/Text.h"

#include <sstream>
#include <vector>

namespace tw::rt {

namespace {

struct Feature {
  const char *name; // LLVM's
  bool here;
};

// Features that change which instructions a kernel may hold; others (tuning, system instructions) do not matter here.
#if defined(__x86_64__)
#define TW_FEATURE(llvm, gcc) {llvm, __builtin_cpu_supports(gcc) != 0}
std::vector<Feature> features() {
  __builtin_cpu_init();
  return {TW_FEATURE("sse3", "sse3"),
          TW_FEATURE("ssse3", "ssse3"),
          TW_FEATURE("sse4.1", "sse4.1"),
          TW_FEATURE("sse4.2", "sse4.2"),
          TW_FEATURE("popcnt", "popcnt"),
          TW_FEATURE("avx", "avx"),
          TW_FEATURE("avx2", "avx2"),
          TW_FEATURE("fma", "fma"),
          TW_FEATURE("f16c", "f16c"),
          TW_FEATURE("bmi", "bmi"),
          TW_FEATURE("bmi2", "bmi2"),
          TW_FEATURE("lzcnt", "lzcnt"),
          TW_FEATURE("movbe", "movbe"),
          TW_FEATURE("fma4", "fma4"),
          TW_FEATURE("xop", "xop"),
          TW_FEATURE("avx512f", "avx512f"),
          TW_FEATURE("avx512vl", "avx512vl"),
          TW_FEATURE("avx512bw", "avx512bw"),
          TW_FEATURE("avx512dq", "avx512dq"),
          TW_FEATURE("avx512cd", "avx512cd"),
          TW_FEATURE("avx512ifma", "avx512ifma"),
          TW_FEATURE("avx512vbmi", "avx512vbmi"),
          TW_FEATURE("avx512vbmi2", "avx512vbmi2"),
          TW_FEATURE("avx512vnni", "avx512vnni"),
          TW_FEATURE("avx512bitalg", "avx512bitalg"),
          TW_FEATURE("avx512vpopcntdq", "avx512vpopcntdq"),
          TW_FEATURE("avx512bf16", "avx512bf16"),
          TW_FEATURE("avx512fp16", "avx512fp16"),
          TW_FEATURE("avx512vp2intersect", "avx512vp2intersect"),
          TW_FEATURE("avxvnni", "avxvnni"),
          TW_FEATURE("vaes", "vaes"),
          TW_FEATURE("vpclmulqdq", "vpclmulqdq"),
          TW_FEATURE("gfni", "gfni"),
          TW_FEATURE("amx-tile", "amx-tile"),
          TW_FEATURE("amx-bf16", "amx-bf16"),
          TW_FEATURE("amx-int8", "amx-int8")};
}
#undef TW_FEATURE
#else
std::vector<Feature> features() {
  return {};
}
#endif

} // namespace

Status checkCpu(const std::string &cpu, const std::string &list) {
  std::vector<std::string> missing;
  std::istringstream in(list);
  const std::vector<Feature> known = features();
  for (std::string entry; std::getline(in, entry, ',');)
    if (entry.size() > 1 && entry[0] == '+')
      for (const Feature &feature : known)
        if (entry.compare(1, std::string::npos, feature.name) == 0 && !feature.here)
          missing.push_back(feature.name);
  if (missing.empty())
    return Status::ok();
  return Status::error(text("this program was compiled for the CPU ",
                            cpu.empty() ? "of another machine" : "'" + cpu + "'", "; this machine lacks ",
                            listText(missing), "; compile it here or with twc --cpu=x86-64-v3"));
}

} // namespace tw::rt
