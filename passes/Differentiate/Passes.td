// The Differentiate phase: from @forward to a whole training step, @train.
//
//   build-backward        @train: forward, loss, reverse sweep; gradients are results named gradient/<parameter>
//   concatenate-pads      cotangents of slices that part a tensor, side by side
//   clip-gradients        the global norm; results named clipped/<parameter>
//   update-parameters     learning rate, optimizer, counters
//   split-dump            @dump keeps outputs and gradients, @train only loss, learning rate and norm
//   decompose-batch-norm  batch statistics become sums, so that a split batch has the statistics of the whole
//   verify                what is no longer legal
#ifndef TW_PASSES_DIFFERENTIATE
#define TW_PASSES_DIFFERENTIATE
include "mlir/Pass/PassBase.td"

class DifferentiatePass<string flag> : Pass<"tw-differentiate-" # flag, "mlir::ModuleOp"> {
  let dependentDialects = ["::tw::graph::GraphDialect", "mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::func::FuncDialect"];
}

def BuildBackwardPass : DifferentiatePass<"build-backward"> {
  let summary = "make @train from @forward: loss, gradients, running statistics";
  let description = [{
    Reverse mode along the paths from trainable parameters to `loss_sum`. loss = sum of loss_sum / max(sum of
    loss_weight, 1) over all micro-batches, and every micro-batch's cotangent starts at 1 over that weight, which labels
    alone decide. Several loads of one parameter add up. Ops on the paths without a gradient rule are one error with a
    note each. @forward and @loss_weight disappear.
  }];
  let options = [Option<"microBatches", "micro-batches", "int64_t", "1",
      "micro-batches a step; arguments get this many as their first dimension when there are several">];
}
def ConcatenatePadsPass : DifferentiatePass<"concatenate-pads"> {
  let summary = "turn sums of zero-padded pieces that tile a tensor into a concatenation";
  let description = [{
    Slices that part a tensor (queries, keys and values of one product) have cotangents that are padded and added; side
    by side they are written once.
  }];
}
def ClipGradientsPass : DifferentiatePass<"clip-gradients"> {
  let summary = "compute the global norm of all gradients and scale them down to a limit";
  let description = [{
    gradient_norm = sqrt(sum of squares of all gradients); with a limit, gradients are multiplied by
    min(1, limit / (norm + 1e-6)), as PyTorch's clip_grad_norm_.
  }];
  let options = [Option<"maxNorm", "max-norm", "double", "0.0", "limit; 0 leaves gradients as they are">];
}
def UpdateParametersPass : DifferentiatePass<"update-parameters"> {
  let summary = "apply the optimizer to all parameters that have a gradient";
  let description = [{
    PyTorch's or ONNX's definitions of SGD, Adam, AdamW and Adagrad; DeepSpeed's schedules. Learning rate and bias
    corrections are rank-0 f64 arithmetic on @step. State is `optimizer/<kind>/<parameter>` with role optimizer.
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"sgd\"", "sgd, adam, adamw or adagrad">,
    Option<"definition", "definition", "std::string", "\"pytorch\"", "whose formulas: pytorch or onnx">,
    Option<"learningRate", "learning-rate", "double", "0.001", "learning rate (the largest, under a schedule)">,
    Option<"weightDecay", "weight-decay", "double", "0.0", "decay of parameters in no group">,
    ListOption<"weightDecayGroups", "weight-decay-groups", "std::string", "pattern=decay; the first match holds">,
    Option<"beta1", "beta1", "double", "0.9", "Adam's decay of the first moment">,
    Option<"beta2", "beta2", "double", "0.999", "Adam's decay of the second moment">,
    Option<"epsilon", "epsilon", "double", "1e-8", "added to the root in Adam and Adagrad">,
    Option<"momentum", "momentum", "double", "0.0", "SGD's momentum">,
    Option<"dampening", "dampening", "double", "0.0", "SGD's dampening">,
    Option<"nesterov", "nesterov", "bool", "false", "SGD with Nesterov's momentum">,
    Option<"initialAccumulator", "initial-accumulator", "double", "0.0", "Adagrad's first sum of squares">,
    Option<"learningRateDecay", "learning-rate-decay", "double", "0.0", "Adagrad's decay of the learning rate">,
    Option<"schedule", "schedule", "std::string", "\"constant\"",
           "constant, WarmupLR, WarmupDecayLR or WarmupCosineLR">,
    Option<"warmup", "warmup", "std::string", "\"log\"", "log or linear">,
    Option<"warmupSteps", "warmup-steps", "int64_t", "1000", "steps of warm-up">,
    Option<"totalSteps", "total-steps", "int64_t", "0", "steps until the decay's end">,
    Option<"warmupMinLearningRate", "warmup-min-learning-rate", "double", "0.0", "where the warm-up starts">,
    Option<"warmupMaxLearningRate", "warmup-max-learning-rate", "double", "-1.0",
           "where it ends; negative: learning-rate">,
    Option<"warmupMinRatio", "warmup-min-ratio", "double", "0.0", "WarmupCosineLR: where the warm-up starts">,
    Option<"cosineMinRatio", "cosine-min-ratio", "double", "0.0001", "WarmupCosineLR: where the decay ends">,
  ];
}
def SplitDumpPass : DifferentiatePass<"split-dump"> {
  let summary = "make @dump, and leave @train with loss, learning rate and gradient norm only";
}
def DecomposeBatchNormPass : DifferentiatePass<"decompose-batch-norm"> {
  let summary = "turn batch normalisation in training into sums and elementwise ops";
  let description = [{
    mean = sum(x) / N and variance = centered_square_sum(x, mean) / N, then batch_norm; backward in a reducing and an
    elementwise half. Sums over a split batch can then be completed between ranks.
  }];
}
def DefineGradientsPass : DifferentiatePass<"define-gradients"> {
  let summary = "give a body to every function that is declared as <name>_gradient";
  let description = [{
    @f_gradient takes @f's arguments and returns the gradient of @f's first result, a rank-0 float, for each float
    argument. Not part of the phase: for tests of gradient rules, and for looking at one.

    ```mlir
    func.func private @f_gradient(tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}
def VerifyDifferentiatePass : DifferentiatePass<"verify"> {
  let summary = "check the form of a train step";
}
#endif
