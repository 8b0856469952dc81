"""Recurrent networks: one step of every kind, and the walk along the sequences.

Gates lie one behind the other in weights, recurrence and bias: i, o, f, c in LSTM and z, r, h in GRU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.oracle.inexact import Inexact, apply, dot, lift
from tests.oracle.moves import Index, Tensor, indices

Function = Callable[[float], float]
State = list[Inexact]


@dataclass(frozen=True)
class Weights:
    """The parameters of one direction, by row of the gates: of the input, of the hidden state, and both biases."""

    input: list[list[float]]
    recurrence: list[list[float]]
    input_bias: list[float]
    recurrence_bias: list[float]
    peephole: list[float] = field(default_factory=list)

    def gate(self, x: list[Inexact], h: State, row: int) -> Inexact:
        """x W^T + h R^T + Wb + Rb for one row."""
        return self.from_input(x, row) + self.from_state(h, row)

    def from_input(self, x: list[Inexact], row: int) -> Inexact:
        return dot(self.input[row], x) + self.input_bias[row]

    def from_state(self, h: State, row: int) -> Inexact:
        return dot(self.recurrence[row], h) + self.recurrence_bias[row]


@dataclass(frozen=True)
class Cell:
    """What is done in one step: the activations of one direction, and the options of LSTM and GRU."""

    functions: list[Function]
    clip: float | None = None
    couples: bool = False
    linear_before_reset: bool = False

    def activate(self, which: int, number: Inexact) -> Inexact:
        limit = self.clip
        clipped = number if limit is None else apply(lambda v: min(max(v, -limit), limit), number, 0)
        return apply(self.functions[which], clipped)


def rnn_step(cell: Cell, weights: Weights, x: list[Inexact], h: State, c: State) -> tuple[State, State]:
    """H = f(x W^T + h R^T + Wb + Rb)."""
    return [cell.activate(0, weights.gate(x, h, k)) for k in range(len(h))], c


def gru_step(cell: Cell, weights: Weights, x: list[Inexact], h: State, c: State) -> tuple[State, State]:
    """z and r are gates; the new state is (1 - z) * candidate + z * h."""
    size = len(h)
    z = [cell.activate(0, weights.gate(x, h, k)) for k in range(size)]
    r = [cell.activate(0, weights.gate(x, h, size + k)) for k in range(size)]
    candidates = []
    for k in range(size):
        row = 2 * size + k
        if cell.linear_before_reset:
            inner = weights.from_input(x, row) + r[k] * weights.from_state(h, row)
        else:
            inner = weights.gate(x, [r[j] * h[j] for j in range(size)], row)
        candidates.append(cell.activate(1, inner))
    return [(1.0 - z[k]) * candidates[k] + z[k] * h[k] for k in range(size)], c


def lstm_step(cell: Cell, weights: Weights, x: list[Inexact], h: State, c: State) -> tuple[State, State]:
    """The input and forget gates look at the old cell, the output gate at the new one."""
    size = len(h)
    peephole = weights.peephole or [0.0] * 3 * size

    def gate(place: int, k: int, seen: State) -> Inexact:
        return cell.activate(0, weights.gate(x, h, place * size + k) + seen[k] * peephole[place * size + k])

    taken = [gate(0, k, c) for k in range(size)]
    kept = [1.0 - taken[k] if cell.couples else gate(2, k, c) for k in range(size)]
    candidates = [cell.activate(1, weights.gate(x, h, 3 * size + k)) for k in range(size)]
    cells = [kept[k] * c[k] + taken[k] * candidates[k] for k in range(size)]
    shown = [gate(1, k, cells) for k in range(size)]
    return [shown[k] * apply(cell.functions[2], cells[k]) for k in range(size)], cells


Step = Callable[[Cell, Weights, list[Inexact], State, State], tuple[State, State]]


@dataclass(frozen=True)
class Network:
    """The directions of a network: where each begins, its parameters and what it does in a step."""

    step: Step
    weights: list[Weights]
    cells: list[Cell]
    backward: list[bool]
    hidden: int


def run(network: Network, x: Tensor, sizes: Index, lengths: list[int], starts: list[Tensor | None]) -> list[Tensor]:
    """All hidden states, the last ones, and the last cells; a sequence that has ended leaves zeros behind."""
    _, steps, batch, width = sizes
    sequence: Tensor = dict.fromkeys(indices((steps, len(network.cells), batch, network.hidden)), lift(0.0))
    lasts: list[Tensor] = [{}, {}]
    for d, b in indices((len(network.cells), batch)):
        state, cell = ([lift(start[0, d, b, k] if start else 0.0) for k in range(network.hidden)] for start in starts)
        times = range(lengths[b])
        for t in reversed(times) if network.backward[d] else times:
            row = [lift(x[0, t, b, k]) for k in range(width)]
            state, cell = network.step(network.cells[d], network.weights[d], row, state, cell)
            sequence.update({(t, d, b, k): value for k, value in enumerate(state)})
        for last, found in zip(lasts, (state, cell), strict=True):
            last.update({(0, d, b, k): value for k, value in enumerate(found)})
    return [sequence, *lasts]
