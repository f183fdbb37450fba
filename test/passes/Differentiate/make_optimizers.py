"""Prints what torch.optim makes of a parameter in four steps, and DeepSpeed's learning rates: the numbers in
optimizers_test.cpp and, of two parameters, training_step_test.cpp. Gradients are those of sum(weight^3) / 3, so that they
change from step to step.

Run with any Python that has torch: python make_optimizers.py
"""
import math

import torch

START = [1.0, -0.5, 2.0]
CASES = {
    "sgd": (torch.optim.SGD, dict(lr=0.1)),
    "sgd_decay": (torch.optim.SGD, dict(lr=0.1, weight_decay=0.2)),
    "momentum": (torch.optim.SGD, dict(lr=0.05, momentum=0.9)),
    "dampening": (torch.optim.SGD, dict(lr=0.05, momentum=0.9, dampening=0.3)),
    "nesterov": (torch.optim.SGD, dict(lr=0.05, momentum=0.9, nesterov=True)),
    "adam": (torch.optim.Adam, dict(lr=0.1, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1)),
    "adamw": (torch.optim.AdamW, dict(lr=0.1, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1)),
    "adagrad": (torch.optim.Adagrad, dict(lr=0.1, lr_decay=0.5, eps=1e-3, initial_accumulator_value=0.2)),
}


def train(optimizer_class, options, clip=None):
    weight = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    optimizer = optimizer_class([weight], **options)
    for _ in range(4):
        optimizer.zero_grad()
        (weight**3).sum().div(3).backward()
        if clip:
            torch.nn.utils.clip_grad_norm_([weight], clip)
        optimizer.step()
    return weight.tolist()


for name, (optimizer_class, options) in CASES.items():
    print(name, train(optimizer_class, options))
print("clipped", train(*CASES["sgd"], clip=1.5))

def train_two(name, optimizer_class, weight_options, bias_options, clip=None):
    weight = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    bias = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    optimizer = optimizer_class([dict(params=[weight], **weight_options), dict(params=[bias], **bias_options)], lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        ((weight**3).sum() + (bias**3).sum()).div(3).backward()
        if clip:
            torch.nn.utils.clip_grad_norm_([weight, bias], clip)
        optimizer.step()
    print(name, weight.tolist(), bias.tolist())


train_two("clipped_two", torch.optim.SGD, {}, {}, clip=1.5)
train_two("groups", torch.optim.AdamW, dict(weight_decay=0.3), dict(weight_decay=0.0))

# DeepSpeed's schedules (deepspeed/runtime/lr_schedules.py), written down from their definitions: the learning rate that
# steps 0 ... 7 use with warmup_num_steps = 3, total_num_steps = 7, and 0.1 as the largest.


def warmup(kind, i, low, high):
    if i < 0:
        return low
    return low + (high - low) * (math.log(i + 1) / math.log(3) if kind == "log" else i / 3)


def warmup_lr(kind, step):
    i = step - 1
    return warmup(kind, i, 0.01, 0.1) if i < 3 else 0.1


def warmup_decay_lr(kind, step):
    i = step - 1
    return warmup(kind, i, 0.01, 0.1) if i < 3 else 0.01 + 0.09 * max(0.0, (7 - i) / (7 - 3))


def warmup_cosine_lr(kind, step):
    i = step - 1
    if i < 0:
        return 0.0
    if i < 3:
        return 0.1 * warmup(kind, i, 0.2, 1.0)
    progress = min(1.0, (i - 3 + 1) / (7 - 3))
    return 0.1 * max(0.0, 0.05 + 0.95 * (1 + math.cos(math.pi * progress)) / 2)


for schedule in (warmup_lr, warmup_decay_lr, warmup_cosine_lr):
    for kind in ("log", "linear"):
        print(schedule.__name__, kind, ", ".join(f"{schedule(kind, step):.9f}" for step in range(8)))
