"""PyTorch's side of tools/benchmark.

usage: peer_torch.py export WORKLOAD FILE      writes the ONNX model, logits only
       peer_torch.py eager|compile WORKLOAD    trains; prints a line of JSON
"""
import json
import os
import statistics
import sys
import time

import torch
import torch.nn.functional as F

import models
import workloads


def export(name, path):
    workload = workloads.WORKLOADS[name]
    model = models.build(workload)
    example = (torch.from_numpy(workloads.batch_of(workload)["input"]),)
    names = {"input_names": ["input"], "output_names": ["output"]}
    if workload.kind == "resnet":
        # The exporter that keeps batch normalisations as nodes.
        torch.onnx.export(model.eval(), example, path, opset_version=18, dynamo=False, do_constant_folding=False,
                          training=torch.onnx.TrainingMode.PRESERVE, **names)
    else:
        torch.onnx.export(model.eval(), example, path, opset_version=20, dynamo=True, verbose=False,
                          external_data=workload.sequence > 0, **names)


def memory(field):
    """VmRSS or VmHWM of this process in bytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def optimizer_of(workload, model):
    settings = workload.optimizer["params"]
    if workload.optimizer["type"] == "AdamW":
        return torch.optim.AdamW(model.parameters(), fused=True, **settings)
    return torch.optim.SGD(model.parameters(), fused=True, **settings)


def warm_up_libraries():
    """A small step of the kinds of work to come, so that the libraries' own memory counts to the floor."""
    small = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU())
    small(torch.randn(64, 64)).sum().backward()
    torch.optim.AdamW(small.parameters(), fused=True).step()


def train(mode, name):
    workload = workloads.WORKLOADS[name]
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())))
    warm_up_libraries()
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # starts VmHWM anew
    floor = memory("VmRSS")
    model = models.build(workload)
    batch = {key: torch.from_numpy(value) for key, value in workloads.batch_of(workload).items()}
    optimizer = optimizer_of(workload, model)

    def loss_of(inputs, labels):
        return F.cross_entropy(model(inputs).flatten(0, -2), labels.flatten())

    if mode == "compile":
        loss_of = torch.compile(loss_of)
    seconds, losses = [], []
    for _ in range(workload.steps):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(batch["input"], batch["labels"])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - start)
    counted = seconds[min(len(seconds) // 2, max(3, len(seconds) // 10)):]
    print(json.dumps({"step_ms": statistics.median(counted) * 1e3, "peak_bytes": memory("VmHWM") - floor,
                      "losses": losses}))


if __name__ == "__main__":
    if sys.argv[1] == "export":
        export(sys.argv[2], sys.argv[3])
    else:
        train(sys.argv[1], sys.argv[2])
