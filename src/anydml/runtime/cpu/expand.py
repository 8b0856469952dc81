"""Programs replaced by native steps: what the processor has kernels for.

An expander takes a program and returns the steps that do the same, or None where it has no kernel for it. Steps name
slots; memory that they need between them is a temporary slot of the workspace, so that it is planned with the rest.
What reads constants alone (packed weights) is then run once, by the pass that hoists it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from anydml.core.steps import Program, Step, View
from anydml.graph.plan import Plan, Slot, SlotKind
from anydml.process.loading import load_module
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

    def has_known_exceptions(self, view: View) -> bool:
        """Whether a constant of the graph has numbers that are infinite, or none at all."""
        data = self.slots[view.slot].data
        if data is None or not view.type.is_float:
            return False
        numbers = np.frombuffer(data, view.type.numpy_dtype, len(data) // view.type.element_bytes)
        return not bool(np.isfinite(numbers.min()) and np.isfinite(numbers.max()))

    def constant(self, values: npt.NDArray[Any], name: str) -> int:
        """A new slot that holds these values, packed."""
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        self.slots.append(Slot(SlotKind.CONSTANT, data.nbytes, name, data=data))
        return len(self.slots) - 1

    def temporary(self, size_in_bytes: int, name: str) -> int:
        """A new slot for a result that lies between steps."""
        self.slots.append(Slot(SlotKind.TEMPORARY, size_in_bytes, name))
        return len(self.slots) - 1


Expander = Callable[[Program, Workspace], "Sequence[Step] | None"]
_CONTRACTION = "anydml.runtime.cpu.contraction"
_REDUCTIONS = "anydml.runtime.cpu.reductions.operators"
_RUNNING = "anydml.runtime.cpu.reductions.running"
_PLACES = "anydml.runtime.cpu.reductions.places"
EXPANDERS: dict[str, str] = {
    "CONVOLUTION": f"{_CONTRACTION}.convolution:expand_convolution",
    "CONVOLUTION_INTEGER": f"{_CONTRACTION}.integers:expand_convolution",
    "GEMM": f"{_CONTRACTION}.gemm:expand_gemm",
    "GRU": f"{_CONTRACTION}.recurrent:expand_gru",
    "LSTM": f"{_CONTRACTION}.recurrent:expand_lstm",
    "MATRIX_MULTIPLY_INTEGER": f"{_CONTRACTION}.integers:expand_matrix_product",
    "MATRIX_MULTIPLY_INTEGER_TO_FLOAT": f"{_CONTRACTION}.integers:expand_matrix_product",
    "MULTIHEAD_ATTENTION": f"{_CONTRACTION}.attention:expand_attention",
    "MULTIHEAD_ATTENTION1": f"{_CONTRACTION}.attention:expand_attention",
    "QUANTIZED_LINEAR_CONVOLUTION": f"{_CONTRACTION}.integers:expand_convolution",
    "QUANTIZED_LINEAR_MATRIX_MULTIPLY": f"{_CONTRACTION}.integers:expand_matrix_product",
    "RNN": f"{_CONTRACTION}.recurrent:expand_rnn",
    "BATCH_NORMALIZATION": "anydml.runtime.cpu.formulas:expand_batch_normalization",
    "BATCH_NORMALIZATION_TRAINING": "anydml.runtime.cpu.reductions.batch:expand_batch_normalization_training",
    "GATHER": "anydml.runtime.cpu.taking:expand_gather",
    "GATHER_ELEMENTS": "anydml.runtime.cpu.taking:expand_gather_elements",
    "GATHER_ND1": "anydml.runtime.cpu.taking:expand_gather_nd",
    "ADAM_OPTIMIZER": "anydml.runtime.cpu.formulas:expand_adam",
    "ONE_HOT": "anydml.runtime.cpu.formulas:expand_one_hot",
    "TOP_K1": "anydml.runtime.cpu.selecting:expand_top_k",
    "REDUCE": f"{_REDUCTIONS}:expand_reduce",
    "ACTIVATION_SOFTMAX": f"{_REDUCTIONS}:expand_softmax",
    "ACTIVATION_SOFTMAX1": f"{_REDUCTIONS}:expand_softmax",
    "ACTIVATION_LOG_SOFTMAX": f"{_REDUCTIONS}:expand_log_softmax",
    "ACTIVATION_LOG_SOFTMAX1": f"{_REDUCTIONS}:expand_log_softmax",
    "ACTIVATION_HARDMAX": f"{_PLACES}:expand_hardmax",
    "ACTIVATION_HARDMAX1": f"{_PLACES}:expand_hardmax",
    "ARGMAX": f"{_PLACES}:expand_place",
    "ARGMIN": f"{_PLACES}:expand_place",
    "CUMULATIVE_PRODUCT": f"{_RUNNING}:expand_running_product",
    "CUMULATIVE_SUMMATION": f"{_RUNNING}:expand_running_sum",
    "MEAN_VARIANCE_NORMALIZATION2": f"{_REDUCTIONS}:expand_mean_variance",
    "LOCAL_RESPONSE_NORMALIZATION": f"{_CONTRACTION}.local_response:expand_local_response",
    "LP_NORMALIZATION": f"{_REDUCTIONS}:expand_lp",
    "MAX_POOLING2": f"{_CONTRACTION}.pools:expand_max_pooling",
    "RESAMPLE3": "anydml.runtime.cpu.resampling:expand_resample",
    "UPSAMPLE_2D": "anydml.runtime.cpu.resampling:expand_resample",
    "AVERAGE_POOLING1": f"{_CONTRACTION}.pools:expand_average_pooling",
    "LP_POOLING1": f"{_CONTRACTION}.pools:expand_lp_pooling",
}
"""For each operator with kernels of its own, the module and function that makes its steps: `package.module:name`."""


def expand(plan: Plan) -> Plan:
    """The plan with programs replaced where there are kernels for them."""
    if not llvm.is_available() or not any(isinstance(step, Program) for step in plan.steps):
        return plan
    if len(plan.steps) > 1:
        plan = load_module("anydml.runtime.cpu.channels_last").with_channels_last(plan)
    workspace = Workspace(plan)
    steps: list[Step] = []
    for step in plan.steps:
        steps += expand_program(step, workspace) if isinstance(step, Program) else [step]
    return replace(plan, slots=tuple(workspace.slots), steps=tuple(steps))


def expand_program(program: Program, workspace: Workspace) -> list[Step]:
    """The steps of a program; itself, where there are no kernels for it."""
    found = _expander(program)
    if found is None:
        return [program]
    before, changed, after = load_module("anydml.runtime.cpu.rearrange").rearranged(program, workspace)
    made = found(changed, workspace)
    if made is None and (before or after):
        before, after, made = [], [], found(program, workspace)
    if made is None:
        return [program]
    if before and program.operator.dml_type == "CONVOLUTION":
        images = load_module("anydml.runtime.cpu.contraction.images")
        return [*images.some_at_a_time([*before, *made], workspace), *after]
    if before:
        return [*load_module("anydml.runtime.cpu.reductions.moved").joined([*before, *made]), *after]
    return [*made, *after]


def _expander(program: Program) -> Expander | None:
    place = EXPANDERS.get(program.operator.dml_type)
    if place is None:
        return None
    module, _, name = place.partition(":")
    found: Expander = getattr(load_module(module), name)
    return found
