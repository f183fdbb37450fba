#!/usr/bin/env python3
"""Makes model.onnx: a character-level GPT of 6 layers, 384 wide, 6 heads, context 256, for the text of the Bible.

The weights (43 MB) are not in the file: it refers to weights.bin, which make_weights.py writes without PyTorch.

usage: python export.py
needs: torch 2.15, onnx 1.23, onnxscript 0.7
"""
import pathlib

import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F

# The text has 63 different characters.
VOCABULARY, CONTEXT, LAYERS, WIDTH, HEADS = 64, 256, 6, 384, 6


class Dense(nn.Module):
    """x W + b with W stored as (inputs, outputs), as GPT-2 stores it: the ONNX file then keeps W and its name."""

    def __init__(self, inputs, outputs, bias=True):
        super().__init__()
        # Values do not matter here, but they must differ: exporters keep one initializer for equal tensors.
        self.weight = nn.Parameter(torch.randn(inputs, outputs))
        self.bias = nn.Parameter(torch.randn(outputs)) if bias else None

    def forward(self, x):
        y = x @ self.weight
        return y if self.bias is None else y + self.bias


class Norm(nn.LayerNorm):
    def reset_parameters(self):
        nn.init.normal_(self.weight)
        nn.init.normal_(self.bias)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = Dense(WIDTH, WIDTH)
        self.key = Dense(WIDTH, WIDTH)
        self.value = Dense(WIDTH, WIDTH)
        self.projection = Dense(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (y.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(1, 2)
                   for y in (self.query(x), self.key(x), self.value(x)))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.projection(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1 = Norm(WIDTH)
        self.attention = Attention()
        self.norm_2 = Norm(WIDTH)
        self.expand = Dense(WIDTH, 4 * WIDTH)
        self.contract = Dense(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.contract(F.gelu(self.expand(self.norm_2(x))))


class CharGPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.token_embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.position_embedding = nn.Parameter(torch.randn(CONTEXT, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = Norm(WIDTH)
        self.head = Dense(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.token_embedding(tokens) + self.position_embedding
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def without_data(proto):
    """The model with each weight referring to its place in weights.bin, and without the exporter's notes."""
    for item in [*proto.graph.node, *proto.graph.input, *proto.graph.output, *proto.graph.value_info, proto.graph]:
        del item.metadata_props[:]
    offset = 0
    for tensor in proto.graph.initializer:
        length = len(onnx.numpy_helper.to_array(tensor).tobytes())
        if tensor.data_type != onnx.TensorProto.FLOAT or length < 1024:
            continue  # constants of the graph stay in it
        for field in ("raw_data", "float_data"):
            tensor.ClearField(field)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        del tensor.external_data[:]
        for key, value in (("location", "weights.bin"), ("offset", offset), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        offset += length
    return proto


def main():
    torch.manual_seed(0)
    program = torch.onnx.export(
        CharGPT().eval(), (torch.zeros(2, CONTEXT, dtype=torch.int64),), input_names=["tokens"], output_names=["output"],
        dynamic_shapes=({0: torch.export.Dim("batch")},), opset_version=20, dynamo=True, verbose=False)
    onnx.save(without_data(program.model_proto), pathlib.Path(__file__).with_name("model.onnx"))


if __name__ == "__main__":
    main()
