"""Bindings: the caller's memory at an operator's tensors, checked before a byte is read or written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from anydml.core.errors import MOST_VIOLATIONS, BindingError, DmlError, Violation, counted, raise_if_any
from anydml.core.integers import read_integer
from anydml.core.memory import Bytes, as_bytes
from anydml.core.naming import snake, suggest
from anydml.core.rules import rule
from anydml.core.schema import BindingPoint, Operator
from anydml.core.tensor import MINIMUM_ALIGNMENT_BYTES, round_up

_RUN = "dml.Device().compile(dml.ActivationRelu(input_tensor=dml.TensorDesc('FLOAT32', [4]{})))({})"
_OUT = "output_tensor=bytearray(16)"
MISSING = rule("binding.missing", "Every tensor that is not optional has a buffer.", _RUN.format("", _OUT))
UNKNOWN = rule(
    "binding.unknown",
    "A buffer is bound to a tensor of the operator that was described.",
    _RUN.format("", f"input_tensor=bytearray(16), {_OUT}, bias_tensor=bytearray(4)"),
)
TWICE = rule(
    "binding.twice",
    "A tensor has one buffer.",
    _RUN.format("", f"input_tensor=bytearray(16), InputTensor=bytearray(16), {_OUT}"),
)
COUNT = rule(
    "binding.count",
    "A list of tensors has a buffer for each.",
    "dml.Device().compile(dml.Join(input_tensors=[dml.TensorDesc('FLOAT32', [4])], axis=0))("
    "input_tensors=[bytes(16), bytes(16)], output_tensor=bytearray(16))",
)
SIZE = rule(
    "binding.size",
    "A buffer holds the tensor's total size from the binding's offset on.",
    _RUN.format("", f"input_tensor=bytearray(12), {_OUT}"),
)
OFFSET = rule(
    "binding.offset",
    "A binding's offset is a multiple of 16, or of the guaranteed alignment if that is larger.",
    _RUN.format("", f"input_tensor=dml.BufferBinding(bytearray(32), 4), {_OUT}"),
)
ALIGNMENT = rule(
    "binding.alignment",
    "An element's address is a multiple of its size.",
    _RUN.format("", f"input_tensor=memoryview(bytearray(20))[1:17], {_OUT}"),
)
READ_ONLY = rule(
    "binding.read-only",
    "An output's memory can be written.",
    _RUN.format("", "input_tensor=bytearray(16), output_tensor=bytes(16)"),
)
OVERLAP = rule(
    "binding.overlap",
    "Outputs share memory with nothing; in place means the very same range, where the operator can.",
    _RUN.format("", "input_tensor=dml.BufferBinding(b, 0), output_tensor=dml.BufferBinding(b, 16)")
    .replace("[4]", "[8]")
    .join(("(lambda b: ", ")(bytearray(48))")),
)
OWNED = rule(
    "binding.owned",
    "OWNED_BY_DML inputs are bound when the operator is initialized, all others when it runs.",
    _RUN.format(", flags='OWNED_BY_DML'", f"input_tensor=bytearray(16), {_OUT}"),
)


@dataclass(frozen=True)
class BufferBinding:
    """A range of a buffer: DML_BUFFER_BINDING. Without a size it reaches to the buffer's end."""

    buffer: Any
    offset: int = 0
    size_in_bytes: int | None = None


class Bound(NamedTuple):
    """A tensor's memory: the bytes from the binding's offset on, and where they are."""

    data: Bytes
    address: int
    total: int

    def shares(self, other: Bound) -> bool:
        """Whether the two tensors' total sizes meet in memory."""
        return self.address < other.address + other.total and other.address < self.address + self.total


class Slot:
    """A binding point with what its checks need, looked up once and not at every run."""

    __slots__ = (
        "alignment",
        "described",
        "dtype",
        "index",
        "is_owned",
        "is_present",
        "name",
        "needed",
        "offset_step",
        "point",
        "total",
        "writes",
    )

    def __init__(self, index: int, point: BindingPoint) -> None:
        tensor = point.tensor
        self.index = index
        self.point, self.name, self.writes = point, point.name, not point.field.is_input
        self.is_present = tensor is not None
        self.is_owned = tensor is not None and tensor.is_owned_by_dml
        self.total = tensor.total_tensor_size_in_bytes if tensor else 0
        minimum = tensor.minimum_size_in_bytes if tensor else 0
        # A Direct3D buffer is a whole number of 4-byte words; a Python one may lack the bytes of that rounding.
        self.needed = minimum if round_up(minimum, 4) == self.total else self.total
        self.described = tensor.described if tensor else None
        self.dtype = tensor.data_type.numpy_dtype if tensor else None
        self.alignment = tensor.data_type.alignment_bytes if tensor else 1
        self.offset_step = tensor.guaranteed_base_offset_alignment if tensor else 0


