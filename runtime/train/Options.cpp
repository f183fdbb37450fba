#include "runtime/train/Options.h"
#include "runtime/base/Text.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace tw::rt {

static void addData(CLI::App &app, Options &o) {
  app.add_option(
         "--data", o.data.files,
         "Training data, repeatable: F.npz with arrays named after the model's inputs, NAME=F.npy, or NAME=F for "
         "an IDX file (plain or gzip)")
      ->group("Data");
  app.add_option("--tokens", o.data.tokens, "File of token ids: inputs are windows, labels the same shifted by one")
      ->group("Data");
  app.add_option("--eval-data", o.evalData.files, "Data for --eval; without it, the training data")->group("Data");
  app.add_option("--eval-tokens", o.evalData.tokens, "Like --tokens, for --eval")->group("Data");
  app.add_option("--token-type", o.data.tokenType, "u8, u16, i32, or auto: by the size of the vocabulary")
      ->group("Data")
      ->check(CLI::IsMember({"auto", "u8", "u16", "i32"}));
  app.add_option("--normalize", o.data.normalize,
                 "NAME=MEAN,DEVIATION, repeatable: (value - MEAN) / DEVIATION, after bytes became [0, 1]")
      ->group("Data");
  app.add_flag("--shuffle,!--no-shuffle", o.shuffle,
               "Visit the rows of an epoch in a random order (default) or as they are")
      ->group("Data");
}

static void addTraining(CLI::App &app, Options &o, uint64_t &seed) {
  app.add_option("--steps", o.steps, "Stop after this many steps in all, those before --resume included")
      ->group("Training")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--epochs", o.epochs, "Stop after this many passes over the data (1 without --steps)")
      ->group("Training")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", seed, "Seed of row order and dropout (0)")->group("Training");
  app.add_flag("--eval", o.evaluate, "Evaluate at the end: loss, and accuracy where labels are classes")
      ->group("Training");
  app.add_option("--threads", o.threads, "Threads of this rank; default: as compiled")
      ->group("Training")
      ->check(CLI::Range(1, 4096));
}

static void addOutput(CLI::App &app, Options &o) {
  app.add_option("--save", o.save, "Folder for checkpoints; one is saved at the end and on SIGINT or SIGTERM")
      ->group("Output");
  app.add_option("--save-every", o.saveEvery, "Save a checkpoint every N steps")
      ->group("Output")
      ->check(CLI::PositiveNumber);
  app.add_option("--keep", o.keep, "Keep only the newest N checkpoints")->group("Output")->check(CLI::PositiveNumber);
  app.add_option("--resume", o.resume, "Go on from a checkpoint: the folder of --save or one step of it")
      ->group("Output");
  app.add_option("--export-onnx", o.exportOnnx, "Write the trained model as ONNX")->group("Output");
  app.add_option("--metrics", o.metrics, "Write step, loss, lr, grad_norm and speed as JSON lines")->group("Output");
  app.add_option("--tensorboard", o.tensorboard, "Folder for TensorBoard event files")->group("Output");
  app.add_option("--dump", o.dump,
                 "Write output, loss, gradients and updated parameters of the first step to DIR/step0.safetensors")
      ->group("Output");
  app.add_option("--log-every", o.logEvery, "Steps between two lines of progress")
      ->group("Output")
      ->check(CLI::PositiveNumber);
  app.add_option("--progress", o.progress, "auto: a bar on a terminal, else lines; always: a bar; never: neither")
      ->group("Output")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--memory", o.memory, "Print the planned arena and the measured peak of resident memory")
      ->group("Output");
  app.add_flag("--time", o.time, "Print the median time of a step as JSON")->group("Output");
  app.add_flag("--profile", o.profile, "Print the time of each kernel, summed over the steps")->group("Output");
}

Expected<ParsedOptions> parseOptions(int argc, const char *const *argv) {
  ParsedOptions parsed;
  Options &o = parsed.options;
  CLI::App app("Trains the model that this program was compiled from.");
  app.set_help_flag("-h,--help", "Print this text");
  uint64_t seed = 0;
  addData(app, o);
  addTraining(app, o, seed);
  addOutput(app, o);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::cout << app.help();
    parsed.exitCode = 0;
    return parsed;
  } catch (const CLI::ParseError &error) {
    return Status::error(text(error.what(), " (--help lists all options)"));
  }
  if (app.count("--seed"))
    o.seed = seed;
  o.evalData.tokenType = o.data.tokenType;
  o.evalData.normalize = o.data.normalize;
  if (o.data.empty() && o.evalData.empty() && o.exportOnnx.empty())
    return Status::error("there is nothing to do: give --data, --tokens or --eval-data (--help lists all options)");
  if (o.data.empty() && (o.steps > 0 || o.epochs > 0 || !o.dump.empty()))
    return Status::error("training needs --data or --tokens");
  if (o.saveEvery > 0 && o.save.empty())
    return Status::error("--save-every needs --save");
  if (!o.evalData.empty())
    o.evaluate = true;
  return parsed;
}

} // namespace tw::rt
