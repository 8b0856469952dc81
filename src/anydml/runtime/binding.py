"""Bindings: the caller's memory at the ports of a compiled graph, checked before a byte is read or written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain, islice
from math import prod
from typing import Any

from anydml.core.errors import (
    MOST_VIOLATIONS,
    BindingError,
    DmlError,
    Violation,
    counted,
    raise_if_any,
    shortened,
    shown,
)
from anydml.core.fixes import ANOTHER_BUFFER, REMOVE_ONE, Advice, Bind, Fix, Resize, Use, suggest
from anydml.core.integers import read_integer
from anydml.core.naming import snake
from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.core.tensor import MINIMUM_ALIGNMENT_BYTES, round_up
from anydml.graph.graph import Graph
from anydml.graph.lower import lower
from anydml.graph.plan import Plan
from anydml.runtime.backend import Space
from anydml.runtime.buffer import Buffer
from anydml.runtime.ports import Port, ports_of

MISSING = rule("binding.missing", "Every tensor that is not optional has a buffer.")
UNKNOWN = rule("binding.unknown", "A buffer is bound to a tensor of the operator that was described.")
TWICE = rule("binding.twice", "A tensor has one buffer.")
COUNT = rule("binding.count", "A list of tensors has a buffer for each.")
SIZE = rule("binding.size", "A buffer holds the tensor's total size from the binding's offset on.")
OFFSET = rule(
    "binding.offset", "A binding's offset is a multiple of 16, or of the guaranteed alignment if that is larger."
)
ALIGNMENT = rule("binding.alignment", "An element's address is a multiple of its size.")
READ_ONLY = rule("binding.read-only", "An output's memory can be written.")
OVERLAP = rule(
    "binding.overlap", "Outputs share memory with nothing; in place means the very same range, where the operator can."
)
OWNED = rule(
    "binding.owned", "OWNED_BY_DML inputs are bound when the operator is initialized, all others when it runs."
)
_FEW_PORTS = 8
_AT_INITIALIZE = Advice("giving it to initialize(...)", "the bindings of the dispatchable")
_AT_RUN = Advice("giving it to the call", "the bindings of the dispatch command")


@dataclass(frozen=True)
class BufferBinding:
    """A range of a buffer: DML_BUFFER_BINDING. Without a size it reaches to the buffer's end."""

    buffer: Any
    offset: int = 0
    size_in_bytes: int | None = None


