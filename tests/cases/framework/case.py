"""What a case is: an operator, its tensors with layouts and input values, and its attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import anydml as dml
from tests.cases.framework import spec
from tests.oracle.inexact import Inexact
from tests.oracle.moves import Index, Tensor, indices
from tests.oracle.numbers import decode, encode


class Bits(dict[Index, int]):
    """An answer given as bits: what only moves elements must not change a single one, NaNs included."""


class Accumulated(NamedTuple):
    """A sum of `terms` numbers whose absolute values add up to `magnitude`: its rounding error grows with both."""

    value: float
    magnitude: float
    terms: int


def number_of(answer: Any) -> Any:
    """An answer without what is known of its error."""
    return answer.value if isinstance(answer, (Accumulated, Inexact)) else answer


@dataclass(frozen=True)
class Operand:
    """A tensor of a case: where its elements lie and, for an input, what they are."""

    data_type: str
    sizes: Index
    bits: Tensor = field(default_factory=dict, repr=False)
    strides: tuple[int, ...] | None = None
    extra_bytes: int = 0

    @classmethod
    def of(cls, data_type: str, sizes: Sequence[int], values: Tensor) -> Operand:
        return cls(data_type, tuple(sizes), {i: encode(v, data_type) for i, v in values.items()})

    @cached_property
    def values(self) -> Tensor:
        return {i: decode(code, self.data_type) for i, code in self.bits.items()}

    @property
    def rank(self) -> int:
        return len(self.sizes)

    @property
    def element_count(self) -> int:
        return prod(self.sizes)

    def indices(self) -> Iterator[Index]:
        return indices(self.sizes)

    def desc(self, owned: bool = False) -> dml.TensorDesc:
        packed = dml.TensorDesc(self.data_type, self.sizes, self.strides, flags="OWNED_BY_DML" if owned else "NONE")
        return packed.replace(total_tensor_size_in_bytes=packed.total_tensor_size_in_bytes + self.extra_bytes)


@dataclass(frozen=True)
class Case:
    """A description by field name; fields that are left out are absent."""

    operator: str
    fields: dict[str, Any]
    number: int | None = None
    in_place: dict[str, str] = field(default_factory=dict)
    """The input whose memory an output takes, by the output's field."""
    owned: str | None = None
    """The input that is given once, at initialization, if any."""

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def get(self, name: str, otherwise: Any = None) -> Any:
        return self.fields.get(name, otherwise)

    def _present(self, role: str) -> list[str]:
        return [f.name for f in spec.tensors(self.operator, role) if f.name in self.fields]

    @property
    def inputs(self) -> list[str]:
        return self._present("input")

    @property
    def outputs(self) -> list[str]:
        return self._present("output")

    def operands(self, name: str) -> list[Operand]:
        """The tensors of one field: one, or those of its list."""
        value = self.fields[name]
        return value if isinstance(value, list) else [value]

    def build(self) -> dml.Operator:
        """The operator's description, as a user would write it."""
        made = spec.class_of(self.operator)
        assert made is not None, f"{self.operator} is not declared"
        given = dict(self.fields)
        for name in (*self.inputs, *self.outputs):
            value = given[name]
            given[name] = [each.desc() for each in value] if isinstance(value, list) else value.desc(name == self.owned)
        return made(**given)
