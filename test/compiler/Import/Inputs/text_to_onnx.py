"""Writes the ONNX model that a text file spells in ONNX's textual form ('#' begins a comment).

usage: text_to_onnx.py MODEL.test OUT.onnx [--unchecked]
"""
import sys

import onnx
import onnx.parser

text = "\n".join(line for line in open(sys.argv[1]).read().splitlines() if not line.lstrip().startswith("#"))
model = onnx.parser.parse_model(text)
if "--unchecked" not in sys.argv:
    onnx.checker.check_model(model)
open(sys.argv[2], "wb").write(model.SerializeToString())
