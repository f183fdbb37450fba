// Checkpoints: DIR/step-000100/{model.safetensors, state.json} and DIR/latest, which names the newest.
// They hold logical tensors and appear whole or not at all.
#ifndef TW_RUNTIME_TRAIN_CHECKPOINT_H
#define TW_RUNTIME_TRAIN_CHECKPOINT_H

#include "runtime/exec/Session.h"
#include "runtime/train/data/Sampler.h"
#include "runtime/train/Safetensors.h"

namespace tw::rt {

/// What training needs besides the parameters to go on exactly.
struct TrainingState {
  int64_t step = 0; // steps done
  DataPosition position;
  uint64_t seed = 0;
  bool shuffle = true;
  int64_t datasetRows = 0;
};

/// "step-000100".
std::string checkpointName(int64_t step);
/// Writes folder/step-N, points `latest` at it and removes all but the newest `keep` (0: all stay).
/// On failure the checkpoints that were there are untouched.
Status saveCheckpoint(Session &session, const TrainingState &state, const std::string &folder, int keep);
/// `path` is a folder with `latest` or one checkpoint. A checkpoint of another model is refused, naming the first
/// tensor that differs; then nothing in the arena has changed.
Expected<TrainingState> loadCheckpoint(Session &session, const std::string &path);

/// All bytes of a parameter, from the arena.
TensorSource parameterSource(Session &session, const planpb::Parameter &parameter, const std::string &name);
/// All bytes of a buffer, row-major.
TensorSource bufferSource(Session &session, const planpb::Buffer &buffer, const std::string &name);

} // namespace tw::rt
#endif
