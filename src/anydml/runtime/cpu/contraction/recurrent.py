"""RNN, LSTM and GRU: one product for the inputs of all times, then a product and a nest for each time.

Weights of the recurrence are packed once. States stay in place: a time reads what the one before has written. Memory
is that of the weighted inputs and of the states; nothing is allocated for a time of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import RecurrentNetworkDirection
from anydml.core.expression import FLOAT32, Node, cast, constant, load, operation, result, substitute
from anydml.core.steps import Access, Nest, Program, Step, Store, View, shifted_loads
from anydml.core.tracing import TRACED, Traced
from anydml.runtime.cpu.contraction.cells import FLOATS, Source
from anydml.runtime.cpu.contraction.epilogue import COLUMNS
from anydml.runtime.cpu.contraction.gemm import Problem, multiply, pack, place
from anydml.runtime.cpu.contraction.machine import host_machine
from anydml.runtime.cpu.contraction.panels import Matrix
from anydml.runtime.cpu.contraction.partition import Work, cut, tile_of
from anydml.runtime.cpu.contraction.product import Product
from anydml.runtime.cpu.contraction.repeated import repeat
from anydml.runtime.cpu.contraction.results import Finished, sums_of_floats
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.expressions import can_emit, can_store
from anydml.runtime.programs import named_inputs

_TIME = DataType.UINT32
Views = Mapping[str, View | None]
Body = list[Step]


def expand_rnn(program: Program, workspace: Workspace) -> list[Step] | None:
    return _expand(program, workspace, _Rnn)


def expand_lstm(program: Program, workspace: Workspace) -> list[Step] | None:
    return _expand(program, workspace, _Lstm)


def expand_gru(program: Program, workspace: Workspace) -> list[Step] | None:
    return _expand(program, workspace, _Gru)


def _expand(program: Program, workspace: Workspace, network: type[_Network]) -> list[Step] | None:
    operator: Any = program.operator
    views: Views = named_inputs(operator, program.inputs)
    x = views["input_tensor"]
    assert x is not None
    if x.type is DataType.FLOAT16 and not host_machine().has_half_floats:
        return None
    if not all(_formula_of(each) for each in operator.activation_descs):
        return None
    names = [point.name for point in operator.points("output")]
    nests = {name: nest for name, nest in zip(names, program.outputs, strict=True) if nest is not None}
    steps: list[Step] = []
    for direction in range(operator.directions):
        made = network(operator, views, nests, workspace, direction).steps()
        if made is None:
            return None
        steps += made
    return steps


def _formula_of(activation: Any) -> Any:
    """The operator whose formula an activation is; None where it has none."""
    while activation.form == "equivalent":
        activation = activation.equivalent()
    return activation if activation.form == "formula" else None


@dataclass
class _Loads:
    """The loads of a nest over the batch and the hidden units."""

    found: list[Access] = field(default_factory=list)

    def add(self, access: Access) -> Traced:
        self.found.append(access)
        node = load(len(self.found) - 1, access.type.numpy_dtype)
        return Traced(cast(node, FLOAT32) if access.type.numpy_dtype.kind == "f" else node)


class _Network:
    """One direction of a network."""

    gates = 1

    def __init__(
        self, operator: Any, views: Views, nests: Mapping[str, Nest], workspace: Workspace, direction: int
    ) -> None:
        self.operator, self.views, self.nests, self.workspace = operator, views, nests, workspace
        self.direction, self.machine = direction, host_machine()
        is_second = direction == 1
        self.is_backward = is_second or operator.direction is RecurrentNetworkDirection.BACKWARD
        x, recurrence = self.view("input_tensor"), self.view("recurrence_tensor")
        self.times, self.batch, self.width = x.sizes[1:]
        self.hidden = recurrence.sizes[3]
        self.columns = self.gates * self.hidden
        self.inputs = self.temporary(self.times * self.batch * self.columns, "weighted inputs")
        self.state = self.temporary(self.batch * self.hidden, "hidden state")
        self.time = workspace.temporary(_TIME.element_bytes, "time") if self.lengths else None

    def view(self, name: str) -> View:
        found = self.views[name]
        assert found is not None
        return found

    def temporary(self, elements: int, name: str) -> int:
        return self.workspace.temporary(elements * 4, name)

    @property
    def lengths(self) -> View | None:
        return self.views.get("sequence_lengths_tensor")

    @property
    def states(self) -> dict[str, tuple[str, int]]:
        """For each output of a last state, the name of its initial value and its slot."""
        return {"output_single_tensor": ("hidden_init_tensor", self.state)}

    def steps(self) -> list[Step] | None:
        steps = [*self._project(), *self._begin(), *self.prepare()]
        repeated = repeat(self._body, self.times)
        bodies = [step for step in self._body(0) if isinstance(step, Nest)]
        stores = [store for nest in bodies for store in nest.stores]
        if not can_emit(*(store.value for store in stores)):
            return None
        if not all(can_store(store.value, store.access.type) for store in stores):
            return None
        return [*steps, *repeated, *self._end()]

    # --- inputs of all times ---------------------------------------------------------------------

    def _project(self) -> list[Step]:
        """X W^T and what is added to it, for all times at once."""
        x, weights = self.view("input_tensor"), self.view("weight_tensor")
        steps = x.strides[1:]
        rows, batch, strides = self.batch, (1, self.times), (steps[0], steps[1])
        if self.batch == 1 or self.times == 1 or steps[0] == self.batch * steps[1]:
            rows, batch, strides = self.times * self.batch, (1, 1), (0, steps[0] if self.batch == 1 else steps[1])
        depth = (self.width,), (steps[2],)
        left = Matrix(x.slot, x.type, x.offset, rows, strides[1], *depth, batch, (0, strides[0]))
        right = replace(self._weights(weights, 0, self.columns), batch=batch, batch_strides=(0, 0))
        value, loads = self._input_bias(sums_of_floats())
        store = Access(self.inputs, DataType.FLOAT32, (self.batch * self.columns, self.columns, 1))
        done = Finished((value,), loads, (store,))
        return multiply(Problem(left, right, batch), done, self.machine, self.workspace, place)

    def _weights(self, view: View, first: int, columns: int) -> Matrix:
        """Some rows of {1, directions, rows, depth} as the columns of a product."""
        offset = view.offset + self.direction * view.strides[1] + first * view.strides[2]
        return Matrix(view.slot, view.type, offset, columns, view.strides[2], (view.sizes[3],), (view.strides[3],))

    def _input_bias(self, total: Node) -> tuple[Node, tuple[Access, ...]]:
        """Both biases, which do not depend on anything else."""
        bias = self.views.get("bias_tensor")
        if bias is None:
            return total, ()
        loads = tuple(self._bias(bias, half, (0, 0, bias.strides[3])) for half in range(2))
        parts = [cast(load(n, bias.type.numpy_dtype), FLOAT32) for n in range(2)]
        return operation("add", total, operation("add", *parts)), loads

    def _bias(self, bias: View, half: int, strides: tuple[int, ...], gate: int = 0) -> Access:
        first = half * self.columns + gate * self.hidden
        offset = bias.offset + self.direction * bias.strides[2] + first * bias.strides[3]
        return Access(bias.slot, bias.type, strides, offset)

    # --- states ----------------------------------------------------------------------------------

    def _begin(self) -> list[Step]:
        sizes = (self.batch, self.hidden)
        steps: list[Step] = []
        for name, slot in self.states.values():
            view = self.views.get(name)
            target = self.state_access(slot)
            if view is None:
                steps.append(Nest(sizes, (), (Store(target, constant(0.0, FLOAT32)),)))
                continue
            source = Access(view.slot, view.type, view.strides[2:], view.offset + self.direction * view.strides[1])
            value = cast(load(0, view.type.numpy_dtype), FLOAT32)
            steps.append(Nest(sizes, (source,), (Store(target, value),)))
        if self.time is not None:
            start = self.times - 1 if self.is_backward else 0
            steps.append(Nest((1,), (), (Store(Access(self.time, _TIME, (1,)), constant(start, _TIME.numpy_dtype)),)))
        return steps

    def state_access(self, slot: int) -> Access:
        return Access(slot, DataType.FLOAT32, (self.hidden, 1))

    def _end(self) -> list[Step]:
        """The last states go where they are wanted."""
        steps: list[Step] = []
        for name, (_, slot) in self.states.items():
            if name in self.nests:
                loads = _Loads()
                value = loads.add(self.state_access(slot))
                loads_after, stores = self._output(name, 0, loads.found, value)
                steps.append(Nest((self.batch, self.hidden), loads_after, stores))
        return steps

    def _output(
        self, name: str, time: int, loads: Sequence[Access], value: Traced
    ) -> tuple[tuple[Access, ...], tuple[Store, ...]]:
        """The nest of an output at one time, with a value of loads as its result: its loads after those, its stores."""
        nest = self.nests[name]

        def moved(access: Access) -> Access:
            offset = access.offset + time * access.strides[0] + self.direction * access.strides[1]
            return replace(access, strides=access.strides[2:], offset=offset)

        def final(node: Node) -> Node | None:
            return cast(value.node, node.type) if node.op == "result" else None

        stores = tuple(
            Store(moved(store.access), substitute(shifted_loads(store.value, len(loads)), final))
            for store in nest.stores
        )
        return (*loads, *map(moved, nest.loads)), stores

    # --- one time --------------------------------------------------------------------------------

    def prepare(self) -> list[Step]:
        """What the products of all times need."""
        raise NotImplementedError

    def body(self, time: int) -> Body:
        raise NotImplementedError

    def _body(self, number: int) -> Body:
        body = self.body(self.times - 1 - number if self.is_backward else number)
        if self.time is None:
            return body
        access = Access(self.time, _TIME, (1,))
        one = constant(1, _TIME.numpy_dtype)
        following = operation("subtract" if self.is_backward else "add", load(0, _TIME.numpy_dtype), one)
        return [*body, Nest((1,), (access,), (Store(access, following),))]

    def input(self, loads: _Loads, time: int, gate: int) -> Traced:
        offset = time * self.batch * self.columns + gate * self.hidden
        return loads.add(Access(self.inputs, DataType.FLOAT32, (self.columns, 1), offset))

    def activate(self, function: int, x: Traced) -> Traced:
        found: Traced = _formula_of(self.operator.activation(self.direction, function)).formula(TRACED, x)
        return found

    def finish(self, loads: _Loads, time: int, fresh: Mapping[int, tuple[Traced, Traced]]) -> Nest:
        """States of slots replaced: the value before and the one after; the first is that of the hidden state."""
        written = fresh[self.state][1]
        kept = {slot: after for slot, (_, after) in fresh.items()}
        if self.lengths is not None and self.time is not None:
            lengths = self.lengths
            length = loads.add(Access(lengths.slot, lengths.type, (lengths.strides[3], 0), lengths.offset))
            is_alive = length > loads.add(Access(self.time, _TIME, (0, 0)))
            kept = {slot: TRACED.where(is_alive, after, before) for slot, (before, after) in fresh.items()}
            written = TRACED.where(is_alive, written, 0.0)
        stores = [Store(self.state_access(slot), value.node) for slot, value in kept.items()]
        accesses: tuple[Access, ...] = tuple(loads.found)
        if "output_sequence_tensor" in self.nests:
            accesses, more = self._output("output_sequence_tensor", time, loads.found, written)
            stores += more
        return Nest((self.batch, self.hidden), accesses, tuple(stores))


@dataclass(frozen=True)
class _Recurrence:
    """A state times some columns of the recurrence's weights: the step that packs them, and the product."""

    packing: Step
    product: Product
    sums: int
    columns: int

    def sum(self, loads: _Loads, hidden: int, gate: int) -> Traced:
        return loads.add(Access(self.sums, DataType.FLOAT32, (self.columns, 1), gate * hidden))


