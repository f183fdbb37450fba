"""Writes a model as PyTorch's dynamo exporter leaves it after optimising fresh weights: merged vectors, dropped biases, and
metadata that say what there was.  usage: source_names_model.py OUT.onnx
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def node(operator, inputs, outputs, target, arguments, scope, **attributes):
    result = helper.make_node(operator, inputs, outputs, name=f"node_{outputs[0]}", **attributes)
    call = f"%{outputs[0]} : [num_users=1] = call_function[target=torch.ops.{target}.default](args = ({arguments}), kwargs = {{}})"
    scopes = str(["", *(scope[:i] for i, c in enumerate(scope) if c == "."), scope, outputs[0]])
    for key, value in {"pkg.torch.onnx.fx_node": call, "pkg.torch.onnx.name_scopes": scopes}.items():
        result.metadata_props.add(key=key, value=value)
    return result


nodes = [
    node("LayerNormalization", ["x", "h.0.norm.weight", "h.0.norm.bias"], ["a"], "aten.layer_norm",
         "%x, [4], %p_h_0_norm_weight, %p_h_0_norm_bias", "h.0.norm"),
    node("LayerNormalization", ["a", "h.0.norm.weight", "h.0.norm.bias"], ["b"], "aten.layer_norm",
         "%a, [4], %p_h_1_norm_weight, %p_h_1_norm_bias", "h.1.norm"),
    node("Gemm", ["b", "fc_in.weight"], ["c"], "aten.linear", "%b, %p_fc_in_weight, %p_fc_in_bias", "fc_in", transB=1),
    node("Gemm", ["c", "plain.weight"], ["d"], "aten.linear", "%c, %p_plain_weight", "plain", transB=1),
    node("MatMul", ["d", "out.weight"], ["e"], "aten.linear", "%d, %p_out_weight, %p_out_bias", "out"),
    node("MatMul", ["e", "out.weight"], ["f"], "aten.matmul", "%e, %p_twin_weight", "twin"),  # a copy of `out`
    node("MatMul", ["f", "out.weight"], ["g"], "aten.matmul", "%f, %p_out_weight", "out"),  # `out` once more
    node("MatMul", ["g", "out.weight"], ["i"], "aten.matmul", "%g, %p_twin_weight", "twin"),
    node("Mul", ["i", "gain"], ["y"], "aten.mul", "%i, %p_gain", "out"),
]
rng = np.random.default_rng(1)
weights = {"h.0.norm.weight": np.ones(4), "h.0.norm.bias": np.zeros(4), "fc_in.weight": rng.random((3, 4)),
           "plain.weight": rng.random((4, 3)), "out.weight": rng.random((4, 4)), "gain": rng.random(4)}
graph = helper.make_graph(nodes, "fresh", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])],
                          [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)])
onnx.checker.check_model(model)
onnx.save(model, sys.argv[1])
