// DeepSpeed's keys for what this version does not do: known, accepted when off, refused in one sentence when on.
#include "compiler/Recipe/ReadParts.h"

namespace tw::recipe {

static void refuseIfEnabled(ObjectReader &top, const char *key, const std::string &what) {
  const nlohmann::json *value = top.find(key);
  if (!value)
    return;
  bool on = *value != false && !value->is_null();
  if (value->is_object()) {
    Problems problems;
    on = false;
    ObjectReader(*value, top.pathOf(key), problems).boolean("enabled", on);
    for (const std::string &problem : problems)
      top.problem(problem);
  }
  if (on)
    top.problem("not supported yet: " + what + " ('" + top.pathOf(key) + "')");
}

static void refuseZero(ObjectReader &top) {
  std::optional<ObjectReader> object = top.object("zero_optimization");
  if (!object)
    return;
  int64_t stage = 0;
  object->integer("stage", stage, 0, 3);
  if (stage > 0)
    object->problem("not supported yet: ZeRO stage " + std::to_string(stage) + " ('zero_optimization.stage')");
  for (const char *key : {"offload_optimizer", "offload_param"}) {
    const nlohmann::json *value = object->find(key);
    const nlohmann::json none = "none";
    if (value && value->is_object() && value->value("device", none) != none)
      object->problem("not supported yet: offload to the host ('zero_optimization." + std::string(key) + "')");
  }
  object->skip({"allgather_partitions", "allgather_bucket_size", "overlap_comm", "reduce_scatter", "reduce_bucket_size",
                "contiguous_gradients", "sub_group_size", "round_robin_gradients", "stage3_max_live_parameters",
                "stage3_max_reuse_distance", "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold",
                "stage3_gather_16bit_weights_on_model_save", "cpu_offload", "ignore_unused_parameters"});
  object->finish();
}

static void refuseActivationCheckpointing(ObjectReader &top) {
  std::optional<ObjectReader> object = top.object("activation_checkpointing");
  if (!object)
    return;
  for (const char *key : {"partition_activations", "cpu_checkpointing", "contiguous_memory_optimization",
                          "synchronize_checkpoint_boundary", "profile"}) {
    bool on = false;
    object->boolean(key, on);
    if (on)
      object->problem("not supported yet: activation checkpointing ('" + object->pathOf(key) + "')");
  }
  object->skip({"number_checkpoints"});
  object->finish();
}

void refuseLaterWork(ObjectReader &top) {
  refuseIfEnabled(top, "fp16", "half precision");
  refuseIfEnabled(top, "bf16", "bfloat16 precision");
  refuseIfEnabled(top, "amp", "Apex mixed precision");
  refuseZero(top);
  refuseActivationCheckpointing(top);
  refuseIfEnabled(top, "flops_profiler", "DeepSpeed's profiler");
  refuseIfEnabled(top, "tensorboard", "DeepSpeed's TensorBoard monitor: run the program with --tensorboard instead");
  refuseIfEnabled(top, "wandb", "DeepSpeed's WandB monitor");
  refuseIfEnabled(top, "csv_monitor", "DeepSpeed's CSV monitor: run the program with --metrics instead");
  refuseIfEnabled(top, "comms_logger", "DeepSpeed's log of transfers");
  refuseIfEnabled(top, "elasticity", "elastic training");
  refuseIfEnabled(top, "autotuning", "autotuning");
  refuseIfEnabled(top, "curriculum_learning", "curriculum learning");
  refuseIfEnabled(top, "data_efficiency", "DeepSpeed's data sampling");
  refuseIfEnabled(top, "sparse_attention", "sparse attention");
  refuseIfEnabled(top, "sparse_gradients", "sparse gradients");
  refuseIfEnabled(top, "prescale_gradients", "scaling gradients before their sum");
  refuseIfEnabled(top, "communication_data_type", "sums of gradients in another type");
  refuseIfEnabled(top, "wall_clock_breakdown", "a breakdown of time in the recipe: run the program with --profile");
  refuseIfEnabled(top, "steps_per_print", "a print interval in the recipe: run the program with --progress");
  refuseIfEnabled(top, "zero_allow_untested_optimizer", "ZeRO");
}

} // namespace tw::recipe
