"""Compares the learning rates of metrics with DeepSpeed's formulas (deepspeed/runtime/lr_schedules.py, classes WarmupLR,
WarmupDecayLR and WarmupCosineLR), which step the schedule after the optimizer: step s sees iteration max(s - 2, 0).

usage: check_schedule.py METRICS TYPE key=value...
"""
import json
import math
import sys

metrics, kind = sys.argv[1:3]
p = {key: value if key == "warmup_type" else float(value) for key, value in (a.split("=") for a in sys.argv[3:])}
lr, warmup, total = p["lr"], p["warmup_num_steps"], p.get("total_num_steps", 0)


def ratio(i):
    return i / warmup if p.get("warmup_type") == "linear" else math.log(i + 1) / math.log(warmup)


def expected(step):
    i = max(step - 2, 0)
    if kind == "Constant":
        return lr
    if kind == "WarmupCosineLR":
        if step == 1:
            return 0
        low = p.get("warmup_min_ratio", 0)
        if i < warmup:
            return lr * (low + (1 - low) * ratio(i))
        wave = (1 + math.cos(math.pi * min(1, (i - warmup + 1) / (total - warmup)))) / 2
        least = p.get("cos_min_ratio", 0.0001)
        return lr * (least + (1 - least) * wave)
    low, high = p.get("warmup_min_lr", 0), p.get("warmup_max_lr", lr)
    if i < warmup:
        return low + (high - low) * ratio(i)
    if kind == "WarmupLR":
        return high
    return low + (high - low) * max(0, (total - i) / max(1, total - warmup))


lines = [json.loads(line) for line in open(metrics)]
assert len(lines) >= 20 and lines[-1]["step"] == len(lines)
for line in lines:
    want, got = expected(line["step"]), line["lr"]
    if abs(got - want) > 1e-6 * lr:  # lr is an fp32 number, computed in fp64
        sys.exit(f"step {line['step']}: the learning rate is {got}, by the formula it is {want}")
