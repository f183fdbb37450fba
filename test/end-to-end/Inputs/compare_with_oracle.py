"""Compares a training run with what PyTorch computed: output, gradients and losses of a folder of test/oracle.

usage: compare_with_oracle.py ORACLE_FOLDER VARIANT DUMP.safetensors METRICS.jsonl
The largest difference of each tensor, divided by the tensor's largest value, may be 1e-4. (A gradient that is zero but
for rounding, as of a bias before a batch norm, is divided by 1e-3 of the largest gradient instead.) Each loss may differ
by 1e-3 relative, or by 1e-6 where that is more: float32 scores of size 10 have that rounding.
Prints the largest difference of each kind; exits with 1 when one is too large or missing.
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


def difference(found, expected, least_scale=1e-12):
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), least_scale))


def tensor_differences(dump, expected, parameters):
    """(difference, name) of the output and of each gradient; infinite where the dump lacks it."""
    largest = max(np.abs(value).max() for name, value in expected.items() if name.startswith("gradient/"))
    yield difference(dump["output"].reshape(expected["output"].shape), expected["output"]), "output"
    for name, places in parameters.items():
        wanted = expected.get(f"gradient/{name}")
        own = [place for place in places if place["name"] == name] or [{"name": name, "layout": "same"}]
        if wanted is None or (not places and f"gradient/{name}" not in dump):
            continue  # places are missing where the exporter dropped the parameter, or kept only a part of it
        # A parameter that was told apart, or is there again, has its own name; else it may be one of several places.
        held = [place for place in own + places if f"gradient/{place['name']}" in dump]
        if not held:
            yield float("inf"), f"gradient/{name} (not in the dump)"
            continue
        found = as_pytorch(dump[f"gradient/{held[0]['name']}"], held[0]["layout"], wanted.shape)
        yield difference(found, wanted, 1e-3 * largest), f"gradient/{name}"


def loss_differences(losses, oracle):
    """(difference over what is allowed, difference, step) of each loss."""
    for step, (loss, right) in enumerate(zip(losses, oracle["losses_float64"])):
        yield abs(loss - right) / max(LOSS_TOLERANCE * abs(right), 1e-6), abs(loss - right) / abs(right), step


def main():
    folder, variant, dump, metrics = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    oracle = json.loads((folder / "expected.json").read_text())
    with np.load(folder / "expected.npz") as arrays:
        expected = dict(arrays)
    tensors = sorted(tensor_differences(safetensors.numpy.load_file(dump), expected,
                                        oracle["variants"][variant]["parameters"]))
    losses = [json.loads(line)["loss"] for line in pathlib.Path(metrics).read_text().splitlines()]
    over, loss, step = max(loss_differences(losses, oracle))
    print(f"{len(tensors)} tensors, largest difference {tensors[-1][0]:.2e} ({tensors[-1][1]}); "
          f"{len(losses)} losses, largest difference {loss:.2e} (step {step})")
    too_far = [f"{name}: {far:.2e}" for far, name in tensors if not far <= TENSOR_TOLERANCE]
    if too_far or not over <= 1 or len(losses) < 51:
        sys.exit("too far from PyTorch: " + ", ".join(too_far + [f"loss: {loss:.2e}"]))


if __name__ == "__main__":
    main()
