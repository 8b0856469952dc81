"""Device: where operators are checked, compiled and run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from anydml.core.datatype import DataType, DataTypeLike
from anydml.core.enums import ExecutionFlags
from anydml.core.errors import InvalidDescriptionError, Violation, found_at, raise_if_any
from anydml.core.fixes import Use
from anydml.core.integers import read_list, require_integer
from anydml.core.levels import HIGHEST_LEVEL, LEVELS, FeatureLevel, FeatureLevelLike
from anydml.core.memory import Bytes, as_bytes
from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.core.schema.names import require_described
from anydml.core.schema.validate import require_valid
from anydml.graph.checks import require_valid_graph
from anydml.graph.graph import Graph, require_graph
from anydml.graph.passes import Passes, require_passes
from anydml.runtime.backend import BACKENDS, Backend, find_backend, find_device
from anydml.runtime.buffer import Buffer
from anydml.runtime.compiled import CompiledOperator
from anydml.runtime.initializer import OperatorInitializer
from anydml.runtime.planning import plan_graph, plan_operator
from anydml.runtime.table import BindingTable

SIZE = rule("memory.size", "A number of bytes is 0 or more.")
MIXED = rule("device.mixed", "Operators, initializers and tables of two devices are not mixed.")

C_METHODS = {
    "CreateOperator": "create_operator",
    "CompileOperator": "compile",
    "CompileGraph": "compile_graph",
    "CreateOperatorInitializer": "create_operator_initializer",
    "CreateBindingTable": "create_binding_table",
    "CheckFeatureSupport": "supports_data_type or highest_feature_level",
}
"""IDMLDevice's methods, and what each is called here."""


@dataclass(frozen=True, init=False)
class Device:
    """A device of a feature level: `Device()`, `Device("cuda")`, `Device("auto")`, `Device(feature_level="5.0")`.

    Stateless and cheap; several may exist, and threads may share one.
    """

    name: str
    feature_level: FeatureLevel

    def __init__(self, name: str = "cpu", feature_level: FeatureLevelLike = HIGHEST_LEVEL) -> None:
        name = find_device(name)
        find_backend(name)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "feature_level", FeatureLevel.parse(feature_level))

    @property
    def backend(self) -> Backend:
        """The device's memory and its way to run plans."""
        return find_backend(self.name)

    @property
    def description(self) -> str:
        return BACKENDS[self.name][0]

    # Memory

    def allocate(self, size_in_bytes: int) -> Buffer:
        """New memory of the device."""
        size = require_integer(size_in_bytes, "size_in_bytes")
        if size < 0:
            raise InvalidDescriptionError(SIZE("size_in_bytes", size, "0 or more", Use(-size)))
        with found_at("size_in_bytes"):
            return self.backend.allocate(size)

    def upload(self, data: Any) -> Buffer:
        """The bytes of an array, or of any buffer of the host, in memory of the device."""
        return self.backend.upload(as_bytes(data, "data", in_order=True))

    def download(self, buffer: Buffer) -> Bytes:
        """The bytes of the device's memory, on the host."""
        return self.backend.download(self.backend.adopt(buffer, "buffer", None))

    # Questions

    def supports_data_type(self, data_type: DataTypeLike) -> bool:
        """DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT: whether tensors may have this type here."""
        return DataType.parse(data_type) in LEVELS[self.feature_level].data_types

    def highest_feature_level(self, requested: Iterable[FeatureLevelLike]) -> FeatureLevel | None:
        """DML_FEATURE_FEATURE_LEVELS: the highest of these levels that the device has."""
        violations: list[Violation] = []
        given = read_list(requested, "requested", violations, "feature levels", may_be_endless=True)
        raise_if_any(violations)
        levels = [FeatureLevel.parse(level, f"requested[{i}]") for i, level in enumerate(given or ())]
        return max((level for level in levels if level <= self.feature_level), default=None)

    def create_operator(self, operator: Operator) -> Operator:
        """The operator, if everything about it holds at this feature level; else an error with all that does not."""
        require_valid(_require_operator(operator), self.feature_level)
        return operator

    def compile(
        self,
        operator: Operator,
        flags: ExecutionFlags | int | str | Sequence[str] | None = ExecutionFlags.NONE,
        passes: Passes = Passes(),  # noqa: B008 - immutable
    ) -> CompiledOperator:
        """Check and plan an operator; the result runs on buffers."""
        chosen, how = require_passes(passes), ExecutionFlags.parse(flags, "flags")
        planned = plan_operator(_require_operator(operator), self.feature_level, self.backend, chosen)
        return CompiledOperator(self, planned, how, chosen)

    def compile_graph(
        self,
        graph: Graph,
        flags: ExecutionFlags | int | str | Sequence[str] | None = ExecutionFlags.NONE,
        passes: Passes = Passes(),  # noqa: B008 - immutable
    ) -> CompiledOperator:
        """Check and plan a graph; the result runs on buffers, bound by index or by name."""
        require_graph(graph, "compile(...), or Graph.of(...)" if isinstance(graph, Operator) else "")
        chosen, how = require_passes(passes), ExecutionFlags.parse(flags, "flags")
        require_valid_graph(graph, self.feature_level)
        planned = plan_graph(graph, self.backend, chosen)
        return CompiledOperator(self, planned, how, chosen)

    def create_operator_initializer(self, operators: Iterable[CompiledOperator] = ()) -> OperatorInitializer:
        """Something that, dispatched once, initializes all these operators."""
        initializer = OperatorInitializer(operators)
        for compiled in initializer.operators:
            self._require_own(compiled)
        return initializer

    def create_binding_table(self, dispatchable: CompiledOperator | OperatorInitializer) -> BindingTable:
        """An empty table of bindings for an operator or an initializer."""
        table = BindingTable(dispatchable, self.backend)
        for compiled in getattr(dispatchable, "operators", [dispatchable]):
            self._require_own(compiled)
        return table

    def _require_own(self, compiled: CompiledOperator) -> None:
        if compiled.device != self:
            found, expected = f"an operator of {compiled.device!r}", f"one of {self!r}"
            raise InvalidDescriptionError(MIXED("dispatchable", found, expected, "compiling it on this device"))

    if not TYPE_CHECKING:  # a type checker should know that there are no other attributes

        def __getattr__(self, name: str) -> NoReturn:
            """Tell somebody who types DirectML's name of a method what it is called here."""
            near = C_METHODS.get(name)
            raise AttributeError(f"Device has no {name!r}" + (f"; try {near}" if near else ""))

    def __repr__(self) -> str:
        return f"Device({self.name!r}, feature_level={self.feature_level.text!r})"


def _require_operator(operator: Any) -> Operator:
    if isinstance(operator, Graph):
        return require_described(operator, "compile_graph(...)")
    return require_described(operator, "calling it, since it is compiled" if type(operator) is CompiledOperator else "")
