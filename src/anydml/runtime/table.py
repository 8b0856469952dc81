"""BindingTable: DirectML's object model, step by step, for those who port it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anydml.core.errors import BindingError, InvalidDescriptionError, Violation, counted, raise_if_any, shown
from anydml.core.integers import read_list
from anydml.core.outside import answer
from anydml.core.rules import rule
from anydml.runtime.backend import Run, Space
from anydml.runtime.binding import OVERLAP, BufferBinding
from anydml.runtime.buffer import Buffer
from anydml.runtime.compiled import CompiledOperator
from anydml.runtime.initializer import OperatorInitializer, require_room, resource_memory

TABLE_COUNT = rule("table.count", "A table takes as many bindings as the operator has tensors, optional ones included.")
NONE_BINDING = rule("table.none", "Only an optional tensor may have no binding.")
MOVED = rule("table.persistent-moved", "Persistent memory stays where the operator was initialized.")
DISPATCHABLE = rule("table.dispatchable", "A table serves a compiled operator or an initializer.")
_Dispatchable = CompiledOperator | OperatorInitializer


class BindingTable:
    """What is bound to an operator or an initializer, in DirectML's order of tensors."""

    def __init__(self, dispatchable: _Dispatchable, space: Space) -> None:
        self.dispatchable, self._space = dispatchable, space
        self.reset(dispatchable)
        if not answer(lambda: callable(space.adopt), False):
            found, expected, fix = shown(space), "the memory of a device", "device.create_binding_table(...)"
            raise InvalidDescriptionError(DISPATCHABLE("space", found, expected, fix))

    def reset(self, dispatchable: _Dispatchable | None = None) -> None:
        """Unbind everything, and serve another dispatchable if one is given."""
        self.dispatchable = self.dispatchable if dispatchable is None else dispatchable
        if not isinstance(self.dispatchable, _Dispatchable):
            found, expected = type(self.dispatchable).__name__, "a compiled operator or an initializer"
            raise InvalidDescriptionError(DISPATCHABLE("dispatchable", found, expected, "device.compile(...)"))
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._temporary: Buffer | None = None
        self._persistent: Buffer | None = None
        self._ready: Run | None = None

    def bind_inputs(self, bindings: Sequence[Any] | None) -> None:
        """A buffer (or None) for each input in order; an initializer takes such a list for each operator."""
        self._inputs, self._ready = self._counted(bindings, "input"), None

    def bind_outputs(self, bindings: Sequence[Any] | None) -> None:
        """A buffer for each output in order; an initializer takes each operator's persistent memory."""
        self._outputs, self._ready = self._counted(bindings, "output"), None

    def bind_temporary_resource(self, binding: BufferBinding | Any | None) -> None:
        """Memory for intermediate results; where none is bound, the table brings its own."""
        self._temporary, self._ready = resource_memory(self._space, binding, "TemporaryResource"), None

    def bind_persistent_resource(self, binding: BufferBinding | Any | None) -> None:
        """The memory that an initializer filled; where none is bound, the operator knows it."""
        self._persistent, self._ready = resource_memory(self._space, binding, "PersistentResource"), None

    def _counted(self, bindings: Sequence[Any] | None, role: str) -> list[Any]:
        path = f"{role.capitalize()}s"
        violations: list[Violation] = []
        read = () if bindings is None else read_list(bindings, path, violations, "bindings", fix="[...]")
        raise_if_any(violations, BindingError)
        given, wanted = list(read or ()), self._places(role)
        if bindings is not None and len(given) != wanted:
            raise BindingError(TABLE_COUNT(path, counted(len(given), "binding"), f"{wanted}, one for each {role}"))
        return given

    def _places(self, role: str) -> int:
        if isinstance(self.dispatchable, OperatorInitializer):
            return len(self.dispatchable.operators)
        return len(self.dispatchable.inputs if role == "input" else self.dispatchable.outputs)

    def dispatch(self) -> None:
        """Check the bindings and run."""
        ready = self._ready
        if ready is None:
            if isinstance(self.dispatchable, OperatorInitializer):
                self.dispatchable.run(self._inputs, self._outputs, self._temporary)
                return
            ready = self._ready = self._bound(self.dispatchable)
        ready()

    def _bound(self, compiled: CompiledOperator) -> Run:
        inputs, outputs = compiled.inputs, compiled.outputs
        bindings = [*(self._inputs or [None] * len(inputs)), *(self._outputs or [None] * len(outputs))]
        missing = [
            NONE_BINDING(port.dml_name, "no binding", "a buffer")
            for port, binding in zip(compiled.binder.ports, bindings, strict=True)
            if binding is None and port.slot is not None and not port.is_owned
        ]
        raise_if_any(missing, BindingError, compiled.subject)
        bound = compiled.binder.bind(bindings)
        raise_if_any(self._check_resources(compiled, bound), BindingError, compiled.subject)
        return compiled.bind(bound, self._arena(compiled))

    def _arena(self, compiled: CompiledOperator) -> Buffer | None:
        size = compiled.plan.temporary_size_in_bytes
        if self._temporary is None:
            return self._space.allocate(size) if size else None
        needed = compiled.binding_properties.temporary_resource_size
        return require_room(self._temporary, needed, "TemporaryResource")

    def _check_resources(self, compiled: CompiledOperator, bound: Sequence[Buffer | None]) -> list[Violation]:
        """Temporary memory shares with nothing; persistent memory is what was initialized."""
        violations = []
        others = [(port.name, buffer) for port, buffer in zip(compiled.binder.ports, bound, strict=True)]
        persistent = compiled.persistent if self._persistent is None else self._persistent
        for name, buffer in (*others, ("persistent resource", persistent)):
            if self._temporary is not None and buffer is not None and self._temporary.overlaps(buffer):
                violations.append(OVERLAP("TemporaryResource", f"memory shared with {name}", "memory of its own"))
        kept = compiled.persistent
        if self._persistent is not None and kept is not None and not _starts_at(self._persistent, kept):
            expected = "the memory that was initialized"
            violations.append(MOVED("PersistentResource", "other memory", expected, "binding it here and there"))
        return violations


def _starts_at(buffer: Buffer, kept: Buffer) -> bool:
    return buffer.address == kept.address and buffer.size_in_bytes >= kept.size_in_bytes
