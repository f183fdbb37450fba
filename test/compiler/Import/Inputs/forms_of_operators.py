"""The forms that operators take from opset 13 to 25, by family. Each adds what its opset has, and where a definition
changed the form of before the change ends where that of after it begins."""
import ml_dtypes
import numpy as np
from onnx import TensorProto, helper


def ints(*values):
    return np.array(values, np.int64)


def elementwise(b):
    x, y, row = b.random(2, 3), b.random(2, 3), b.random(3)
    for operator in ("Relu", "Sigmoid", "Tanh", "LeakyRelu", "Elu", "Selu", "HardSigmoid", "Softplus", "Softsign",
                     "ThresholdedRelu", "Abs", "Neg", "Exp", "Erf", "Sin", "Cos", "Floor", "Ceil", "Round", "Sign"):
        b.check(operator.lower(), operator, x)
    if b.opset >= 14:
        b.check("hardswish", "HardSwish", x)
    if b.opset >= 18:
        b.check("mish", "Mish", x)
    if b.opset >= 20:
        b.check("gelu", "Gelu", x)
        b.check("gelu_tanh", "Gelu", x, approximate="tanh")
    if b.opset >= 24:
        b.check("swish", "Swish", x)
        b.check("swish_alpha", "Swish", x, alpha=0.5)
    positive = b.data(b.rng.uniform(0.5, 2, (2, 3)).astype(np.float32))
    for operator in ("Sqrt", "Log", "Reciprocal"):
        b.check(operator.lower(), operator, positive)
    for operator in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Mean", "Sum"):
        b.check(operator.lower() + "_row", operator, x, row)
    b.check("prelu", "PRelu", x, row)
    b.check("pow_tensor", "Pow", positive, y)
    b.check("pow_integer", "Pow", positive, b.setting(ints(3)))
    b.check("clip", "Clip", x, b.setting(np.float32(-0.5)), b.setting(np.float32(0.5)))
    b.check("clip_above", "Clip", x, "", b.setting(np.float32(0.5)))


def integers_and_booleans(b):
    i, j = b.data(ints(7, -7, 5)), b.data(ints(3, 3, -2))
    b.check("mod", "Mod", i, j)
    b.check("mod_c", "Mod", i, j, fmod=1)
    b.check("div_integers", "Div", b.data(ints(7, 8, 9)), b.data(ints(3, 2, 4)))
    p, q = b.data(np.array([True, False, True])), b.data(np.array([True, True, False]))
    for operator in ("And", "Or", "Xor", "Equal"):
        b.check(operator.lower(), operator, p, q)
    b.check("not", "Not", p)
    if b.opset >= 18:
        for operator in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            b.check(operator.lower(), operator, i, j)
        b.check("bitwisenot", "BitwiseNot", i)
    small, large = b.data(np.array([200, 3], np.uint8)), b.data(np.array([100, 4], np.uint8))
    b.check("greater_unsigned", "Greater", small, large)
    b.check("max_unsigned", "Max", small, large)
    b.check("less_or_equal", "LessOrEqual", i, j)
    b.check("where", "Where", p, i, j)
    if b.opset >= 20:
        b.check("reduce_max_boolean", "ReduceMax", b.data(np.array([[True, False], [False, False]])), b.setting(ints(1)))
    odd = b.data(np.array([np.nan, np.inf, -np.inf, 1], np.float32))
    b.check("isnan", "IsNaN", odd)
    b.check("isinf", "IsInf", odd)
    b.check("isinf_negative", "IsInf", odd, detect_positive=0)


def casts(b):
    x = b.data(np.array([-1.7, 0.4, 2.5, 100.6], np.float32))
    saturate = {"saturate": 1} if b.opset >= 19 else {}
    for kind in ("DOUBLE", "FLOAT16", "BFLOAT16", "INT64", "INT32", "INT8", "BOOL"):
        b.check("cast_" + kind.lower(), "Cast", x, to=TensorProto.DataType.Value(kind), **saturate)
    b.check("cast_from_unsigned", "Cast", b.data(np.array([3, 250], np.uint8)), to=TensorProto.FLOAT)
    b.check("cast_from_boolean", "Cast", b.data(np.array([True, False])), to=TensorProto.FLOAT)
    if b.opset >= 15:
        b.check("cast_like", "CastLike", x, b.data(ints(1)))
    b.check("add_float16", "Add", b.random(3, dtype=np.float16), b.random(3, dtype=np.float16))
    b.check("add_bfloat16", "Add", b.random(3, dtype=ml_dtypes.bfloat16), b.random(3, dtype=ml_dtypes.bfloat16))


