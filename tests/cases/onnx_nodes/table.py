"""Which ONNX operator is which DirectML operator.

Entries are functions from a node to a case; they raise `Untranslatable` where DirectML has no such thing.
"""

from __future__ import annotations

from typing import Any

from tests.cases.framework import Case, spec
from tests.cases.onnx_nodes import arithmetic, imaging, networks, structure
from tests.cases.onnx_nodes.nodes import Node, Untranslatable, narrowed, require

TABLE: dict[str, arithmetic.Translation] = {
    **{name: arithmetic.unary(operator) for name, operator in arithmetic.UNARY.items()},
    **{name: arithmetic.activation(*entry) for name, entry in arithmetic.ACTIVATIONS.items()},
    **{name: arithmetic.binary(f"ELEMENT_WISE_{operator}") for name, operator in arithmetic.BINARY.items()},
    **{name: arithmetic.reduction(function) for name, function in arithmetic.REDUCTIONS.items()},
    "Mod": arithmetic.modulus,
    "BitShift": arithmetic.bit_shift,
    "Pow": arithmetic.power,
    "IsInf": arithmetic.is_infinity,
    "Round": arithmetic.rounding,
    "Where": arithmetic.choice,
    "Clip": arithmetic.clip,
    "Gelu": arithmetic.gelu,
    "PRelu": arithmetic.parameterized_relu,
    "QuantizeLinear": imaging.quantized("QUANTIZE"),
    "DequantizeLinear": imaging.quantized("DEQUANTIZE"),
    "DynamicQuantizeLinear": imaging.dynamic,
    "Softmax": arithmetic.softmax("SOFTMAX"),
    "LogSoftmax": arithmetic.softmax("LOG_SOFTMAX"),
    "Hardmax": arithmetic.softmax("HARDMAX"),
    "ArgMax": arithmetic.argument("ARGMAX"),
    "ArgMin": arithmetic.argument("ARGMIN"),
    "TopK": arithmetic.top_k,
    "CumSum": arithmetic.cumulative("CUMULATIVE_SUMMATION", "has_exclusive_sum"),
    "CumProd": arithmetic.cumulative("CUMULATIVE_PRODUCT", "has_exclusive_product"),
    "AveragePool": arithmetic.pooling(
        "AVERAGE_POOLING1", include_padding=lambda node: bool(node.get("count_include_pad", 0))
    ),
    "GlobalAveragePool": arithmetic.pooling("AVERAGE_POOLING1", everything=True, include_padding=lambda node: False),
    "LpPool": arithmetic.pooling("LP_POOLING1", p=lambda node: node.get("p", 2)),
    "MaxPool": arithmetic.pooling("MAX_POOLING2"),
    "GlobalMaxPool": arithmetic.pooling("MAX_POOLING2", everything=True),
    "MaxUnpool": arithmetic.unpooling,
    "Expand": structure.expand,
    "Transpose": structure.transpose,
    "Slice": structure.slices,
    "Split": structure.split,
    "Concat": structure.join,
    "Pad": structure.padding,
    "Tile": structure.tile,
    "DepthToSpace": structure.depth_to_space,
    "SpaceToDepth": structure.space_to_depth,
    "ReverseSequence": structure.reverse_sequence,
    "Gather": structure.gather,
    "GatherElements": structure.gather_elements,
    "ScatterElements": structure.scatter_elements,
    "Scatter": structure.scatter_elements,
    "GatherND": structure.gather_nd,
    "ScatterND": structure.scatter_nd,
    "OneHot": structure.one_hot,
    "NonZero": structure.nonzero,
    "EyeLike": structure.eye_like,
    "ConstantOfShape": structure.constant_of_shape,
    "Range": structure.sequence,
    "Trilu": structure.triangle,
    "Col2Im": structure.fold,
    "MatMul": networks.product,
    "Gemm": networks.gemm,
    "MatMulInteger": networks.product_of_integers,
    "QLinearMatMul": networks.product_of_quantized,
    "Conv": networks.convolution,
    "ConvTranspose": networks.transposed_convolution,
    "ConvInteger": networks.convolution_of_integers,
    "QLinearConv": networks.convolution_of_quantized,
    "RNN": networks.recurrent("RNN"),
    "GRU": networks.recurrent("GRU"),
    "LSTM": networks.recurrent("LSTM"),
    "Attention": networks.attention,
    "BatchNormalization": imaging.batch,
    "LRN": imaging.local_response,
    "LpNormalization": imaging.norm,
    "MeanVarianceNormalization": imaging.mean_variance,
    "InstanceNormalization": imaging.instance,
    "GroupNormalization": imaging.group,
    "LayerNormalization": imaging.layer("MEAN_VARIANCE_NORMALIZATION1"),
    "RMSNormalization": imaging.layer("MEAN_VARIANCE_NORMALIZATION2"),
    "Resize": imaging.resize,
    "Upsample": imaging.upsample,
    "RoiAlign": imaging.roi_align,
    "Adam": imaging.adam,
}


def illegal(case: Case) -> str:
    """Which tensor has a type or rank that the operator's table does not have; empty if none has."""
    for name in (*case.inputs, *case.outputs):
        for each in case.operands(name):
            if each.data_type not in spec.types(case.operator, name, case.get("function")):
                return f"{case.operator} has no {name} of {each.data_type}"
            low, high = spec.ranks(case.operator, name)
            if not low <= each.rank <= high:
                return f"{case.operator} has no {name} of {each.rank} dimensions"
    return ""


def translate(node: Node) -> tuple[Case, dict[str, Any]]:
    """The case of a DirectML operator that this node is, and what must come out; raises Untranslatable if it is none.

    Where the operator lacks 64-bit types, the test is made one of 32-bit numbers.
    """
    if node.op_type not in TABLE:
        raise Untranslatable(f"no entry for {node.op_type}")
    case = TABLE[node.op_type](node)
    if not illegal(case):
        return case, node.expected()
    narrow = narrowed(node)
    case = TABLE[node.op_type](narrow)
    require(not illegal(case), illegal(case))
    return case, narrow.expected()
