"""The product of two operands, tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from anydml.core.datatype import DataType
from anydml.core.steps import Access, Step
from anydml.runtime.cpu.contraction.block import emit_block
from anydml.runtime.cpu.contraction.epilogue import Epilogue, accesses
from anydml.runtime.cpu.contraction.held import emit_held
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, Machine
from anydml.runtime.cpu.contraction.panels import BATCH_LOOPS, Matrix, Panels, padded
from anydml.runtime.cpu.contraction.staged import Form, Staged
from anydml.runtime.cpu.contraction.tile import Tile, emit_tile
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native import llvm
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
    offset: int = 0
    """In bytes: not 0 where an operand lies as if it were packed, in a buffer of its own."""

    @property
    def access(self) -> Access:
        return Access(self.slot, DataType.UINT8, (1,), self.offset)

    @property
    def sizes(self) -> Numbers:
        return (self.size_in_bytes,)

    def moved(self, slot: int) -> Packed:
        return replace(self, slot=slot)


Operand = Packed | Matrix | Staged
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
            yield operand.access, operand.sizes
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.loads))

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.stores))

    @property
    def _result_sizes(self) -> Numbers:
        plain = self.sizes[0] if self.epilogue.folded == "columns" else self.sizes[1]
        return (*self.batch, plain, *self.folds)

    def renamed(self, slot: Callable[[int], int]) -> Step:
        left, right = (operand.moved(slot(operand.slot)) for operand in (self.left, self.right))
        return replace(self, left=left, right=right, epilogue=self.epilogue.renamed(slot))

    def describe(self, names: Callable[[int], str]) -> str:
        rows, columns = self.sizes
        written = ", ".join(names(place.slot) for place in self.epilogue.stores)
        sizes = [*self.batch, rows, self.depth, columns]
        return f"product {sizes} of {names(self.left.slot)} and {names(self.right.slot)}: {written}"

    # --- the forms of the operands ---------------------------------------------------------------

    @property
    def _staged(self) -> Staged | None:
        """The operand that chunks pack; at most one is."""
        found = [each for each in (self.left, self.right) if not isinstance(each, (Packed, Matrix))]
        return found[0] if found else None

    @property
    def _form(self) -> Form:
        lanes = self.machine.lanes
        if self._staged is self.left:
            return Form(self.tile.rows, -(-self.tile.rows // lanes))
        return Form(self.tile.columns(self.machine), self.tile.vectors)

    @property
    def _stages(self) -> tuple[bool, bool]:
        staged = self._staged
        return staged is self.left, staged is self.right and staged is not None

    # --- tasks -----------------------------------------------------------------------------------

    def tasks(self) -> Sequence[Task]:
        staged = self._staged
        shape = (
            "product",
            self.machine,
            self.tile,
            self.epilogue.shape,
            None if staged is None else (staged.shape, self._form, self._stages),
        )
        code = llvm.compiled(shape, self._write)
        words, common = self._words, self._common_words()
        chunks = [words.pack({**common, **self._chunk_words(chunk)}) for chunk in self.chunks]
        slots = [self.left.slot, self.right.slot, *(place.slot for place in self.epilogue.places)]
        return [Task(code, chunks, max(slots) + 1)]

    @property
    def _words(self) -> Words:
        names = [f"{side}_{name}" for side in ("left", "right") for name in ("slot", "offset", "step")]
        names += [f"{side}_batch_{n}" for side in ("left", "right") for n in range(BATCH_LOOPS)]
        names += ["left_row_stride", "left_depth_stride", "pitch", "depth", "block", "row_count"]
        names += [f"batch_{n}" for n in range(BATCH_LOOPS)]
        names += [f"{name}_{end}" for name in ("batch", "row", "column") for end in ("first", "last")]
        staged = self._staged
        names += [] if staged is None else list(staged.words())
        return Words([*names, *self.epilogue.words()])

    def _common_words(self) -> dict[str, int]:
        found = {f"batch_{n}": size for n, size in enumerate(padded(self.batch, BATCH_LOOPS, 1))}
        for side, operand in (("left", self.left), ("right", self.right)):
            strides = _batch_bytes(operand)
            found |= {f"{side}_batch_{n}": stride for n, stride in enumerate(padded(strides, BATCH_LOOPS, 0))}
            found[f"{side}_slot"] = operand.slot
        found |= {"depth": self.depth, "block": self.tile.depth_block(self.depth), "row_count": self.sizes[0]}
        rows, steps = _row_strides(self.left)
        found |= {"left_row_stride": rows, "left_depth_stride": steps}
        found |= self._step_words()
        staged = self._staged
        found |= {} if staged is None else staged.words()
        return found | self.epilogue.values_of_words(self.folds)

    def _step_words(self) -> dict[str, int]:
        """Bytes from tile to tile, and from row to row of the right operand."""
        tile = self.tile
        staged = self._staged
        panel = 0 if staged is None else staged.panel_bytes(self._form, self.machine.vector_bytes)
        width = tile.columns(self.machine)
        if isinstance(self.left, Matrix):
            left = tile.rows * self.left.lane_stride * CELL_BYTES
        else:
            left = self.left.panels.panel_bytes if isinstance(self.left, Packed) else panel
        if isinstance(self.right, Matrix):
            right, pitch = width * CELL_BYTES, self.right.depth_strides[0] * CELL_BYTES
        else:
            right = self.right.panels.panel_bytes if isinstance(self.right, Packed) else panel
            pitch = width * CELL_BYTES
        return {"left_step": left, "right_step": right, "pitch": pitch}

    def _chunk_words(self, chunk: Chunk) -> dict[str, int]:
        """Where the operands of a chunk begin. Staged ones count lanes by themselves."""
        row, column = chunk.rows[0], chunk.columns[0]
        offsets = []
        for operand, lane, width in (
            (self.left, row, self.tile.rows),
            (self.right, column, self.tile.columns(self.machine)),
        ):
            if isinstance(operand, Matrix):
                offsets.append((operand.offset + lane * operand.lane_stride) * CELL_BYTES)
            elif isinstance(operand, Packed):
                offsets.append(operand.offset + lane // width * operand.panels.panel_bytes)
            else:
                offsets.append(operand.offset * operand.source.element_bytes)
        ends = {"batch": chunk.batch, "row": chunk.rows, "column": chunk.columns}
        found = {f"{name}_{end}": pair[n] for name, pair in ends.items() for n, end in enumerate(("first", "last"))}
        return found | {"left_offset": offsets[0], "right_offset": offsets[1]}

    # --- code ------------------------------------------------------------------------------------

    def _write(self) -> str:
        e = Writer(self.machine)
        words, staged = self._words, self._staged
        emit_tile(e, self.tile, self.epilogue)
        if self.tile.holds_results:
            emit_held(e, self.tile, self.epilogue)
        if staged is not None:
            staged.emit(e, words, self._form)
        with e.function("block", "ptr %parameters, ptr %left, ptr %right, ptr %context, ptr %staging"):
            emit_block(e, words, self.tile, *self._stages)
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True, is_cold=True):
            self._emit_batch(e, words)
            if self.tile.streams_results:
                # Streaming stores are ordered with nothing: whoever waits for this call must see them.
                e.do("fence seq_cst")
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
    size = CELL_BYTES if isinstance(operand, Matrix) else operand.source.element_bytes
    return tuple(stride * size for stride in operand.batch_strides)


def _row_strides(operand: Operand) -> tuple[int, int]:
    """From row to row and from step to step in depth, of an operand that is read in place."""
    if not isinstance(operand, Matrix):
        return 0, 0
    return operand.lane_stride * CELL_BYTES, operand.depth_strides[0] * CELL_BYTES