def reductions(b):
    x = b.random(2, 3, 4)
    b.check("reduce_sum", "ReduceSum", x, b.setting(ints(1)), keepdims=0)
    b.check("reduce_sum_all", "ReduceSum", x)
    b.check("reduce_sum_none", "ReduceSum", x, noop_with_empty_axes=1)
    for operator in ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
                     "ReduceLogSumExp"):
        name = operator.lower()
        if b.opset < 18:
            b.check(name, operator, x, axes=[-1, 0])
            b.check(name + "_dropped", operator, x, axes=[1], keepdims=0)
        else:
            b.check(name, operator, x, b.setting(ints(-1, 0)))
            b.check(name + "_dropped", operator, x, b.setting(ints(1)), keepdims=0)
    if b.opset >= 18:
        b.check("reduce_mean_none", "ReduceMean", x, noop_with_empty_axes=1)


def shapes(b):
    x = b.random(2, 3, 4)
    b.check("reshape", "Reshape", x, b.setting(ints(0, -1)))
    if b.opset >= 14:
        empty = b.random(2, 0, 3)
        b.check("reshape_zero", "Reshape", empty, b.setting(ints(0, 3, 2)), allowzero=1)
    b.check("flatten", "Flatten", x, axis=2)
    b.check("squeeze", "Squeeze", b.random(1, 3, 1), b.setting(ints(-1)))
    b.check("squeeze_all", "Squeeze", b.random(1, 3, 1))
    b.check("unsqueeze", "Unsqueeze", x, b.setting(ints(0, -1)))
    b.check("transpose", "Transpose", x, perm=[2, 0, 1])
    b.check("transpose_reversed", "Transpose", x)
    b.check("concat", "Concat", x, b.random(2, 1, 4), axis=-2)
    b.check("expand", "Expand", b.random(3, 1), b.setting(ints(2, 1, 4)))
    b.check("tile", "Tile", x, b.setting(ints(1, 2, 1)))
    b.check("depth_to_space", "DepthToSpace", b.random(1, 8, 2, 3), blocksize=2, mode="CRD")
    b.check("space_to_depth", "SpaceToDepth", b.random(1, 2, 4, 6), blocksize=2)
    b.check("split", "Split", x, b.setting(ints(1, 3)), axis=2, outputs=2)
    if b.opset < 18:
        b.check("split_even", "Split", x, axis=2, outputs=2)
    else:
        b.check("split_number", "Split", b.random(2, 7), axis=1, num_outputs=3, outputs=3)
    b.check("pad", "Pad", x, b.setting(ints(0, 1, 0, 1, 0, 2)), b.setting(np.float32(1.5)))
    if b.opset >= 18:
        b.check("pad_axes", "Pad", x, b.setting(ints(1, 2)), "", b.setting(ints(-1)))


def constants_and_shape_arithmetic(b):
    x = b.random(2, 3)
    shape = b.node("Shape", x)
    b.check("shape", "Identity", shape)
    if b.opset >= 15:
        b.check("shape_slice", "Shape", x, start=-1)
    b.check("size", "Size", x)
    rows = b.node("Gather", shape, b.setting(np.int64(0)))
    b.check("range", "Range", b.setting(np.int64(0)), rows, b.setting(np.int64(1)))
    b.check("constant_of_shape", "ConstantOfShape", shape, value=helper.make_tensor("v", TensorProto.INT32, [1], [7]))
    b.check("constant_ints", "Constant", value_ints=[1, 2])
    b.check("constant_float", "Constant", value_float=0.25)
    b.check("eye_like", "EyeLike", x, k=1)
    if b.opset >= 14:
        b.check("trilu", "Trilu", x, upper=0)


def indexing(b):
    x = b.random(3, 4)
    b.check("slice", "Slice", x, b.setting(ints(-1, 1)), b.setting(ints(-4, 4)), b.setting(ints(0, 1)), b.setting(ints(-1, 2)))
    b.check("gather", "Gather", x, b.data(ints(2, -1)), axis=1)
    b.check("gather_elements", "GatherElements", x, b.data(np.array([[0, 2], [1, -1], [3, 3]], np.int64)), axis=1)
    b.check("gather_nd", "GatherND", x, b.data(np.array([[0, 1], [2, 3]], np.int64)))
    b.check("one_hot", "OneHot", b.data(ints(1, 0, 2)), b.setting(np.int64(3)), b.data(np.array([0, 5], np.float32)))
    b.check("cumsum", "CumSum", x, b.setting(np.int64(1)))
    b.check("cumsum_reverse", "CumSum", x, b.setting(np.int64(0)), reverse=1, exclusive=1)


