"""QUANTIZE, DEQUANTIZE and DYNAMIC_QUANTIZE_LINEAR: scales for blocks of elements, and scales found on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import QuantizationType
from anydml.core.errors import Violation, counted
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import (
    Enumeration,
    Operator,
    attribute,
    same,
    tensor_input,
    tensor_inputs,
    tensor_output,
)
from anydml.core.tensor import TensorDesc
from anydml.operators.types import FLOAT32, FLOAT_16_32, INTEGERS_8

KIND = rule("quantization.type", "Quantization is by SCALE, with one tensor, or by SCALE_ZERO_POINT, with two.")
SCALE = rule("quantization.scale", "A scale is FLOAT32 or FLOAT16.")
ZERO_POINT = rule("quantization.zero-point", "A zero point has the data type of the quantized tensor.")
BLOCKS = rule("quantization.blocks", "A scale or zero point divides the tensor into equal blocks.")
_INTEGERS_4_8 = INTEGERS_8 | {DataType.INT4, DataType.UINT4}
_COUNTS = {QuantizationType.SCALE: 1, QuantizationType.SCALE_ZERO_POINT: 2}


def quantized(xp: Any, x: Any, scale: Any, zero_point: Any, data_type: DataType) -> Any:
    """round(x / scale) + zero point, halves to even, held in the type's range; NaN is stored as 0."""
    low, high = data_type.range
    return xp.clip(xp.rint(x / scale) + zero_point, low, high)


def _midpoint(data_type: DataType) -> int:
    """The zero point that a quantized tensor has without being told: in the middle of unsigned numbers."""
    return 0 if data_type.is_signed else 1 << (data_type.bits - 1)


