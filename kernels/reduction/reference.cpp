#include "kernels/testing/Element.h"

#include <cmath>
#include <cstring>

using namespace tw::kernels;
using namespace tw::kernels::testing;

static double combine(const char *kind, double a, double b) {
  if (strcmp(kind, "sum") == 0)
    return a + b;
  if (strcmp(kind, "prod") == 0)
    return a * b;
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return strcmp(kind, "max") == 0 ? std::fmax(a, b) : std::fmin(a, b);
}

TW_REFERENCE(reduce) {
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  const char *kind = findAttribute(call, "kind")->string;
  const tw_attribute *dimensions = findAttribute(call, "dimensions");
  double start = strcmp(kind, "sum") == 0    ? 0
                 : strcmp(kind, "prod") == 0 ? 1
                 : strcmp(kind, "max") == 0  ? -INFINITY
                                             : INFINITY;
  std::vector<double> totals(elements(result), start);
  for (int64_t i = 0; i < elements(input); ++i) {
    Shape at = coordinates(input, i), to;
    for (int d = 0; d < input.rank; ++d) {
      bool reduced = false;
      for (int64_t j = 0; j < dimensions->count; ++j)
        reduced |= dimensions->ints[j] == d;
      if (!reduced)
        to.push_back(at[d]);
    }
    double &total = totals[indexOf(result, to)];
    total = combine(kind, total, get(input, i));
  }
  for (int64_t i = 0; i < elements(result); ++i)
    set(result, i, totals[i]);
  return 0;
}
