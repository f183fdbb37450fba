"""The benchmark's workloads: what is trained, on what batch, with which optimizer. No PyTorch here."""
import dataclasses

import numpy as np

ADAMW = {"type": "AdamW", "params": {"lr": 3e-4, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0.01}}
MOMENTUM = {"type": "SGD", "params": {"lr": 0.01, "momentum": 0.9}}
SGD = {"type": "SGD", "params": {"lr": 0.1}}


@dataclasses.dataclass(frozen=True)
class Workload:
    title: str
    kind: str               # gpt, llama, resnet or mlp
    batch: int
    optimizer: dict
    steps: int              # of one run; the first few are not counted
    classes: int            # or size of the vocabulary
    sequence: int = 0
    layers: int = 0
    width: int = 0
    heads: int = 0
    key_heads: int = 0
    hidden: int = 0
    positions: int = 0


WORKLOADS = {
    "W1": Workload("GPT-2 124M, 4 x 64", "gpt", 4, ADAMW, 8, 50257, 64, 12, 768, 12, 12, 3072, 1024),
    "W2": Workload("GPT 6 x 384, 8 x 256", "gpt", 8, ADAMW, 8, 512, 256, 6, 384, 6, 6, 1536, 256),
    "W3": Workload("Llama 6 x 512, 4 x 256", "llama", 4, ADAMW, 8, 8192, 256, 6, 512, 8, 4, 1376),
    "W4": Workload("ResNet-18, 8 x 3 x 224 x 224", "resnet", 8, MOMENTUM, 10, 1000),
    "W5": Workload("MLP 784-512-512-10, 128", "mlp", 128, SGD, 300, 10, width=784, hidden=512),
}


def batch_of(workload):
    """The one batch that each step trains on: arrays named `input` and `labels`."""
    generator = np.random.default_rng(11)
    if workload.sequence:
        tokens = generator.integers(0, workload.classes, (workload.batch, workload.sequence + 1))
        return {"input": np.ascontiguousarray(tokens[:, :-1]), "labels": np.ascontiguousarray(tokens[:, 1:])}
    shape = (3, 224, 224) if workload.kind == "resnet" else (workload.width,)
    return {"input": generator.standard_normal((workload.batch, *shape), np.float32),
            "labels": generator.integers(0, workload.classes, workload.batch)}


def recipe_of(workload):
    return {"train_micro_batch_size_per_gpu": workload.batch, "optimizer": workload.optimizer,
            "trainwright": {"loss": {"type": "cross_entropy", "logits": "output", "labels": "labels"}}}
