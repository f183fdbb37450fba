// kernels_benchmark: every host kernel on the large cases, with Google Benchmark's options.
// TW_THREADS sets the threads of a kernel (default: all).
#include "kernels/testing/Case.h"

#include "kernels/abi/types.h"
#include "kernels/support/Call.h"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <memory>
#include <omp.h>

using namespace tw::kernels::testing;

static void runCase(benchmark::State &state, const Case &testCase, int threads) {
  TestCall call(testCase, threads);
  std::string kernel = testCase.kernel + "_host", error = call.run(kernel);
  for (auto step : state) {
    if (!error.empty()) {
      state.SkipWithError(error.c_str());
      return;
    }
    error = call.run(kernel);
  }
  double bytes = 0;
  for (int i = 0; i < call.call().input_count; ++i)
    bytes += double(tw::kernels::elements(call.input(i))) * double(tw_type_size(call.input(i).type));
  for (int i = 0; i < call.outputCount(); ++i)
    bytes += double(tw::kernels::elements(call.output(i))) * double(tw_type_size(call.output(i).type));
  state.counters["GB/s"] = benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  if (testCase.operations > 0)
    state.counters["GFLOP/s"] =
        benchmark::Counter(testCase.operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

int main(int argc, char **argv) {
  const char *wanted = getenv("TW_THREADS");
  int threads = wanted ? atoi(wanted) : omp_get_max_threads();
  std::vector<Case> cases = allCases();
  for (const Case &testCase : cases)
    if (testCase.benchmark)
      benchmark::RegisterBenchmark(testCase.label().c_str(),
                                   [&testCase, threads](benchmark::State &state) { runCase(state, testCase, threads); })
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
