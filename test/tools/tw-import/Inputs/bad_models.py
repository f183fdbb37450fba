"""Writes models that tw-import has to refuse.  usage: bad_models.py FOLDER"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

folder = sys.argv[1]


def tensor(name="w", **kwargs):
    t = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[2, 2])
    for key, value in kwargs.items():
        setattr(t, key, value)
    return t


def external(location, **entries):
    t = tensor(data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        t.external_data.add(key=key, value=str(value))
    return t


def model(nodes, inputs=None, initializers=(), outputs=("y",), opset=18, extra=()):
    inputs = inputs or [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 2])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["a", "b"]) for name in outputs]
    graph = helper.make_graph(nodes, "bad", inputs, outputs, list(initializers))
    return helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", opset), *extra])


def write(name, value):
    data = value if isinstance(value, bytes) else value.SerializeToString()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


product = [helper.make_node("MatMul", ["x", "w"], ["y"])]
good = np.zeros((2, 2), np.float32).tobytes()
write("text.onnx", b"This is a letter, and no model at all.\n")
write("empty.onnx", b"")
write("truncated.onnx", model(product, initializers=[tensor(raw_data=good)]).SerializeToString()[:-30])
write("external-missing.onnx", model(product, initializers=[external("weights.bin")]))
write("external-escape.onnx", model(product, initializers=[external("../weights.bin")]))
write("external-nowhere.onnx", model(product, initializers=[external("")]))
write("external-absolute.onnx", model(product, initializers=[external("/etc/passwd")]))
write("short.bin", b"\0" * 16)
write("external-short.onnx", model(product, initializers=[external("short.bin", offset=8, length=16)]))
write("raw-short.onnx", model(product, initializers=[tensor(raw_data=good[:12])]))
write("raw-long.onnx", model(product, initializers=[tensor(raw_data=good + b"\0\0\0\0")]))
write("cycle.onnx", model([helper.make_node("Add", ["x", "b"], ["a"]), helper.make_node("Exp", ["a"], ["b"]),
                           helper.make_node("Exp", ["b"], ["y"])]))
write("duplicate.onnx", model([helper.make_node("Exp", ["x"], ["y"]), helper.make_node("Tanh", ["x"], ["y"])]))
write("unknown.onnx", model([helper.make_node("Frobnicate", ["x"], ["u"], name="a", domain="com.example"),
                             helper.make_node("NonZero", ["x"], ["v"], name="b"),
                             helper.make_node("Exp", ["u"], ["y"])], extra=[helper.make_opsetid("com.example", 1)]))
unbound = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", None])
write("unbound.onnx", model([helper.make_node("Exp", ["x"], ["y"])], [unbound]))
shape = helper.make_tensor_value_info("shape", TensorProto.INT64, [2])
write("data-dependent.onnx", model([helper.make_node("Reshape", ["x", "shape"], ["y"], name="reshaper")],
                                   [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 2]), shape]))
text = helper.make_tensor_value_info("x", TensorProto.STRING, [2])
write("string.onnx", model([helper.make_node("Identity", ["x"], ["y"])], [text]))
write("opset12.onnx", model([helper.make_node("Exp", ["x"], ["y"])], opset=12))
write("opset99.onnx", model([helper.make_node("Exp", ["x"], ["y"])], opset=99))
# Exp has been as it is since opset 13, CumProd is newer than 25.
write("opset27.onnx", model([helper.make_node("Exp", ["x"], ["y"])], opset=27))
write("opset27-new.onnx", model([helper.make_node("Range", ["a", "a", "a"], ["r"], name="ranger"),
                                 helper.make_node("Exp", ["r"], ["y"])], opset=27,
                                inputs=[helper.make_tensor_value_info("a", TensorProto.INT64, [])]))
write("external-beyond.onnx", model(product, initializers=[external("short.bin", offset=4096, length=16)]))
write("external-negative.onnx", model(product, initializers=[external("short.bin", offset=-4, length=16)]))
write("external-length.onnx", model(product, initializers=[external("short.bin", offset=0, length=12)]))
write("external-inside.onnx", model(product, initializers=[external("sub/../short.bin")]))
os.makedirs(os.path.join(folder, "sub"), exist_ok=True)
write("sub/below.bin", np.arange(6, dtype=np.float32).tobytes())
write("external-below.onnx", model(product, initializers=[external("sub/below.bin", offset=8, length=16)]))
# The means of layer norms carry no gradient.
write("not-differentiable.onnx", model([helper.make_node("MatMul", ["x", "w"], ["p"]),
                                        helper.make_node("LayerNormalization", ["p", "s"], ["q", "m1"], name="first"),
                                        helper.make_node("LayerNormalization", ["q", "s"], ["r", "m2"], name="second"),
                                        helper.make_node("Add", ["m1", "m2"], ["m"]),
                                        helper.make_node("Add", ["r", "m"], ["y"])],
                                       initializers=[tensor(raw_data=np.arange(4, dtype=np.float32).tobytes()),
                                                     helper.make_tensor("s", TensorProto.FLOAT, [2], [1, 2])]))
write("no-parameters.onnx", model([helper.make_node("Exp", ["x"], ["y"])]))
