"""Operators that copy: IDENTITY, CAST, SPLIT, JOIN, TILE, REVERSE_SUBSEQUENCES."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.geometry import MAXIMUM_RANK
from anydml.core.layout import Layout
from anydml.core.levels import FeatureLevel
from anydml.core.moves import Move
from anydml.core.rules import rule
from anydml.core.schema import (
    Axis,
    Integer,
    Operator,
    ScaleBias,
    aliases,
    attribute,
    per_dimension,
    same,
    tensor_input,
    tensor_inputs,
    tensor_output,
    tensor_outputs,
)
from anydml.core.tensor import TensorDesc
from anydml.operators.types import (
    ALL,
    FLOAT_16_32,
    INTEGERS_8,
    INTEGERS_16,
    INTEGERS_32,
    UINT32,
    UINT64,
    UP_TO_32_BIT,
    WITHOUT_FLOAT64,
)

EMPTY = rule("list.empty", "There is at least one tensor in a list.")
JOINED = rule("join.sizes", "The parts have the sizes of the whole but along the axis, where theirs add up to it.")
LENGTHS = rule(
    "reverse-subsequences.lengths", "There is one length for each sequence: the input's sizes with 1 along the axis."
)


class ElementWiseIdentity(Operator, since="1.0", id=1):
    """Copies each element, scaled and biased if asked; with other strides it changes the layout."""

    rank = {"1.0": (4, 5), "3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": ALL})
    output_tensor: TensorDesc = tensor_output({"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": ALL})
    scale_bias: tuple[float, float] | None = attribute(ScaleBias(), optional=True)
    same = (same("input_tensor output_tensor", "DataType DimensionCount Sizes"),)
    in_place = aliases("input_tensor", "output_tensor")

    def moves(self) -> Iterator[Move]:
        source, destination = self.input_tensor.layout, self.output_tensor.layout
        yield Move("input_tensor", source, "output_tensor", destination, self.scale_bias)


class Cast(Operator, since="1.0", id=61):
    """Converts each element to the output's data type."""

    rank = {"1.0": (4, 4), "3.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input(
        {"1.0": FLOAT_16_32 | INTEGERS_16 | INTEGERS_8, "3.0": WITHOUT_FLOAT64, "4.1": ALL}
    )
    output_tensor: TensorDesc = tensor_output(
        {"1.0": FLOAT_16_32 | INTEGERS_16 | INTEGERS_8, "3.0": WITHOUT_FLOAT64, "4.1": ALL}
    )
    same = (same("input_tensor output_tensor", "DimensionCount Sizes"),)

    def moves(self) -> Iterator[Move]:
        yield Move("input_tensor", self.input_tensor.layout, "output_tensor", self.output_tensor.layout)


_JOIN_TYPES = {"1.0": FLOAT_16_32 | INTEGERS_32 | INTEGERS_16, "2.1": UP_TO_32_BIT, "4.1": ALL}


def _check_parts(
    whole: TensorDesc, parts: tuple[TensorDesc, ...], axis: int, whole_path: str, path: str
) -> Iterator[Violation]:
    """Parts and whole fit together along the axis and agree along the others."""
    if not parts:
        yield EMPTY(path, "no tensors", "at least one")
    for k, part in enumerate(parts):
        for i, (own, total) in enumerate(zip(part.sizes, whole.sizes, strict=True)):
            if i != axis and own != total:
                yield JOINED(f"{path}[{k}].Sizes[{i}]", own, f"{total} as {whole_path} has", Use(total))
    total = sum(part.sizes[axis] for part in parts)
    if total != whole.sizes[axis]:
        yield JOINED(f"{whole_path}.Sizes[{axis}]", whole.sizes[axis], f"{total}, what the parts add up to", Use(total))


def _pieces(whole: Layout, parts: tuple[TensorDesc, ...], axis: int) -> Iterator[tuple[int, Layout]]:
    """Where in the whole each part lies."""
    start = 0
    for k, part in enumerate(parts):
        offsets = [start if i == axis else 0 for i in range(whole.rank)]
        yield k, whole.window(offsets, part.sizes, (1,) * whole.rank)
        start += part.sizes[axis]