def products(b):
    x, y = b.random(2, 3, 4), b.random(4, 5)
    b.check("matmul", "MatMul", x, y)
    b.check("matmul_batch", "MatMul", x, b.random(2, 4, 3))
    b.check("gemm", "Gemm", b.random(4, 3), b.random(5, 4), b.random(5), alpha=0.5, beta=2.0, transA=1, transB=1)
    b.check("einsum", "Einsum", x, b.random(2, 5, 4), equation="bij,bkj->bik")


def normalizations(b):
    x, image = b.random(2, 3, 4), b.random(2, 4, 3, 3)
    b.check("softmax", "Softmax", x)
    b.check("softmax_axis", "Softmax", x, axis=1)
    b.check("log_softmax", "LogSoftmax", x, axis=-2)
    if b.opset >= 17:
        b.check("layer_norm", "LayerNormalization", x, b.random(4), b.random(4))
        b.check("layer_norm_axis", "LayerNormalization", x, b.random(3, 4), axis=1, epsilon=0.01)
    b.check("instance_norm", "InstanceNormalization", image, b.random(4), b.random(4))
    if b.opset >= 21:  # that of opset 18 is deprecated: ONNX's checker refuses it
        b.check("group_norm", "GroupNormalization", image, b.random(4), b.random(4), num_groups=2)
    if b.opset >= 23:
        b.check("rms_norm", "RMSNormalization", x, b.random(4), epsilon=0.01)
        b.check("rms_norm_axis", "RMSNormalization", x, b.random(3, 4), axis=1)


def windows(b):
    image = b.random(1, 4, 5, 5)
    b.check("conv", "Conv", image, b.random(6, 2, 3, 3), b.random(6), group=2, pads=[1, 0, 1, 2], strides=[2, 1])
    b.check("conv_same", "Conv", image, b.random(2, 4, 2, 2), auto_pad="SAME_LOWER")
    b.check("conv_transpose", "ConvTranspose", b.random(1, 2, 3, 3), b.random(2, 3, 2, 2), strides=[2, 2], pads=[1, 0, 0, 1])
    b.check("max_pool", "MaxPool", image, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
    b.check("average_pool", "AveragePool", image, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
    if b.opset >= 19:
        b.check("average_pool_dilated", "AveragePool", image, kernel_shape=[2, 2], dilations=[2, 2])
    b.check("global_average_pool", "GlobalAveragePool", image)
    b.check("global_max_pool", "GlobalMaxPool", image)


def attention(b):
    if b.opset < 23:
        return
    q, k, v = b.random(2, 4, 3, 8), b.random(2, 2, 5, 8), b.random(2, 2, 5, 6)
    b.check("attention", "Attention", q, k, v)
    b.check("attention_scaled", "Attention", q, k, v, scale=0.3)
    b.check("attention_bias", "Attention", q, k, v, b.random(3, 5))
    mask = np.array([[1, 0, 1, 1, 0], [1, 1, 1, 1, 1], [0, 0, 1, 0, 0]], bool)
    b.check("attention_mask", "Attention", q, k, v, b.data(mask))
    b.check("attention_causal", "Attention", b.random(1, 2, 4, 8), b.random(1, 2, 4, 8), b.random(1, 2, 4, 8), is_causal=1)
    b.check("attention_merged", "Attention", b.random(2, 3, 32), b.random(2, 5, 16), b.random(2, 5, 16), q_num_heads=4,
            kv_num_heads=2)
    cosines, sines = b.random(6, 4), b.random(6, 4)
    positions = b.data(np.array([[0, 1, 2], [3, 4, 5]], np.int64))
    b.check("rotary", "RotaryEmbedding", q, cosines, sines, positions)
    b.check("rotary_interleaved", "RotaryEmbedding", q, cosines, sines, positions, interleaved=1)
    b.check("rotary_part", "RotaryEmbedding", q, b.random(6, 2), b.random(6, 2), positions, rotary_embedding_dim=4)
    b.check("rotary_merged", "RotaryEmbedding", b.random(2, 3, 32), b.random(2, 3, 4), b.random(2, 3, 4), num_heads=4)


def others(b):
    scores, labels = b.random(4, 3), b.data(ints(0, 2, 1, 1))
    b.check("cross_entropy", "SoftmaxCrossEntropyLoss", scores, labels, ignore_index=1)
    b.check("dropout_inference", "Dropout", scores)


def add_all(builder):
    for family in (elementwise, integers_and_booleans, casts, reductions, shapes, constants_and_shape_arithmetic,
                   indexing, products, normalizations, windows, attention, others):
        family(builder)
