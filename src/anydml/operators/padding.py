"""PADDING and PADDING1: a border around a tensor, in five modes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import PaddingMode
from anydml.core.layout import Layout
from anydml.core.moves import Fill, Move
from anydml.core.schema import (
    Enumeration,
    Float,
    Integer,
    Operator,
    Scalar,
    TypeOf,
    attribute,
    per_dimension,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.tensor import TensorDesc
from anydml.operators.types import ALL, FLOAT_16_32, UP_TO_32_BIT

# Every run of every axis meets every run of the others; past this many moves an indexed copy is quicker.
_MOST_MOVES = 1024


@dataclass(frozen=True)
class Run:
    """Output elements along an axis that read input elements in equal steps (1, -1, or 0 for an edge)."""

    start: int
    length: int
    source: int
    step: int


def runs_of(mode: PaddingMode, size: int, before: int, after: int) -> list[Run]:
    """The runs that make up one padded axis."""
    total = before + size + after
    if mode is PaddingMode.EDGE or size == 1:
        runs = [Run(0, before, 0, 0), Run(before, size, 0, 1), Run(before + size, after, size - 1, 0)]
        return [run for run in runs if run.length]
    # A period is the axis itself, then its mirror image: without both ends, with both, or (WRAP) none.
    mirrored = {PaddingMode.REFLECTION: size - 2, PaddingMode.SYMMETRIC: size}.get(mode, 0)
    top = size - 2 if mode is PaddingMode.REFLECTION else size - 1
    runs, position = [], 0
    while position < total:
        place = (position - before) % (size + mirrored)
        rising = place < size
        length = min(size - place if rising else size + mirrored - place, total - position)
        runs.append(Run(position, length, place if rising else top - (place - size), 1 if rising else -1))
        position += length
    return runs


def _padded_sizes(operator: Padding | Padding1) -> dict[str, tuple[int, ...]]:
    rows = zip(operator.input_tensor.sizes, operator.start_padding, operator.end_padding, strict=True)
    return {"output_tensor": tuple(size + before + after for size, before, after in rows)}


def _padding_moves(operator: Padding | Padding1, value: int | float) -> Iterator[Move | Fill] | None:
    whole = operator.output_tensor.layout
    ones = (1,) * whole.rank
    if operator.padding_mode is PaddingMode.CONSTANT:
        inner = whole.window(operator.start_padding, operator.input_tensor.sizes, ones)
        fill = Fill("output_tensor", whole, value)
        return iter((fill, Move("input_tensor", operator.input_tensor.layout, "output_tensor", inner)))
    rows = list(zip(operator.input_tensor.sizes, operator.start_padding, operator.end_padding, strict=True))
    repeats = operator.padding_mode is not PaddingMode.EDGE
    if repeats and any((before + after) // size > _MOST_MOVES for size, before, after in rows if size > 1):
        return None  # before listing them: there can be billions
    axes = [runs_of(operator.padding_mode, *row) for row in rows]
    if prod(len(runs) for runs in axes) > _MOST_MOVES:
        return None
    return (_run_move(operator.input_tensor.layout, whole, runs) for runs in product(*axes))


def _run_move(source: Layout, whole: Layout, runs: tuple[Run, ...]) -> Move:
    lengths = [run.length for run in runs]
    part = whole.window([run.start for run in runs], lengths, (1,) * whole.rank)
    steps = [run.step * stride for run, stride in zip(runs, source.strides, strict=True)]
    start = source.offset + sum(run.source * stride for run, stride in zip(runs, source.strides, strict=True))
    return Move("input_tensor", Layout(lengths, steps, start), "output_tensor", part)


def _padding_by_index(operator: Padding | Padding1, xp: Any, array: Any) -> Any:
    """Where runs are too many to list: each output index reads one input index."""
    for axis, (size, before) in enumerate(zip(operator.input_tensor.sizes, operator.start_padding, strict=True)):
        places = xp.arange(operator.output_tensor.sizes[axis]) - before
        array = xp.take(array, _source_of(operator.padding_mode, xp, places, size), axis=axis)
    return array


def _source_of(mode: PaddingMode, xp: Any, places: Any, size: int) -> Any:
    """Which input element each place, counted from the input's first, shows."""
    if mode is PaddingMode.EDGE or size == 1:
        return xp.clip(places, 0, size - 1)
    if mode is PaddingMode.WRAP:
        return places % size
    shared = 1 if mode is PaddingMode.REFLECTION else 0  # whether the mirror shares the edge
    folded = places % (2 * (size - shared))
    return xp.minimum(folded, 2 * size - 1 - shared - folded)


class Padding(Operator, since="1.0", id=64):
    """Surrounds a tensor with a value, its edge, its mirror image or itself."""

    rank = {"1.0": (4, 5), "3.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "5.0": ALL})
    output_tensor: TensorDesc = tensor_output({"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "5.0": ALL})
    padding_mode: PaddingMode = attribute(Enumeration(PaddingMode))
    padding_value: float = attribute(Float())
    start_padding: tuple[int, ...] = per_dimension("input_tensor", Integer())
    end_padding: tuple[int, ...] = per_dimension("input_tensor", Integer())
    same = (same("input_tensor output_tensor", "DataType DimensionCount"),)
    only_moves = True

    def infer(self) -> dict[str, tuple[int, ...]]:
        return _padded_sizes(self)

    def moves(self) -> Iterator[Move | Fill] | None:
        return _padding_moves(self, self.padding_value)

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return _padding_by_index(self, xp, input_tensor)


class Padding1(Operator, since="5.0", id=155):
    """PADDING with a padding value of the tensor's own data type."""

    rank = {"5.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"5.0": ALL})
    output_tensor: TensorDesc = tensor_output({"5.0": ALL})
    padding_mode: PaddingMode = attribute(Enumeration(PaddingMode))
    padding_value_data_type: DataType = attribute(TypeOf())
    padding_value: int | float = attribute(Scalar("padding_value_data_type"))
    start_padding: tuple[int, ...] = per_dimension("input_tensor", Integer())
    end_padding: tuple[int, ...] = per_dimension("input_tensor", Integer())
    same = (same("input_tensor output_tensor", "DataType DimensionCount"),)
    only_moves = True

    def infer(self) -> dict[str, tuple[int, ...]]:
        return _padded_sizes(self)

    def moves(self) -> Iterator[Move | Fill] | None:
        return _padding_moves(self, self.padding_value)

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return _padding_by_index(self, xp, input_tensor)
