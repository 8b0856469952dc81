"""Plans as native tasks: the kernel of a plan, its parameters, and how the work is cut into chunks."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from anydml.core.datatype import DataType
from anydml.runtime.moves.kernels import convert, fill, gather, pick, regroup, runs, scatter, spread, tile, touch, weave
from anydml.runtime.moves.kernels.frame import Frame, LoopValues, Lowered, Shape
from anydml.runtime.moves.plan import Loop, MovePlan
from anydml.runtime.native import llvm, slots
from anydml.runtime.native.emit import Emitter, pointers_to
from anydml.runtime.native.schedule import WORD
from anydml.runtime.native.tasks import Task

LOOP_WORDS = 3
"""A loop's size, source stride and destination stride."""
SCALE_WORDS = 2
SIDE_WORDS = 2
"""The slot of a side, and where its first element lies in it, in bytes."""
END = Loop(0, 0, 0)
"""Ends the list of outer loops."""

KERNELS = {
    "runs": runs,
    "fill": fill,
    "pick": pick,
    "weave": weave,
    "regroup": regroup,
    "tile": tile,
    "gather": gather,
    "scatter": scatter,
    "spread": spread,
}
OTHERS = {"convert": convert, "touch": touch}
"""Kernels that no plan of a plain move chooses."""
INNER_LOOPS = {
    "runs": 3,
    "fill": 1,
    "pick": 2,
    "weave": 2,
    "regroup": 3,
    "tile": 3,
    "gather": 2,
    "scatter": 1,
    "spread": 2,
    "convert": 1,
    "touch": 3,
}
EXTRAS = {
    "runs": 2,
    "fill": 0,
    "pick": 4,
    "weave": 1,
    "regroup": 3,
    "tile": 6,
    "gather": 2,
    "scatter": 0,
    "spread": 0,
    "convert": 2,
    "touch": 4,
}


def lower(
    plan: MovePlan,
    vector_bytes: int,
    stream: bool,
    types: tuple[DataType, DataType] | None = None,
    scale_bias: tuple[float, float] | None = None,
) -> Lowered:
    if types is not None and plan.kernel == "convert":
        return convert.lower(plan, vector_bytes, types, scale_bias)
    # What is converted is staged, as what is streamed is.
    lowered: Lowered = KERNELS[plan.kernel].lower(plan, vector_bytes, stream or types is not None)
    return lowered if types is None else convert.written(lowered, types, scale_bias)


def module_text(shape: Shape) -> str:
    """The kernel's LLVM IR: `nest` runs the outer loops and calls `inner`, which runs the inner ones."""
    e = Emitter(shape.vector_bytes)
    names = ("parameters", "source", "destination", "staging")
    with e.function("inner", ", ".join(f"ptr noalias %{name}" for name in names)):
        _emit_inner(e, shape)
    _emit_nest(e)
    with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True, is_cold=True):
        words = [_load_word(e, "%parameters", number) for number in range(2 * SIDE_WORDS)]
        source, destination = (slots.start(e, *words[side : side + SIDE_WORDS]) for side in (0, SIDE_WORDS))
        outer = e.at("%parameters", _outer_word(shape) * WORD)
        e.do(f"call void @nest({pointers_to('%parameters', outer, source, destination, '%staging')})")
        if shape.stream:
            # Streaming stores are ordered with nothing: whoever waits for this call must see them.
            e.do("fence seq_cst")
    return e.module()


def _emit_inner(e: Emitter, shape: Shape) -> None:
    count, first = INNER_LOOPS[shape.kernel], 2 * SIDE_WORDS
    places = [e.at("%parameters", (first + number * LOOP_WORDS) * WORD) for number in range(count)]
    loops = tuple(_load_loop(e, place) for place in places)
    words = range(first + count * LOOP_WORDS, _outer_word(shape))
    extras = tuple(_load_word(e, "%parameters", number) for number in words)
    own = EXTRAS[shape.kernel]
    frame = Frame(e, shape, "%source", "%destination", loops, extras[:own], "%staging", extras[own:])
    (KERNELS | OTHERS)[shape.kernel].emit(frame)


def _outer_word(shape: Shape) -> int:
    """Where the outer loops begin in the parameters: after what the kernel itself needs, and what converts."""
    inner = INNER_LOOPS[shape.kernel] * LOOP_WORDS + EXTRAS[shape.kernel]
    return 2 * SIDE_WORDS + inner + (SCALE_WORDS if shape.written else 0)


def _load_loop(e: Emitter, place: str) -> LoopValues:
    return LoopValues(*(_load_word(e, place, number) for number in range(LOOP_WORDS)))


def _load_word(e: Emitter, place: str, number: int) -> str:
    return e.load("i64", e.at(place, number * WORD), WORD)


