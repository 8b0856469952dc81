"""Plan: an operator as steps over named tensors; pure data that any device can run and anyone can print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from anydml.core.moves import Fill, Move
from anydml.core.schema import Operator


@dataclass(frozen=True)
class Compute:
    """A step that needs arithmetic: the operator's formula, or its array program."""

    operator: Operator

    @property
    def form(self) -> str:
        return "formula" if hasattr(self.operator, "formula") else "array program"


Step = Move | Fill | Compute


@dataclass(frozen=True)
class Plan:
    """The steps of one operator."""

    operator: Operator
    steps: tuple[Step, ...]

    def describe(self) -> str:
        """The plan in words, a step a line."""
        lines = [f"{self.operator.dml_type}: {len(self.steps)} step{'s' if len(self.steps) != 1 else ''}"]
        return "\n".join(lines + [f"  {number}. {_told(step)}" for number, step in enumerate(self.steps, 1)])


def plan_operator(operator: Operator) -> Plan:
    """Moves where the operator is one, else its arithmetic."""
    make: Any = getattr(operator, "moves", None)
    moves: Iterable[Step] | None = make() if make is not None else None
    return Plan(operator, tuple(moves) if moves is not None else (Compute(operator),))


def _told(step: Step) -> str:
    if isinstance(step, Compute):
        return f"compute {step.operator.dml_type} ({step.form})"
    place = step.destination_layout
    where = f"{step.destination} {list(place.sizes)} strides {list(place.strides)} offset {place.offset}"
    if isinstance(step, Fill):
        return f"fill {where} with {step.value}"
    origin = step.source_layout
    scaled = f", x * {step.scale_bias[0]} + {step.scale_bias[1]}" if step.scale_bias else ""
    return f"move {step.source} strides {list(origin.strides)} offset {origin.offset} to {where}{scaled}"
