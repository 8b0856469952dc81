"""Programs replaced by native steps: what the processor has kernels for.

An expander takes a program and returns the steps that do the same, or None where it has no kernel for it. Steps name
slots; memory that they need between them is a temporary slot of the workspace, so that it is planned with the rest.
What reads constants alone (packed weights) is then run once, by the pass that hoists it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Protocol

from anydml.core.steps import Program, Step
from anydml.graph.plan import Plan, Slot, SlotKind
from anydml.runtime.native import llvm
from anydml.runtime.native.tasks import Task


class NativeStep(Step, Protocol):
    """A step that native tasks run; each reads and writes the slots that it says it does, and nothing else."""

    def tasks(self) -> Sequence[Task]: ...


class Workspace:
    """The slots of a plan while programs are replaced."""

    def __init__(self, plan: Plan) -> None:
        self.slots = list(plan.slots)

    def is_constant(self, slot: int) -> bool:
        """Whether what is made of a slot alone is made once."""
        return self.slots[slot].kind in (SlotKind.CONSTANT, SlotKind.PERSISTENT)

    def temporary(self, size_in_bytes: int, name: str) -> int:
        """A new slot for a result that lies between steps."""
        self.slots.append(Slot(SlotKind.TEMPORARY, size_in_bytes, name))
        return len(self.slots) - 1


Expander = Callable[[Program, Workspace], "Sequence[Step] | None"]
_CONTRACTION = "anydml.runtime.cpu.contraction"
EXPANDERS: dict[str, str] = {
    "CONVOLUTION": f"{_CONTRACTION}.convolution:expand_convolution",
    "CONVOLUTION_INTEGER": f"{_CONTRACTION}.integers:expand_convolution",
    "GEMM": f"{_CONTRACTION}.gemm:expand_gemm",
    "MATRIX_MULTIPLY_INTEGER": f"{_CONTRACTION}.integers:expand_matrix_product",
    "MATRIX_MULTIPLY_INTEGER_TO_FLOAT": f"{_CONTRACTION}.integers:expand_matrix_product",
    "QUANTIZED_LINEAR_CONVOLUTION": f"{_CONTRACTION}.integers:expand_convolution",
    "QUANTIZED_LINEAR_MATRIX_MULTIPLY": f"{_CONTRACTION}.integers:expand_matrix_product",
}
"""For each operator with kernels of its own, the module and function that makes its steps: `package.module:name`."""


def expand(plan: Plan) -> Plan:
    """The plan with programs replaced where there are kernels for them."""
    if not llvm.is_available():
        return plan
    workspace = Workspace(plan)
    steps: list[Step] = []
    for step in plan.steps:
        found = _expander(step)
        made = found(step, workspace) if found is not None and isinstance(step, Program) else None
        steps += [step] if made is None else made
    return replace(plan, slots=tuple(workspace.slots), steps=tuple(steps))


def _expander(step: Step) -> Expander | None:
    place = EXPANDERS.get(step.operator.dml_type) if isinstance(step, Program) else None
    if place is None:
        return None
    module, _, name = place.partition(":")
    found: Expander = getattr(import_module(module), name)
    return found
