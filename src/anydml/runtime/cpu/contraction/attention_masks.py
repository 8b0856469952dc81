"""What happens to the scores of an attention before the softmax: scale, bias of positions, masks.

Accesses are over {batch, heads of keys, heads of queries for each, queries, keys}.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.enums import MultiheadAttentionMaskType as MaskType
from anydml.core.expression import FLOAT32, Node, cast, constant, load, operation, result
from anydml.core.steps import Access, Nest, Step, Store, View
from anydml.operators.attending import Geometry
from anydml.runtime.cpu.contraction.attention_heads import INT32, Views, dense
from anydml.runtime.cpu.expand import Workspace

INT64 = np.dtype(np.int64)
MOST_PACKED = 64
"""Sequences in one batch, where a mask packs several: there are a few small steps for each."""
_NUMBER = DataType.INT32


@dataclass
class Scores:
    """A score while it is adjusted: an expression of the product's result and of loads."""

    geometry: Geometry
    filter_value: float
    workspace: Workspace
    value: Node = field(default_factory=lambda: result(FLOAT32))
    loads: list[Access] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    """What is computed for all scores before."""

    def load(self, access: Access) -> Node:
        self.loads.append(access)
        return load(len(self.loads) - 1, access.type.numpy_dtype)

    @property
    def hidden(self) -> Node:
        return constant(self.filter_value, FLOAT32)

    def scale(self, factor: float) -> None:
        self.value = operation("multiply", self.value, constant(factor, FLOAT32))

    def add_bias(self, bias: View) -> None:
        self.value = operation("add", self.value, cast(self.load(self._over_scores(bias)), FLOAT32))

    def hide_zeros(self, mask: View) -> None:
        """The filter value is added wherever the mask is 0."""
        number = self.load(self._over_scores(mask))
        is_hidden = operation("equal", number, constant(0, number.type))
        added = operation("where", is_hidden, self.hidden, constant(0.0, FLOAT32))
        self.value = operation("add", self.value, added)

    def keep_window(self, first: Access | None, end: Access) -> None:
        """The filter value instead of keys before the first or from the end on."""
        places = self.workspace.constant(np.arange(self.geometry.total, dtype=np.int32), "places")
        place = self.load(Access(places, _NUMBER, (0, 0, 0, 0, 1)))
        if first is not None:
            is_after = operation("greater_equal", place, self.load(first))
            self.value = operation("where", is_after, self.value, self.hidden)
        is_before = operation("less", place, self.load(end))
        self.value = operation("where", is_before, self.value, self.hidden)

    def _over_scores(self, view: View) -> Access:
        """A tensor over {batch, heads of queries, queries, keys}, some of them broadcast, or absent at the front."""
        missing = max(4 - len(view.sizes), 0)
        sizes, strides = (1,) * missing + view.sizes[-4:], (0,) * missing + view.strides[-4:]
        batch, heads, rows, keys = (step if size > 1 else 0 for size, step in zip(sizes, strides, strict=True))
        return Access(view.slot, view.type, (batch, self.geometry.group * heads, heads, rows, keys), view.offset)


def adjust_scores(
    operator: Any, views: Views, geometry: Geometry, lengths: View | None, workspace: Workspace
) -> Scores | None:
    """All adjustments of an operator, in order; None where there are too many of them."""
    scores = Scores(geometry, operator.mask_filter_value, workspace)
    scores.scale(operator.scale)
    bias, mask = views.get("relative_position_bias_tensor"), views.get("mask_tensor")
    if bias is not None:
        scores.add_bias(bias)
    if mask is not None and not _apply_mask(scores, operator.mask_type, mask):
        return None
    if lengths is not None:
        scores.keep_window(None, _causal_end(scores, lengths))
    return scores


def _apply_mask(scores: Scores, mask_type: MaskType, mask: View) -> bool:
    if mask_type is MaskType.BOOLEAN:
        scores.hide_zeros(mask)
        return True
    numbers, step = Access(mask.slot, mask.type, (0,) * 5, mask.offset), mask.strides[-1]
    if mask_type is MaskType.KEY_QUERY_SEQUENCE_LENGTH_START_END:
        if scores.geometry.batch > MOST_PACKED:
            return False
        scores.keep_window(*_Packed(scores, mask).windows())
        return True
    per_batch = (step, 0, 0, 0, 0)
    end = Access(numbers.slot, numbers.type, per_batch, numbers.offset)
    first = None
    if mask_type is MaskType.KEY_SEQUENCE_END_START:
        first = Access(numbers.slot, numbers.type, per_batch, numbers.offset + mask.strides[-2])
    scores.keep_window(first, end)
    return True