def _recurrence(network: _Network, state: int, first: int, columns: int) -> _Recurrence:
    machine, batch, depth = network.machine, network.batch, network.hidden
    weights = network._weights(network.view("recurrence_tensor"), first, columns)
    tile = tile_of(machine, FLOATS, (batch, columns, depth), False)
    packed, packing = pack(weights, Source(weights.type, FLOATS), tile.columns(machine), machine, network.workspace)
    sums = network.temporary(batch * columns, "sums")
    left = Matrix(state, DataType.FLOAT32, 0, batch, depth, (depth,), (1,))
    store = Access(sums, DataType.FLOAT32, (columns, 1))
    epilogue = Finished((result(FLOAT32),), (), (store,)).epilogue(lambda access: place(access, False), COLUMNS, True)
    chunks = cut(Work(1, batch, columns, depth, tile, machine), 1, False)
    product = Product(
        left, packed, (1, 1), (batch, columns), (1, 1, columns), depth, tile, epilogue, tuple(chunks), machine
    )
    return _Recurrence(packing, product, sums, columns)


class _Rnn(_Network):
    def prepare(self) -> list[Step]:
        self.recurrence = _recurrence(self, self.state, 0, self.hidden)
        return [self.recurrence.packing]

    def body(self, time: int) -> Body:
        loads = _Loads()
        before = loads.add(self.state_access(self.state))
        total = self.input(loads, time, 0) + self.recurrence.sum(loads, self.hidden, 0)
        return [self.recurrence.product, self.finish(loads, time, {self.state: (before, self.activate(0, total))})]


