"""RNN, LSTM and GRU: recurrent networks in either direction, or both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from anydml.core.enums import RecurrentNetworkDirection as Direction
from anydml.core.errors import Violation, counted
from anydml.core.fixes import Add, Advice, Fix
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import (
    Array,
    Boolean,
    Enumeration,
    Float,
    Operator,
    attribute,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.schema.fusion import Activation
from anydml.core.tensor import TensorDesc
from anydml.operators.fused import apply_activation
from anydml.operators.types import FLOAT_16_32, UINT32

ACTIVATIONS = rule("recurrent.activations", "There is one activation for each function of each direction.")
NO_OUTPUT = rule("recurrent.outputs", "At least one of the outputs is asked for.")
_USUAL = {1: ("Tanh",), 2: ("Sigmoid", "Tanh"), 3: ("Sigmoid", "Tanh", "Tanh")}
"""The activations that most networks have, by the number of functions of a cell."""
_FLOATS, _LENGTHS = {"1.0": FLOAT_16_32}, {"1.0": UINT32}
_ACTIVATIONS = Array(Activation())
_STATE = "1 directions batch hidden"
_FLOAT_TENSORS = "input_tensor weight_tensor recurrence_tensor bias_tensor hidden_init_tensor"
_FLOAT_OUTPUTS = "output_sequence_tensor output_single_tensor"

States = tuple[Any, ...]
"""What a cell hands to its next step, the hidden state first; a {batch, hidden} array each."""


Activate = Callable[[int, Any], Any]
"""Applies a function of a direction, given by its number."""


class Cell(NamedTuple):
    """One direction of a network: what the input is multiplied with beforehand, and what each step does."""

    weights: Any
    bias: Any
    step: Callable[..., States]
    """The states after a step, from its weighted input {batch, rows} and the states before."""


def _sizes(gates: int) -> dict[str, str]:
    """The patterns of all three networks; a gate has its own rows of weights."""
    return {
        "input_tensor": "1 sequence batch width",
        "weight_tensor": f"1 directions {gates}*hidden width",
        "recurrence_tensor": f"1 directions {gates}*hidden hidden",
        "bias_tensor": f"1 1 directions {2 * gates}*hidden",
        "hidden_init_tensor": _STATE,
        "sequence_lengths_tensor": "1 1 1 batch",
        "output_sequence_tensor": "sequence directions batch hidden",
        "output_single_tensor": _STATE,
    }


class _Recurrent(Operator, abstract=True):
    """What recurrent networks have in common."""

    rank = {"1.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    weight_tensor: TensorDesc = tensor_input(_FLOATS)
    recurrence_tensor: TensorDesc = tensor_input(_FLOATS)
    bias_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    hidden_init_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    owned_inputs = False
    functions: ClassVar[int] = 1
    """Activations of one direction."""
    activation_descs: tuple[Operator, ...]
    direction: Direction
    output_sequence_tensor: TensorDesc | None

    @property
    def directions(self) -> int:
        return 2 if self.direction is Direction.BIDIRECTIONAL else 1

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        wanted = self.functions * self.directions
        if len(self.activation_descs) != wanted:
            found = counted(len(self.activation_descs), "activation")
            yield ACTIVATIONS(
                "ActivationDescs", found, f"{wanted} for {self.direction.name}", self._usual_activations()
            )
        outputs = self.points("output")
        if not self.pending_outputs and all(point.tensor is None for point in outputs):
            names = " or ".join(point.dml_name for point in outputs)
            yield NO_OUTPUT(outputs[0].dml_name, "no outputs", names, Add(outputs[0].name))

    def _usual_activations(self) -> Fix:
        names = _USUAL[self.functions] * self.directions
        python = ", ".join(f"Activation{name}.fused()" for name in names)
        model = ", ".join(f'{{"Type": "ACTIVATION_{name.upper()}", "Desc": {{}}}}' for name in names)
        return Advice(f"[{python}]", f"[{model}]")

    def activation(self, direction: int, function: int) -> Operator:
        return self.activation_descs[self.functions * direction + function]

    def _activate(self, xp: Any, direction: int) -> Activate:
        return lambda function, x: apply_activation(xp, x, self.activation(direction, function))

    def _unroll(
        self, xp: Any, x: Any, lengths: Any, starts: Mapping[str, Any], cells: Callable[[int], Cell]
    ) -> dict[str, Any]:
        """Every direction from its first step to its last.

        `starts` names the output of each state's last value, with the state's initial value or None.
        """
        hidden = self.recurrence_tensor.sizes[3]
        sizes = (1, self.directions, x.shape[1], hidden)
        sequence = None
        if self.output_sequence_tensor is not None:
            sequence = xp.zeros((x.shape[0], *sizes[1:]), x.dtype)
        last = {name: xp.zeros(sizes, x.dtype) for name in starts}
        for d in range(self.directions):
            states = [last[name][0, d] if start is None else start[0, d] for name, start in starts.items()]
            outputs = None if sequence is None else sequence[:, d]
            backward = self.direction is Direction.BACKWARD or d == 1
            cell = cells(d)
            for t, inputs in self._weighted(x, cell, backward):
                states = _advance(xp, t, lengths, states, cell.step(inputs, *states), outputs)
            for name, state in zip(starts, states, strict=True):
                last[name][0, d] = state
        return {"output_sequence_tensor": sequence, **last}

    def _weighted(self, x: Any, cell: Cell, backward: bool) -> Iterator[tuple[int, Any]]:
        """Each time with its weighted input, in order; multiplied for as many steps at once as tensors are large."""
        count, batch, width = x.shape
        rows = cell.weights.shape[1]
        together = max(self.element_count // (batch * rows), 1)
        starts = range(0, count, together)
        for start in reversed(starts) if backward else starts:
            part = x[start : start + together]
            inputs = (part.reshape(-1, width) @ cell.weights + cell.bias).reshape(-1, batch, rows)
            times = range(part.shape[0])
            for t in reversed(times) if backward else times:
                yield start + t, inputs[t]


def _advance(xp: Any, t: int, lengths: Any, states: list[Any], fresh: States, outputs: Any) -> list[Any]:
    """The states after time t; a sequence that has ended (or, backward, not begun) keeps them and writes zeros."""
    written, kept = fresh[0], list(fresh)
    if lengths is not None:
        alive = (lengths.reshape(-1) > t)[:, None]
        written = xp.where(alive, written, xp.zeros_like(written))
        kept = [xp.where(alive, new, old) for new, old in zip(fresh, states, strict=True)]
    if outputs is not None:
        outputs[t] = written
    return kept


def _biases(xp: Any, bias: Any, direction: int, like: Any) -> tuple[Any, Any]:
    """The biases of the input's and of the recurrence's weights, zeros where there are none."""
    if bias is None:
        zeros = xp.zeros(like.shape[2], like.dtype)
        return zeros, zeros
    half = like.shape[2]
    return bias[0, 0, direction, :half], bias[0, 0, direction, half:]


class Rnn(_Recurrent, since="1.0", id=76):
    """H[t] = f(X[t] W^T + H[t-1] R^T + bias), along a sequence."""

    sequence_lengths_tensor: TensorDesc | None = tensor_input(_LENGTHS, optional=True)
    output_sequence_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    output_single_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    activation_descs: tuple[Operator, ...] = attribute(_ACTIVATIONS, length="ActivationDescCount")
    direction: Direction = attribute(Enumeration(Direction))
    same = (same(f"{_FLOAT_TENSORS} {_FLOAT_OUTPUTS}", "DataType"),)
    sizes_of = _sizes(1)

    def compute(
        self,
        xp: Any,
        input_tensor: Any,
        weight_tensor: Any,
        recurrence_tensor: Any,
        bias_tensor: Any = None,
        hidden_init_tensor: Any = None,
        sequence_lengths_tensor: Any = None,
    ) -> dict[str, Any]:
        def cell(d: int) -> Cell:
            def step(inputs: Any, state: Any) -> States:
                return (self._activate(xp, d)(0, inputs + state @ recurrence_tensor[0, d].T),)

            return Cell(weight_tensor[0, d].T, sum(_biases(xp, bias_tensor, d, weight_tensor)), step)

        starts = {"output_single_tensor": hidden_init_tensor}
        return self._unroll(xp, input_tensor[0], sequence_lengths_tensor, starts, cell)


class Lstm(_Recurrent, since="1.0", id=77):
    """A network with a memory cell behind an input, an output and a forget gate, along a sequence.

    With gates i, o, f and candidates c: C[t] = f C[t-1] + i c, and H[t] = o h(C[t]). Gates apply the first
    activation, candidates the second; peepholes let i and f see C[t-1], and o see C[t].
    """

    cell_mem_init_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    sequence_lengths_tensor: TensorDesc | None = tensor_input(_LENGTHS, optional=True)
    peephole_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    output_sequence_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    output_single_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    output_cell_single_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    activation_descs: tuple[Operator, ...] = attribute(_ACTIVATIONS, length="ActivationDescCount")
    direction: Direction = attribute(Enumeration(Direction))
    clip_threshold: float = attribute(Float())
    use_clip_threshold: bool = attribute(Boolean())
    couple_input_forget: bool = attribute(Boolean())
    same = (
        same(
            f"{_FLOAT_TENSORS} cell_mem_init_tensor peephole_tensor {_FLOAT_OUTPUTS} output_cell_single_tensor",
            "DataType",
        ),
    )
    sizes_of = {
        **_sizes(4),
        "cell_mem_init_tensor": _STATE,
        "peephole_tensor": "1 1 directions 3*hidden",
        "output_cell_single_tensor": _STATE,
    }
    functions = 3

    def compute(
        self,
        xp: Any,
        input_tensor: Any,
        weight_tensor: Any,
        recurrence_tensor: Any,
        bias_tensor: Any = None,
        hidden_init_tensor: Any = None,
        cell_mem_init_tensor: Any = None,
        sequence_lengths_tensor: Any = None,
        peephole_tensor: Any = None,
    ) -> dict[str, Any]:
        def cell(d: int) -> Cell:
            peepholes = None if peephole_tensor is None else peephole_tensor[0, 0, d].reshape(3, -1)

            def step(inputs: Any, state: Any, memory: Any) -> States:
                return self._step(xp, d, inputs + state @ recurrence_tensor[0, d].T, memory, peepholes)

            return Cell(weight_tensor[0, d].T, sum(_biases(xp, bias_tensor, d, weight_tensor)), step)

        starts = {"output_single_tensor": hidden_init_tensor, "output_cell_single_tensor": cell_mem_init_tensor}
        return self._unroll(xp, input_tensor[0], sequence_lengths_tensor, starts, cell)

    def _step(self, xp: Any, d: int, sums: Any, memory: Any, peepholes: Any) -> States:
        size = sums.shape[1] // 4
        gates = [sums[:, n * size : (n + 1) * size] for n in range(4)]
        return self.advance(xp, self._activate(xp, d), gates, memory, peepholes)

    def advance(self, xp: Any, activate: Activate, gates: Sequence[Any], memory: Any, peepholes: Any) -> States:
        """Hidden state and memory from the sums of the gates, in DirectML's order: input, output, forget, cell."""

        def gate(function: int, x: Any) -> Any:
            if self.use_clip_threshold:
                x = xp.clip(x, -self.clip_threshold, self.clip_threshold)
            return activate(function, x)

        i, o, f, c = gates
        if peepholes is not None:
            i, f = i + peepholes[0] * memory, f + peepholes[2] * memory
        i = gate(0, i)
        f = 1 - i if self.couple_input_forget else gate(0, f)
        memory = f * memory + i * gate(1, c)
        if peepholes is not None:
            o = o + peepholes[1] * memory
        return gate(0, o) * activate(2, memory), memory


