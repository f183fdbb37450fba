#include "tools/twc/Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

namespace tw::twc {
namespace {

cl::OptionCategory category("twc options");
cl::opt<std::string> model(cl::Positional, cl::Required, cl::desc("<model.onnx>"), cl::cat(category));
cl::opt<std::string> recipe("recipe", cl::desc("What to train and how (docs/recipe.md); default: cross-entropy, SGD"),
                            cl::value_desc("recipe.json"), cl::cat(category));
cl::list<std::string> overrides("set", cl::desc("Override one value of the recipe; repeat for each"),
                                cl::value_desc("a.b=value"), cl::cat(category));
cl::list<std::string> dims("dim", cl::desc("Size of a symbolic dimension; repeat for each"), cl::value_desc("name=size"),
                           cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Where the program goes (with --stop-after: the IR; default there: standard "
                                          "output)"),
                            cl::value_desc("file"), cl::cat(category));
cl::opt<std::string> target("target", cl::desc("What the program runs on: host (default) or cuda"),
                            cl::value_desc("host|cuda"), cl::init("host"), cl::cat(category));
cl::opt<std::string> cpu("cpu", cl::desc("The CPU to generate code for, by LLVM's name, such as haswell (default: native)"),
                         cl::value_desc("name"), cl::init("native"), cl::cat(category));
cl::opt<int64_t> threads("threads", cl::desc("Threads a kernel may use on each rank (default: all cores)"),
                         cl::value_desc("n"), cl::init(0), cl::cat(category));
cl::opt<Phase> stopAfter("stop-after", cl::desc("Print the program after a phase and stop:"), cl::init(Phase::All),
                         cl::values(clEnumValN(Phase::Import, "import", "the model as graph IR"),
                                    clEnumValN(Phase::Adapt, "adapt", "with its loss"),
                                    clEnumValN(Phase::Differentiate, "differentiate", "the whole training step"),
                                    clEnumValN(Phase::Partition, "partition", "the step of one rank"),
                                    clEnumValN(Phase::Lower, "lower", "the plan")),
                         cl::cat(category));
cl::opt<WeightMode>
    weights("weights", cl::desc("First values of the weights:"), cl::init(WeightMode::Embed),
            cl::values(clEnumValN(WeightMode::Embed, "embed", "copied into the program (default)"),
                       clEnumValN(WeightMode::Reference, "reference", "read from the model's files when it starts"),
                       clEnumValN(WeightMode::Absent, "absent", "none: a program to plan with")),
            cl::cat(category));
cl::opt<Emit> emit("emit", cl::desc("What to write:"), cl::init(Emit::Executable),
                   cl::values(clEnumValN(Emit::Executable, "executable", "the training program (default)"),
                              clEnumValN(Emit::Plan, "plan", "the plan alone, for tw-plan"),
                              clEnumValN(Emit::Object, "object", "the object file of the generated kernels")),
                   cl::cat(category));
cl::list<std::string> parameterInputs("parameter-inputs",
                                      cl::desc("Inputs that are parameters; repeat for each pattern"),
                                      cl::value_desc("pattern"), cl::cat(category));
cl::opt<std::string> parameterFile("parameters-from", cl::desc("File that holds the values of --parameter-inputs"),
                                   cl::value_desc("file.safetensors or file.onnx"), cl::cat(category));
cl::list<std::string> parameterNames("parameter-name",
                                     cl::desc("Name in --parameters-from where it differs from the input's"),
                                     cl::value_desc("input=name"), cl::cat(category));
cl::opt<bool> memoryReport("memory-report", cl::desc("Print what the program's memory is for"), cl::cat(category));
cl::opt<bool> quiet("quiet", cl::desc("No progress lines"), cl::cat(category));
cl::opt<bool> locations("locations", cl::desc("With --stop-after: print the ONNX node of each op"), cl::cat(category));

void readDims(Options &options) {
  for (llvm::StringRef text : dims) {
    auto [name, size] = text.rsplit('=');
    int64_t value;
    if (name.empty() || size.getAsInteger(10, value) || value < 1)
      exit(fail("--dim " + text.str() + ": expected name=size with a size of at least 1, such as --dim batch=8") ? 0 : 1);
    if (!options.dims.insert({name.str(), value}).second)
      exit(fail("--dim " + name.str() + " is given twice") ? 0 : 1);
  }
  for (llvm::StringRef text : parameterNames) {
    auto [input, name] = text.split('=');
    if (input.empty() || name.empty())
      exit(fail("--parameter-name " + text.str() + ": expected input=name") ? 0 : 1);
    options.parameterNames[input.str()] = name.str();
  }
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
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles an ONNX model and a recipe into a program that trains the model.\n\n"
                              "  twc model.onnx --recipe recipe.json --dim batch=8 -o train\n"
                              "  ./train --data data.npz --steps 200\n");
  Options options;
  options.model = model;
  options.recipe = recipe;
  options.output = output;
  options.overrides.assign(overrides.begin(), overrides.end());
  options.target = target;
  options.cpu = cpu;
  options.threads = threads;
  options.stopAfter = stopAfter;
  options.weights = weights;
  options.emit = emit;
  options.memoryReport = memoryReport;
  options.quiet = quiet;
  options.locations = locations;
  options.parameterInputs.assign(parameterInputs.begin(), parameterInputs.end());
  options.parameterFile = parameterFile;
  readDims(options);
  if (options.target != "host" && options.target != "cuda")
    exit(fail("--target must be host or cuda, found '" + options.target + "'") ? 0 : 1);
  if (options.threads < 0)
    exit(fail("--threads must not be negative") ? 0 : 1);
  if (options.output.empty() && options.stopAfter == Phase::All && !options.memoryReport)
    exit(fail("say where the program goes, with -o") ? 0 : 1);
  return options;
}

} // namespace tw::twc
