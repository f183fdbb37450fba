#!/usr/bin/env python3
"""Test accuracy of an ONNX model on Fashion-MNIST, computed by onnxruntime.

usage: evaluate_fashion.py MODEL.onnx [--images FILE --labels FILE]
The model's one input takes 28 x 28 images with values from 0 to 1; its first output has ten scores an image.
"""
import argparse
import gzip
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

TEST_SET = pathlib.Path("/usr/share/datasets/fashion-mnist")


def read_idx(path):
    """An IDX file: zero, zero, type 8 (uint8), rank; a big-endian size for each dimension; the data."""
    data = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    if data[:3] != b"\0\0\x08":
        sys.exit(f"{path} is not an IDX file of bytes")
    shape = np.frombuffer(data, ">i4", data[3], 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


def for_inference(path):
    """The model with each batch normalisation using its running statistics."""
    model = onnx.load(path)
    for node in model.graph.node:
        if node.op_type == "BatchNormalization":
            kept = [a for a in node.attribute if a.name != "training_mode"]
            del node.attribute[:]
            node.attribute.extend(kept)
            del node.output[1:]
    return model


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("model", type=pathlib.Path)
    arguments.add_argument("--images", type=pathlib.Path, default=TEST_SET / "t10k-images-idx3-ubyte.gz")
    arguments.add_argument("--labels", type=pathlib.Path, default=TEST_SET / "t10k-labels-idx1-ubyte.gz")
    options = arguments.parse_args()

    session = onnxruntime.InferenceSession(for_inference(options.model).SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    entry = session.get_inputs()[0]
    batch = entry.shape[0] if isinstance(entry.shape[0], int) else 500
    images = (read_idx(options.images) / np.float32(255)).astype(np.float32)[:, None]
    labels = read_idx(options.labels)
    right = 0
    for start in range(0, len(labels) - len(labels) % batch, batch):
        scores = session.run(None, {entry.name: images[start:start + batch]})[0]
        right += int((scores.argmax(1) == labels[start:start + batch]).sum())
    seen = len(labels) - len(labels) % batch
    print(f"onnxruntime: {right} of {seen} images right, accuracy {right / seen:.4f}")


if __name__ == "__main__":
    main()