class Binder:
    """Checks the buffers of one operator, every time it is initialized or run."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.points = operator.all_points()
        self.slots = {point.name: Slot(i, point) for i, point in enumerate(self.points)}
        self.names = self.slots.keys()
        present = {name: slot for name, slot in self.slots.items() if slot.is_present}
        self.owned = {name: slot for name, slot in present.items() if slot.is_owned and not slot.writes}
        self.unowned = {name: slot for name, slot in present.items() if not slot.is_owned}
        self.lists: dict[str, int] = {}
        for point in self.points:
            if point.field.is_list:
                self.lists[point.field.name] = self.lists.get(point.field.name, 0) + 1

    def bind(self, buffers: Mapping[str, Any], owned: bool = False) -> dict[str, Bytes]:
        """The memory of each tensor, or an error with everything that is wrong.

        `owned` tells whether the operator is being initialized (OWNED_BY_DML inputs) or run (all others).
        """
        violations: list[Violation] = []
        given = buffers if buffers.keys() <= self.names else self._spread(buffers, violations)
        bound: dict[str, Bound] = {}
        wanted = self.owned if owned else self.unowned
        for slot in wanted.values():
            buffer = given.get(slot.name)
            if buffer is not None:
                found = _bind_one(slot, buffer, violations)
                if found is not None:
                    bound[slot.name] = found
            else:
                path, fix = slot.point.dml_name, f"{slot.name}=a buffer"
                violations.append(MISSING(path, "no buffer", "memory for it", fix))
            if len(violations) > MOST_VIOLATIONS:
                break
        if len(given) > len(bound):
            extra = [name for name, buffer in given.items() if buffer is not None and name not in wanted]
            violations += [_refused(self.slots[name].point, owned) for name in extra if name in self.names]
        if not violations:
            violations += self._check_overlaps(bound)
        if violations:
            raise BindingError(violations, type(self.operator).__name__)
        return {name: found.data for name, found in bound.items()}

    def _spread(self, buffers: Mapping[str, Any], violations: list[Violation]) -> dict[str, Any]:
        """Buffers under the names of their points: lists opened, DirectML's spelling translated."""
        found: dict[str, Any] = {}
        for key, value in buffers.items():
            name = key if key in self.names or key in self.lists else snake(key)
            if name in self.lists:
                items = list(value) if isinstance(value, (list, tuple)) else [value]
                if len(items) != self.lists[name]:
                    violations.append(COUNT(key, counted(len(items), "buffer"), f"{self.lists[name]}, one a tensor"))
                for i, item in enumerate(items):
                    self._add(found, f"{name}[{i}]", item, violations)
            elif name not in self.names:
                known = sorted({*self.names, *self.lists})
                violations.append(UNKNOWN(key, repr(key), "a tensor of the operator", suggest(key, known)))
            else:
                self._add(found, name, value, violations)
        return found

    @staticmethod
    def _add(found: dict[str, Any], name: str, value: Any, violations: list[Violation]) -> None:
        if name in found:
            violations.append(TWICE(name, "two buffers", "one", "leaving one out"))
        found[name] = value

    def _check_overlaps(self, bound: Mapping[str, Bound]) -> list[Violation]:
        """Outputs lie apart from each other, and from inputs unless exactly in place."""
        # In the order of their addresses, a range meets an earlier one if it starts before the furthest end so far.
        slots, in_place = self.slots, self.operator.in_place
        last = (0, 0, False)
        for span in sorted([(b.address, b.address + b.total, slots[name].writes) for name, b in bound.items()]):
            # Inputs come first among equal ranges: two of them may be one, and an output may be one with them.
            is_one = span[:2] == last[:2] and not last[2] and (in_place or not span[2])
            if span[0] < last[1] and not is_one:
                return self._find_overlaps(bound)
            last = span
        return []

    def _find_overlaps(self, bound: Mapping[str, Bound]) -> list[Violation]:
        """A violation for each range that meets an earlier one where one of the two is written."""
        ranges: dict[tuple[int, int], list[str]] = {}
        for name, found in bound.items():
            ranges.setdefault((found.address, found.total), []).append(name)
        violations = []
        furthest = furthest_written = (0, "")
        for (address, total), names in sorted(ranges.items()):
            writers = [name for name in names if self.slots[name].writes]
            name = (writers or names)[-1]
            end, before = furthest if writers else furthest_written
            others = [self._same_range(names, writers), before if address < end else ""]
            violations += [self._overlap(name, other) for other in others if other]
            furthest = max(furthest, (address + total, name))
            furthest_written = max(furthest_written, (address + total, name)) if writers else furthest_written
        return violations

    def _same_range(self, names: list[str], writers: list[str]) -> str:
        """The name of a tensor that may not have the very same range as the last output in it."""
        if not writers or len(names) == 1 or (self.operator.in_place and len(writers) == 1):
            return ""
        return next(name for name in names if name != writers[-1])

    def _overlap(self, *names: str) -> Violation:
        first, second = (slot.point for slot in sorted(map(self.slots.__getitem__, names), key=lambda slot: slot.index))
        expected = "memory of its own"
        if self.operator.in_place:
            expected += ", or exactly the range of an input"
        return OVERLAP(second.dml_name, f"memory shared with {first.dml_name}", expected, "another buffer")


