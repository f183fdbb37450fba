"""Compares a training run with what PyTorch computed: output, gradients and losses of a folder of test/oracle.

usage: compare_with_oracle.py ORACLE_FOLDER VARIANT DUMP.safetensors METRICS.jsonl
The largest difference of each tensor, divided by the tensor's largest value, may be 1e-4; of each of the losses, 1e-3
relative. Prints the largest of each kind; exits with 1 when one is too large or missing.
"""
import json
import pathlib
import sys

import numpy as np
import safetensors.numpy

TENSOR_TOLERANCE, LOSS_TOLERANCE = 1e-4, 1e-3


def as_pytorch(value, layout, shape):
    """An ONNX parameter's value in the shape that PyTorch gives it."""
    return value.T if layout == "transposed" else value.reshape(shape)


def difference(found, expected):
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-12))


def tensor_differences(dump, expected, parameters):
    """(difference, name) of the output and of each gradient; infinite where the dump lacks it."""
    yield difference(dump["output"].reshape(expected["output"].shape), expected["output"]), "output"
    for name, places in parameters.items():
        wanted = expected.get(f"gradient/{name}")
        if wanted is None:
            continue
        held = [place for place in places if f"gradient/{place['name']}" in dump]
        if not held:
            yield float("inf"), f"gradient/{name} (not in the dump)"
            continue
        found = as_pytorch(dump[f"gradient/{held[0]['name']}"], held[0]["layout"], wanted.shape)
        yield difference(found, wanted), f"gradient/{name}"


def main():
    folder, variant, dump, metrics = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    oracle = json.loads((folder / "expected.json").read_text())
    with np.load(folder / "expected.npz") as arrays:
        expected = dict(arrays)
    tensors = sorted(tensor_differences(safetensors.numpy.load_file(dump), expected,
                                        oracle["variants"][variant]["parameters"]))
    losses = [json.loads(line)["loss"] for line in pathlib.Path(metrics).read_text().splitlines()]
    wanted = oracle["losses_float64"][:len(losses)]
    loss = max((abs(a - b) / abs(b), step) for step, (a, b) in enumerate(zip(losses, wanted)))
    print(f"{len(tensors)} tensors, largest difference {tensors[-1][0]:.2e} ({tensors[-1][1]}); "
          f"{len(losses)} losses, largest difference {loss[0]:.2e} (step {loss[1]})")
    too_far = [f"{name}: {far:.2e}" for far, name in tensors if not far <= TENSOR_TOLERANCE]
    if too_far or not loss[0] <= LOSS_TOLERANCE or len(losses) < 2:
        sys.exit("too far from PyTorch: " + ", ".join(too_far + [f"loss: {loss[0]:.2e}"]))


if __name__ == "__main__":
    main()