class Split(Operator, since="1.0", id=62):
    """Cuts a tensor into several along an axis."""

    rank = {"1.0": (4, 4), "3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_JOIN_TYPES)
    output_tensors: tuple[TensorDesc, ...] = tensor_outputs(_JOIN_TYPES, length="OutputCount")
    axis: int = attribute(Axis())
    same = (same("input_tensor output_tensors", "DataType DimensionCount"),)

    def check(self, level: FeatureLevel) -> Iterable[Violation]:
        if self.output_tensors is None:  # how to cut is the caller's choice, which is told when they are inferred
            return ()
        return _check_parts(self.input_tensor, self.output_tensors, self.axis, "InputTensor", "OutputTensors")

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {}  # how to cut is the caller's choice

    def moves(self) -> Iterator[Move]:
        for k, piece in _pieces(self.input_tensor.layout, self.output_tensors, self.axis):
            yield Move("input_tensor", piece, f"output_tensors[{k}]", self.output_tensors[k].layout)


class Join(Operator, since="1.0", id=63):
    """Puts tensors one after another along an axis."""

    rank = {"1.0": (4, 4), "3.0": (4, 5), "4.1": (1, 8)}
    input_tensors: tuple[TensorDesc, ...] = tensor_inputs(_JOIN_TYPES, length="InputCount")
    output_tensor: TensorDesc = tensor_output(_JOIN_TYPES)
    axis: int = attribute(Axis(tensor="input_tensors"))
    same = (same("input_tensors output_tensor", "DataType DimensionCount"),)

    def check(self, level: FeatureLevel) -> Iterable[Violation]:
        if not self.input_tensors:
            return [EMPTY("InputTensors", "no tensors", "at least one")]
        whole = self.output_tensor or TensorDesc(self.input_tensors[0].data_type, self._joined_sizes())
        return _check_parts(whole, self.input_tensors, self.axis, "OutputTensor", "InputTensors")

    def _joined_sizes(self) -> tuple[int, ...]:
        first, total = self.input_tensors[0], sum(part.sizes[self.axis] for part in self.input_tensors)
        return tuple(total if i == self.axis else n for i, n in enumerate(first.sizes))

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": self._joined_sizes()}

    def moves(self) -> Iterator[Move]:
        for k, piece in _pieces(self.output_tensor.layout, self.input_tensors, self.axis):
            yield Move(f"input_tensors[{k}]", self.input_tensors[k].layout, "output_tensor", piece)


class Tile(Operator, since="1.0", id=70):
    """Repeats the whole tensor along its dimensions."""

    rank = {"1.0": (4, 4), "3.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64})
    output_tensor: TensorDesc = tensor_output({"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64})
    repeats: tuple[int, ...] = per_dimension("input_tensor", Integer(minimum=1), length="RepeatsCount")
    same = (same("input_tensor output_tensor", "DataType"),)

    def infer(self) -> dict[str, tuple[int, ...]]:
        sizes = zip(self.input_tensor.sizes, self.repeats, strict=True)
        return {"output_tensor": tuple(size * count for size, count in sizes)}

    def moves(self) -> Iterator[Move]:
        """Output axes split into (repeat, element); the source repeats with stride 0.

        Splitting every axis can take more dimensions than a layout has: the shortest are then walked, a move
        for each of their steps.
        """
        dimensions = self._dimensions()
        walked = sorted(dimensions)[: max(len(dimensions) - MAXIMUM_RANK, 0)]
        for dimension in walked:
            dimensions.remove(dimension)
        for steps in product(*(range(size) for size, _, _ in walked)):
            starts = [sum(step * d[side] for step, d in zip(steps, walked, strict=True)) for side in (1, 2)]
            layouts = [
                Layout([d[0] for d in dimensions], [d[side] for d in dimensions], start)
                for side, start in zip((1, 2), starts, strict=True)
            ]
            yield Move("input_tensor", layouts[0], "output_tensor", layouts[1])

    def _dimensions(self) -> list[tuple[int, int, int]]:
        """Size, source stride and destination stride of every repeat and every axis longer than 1."""
        source, whole = self.input_tensor.layout, self.output_tensor.layout
        dimensions = []
        for axis, count in enumerate(self.repeats):
            size, step = source.sizes[axis], whole.strides[axis]
            dimensions += [(count, 0, size * step)] if count > 1 else []
            dimensions += [(size, source.strides[axis], step)] if size > 1 else []
        return dimensions or [(1, 1, 1)]


class ReverseSubsequences(Operator, since="2.1", id=106):
    """Reverses the first elements of each sequence along an axis, as many as its length says."""

    rank = {"2.1": (4, 4), "3.0": (4, 5), "4.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"2.1": UP_TO_32_BIT, "5.0": ALL})
    sequence_lengths_tensor: TensorDesc = tensor_input({"2.1": UINT32, "5.0": UINT32 | UINT64})
    output_tensor: TensorDesc = tensor_output({"2.1": UP_TO_32_BIT, "5.0": ALL})
    axis: int = attribute(Axis())
    only_moves = True
    same = (
        same("input_tensor sequence_lengths_tensor output_tensor", "DimensionCount"),
        same("input_tensor output_tensor", "DataType"),
    )

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        expected = tuple(1 if i == self.axis else n for i, n in enumerate(self.input_tensor.sizes))
        found = self.sequence_lengths_tensor.sizes
        if found != expected:
            yield LENGTHS("SequenceLengthsTensor.Sizes", found, expected, Use(expected))

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": self.input_tensor.sizes}

    def compute(self, xp: Any, input_tensor: Any, sequence_lengths_tensor: Any) -> Any:
        size = self.input_tensor.sizes[self.axis]
        places = xp.arange(size).reshape([-1 if i == self.axis else 1 for i in range(input_tensor.ndim)])
        lengths = xp.minimum(sequence_lengths_tensor, size).astype(places.dtype)
        mirrored = xp.where(places < lengths, lengths - 1 - places, places)
        return xp.take_along_axis(input_tensor, xp.broadcast_to(mirrored, input_tensor.shape), axis=self.axis)
