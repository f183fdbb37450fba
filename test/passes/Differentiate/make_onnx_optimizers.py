"""Prints what the operators of ONNX's ai.onnx.preview.training domain make of a parameter in four steps: the numbers of
the tests OnnxOptimizers in test/passes/Differentiate/optimizers_test.cpp. Gradients are those of sum(weight^3) / 3.

The formulas are written down from the operators' specification, and checked against ONNX's reference implementation
(which computes in the type it is given: double here). T counts the updates done before, from 0.

Run with any Python that has numpy and onnx: python make_onnx_optimizers.py
"""
import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

START = np.array([1.0, -0.5, 2.0])
DOMAIN = "ai.onnx.preview.training"


def momentum(r, t, x, g, state, alpha, beta, norm_coefficient, mode):
    (v,) = state
    g = norm_coefficient * x + g
    v = alpha * v + (beta if t > 0 else 1.0) * g
    return x - r * (g + alpha * v if mode == "nesterov" else v), (v,)


def adam(r, t, x, g, state, alpha, beta, epsilon, norm_coefficient=0.0, norm_coefficient_post=0.0):
    v, h = state
    g = norm_coefficient * x + g
    v = alpha * v + (1 - alpha) * g
    h = beta * h + (1 - beta) * g * g
    r = r * np.sqrt(1 - beta**t) / (1 - alpha**t) if t > 0 else r
    x = x - r * v / (np.sqrt(h) + epsilon)
    return (1 - norm_coefficient_post) * x, (v, h)


def adagrad(r, t, x, g, state, epsilon, decay_factor, norm_coefficient=0.0):
    (h,) = state
    r = r / (1 + t * decay_factor)
    g = norm_coefficient * x + g
    h = h + g * g
    return x - r * g / (np.sqrt(h) + epsilon), (h,)


# name: (formula, operator, learning rate, first state, attributes)
CASES = {
    "momentum": (momentum, "Momentum", 0.05, (0.0,), dict(alpha=0.9, beta=0.7, norm_coefficient=0.1, mode="standard")),
    "nesterov": (momentum, "Momentum", 0.05, (0.0,), dict(alpha=0.9, beta=0.7, norm_coefficient=0.1, mode="nesterov")),
    "adam": (adam, "Adam", 0.1, (0.0, 0.0), dict(alpha=0.8, beta=0.95, epsilon=1e-3, norm_coefficient=0.1)),
    "adam_post": (adam, "Adam", 0.1, (0.0, 0.0), dict(alpha=0.8, beta=0.95, epsilon=1e-3, norm_coefficient_post=0.1)),
    "adagrad": (adagrad, "Adagrad", 0.1, (0.2,), dict(epsilon=1e-3, decay_factor=0.5, norm_coefficient=0.1)),
}


def reference(operator, states, attributes):
    """The operator alone as a model, run by ONNX's reference implementation."""
    inputs = ["r", "t", "x", "g", *(f"s{i}" for i in range(states))]
    outputs = ["x_new", *(f"s{i}_new" for i in range(states))]
    types = {"t": onnx.TensorProto.INT64}
    info = [helper.make_tensor_value_info(name, types.get(name, onnx.TensorProto.DOUBLE), None) for name in inputs]
    results = [helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, None) for name in outputs]
    node = helper.make_node(operator, inputs, outputs, domain=DOMAIN, **attributes)
    graph = helper.make_graph([node], "step", info, results)
    imports = [helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, 1)]
    evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=imports))
    return lambda *values: evaluator.run(None, dict(zip(inputs, values)))


for name, (formula, operator, rate, first, attributes) in CASES.items():
    x, state = START, tuple(np.full(3, value) for value in first)
    run = reference(operator, len(state), attributes)
    for t in range(4):
        expected = run(np.array(rate), np.array(t, np.int64), x, x * x, *state)
        x, state = formula(rate, t, x, x * x, state, **attributes)
        for ours, theirs in zip((x, *state), expected):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)  # its attributes are float32
    print(name, x.tolist())
