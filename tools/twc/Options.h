// twc's command line.
#ifndef TW_TOOLS_TWC_OPTIONS_H
#define TW_TOOLS_TWC_OPTIONS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tw::twc {

enum class Phase { Import, Adapt, Differentiate, Partition, Lower, All };
enum class WeightMode { Embed, Reference, Absent };
enum class Emit { Executable, Plan, Object };

struct Options {
  std::string model, recipe, output;
  std::vector<std::string> overrides;       // --set
  std::map<std::string, int64_t> dims;      // --dim
  std::vector<std::string> parameterInputs; // --parameter-inputs
  std::string parameterFile;                // --parameters-from
  std::map<std::string, std::string> parameterNames;
  std::string target = "host", cpu = "native";
  std::vector<unsigned> gpus; // --gpu: architectures, ascending; 90 is sm_90
  int64_t threads = 0;        // 0: all cores
  Phase stopAfter = Phase::All;
  WeightMode weights = WeightMode::Embed;
  Emit emit = Emit::Executable;
  bool memoryReport = false, quiet = false, locations = false;
};

/// Parses the command line; exits on --help and on errors, with a sentence.
Options parseOptions(int argc, char **argv);

/// Prints "twc: error: ..." and returns false.
bool fail(const std::string &message);

} // namespace tw::twc
#endif
