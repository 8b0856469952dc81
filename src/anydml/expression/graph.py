"""Graph and Expression: a graph that grows as expressions are written, in the manner of DirectMLX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from anydml.core.enums import ExecutionFlags
from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.integers import require_integer
from anydml.core.levels import FeatureLevel
from anydml.core.outside import as_text
from anydml.core.policy import DEFAULT, TensorPolicy
from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.core.tensor import TensorDesc
from anydml.expression.arithmetic import Arithmetic
from anydml.expression.places import Place, user_place
from anydml.graph.graph import ConstantNode
from anydml.process.loading import load_module

if TYPE_CHECKING:
    from anydml.expression.running import Runner
    from anydml.graph.graph import Graph as GraphDescription
    from anydml.runtime.compiled import CompiledOperator
    from anydml.runtime.device import Device

INPUT = rule("expression.input", "A graph input has one description, and an index of 0 to 65,535.")
NAME = rule("expression.name", "A name, or a name scope, is a text that is not empty.")
PARTS = rule("expression.graph", "A graph of expressions is made for a Device, with a TensorPolicy.")
_MOST_INPUTS = 1 << 16


@dataclass(frozen=True, eq=False)
class Expression(Arithmetic):
    """A tensor that a graph computes, or is given: the result of one of the functions of this package."""

    graph: Graph = field(repr=False)
    desc: TensorDesc
    source: Input | Constant | Result = field(repr=False)
    name: str
    place: Place = field(repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.desc.sizes

    @property
    def data_type(self) -> Any:
        return self.desc.data_type

    def get_output_desc(self) -> TensorDesc:
        """DirectMLX's name for `desc`."""
        return self.desc


@dataclass(frozen=True, eq=False)
class Input:
    """A graph input."""

    index: int
    desc: TensorDesc


@dataclass(frozen=True, eq=False)
class Constant:
    """Bytes that are part of the graph."""

    node: ConstantNode


@dataclass(frozen=True, eq=False)
class Step:
    """An operator, and what each of its inputs reads; None for inputs that are absent."""

    operator: Operator
    reads: tuple[Input | Constant | Result | None, ...]
    name: str
    place: Place


@dataclass(frozen=True, eq=False)
class Result:
    """An output of an operator."""

    step: Step
    output: int


