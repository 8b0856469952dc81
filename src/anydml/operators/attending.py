"""The program of attentions: softmax(Q K^T * scale + bias, masked) V, head by head and block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anydml.core.enums import MultiheadAttentionMaskType as MaskType


@dataclass(frozen=True)
class Geometry:
    """The numbers that decide all sizes of an attention."""

    batch: int
    queries: int
    keys: int
    """New keys; 0 where all of them are past ones."""
    past: int
    query_heads: int
    key_heads: int
    size: int
    """Elements of a head of queries and keys."""
    value_size: int

    @property
    def total(self) -> int:
        return self.past + self.keys

    @property
    def group(self) -> int:
        """Heads of queries that share a head of keys."""
        return self.query_heads // self.key_heads


@dataclass(frozen=True)
class Block:
    """Some queries: those of a batch, of some heads of keys, and of some rows."""

    batch: int
    heads: slice
    rows: slice
    shape: tuple[int, ...]
    """Of the block's scores: {heads of keys, heads of queries per head of keys, rows, keys}."""

    def of(self, x: Any) -> Any:
        """This block of an array over {batch, heads of queries, rows, keys}."""
        group = self.shape[1]
        return x[self.batch, self.heads.start * group : self.heads.stop * group, self.rows].reshape(self.shape)


Adjustment = Callable[[Any, Block], Any]
"""What happens to the scores of a block before the softmax."""


def heads_of(heads: int, alone: Any, stacked: Sequence[tuple[Any, int]]) -> Any:
    """Queries, keys or values as {batch, heads, sequence, size}: from their own tensor, or part of a stacked one."""
    if alone is not None:
        *_, batch, sequence, _ = alone.shape
        return alone.reshape(batch, sequence, heads, -1).transpose(0, 2, 1, 3)
    found = [tensor[:, :, :, part] for tensor, part in stacked if tensor is not None]
    return found[0].transpose(0, 2, 1, 3) if found else None


def attend(
    xp: Any, query: Any, key: Any, value: Any, scale: float, adjustments: Sequence[Adjustment], most_scores: int
) -> Any:
    """The attention as {batch, queries, heads of queries, value size}, from arrays {batch, heads, sequence, size}."""
    batch, heads, queries, size = query.shape
    grouped = query.reshape(batch, key.shape[1], -1, queries, size)
    result = xp.empty((batch, queries, heads, value.shape[3]), query.dtype)
    for block in _blocks(grouped.shape, key.shape[2], most_scores):
        keys, values = (x[block.batch, block.heads, None] for x in (key, value))
        scores = xp.matmul(grouped[block.batch, block.heads, :, block.rows], keys.swapaxes(2, 3))
        scores = scores * query.dtype.type(scale)
        for adjust in adjustments:
            scores = adjust(scores, block)
        scores = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
        part = xp.matmul(scores, values) / xp.sum(scores, axis=-1, keepdims=True)
        first = block.heads.start * block.shape[1]
        part = part.reshape(-1, *part.shape[2:]).transpose(1, 0, 2)
        result[block.batch, block.rows, first : first + part.shape[1]] = part
    return result


