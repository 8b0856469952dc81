"""The product of two operands, tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from anydml.core.datatype import DataType
from anydml.core.steps import Access, Step
from anydml.runtime.cpu.contraction.epilogue import STAGED, Epilogue, accesses
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, Machine
from anydml.runtime.cpu.contraction.panels import BATCH_LOOPS, Matrix, Panels, padded
from anydml.runtime.cpu.contraction.tile import Tile, emit_tile
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native import llvm
from anydml.runtime.native.emit import Value
from anydml.runtime.native.tasks import Task

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Packed:
    """An operand that a step before has packed: where it is, its form, and the distance of the batch's matrices."""

    slot: int
    panels: Panels
    batch_strides: Numbers
    """In bytes."""
    size_in_bytes: int


Operand = Packed | Matrix
"""A matrix is read in place."""


@dataclass(frozen=True)
class Chunk:
    """A part of the result that one thread computes: indices of the batch, rows and columns."""

    batch: tuple[int, int]
    rows: tuple[int, int]
    columns: tuple[int, int]


@dataclass(frozen=True)
class Product:
    """Sums of products over the depth, each tile finished by the epilogue."""

    left: Operand
    right: Operand
    batch: Numbers
    sizes: tuple[int, int]
    """Rows and columns."""
    folds: tuple[int, int, int]
    """The loops of the folded axis."""
    depth: int
    """In cells."""
    tile: Tile
    epilogue: Epilogue
    chunks: tuple[Chunk, ...]
    machine: Machine

    def reads(self) -> Iterator[tuple[Access, Numbers]]:
        for operand in (self.left, self.right):
            if isinstance(operand, Matrix):
                yield operand.access, operand.sizes
            else:
                yield Access(operand.slot, DataType.UINT8, (1,)), (operand.size_in_bytes,)
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.loads))

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.stores))

    @property
    def _result_sizes(self) -> Numbers:
        plain = self.sizes[0] if self.epilogue.folded == "columns" else self.sizes[1]
        return (*self.batch, plain, *self.folds)

    def renamed(self, slot: Callable[[int], int]) -> Step:
        epilogue = self.epilogue
        loads, stores = (
            tuple(p if p.slot == STAGED else replace(p, slot=slot(p.slot)) for p in places)
            for places in (epilogue.loads, epilogue.stores)
        )
        left, right = (replace(operand, slot=slot(operand.slot)) for operand in (self.left, self.right))
        return replace(self, left=left, right=right, epilogue=replace(epilogue, loads=loads, stores=stores))

    def describe(self, names: Callable[[int], str]) -> str:
        rows, columns = self.sizes
        written = ", ".join(names(place.slot) for place in self.epilogue.stores)
        sizes = [*self.batch, rows, self.depth, columns]
        return f"product {sizes} of {names(self.left.slot)} and {names(self.right.slot)}: {written}"

    @property
    def _is_right_in_place(self) -> bool:
        return isinstance(self.right, Matrix)

    # --- tasks -----------------------------------------------------------------------------------

    def tasks(self) -> Sequence[Task]:
        shape = ("product", self.machine, self.tile, self.epilogue.shape, self._is_right_in_place)
        code = llvm.compiled(shape, self._write)
        words, common = self._words, self._common_words()
        chunks = [words.pack({**common, **self._chunk_words(chunk)}) for chunk in self.chunks]
        slots = [self.left.slot, self.right.slot, *(place.slot for place in self.epilogue.places)]
        return [Task(code, chunks, max(slots) + 1)]

    @property
    def _words(self) -> Words:
        names = [f"{side}_{name}" for side in ("left", "right") for name in ("slot", "offset")]
        names += [f"{side}_batch_{n}" for side in ("left", "right") for n in range(BATCH_LOOPS)]
        names += ["left_step", "left_row_stride", "left_depth_stride", "pitch", "depth", "row_count"]
        names += [f"batch_{n}" for n in range(BATCH_LOOPS)]
        names += [f"{name}_{end}" for name in ("batch", "row", "column") for end in ("first", "last")]
        return Words([*names, *self.epilogue.words()])

    def _common_words(self) -> dict[str, int]:
        found = {f"batch_{n}": size for n, size in enumerate(padded(self.batch, BATCH_LOOPS, 1))}
        for side, operand in (("left", self.left), ("right", self.right)):
            strides = _batch_bytes(operand)
            found |= {f"{side}_batch_{n}": stride for n, stride in enumerate(padded(strides, BATCH_LOOPS, 0))}
            found[f"{side}_slot"] = operand.slot
        found |= {"depth": self.depth, "row_count": self.sizes[0], "pitch": self._pitch}
        rows, steps = _row_strides(self.left)
        found |= {"left_row_stride": rows, "left_depth_stride": steps, "left_step": self._left_step}
        return found | self.epilogue.values_of_words(self.folds)

    @property
    def _pitch(self) -> int:
        """Between vectors of the right operand that follow one another in depth, in bytes."""
        if isinstance(self.right, Matrix):
            return self.right.depth_strides[0] * CELL_BYTES
        return self.right.panels.pitch_bytes

    @property
    def _left_step(self) -> int:
        """From tile to tile, in bytes."""
        if isinstance(self.left, Matrix):
            return self.tile.rows * self.left.lane_stride * CELL_BYTES
        return self.left.panels.panel_bytes

    def _chunk_words(self, chunk: Chunk) -> dict[str, int]:
        row, column = chunk.rows[0], chunk.columns[0]
        if isinstance(self.left, Matrix):
            left = (self.left.offset + row * self.left.lane_stride) * CELL_BYTES
        else:
            left = row // self.tile.rows * self.left.panels.panel_bytes
        if isinstance(self.right, Matrix):
            right = (self.right.offset + column) * CELL_BYTES
        else:
            panel, lane = divmod(column, self.right.panels.width)
            right = panel * self.right.panels.panel_bytes + lane * CELL_BYTES
        ends = {"batch": chunk.batch, "row": chunk.rows, "column": chunk.columns}
        found = {f"{name}_{end}": pair[n] for name, pair in ends.items() for n, end in enumerate(("first", "last"))}
        return found | {"left_offset": left, "right_offset": right}

    # --- code ------------------------------------------------------------------------------------

    def _write(self) -> str:
        e = Writer(self.machine)
        words = self._words
        emit_tile(e, self.tile, self.epilogue)
        if self._is_right_in_place:
            _emit_tail(e, self.tile)
        with e.function("block", "ptr %parameters, ptr %left, ptr %right, ptr %context, ptr %staging"):
            _emit_block(e, words, self.tile, self._is_right_in_place)
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):
            self._emit_batch(e, words)
        return e.module()

    def _emit_batch(self, e: Writer, words: Words) -> None:
        context = e.room(self.epilogue.context_bytes, 8)
        sides = {side: words.load_address(e, side) for side in ("left", "right")}
        size = words.load(e, "batch_1")
        with e.loop(words.load(e, "batch_first"), words.load(e, "batch_last")) as index:
            batch = e.split(index, size)
            moved = {}
            for side, pointer in sides.items():
                steps = [(place, words.load(e, f"{side}_batch_{n}")) for n, place in enumerate(batch)]
                moved[side] = e.step(pointer, *steps)
            self.epilogue.emit_context(e, words, context, batch)
            arguments = ("%parameters", moved["left"], moved["right"], context, "%staging")
            e.call("block", *(("ptr", argument) for argument in arguments))


