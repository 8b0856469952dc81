"""Draws a legal description: types, sizes, layouts, values and attributes, all from (operator, number) alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from random import Random
from typing import Any, TypeVar

from tests.cases.framework import spec, values
from tests.cases.framework.case import Case, Operand
from tests.operators.layouts import random_sizes, random_strides
from tests.oracle.moves import Index, Tensor, indices
from tests.oracle.numbers import encode, is_float

T = TypeVar("T")
Value = Callable[[Random, str], Any]
HOSTILE_ELEMENTS = 32
LARGE_EVERY = 10
"""One case in so many is large, so that kernels for more than a few elements are reached too."""
LARGER = 50
IN_PLACE_EVERY = 6
"""Of an operator that may work in place, one case in so many does."""
OWNED_EVERY = 7
"""One case in so many has an input that is owned by the operator."""
NEVER_OWNED = {"RNN", "LSTM", "GRU"}
ALIASED = {"ELEMENT_WISE_POW": "input_tensor", "ACTIVATION_PARAMETERIZED_RELU": "input_tensor"}
"""Where the pages name the one input whose memory the output may take."""


class Draw:
    """One case in the making: `input`, `output` and `attributes` add fields, everything else only chooses."""

    def __init__(self, operator: str, number: int, hostile_number: int | None = None) -> None:
        """`hostile_number` counts the cases with hostile values: 0 is the first of them."""
        self.operator = operator
        self.number = number
        self.hostile = hostile_number is not None
        self._hostile_number = hostile_number or 0
        self.random = Random(f"{operator} {number}")
        self.works_in_place = spec.is_in_place(operator) and number % IN_PLACE_EVERY == IN_PLACE_EVERY - 1
        self.is_large = number % LARGE_EVERY == LARGE_EVERY // 2 + 1
        self._fields: dict[str, Any] = {}
        self._in_place: dict[str, str] = {}

    # Choices

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def choice(self, *options: T) -> T:
        return self.random.choice(options)

    def integer(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def cycle(self, name: str, options: Sequence[T]) -> T:
        """Each option once in every len(options) cases, in an order that differs from round to round."""
        turn, place = divmod(self.number, len(options))
        return Random(f"{self.operator} {name} {turn}").sample(list(options), len(options))[place]

    def type(self, field: str, function: str | None = None) -> str:
        """A documented data type of the tensor; tensors that must share one get the same.

        Hostile values are worst for floats: cases with them begin with these.
        """
        group = spec.type_group(self.operator, field)
        allowed = spec.types(self.operator, field, function)
        if self.hostile and self._is_read(group):
            ordered = sorted(allowed, key=lambda kind: not is_float(kind))
            return ordered[self._hostile_number % len(ordered)]
        return self.cycle(f"type of {group} {function or ''}", allowed)

    def _is_read(self, group: str) -> bool:
        """Whether an input has the data type of this group."""
        inputs = spec.tensors(self.operator, "input")
        return group in {spec.type_group(self.operator, field.name) for field in inputs}

    def optional(self, field: str) -> bool:
        """Whether an optional tensor is there: in every second case."""
        return self.cycle(f"presence of {field}", (True, False))

    def rank(self, field: str, low: int = 1, high: int = 8) -> int:
        least, most = spec.ranks(self.operator, field)
        return self.random.randint(max(least, low), min(most, high))

    def sizes(self, rank: int, most: int = 72, longest: int = 5) -> Index:
        """Random sizes; larger ones in a large case, with room for every hostile value in a hostile one."""
        times = LARGER if self.is_large else 1
        found = list(random_sizes(self.random, rank, most * times, longest * min(times, 8)))
        while self.hostile and prod(found) < HOSTILE_ELEMENTS:
            found[self.axis(rank)] += 1
        return tuple(found)

    def axis(self, rank: int) -> int:
        return self.random.randrange(rank)

    def axes(self, rank: int, least: int = 1) -> list[int]:
        """Distinct axes, in any order."""
        return self.random.sample(range(rank), self.random.randint(least, rank))

    def each(self, count: int, *options: T) -> list[T]:
        """A list of independent choices."""
        return [self.random.choice(options) for _ in range(count)]

    # Fields

    def input(
        self,
        field: str,
        data_type: str | None = None,
        sizes: Sequence[int] = (),
        value: Value | Tensor = values.moderate,
        broadcast: bool = True,
        hostile: bool = True,
    ) -> Operand:
        """Add an input tensor with a layout of its own.

        `value` makes one element (a number of the type) or is all of them by index. Where the layout lets indices
        share memory, they share the element; a tensor whose values are given by index is never broadcast.
        """
        operand = self.operand(data_type or self.type(field), sizes, value, broadcast, hostile)
        self._fields[field] = operand
        return operand

    def inputs(self, field: str, operands: list[Operand]) -> None:
        """Add a list of input tensors, each made by `operand`."""
        self._fields[field] = operands

    def operand(
        self,
        data_type: str,
        sizes: Sequence[int],
        value: Value | Tensor,
        broadcast: bool = True,
        hostile: bool = True,
    ) -> Operand:
        """An input tensor that belongs to no field yet."""
        may_repeat = broadcast and callable(value) and not (self.works_in_place or self.hostile)
        strides, extra = self._layout(sizes, may_repeat)
        if not callable(value):
            bits = {index: encode(number, data_type) for index, number in value.items()}
            return Operand(data_type, tuple(sizes), bits, strides, extra)
        make = values.hostile_sequence() if self.hostile and hostile else value
        by_offset: dict[Any, int] = {}
        bits = {}
        for index in indices(sizes):
            offset = sum(i * s for i, s in zip(index, strides, strict=True)) if strides else index
            if offset not in by_offset:
                by_offset[offset] = values.bits_of(make(self.random, data_type), data_type)
            bits[index] = by_offset[offset]
        return Operand(data_type, tuple(sizes), bits, strides, extra)

    def output(self, field: str, data_type: str | None = None, sizes: Sequence[int] = ()) -> Operand:
        """Add an output tensor; it lies where an equal input lies if the case works in place."""
        kind = data_type or self.type(field)
        operand = Operand(kind, tuple(sizes), {}, *self._layout(sizes, broadcast=False))
        equal = self._equal_inputs(kind, tuple(sizes)) if self.works_in_place else []
        if equal:
            self._in_place[field] = self.random.choice(equal)
            given = self._fields[self._in_place[field]]
            operand = Operand(kind, given.sizes, {}, given.strides, given.extra_bytes)
        self._fields[field] = operand
        return operand

    def _equal_inputs(self, data_type: str, sizes: Index) -> list[str]:
        """The inputs whose memory an output of this type and these sizes may take."""
        return [
            name
            for name, given in self._fields.items()
            if isinstance(given, Operand)
            and given.bits
            and (given.data_type, given.sizes) == (data_type, sizes)
            and ALIASED.get(self.operator, name) == name
            and name not in self._in_place.values()
        ]

    def outputs(self, field: str, data_type: str, sizes: Sequence[Index]) -> None:
        """Add a list of output tensors."""
        self._fields[field] = [
            Operand(data_type, tuple(each), {}, *self._layout(each, broadcast=False)) for each in sizes
        ]

    def attributes(self, **named: Any) -> None:
        """Add attributes; None leaves one out."""
        self._fields.update({name: value for name, value in named.items() if value is not None})

    def _layout(self, sizes: Sequence[int], broadcast: bool) -> tuple[tuple[int, ...] | None, int]:
        """Packed or any strides, and bytes beyond the last element now and then."""
        strides = None if self.chance(0.25) else tuple(random_strides(self.random, sizes, broadcast))
        if strides and not any(s for s, n in zip(strides, sizes, strict=True) if n > 1) and self.chance(0.8):
            strides = None  # a single element for all indices tells little
        return strides, 4 * self.random.randint(1, 5) if self.chance(0.2) else 0

    def made(self) -> Case:
        return Case(self.operator, self._fields, self.number, self._in_place, self._owned())

    def _owned(self) -> str | None:
        """In some cases, an input that is given at initialization alone."""
        inputs = [name for name, given in self._fields.items() if isinstance(given, Operand) and given.bits]
        is_due = self.number % OWNED_EVERY == OWNED_EVERY - 1 and not self._in_place
        return self.random.choice(inputs) if is_due and inputs and self.operator not in NEVER_OWNED else None