class _Lstm(_Network):
    gates = 4

    @property
    def states(self) -> dict[str, tuple[str, int]]:
        return {**super().states, "output_cell_single_tensor": ("cell_mem_init_tensor", self.memory)}

    def prepare(self) -> list[Step]:
        self.recurrence = _recurrence(self, self.state, 0, self.columns)
        return [self.recurrence.packing]

    def _begin(self) -> list[Step]:
        self.memory = self.temporary(self.batch * self.hidden, "memory")
        return super()._begin()

    def body(self, time: int) -> Body:
        loads = _Loads()
        before, memory = (loads.add(self.state_access(slot)) for slot in (self.state, self.memory))
        gates = [self.input(loads, time, n) + self.recurrence.sum(loads, self.hidden, n) for n in range(4)]
        after = self.operator.advance(TRACED, self.activate, gates, memory, self._peepholes(loads))
        fresh = {self.state: (before, after[0]), self.memory: (memory, after[1])}
        return [self.recurrence.product, self.finish(loads, time, fresh)]

    def _peepholes(self, loads: _Loads) -> list[Traced] | None:
        view = self.views.get("peephole_tensor")
        if view is None:
            return None
        start, stride = view.offset + self.direction * view.strides[2], view.strides[3]
        accesses = [Access(view.slot, view.type, (0, stride), start + n * self.hidden * stride) for n in range(3)]
        return [loads.add(access) for access in accesses]