def _batch_bytes(operand: Operand) -> Numbers:
    if isinstance(operand, Packed):
        return operand.batch_strides
    return tuple(stride * CELL_BYTES for stride in operand.batch_strides)


def _row_strides(operand: Operand) -> tuple[int, int]:
    """From row to row and from step to step in depth, of an operand that is read in place."""
    if isinstance(operand, Packed):
        return 0, 0
    return operand.lane_stride * CELL_BYTES, operand.depth_strides[0] * CELL_BYTES


def _emit_tail(e: Writer, tile: Tile) -> None:
    """`tail(cells, right, pitch, depth, lanes)` copies the last columns, so that whole vectors can be read."""
    with e.function("tail", "ptr %cells, ptr %right, i64 %pitch, i64 %depth, i64 %lanes"):
        counts = [e.maximum(e.subtract("%lanes", number * e.lanes), 0) for number in range(tile.vectors)]
        masks = [e.first_lanes(count) for count in counts]
        with e.loop(0, "%depth") as step:
            source, target = e.step("%right", (step, "%pitch")), e.step("%cells", (step, tile.vectors * e.vector_bytes))
            for number, mask in enumerate(masks):
                at = number * e.vector_bytes
                e.store(e.kind("float"), e.load_some("float", e.at(source, at), mask), e.at(target, at))