class Binder:
    """Checks the buffers of one compiled graph, every time it is initialized or run."""

    def __init__(self, subject: str, ports: Sequence[Port], plan: Plan, space: Space) -> None:
        self.subject, self.ports, self.plan, self.space = subject, tuple(ports), plan, space
        self.numbers = {port.name: number for number, port in enumerate(self.ports)}
        self.lists: dict[str, list[int]] = {}
        for number, port in enumerate(self.ports):
            name, bracket, _ = port.name.partition("[")
            if name and bracket:
                self.lists.setdefault(name, []).append(number)

    # Whose buffer is whose

    def bind_call(
        self,
        positional: Sequence[Any],
        named: Mapping[str, Any],
        initializing: bool = False,
        may_lack_outputs: bool = False,
    ) -> list[Buffer | None]:
        """The memory of each port from the arguments of a call: by position, inputs first, and by name."""
        violations: list[Violation] = []
        values = self._arrange(positional, named, violations)
        return self.bind(values, initializing, may_lack_outputs, violations)

    def arrange(self, positional: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """The value for each port from the arguments of a call, None where none was given."""
        violations: list[Violation] = []
        values = self._arrange(positional, named, violations)
        raise_if_any(violations, BindingError, self.subject)
        return values

    def _arrange(self, positional: Sequence[Any], named: Mapping[str, Any], violations: list[Violation]) -> list[Any]:
        """The value for each port, None where none was given."""
        values: list[Any] = [None] * len(self.ports)
        several = [each for each in positional if isinstance(each, dict)]
        if several:
            positional = [each for each in positional if not isinstance(each, dict)]
        if len(positional) > len(values):
            found = counted(len(positional), "buffer")
            violations.append(COUNT("", found, f"at most {len(values)}: inputs, then outputs"))
        for number, value in enumerate(positional[: len(values)]):
            values[number] = value
        for key, value in chain(named.items(), *(each.items() for each in several)):
            number = self.numbers.get(key, -1)
            if number >= 0 and values[number] is None:
                values[number] = value
            else:
                self._place(key, value, values, violations)
        return values

    def _place(self, key: Any, value: Any, values: list[Any], violations: list[Violation]) -> None:
        """A buffer under another name: DirectML's spelling, the plain form of its letters, or a list."""
        name = self._name_of(key)
        if name in self.numbers:
            self._set(self.numbers[name], value, values, violations)
        elif name in self.lists:
            items = list(value) if isinstance(value, (list, tuple)) else [value]
            numbers = self.lists[name]
            if len(items) != len(numbers):
                expected = f"{len(numbers)}, one for each tensor"
                violations.append(COUNT(key, counted(len(items), "buffer"), expected))
            for number, item in zip(numbers, items, strict=False):
                self._set(number, item, values, violations)
        else:
            known = sorted({*self.numbers, *self.lists})
            path = shortened(str(key))
            violations.append(UNKNOWN(path, shown(key), "a tensor of the operator", suggest(path, known)))

    def _name_of(self, key: Any) -> str:
        """The name that is meant. Python reads words in a program as the plain forms of their letters: `fi` for `ﬁ`."""
        if not isinstance(key, str) or key in self.numbers or key in self.lists:
            return key if isinstance(key, str) else ""
        from unicodedata import normalize

        plain = snake(key)
        same = [] if plain in self.numbers else [name for name in self.numbers if normalize("NFKC", name) == key]
        return same[0] if len(same) == 1 else plain

    def _set(self, number: int, value: Any, values: list[Any], violations: list[Violation]) -> None:
        if values[number] is not None:
            violations.append(TWICE(self.ports[number].name, "two buffers", "one", REMOVE_ONE))
        values[number] = value

    # Whether each fits

    def bind(
        self,
        values: Sequence[Any],
        initializing: bool = False,
        may_lack_outputs: bool = False,
        violations: list[Violation] | None = None,
    ) -> list[Buffer | None]:
        """The memory of each port, or an error with everything that is wrong.

        OWNED_BY_DML inputs are bound when the graph is initialized, all others when it runs. Outputs that are not
        given stay None if that is allowed. Violations found before are told with the rest.
        """
        violations = [] if violations is None else violations
        bound: list[Buffer | None] = []
        for port, value in zip(self.ports, values, strict=True):
            wanted = port.slot is not None and port.is_owned == initializing and not (initializing and port.is_output)
            if value is not None and wanted:
                bound.append(self._bind_one(port, value, violations))
                continue
            bound.append(None)
            if value is not None:
                violations.append(_refused(port, initializing))
            elif wanted and not (may_lack_outputs and port.is_output):
                violations.append(
                    MISSING(port.dml_name, "no buffer", "memory for it", Bind(port.name, port.is_of_graph))
                )
            if len(violations) > MOST_VIOLATIONS:
                break
        if not violations:
            violations += islice(self._check_overlaps(bound), MOST_VIOLATIONS + 1)
        if violations:
            raise BindingError(violations, self.subject)
        return bound

    def _bind_one(self, port: Port, value: Any, violations: list[Violation]) -> Buffer | None:
        """The range this binding names, if all is well with it."""
        try:
            if type(value) is BufferBinding:
                buffer = self.range(value, port.offset_step, port.dml_name, violations)
            else:
                buffer = self.space.adopt(value, port.dml_name, port)
        except DmlError as error:
            violations += error.violations
            return None
        if buffer is None:
            return None
        if buffer.size_in_bytes < port.needed:
            found, expected = f"{buffer.size_in_bytes} bytes", f"at least {port.needed}"
            violations.append(SIZE(port.dml_name, found, expected, _larger(port, value)))
            return None
        if buffer.address % port.alignment:
            past = counted(buffer.address % port.alignment, "byte")
            found = f"memory {past} past a multiple of {port.alignment}"
            fix = Advice("an aligned buffer", "an aligned offset")
            violations.append(ALIGNMENT(port.dml_name, found, f"a multiple of {port.alignment}", fix))
        if port.is_output and not buffer.is_writable:
            expected = "memory that can be written"
            violations.append(READ_ONLY(port.dml_name, "read-only memory", expected, "a bytearray or an array"))
        return buffer

    def range(self, binding: BufferBinding, alignment: int, path: str, violations: list[Violation]) -> Buffer | None:
        """The bytes that a binding names, whatever they hold."""
        buffer = self.space.adopt(binding.buffer, path, None)
        return range_of(buffer, binding, alignment, path, violations)

    # Whether they get in each other's way

    def _check_overlaps(self, bound: Sequence[Buffer | None]) -> Iterator[Violation]:
        """Outputs lie apart from each other, and from inputs unless exactly in place."""
        for first, second in self._meeting(bound):
            port, other = self.ports[second], self.ports[first]
            if self.is_in_place(first, second, bound):
                continue
            partners = {self.plan.slots[a].name for a, b in self.plan.aliases if b == port.slot}
            expected = "memory of its own"
            if partners:
                expected += f", or exactly the range of {' or '.join(sorted(partners))}"
            found = f"memory shared with {other.dml_name}"
            yield OVERLAP(port.dml_name, found, expected, ANOTHER_BUFFER)

    def is_in_place(self, first: int, second: int, bound: Sequence[Buffer | None]) -> bool:
        """Whether an input and an output are the very same range, and may be."""
        source, destination = self.ports[first], self.ports[second]
        if (source.slot, destination.slot) not in self.plan.aliases:
            return False
        a, b = bound[first], bound[second]
        return a is not None and b is not None and a.address == b.address and source.total == destination.total

    def _meeting(self, bound: Sequence[Buffer | None]) -> Iterator[tuple[int, int]]:
        """Pairs of ports whose memory overlaps, at least one an output: the other one, then the output."""
        if len(bound) <= _FEW_PORTS and not self._may_meet(bound):
            return
        yield from self._find_meeting(bound)

    def _may_meet(self, bound: Sequence[Buffer | None]) -> bool:
        """Whether an output may overlap anything. Quicker than finding out what, for a few ports."""
        ranges = [
            (buffer.address, buffer.address + port.total, port.is_output)
            for port, buffer in zip(self.ports, bound, strict=True)
            if buffer is not None
        ]
        for number, (start, end, is_output) in enumerate(ranges):
            for first, last, is_other_output in ranges[:number]:
                if first < end and start < last and (is_output or is_other_output):
                    return True
        return False

    def _find_meeting(self, bound: Sequence[Buffer | None]) -> Iterator[tuple[int, int]]:
        """By rising address each range is compared only with those that reach it, and inputs only with outputs,
        however many there are."""
        ranges = sorted(
            (buffer.address, number, min(buffer.size_in_bytes, self.ports[number].total))
            for number, buffer in enumerate(bound)
            if buffer is not None
        )
        inputs: list[tuple[int, int]] = []
        outputs: list[tuple[int, int]] = []
        for start, number, size in ranges:
            for reaching in (inputs, outputs):
                while reaching and reaching[0][0] <= start:
                    heappop(reaching)
            is_output = self.ports[number].is_output
            for _, other in chain(outputs, inputs) if is_output else outputs:
                first, second = sorted((number, other))
                yield first, second
            heappush(outputs if is_output else inputs, (start + size, number))


def binder_of(described: Operator | Graph, space: Space) -> Binder:
    """The binder of what is not compiled: its bindings can be checked all the same."""
    graph = Graph.of(described) if isinstance(described, Operator) else described
    plan = lower(graph)
    inputs, outputs = ports_of(graph, plan)
    operator = graph.single_operator
    return Binder("Graph" if operator is None else type(operator).__name__, (*inputs, *outputs), plan, space)


def range_of(
    buffer: Buffer, binding: BufferBinding, alignment: int, path: str, violations: list[Violation]
) -> Buffer | None:
    """The part of a buffer that a binding names, if it lies inside and starts where it may."""
    total = buffer.size_in_bytes
    offset = read_integer(binding.offset, f"{path}.Offset", violations)
    size: int | None = total - (offset or 0)
    if binding.size_in_bytes is not None:
        size = read_integer(binding.size_in_bytes, f"{path}.SizeInBytes", violations)
    if offset is None or size is None:
        return None
    needed = max(alignment, MINIMUM_ALIGNMENT_BYTES)
    if offset % needed:
        fix = Use(round_up(max(offset, 0), needed))
        violations.append(OFFSET(f"{path}.Offset", offset, f"a multiple of {needed}", fix))
    if offset < 0 or size < 0 or offset + size > total:
        found = f"offset {offset}, size {size} in {total} bytes"
        violations.append(SIZE(path, found, "a range inside the buffer"))
        return None
    return buffer.part(offset, size)


def _larger(port: Port, value: Any) -> Fix:
    """A larger buffer, or the values of one that has as many elements as the tensor, in the tensor's type."""
    shape = getattr(value, "shape", None)
    if shape is None or port.tensor is None or port.dtype is None or prod(shape) != prod(port.tensor.sizes):
        return Resize(port.total)
    if port.is_output:
        return Advice(f"np.empty({tuple(port.tensor.sizes)}, np.{port.dtype.name})")
    if getattr(value, "dtype", port.dtype) == port.dtype:
        return Resize(port.total)
    return Advice(f".astype(np.{port.dtype.name})")


def _refused(port: Port, initializing: bool) -> Violation:
    if port.tensor is None:
        return UNKNOWN(port.dml_name, "a buffer", "none: the operator was described without this tensor")
    flag = "not OWNED_BY_DML" if initializing else "OWNED_BY_DML"
    fix = _AT_RUN if initializing else _AT_INITIALIZE
    return OWNED(port.dml_name, "a buffer", f"none here, since the tensor is {flag}", fix)


def resource_range(space: Space, binding: Any, path: str) -> Buffer:
    """The memory a binding, or a bare buffer, names; whatever it holds."""
    if not isinstance(binding, BufferBinding):
        return space.adopt(binding, path, None)
    violations: list[Violation] = []
    found = range_of(space.adopt(binding.buffer, path, None), binding, 0, path, violations)
    raise_if_any(violations, BindingError)
    assert found is not None
    return found


def whole_resource(space: Space, binding: Any, path: str) -> Buffer:
    """All memory of the buffer that a binding names a range of."""
    return space.adopt(binding.buffer if isinstance(binding, BufferBinding) else binding, path, None)
