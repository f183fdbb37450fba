"""One model for an opset that has every form its operators take there, checked by number against ONNX's reference.

usage: opset_forms.py OPSET TW_IMPORT OUT.mlir
Writes OUT.mlir.onnx, imports it with the program TW_IMPORT, and writes the result to OUT.mlir with a function @test_forms
that calls @main and compares each output with what ONNX's reference implementation computes. The check of an output
has the output's name as its location. All inputs of the graph are data, so that nothing folds.
"""
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import forms_of_operators

MLIR_TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "bool": "i1", "int64": "i64",
              "int32": "i32", "int16": "i16", "int8": "i8", "uint64": "i64", "uint32": "i32", "uint16": "i16", "uint8": "i8"}
TOLERANCES = {"float64": 1e-9, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}


class Builder:
    """Collects nodes, inputs and settings; `rng` draws the inputs' values."""

    def __init__(self, opset):
        self.opset = opset
        self.nodes, self.values, self.constants, self.outputs = [], {}, [], []
        self.rng = np.random.default_rng(3)

    def data(self, value):
        """A graph input with this value."""
        name = f"x{len(self.values)}"
        self.values[name] = np.asarray(value)
        return name

    def random(self, *shape, dtype=np.float32):
        return self.data(self.rng.standard_normal(shape).astype(dtype))

    def setting(self, value):
        """A constant: an initializer."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def check(self, name, operator, *inputs, outputs=1, **attributes):
        """A node all of whose outputs are compared, under `name`."""
        results = [name if outputs == 1 else f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, results, name=name, **attributes))
        self.outputs += results

    def node(self, operator, *inputs, **attributes):
        """A node on the way."""
        result = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [result], **attributes))
        return result

    def model(self):
        """The model and the values of its outputs."""
        def info(name, value):
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)

        inputs = [info(name, value) for name, value in self.values.items()]
        untyped = [onnx.ValueInfoProto(name=name) for name in self.outputs]
        imports = [helper.make_opsetid("", self.opset)]
        graph = helper.make_graph(self.nodes, f"opset{self.opset}", inputs, untyped, self.constants)
        model = helper.make_model(graph, opset_imports=imports, ir_version=min(helper.find_min_ir_version_for(imports), 11))
        results = ReferenceEvaluator(model).run(None, self.values)
        del graph.output[:]
        graph.output.extend(info(name, np.asarray(value)) for name, value in zip(self.outputs, results))
        model.graph.CopyFrom(graph)
        onnx.checker.check_model(model)
        return model, [np.asarray(value) for value in results]


def mlir_type(value):
    return "tensor<" + "".join(f"{size}x" for size in value.shape) + MLIR_TYPES[value.dtype.name] + ">"


def dense(value):
    if value.dtype == bool:
        return "dense<" + str(value.tolist()).lower() + ">"
    return f'dense<"0x{np.ascontiguousarray(value).tobytes().hex().upper()}">'


def test_function(builder, outputs):
    lines = ["  func.func @test_forms() {"]
    for name, value in builder.values.items():
        lines.append(f"    %{name} = arith.constant {dense(value)} : {mlir_type(value)}")
    arguments = ", ".join("%" + name for name in builder.values)
    types = ", ".join(mlir_type(value) for value in builder.values.values())
    lines.append(f"    %r:{len(outputs)} = call @main({arguments}) : ({types}) -> ({', '.join(map(mlir_type, outputs))})")
    for i, (name, value) in enumerate(zip(builder.outputs, outputs)):
        kind = value.dtype.name
        close = TOLERANCES.get(kind)
        how = f"{{rtol = {close:.1e} : f64, atol = {close / 10:.1e} : f64}} " if close else ""
        lines.append(f"    %e{i} = arith.constant {dense(value)} : {mlir_type(value)}")
        lines.append(f"    check.expect_{'close' if how else 'equal'} %r#{i}, %e{i} {how}: {mlir_type(value)} loc(\"{name}\")")
    return "\n".join([*lines, "    return", "  }", "}"])


def main():
    opset, importer, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    builder = Builder(opset)
    forms_of_operators.add_all(builder)
    model, outputs = builder.model()
    onnx.save(model, out + ".onnx")
    program = subprocess.run([importer, out + ".onnx"], capture_output=True, text=True)
    if program.returncode != 0:
        sys.exit(program.stderr)
    if "graph.parameter" in program.stdout:
        sys.exit("no input of these models is a parameter, but the importer made some")
    module = program.stdout.rstrip()
    if not module.endswith("}"):
        sys.exit("the importer printed no module")
    with open(out, "w") as file:
        file.write(module[:-1] + test_function(builder, outputs) + "\n")
    print(f"opset {opset}: {len(outputs)} outputs of {len({node.op_type for node in model.graph.node})} operators")


if __name__ == "__main__":
    main()