def _emit_block(e: Writer, words: Words, tile: Tile, is_right_in_place: bool) -> None:
    """All tiles of a block. The operand of the inner loop stays in the nearer cache."""
    columns = tile.vectors * e.lanes
    first_row, last_row, first_column, last_column = (
        words.load(e, f"{name}_{end}") for name in ("row", "column") for end in ("first", "last")
    )
    pitch, depth = words.load(e, "pitch"), words.load(e, "depth")
    if is_right_in_place:
        width = e.subtract(last_column, first_column)
        whole = e.multiply(e.divide(width, columns), columns)
        with e.when(e.compare("ne", whole, width)):
            right, rest = e.step("%right", (whole, CELL_BYTES)), e.subtract(width, whole)
            e.call("tail", ("ptr", "%staging"), ("ptr", right), ("i64", pitch), ("i64", depth), ("i64", rest))
        with e.loop(first_column, last_column, columns) as column, e.loop(first_row, last_row, tile.rows) as row:
            _emit_call(e, words, tile, row, column, True)
    else:
        with e.loop(first_row, last_row, tile.rows) as row, e.loop(first_column, last_column, columns) as column:
            _emit_call(e, words, tile, row, column, False)


def _emit_call(e: Writer, words: Words, tile: Tile, row: Value, column: Value, is_right_in_place: bool) -> None:
    columns, pitch = tile.vectors * e.lanes, words.load(e, "pitch")
    ahead = e.subtract(column, words.load(e, "column_first"))
    lanes = e.minimum(columns, e.subtract(words.load(e, "column_last"), column))
    right = e.step("%right", (ahead, CELL_BYTES))
    if is_right_in_place:
        is_part = e.compare("slt", lanes, columns)
        right = e.choose(is_part, "ptr", "%staging", right)
        pitch = e.choose(is_part, "i64", tile.vectors * e.vector_bytes, pitch)
    number = e.divide(e.subtract(row, words.load(e, "row_first")), tile.rows)
    left = e.step("%left", (number, words.load(e, "left_step")))
    skip: Value = 0
    row_stride: Value = 0
    if not tile.is_left_packed:
        # The last tile begins earlier, so that it has all its rows; those that others store are skipped.
        row_stride = words.load(e, "left_row_stride")
        start = e.minimum(row, e.subtract(words.load(e, "row_count"), tile.rows))
        skip = e.subtract(row, start)
        left = e.step(left, (e.subtract(0, skip), row_stride))
        row = start
    rows = e.minimum(tile.rows, e.subtract(words.load(e, "row_last"), row))
    numbers = [pitch, words.load(e, "depth"), row_stride, words.load(e, "left_depth_stride")]
    places = [row, column, skip, rows, lanes]
    arguments = [("i64", number) for number in numbers], [("i64", place) for place in places]
    e.call("tile", ("ptr", left), ("ptr", right), *arguments[0], ("ptr", "%context"), *arguments[1])
