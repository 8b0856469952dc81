"""BindingTable and OperatorInitializer: DirectML's object model, step by step, for those who port it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anydml.core.errors import BindingError, Violation, counted, raise_if_any
from anydml.core.memory import Bytes
from anydml.core.rules import rule
from anydml.core.schema import BindingPoint
from anydml.runtime.binding import OVERLAP, BufferBinding, bytes_of
from anydml.runtime.compiled import PERSISTENT_ALIGNMENT_BYTES, CompiledOperator

_TABLE = (
    "(lambda d: (lambda t: {})(d.create_binding_table(d.compile(dml.ActivationRelu("
    "input_tensor=dml.TensorDesc('FLOAT32', [4]))))))(dml.Device())"
)
TABLE_COUNT = rule(
    "table.count",
    "A table takes as many bindings as the operator has tensors, optional ones included.",
    _TABLE.format("t.bind_inputs([])"),
)
NONE_BINDING = rule(
    "table.none", "Only an optional tensor may have no binding.", _TABLE.format("(t.bind_inputs([None]), t.dispatch())")
)
RESOURCE_OFFSET = rule(
    "table.resource-offset",
    "Temporary and persistent memory starts at a multiple of 256.",
    _TABLE.format("t.bind_temporary_resource(dml.BufferBinding(bytearray(512), 16))"),
)
RESOURCE_SIZE = rule(
    "table.resource-size",
    "Persistent memory is as large as the operator's binding properties say.",
    "(lambda d: (lambda r: (lambda t: (t.bind_outputs([dml.BufferBinding(bytearray(4))]), "
    "t.bind_inputs([[bytes(16)]]), t.dispatch()))(d.create_binding_table(d.create_operator_initializer([r]))))("
    "d.compile(dml.ActivationRelu(input_tensor=dml.TensorDesc('FLOAT32', [4], flags=1)))))(dml.Device())",
)


@dataclass
class OperatorInitializer:
    """Initializes compiled operators: their OWNED_BY_DML inputs are copied to persistent memory."""

    operators: Iterable[CompiledOperator] = ()

    def __post_init__(self) -> None:
        self.operators = list(self.operators)

    def reset(self, operators: Iterable[CompiledOperator] = ()) -> None:
        """Take other operators from now on."""
        self.operators = list(operators)


@dataclass
class BindingTable:
    """What is bound to an operator or an initializer, in DirectML's order of tensors."""

    dispatchable: CompiledOperator | OperatorInitializer
    _inputs: list[Any] = field(default_factory=list)
    _outputs: list[Any] = field(default_factory=list)
    _temporary: Bytes | None = None
    _persistent: Bytes | None = None
    _ready: dict[str, Bytes] | None = None

    def reset(self, dispatchable: CompiledOperator | OperatorInitializer | None = None) -> None:
        """Unbind everything, and serve another dispatchable if one is given."""
        self.dispatchable = dispatchable or self.dispatchable
        self._inputs, self._outputs = [], []
        self._temporary = self._persistent = self._ready = None

    def bind_inputs(self, bindings: Sequence[Any] | None) -> None:
        """A buffer (or None) for each input in order; an initializer takes such a list for each operator."""
        self._inputs, self._ready = self._counted(bindings, "input"), None

    def bind_outputs(self, bindings: Sequence[Any] | None) -> None:
        """A buffer for each output in order; an initializer takes each operator's persistent memory."""
        self._outputs, self._ready = self._counted(bindings, "output"), None

    def bind_temporary_resource(self, binding: BufferBinding | None) -> None:
        """Scratch memory; anydml needs none, and checks what it is given."""
        self._temporary = _resource(binding, "TemporaryResource")

    def bind_persistent_resource(self, binding: BufferBinding | None) -> None:
        """The memory that an initializer filled."""
        self._persistent, self._ready = _resource(binding, "PersistentResource"), None

    def _counted(self, bindings: Sequence[Any] | None, role: str) -> list[Any]:
        given = list(bindings or [])
        wanted = self._slots(role)
        if bindings is not None and len(given) != wanted:
            path = f"{role.capitalize()}s"
            raise BindingError(TABLE_COUNT(path, counted(len(given), "binding"), f"{wanted}, one for each {role}"))
        return given

    def _slots(self, role: str) -> int:
        if isinstance(self.dispatchable, OperatorInitializer):
            return len(list(self.dispatchable.operators))
        return len(self.dispatchable.operator.points(role))

    def dispatch(self) -> None:
        """Check the bindings and run."""
        if isinstance(self.dispatchable, OperatorInitializer):
            self._initialize(list(self.dispatchable.operators))
            return
        if self._ready is None:
            self._ready = self._bound(self.dispatchable)
        self.dispatchable.run_bound(dict(self._ready), self._persistent)

    def _bound(self, compiled: CompiledOperator) -> dict[str, Bytes]:
        points = compiled.operator.points("input"), compiled.operator.points("output")
        pairs = [*_paired(points[0], self._inputs), *_paired(points[1], self._outputs)]
        missing = [
            NONE_BINDING(point.dml_name, "no binding", "a buffer")
            for point, binding in pairs
            if binding is None and point.tensor is not None and not point.tensor.is_owned_by_dml
        ]
        raise_if_any(missing, BindingError, type(compiled.operator).__name__)
        memory = compiled.binder.bind({point.name: binding for point, binding in pairs if binding is not None})
        raise_if_any(self._check_resources(memory), BindingError, type(compiled.operator).__name__)
        return memory

    def _check_resources(self, memory: dict[str, Bytes]) -> list[Violation]:
        """Temporary memory shares with nothing, persistent memory with nothing that is written."""
        violations = []
        outputs = {p.name for p in self.dispatchable.operator.points("output")}  # type: ignore[union-attr]
        for name, data in memory.items():
            if self._temporary is not None and np.may_share_memory(self._temporary, data):
                violations.append(OVERLAP("TemporaryResource", f"memory shared with {name}", "memory of its own"))
            if self._persistent is not None and name in outputs and np.may_share_memory(self._persistent, data):
                violations.append(OVERLAP("PersistentResource", f"memory shared with {name}", "memory of its own"))
        return violations

    def _initialize(self, operators: list[CompiledOperator]) -> None:
        inputs = self._inputs or [None] * len(operators)
        outputs = self._outputs or [None] * len(operators)
        for compiled, given, place in zip(operators, inputs, outputs, strict=True):
            size = compiled.binding_properties.persistent_resource_size
            memory = _persistent_memory(place, size)
            points = compiled.operator.points("input")
            pairs = _paired(points, list(given or []))
            bound = compiled.binder.bind({p.name: b for p, b in pairs if b is not None}, owned=True)
            shared = [name for name, data in bound.items() if np.may_share_memory(memory, data)]
            raise_if_any(
                (OVERLAP("Outputs", f"memory shared with {name}", "memory of its own") for name in shared), BindingError
            )
            compiled.keep(bound, memory)


def _paired(points: list[BindingPoint], bindings: list[Any]) -> list[tuple[BindingPoint, Any]]:
    padded = bindings + [None] * (len(points) - len(bindings))
    return list(zip(points, padded, strict=True))


def _resource(binding: BufferBinding | None, path: str) -> Bytes | None:
    if binding is None:
        return None
    data = bytes_of(binding, path)
    offset = binding.offset if isinstance(binding, BufferBinding) else 0
    if offset % PERSISTENT_ALIGNMENT_BYTES:
        expected = f"a multiple of {PERSISTENT_ALIGNMENT_BYTES}"
        raise BindingError(RESOURCE_OFFSET(f"{path}.Offset", offset, expected))
    return data


def _persistent_memory(place: Any, size: int) -> Bytes:
    """The persistent memory given for an operator, or new memory where none was."""
    data = _resource(place, "Outputs") if place is not None else None
    if data is None:
        return np.zeros(size, np.uint8)
    if data.size < size:
        raise BindingError(RESOURCE_SIZE("Outputs", f"{data.size} bytes", f"at least {size}", f"{size} bytes"))
    return data[:size]
