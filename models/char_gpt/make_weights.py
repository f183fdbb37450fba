#!/usr/bin/env python3
"""Writes weights.bin beside model.onnx: fresh weights by GPT-2's initialisation, from a seed.

Matrices and embeddings are normal with deviation 0.02; the two matrices of a block that write to the residual stream
have it divided by sqrt(2 * layers) (Radford et al. 2019, section 2.3); scales of norms are 1 and biases 0.

usage: make_weights.py [--seed N] [--output FILE]
"""
import argparse
import math
import pathlib
import re

import numpy as np
import onnx


def initial_value(name, shape, layers, generator):
    if name.endswith(".bias"):
        return np.zeros(shape, np.float32)
    if re.search(r"norm(_\d)?\.weight$", name):
        return np.ones(shape, np.float32)
    residual = re.search(r"(projection|contract)\.weight$", name)
    deviation = 0.02 / math.sqrt(2 * layers) if residual else 0.02
    return generator.standard_normal(shape, np.float32) * np.float32(deviation)


def main():
    here = pathlib.Path(__file__).resolve().parent
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seed", type=int, default=1, help="seed of the values (default: 1)")
    arguments.add_argument("--output", type=pathlib.Path, default=here / "weights.bin", help="file to write")
    options = arguments.parse_args()

    graph = onnx.load(here / "model.onnx", load_external_data=False).graph
    weights = [t for t in graph.initializer if t.data_location == onnx.TensorProto.EXTERNAL]
    layers = len({t.name.split(".")[1] for t in weights if t.name.startswith("blocks.")})
    generator = np.random.Generator(np.random.PCG64(options.seed))
    partial = options.output.with_suffix(".partial")
    with open(partial, "wb") as file:
        for tensor in weights:
            place = {entry.key: entry.value for entry in tensor.external_data}
            value = initial_value(tensor.name, tuple(tensor.dims), layers, generator)
            assert file.tell() == int(place["offset"]) and value.nbytes == int(place["length"]), tensor.name
            file.write(value.tobytes())
    partial.rename(options.output)


if __name__ == "__main__":
    main()