def _emit_nest(e: Emitter) -> None:
    """Runs one loop and, by calling itself, those within it: written out, a nest of loops takes longer to
    compile than most kernels. A loop of size 0 ends the list: there the inner loops are run."""
    names = ("parameters", "loop", "source", "destination", "staging")
    with e.function("nest", ", ".join(f"ptr noalias %{name}" for name in names), is_cold=True):
        loop = _load_loop(e, "%loop")
        with e.when(e.value(f"icmp eq i64 {loop.size}, 0")):
            e.do(f"call void @inner({pointers_to('%parameters', '%source', '%destination', '%staging')})")
        following = e.at("%loop", LOOP_WORDS * WORD)
        with e.loop(0, loop.size) as i:
            source = e.at("%source", e.multiply(i, loop.source_stride))
            destination = e.at("%destination", e.multiply(i, loop.destination_stride))
            e.do(f"call void @nest({pointers_to('%parameters', following, source, destination, '%staging')})")


@dataclass(frozen=True)
class Sides:
    """Where a task finds its buffers: slots, or the bytes of a source that is a constant."""

    source: int | bytes
    destination: int

    def __post_init__(self) -> None:
        for slot in (self.source, self.destination):
            if isinstance(slot, int) and slot < 0 and slot != slots.OWN_THREAD:
                raise ValueError(f"slot: found {slot}, expected at least 0")

    @property
    def slot_count(self) -> int:
        return max(self.destination, self.source if isinstance(self.source, int) else 0) + 1


def task(plan: MovePlan, lowered: Lowered, sides: Sides, pieces: int) -> Task:
    """The whole move, cut into about so many chunks."""
    return task_of(parts(plan, lowered, pieces), lowered, sides)


@dataclass(frozen=True)
class Part:
    """What one chunk moves, and the parameters of its kernel besides the loops."""

    plan: MovePlan
    extras: tuple[int, ...]


def task_of(chunks: Iterable[Part], lowered: Lowered, sides: Sides) -> Task:
    """Chunks with equally many loops as one task."""
    code = llvm.compiled(lowered.shape, lambda: module_text(lowered.shape))
    return Task(code, [_chunk(part, sides) for part in chunks], sides.slot_count)


def parts(plan: MovePlan, lowered: Lowered, pieces: int) -> Iterator[Part]:
    """Each chunk, in the order in which a kernel that runs all of them would come to them: what it asks
    for ahead of time is then useful to the next one."""
    count = len(plan.outer)
    order = [*range(count), *(count + number for number in lowered.order)]
    loops = plan.outer + plan.inner
    grains = (1,) * count + lowered.grains
    ranges = _parts_of_loops([(loops[number].size, grains[number]) for number in order], pieces)
    for chosen in product(*ranges):
        part, starts, places = list(loops), [plan.source_offset, plan.destination_offset], {}
        for number, (first, last) in zip(order, chosen, strict=True):
            loop = loops[number]
            part[number], places[number - count] = replace(loop, size=last - first), (first, loop.size - last)
            starts = [starts[0] + first * loop.source_stride, starts[1] + first * loop.destination_stride]
        placed = () if lowered.placed is None else places[lowered.placed]
        outer, inner = tuple(part[:count]), tuple(part[count:])
        chunk = replace(plan, source_offset=starts[0], destination_offset=starts[1], outer=outer, inner=inner)
        yield Part(chunk, placed + lowered.extras)


def _parts_of_loops(loops: Sequence[tuple[int, int]], pieces: int) -> Iterator[list[tuple[int, int]]]:
    """Each loop, given by its size and grain, as parts (first, last). Outer loops are cut first; together the parts
    make about so many pieces."""
    for size, grain in loops:
        parts = _parts(size, grain, pieces)
        pieces = -(-pieces // len(parts))
        yield parts


def _parts(size: int, grain: int, pieces: int) -> list[tuple[int, int]]:
    """Even parts whose bounds are multiples of the grain; the last takes the rest, so none is short."""
    units = size // grain if grain else 1
    pieces = max(1, min(pieces, units))
    bounds = [units * number // pieces * grain for number in range(pieces)]
    return list(zip(bounds, [*bounds[1:], size], strict=True))


def _chunk(part: Part, sides: Sides) -> list[int]:
    plan = part.plan
    starts = plan.source_offset, plan.destination_offset
    body = [*_words(plan.inner), *part.extras, *_words(plan.outer), *_words([END])]
    if isinstance(sides.source, int):
        return [sides.source, starts[0], sides.destination, starts[1], *body]
    constant_at = (2 * SIDE_WORDS + len(body)) * WORD
    head = [slots.OWN_PARAMETERS, constant_at + starts[0], sides.destination, starts[1]]
    return [*head, *body, *_words_of(sides.source)]


def _words_of(data: bytes) -> list[int]:
    padded = data + bytes(-len(data) % WORD)
    return list(struct.unpack(f"={len(padded) // WORD}q", padded))


def _words(loops: Sequence[Loop]) -> list[int]:
    return [word for loop in loops for word in (loop.size, loop.source_stride, loop.destination_stride)]