class Graph:
    """A graph under construction: DirectMLX's `dml::Graph`.

    `policy` lays out the tensors that operators compute. Call the graph with an array for each input, and it compiles
    itself, runs, and returns an array for each output: those given to `compile` last, or else every expression that
    nothing reads.
    """

    def __init__(self, device: Device | None = None, policy: TensorPolicy = DEFAULT) -> None:
        kind: type[Device] = load_module("anydml.runtime.device").Device
        self.device = kind() if device is None else device
        self.policy = policy
        if not isinstance(self.device, kind):
            raise InvalidDescriptionError(PARTS("device", shown(self.device), "a Device", "Device()"), "Graph")
        if not isinstance(policy, TensorPolicy):
            raise InvalidDescriptionError(PARTS("policy", shown(policy), "a TensorPolicy", "DEFAULT"), "Graph")
        self.inputs: dict[int, Expression] = {}
        self.steps: list[Step] = []
        self._made: list[Expression] = []
        self._scopes: list[str] = []
        self._counts: dict[str, int] = {}
        self._runner: Runner | None = None

    @property
    def feature_level(self) -> FeatureLevel:
        return self.device.feature_level

    # Names

    @contextmanager
    def name_scope(self, name: str) -> Iterator[None]:
        """Names of expressions made inside start with this one."""
        self.push_name(name)
        try:
            yield
        finally:
            self.pop_name()

    def push_name(self, name: str) -> None:
        """DirectMLX's PushName: open a name scope; `name_scope` closes it by itself."""
        self._scopes.append(_read_name(name))

    def pop_name(self) -> None:
        """DirectMLX's PopName: close the name scope opened last."""
        if not self._scopes:
            raise InvalidDescriptionError(NAME("pop_name", "no name scope", "one to close", "push_name first"))
        self._scopes.pop()

    def full_name(self, name: str) -> str:
        """A name with its scopes, and a number where it is taken already."""
        whole = "/".join((*self._scopes, _read_name(name)))
        count = self._counts[whole] = self._counts.get(whole, 0) + 1
        return whole if count == 1 else self.full_name_of(whole, count)

    def full_name_of(self, whole: str, count: int) -> str:
        """A name that nobody has: with the count behind it, or a larger one."""
        while (numbered := f"{whole}_{count}") in self._counts:
            count += 1
        self._counts[numbered] = 1
        return numbered

    # Making expressions

    def input(self, index: int, desc: TensorDesc, name: str | None = None) -> Expression:
        """The graph input of this index."""
        number = require_integer(index, "index")
        require_desc(desc)
        if not 0 <= number < _MOST_INPUTS or number in self.inputs:
            found = f"{number}, which {self.inputs[number].place} has" if number in self.inputs else str(number)
            following = max(self.inputs, default=-1) + 1
            raise InvalidDescriptionError(INPUT("index", found, "an index of its own", f"{following}"))
        made = Expression(
            self, desc, Input(number, desc), self.full_name(name_or(name, f"input{number}")), user_place()
        )
        self.inputs[number] = made
        return self._note(made)

    def constant(self, data: Any, desc: TensorDesc, name: str | None = None) -> Expression:
        """Bytes that are known when the graph is compiled."""
        require_desc(desc)
        node = ConstantNode(data, self.full_name(name_or(name, "constant")))
        return self._note(Expression(self, desc, Constant(node), node.name, user_place()))

    def add_step(self, operator: Operator, reads: Sequence[Expression | None], name: str) -> dict[str, Expression]:
        """An operator, and an expression for each of its outputs by binding point."""
        sources = tuple(None if read is None else read.source for read in reads)
        step = Step(operator, sources, self.full_name(name), user_place())
        self.steps.append(step)
        made = {}
        for i, point in enumerate(operator.points("output")):
            if point.tensor is not None:
                many = len(operator.points("output")) > 1
                own = f"{step.name}.{point.name.removesuffix('_tensor')}" if many else step.name
                made[point.name] = self._note(Expression(self, point.tensor, Result(step, i), own, step.place))
        return made

    def view(self, expression: Expression, desc: TensorDesc) -> Expression:
        """The same bytes under another description."""
        return self._note(Expression(self, desc, expression.source, expression.name, user_place()))

    def _note(self, expression: Expression) -> Expression:
        self._made.append(expression)
        self._runner = None
        return expression

    # Compiling

    def unread(self) -> list[Expression]:
        """The results that nothing reads, in the order they were made: what a graph is called for."""
        read = {(id(s.step), s.output) for step in self.steps for s in step.reads if isinstance(s, Result)}
        found: dict[tuple[int, int], Expression] = {}
        for made in self._made:
            if isinstance(made.source, Result) and (id(made.source.step), made.source.output) not in read:
                found[id(made.source.step), made.source.output] = made  # the latest view of a result stands for it
        return list(found.values())

    def describe(self, outputs: Expression | Sequence[Expression] | None = None) -> GraphDescription:
        """The graph that computes these expressions: DML_GRAPH_DESC."""
        found: GraphDescription = load_module("anydml.expression.describing").describe_outputs(self, outputs)[0]
        return found

    def compile(
        self,
        outputs: Expression | Sequence[Expression] | None = None,
        flags: ExecutionFlags | int | str | Sequence[str] | None = ExecutionFlags.NONE,
    ) -> CompiledOperator:
        """A compiled operator with the outputs in this order; afterwards the graph, called, runs it."""
        return self.runner(outputs, flags).compiled

    def runner(
        self,
        outputs: Expression | Sequence[Expression] | None = None,
        flags: ExecutionFlags | int | str | Sequence[str] | None = ExecutionFlags.NONE,
    ) -> Runner:
        """What runs these outputs: OWNED_BY_DML inputs are taken when it first sees them."""
        graph, wanted = load_module("anydml.expression.describing").describe_outputs(self, outputs)
        make = load_module("anydml.expression.running").Runner
        runner: Runner = make(self.device, graph, [each.desc for each in wanted], ExecutionFlags.parse(flags))
        self._runner = runner
        return runner

    def __call__(self, *arrays: Any) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], ...]:
        """Run on an array for each input, in order: one array, or a tuple of them."""
        runner = self._runner or self.runner()
        results = runner(arrays)
        return results[0] if len(results) == 1 else tuple(results)

    def to_svg(self) -> str:
        """The graph as a picture."""
        return self.describe().to_svg()

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        return f"Graph({len(self.inputs)} inputs, {len(self.steps)} operators, on {self.device!r})"


def require_desc(desc: Any) -> TensorDesc:
    """What describes an input or a constant."""
    if not isinstance(desc, TensorDesc):
        raise InvalidDescriptionError(INPUT("desc", shown(desc), "a TensorDesc", "TensorDesc('FLOAT32', [2, 3])"))
    return desc


def name_or(name: Any, default: str) -> Any:
    """The name that was given, or the one of those that have none."""
    return default if name is None or (isinstance(name, str) and as_text(name) == "") else name


def _read_name(name: Any) -> str:
    text = as_text(name)
    if text is None or not text.strip() or len(text) > 200:
        raise InvalidDescriptionError(NAME("name", shown(name), "a text of 1 to 200 characters", "'name'"))
    return text
