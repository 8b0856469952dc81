"""What other libraries call the operators: ONNX, PyTorch, NumPy, TensorFlow, WebNN."""

from __future__ import annotations

import re
from functools import lru_cache

ELEMENT_WISE = {
    "Abs absolute fabs": "ABS",
    "Acos arccos": "ACOS",
    "Acosh arccosh": "ACOSH",
    "Add plus": "ADD",
    "Asin arcsin": "ASIN",
    "Asinh arcsinh": "ASINH",
    "Atan arctan": "ATAN",
    "Atan2 arctan2": "ATAN_YX",
    "Atanh arctanh": "ATANH",
    "BitwiseAnd": "BIT_AND",
    "BitCount bitwise_count population_count popcount": "BIT_COUNT",
    "BitwiseNot invert": "BIT_NOT",
    "BitwiseOr": "BIT_OR",
    "BitShift": "BIT_SHIFT_LEFT | ELEMENT_WISE_BIT_SHIFT_RIGHT",
    "LeftShift bitwise_left_shift lshift": "BIT_SHIFT_LEFT",
    "RightShift bitwise_right_shift rshift": "BIT_SHIFT_RIGHT",
    "BitwiseXor": "BIT_XOR",
    "Ceil ceiling": "CEIL",
    "Clip clamp clip_by_value hardtanh relu6": "CLIP1",
    "Cos": "COS",
    "Cosh": "COSH",
    "squared_difference": "DIFFERENCE_SQUARE",
    "Div divide true_divide truediv": "DIVIDE",
    "Erf": "ERF",
    "Exp": "EXP",
    "Floor": "FLOOR",
    "Where select": "IF",
    "IsInf": "IS_INFINITY",
    "IsNaN": "IS_NAN",
    "Log ln": "LOG",
    "And logical_and": "LOGICAL_AND",
    "Equal eq": "LOGICAL_EQUALS",
    "Greater gt": "LOGICAL_GREATER_THAN",
    "GreaterOrEqual greater_equal ge gte": "LOGICAL_GREATER_THAN_OR_EQUAL",
    "Less lt lesser": "LOGICAL_LESS_THAN",
    "LessOrEqual less_equal le lte lesser_or_equal": "LOGICAL_LESS_THAN_OR_EQUAL",
    "Not logical_not": "LOGICAL_NOT",
    "Or logical_or": "LOGICAL_OR",
    "Xor logical_xor": "LOGICAL_XOR",
    "Max amax reduce_max": "MAX | REDUCE function=MAX",
    "maximum fmax": "MAX",
    "Mean": "MEAN | REDUCE function=AVERAGE",
    "Min amin reduce_min": "MIN | REDUCE function=MIN",
    "minimum fmin": "MIN",
    "Mod modulo remainder floormod": "MODULUS_FLOOR",
    "fmod": "MODULUS_TRUNCATE",
    "Mul times multiply": "MULTIPLY",
    "Neg negative": "NEGATE",
    "Pow power": "POW",
    "Reciprocal": "RECIP",
    "Round rint around": "ROUND",
    "Sign signum": "SIGN",
    "Sin": "SIN",
    "Sinh": "SINH",
    "Sqrt": "SQRT",
    "Square": "CONSTANT_POW exponent=2",
    "Sub minus subtract": "SUBTRACT",
    "Tan": "TAN",
    "Tanh": "TANH",
    "QuantizeLinear quantize_per_tensor": "QUANTIZE_LINEAR | QUANTIZE",
    "DequantizeLinear": "DEQUANTIZE_LINEAR | DEQUANTIZE",
    "QLinearAdd": "QUANTIZED_LINEAR_ADD",
    "Identity copy clone contiguous ascontiguousarray": "IDENTITY",
    "Transpose permute permute_dims swapaxes swapdims moveaxis": "IDENTITY (the input with its strides exchanged)",
    "Expand broadcast_to broadcast": "IDENTITY (the input with strides of 0)",
}
ACTIVATIONS = {
    "Celu": "CELU",
    "Elu": "ELU",
    "Gelu": "GELU",
    "Hardmax": "HARDMAX1",
    "HardSigmoid": "HARD_SIGMOID",
    "HardSwish": "HARD_SWISH",
    "LeakyRelu": "LEAKY_RELU",
    "LogSoftmax": "LOG_SOFTMAX1",
    "PRelu": "PARAMETERIZED_RELU",
    "Relu rectify": "RELU",
    "Selu": "SCALED_ELU",
    "Shrink softshrink hardshrink": "SHRINK",
    "Sigmoid expit logistic": "SIGMOID",
    "Silu Swish": "SWISH",
    "Softmax": "SOFTMAX1",
    "Softplus": "SOFTPLUS",
    "Softsign": "SOFTSIGN",
    "ThresholdedRelu": "THRESHOLDED_RELU",
}
OTHERS = {
    "Adam AdamW": "ADAM_OPTIMIZER",
    "ArgMax": "ARGMAX",
    "ArgMin": "ARGMIN",
    "Attention MultiHeadAttention scaled_dot_product_attention GroupQueryAttention": "MULTIHEAD_ATTENTION1",
    "AveragePool avg_pool average_pooling AvgPool GlobalAveragePool": "AVERAGE_POOLING1",
    "QLinearAveragePool": "QUANTIZED_LINEAR_AVERAGE_POOLING",
    "BatchNormalization batch_norm": "BATCH_NORMALIZATION",
    "Cast CastLike astype convert_element_type": "CAST",
    "Col2Im": "FOLD",
    "Im2Col extract_patches": "UNFOLD",
    "Concat concatenate cat hstack vstack dstack": "JOIN",
    "ConstantOfShape full full_like zeros zeros_like ones ones_like fill": "FILL_VALUE_CONSTANT",
    "Conv convolve correlate depthwise_conv": "CONVOLUTION",
    "ConvInteger": "CONVOLUTION_INTEGER",
    "ConvTranspose conv_transpose deconvolution": "CONVOLUTION direction=BACKWARD",
    "CumProd cumulative_prod": "CUMULATIVE_PRODUCT",
    "CumSum cumulative_sum": "CUMULATIVE_SUMMATION",
    "DepthToSpace pixel_shuffle": "DEPTH_TO_SPACE1",
    "SpaceToDepth pixel_unshuffle": "SPACE_TO_DEPTH1",
    "DynamicQuantizeLinear": "DYNAMIC_QUANTIZE_LINEAR",
    "EyeLike eye": "DIAGONAL_MATRIX",
    "Trilu tril triu triangular": "DIAGONAL_MATRIX1",
    "Gather index_select embedding": "GATHER",
    "GatherElements take_along_axis take_along_dim": "GATHER_ELEMENTS",
    "GatherND": "GATHER_ND1",
    "take": "GATHER",
    "Gemm MatMul bmm mm addmm baddbmm dot linear Dense FullyConnected inner": "GEMM",
    "MatMulInteger": "MATRIX_MULTIPLY_INTEGER",
    "MatMulIntegerToFloat": "MATRIX_MULTIPLY_INTEGER_TO_FLOAT",
    "QLinearMatMul": "QUANTIZED_LINEAR_MATRIX_MULTIPLY",
    "QLinearConv": "QUANTIZED_LINEAR_CONVOLUTION",
    "GRU gru_cell": "GRU",
    "LSTM lstm_cell": "LSTM",
    "RNN rnn_cell": "RNN",
    "MeanVarianceNormalization InstanceNormalization instance_norm GroupNormalization group_norm LayerNormalization "
    "layer_norm": "MEAN_VARIANCE_NORMALIZATION1",
    "RMSNormalization rms_norm SimplifiedLayerNormalization": "MEAN_VARIANCE_NORMALIZATION2",
    "LRN local_response_norm": "LOCAL_RESPONSE_NORMALIZATION",
    "LpNormalization l2_normalize normalize": "LP_NORMALIZATION",
    "LpPool l2_pool GlobalLpPool": "LP_POOLING1",
    "MaxPool max_pooling GlobalMaxPool": "MAX_POOLING2",
    "MaxUnpool": "MAX_UNPOOLING",
    "MaxRoiPool roi_pool": "ROI_POOLING",
    "NonZero argwhere flatnonzero": "NONZERO_COORDINATES",
    "OneHot": "ONE_HOT",
    "Pad": "PADDING1",
    "RandomUniform RandomUniformLike RandomNormal RandomNormalLike Bernoulli rand randn random": (
        "RANDOM_GENERATOR (bits, for other operators to make numbers of)"
    ),
    "Range arange linspace": "FILL_VALUE_SEQUENCE",
    "ReduceL1": "REDUCE function=L1",
    "ReduceL2 norm": "REDUCE function=L2",
    "ReduceLogSum": "REDUCE function=LOG_SUM",
    "ReduceLogSumExp logsumexp": "REDUCE function=LOG_SUM_EXP",
    "ReduceMax": "REDUCE function=MAX",
    "ReduceMean average": "REDUCE function=AVERAGE",
    "ReduceMin": "REDUCE function=MIN",
    "ReduceProd prod product": "REDUCE function=MULTIPLY",
    "ReduceSum": "REDUCE function=SUM",
    "ReduceSumSquare": "REDUCE function=SUM_SQUARE",
    "Sum": "ELEMENT_WISE_ADD | REDUCE function=SUM",
    "Resize interpolate Upsample resample2d zoom": "RESAMPLE3",
    "ReverseSequence": "REVERSE_SUBSEQUENCES",
    "flip fliplr flipud reverse": "SLICE1 (a stride of -1)",
    "RoiAlign": "ROI_ALIGN1",
    "ScatterElements scatter_ put_along_axis": "SCATTER_ELEMENTS",
    "ScatterND index_put": "SCATTER_ND",
    "Slice strided_slice narrow": "SLICE1",
    "Split chunk unstack unbind": "SPLIT",
    "Tile repeat": "TILE",
    "TopK sort argsort": "TOP_K1",
}
NO_OPERATOR = {
    "Reshape view Squeeze Unsqueeze expand_dims Flatten ravel BitCast Reinterpret": (
        "a TensorDesc of the new sizes over the same buffer, which needs no operator"
    ),
    "Constant": "a ConstantNode of a Graph, or a buffer with these values",
    "Shape Size": "the sizes of the TensorDesc, which are known before anything runs",
    "Dropout": "the input itself, since dropout does nothing outside training",
}
"""What needs no operator, and what to use instead."""
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
_DIMENSIONS = re.compile(r"(?<=[a-z])[123]d$|v[123]$")


