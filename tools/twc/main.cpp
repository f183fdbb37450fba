// twc: an ONNX model and a recipe in, a training program out.
#include "tools/twc/Compiler.h"

#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tw::twc::Options options = tw::twc::parseOptions(argc, argv);
  return tw::twc::Compiler(options).run() ? 0 : 1;
}
