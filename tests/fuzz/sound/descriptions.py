"""Sound calls of what describes: tensors, layouts, types, levels, operators, and the enumerations among them."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

import anydml as dml
import pydirectml as py
from anydml.core.policy import DEFAULT
from tests.fuzz.sound.shared import INTEGERS, LAYOUT, SLICE, TENSOR, Sound, call, numbers

DESCRIPTIONS: Sound = {
    "dml.TensorDesc": lambda: call(
        dml.TensorDesc,
        data_type="FLOAT32",
        sizes=[2, 3],
        strides=[4, 1],
        flags=["NONE"],
        total_tensor_size_in_bytes=64,
        guaranteed_base_offset_alignment=16,
        order=None,
        axes=None,
    ),
    "dml.TensorDesc of an order": lambda: call(dml.TensorDesc, "FLOAT32", [2, 3], order="WH", axes="HW"),
    "dml.TensorDesc of C": lambda: call(
        dml.TensorDesc,
        DataType=1,
        Sizes=[2, 3],
        Strides=[4, 1],
        DimensionCount=2,
        Flags=0,
        TotalTensorSizeInBytes=64,
        GuaranteedBaseOffsetAlignment=16,
    ),
    "dml.TensorDesc.from_array": lambda: call(dml.TensorDesc.from_array, array=numbers(2, 3).T, flags=1),
    "dml.TensorDesc.replace": lambda: call(TENSOR.replace, sizes=[3, 2], data_type="INT8", flags=0),
    "dml.TensorDesc.with_rank": lambda: call(TENSOR.with_rank, rank=4),
    "dml.TensorDesc.broadcast_to": lambda: call(TENSOR.broadcast_to, sizes=[4, 2, 3]),
    "dml.TensorDesc.from_dict": lambda: call(dml.TensorDesc.from_dict, fields=INTEGERS.to_dict()),
    "dml.TensorDesc.from_json": lambda: call(dml.TensorDesc.from_json, text=INTEGERS.to_json()),
    "dml.TensorDesc.require_level": lambda: call(TENSOR.require_level, level="1.0"),
    "dml.TensorDesc.view": lambda: call(TENSOR.view, buffer=bytearray(64), offset=8),
    "dml.TensorDesc.locate": lambda: call(TENSOR.locate, buffer=bytearray(64), offset=8),
    "dml.TensorDesc.store": lambda: call(INTEGERS.store, buffer=bytearray(64), values=[[1, 2, 3]], offset=8),
    "dml.TensorDesc.store of INT4": lambda: call(
        dml.TensorDesc("INT4", [2, 3]).store, buffer=bytearray(64), values=np.int64(-8), offset=8
    ),
    "dml.TensorDesc.store of FLOAT16": lambda: call(
        dml.TensorDesc("FLOAT16", [3]).store, buffer=bytearray(64), values=[1, 2.5, 3], offset=8
    ),
    "dml.TensorDesc.store of UINT64": lambda: call(
        dml.TensorDesc("UINT64", [1]).store, buffer=bytearray(64), values=2**64 - 1, offset=8
    ),
    "dml.Layout": lambda: call(dml.Layout, sizes=(2, 3), strides=(5, 1), offset=7),
    "dml.Layout.from_order": lambda: call(dml.Layout.from_order, sizes=(2, 3, 4), order="HWC", axes="CHW"),
    "dml.Layout.__call__": lambda: call(LAYOUT, index=(1, 2)),
    "dml.Layout.__getitem__": lambda: call(LAYOUT.__getitem__, index=(1, slice(0, 2))),
    "dml.Layout.__getitem__ of a number": lambda: call(dml.Layout((4,)).__getitem__, index=1),
    "dml.Layout.permute": lambda: call(LAYOUT.permute, axes=(1, 0)),
    "dml.Layout.broadcast_to": lambda: call(LAYOUT.broadcast_to, sizes=(4, 2, 3)),
    "dml.Layout.pad": lambda: call(LAYOUT.pad, amounts=(1, 2)),
    "dml.Layout.window": lambda: call(
        LAYOUT.window, offsets=(0, 1), sizes=(2, 2), strides=(1, -1), output_sizes=(2, 2)
    ),
    "dml.Layout.split": lambda: call(LAYOUT.split, axis=1, factors=(3, 1)),
    "dml.Layout.reshape": lambda: call(dml.Layout((2, 3)).reshape, sizes=(6,)),
    "dml.Layout.from_dict": lambda: call(dml.Layout.from_dict, fields=LAYOUT.to_dict()),
    "dml.Layout.from_json": lambda: call(dml.Layout.from_json, text=LAYOUT.to_json()),
    "dml.OrderMatch": lambda: call(dml.OrderMatch, axes="HW", names=("HW",), exact=("HW",), total=1),
    "dml.TensorPolicy": lambda: call(_chosen, name="own", choose=dml.Layout),
    "dml.TensorPolicy.__call__": lambda: call(DEFAULT, sizes=(2, 3)),
    "dml.DataType.parse": lambda: call(dml.DataType.parse, value="FLOAT32", path="DataType"),
    "dml.DataType.bytes_for": lambda: call(dml.DataType.INT4.bytes_for, elements=3),
    "dml.FeatureLevel.parse": lambda: call(dml.FeatureLevel.parse, value="6.4", path="level"),
    "dml.FeatureLevel.of_directml": lambda: call(dml.FeatureLevel.of_directml, version="1.4"),
    "dml.TensorFlags.parse": lambda: call(dml.TensorFlags.parse, value=["OWNED_BY_DML"], path="Flags"),
    "dml.ExecutionFlags.parse": lambda: call(dml.ExecutionFlags.parse, value=["NONE", "NONE"], path="flags"),
    "dml.BindingProperties": lambda: call(
        dml.BindingProperties, required_descriptor_count=1, temporary_resource_size=2, persistent_resource_size=3
    ),
    "dml.calc_buffer_tensor_size": lambda: call(
        dml.calc_buffer_tensor_size, data_type="INT8", sizes=[2, 3], strides=[4, 1]
    ),
    "dml.DMLCalcBufferTensorSize": lambda: call(
        dml.DMLCalcBufferTensorSize, data_type="INT8", dimension_count=2, sizes=[2, 3], strides=[4, 1]
    ),
    "dml.DMLCalcBufferTensorSize without a count": lambda: call(dml.DMLCalcBufferTensorSize, "INT8", [2, 3], [4, 1]),
    "dml.DML_TENSOR_DESC": lambda: call(dml.DML_TENSOR_DESC, Type="BUFFER", Desc=TENSOR),
    "dml.Operator": lambda: call(dml.Operator),
    "dml.Operator.from_dict": lambda: call(dml.Operator.from_dict, value=SLICE.to_dict()),
    "dml.Operator.from_json": lambda: call(dml.Operator.from_json, text=SLICE.to_json()),
    "dml.Operator.fused": lambda: call(dml.ActivationElu.fused, alpha=0.5),
    "dml.Operator.replace": lambda: call(SLICE.replace, input_window_offsets=[0, 0], output_tensor=True),
    "dml.Operator.to_cpp": lambda: call(SLICE.to_cpp, name="slice"),
    "dml.supports": lambda: call(
        dml.supports,
        operator="REDUCE",
        feature_level="2.0",
        data_type="FLOAT32",
        rank=4,
        input_tensor="INT8",
        function="SUM",
    ),
    "dml.min_feature_level": lambda: call(
        dml.min_feature_level, operator=dml.Reduce, data_type="INT8", rank=4, input_tensor=TENSOR, function=9
    ),
}


def _chosen(name: Any, choose: Any) -> None:
    """What a policy holds is looked at when it is used."""
    dml.ActivationRelu(input_tensor=TENSOR, output_tensor=dml.TensorPolicy(name, choose))


def enumerations() -> Sound:
    """Each enumeration as a function of a number, and its `parse`."""
    found: Sound = {}
    for prefix, module in (("dml", dml), ("pydirectml", py)):
        for name in module.__all__:
            cls = getattr(module, name)
            if isinstance(cls, type) and issubclass(cls, enum.Enum):
                first = next(iter(cls.__members__.values()))
                found[f"{prefix}.{name}"] = lambda cls=cls, first=first: call(cls, first.value)
                if hasattr(cls, "prefix"):
                    found[f"{prefix}.{name}.parse"] = lambda cls=cls, first=first: call(
                        cls.parse, value=first.name, path="mode"
                    )
    return found
