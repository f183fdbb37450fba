// attention_benchmark: what tools/benchmark-attention asks for, one line each on standard input, answered by one line.
//   fused   B H S D CAUSAL          milliseconds of attention and attention_backward
//   unfused B H S D CAUSAL          the same by matmul, softmax and softmax_backward, with S x S scores in memory
//   error   B H S D CAUSAL FOLDER   reads query, key, value and cotangent (.f32 files) there; writes result, d_query,
//                                   d_key and d_value
//   memory  B H S D CAUSAL          bytes of workspace of the forward and the backward kernel
// TW_THREADS sets the threads (default: all).
#include "kernels/support/Call.h"
#include "kernels/testing/Case.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <omp.h>
#include <sstream>

using namespace tw::kernels;
using namespace tw::kernels::testing;

namespace {

struct Sizes {
  int64_t batch, heads, length, width, causal;
};

void must(const std::string &error) {
  if (error.empty())
    return;
  std::cerr << "attention_benchmark: " << error << "\n";
  std::exit(1);
}

/// attention and attention_backward on the same tensors.
class Fused {
public:
  Fused(const Sizes &s, int threads) : forward(forwardCase(s), threads), backward(backwardCase(s), threads) {
    for (int i = 0; i < 3; ++i)
      backward.input(1 + i) = forward.input(i);
    for (int i = 0; i < 2; ++i)
      backward.input(4 + i) = forward.output(i);
  }
  void run() {
    must(forward.run("attention_f32_host"));
    must(backward.run("attention_backward_f32_host"));
  }
  /// The named tensor: operands of the forward op, the cotangent, results of both.
  const tw_tensor &tensor(const std::string &name) {
    const std::map<std::string, const tw_tensor *> tensors = {
        {"query", &forward.input(0)},   {"key", &forward.input(1)},        {"value", &forward.input(2)},
        {"result", &forward.output(0)}, {"cotangent", &backward.input(0)}, {"d_query", &backward.output(0)},
        {"d_key", &backward.output(1)}, {"d_value", &backward.output(2)}};
    return *tensors.at(name);
  }
  std::string memory() {
    size_t bytes[2] = {tw_find_kernel("attention_f32_host")->workspace_bytes(&forward.call()),
                       tw_find_kernel("attention_backward_f32_host")->workspace_bytes(&backward.call())};
    return std::to_string(bytes[0]) + " " + std::to_string(bytes[1]);
  }

private:
  static std::vector<Attribute> attributes(const Sizes &s) {
    std::vector<Attribute> list = {real("scale", 1 / std::sqrt(double(s.width)))};
    if (s.causal)
      list.push_back(unit("causal"));
    return list;
  }
  static Case forwardCase(const Sizes &s) {
    Operand rows = floats({s.batch, s.heads, s.length, s.width}), logs = floats({s.batch, s.heads, s.length});
    return {"attention_f32", attention_reference, {rows, rows, rows}, {rows, logs}, attributes(s)};
  }
  static Case backwardCase(const Sizes &s) {
    Case forward = forwardCase(s);
    const Operand &rows = forward.outputs[0];
    return {"attention_backward_f32",
            attention_backward_reference,
            {rows, rows, rows, rows, rows, forward.outputs[1]},
            {rows, rows, rows},
            forward.attributes};
  }
  TestCall forward, backward;
};

/// The same operations with S x S tensors: p = softmax(scale q k^T), y = p v, and back.
class Unfused {
public:
  Unfused(const Sizes &s, int threads)
      : s(s), threads(threads), scoresOf(product(rows(), rows(), square(), "transpose_rhs"), threads),
        resultOf(product(square(), rows(), rows(), nullptr), threads),
        dValueOf(product(square(), rows(), rows(), "transpose_lhs"), threads),
        dQueryOf(product(square(), rows(), rows(), nullptr), threads),
        dKeyOf(product(square(), rows(), rows(), "transpose_lhs"), threads),
        softmaxOf({"softmax_f32", softmax_reference, {square()}, {square()}, {ints("axis", {3})}}, threads),
        backOf(
            {"softmax_backward_f32", softmax_backward_reference, {square(), square()}, {square()}, {ints("axis", {3})}},
            threads) {
    softmaxOf.input(0) = softmaxOf.output(0) = resultOf.input(0) = dValueOf.input(0) = backOf.input(1) =
        scoresOf.output(0);
    backOf.output(0) = dQueryOf.input(0) = dKeyOf.input(0) = backOf.input(0);
  }
  void run() {
    must(scoresOf.run("matmul_f32_host"));
    scale(scoresOf.output(0), s.causal);
    must(softmaxOf.run("softmax_f32_host"));
    must(resultOf.run("matmul_f32_host"));
    must(dValueOf.run("matmul_f32_host"));
    tw_tensor kept = scoresOf.output(0);
    scoresOf.output(0) = backOf.input(0); // dy v^T
    must(scoresOf.run("matmul_f32_host"));
    scoresOf.output(0) = kept;
    must(backOf.run("softmax_backward_f32_host"));
    scale(backOf.output(0), false);
    must(dQueryOf.run("matmul_f32_host"));
    must(dKeyOf.run("matmul_f32_host"));
  }

private:
  Operand rows() const { return floats({s.batch, s.heads, s.length, s.width}); }
  Operand square() const { return floats({s.batch, s.heads, s.length, s.length}); }
  static Case product(Operand lhs, Operand rhs, Operand result, const char *transposed) {
    Case made{"matmul_f32", matmul_reference, {std::move(lhs), std::move(rhs)}, {std::move(result)}, {}};
    if (transposed)
      made.attributes.push_back(unit(transposed));
    return made;
  }
  void scale(const tw_tensor &tensor, bool causal) const {
    float factor = float(1 / std::sqrt(double(s.width))), *data = static_cast<float *>(tensor.data);
#pragma omp parallel for num_threads(threads)
    for (int64_t row = 0; row < s.batch * s.heads * s.length; ++row) {
      float *to = data + row * s.length;
      for (int64_t j = 0; j < s.length; ++j)
        to[j] *= factor;
      for (int64_t j = row % s.length + 1; causal && j < s.length; ++j)
        to[j] = -INFINITY;
    }
  }
  Sizes s;
  int threads;
  TestCall scoresOf, resultOf, dValueOf, dQueryOf, dKeyOf, softmaxOf, backOf;
};

template <typename Work>
std::string milliseconds(Work &work) {
  auto start = std::chrono::steady_clock::now();
  work.run();
  return std::to_string(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
}

std::string runOnFiles(Fused &work, const std::string &folder) {
  auto bytes = [](const tw_tensor &tensor) { return std::streamsize(elements(tensor) * int64_t(sizeof(float))); };
  for (const char *name : {"query", "key", "value", "cotangent"}) {
    const tw_tensor &tensor = work.tensor(name);
    std::ifstream file(folder + "/" + name + ".f32", std::ios::binary);
    if (!file.read(static_cast<char *>(tensor.data), bytes(tensor)))
      must("cannot read " + folder + "/" + name + ".f32");
  }
  work.run();
  for (const char *name : {"result", "d_query", "d_key", "d_value"}) {
    const tw_tensor &tensor = work.tensor(name);
    std::ofstream file(folder + "/" + name + ".f32", std::ios::binary);
    if (!file.write(static_cast<const char *>(tensor.data), bytes(tensor)))
      must("cannot write " + folder + "/" + name + ".f32");
  }
  return "written";
}

std::string answer(const std::string &line, int threads) {
  static std::string made; // what the work below was made for
  static std::unique_ptr<Fused> fused;
  static std::unique_ptr<Unfused> unfused;
  std::istringstream words(line);
  std::string command, folder;
  Sizes s{};
  if (!(words >> command >> s.batch >> s.heads >> s.length >> s.width >> s.causal))
    must("does not understand '" + line + "'");
  words >> folder;
  if (made != line) {
    fused.reset();
    unfused.reset();
    made = line;
  }
  if (command == "unfused") {
    if (!unfused)
      unfused = std::make_unique<Unfused>(s, threads);
    return milliseconds(*unfused);
  }
  if (!fused)
    fused = std::make_unique<Fused>(s, threads);
  if (command == "memory")
    return fused->memory();
  return command == "error" ? runOnFiles(*fused, folder) : milliseconds(*fused);
}

} // namespace

int main() {
  const char *wanted = getenv("TW_THREADS");
  int threads = wanted ? atoi(wanted) : omp_get_max_threads();
  for (std::string line; std::getline(std::cin, line);)
    std::cout << answer(line, threads) << std::endl;
  return 0;
}
