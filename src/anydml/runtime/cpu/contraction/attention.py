"""Attention as two products with softmax between them, for as many heads at a time as memory is meant for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, cast, load, result, substitute
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.core.tensor import TensorDesc
from anydml.operators.attending import Geometry
from anydml.process.loading import load_module
from anydml.runtime.cpu.contraction.attention_heads import (
    Views,
    dense,
    extend,
    find_heads,
    past_of,
    rows_of,
    valid_lengths,
)
from anydml.runtime.cpu.contraction.attention_masks import Scores, adjust_scores
from anydml.runtime.cpu.contraction.gemm import Problem, matrix_of, multiply, place
from anydml.runtime.cpu.contraction.machine import host_machine
from anydml.runtime.cpu.contraction.results import Finish, Finished, finish, sums_of_floats
from anydml.runtime.cpu.expand import Workspace, expand_program
from anydml.runtime.programs import named_inputs

NEAR_SCORES, MOST_SCORES = 1 << 20, 1 << 24
"""Of one block, which are in memory at a time: as many as stay in caches, unless blocks would be many; at most."""
FEW_BLOCKS, MOST_BLOCKS = 8, 256
"""Each is planned by itself, which takes milliseconds."""
Range = tuple[int, int]


def expand_attention(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    views = {name: view for name, view in named_inputs(operator, program.inputs).items() if view is not None}
    nest, *presents = program.outputs
    geometry = operator.geometry()
    blocks = list(_blocks(geometry))
    is_half = operator.output_tensor.data_type is DataType.FLOAT16
    if nest is None or blocks == [] or (is_half and not host_machine().has_half_floats):
        return None
    steps: list[Step] = []
    lengths = None
    if "past_sequence_lengths_tensor" in views:
        lengths, steps = valid_lengths(views["past_sequence_lengths_tensor"], geometry, workspace)
    scores = adjust_scores(operator, views, geometry, lengths, workspace)
    if scores is None:
        return None
    sources, more = _sources(views, geometry, lengths, presents, workspace)
    heads = _Attention(operator.output_tensor.data_type, geometry, sources, scores, nest, workspace)
    attended = heads.steps(blocks)
    return None if attended is None else [*steps, *scores.steps, *more, *attended]


def _sources(
    views: Views, geometry: Geometry, lengths: View | None, presents: list[Nest | None], workspace: Workspace
) -> tuple[tuple[View, View, View], list[Step]]:
    """Queries, keys and values in memory, and what the present outputs hold of them."""
    new = find_heads(views, geometry)
    query, steps = new["query"].held(workspace, "queries")
    found = [query]
    for role, nest in zip(("key", "value"), presents, strict=True):
        whole, more = extend(past_of(views, role), new.get(role), lengths, workspace, f"{role}s")
        found.append(whole)
        steps += more
        if nest is not None:
            count = nest.sizes[-2]
            first = 0 if lengths is not None or count == whole.sizes[2] else whole.sizes[2] - count
            steps.append(_presented(nest, rows_of(whole, first, count), views))
    return (found[0], found[1], found[2]), steps


def _presented(nest: Nest, source: View, views: Views) -> Nest:
    """Keys or values, as an output holds them."""
    output = next(iter(views.values())).type
    leading = (0,) * (len(nest.sizes) - 4)
    own = replace(source.access, strides=(*leading, *source.strides))
    value = cast(load(len(nest.loads), source.type.numpy_dtype), output.numpy_dtype)

    def replaced(node: Any) -> Any:
        return value if node.op == "result" else None

    stores = tuple(Store(store.access, substitute(store.value, replaced)) for store in nest.stores)
    return Nest(nest.sizes, (*nest.loads, own), stores)


@dataclass(frozen=True)
class Block:
    """Some batches, heads of keys and queries."""

    batch: Range
    heads: Range
    rows: Range

    @property
    def counts(self) -> tuple[int, int, int]:
        a, b, c = (last - first for first, last in (self.batch, self.heads, self.rows))
        return a, b, c


def _blocks(g: Geometry) -> Iterator[Block]:
    """All heads while their scores are few, else fewer batches, then fewer heads, then fewer queries at a time.

    Products have two loops around them: where several heads share one, a block has one batch.
    """
    if g.total > MOST_SCORES:
        return
    count = g.batch * g.query_heads * g.queries * g.total
    most = min(MOST_SCORES, max(NEAR_SCORES, -(-count // FEW_BLOCKS)))
    rows = min(g.queries, max(1, most // (g.group * g.total)))
    heads = min(g.key_heads, max(1, most // (g.group * rows * g.total)))
    batch = min(g.batch, max(1, most // (g.group * heads * rows * g.total)))
    if g.group > 1:
        batch = 1
    parts = [_parts(*pair) for pair in ((g.batch, batch), (g.key_heads, heads), (g.queries, rows))]
    if prod(map(len, parts)) <= MOST_BLOCKS:
        yield from (Block(b, h, r) for b in parts[0] for h in parts[1] for r in parts[2])


def _parts(size: int, part: int) -> list[Range]:
    return [(first, min(size, first + part)) for first in range(0, size, part)]


@dataclass(frozen=True)
class _Attention:
    """The steps of an attention whose queries, keys and values are in memory."""

    type: DataType
    geometry: Geometry
    sources: tuple[View, View, View]
    scores: Scores
    nest: Nest
    workspace: Workspace

    def steps(self, blocks: list[Block]) -> list[Step] | None:
        most = max((block.counts for block in blocks), key=prod)
        sizes = (prod(most) * self.geometry.group, self.geometry.total)
        slot = dense(self.workspace, sizes, "scores").slot
        found: list[Step] = []
        for block in blocks:
            steps = self._block(block, slot)
            if steps is None:
                return None
            found += steps
        return found

    def _block(self, block: Block, slot: int) -> list[Step] | None:
        nest = self._output(block)
        done = finish(nest, Finish(sums_of_floats()), self.type, host_machine(), self.workspace)
        if done is None:
            return None
        query, key, value = self._seen(block)
        scores = _view(slot, (*query.sizes[:3], self.geometry.total))
        loads = tuple(self._part(access, block) for access in self.scores.loads)
        scored = self._multiply(query, key, True, Finished((self.scores.value,), loads, (scores.access,)))
        mixed = self._multiply(scores, value, False, done)
        return [*scored, *_softmax(scores, self.workspace), *mixed, *done.after]

    def _multiply(self, left: View, right: View, is_turned: bool, done: Finished) -> list[Step]:
        problem = Problem(matrix_of(left, rows_first=True), matrix_of(right, rows_first=is_turned), left.sizes[:2])
        return multiply(problem, done, host_machine(), self.workspace, place)

    # --- what a block sees ------------------------------------------------------------------------

    def _part(self, access: Access, block: Block) -> Access:
        """An access over {batch, heads of keys, heads for each, queries, ...}, seen from a block's four loops."""
        batch, heads, group, rows, columns = access.strides
        offset = access.offset + block.batch[0] * batch + block.heads[0] * heads + block.rows[0] * rows
        outer = (batch, heads) if self.geometry.group == 1 else (heads, group)
        return replace(access, strides=(*outer, rows, columns), offset=offset)

    def _outer(self, block: Block) -> tuple[int, int]:
        batch, heads, _ = block.counts
        return (batch, heads) if self.geometry.group == 1 else (heads, self.geometry.group)

    def _seen(self, block: Block) -> tuple[View, View, View]:
        group, outer, rows = self.geometry.group, self._outer(block), block.counts[2]
        query, key, value = self.sources
        batch, head, row, inner = query.strides
        own = self._part(replace(query.access, strides=(batch, group * head, head, row, inner)), block)
        found = [replace(query, sizes=(*outer, rows, query.sizes[3]), strides=own.strides, offset=own.offset)]
        for view in (key, value):
            batch, head, row, inner = view.strides
            access = replace(view.access, strides=(batch, head, 0, 0, inner))
            part = self._part(access, block)
            strides = (*part.strides[:2], row, inner)
            found.append(replace(view, sizes=(*outer, *view.sizes[2:]), strides=strides, offset=part.offset))
        return found[0], found[1], found[2]

    def _output(self, block: Block) -> Nest:
        group, size = self.geometry.group, self.geometry.value_size

        def seen(access: Access) -> Access:
            batch, row, inner = access.strides[-3:]
            head = size * inner
            return self._part(replace(access, strides=(batch, group * head, head, row, inner)), block)

        stores = tuple(Store(seen(store.access), store.value) for store in self.nest.stores)
        sizes = (*self._outer(block), block.counts[2], size)
        return Nest(sizes, tuple(map(seen, self.nest.loads)), stores)


def _view(slot: int, sizes: tuple[int, ...]) -> View:
    strides = tuple(prod(sizes[axis + 1 :]) for axis in range(len(sizes)))
    return View(slot, DataType.FLOAT32, sizes, strides)


def _softmax(scores: View, workspace: Workspace) -> list[Step]:
    """In place."""
    make = load_module("anydml.operators.softmax").ActivationSoftmax1
    operator = make(input_tensor=TensorDesc("FLOAT32", scores.sizes), axes=[3])
    nest = Nest(scores.sizes, (), (Store(scores.access, result(FLOAT32)),))
    return expand_program(Program(operator, (scores,), (nest,)), workspace)
