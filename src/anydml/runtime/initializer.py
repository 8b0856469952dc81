"""OperatorInitializer: gives several operators their OWNED_BY_DML inputs, which they keep in persistent memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from anydml.core.errors import BindingError, InvalidDescriptionError, Violation, counted, raise_if_any
from anydml.core.fixes import ANOTHER_BUFFER
from anydml.core.integers import read_list
from anydml.core.rules import rule
from anydml.graph.passes.memory import PERSISTENT_ALIGNMENT_BYTES
from anydml.runtime.backend import Space
from anydml.runtime.binding import OVERLAP, READ_ONLY, BufferBinding, resource_range, whole_resource
from anydml.runtime.buffer import Buffer
from anydml.runtime.compiled import BindingProperties, CompiledOperator

RESOURCE_OFFSET = rule("table.resource-offset", "Temporary and persistent memory starts at a multiple of 256.")
RESOURCE_SIZE = rule(
    "table.resource-size", "Temporary and persistent memory is as large as the operator's binding properties say."
)
INPUT_LIST = rule(
    "initializer.inputs", "An initializer takes, for each operator, a list with a place for each of its inputs."
)
TARGETS = rule("initializer.operators", "An initializer serves compiled operators, each of them once.")


class OperatorInitializer:
    """Dispatched once, it initializes all its operators, or none where something is wrong."""

    def __init__(self, operators: Iterable[CompiledOperator] = ()) -> None:
        self.operators: list[CompiledOperator] = []
        self.reset(operators)

    def reset(self, operators: Iterable[CompiledOperator] = ()) -> None:
        """Take other operators from now on."""
        found, seen = self._read(operators), set()
        for i, operator in enumerate(found):
            path = f"operators[{i}]"
            if not isinstance(operator, CompiledOperator):
                given = type(operator).__name__
                raise InvalidDescriptionError(TARGETS(path, given, "a compiled operator", "device.compile(...)"))
            if id(operator) in seen:
                raise InvalidDescriptionError(TARGETS(path, "an operator a second time", "each of them once"))
            seen.add(id(operator))
        self.operators = found

    @staticmethod
    def _read(operators: Any) -> list[Any]:
        violations: list[Violation] = []
        fix = "[device.compile(...)]"
        given = read_list(operators, "operators", violations, "compiled operators", fix=fix, may_be_endless=True)
        raise_if_any(violations)
        return list(given or ())

    @property
    def binding_properties(self) -> BindingProperties:
        """Descriptors for what is read and filled. No memory of its own: results are kept by the operators."""
        owned = sum(port.is_owned for compiled in self.operators for port in compiled.inputs)
        kept = sum(compiled.binding_properties.persistent_resource_size > 0 for compiled in self.operators)
        return BindingProperties(owned + kept, temporary_resource_size=0, persistent_resource_size=0)

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any], temporary: Buffer | None) -> None:
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
    """One entry for each operator; a table that was bound for other operators has none for these."""
    return list(bindings) if len(bindings) == count else [None] * count


@dataclass(frozen=True)
class _Job:
    """One operator's initialization, checked: what is read and what is written."""

    compiled: CompiledOperator
    place: str
    bound: list[Buffer | None]
    persistent: Buffer
    sources: tuple[Buffer, ...]
    target: Buffer

    @classmethod
    def of(cls, compiled: CompiledOperator, given: Any, output: Any, place: str) -> _Job:
        backend = compiled.device.backend
        bindings = _input_list(given, len(compiled.inputs), place)
        bound = compiled.binder.bind([*bindings, *[None] * len(compiled.outputs)], initializing=True)
        size = compiled.binding_properties.persistent_resource_size
        persistent = persistent_memory(backend, output, size, f"Outputs{place}")
        sources = tuple(whole_resource(backend, each, "Inputs") for each in bindings if each is not None)
        target = whole_resource(backend, output, "Outputs") if output is not None else persistent
        return cls(compiled, place, bound, persistent, sources, target)


def _input_list(given: Any, count: int, place: str) -> list[Any]:
    if given is None:
        return [None] * count
    if not isinstance(given, (list, tuple)) or len(given) > count:
        found = counted(len(given), "binding") if isinstance(given, (list, tuple)) else type(given).__name__
        expected = f"a list of at most {counted(count, 'binding')}, None where an input is not OWNED_BY_DML"
        raise BindingError(INPUT_LIST(f"Inputs{place}", found, expected, "[[buffer, ...], ...]"))
    return [*given, *[None] * (count - len(given))]


def _check_hazards(jobs: list[_Job], temporary: Buffer | None) -> list[Violation]:
    """What is written shares no resource with what is read, and nothing with anything else that is written."""
    violations = []
    for i, job in enumerate(jobs):
        path, expected = f"Outputs{job.place}", "a buffer of its own"
        if any(job.target.overlaps(source) for other in jobs for source in other.sources):
            violations.append(OVERLAP(path, "a buffer that is also an input", expected, ANOTHER_BUFFER))
        if any(job.persistent.overlaps(other.persistent) for other in jobs[:i]):
            violations.append(OVERLAP(path, "memory of another operator", expected, "another range"))
        touched = (job.persistent, *(buffer for buffer in job.bound if buffer is not None))
        if temporary is not None and any(temporary.overlaps(buffer) for buffer in touched):
            violations.append(OVERLAP("TemporaryResource", "memory that is bound elsewhere", expected))
    return violations


def resource_memory(space: Space, binding: BufferBinding | Any | None, path: str) -> Buffer | None:
    """Temporary or persistent memory, checked for its offset."""
    if binding is None:
        return None
    buffer = resource_range(space, binding, path)
    offset = buffer.address - whole_resource(space, binding, path).address
    if offset % PERSISTENT_ALIGNMENT_BYTES:
        expected = f"a multiple of {PERSISTENT_ALIGNMENT_BYTES}"
        raise BindingError(RESOURCE_OFFSET(f"{path}.Offset", offset, expected))
    return buffer


def persistent_memory(space: Space, place: Any, size: int, path: str) -> Buffer:
    """The persistent memory given for an operator, or new memory where none was."""
    buffer = resource_memory(space, place, path)
    if buffer is None:
        return space.allocate(size)
    return require_room(buffer, size, path)


def require_room(buffer: Buffer, size: int, path: str) -> Buffer:
    """As much of a resource as is needed, if it is there and can be written."""
    if buffer.size_in_bytes < size:
        found = counted(buffer.size_in_bytes, "byte")
        raise BindingError(RESOURCE_SIZE(path, found, f"at least {size}", f"{size} bytes"))
    if size and not buffer.is_writable:
        raise BindingError(READ_ONLY(path, "read-only memory", "memory that can be written", "a bytearray"))
    return buffer.part(0, size)
