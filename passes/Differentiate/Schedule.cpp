#include "passes/Differentiate/Schedule.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tw::differentiate {

/// log: ln(i + 1) / ln(warm-up steps); linear: i / warm-up steps.
static Value warmupRatio(Elementwise &e, Value iteration, const ScheduleOptions &options, double steps) {
  if (options.warmup == WarmupKind::Linear)
    return e.scale(iteration, 1.0 / steps);
  return e.scale(e.log(e.plus(iteration, 1.0)), 1.0 / std::log(steps));
}

/// max(0, (total - i) / max(1, total - warm-up))
static Value linearDecay(Elementwise &e, Value iteration, double total, double warmup) {
  Value left = e.sub(e.constant(iteration, total), iteration);
  return e.maximum(e.scale(left, 1.0 / std::max(1.0, total - warmup)), e.constant(iteration, 0.0));
}

/// min + (1 - min) (1 + cos(pi min(1, (i - warm-up + 1) / max(1, total - warm-up)))) / 2
static Value cosineDecay(Elementwise &e, Value iteration, double total, double warmup, double minRatio) {
  Value progress = e.scale(e.plus(iteration, 1.0 - warmup), 1.0 / std::max(1.0, total - warmup));
  Value clamped = e.minimum(progress, e.constant(progress, 1.0));
  Value wave = e.scale(e.plus(e.cos(e.scale(clamped, M_PI)), 1.0), 0.5);
  return e.plus(e.scale(wave, 1.0 - minRatio), minRatio);
}

Value buildLearningRate(Elementwise &e, Value step, const OptimizerOptions &options) {
  const ScheduleOptions &schedule = options.schedule;
  if (schedule.kind == ScheduleKind::Constant)
    return e.constant(step, options.learningRate);
  double warmup = std::max<double>(2, schedule.warmupSteps), total = schedule.totalSteps;
  double high = options.learningRate, low = options.learningRate * schedule.warmupMinRatio;
  if (schedule.kind != ScheduleKind::WarmupCosineLR) {
    high = schedule.warmupMaxLearningRate < 0 ? options.learningRate : schedule.warmupMaxLearningRate;
    low = schedule.warmupMinLearningRate;
  }
  // DeepSpeed's schedulers are stepped after the optimizer, so step s sees iteration s - 1, and the first the minimum.
  Value iteration = e.maximum(e.plus(step, -1.0), e.constant(step, 0.0));
  Value rising = e.plus(e.scale(warmupRatio(e, iteration, schedule, warmup), high - low), low);
  Value after = e.constant(step, high);
  if (schedule.kind == ScheduleKind::WarmupDecayLR)
    after = e.plus(e.scale(linearDecay(e, iteration, total, warmup), high - low), low);
  else if (schedule.kind == ScheduleKind::WarmupCosineLR)
    after = e.scale(cosineDecay(e, iteration, total, warmup, schedule.cosineMinRatio), high);
  Value scheduled = e.selectLess(iteration, e.constant(step, warmup), rising, after);
  if (schedule.kind != ScheduleKind::WarmupCosineLR)
    return scheduled;
  // WarmupCosineLR alone starts at 0, whatever its minimal ratio.
  return e.selectLess(step, e.constant(step, 1.0), e.constant(step, 0.0), scheduled);
}

} // namespace tw::differentiate
