"""The tables of the format: the position of each field, and the numbers of its unions.

The root is a graph. Edges have no table of their own: a name among a node's outputs and another's inputs connects them.
"""

from __future__ import annotations

from typing import Any

from anydml.core.errors import ModelError
from anydml.core.rules import rule
from anydml.process.loading import load_module

PACKAGE = rule("serialized.package", "Serialized graphs are read and written with the package flatbuffers.")

GRAPH = ("nodes", "graphInputNames", "graphOutputNames")
NODE = ("desc_type", "desc", "name", "inputNames", "outputNames")
OPERATOR = ("type", "inputs", "outputs", "attributes")
TENSOR = ("dataType", "sizes", "strides", "totalTensorSizeInBytes")
CONSTANT = ("data_type", "data")
CONSTANT_NAME = ("name",)
RAW_DATA = ("data",)
ATTRIBUTE = ("name", "val_type", "val")
ACTIVATION = ("type", "attributes")
ACTIVATIONS = ("data",)
ARRAY = ("data",)
SCALAR = ("data_type", "data")

OPERATOR_NODE, CONSTANT_NODE = 1, 2
NAMED_CONSTANT, RAW_CONSTANT = 1, 2
SCALAR_BYTES = 1
VALUES = {
    name: number
    for number, name in enumerate(
        [
            "Activation",
            "ActivationArray",
            "UInt32",
            "UInt64",
            "Int32",
            "Float32",
            "UIntArray",
            "IntArray",
            "FloatArray",
            "ScaleBias",
            "Size2D",
            "ScalarUnionData",
            "Bool",
        ],
        start=1,
    )
}
"""The union of attribute values."""
OF_TYPE = {
    "UINT": "UInt32",
    "INT": "Int32",
    "FLOAT": "Float32",
    "BOOL": "Bool",
    "UINT_ARRAY": "UIntArray",
    "INT_ARRAY": "IntArray",
    "FLOAT_ARRAY": "FloatArray",
    "SCALE_BIAS": "ScaleBias",
    "SIZE_2D": "Size2D",
    "SCALAR_UNION": "ScalarUnionData",
    "FUSED_ACTIVATION": "Activation",
    "FUSED_ACTIVATION_ARRAY": "ActivationArray",
}
OPERATOR_PREFIX, TYPE_PREFIX = "DML_OPERATOR_", "DML_TENSOR_DATA_TYPE_"
WEIGHTS_SUFFIX = ".bin"


def value_of(type_name: str) -> str:
    """The kind of value that an attribute of this type has in a file."""
    return "UInt32" if type_name.startswith("ENUM:") else OF_TYPE[type_name]


def flatbuffers(name: str = "flatbuffers") -> Any:
    """The package; an error that says how to get it, if it is not there."""
    try:
        return load_module(name)
    except ImportError:
        fix = 'pip install "anydml[graphs]"'
        raise ModelError(PACKAGE("", "no package flatbuffers", "the package", fix)) from None