def _blocks(shape: tuple[int, ...], keys: int, most: int) -> Iterator[Block]:
    """Whole heads while their scores are few, else some rows of one head; one row at least."""
    batch, heads, group, queries, _ = shape
    rows = min(queries, max(most // (group * keys), 1))
    together = max(most // (group * rows * keys), 1) if rows == queries else 1
    for b in range(batch):
        for h in range(0, heads, together):
            for r in range(0, queries, rows):
                sizes = (min(together, heads - h), group, min(rows, queries - r), keys)
                yield Block(b, slice(h, h + sizes[0]), slice(r, r + sizes[2]), sizes)


def add_bias(bias: Any) -> Adjustment:
    """Scores plus a bias over {batch, heads of queries, rows, keys}."""
    whole = bias.reshape(bias.shape[-4:])
    return lambda scores, block: scores + block.of(whole)


def hide_zeros(xp: Any, mask: Any, geometry: Geometry, filter_value: float) -> Adjustment:
    """Scores plus the filter value wherever the mask is 0."""
    sizes = (geometry.batch, geometry.query_heads, geometry.queries, geometry.total)
    aligned = mask.reshape((1,) * max(4 - mask.ndim, 0) + mask.shape[-4:])
    whole = xp.broadcast_to(aligned, sizes)

    def adjust(scores: Any, block: Block) -> Any:
        number = scores.dtype.type
        return scores + xp.where(block.of(whole) == 0, number(filter_value), number(0))

    return adjust


def keep_window(xp: Any, first: Any, end: Any, keys: int, filter_value: float) -> Adjustment:
    """The filter value instead of scores of keys before `first` or from `end` on: {batch, rows}, or 1 row for all."""
    places = xp.arange(keys)

    def adjust(scores: Any, block: Block) -> Any:
        low, high = (x[block.batch, block.rows if x.shape[1] > 1 else slice(None), None] for x in (first, end))
        inside = (places >= low) & (places < high)
        return xp.where(inside, scores, scores.dtype.type(filter_value))

    return adjust


def mask_keys(xp: Any, mask_type: MaskType, mask: Any, geometry: Geometry, filter_value: float) -> Adjustment:
    """The adjustment that a mask stands for."""
    if mask_type is MaskType.BOOLEAN:
        return hide_zeros(xp, mask, geometry, filter_value)
    numbers, batch, total = mask.reshape(-1).astype(xp.int64), geometry.batch, geometry.total
    first, end = xp.zeros((batch, 1), xp.int64), numbers[:batch, None]
    if mask_type is MaskType.KEY_SEQUENCE_END_START:
        first = numbers[batch:, None]
    elif mask_type is MaskType.KEY_QUERY_SEQUENCE_LENGTH_START_END:
        first, end = _windows_of_packed(xp, numbers, geometry)
    return keep_window(xp, first, end, total, filter_value)


def _windows_of_packed(xp: Any, numbers: Any, geometry: Geometry) -> tuple[Any, Any]:
    """For each row the first key it sees and the end, counted in its batch.

    Starts count rows of all batches laid end to end: queries from one start to the next see the keys from the
    start of the same number, as many as its length says.
    """
    batch, queries, total = geometry.batch, geometry.queries, geometry.total
    lengths, starts, key_starts = numbers[:batch], numbers[batch : 2 * batch + 1], numbers[2 * batch + 1 :]
    rows = xp.arange(batch * queries)
    number = xp.zeros(batch * queries, xp.int64)
    for each in range(1, batch):
        number = number + (rows >= starts[each])
    own = xp.repeat(xp.arange(batch), queries) * total
    first = key_starts[:-1][number] - own
    known = (rows >= starts[0]) & (rows < starts[batch])
    end = xp.where(known, first + lengths[number], first)
    return first.reshape(batch, queries), end.reshape(batch, queries)


def causal(xp: Any, lengths: Any, geometry: Geometry, filter_value: float) -> Adjustment:
    """Each query sees the keys up to its own place, the last query the last key."""
    rows = xp.arange(geometry.queries) + (geometry.keys - geometry.queries + 1)
    end = lengths[:, None] + rows[None]
    return keep_window(xp, xp.zeros_like(lengths)[:, None], end, geometry.total, filter_value)


def past_lengths(xp: Any, lengths: Any, geometry: Geometry) -> Any:
    """Lengths of the past as whole numbers inside it; NaN is no length at all."""
    numbers = lengths.reshape(-1)
    known = xp.where(numbers == numbers, numbers, xp.zeros_like(numbers))
    return xp.clip(known, 0, geometry.past).astype(xp.int64)


def extended(xp: Any, past: Any, new: Any, lengths: Any) -> Any:
    """Past keys or values, then new ones; right after the valid part of the past, where lengths tell it."""
    if past is None:
        return new
    past = past.reshape(past.shape[-4:])
    whole = past if new is None else xp.concatenate([past, new], axis=2)
    if lengths is None:
        return whole
    count = 0 if new is None else new.shape[2]
    places, valid = xp.arange(whole.shape[2])[None], lengths[:, None]
    source = xp.where(places < valid, places, places - valid + past.shape[2])
    is_used = (places < valid + count)[:, :, None, None]
    batch = xp.arange(whole.shape[0])[:, None]
    moved = whole.transpose(0, 2, 1, 3)[batch, xp.minimum(source, whole.shape[2] - 1)]
    return xp.where(is_used, moved, xp.zeros_like(moved)).transpose(0, 2, 1, 3)
