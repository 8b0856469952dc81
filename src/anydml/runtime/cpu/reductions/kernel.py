"""The machine code of reductions.

Sums are made of blocks: a vector for each of some columns at once, then blocks one after the other, so that their
error grows slowly, and is the same however many threads there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from anydml.core.expression import Node, leaves, walk
from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.expressions import combine, converted, emit, needed
from anydml.runtime.cpu.loops import APART, EVEN, STILL
from anydml.runtime.cpu.pointwise import LEAST_ALIGNED, unrolled_for
from anydml.runtime.cpu.reductions.lowering import INNER_LOOPS, Shape
from anydml.runtime.native import llvm, slots, staging
from anydml.runtime.native.emit import Emitter, Value, pointers_to
from anydml.runtime.native.math.exponential import exp_of_negative
from anydml.runtime.native.math.values import ElementType, Vector, lanes_of, scalar_name, select
from anydml.runtime.native.schedule import WORD

BLOCK_COLUMNS, BLOCK_ROWS = 4096, 512
"""Elements that are folded by themselves, so that sums of many are sums of few sums."""
KEPT_BYTES = 96 * 1024
"""Elements of a stage that are staged."""
PAGE_BYTES = 4096
ROWS_AT_ONCE, VECTORS_AT_ONCE = 4, 8
"""Folds of columns: few rows, whose lines of memory would otherwise share places in caches, and much of each."""
MOST_AHEAD = 32 * 1024
AHEAD_LEVEL = 2
ACROSS_COLUMNS = 1024
"""Columns whose folds are under way at once."""


def module_text(shape: Shape) -> str:
    e = Emitter(shape.vector_bytes)
    (_Along if shape.is_along else _Across)(e, shape).emit()
    return e.module()


def neutral(fold: str, type: ElementType) -> float | int:
    """What changes nothing when it is folded in."""
    if fold in ("add", "multiply"):
        return 0 if fold == "add" else 1
    sign = 1 if fold == "minimum" else -1
    if type.kind == "f":
        return sign * float("inf")
    limits = np.iinfo(type)
    return int(limits.min if sign < 0 else limits.max)


class Kernel:
    """What both kinds of kernels have in common: the loops around, and the operands."""

    def __init__(self, e: Emitter, shape: Shape) -> None:
        self.e, self.shape = e, shape
        self.lanes = lanes_of(e, shape.lanes)
        self.sides = range(len(shape.sides))
        self.loop_words = 1 + len(shape.sides)
        self.pointers = [f"%p{side}" for side in self.sides]
        self.arguments = ", ".join(f"ptr {pointer}" for pointer in self.pointers)
        self.first_loop = 2 * len(shape.sides)
        self.load_count = len(shape.loads)
        self.forms = dict.fromkeys(shape.negative_powers, exp_of_negative)

    def emit(self) -> None:
        e = self.e
        with e.function("inner", f"ptr %parameters, ptr %staging, {self.arguments}"):
            self._inner()
        with e.function("nest", f"ptr %parameters, ptr %loop, ptr %staging, {self.arguments}", is_cold=True):
            self._nest()
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True, is_cold=True):
            starts = [self._start(side) for side in self.sides]
            outer = e.at("%parameters", (self.first_loop + INNER_LOOPS * self.loop_words) * WORD)
            e.do(f"call void @nest({pointers_to('%parameters', outer, '%staging', *starts)})")
            if self.shape.stream:
                # Streaming stores are ordered with nothing: whoever waits for this call must see them.
                e.do("fence seq_cst")

    def _inner(self) -> None:
        raise NotImplementedError

    def _emit(
        self, values: Sequence[Node], loads: Mapping[int, Vector], known: Mapping[Node, Vector] | None = None
    ) -> list[Vector]:
        return emit(self.lanes, values, loads, known, self.forms)

    def _word(self, place: str, number: int) -> str:
        return self.e.load("i64", self.e.at(place, number * WORD), WORD)

    def _start(self, side: int) -> str:
        return slots.start(self.e, *(self._word("%parameters", 2 * side + k) for k in (0, 1)))

    def _nest(self) -> None:
        """One outer loop, and by calling itself those within it."""
        e = self.e
        size = self._word("%loop", 0)
        with e.when(e.value(f"icmp eq i64 {size}, 0")):
            e.do(f"call void @inner({pointers_to('%parameters', '%staging', *self.pointers)})")
        following = e.at("%loop", self.loop_words * WORD)
        steps = [self._word("%loop", 1 + side) for side in self.sides]
        with e.loop(0, size) as i:
            moved = self._moved(self.pointers, steps, i)
            e.do(f"call void @nest({pointers_to('%parameters', following, '%staging', *moved)})")

    def _loop(self, number: int) -> tuple[str, list[str]]:
        """The size of an inner loop (0 the columns), and its stride in every operand."""
        word = self.first_loop + number * self.loop_words
        return self._word("%parameters", word), [self._word("%parameters", word + 1 + side) for side in self.sides]

    def _moved(self, pointers: Sequence[str], steps: Sequence[Value], count: Value) -> list[str]:
        e = self.e
        return [e.at(pointer, e.multiply(count, step)) for pointer, step in zip(pointers, steps, strict=True)]

    def _needed(self, values: Sequence[Node]) -> list[int]:
        """The operands that expressions read."""
        return sorted({n.value for n in leaves(*values) if n.op == "load" and n.value < self.load_count})

    def _load(self, side: int, pointers: Sequence[str], place: Value, mask: str | None) -> Vector:
        data_type, step = self.shape.sides[side]
        e = self.e
        if step == STILL:
            value = e.load(scalar_name(data_type.numpy_dtype), pointers[side])
            return vectors.spread(self.lanes, data_type.numpy_dtype, value)
        if step == APART:
            stride = self.column_steps[side]
            start = e.at(pointers[side], e.multiply(place, stride))
            return vectors.gather(self.lanes, data_type, start, stride, mask)
        pointer = e.at(pointers[side], e.multiply(place, data_type.element_bytes))
        return vectors.load(self.lanes, data_type, pointer, mask)

    def _store(self, number: int, value: Vector, pointers: Sequence[str], place: Value, mask: str | None) -> None:
        side = self.load_count + number
        data_type, step = self.shape.sides[side]
        value = converted(value, data_type)
        stride: Value = data_type.element_bytes if step != APART else self.column_steps[side]
        pointer = self.e.at(pointers[side], self.e.multiply(place, stride))
        if step == APART:
            vectors.scatter(value, pointer, stride, mask)
        else:
            vectors.store(value, pointer, mask, self.shape.stream)

    column_steps: Sequence[Value] = ()

    def _row_blocks(self, carried: Sequence[tuple[str, str]], body: Callable[..., Sequence[str]]) -> list[str]:
        """The folded loops around the columns, some rows at a time.

        `body` gets the first and last of both loops, the second one within the first, and what is carried.
        """
        e = self.e
        (outer_size, _), (size, _) = self._loop(2), self._loop(1)
        e.declare("i64 @llvm.ctlz.i64(i64, i1)")
        digits = e.subtract(64, e.value(f"call i64 @llvm.ctlz.i64(i64 {size}, i1 true)"))
        # About BLOCK_ROWS / size, without a division.
        together = e.maximum(e.value(f"lshr i64 {BLOCK_ROWS}, {digits}"), 1)

        def outer(first: str, values: list[str]) -> Sequence[str]:
            last = e.minimum(e.add(first, together), outer_size)

            def inner(row: str, values: list[str]) -> Sequence[str]:
                end = e.minimum(e.add(row, BLOCK_ROWS), size)
                return body((first, last), (row, end), values)

            kinds = [kind for kind, _ in carried]
            return e.fold(0, size, BLOCK_ROWS, list(zip(kinds, values, strict=True)), inner)

        return e.fold(0, outer_size, together, carried, outer)

    def _masked_loop(self, first: Value, last: Value, body: Callable[[str, str], None]) -> None:
        e, lanes = self.e, self.shape.lanes
        with e.loop(first, last, lanes) as i:
            body(i, vectors.first_lanes(e, lanes, e.minimum(e.subtract(last, i), lanes)))

    def _neutral(self, stage: int) -> Vector:
        value = self.shape.stage_values[stage]
        return self.lanes.constant(neutral(self.shape.folds[stage], value.type), value.type)

    def _combine(self, stage: int, total: Vector, x: Vector) -> Vector:
        # In this order NaN is looked for in what is new, while the total is still under way.
        return combine(self.shape.folds[stage], x, total)

    def _tree(self, stage: int, values: Sequence[Vector]) -> Vector:
        found = list(values)
        while len(found) > 1:
            pairs = zip(found[::2], found[1::2], strict=True)
            found = [self._combine(stage, a, b) for a, b in pairs]
        return found[0]


class _Along(Kernel):
    """Vectors lie along a reduced loop: each fold ends with the fold of its lanes."""

    def _inner(self) -> None:
        self.columns, self.column_steps = self._loop(0)
        self.results: dict[int, Vector] = {}
        self.known: dict[Node, Vector] = {}
        if self.shape.keeps >= 0:
            self.kept_start = self._start_kept()
        for stage in range(len(self.shape.folds)):
            self.results[self.load_count + stage] = self._stage(stage)
        values = self.shape.store_values
        self._learn(values)
        if self.shape.stores_all:
            self._store_all()
        else:
            # What is fused behind the folds may read operands of its own, an element for each fold.
            self._store_at(self.pointers, 0, vectors.first_lanes(self.e, self.shape.lanes, 1))

    def _learn(self, values: Sequence[Node]) -> None:
        """Computes before a loop what is the same for all its elements."""
        for node in walk(*values):
            own = list(leaves(node))
            if node.op != "constant" and all(n.op == "constant" or n.value >= self.load_count for n in own):
                self.known[node] = self._emit([node], self.results, self.known)[0]

    def _rows(
        self,
        outer: tuple[Value, Value],
        inner: tuple[Value, Value],
        carried: Sequence[tuple[str, str]],
        body: Callable[..., Sequence[str]],
    ) -> list[str]:
        """Rows from the first to the last of both folded loops; `body` gets pointers and what is carried."""
        e = self.e
        if self.shape.is_one_row:
            return list(body(self.pointers, [value for _, value in carried]))
        (_, outer_steps), (_, steps) = self._loop(2), self._loop(1)

        def some(i: str, values: list[str]) -> Sequence[str]:
            first = self._moved(self.pointers, outer_steps, i)
            kinds = [kind for kind, _ in carried]
            begin = list(zip(kinds, values, strict=True))
            return e.fold(*inner, 1, begin, lambda j, v: body(self._moved(first, steps, j), v))

        return e.fold(*outer, 1, carried, some)

    def _stage(self, stage: int) -> Vector:
        value = self.shape.stage_values[stage]
        self._learn([value])
        start = self._neutral(stage)
        kind = start.type_name
        if self.shape.is_one_row:
            return self._folded_lanes(stage, self._row(stage, self.pointers, start))

        def row(pointers: Sequence[str], carried: list[str]) -> list[str]:
            total = self.lanes.named(carried[0], value.type)
            return [self._row(stage, pointers, total).name]

        def block(outer: tuple[Value, Value], inner: tuple[Value, Value], carried: list[str]) -> list[str]:
            (part,) = self._rows(outer, inner, [(kind, start.name)], row)
            total, added = (self.lanes.named(name, value.type) for name in (carried[0], part))
            return [self._combine(stage, total, added).name]

        (name,) = self._row_blocks([(kind, start.name)], block)
        return self._folded_lanes(stage, self.lanes.named(name, value.type))

    def _row(self, stage: int, pointers: Sequence[str], total: Vector) -> Vector:
        """One row: blocks of whole vectors, then the rest."""
        e, lanes, type = self.e, self.shape.lanes, total.type
        unrolled = unrolled_for([self.shape.stage_values[stage]])
        step = lanes * unrolled
        whole = e.mask(self.columns, -step)
        start = self._neutral(stage)

        def block(first: str, carried: list[str]) -> Sequence[str]:
            last = e.minimum(e.add(first, BLOCK_COLUMNS), whole)

            def some(i: str, parts: list[str]) -> list[str]:
                places = [e.add(i, lanes * k) for k in range(unrolled)]
                if stage == 1:
                    self._ask_for_next(pointers, places)
                found = [self._element(stage, pointers, place, None) for place in places]
                named = [self.lanes.named(part, type) for part in parts]
                return [self._combine(stage, a, b).name for a, b in zip(named, found, strict=True)]

            parts = e.fold(first, last, step, [(start.type_name, start.name)] * unrolled, some)
            sum_of_block = self._tree(stage, [self.lanes.named(part, type) for part in parts])
            return [self._combine(stage, self.lanes.named(carried[0], type), sum_of_block).name]

        (name,) = e.fold(0, whole, BLOCK_COLUMNS, [(total.type_name, total.name)], block)

        def rest(i: str, carried: list[str]) -> list[str]:
            mask = vectors.first_lanes(e, lanes, e.minimum(e.subtract(self.columns, i), lanes))
            found = self._element(stage, pointers, i, mask)
            return [self._combine(stage, self.lanes.named(carried[0], type), found).name]

        (name,) = e.fold(whole, self.columns, lanes, [(total.type_name, name)], rest)
        return self.lanes.named(name, type)

    def _ask_for_next(self, pointers: Sequence[str], places: Sequence[Value]) -> None:
        """The next row, which is most often the neighbour: later passes over a row leave memory idle otherwise."""
        e = self.e
        data_type, step = self.shape.loads[0]
        if step == EVEN:
            size = data_type.element_bytes
            ahead = e.minimum(e.multiply(self.columns, size), MOST_AHEAD)
            for place in places:
                e.prefetch(e.at(e.at(pointers[0], e.multiply(place, size)), ahead), AHEAD_LEVEL)

    def _element(self, stage: int, pointers: Sequence[str], place: Value, mask: str | None) -> Vector:
        """What is folded; nothing in lanes that the mask leaves out."""
        value = self.shape.stage_values[stage]
        loaded = {side: self._load(side, pointers, place, mask) for side in self._needed([value])}
        (found,) = self._emit([value], loaded | self.results, self.known)
        if stage == self.shape.keeps:
            vectors.store(found, self._kept(place, value.type))
        if mask is None:
            return found
        flags = self.lanes.named(mask, np.dtype(np.bool_))
        return select(flags, found, self._neutral(stage))

    def _start_kept(self) -> str:
        """Where elements are staged: at the place of a page where the row begins, but for the place in a line.

        Processors hold loads back that might read what has just been stored, and look at the last 12 bits of addresses
        alone: an element must not be stored where one is read soon after.
        """
        e = self.e
        row, block = (e.value(f"ptrtoint ptr {pointer} to i64") for pointer in (self.pointers[0], "%staging"))
        return e.at("%staging", e.mask(e.subtract(row, block), PAGE_BYTES - staging.ALIGNMENT))

    def _kept(self, place: Value, type: ElementType) -> str:
        return self.e.at(self.kept_start, self.e.multiply(place, type.itemsize))

    def _folded_lanes(self, stage: int, x: Vector) -> Vector:
        """The fold of all lanes, in every lane."""
        e, count = self.e, self.lanes.count
        half = count // 2
        while half:
            other = e.shuffle(x.type_name, x.name, None, [(lane + half) % count for lane in range(count)])
            x = self._combine(stage, x, self.lanes.named(other, x.type))
            half //= 2
        return vectors.spread(self.lanes, x.type, e.value(f"extractelement {x.typed}, i64 0"))

    def _store_all(self) -> None:
        """The store of every element."""
        e, lanes = self.e, self.shape.lanes

        def row(pointers: Sequence[str], carried: list[str]) -> list[str]:
            start: Value = 0
            if self.shape.stream or self.shape.stores[0][1] == EVEN:
                start = self._unaligned(pointers)
                self._masked_loop(0, start, lambda i, mask: self._store_at(pointers, i, mask))
            whole = e.add(start, e.mask(e.subtract(self.columns, start), -lanes))
            with e.loop(start, whole, lanes) as i:
                self._store_at(pointers, i, None)
            self._masked_loop(whole, self.columns, lambda i, mask: self._store_at(pointers, i, mask))
            return []

        (outer_size, _), (size, _) = self._loop(2), self._loop(1)
        self._rows((0, outer_size), (0, size), [], row)

    def _unaligned(self, pointers: Sequence[str]) -> Value:
        e, side = self.e, self.load_count
        size = self.shape.sides[side][0].element_bytes
        address = e.value(f"ptrtoint ptr {pointers[side]} to i64")
        left = e.mask(e.subtract(0, address), self.shape.lanes * size - 1)
        before = e.minimum(e.value(f"udiv i64 {left}, {size}"), self.columns)
        if self.shape.stream:
            return before
        is_long = e.value(f"icmp sge i64 {self.columns}, {LEAST_ALIGNED}")
        return e.value(f"select i1 {is_long}, i64 {before}, i64 0")

    def _store_at(self, pointers: Sequence[str], place: Value, mask: str | None) -> None:
        values = self.shape.store_values
        known: Mapping[Node, Vector] = self.known
        if self.shape.keeps >= 0:
            node = self.shape.stage_values[self.shape.keeps]
            name = self.e.load(self.lanes.type_name(node.type), self._kept(place, node.type))
            known = {**self.known, node: self.lanes.named(name, node.type)}
        loaded = {n: self._load(n, pointers, place, mask) for n in self._needed_but(values, known)}
        for number, value in enumerate(self._emit(values, loaded | self.results, known)):
            self._store(number, value, pointers, place, mask)

    def _needed_but(self, values: Sequence[Node], known: Mapping[Node, Vector]) -> list[int]:
        found = needed(values, known)
        return sorted({n.value for n in found if n.op == "load" and n.value < self.load_count})


class _Across(Kernel):
    """Vectors lie along a loop that is kept: every lane folds elements of its own.

    The folds of some columns are under way at once, in the staging memory, one row of them for each stage.
    """

    def _inner(self) -> None:
        e = self.e
        self.columns, self.column_steps = self._loop(0)
        with e.function("part", f"ptr %parameters, ptr %staging, i64 %first, i64 %last, {self.arguments}"):
            _, self.column_steps = self._loop(0)
            for stage in range(len(self.shape.folds)):
                self._stage(stage)
            self._store_part()
        _, self.column_steps = self._loop(0)
        with e.loop(0, self.columns, ACROSS_COLUMNS) as first:
            last = e.minimum(e.add(first, ACROSS_COLUMNS), self.columns)
            given = f"ptr %parameters, ptr %staging, i64 {first}, i64 {last}, {self.arguments}"
            e.do(f"call void @part({given})")

    def _over(self, body: Callable[[Value, str | None], None], at_once: int = 1) -> None:
        """The columns of a part, by vectors; some of them at once while there are so many."""
        e, lanes = self.e, self.shape.lanes
        start: Value = "%first"
        for count in sorted({at_once, 1}, reverse=True):
            whole = e.add(start, e.mask(e.subtract("%last", start), -lanes * count))
            with e.loop(start, whole, lanes * count) as i:
                for more in range(count):
                    body(e.add(i, more * lanes), None)
            start = whole
        self._masked_loop(start, "%last", body)

    def _staged(self, stage: int) -> str:
        """Where the folds of columns are; rows of stages are padded, so that their vectors are whole."""
        before = sum((ACROSS_COLUMNS + 64) * value.type.itemsize for value in self.shape.stage_values[:stage])
        return self.e.at("%staging", before)

    def _column(self, stage: int, row: str, place: Value) -> str:
        size = self.shape.stage_values[stage].type.itemsize
        return self.e.at(row, self.e.multiply(self.e.subtract(place, "%first"), size))

    def _result(self, stage: int, row: str, place: Value) -> Vector:
        type = self.shape.stage_values[stage].type
        return self.lanes.named(self.e.load(self.lanes.type_name(type), self._column(stage, row, place)), type)

    def _results(self, values: Sequence[Node], place: Value) -> dict[int, Vector]:
        wanted = {n.value - self.load_count for n in leaves(*values) if n.op == "load"}
        stages = sorted(stage for stage in wanted if stage >= 0)
        return {self.load_count + stage: self._result(stage, self._staged(stage), place) for stage in stages}

    def _stage(self, stage: int) -> None:
        """Folds blocks of rows by themselves where there are several, in a row of the staging memory of their own."""
        e = self.e
        (outer_size, _), (size, _) = self._loop(2), self._loop(1)
        total, part = self._staged(stage), self._staged(len(self.shape.folds))
        are_several = e.value(f"icmp sgt i64 {e.multiply(outer_size, size)}, {BLOCK_ROWS}")
        target = e.value(f"select i1 {are_several}, ptr {part}, ptr {total}")
        self._clear(stage, total)

        def block(outer: tuple[Value, Value], inner: tuple[Value, Value], carried: list[str]) -> list[str]:
            with e.when(are_several):
                self._clear(stage, part)
            self._fold_block(stage, target, outer, inner)
            with e.when(are_several):
                self._over(lambda i, mask: self._add(stage, total, i, self._result(stage, part, i)))
            return carried

        self._row_blocks([], block)

    def _clear(self, stage: int, row: str) -> None:
        start = self._neutral(stage)
        self._over(lambda i, mask: vectors.store(start, self._column(stage, row, i)))

    def _add(self, stage: int, row: str, place: Value, found: Vector) -> None:
        total = self._combine(stage, self._result(stage, row, place), found)
        vectors.store(total, self._column(stage, row, place))

    def _fold_block(self, stage: int, target: str, outer: tuple[Value, Value], inner: tuple[Value, Value]) -> None:
        e = self.e
        (_, outer_steps), (_, steps) = self._loop(2), self._loop(1)
        begin, end = inner
        whole = e.add(begin, e.mask(e.subtract(end, begin), -ROWS_AT_ONCE))
        with e.loop(*outer) as o:
            pointers = self._moved(self.pointers, outer_steps, o)
            for first, last, count in ((begin, whole, ROWS_AT_ONCE), (whole, end, 1)):
                with e.loop(first, last, count) as row:
                    rows = [self._moved(pointers, steps, e.add(row, more)) for more in range(count)]
                    self._over(partial(self._fold_rows, stage, target, rows), VECTORS_AT_ONCE)

    def _fold_rows(
        self, stage: int, target: str, rows: Sequence[Sequence[str]], place: Value, mask: str | None
    ) -> None:
        value = self.shape.stage_values[stage]
        results = self._results([value], place)
        found = []
        for pointers in rows:
            loaded = {side: self._load(side, pointers, place, mask) for side in self._needed([value])}
            found.append(self._emit([value], loaded | results)[0])
        self._add(stage, target, place, self._tree(stage, found))

    def _store_part(self) -> None:
        values = self.shape.store_values
        if not self.shape.stores_all:
            self._over(lambda i, mask: self._store_row(self.pointers, values, i, mask))
            return
        e = self.e
        (outer_size, outer_steps), (size, steps) = self._loop(2), self._loop(1)
        with e.loop(0, outer_size) as o, e.loop(0, size) as row:
            pointers = self._moved(self._moved(self.pointers, outer_steps, o), steps, row)
            self._over(lambda i, mask: self._store_row(pointers, values, i, mask))

    def _store_row(self, pointers: Sequence[str], values: Sequence[Node], place: Value, mask: str | None) -> None:
        loaded = {side: self._load(side, pointers, place, mask) for side in self._needed(values)}
        for number, value in enumerate(self._emit(values, loaded | self._results(values, place))):
            self._store(number, value, pointers, place, mask)