class Gru(_Recurrent, since="1.0", id=78):
    """A network with an update gate z and a reset gate r, along a sequence: H[t] = (1 - z) h + z H[t-1].

    Gates apply the first activation. The candidates h apply the second, to the input and to what r lets through of
    H[t-1], before the recurrence's weights or, with LinearBeforeReset, after them.
    """

    sequence_lengths_tensor: TensorDesc | None = tensor_input(_LENGTHS, optional=True)
    output_sequence_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    output_single_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    activation_descs: tuple[Operator, ...] = attribute(_ACTIVATIONS, length="ActivationDescCount")
    direction: Direction = attribute(Enumeration(Direction))
    linear_before_reset: bool = attribute(Boolean())
    same = (same(f"{_FLOAT_TENSORS} {_FLOAT_OUTPUTS}", "DataType"),)
    sizes_of = _sizes(3)
    functions = 2

    def compute(
        self,
        xp: Any,
        input_tensor: Any,
        weight_tensor: Any,
        recurrence_tensor: Any,
        bias_tensor: Any = None,
        hidden_init_tensor: Any = None,
        sequence_lengths_tensor: Any = None,
    ) -> dict[str, Any]:
        size = recurrence_tensor.shape[3]

        def cell(d: int) -> Cell:
            recurrence = recurrence_tensor[0, d].T
            bias, again = _biases(xp, bias_tensor, d, weight_tensor)

            def step(inputs: Any, state: Any) -> States:
                gates = inputs[:, : 2 * size] + state @ recurrence[:, : 2 * size] + again[: 2 * size]
                activate = self._activate(xp, d)
                z, r = (activate(0, gates[:, n * size : (n + 1) * size]) for n in range(2))
                if self.linear_before_reset:
                    past = r * (state @ recurrence[:, 2 * size :] + again[2 * size :])
                else:
                    past = (r * state) @ recurrence[:, 2 * size :] + again[2 * size :]
                return ((1 - z) * activate(1, inputs[:, 2 * size :] + past) + z * state,)

            return Cell(weight_tensor[0, d].T, bias, step)

        starts = {"output_single_tensor": hidden_init_tensor}
        return self._unroll(xp, input_tensor[0], sequence_lengths_tensor, starts, cell)