class _Gru(_Network):
    gates = 3

    def _input_bias(self, total: Node) -> tuple[Node, tuple[Access, ...]]:
        """The input's bias alone."""
        bias = self.views.get("bias_tensor")
        if bias is None:
            return total, ()
        added = cast(load(0, bias.type.numpy_dtype), FLOAT32)
        return operation("add", total, added), (self._bias(bias, 0, (0, 0, bias.strides[3])),)

    def prepare(self) -> list[Step]:
        if self.operator.linear_before_reset:
            self.recurrence = _recurrence(self, self.state, 0, self.columns)
            return [self.recurrence.packing]
        self.allowed = self.temporary(self.batch * self.hidden, "what is let through")
        self.recurrence = _recurrence(self, self.state, 0, 2 * self.hidden)
        self.candidates = _recurrence(self, self.allowed, 2 * self.hidden, self.hidden)
        return [self.recurrence.packing, self.candidates.packing]

    def body(self, time: int) -> Body:
        loads, inner = _Loads(), _Loads()
        before = loads.add(self.state_access(self.state))
        if self.operator.linear_before_reset:
            past = self._gate(loads, time, 1) * self._with_bias(loads, self.recurrence.sum(loads, self.hidden, 2), 2)
            return [self.recurrence.product, self._last(loads, time, before, past)]
        state = inner.add(self.state_access(self.state))
        allowed = Store(self.state_access(self.allowed), (self._gate(inner, time, 1) * state).node)
        reset = Nest((self.batch, self.hidden), tuple(inner.found), (allowed,))
        past = self._with_bias(loads, self.candidates.sum(loads, self.hidden, 0), 2)
        last = self._last(loads, time, before, past)
        return [self.recurrence.product, reset, self.candidates.product, last]

    def _last(self, loads: _Loads, time: int, before: Traced, past: Traced) -> Nest:
        update = self._gate(loads, time, 0)
        fresh = (1 - update) * self.activate(1, self.input(loads, time, 2) + past) + update * before
        return self.finish(loads, time, {self.state: (before, fresh)})

    def _gate(self, loads: _Loads, time: int, gate: int) -> Traced:
        total = self.input(loads, time, gate) + self.recurrence.sum(loads, self.hidden, gate)
        return self.activate(0, self._with_bias(loads, total, gate))

    def _with_bias(self, loads: _Loads, total: Traced, gate: int) -> Traced:
        bias = self.views.get("bias_tensor")
        return total if bias is None else total + loads.add(self._bias(bias, 1, (0, bias.strides[3]), gate))
