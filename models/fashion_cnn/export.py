#!/usr/bin/env python3
"""Makes model.onnx: a small convolutional network with batch normalisation for 28 x 28 grey images and ten classes.

usage: python export.py            writes model.onnx beside this script
       python export.py --train N  trains it with PyTorch for N epochs instead and prints the test accuracy
needs: torch 2.15, onnx 1.23
"""
import argparse
import gzip
import pathlib

import numpy as np
import onnx
import torch
import torch.nn as nn

SEED = 20240501
FASHION_MNIST = pathlib.Path("/usr/share/datasets/fashion-mnist")


def block(inputs, outputs, stride=1):
    """Convolution, batch normalisation, ReLU. The normalisation has a bias, so the convolution needs none."""
    return [nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]


class FashionCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            *block(1, 16), nn.MaxPool2d(2),         # 16 x 14 x 14
            *block(16, 32), nn.MaxPool2d(2),        # 32 x 7 x 7
            *block(32, 64, stride=2),               # 64 x 4 x 4
        )
        self.classifier = nn.Linear(64 * 4 * 4, 10)

    def forward(self, image):
        return self.classifier(self.features(image).flatten(1))


def idx(name):
    """An IDX file of the data set as an array: four bytes of header, a big-endian size for each dimension, the data."""
    data = gzip.open(FASHION_MNIST / name).read()
    rank = data[3]
    shape = np.frombuffer(data, ">i4", rank, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def train(model, epochs, scale):
    images = {k: torch.tensor(idx(f"{k}-images-idx3-ubyte.gz") * np.float32(scale))[:, None] for k in ("train", "t10k")}
    labels = {k: torch.tensor(idx(f"{k}-labels-idx1-ubyte.gz").astype(np.int64)) for k in ("train", "t10k")}
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    batch = 100
    steps = epochs * len(labels["train"]) // batch
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for epoch in range(epochs):
        model.train()
        for rows in torch.randperm(len(labels["train"])).split(batch):
            loss = nn.functional.cross_entropy(model(images["train"][rows]), labels["train"][rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        model.eval()
        with torch.no_grad():
            right = sum((model(i).argmax(1) == l).sum().item()
                        for i, l in zip(images["t10k"].split(500), labels["t10k"].split(500)))
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}, test accuracy {right / 10000:.4f}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--train", type=int, metavar="EPOCHS", help="train with PyTorch instead of exporting")
    arguments.add_argument("--scale", type=float, default=1 / 255, help="factor of the pixels (default: 1/255)")
    options = arguments.parse_args()
    torch.manual_seed(SEED)
    model = FashionCNN()
    if options.train:
        return train(model, options.train, options.scale)
    # One batch in train mode moves the running statistics off the scales and biases, whose first values they share:
    # the exporter keeps one initializer for equal tensors.
    model.train()(torch.rand(64, 1, 28, 28))
    # Without the exporter's folding, the batch normalisations stay nodes of their own.
    path = pathlib.Path(__file__).with_name("model.onnx")
    torch.onnx.export(
        model.eval(), (torch.zeros(2, 1, 28, 28),), path, input_names=["image"], output_names=["output"],
        dynamic_axes={"image": {0: "batch"}, "output": {0: "batch"}}, opset_version=18, dynamo=False,
        training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
    onnx.checker.check_model(onnx.load(path), full_check=True)


if __name__ == "__main__":
    main()
