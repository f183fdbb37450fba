// CLI11 and not LLVM's command line: the LLVM library registers options of its own under some of these names.
#include "tools/twc/Options.h"

#include "passes/Lower/EmitDeviceCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

namespace tw::twc {
namespace {

template <typename Enum>
CLI::Validator choices(std::map<std::string, Enum> names) {
  return CLI::CheckedTransformer(std::move(names)).description("");
}

void addInputs(CLI::App &app, Options &options, std::vector<std::string> &dims, std::vector<std::string> &names) {
  app.add_option("model", options.model, "The ONNX model")->required()->type_name("MODEL.onnx");
  app.add_option("--recipe", options.recipe, "What to train and how (docs/recipe.md); default: cross-entropy, SGD")
      ->type_name("RECIPE.json");
  app.add_option("--set", options.overrides, "Override one value of the recipe; repeat for each")
      ->type_name("A.B=VALUE")
      ->allow_extra_args(false);
  app.add_option("--dim", dims, "Size of a symbolic dimension; repeat for each")
      ->type_name("NAME=SIZE")
      ->allow_extra_args(false);
  app.add_option("--parameter-inputs", options.parameterInputs, "Inputs that are parameters; repeat for each pattern")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  app.add_option("--parameters-from", options.parameterFile,
                 "safetensors or ONNX file that holds the values of --parameter-inputs")
      ->type_name("FILE");
  app.add_option("--parameter-name", names, "Name in --parameters-from where it differs from the input's")
      ->type_name("INPUT=NAME")
      ->allow_extra_args(false);
}

void addOutputs(CLI::App &app, Options &options, std::vector<std::string> &gpus) {
  app.add_option("-o,--output", options.output,
                 "Where the program goes (with --stop-after: the IR; there the default is standard output)")
      ->type_name("FILE");
  app.add_option("--target", options.target, "What the program runs on: host (default) or cuda")
      ->check(CLI::IsMember({"host", "cuda"}).description(""))
      ->type_name("TARGET");
  app.add_option("--cpu", options.cpu,
                 "The CPU to generate code for, by LLVM's name, such as haswell; default: native, the one at hand")
      ->type_name("NAME");
  app.add_option("--gpu", gpus,
                 "With --target cuda: a GPU architecture to generate code for, by NVIDIA's name; repeat for each; "
                 "default: sm_80 and sm_90. Newer ones compile the oldest's code when the program starts")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--threads", options.threads, "Threads a kernel may use on each rank; default: 0, all cores")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  app.add_option("--stop-after", options.stopAfter,
                 "Print the program after a phase and stop: import, adapt, differentiate, partition or lower")
      ->transform(choices<Phase>({{"import", Phase::Import},
                                  {"adapt", Phase::Adapt},
                                  {"differentiate", Phase::Differentiate},
                                  {"partition", Phase::Partition},
                                  {"lower", Phase::Lower}}))
      ->type_name("PHASE");
  app.add_option("--weights", options.weights,
                 "First values of the weights: embed (default) copies them into the program, reference reads them from "
                 "the model's files when it starts, absent has none: a program to plan with")
      ->transform(choices<WeightMode>(
          {{"embed", WeightMode::Embed}, {"reference", WeightMode::Reference}, {"absent", WeightMode::Absent}}))
      ->type_name("MODE");
  app.add_option(
         "--emit", options.emit,
         "What to write: executable (default), plan (for tw-plan) or object (the generated kernels; for CUDA as PTX)")
      ->transform(choices<Emit>({{"executable", Emit::Executable}, {"plan", Emit::Plan}, {"object", Emit::Object}}))
      ->type_name("WHAT");
  app.add_flag("--memory-report", options.memoryReport, "Print what the program's memory is for");
  app.add_flag("--locations", options.locations, "With --stop-after: print the ONNX node of each op");
  app.add_flag("--quiet", options.quiet, "No progress lines and warnings");
}

[[noreturn]] void refuse(const std::string &message) {
  fail(message);
  exit(1);
}

void readPairs(Options &options, const std::vector<std::string> &dims, const std::vector<std::string> &names) {
  for (llvm::StringRef text : dims) {
    auto [name, size] = text.rsplit('=');
    int64_t value;
    if (name.empty() || size.getAsInteger(10, value) || value < 1)
      refuse("--dim " + text.str() + ": expected name=size with a size of at least 1, such as --dim batch=8");
    if (!options.dims.insert({name.str(), value}).second)
      refuse("--dim " + name.str() + " is given twice");
  }
  for (llvm::StringRef text : names) {
    auto [input, name] = text.split('=');
    if (input.empty() || name.empty())
      refuse("--parameter-name " + text.str() + ": expected input=name");
    options.parameterNames[input.str()] = name.str();
  }
}
void readGpus(Options &options, const std::vector<std::string> &names) {
  if (!names.empty() && options.target != "cuda")
    refuse("--gpu " + names.front() + ": only with --target cuda");
  for (const std::string &name : names) {
    std::string message;
    auto architecture = lower::parseArchitecture(name, message);
    if (failed(architecture))
      refuse("--gpu: " + message);
    options.gpus.push_back(*architecture);
  }
  if (names.empty())
    options.gpus = lower::DeviceOptions().architectures;
  llvm::sort(options.gpus);
  options.gpus.erase(llvm::unique(options.gpus), options.gpus.end());
}

/// A CUDA program needs the CUDA target's libraries; a plan for one does not.
void checkTarget(const Options &options) {
#ifndef TW_CUDA
  if (options.target == "cuda" && options.emit == Emit::Executable && options.stopAfter == Phase::All &&
      !options.output.empty())
    refuse("this twc was built without CUDA, so it cannot link a program for it: configure the build with -DTW_CUDA=ON "
           "(the preset cuda does), or write the plan alone with --emit plan");
#endif
}
} // namespace

bool fail(const std::string &message) {
  llvm::StringRef rest = message;
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    llvm::errs() << "twc: error: " << line << "\n";
    rest = next;
  }
  return false;
}

Options parseOptions(int argc, char **argv) {
  Options options;
  std::vector<std::string> dims, names, gpus;
  CLI::App app("Compiles an ONNX model and a recipe into a program that trains the model.\n\n"
               "  twc model.onnx --recipe recipe.json --dim batch=8 -o train\n"
               "  ./train --data data.npz --steps 200\n",
               "twc");
  app.get_formatter()->column_width(36);
  addInputs(app, options, dims, names);
  addOutputs(app, options, gpus);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) { // --help
    exit(app.exit(request));
  } catch (const CLI::ParseError &error) {
    refuse(std::string(error.what()) + "; twc --help lists all options");
  }
  readPairs(options, dims, names);
  readGpus(options, gpus);
  checkTarget(options);
  if (options.output.empty() && options.stopAfter == Phase::All && !options.memoryReport)
    refuse("say where the program goes, with -o");
  for (const std::string &input : {options.model, options.recipe})
    if (!options.output.empty() && !input.empty() && llvm::sys::fs::equivalent(options.output, input))
      refuse("the output '" + options.output + "' is the input '" + input + "': choose another name");
  return options;
}

} // namespace tw::twc
