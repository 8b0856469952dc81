"""Reading the dispatchables of a model: operators of DirectML, by any of their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import anydml.operators  # noqa: F401 - declares them all
from anydml.core.enums import ExecutionFlags
from anydml.core.errors import DmlError
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import OPERATORS, Operator
from anydml.core.schema.names import ALIASES, suggest_operator
from anydml.core.schema.validate import validate
from anydml.files.json_tree import Node
from anydml.files.sources import Sources
from anydml.frontends.dxdispatch.bindings import Points, read_bindings
from anydml.frontends.dxdispatch.fields import KIND, LONG, MOST_INTEGERS, Fields, Notes, quoted
from anydml.frontends.dxdispatch.model import Bindings, Dispatchable, Place
from anydml.graph.checks import GRAPHS_SINCE, require_valid_graph
from anydml.graph.graph import Graph
from anydml.process.loading import load_module

PREFIX = "DML_OPERATOR_"
UNKNOWN = rule("dispatchable.type", "A dispatchable is an operator of DirectML.")
FOREIGN = rule("dispatchable.foreign", "Shaders and ONNX models are not operators, and are not run.")
COMPILE_TYPE = rule(
    "dispatchable.compile-type", "dmlCompileType is DmlCompileOp or DmlCompileGraph; both give the same result."
)
TWICE = rule("dispatchable.twice", "A dispatchable has one type and one description, under either spelling.")
_FOREIGN = {
    "hlsl": ("an HLSL shader", "the DirectML operators it stands for"),
    "onnx": ("an ONNX model", "its operators as dispatchables of this model"),
}
_SERIALIZED = "dmlserializedgraph"
_MOST_FIELDS = 200
_OWN_KEYS = ("type", "Type", "desc", "Desc", "dmlCompileType", "executionFlags", "bindings")


@dataclass(frozen=True)
class DispatchableReader:
    """Reads operators, and checks each at a feature level."""

    notes: Notes
    level: FeatureLevel
    sources: Sources

    def read(self, name: str, node: Node) -> Dispatchable | None:
        fields = Fields(node, self.notes, "a dispatchable")
        if not node.is_object:
            return None
        key = self._spelling(fields, "type")
        kind = fields.text(key, "an operator such as 'DML_OPERATOR_GEMM'", required=True)
        if kind is not None and kind.lower() == _SERIALIZED:
            return self._serialized(name, node, fields, key)
        cls = self._find(kind, node.get(key)) if kind is not None else None
        if kind is not None and kind.lower() in _FOREIGN:
            return None
        self._compile_type(fields)
        flags_node = fields.get("executionFlags")
        flags = self._flags(flags_node)
        points = None if cls is None else Points.of_operator(cls)
        bindings = read_bindings(fields.get("bindings"), points, self.notes)
        if cls is None:
            return None
        operator = self._operator(cls, node, fields)
        return None if operator is None else self._dispatchable(name, node, Graph.of(operator), flags, bindings)

    def _dispatchable(
        self, name: str, node: Node, graph: Graph, flags: ExecutionFlags, bindings: Bindings
    ) -> Dispatchable:
        return Dispatchable(name, graph, flags, bindings, Place(node.path, *self.notes.document.place(node.offset)))

    def _serialized(self, name: str, node: Node, fields: Fields, key: str) -> Dispatchable | None:
        """A graph in a file of its own, with its weights beside it."""
        read_graph_file = load_module("anydml.frontends.serialized.reading").read_graph_file
        text = fields.text("sourcePath", "the name of a file", required=True)
        flags = self._flags(fields.get("executionFlags"))
        bindings_node = fields.get("bindings")
        fields.finish(key)
        if text is None:
            return None
        graph = self.notes.attempt(
            node, lambda: self._checked(read_graph_file(*self.sources.find_with_others(text))), "sourcePath"
        )
        if graph is None:
            return None
        return self._dispatchable(name, node, graph, flags, read_bindings(bindings_node, Points.of(graph), self.notes))

    def _checked(self, graph: Graph) -> Graph:
        require_valid_graph(graph, self.level)
        return graph

    def _spelling(self, fields: Fields, key: str) -> str:
        """The key itself or the same with a capital, whichever is there; a note where both are."""
        capital = key.capitalize()
        if fields.get(capital) is None:
            return key
        if fields.get(key) is not None:
            both = f"{key} and {capital}"
            self.notes.add(fields.node, TWICE, both, f"one of {both}", "removing one of them", capital)
            return key
        return capital

    def _find(self, kind: str, node: Node | None) -> type[Operator] | None:
        assert node is not None
        foreign = _FOREIGN.get(kind.lower())
        if foreign is not None:
            self.notes.add(node, FOREIGN, foreign[0], "an operator of DirectML", foreign[1])
            return None
        short = kind.strip().upper().removeprefix(PREFIX)
        short = ALIASES.get(short, short)
        if short not in OPERATORS:
            self.notes.add(node, UNKNOWN, quoted(kind), "an operator of DirectML", suggest_operator(kind))
        return OPERATORS.get(short)

    def _compile_type(self, fields: Fields) -> None:
        kind = fields.text("dmlCompileType", "'DmlCompileOp' or 'DmlCompileGraph'")
        if kind is not None and kind not in ("DmlCompileOp", "DmlCompileGraph"):
            expected = "'DmlCompileOp' or 'DmlCompileGraph'"
            self.notes.add(fields.node, COMPILE_TYPE, quoted(kind), expected, key="dmlCompileType")
        if kind == "DmlCompileGraph" and self.level < GRAPHS_SINCE:
            expected = f"'DmlCompileOp' before feature level {GRAPHS_SINCE.text}, which brought graphs"
            self.notes.add(fields.node, COMPILE_TYPE, quoted(kind), expected, key="dmlCompileType")

    def _flags(self, node: Node | None) -> ExecutionFlags:
        if node is None:
            return ExecutionFlags.NONE
        plain = node.plain()
        texts = plain if isinstance(plain, list) else [plain]
        if not all(isinstance(text, str) for text in texts):
            self.notes.add(node, KIND, node.kind, "the name of a flag, or a list of names")
            return ExecutionFlags.NONE
        return self.notes.attempt(node, lambda: ExecutionFlags.parse(plain)) or ExecutionFlags.NONE

    def _is_flooded(self, source: Node) -> bool:
        """Whether a list of numbers or an object is far too long; otherwise each entry of it would be told of."""
        before = len(self.notes.violations)
        waiting = [source]
        while waiting:
            node = waiting.pop()
            waiting += [entry for _, entry in node.items()]
            inner = [part for part in node.value.parts if isinstance(part, Node)] if node.is_list else []
            waiting += inner
            if node.is_object and len(node) > _MOST_FIELDS:
                self.notes.add(node, KIND, f"{len(node)} fields", "those of the description, far fewer")
            elif node.is_list and len(node) - sum(part.is_object for part in inner) > MOST_INTEGERS:
                self.notes.add(node, LONG, f"{len(node)} values", f"at most {MOST_INTEGERS}")
        return len(self.notes.violations) > before

    def _operator(self, cls: type[Operator], node: Node, fields: Fields) -> Operator | None:
        """The operator from `desc`, or from the dispatchable itself when its fields stand there."""
        desc = fields.get(self._spelling(fields, "desc"))
        source = node if desc is None else desc
        if desc is not None:
            fields.finish(*_OWN_KEYS)
        if not source.is_object:
            self.notes.add(source, KIND, source.kind, f"an object with the fields of {cls.dml_type}")
            return None
        if self._is_flooded(source):
            return None
        values: dict[str, Any] = {
            key: entry.plain() for key, entry in source.items() if desc is not None or key not in _OWN_KEYS
        }
        try:
            operator = cls.from_model(values)
            violations = validate(operator, self.level)
        except DmlError as error:
            self.notes.adopt(source, error.violations)
            return None
        self.notes.adopt(source, violations)
        return None if violations else operator
