"""CompiledOperator: validated, planned and ready to run, as often as wanted and from any thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from anydml.core.enums import ExecutionFlags
from anydml.core.errors import BindingError
from anydml.core.fixes import ANOTHER_BUFFER
from anydml.core.memory import Bytes
from anydml.core.rules import rule
from anydml.core.schema import BindingPoint, Operator
from anydml.core.tensor import round_up
from anydml.graph.plan import Plan, plan_operator
from anydml.runtime.backend import find_backend
from anydml.runtime.binding import OVERLAP, Binder

if TYPE_CHECKING:
    from anydml.runtime.device import Device

PERSISTENT_ALIGNMENT_BYTES = 256
NOT_INITIALIZED = rule("initialize.first", "An operator with OWNED_BY_DML inputs is initialized before it runs.")
INITIALIZED_TWICE = rule("initialize.once", "An operator is initialized once.")


@dataclass(frozen=True)
class BindingProperties:
    """What an operator needs besides its tensors."""

    required_descriptor_count: int
    temporary_resource_size: int
    persistent_resource_size: int


class CompiledOperator:
    """Call it with a buffer for each tensor; outputs are written in place in the caller's memory."""

    def __init__(self, device: Device, operator: Operator, flags: ExecutionFlags) -> None:
        self.device = device
        self.operator = operator
        self.flags = flags
        self.plan: Plan = plan_operator(operator)
        self._program = find_backend(device.name).prepare(self.plan, flags)
        self.binder = Binder(operator)
        self._owned = [p for p in operator.points("input") if p.tensor is not None and p.tensor.is_owned_by_dml]
        self._places = _places(self._owned)
        self._persistent: Bytes | None = None
        self._lock = Lock()

    @property
    def binding_properties(self) -> BindingProperties:
        """Descriptors for every tensor, and the memory OWNED_BY_DML inputs are kept in."""
        descriptors = sum(point.tensor is not None for point in self.binder.points)
        size = max((start + length for start, length in self._places.values()), default=0)
        return BindingProperties(descriptors, 0, round_up(size, 4))

    @property
    def is_initialized(self) -> bool:
        return self._persistent is not None or not self._owned

    def initialize(self, **buffers: Any) -> None:
        """Copy the OWNED_BY_DML inputs; afterwards their buffers may go. Once, before the first run."""
        memory = self.binder.bind(buffers, owned=True)
        persistent = np.zeros(self.binding_properties.persistent_resource_size, np.uint8)
        self.keep(memory, persistent)

    def require_new(self) -> None:
        """An operator is initialized once."""
        if self._persistent is not None:
            found = f"a second initialization of {type(self.operator).__name__}"
            raise BindingError(INITIALIZED_TWICE("initialize", found, "one", "compiling it anew"))

    def keep(self, memory: dict[str, Bytes], persistent: Bytes) -> None:
        """Copy bound inputs to persistent memory, and keep that."""
        with self._lock:
            self.require_new()
            for name, (start, length) in self._places.items():
                tensor = memory[name][:length]
                persistent[start : start + tensor.size] = tensor
            self._persistent = persistent

    def __call__(self, **buffers: Any) -> None:
        """Run on these buffers: `run(input_tensor=source, output_tensor=result)`."""
        self.run_bound(self.bind(buffers))

    def bind(self, buffers: Mapping[str, Any]) -> dict[str, Bytes]:
        """The memory of every tensor, checked: the caller's buffers, and what initialization kept."""
        memory = self.binder.bind(buffers)
        if not self._owned:
            return memory
        persistent = self._persistent
        if persistent is None:
            names = ", ".join(f"{point.name}=..." for point in self._owned)
            found, fix = "no initialization", f"initialize({names}) first"
            raise BindingError(NOT_INITIALIZED("initialize", found, "the OWNED_BY_DML inputs", fix))
        for point in self.operator.points("output"):
            if point.name in memory and np.may_share_memory(memory[point.name], persistent):
                found, expected = "memory of the OWNED_BY_DML inputs", "memory of its own"
                raise BindingError(OVERLAP(point.dml_name, found, expected, ANOTHER_BUFFER))
        kept = {name: persistent[start : start + length] for name, (start, length) in self._places.items()}
        return memory | kept

    def run_bound(self, memory: dict[str, Bytes]) -> None:
        """Run on memory that `bind` checked."""
        self._program.run(memory)

    @property
    def persistent(self) -> Bytes | None:
        """The memory that initialization filled."""
        return self._persistent

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.device, self.operator, self.flags, self._persistent)

    def __repr__(self) -> str:
        return f"CompiledOperator({self.operator.dml_type} on {self.device!r})"


def _places(owned: list[BindingPoint]) -> dict[str, tuple[int, int]]:
    """Where in the persistent memory each owned input lies."""
    places, start = {}, 0
    for point in owned:
        assert point.tensor is not None
        length = point.tensor.total_tensor_size_in_bytes
        places[point.name] = (start, length)
        start = round_up(start + length, PERSISTENT_ALIGNMENT_BYTES)
    return places


def _restore(device: Device, operator: Operator, flags: ExecutionFlags, persistent: Bytes | None) -> CompiledOperator:
    compiled = CompiledOperator(device, operator, flags)
    compiled._persistent = persistent
    return compiled