def _causal_end(scores: Scores, lengths: View) -> Access:
    """Each query sees the keys up to its own place, the last query the last key."""
    g = scores.geometry
    ends = dense(scores.workspace, (g.batch, g.queries), "ends", _NUMBER)
    rows = np.arange(g.queries, dtype=np.int32) + np.int32(g.keys - g.queries + 1)
    places = Access(scores.workspace.constant(rows, "places"), _NUMBER, (0, 1))
    value = operation("add", load(0, INT32), load(1, INT32))
    loads = (places, Access(lengths.slot, _NUMBER, (1, 0)))
    scores.steps.append(Nest((g.batch, g.queries), loads, (Store(ends.access, value),)))
    return _per_row(ends)


def _per_row(view: View) -> Access:
    """A number for each batch and query."""
    return Access(view.slot, view.type, (view.strides[0], 0, 0, view.strides[1], 0), view.offset)


class _Packed:
    """Windows of sequences laid end to end, from lengths, starts of queries and starts of keys.

    The sequence of a row is how many starts, but for the first, are not after it.
    """

    def __init__(self, scores: Scores, mask: View) -> None:
        self.scores, self.geometry, self.workspace = scores, scores.geometry, scores.workspace
        self._mask = mask
        self._count = self.geometry.batch * self.geometry.queries
        rows = np.arange(self._count, dtype=np.int32)
        self._rows = Access(self.workspace.constant(rows, "rows"), _NUMBER, (1,))

    def _number(self, place: int) -> Access:
        """A number of the mask, for all rows."""
        return Access(self._mask.slot, self._mask.type, (0,), self._mask.offset + place * self._mask.strides[-1])

    def _new(self, name: str) -> Access:
        return dense(self.workspace, (self._count,), name, _NUMBER).access

    def _nest(self, target: Access, loads: tuple[Access, ...], value: Node) -> None:
        self.scores.steps.append(Nest((self._count,), loads, (Store(target, value),)))

    def windows(self) -> tuple[Access, Access]:
        """The first key that each row sees, and the end, counted in its batch."""
        batch = self.geometry.batch
        sequence = self._sequence()
        lengths, firsts = (self._chosen(sequence, start) for start in (0, 2 * batch + 1))
        own = np.repeat(np.arange(batch, dtype=np.int64), self.geometry.queries) * self.geometry.total
        owns = Access(self.workspace.constant(own, "keys before"), DataType.INT64, (1,))
        loads = (firsts, lengths, owns, self._rows, self._number(batch), self._number(2 * batch))
        first, length, before, row, low, high = (load(n, a.type.numpy_dtype) for n, a in enumerate(loads))
        start = operation("subtract", cast(first, INT64), before)
        end = operation("add", start, cast(length, INT64))
        end = operation("where", operation("less", row, high), end, start)
        end = operation("where", operation("greater_equal", row, low), end, start)
        found = []
        for name, value in (("firsts", start), ("ends", end)):
            target = dense(self.workspace, (batch, self.geometry.queries), name, _NUMBER)
            self._nest(Access(target.slot, _NUMBER, (1,)), loads, self._inside(value))
            found.append(_per_row(target))
        return found[0], found[1]

    def _inside(self, value: Node) -> Node:
        """A place among the keys: what lies outside hides the same."""
        low, high = constant(0, INT64), constant(self.geometry.total, INT64)
        return cast(operation("minimum", operation("maximum", value, low), high), INT32)

    def _sequence(self) -> Access:
        found, batch = self._new("sequences"), self.geometry.batch
        self._nest(found, (), constant(0, INT32))
        number, row, start = (load(n, INT32) for n in range(3))
        value = operation("add", number, constant(1, INT32))
        value = operation("where", operation("greater_equal", row, start), value, number)
        for each in range(1, batch):
            self._nest(found, (found, self._rows, self._number(batch + each)), value)
        return found

    def _chosen(self, sequence: Access, start: int) -> Access:
        """Of numbers from a start on, the one of each row's sequence."""
        found = self._new("chosen")
        self._nest(found, (self._number(start),), load(0, INT32))
        chosen, number, other = (load(n, INT32) for n in range(3))
        for each in range(1, self.geometry.batch):
            is_own = operation("equal", number, constant(each, INT32))
            value = operation("where", is_own, other, chosen)
            self._nest(found, (found, sequence, self._number(start + each)), value)
        return found