def _refused(point: BindingPoint, owned: bool) -> Violation:
    if point.tensor is None:
        return UNKNOWN(point.dml_name, "a buffer", "none: the operator was described without this tensor")
    when = "initialize(...) takes it" if not owned else "the call takes it"
    kind = "OWNED_BY_DML" if not owned else "not OWNED_BY_DML"
    return OWNED(point.dml_name, "a buffer", f"none here, since the tensor is {kind}", when)


def _bind_one(slot: Slot, buffer: Any, violations: list[Violation]) -> Bound | None:
    """The range this binding names, if all is well with it."""
    try:
        if type(buffer) is BufferBinding:
            data = _range(buffer, slot.offset_step, slot.point.dml_name, violations)
        else:
            data = as_bytes(buffer, slot.point.dml_name, slot.described, slot.dtype)
    except DmlError as error:
        violations += error.violations
        return None
    if data is None:
        return None
    if data.size < slot.needed:
        fix = f"a buffer of {slot.total} bytes"
        violations.append(SIZE(slot.point.dml_name, f"{data.size} bytes", f"at least {slot.needed}", fix))
        return None
    address: int = data.__array_interface__["data"][0]
    if address % slot.alignment:
        found = f"memory {address % slot.alignment} bytes past a multiple of {slot.alignment}"
        expected = f"an address that is a multiple of {slot.alignment}"
        violations.append(ALIGNMENT(slot.point.dml_name, found, expected, "an aligned buffer"))
    if slot.writes and not data.flags.writeable:
        fix = "a bytearray or an array"
        violations.append(READ_ONLY(slot.point.dml_name, "read-only memory", "memory that can be written", fix))
    return Bound(data, address, slot.total)


def bytes_of(binding: Any, path: str) -> Bytes:
    """The memory a binding, or a bare buffer, names; whatever it holds."""
    violations: list[Violation] = []
    data = _range(binding, 0, path, violations) if isinstance(binding, BufferBinding) else as_bytes(binding, path)
    raise_if_any(violations, BindingError)
    assert data is not None
    return data


def resource_of(binding: Any, path: str) -> Bytes:
    """All memory of the buffer that a binding names a range of."""
    return as_bytes(binding.buffer if isinstance(binding, BufferBinding) else binding, path)


def _range(binding: BufferBinding, alignment: int, path: str, violations: list[Violation]) -> Bytes | None:
    data = as_bytes(binding.buffer, path)
    offset = read_integer(binding.offset, f"{path}.Offset", violations)
    size: int | None = data.size - (offset or 0)
    if binding.size_in_bytes is not None:
        size = read_integer(binding.size_in_bytes, f"{path}.SizeInBytes", violations)
    if offset is None or size is None:
        return None
    needed = max(alignment, MINIMUM_ALIGNMENT_BYTES)
    if offset % needed:
        fix = str(round_up(max(offset, 0), needed))
        violations.append(OFFSET(f"{path}.Offset", offset, f"a multiple of {needed}", fix))
    if offset < 0 or size < 0 or offset + size > data.size:
        found = f"offset {offset}, size {size} in {data.size} bytes"
        violations.append(SIZE(path, found, "a range inside the buffer"))
        return None
    return data[offset : offset + size]
