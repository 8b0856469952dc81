"""Attention of several heads: softmax(Q K^T * scale + bias, masked) V, row by row.

Tensors have four dimensions here: batch, head, place in the sequence, and the number within the head.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.oracle.inexact import Inexact, lift, softmax, total
from tests.oracle.moves import Index, Tensor, indices

Scores = Callable[[Index, Inexact], Inexact]


@dataclass(frozen=True)
class Heads:
    """A query, key or value: its numbers and sizes (batch, heads, length, head size)."""

    numbers: Tensor
    sizes: Index

    def row(self, batch: int, head: int, place: int) -> list[Inexact]:
        return [self.numbers[batch, head, place, k] for k in range(self.sizes[3])]


def biased(x: Heads, bias: list[float]) -> Heads:
    """A bias per number of every head."""
    size = x.sizes[3]
    return Heads({i: lift(v) + bias[i[1] * size + i[3]] for i, v in x.numbers.items()}, x.sizes)


def exact(x: Heads) -> Heads:
    return Heads({i: lift(v) for i, v in x.numbers.items()}, x.sizes)


def after(past: Heads | None, x: Heads) -> Heads:
    """What came earlier, then this."""
    if past is None:
        return x
    batch, heads, length, size = x.sizes
    start = past.sizes[2]
    moved = {(b, h, start + t, k): v for (b, h, t, k), v in x.numbers.items()}
    return Heads({**exact(past).numbers, **moved}, (batch, heads, start + length, size))


def attend(query: Heads, key: Heads, value: Heads, scale: float, adjust: Scores) -> Tensor:
    """The output by (batch, place, number); `adjust` sees every score with its (batch, head, query, key).

    Heads of the query share those of key and value in groups of equal length.
    """
    batch, heads, length, _ = query.sizes
    result: Tensor = {}
    for b, h, t in indices((batch, heads, length)):
        shared = h // (heads // key.sizes[1])
        row = query.row(b, h, t)
        scores = []
        for s in range(key.sizes[2]):
            products = [x * y for x, y in zip(row, key.row(b, shared, s), strict=True)]
            scores.append(adjust((b, h, t, s), total(products) * scale))
        weights = softmax(scores)
        for k in range(value.sizes[3]):
            parts = [w * value.numbers[b, shared, s, k] for s, w in enumerate(weights)]
            result[b, t, h * value.sizes[3] + k] = total(parts)
    return result
