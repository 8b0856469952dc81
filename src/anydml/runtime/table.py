"""BindingTable: DirectML's object model, step by step, for those who port it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anydml.core.errors import BindingError, InvalidDescriptionError, Violation, counted, raise_if_any
from anydml.core.integers import NOT_A_LIST
from anydml.core.memory import Bytes
from anydml.core.rules import rule
from anydml.runtime.binding import OVERLAP, BufferBinding
from anydml.runtime.compiled import CompiledOperator
from anydml.runtime.initializer import OperatorInitializer, resource_memory

TABLE_COUNT = rule("table.count", "A table takes as many bindings as the operator has tensors, optional ones included.")
NONE_BINDING = rule("table.none", "Only an optional tensor may have no binding.")
MOVED = rule("table.persistent-moved", "Persistent memory stays where the operator was initialized.")
DISPATCHABLE = rule("table.dispatchable", "A table serves a compiled operator or an initializer.")
_Dispatchable = CompiledOperator | OperatorInitializer


class BindingTable:
    """What is bound to an operator or an initializer, in DirectML's order of tensors."""

    def __init__(self, dispatchable: _Dispatchable) -> None:
        self.dispatchable = dispatchable
        self.reset(dispatchable)

    def reset(self, dispatchable: _Dispatchable | None = None) -> None:
        """Unbind everything, and serve another dispatchable if one is given."""
        self.dispatchable = self.dispatchable if dispatchable is None else dispatchable
        if not isinstance(self.dispatchable, _Dispatchable):
            found, expected = type(self.dispatchable).__name__, "a compiled operator or an initializer"
            raise InvalidDescriptionError(DISPATCHABLE("dispatchable", found, expected, "device.compile(...)"))
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._temporary: Bytes | None = None
        self._persistent: Bytes | None = None
        self._ready: dict[str, Bytes] | None = None

    def bind_inputs(self, bindings: Sequence[Any] | None) -> None:
        """A buffer (or None) for each input in order; an initializer takes such a list for each operator."""
        self._inputs, self._ready = self._counted(bindings, "input"), None

    def bind_outputs(self, bindings: Sequence[Any] | None) -> None:
        """A buffer for each output in order; an initializer takes each operator's persistent memory."""
        self._outputs, self._ready = self._counted(bindings, "output"), None

    def bind_temporary_resource(self, binding: BufferBinding | None) -> None:
        """Scratch memory; anydml needs none, and checks what it is given."""
        self._temporary, self._ready = resource_memory(binding, "TemporaryResource"), None

    def bind_persistent_resource(self, binding: BufferBinding | None) -> None:
        """The memory that an initializer filled; where none is bound, the operator knows it."""
        self._persistent, self._ready = resource_memory(binding, "PersistentResource"), None

    def _counted(self, bindings: Sequence[Any] | None, role: str) -> list[Any]:
        path = f"{role.capitalize()}s"
        if bindings is not None and not isinstance(bindings, (list, tuple)):
            raise BindingError(NOT_A_LIST(path, type(bindings).__name__, "a list of bindings", "[...]"))
        given, wanted = list(bindings or ()), self._slots(role)
        if bindings is not None and len(given) != wanted:
            raise BindingError(TABLE_COUNT(path, counted(len(given), "binding"), f"{wanted}, one for each {role}"))
        return given

    def _slots(self, role: str) -> int:
        if isinstance(self.dispatchable, OperatorInitializer):
            return len(self.dispatchable.operators)
        return len(self.dispatchable.operator.points(role))

    def dispatch(self) -> None:
        """Check the bindings and run."""
        if isinstance(self.dispatchable, OperatorInitializer):
            self.dispatchable.run(self._inputs, self._outputs, self._temporary)
            return
        if self._ready is None:
            self._ready = self._bound(self.dispatchable)
        self.dispatchable.run_bound(self._ready)

    def _bound(self, compiled: CompiledOperator) -> dict[str, Bytes]:
        subject = type(compiled.operator).__name__
        inputs, outputs = compiled.operator.points("input"), compiled.operator.points("output")
        bindings = [*(self._inputs or [None] * len(inputs)), *(self._outputs or [None] * len(outputs))]
        pairs = list(zip([*inputs, *outputs], bindings, strict=True))
        missing = [
            NONE_BINDING(point.dml_name, "no binding", "a buffer")
            for point, binding in pairs
            if binding is None and point.tensor is not None and not point.tensor.is_owned_by_dml
        ]
        raise_if_any(missing, BindingError, subject)
        memory = compiled.bind({point.name: binding for point, binding in pairs if binding is not None})
        raise_if_any(self._check_resources(compiled, memory), BindingError, subject)
        return memory

    def _check_resources(self, compiled: CompiledOperator, memory: dict[str, Bytes]) -> list[Violation]:
        """Temporary memory shares with nothing; persistent memory is what was initialized."""
        violations = []
        bound = {**memory, "persistent resource": self._persistent}
        for name, data in bound.items():
            if self._temporary is not None and data is not None and np.may_share_memory(self._temporary, data):
                violations.append(OVERLAP("TemporaryResource", f"memory shared with {name}", "memory of its own"))
        kept = compiled.persistent
        if self._persistent is not None and kept is not None and not _starts_at(self._persistent, kept):
            expected = "the memory that was initialized"
            violations.append(MOVED("PersistentResource", "other memory", expected, "binding it here and there"))
        return violations


def _starts_at(data: Bytes, kept: Bytes) -> bool:
    return data.ctypes.data == kept.ctypes.data and data.size >= kept.size
