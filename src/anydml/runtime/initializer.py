"""OperatorInitializer: copies the OWNED_BY_DML inputs of several operators to their persistent memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anydml.core.errors import BindingError, InvalidDescriptionError, Violation, counted, raise_if_any
from anydml.core.fixes import ANOTHER_BUFFER
from anydml.core.memory import Bytes
from anydml.core.rules import rule
from anydml.runtime.binding import OVERLAP, READ_ONLY, BufferBinding, bytes_of, resource_of
from anydml.runtime.compiled import PERSISTENT_ALIGNMENT_BYTES, CompiledOperator

RESOURCE_OFFSET = rule("table.resource-offset", "Temporary and persistent memory starts at a multiple of 256.")
RESOURCE_SIZE = rule("table.resource-size", "Persistent memory is as large as the operator's binding properties say.")
INPUT_LIST = rule(
    "initializer.inputs", "An initializer takes, for each operator, a list with a place for each of its inputs."
)
TARGETS = rule("initializer.operators", "An initializer serves compiled operators.")


class OperatorInitializer:
    """Dispatched once, it initializes all its operators, or none where something is wrong."""

    def __init__(self, operators: Iterable[CompiledOperator] = ()) -> None:
        self.operators: list[CompiledOperator] = []
        self.reset(operators)

    def reset(self, operators: Iterable[CompiledOperator] = ()) -> None:
        """Take other operators from now on."""
        found = list(operators)
        for i, operator in enumerate(found):
            if not isinstance(operator, CompiledOperator):
                given = type(operator).__name__
                raise InvalidDescriptionError(
                    TARGETS(f"operators[{i}]", given, "a compiled operator", "device.compile(...)")
                )
        self.operators = found

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any], temporary: Bytes | None) -> None:
        """Check the bindings of all operators, then initialize each."""
        count = len(self.operators)
        jobs = [
            _Job.of(compiled, given, place, f"[{i}]")
            for i, (compiled, given, place) in enumerate(
                zip(self.operators, _filled(inputs, count), _filled(outputs, count), strict=True)
            )
        ]
        raise_if_any(_check_hazards(jobs, temporary), BindingError, "OperatorInitializer")
        for job in jobs:
            job.compiled.require_new()
        for job in jobs:
            job.compiled.keep(job.bound, job.persistent)


def _filled(bindings: Sequence[Any], count: int) -> list[Any]:
    """One entry an operator; a table that was bound for other operators has none for these."""
    return list(bindings) if len(bindings) == count else [None] * count


@dataclass(frozen=True)
class _Job:
    """One operator's initialization, checked: what is read and what is written."""

    compiled: CompiledOperator
    place: str
    bound: dict[str, Bytes]
    persistent: Bytes
    sources: tuple[Bytes, ...]
    target: Bytes

    @classmethod
    def of(cls, compiled: CompiledOperator, given: Any, output: Any, place: str) -> _Job:
        points = compiled.operator.points("input")
        bindings = _input_list(given, len(points), place)
        named = {point.name: binding for point, binding in zip(points, bindings, strict=True) if binding is not None}
        bound = compiled.binder.bind(named, owned=True)
        size = compiled.binding_properties.persistent_resource_size
        persistent = persistent_memory(output, size, f"Outputs{place}")
        sources = tuple(resource_of(binding, "Inputs") for binding in named.values())
        target = resource_of(output, "Outputs") if output is not None else persistent
        return cls(compiled, place, bound, persistent, sources, target)


def _input_list(given: Any, count: int, place: str) -> list[Any]:
    if given is None:
        return [None] * count
    if not isinstance(given, (list, tuple)) or len(given) > count:
        found = counted(len(given), "binding") if isinstance(given, (list, tuple)) else type(given).__name__
        expected = f"a list of at most {counted(count, 'binding')}, None where an input is not OWNED_BY_DML"
        raise BindingError(INPUT_LIST(f"Inputs{place}", found, expected, "[[buffer, ...], ...]"))
    return [*given, *[None] * (count - len(given))]


def _check_hazards(jobs: list[_Job], temporary: Bytes | None) -> list[Violation]:
    """What is written shares no resource with what is read, and nothing with anything else that is written."""
    violations = []
    for i, job in enumerate(jobs):
        path, expected = f"Outputs{job.place}", "a buffer of its own"
        if any(np.may_share_memory(job.target, source) for other in jobs for source in other.sources):
            violations.append(OVERLAP(path, "a buffer that is also an input", expected, ANOTHER_BUFFER))
        if any(np.may_share_memory(job.persistent, other.persistent) for other in jobs[:i]):
            violations.append(OVERLAP(path, "memory of another operator", expected, "another range"))
        touched = (job.persistent, *job.bound.values())
        if temporary is not None and any(np.may_share_memory(temporary, data) for data in touched):
            violations.append(OVERLAP("TemporaryResource", "memory that is bound elsewhere", expected))
    return violations


def resource_memory(binding: BufferBinding | Any | None, path: str) -> Bytes | None:
    """Temporary or persistent memory, checked for its offset."""
    if binding is None:
        return None
    data = bytes_of(binding, path)
    offset = binding.offset if isinstance(binding, BufferBinding) else 0
    if offset % PERSISTENT_ALIGNMENT_BYTES:
        expected = f"a multiple of {PERSISTENT_ALIGNMENT_BYTES}"
        raise BindingError(RESOURCE_OFFSET(f"{path}.Offset", offset, expected))
    return data


def persistent_memory(place: Any, size: int, path: str) -> Bytes:
    """The persistent memory given for an operator, or new memory where none was."""
    data = resource_memory(place, path)
    if data is None:
        return np.zeros(size, np.uint8)
    if data.size < size:
        raise BindingError(RESOURCE_SIZE(path, counted(data.size, "byte"), f"at least {size}", f"{size} bytes"))
    if size and not data.flags.writeable:
        raise BindingError(READ_ONLY(path, "read-only memory", "memory that can be written", "a bytearray"))
    return data[:size]