class _Blocks:
    """A tensor cut into blocks by the sizes of scales, each dimension that needs it split in two."""

    def __init__(self, sizes: tuple[int, ...], parts: list[tuple[int, ...]]) -> None:
        # A dimension is split as finely as any of the parts asks; a part of 1 is broadcast anyway.
        self.sizes, self._counts = sizes, [max(each) for each in zip(*parts, strict=True)]

    def split(self, x: Any) -> Any:
        """The array, {n} as {blocks, elements of a block} where that is neither 1 nor n blocks."""
        shape: list[int] = []
        for size, count, whole in zip(x.shape, self._counts, self.sizes, strict=True):
            if count in (1, whole):
                shape.append(size)
            elif size == whole:
                shape += [count, whole // count]
            else:
                shape += [size, 1]
        return x.reshape(shape)


class _BlockQuantization(Operator, abstract=True):
    """What QUANTIZE and DEQUANTIZE have in common."""

    rank = {"6.3": (1, 8)}
    same = (same("input_tensor quantization_tensors output_tensor", "DimensionCount"),)
    input_tensor: TensorDesc
    quantization_type: QuantizationType
    quantization_tensors: tuple[TensorDesc, ...]
    output_tensor: TensorDesc

    def _check(self, quantized_type: DataType | None) -> Iterator[Violation]:
        tensors, wanted = self.quantization_tensors, _COUNTS.get(self.quantization_type)
        if wanted is None:
            yield KIND("QuantizationType", self.quantization_type.name, "SCALE or SCALE_ZERO_POINT", Use("SCALE"))
        elif len(tensors) != wanted:
            expected = f"{wanted} for {self.quantization_type.name}"
            yield KIND("QuantizationTensors", counted(len(tensors), "tensor"), expected)
        if tensors and not tensors[0].data_type.is_float:
            yield SCALE("QuantizationTensors[0].DataType", tensors[0].data_type.name, "FLOAT32 or FLOAT16")
        if len(tensors) > 1 and quantized_type is not None and tensors[1].data_type is not quantized_type:
            found, name = tensors[1].data_type.name, quantized_type.name
            yield ZERO_POINT("QuantizationTensors[1].DataType", found, f"{name}, the quantized type", Use(name))
        yield from self._check_blocks()

    def _check_blocks(self) -> Iterator[Violation]:
        """Where scale and zero point both have blocks they have the same, and one split of the input serves both."""
        for i, tensor in enumerate(self.quantization_tensors):
            for axis, (count, size) in enumerate(zip(tensor.sizes, self.input_tensor.sizes, strict=True)):
                path = f"QuantizationTensors[{i}].Sizes[{axis}]"
                if size % count:
                    yield BLOCKS(path, count, f"a divisor of {size}, InputTensor's size")
                elif 1 != count != self.quantization_tensors[0].sizes[axis] != 1:
                    first = self.quantization_tensors[0].sizes[axis]
                    yield BLOCKS(path, count, f"{first} as the scale has, or 1", Use(first))

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": self.input_tensor.sizes}

    def _blocks(self) -> _Blocks:
        return _Blocks(self.input_tensor.sizes, [tensor.sizes for tensor in self.quantization_tensors])


class Quantize(_BlockQuantization, since="6.3", id=173):
    """round(x / scale) + zero point, clamped to the output's range, with a scale and a zero point for each block.

    A block's size is the input's size divided by the scale's. Halves round to even. Unsigned outputs without a zero
    point have it in the middle of their range.
    """

    input_tensor: TensorDesc = tensor_input({"6.3": FLOAT_16_32})
    quantization_type: QuantizationType = attribute(Enumeration(QuantizationType))
    quantization_tensors: tuple[TensorDesc, ...] = tensor_inputs(
        {"6.3": FLOAT_16_32 | _INTEGERS_4_8}, length="QuantizationTensorCount"
    )
    output_tensor: TensorDesc = tensor_output({"6.3": _INTEGERS_4_8})

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return self._check(None if self.output_tensor is None else self.output_tensor.data_type)

    def infer_types(self) -> dict[str, DataType]:
        """The zero point's type; a scale alone does not tell."""
        tensors = self.quantization_tensors
        return {"output_tensor": tensors[1].data_type} if len(tensors) > 1 else {}

    def compute(self, xp: Any, input_tensor: Any, quantization_tensors: Any) -> Any:
        data_type, split = self.output_tensor.data_type, self._blocks().split
        scale, *rest = (split(tensor) for tensor in quantization_tensors)
        zero_point = rest[0] if rest else _midpoint(data_type)
        # A float64 never rounds the quotient of two 32-bit floats onto a half.
        x = split(input_tensor).astype(xp.float64)
        return quantized(xp, x, scale, zero_point, data_type).reshape(input_tensor.shape)


class Dequantize(_BlockQuantization, since="6.3", id=174):
    """(x - zero point) * scale, with a scale and a zero point for each block.

    A block's size is the input's size divided by the scale's. Unsigned inputs without a zero point have it in the
    middle of their range.
    """

    input_tensor: TensorDesc = tensor_input({"6.3": _INTEGERS_4_8})
    quantization_type: QuantizationType = attribute(Enumeration(QuantizationType))
    quantization_tensors: tuple[TensorDesc, ...] = tensor_inputs(
        {"6.3": FLOAT_16_32 | _INTEGERS_4_8}, length="QuantizationTensorCount"
    )
    output_tensor: TensorDesc = tensor_output({"6.3": FLOAT_16_32})

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return self._check(self.input_tensor.data_type)

    def infer_types(self) -> dict[str, DataType]:
        return {"output_tensor": self.quantization_tensors[0].data_type}

    def compute(self, xp: Any, input_tensor: Any, quantization_tensors: Any) -> Any:
        split = self._blocks().split
        scale, *rest = (split(tensor) for tensor in quantization_tensors)
        zero_point = rest[0].astype(xp.int16) if rest else _midpoint(self.input_tensor.data_type)
        steps = split(input_tensor).astype(xp.int16) - zero_point
        return (steps.astype(scale.dtype) * scale).reshape(input_tensor.shape)


class DynamicQuantizeLinear(Operator, since="4.0", id=148):
    """Quantizes by the scale and zero point that fit the range of the input, 0 included, and outputs both."""

    rank = {"4.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"4.0": FLOAT_16_32})
    output_tensor: TensorDesc = tensor_output({"4.0": INTEGERS_8}, inferred_type=DataType.UINT8)
    output_scale_tensor: TensorDesc = tensor_output({"4.0": FLOAT32}, inferred_type=DataType.FLOAT32)
    output_zero_point_tensor: TensorDesc = tensor_output({"4.0": INTEGERS_8}, inferred_type=DataType.UINT8)
    same = (
        same("input_tensor output_tensor output_scale_tensor output_zero_point_tensor", "DimensionCount"),
        same("output_tensor output_zero_point_tensor", "DataType"),
    )

    def infer(self) -> dict[str, tuple[int, ...]]:
        single = (1,) * self.input_tensor.rank
        return {
            "output_tensor": self.input_tensor.sizes,
            "output_scale_tensor": single,
            "output_zero_point_tensor": single,
        }

    def infer_types(self) -> dict[str, DataType]:
        """Of the two quantized outputs, the one that is described decides for the other."""
        told = next((t.data_type for t in (self.output_tensor, self.output_zero_point_tensor) if t is not None), None)
        both = {} if told is None else dict.fromkeys(("output_tensor", "output_zero_point_tensor"), told)
        return super().infer_types() | both

    def compute(self, xp: Any, input_tensor: Any) -> dict[str, Any]:
        data_type = self.output_tensor.data_type
        low, high = data_type.range
        # In FLOAT32 on every device, as the scale is written: rounding shows the last bit.
        x = input_tensor.astype(xp.float32)
        bottom, top = xp.minimum(xp.min(x), 0), xp.maximum(xp.max(x), 0)
        scale = (top - bottom) / xp.float32(high - low)
        zero_point = xp.clip(xp.rint(low - bottom / scale), low, high)
        return {
            "output_tensor": quantized(xp, x, scale, zero_point, data_type),
            "output_scale_tensor": scale.reshape((1,) * x.ndim),
            "output_zero_point_tensor": zero_point.reshape((1,) * x.ndim),
        }