def fold(name: str) -> str:
    """A name without its library, capitals and underscores: `torch.nn.Max_Pool2d` -> `maxpool2d`."""
    last = re.split(r"[.:/]", name.strip().rstrip(".:/"))[-1]
    return _SEPARATORS.sub("", last).lower()


@lru_cache(maxsize=1)
def foreign_names() -> dict[str, tuple[str, ...]]:
    """The operators that a folded name stands for, with fields or a remark: `REDUCE function=MAX`."""
    found: dict[str, tuple[str, ...]] = {}
    for prefix, table in (("ELEMENT_WISE_", ELEMENT_WISE), ("ACTIVATION_", ACTIVATIONS), ("", OTHERS)):
        for names, operators in table.items():
            entry = tuple((prefix + operators).split(" | "))
            found |= {fold(name): entry for name in names.split()}
    return found


@lru_cache(maxsize=1)
def needless_names() -> dict[str, str]:
    """Advice for the folded names of what needs no operator."""
    return {fold(name): advice for names, advice in NO_OPERATOR.items() for name in names.split()}


def translate(name: str) -> tuple[str, ...]:
    """The operators that another library's name stands for; `max_pool2d` is found as `max_pool`."""
    folded, names = fold(name), foreign_names()
    return names.get(folded) or names.get(_DIMENSIONS.sub("", folded)) or ()
