"""Plans as calls of machine code: the parameters of each call, and how the work is cut into calls."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import local

from anydml.core.datatype import DataType
from anydml.runtime.moves.emit import Emitter, pointers_to
from anydml.runtime.moves.kernels import convert, fill, gather, pick, regroup, runs, scatter, tile, weave
from anydml.runtime.moves.kernels.frame import (
    STAGING_BYTES,
    STAGING_SLACK,
    Frame,
    LoopValues,
    Lowered,
    Shape,
)
from anydml.runtime.moves.plan import LINE_BYTES, Loop, MovePlan

WORD = 8
LOOP_WORDS = 3
"""A loop's size, source stride and destination stride."""
SCALE_WORDS = 2
END = Loop(0, 0, 0)
"""Ends the list of outer loops."""

Function = Callable[[int, int, int, int], None]
"""`move(parameters, source, destination, staging)`: four addresses."""
KERNELS = {
    "runs": runs,
    "fill": fill,
    "pick": pick,
    "weave": weave,
    "regroup": regroup,
    "tile": tile,
    "gather": gather,
    "scatter": scatter,
}
INNER_LOOPS = {
    "runs": 3,
    "fill": 1,
    "pick": 2,
    "weave": 2,
    "regroup": 3,
    "tile": 3,
    "gather": 2,
    "scatter": 1,
    "convert": 1,
}
EXTRAS = {"runs": 2, "fill": 0, "pick": 2, "weave": 1, "regroup": 3, "tile": 4, "gather": 2, "scatter": 0, "convert": 2}


@dataclass(frozen=True)
class Call:
    """One call of a kernel: its parameters and where its part of the buffers starts, in bytes."""

    function: Function
    parameters: ctypes.Array[ctypes.c_int64]
    address: int
    """Of the parameters, which live as long as the call does."""
    source_offset: int
    destination_offset: int

    def run(self, source: int, destination: int) -> None:
        """Moves this part between buffers given by the addresses of their element 0."""
        self.function(
            self.address, source + self.source_offset, destination + self.destination_offset, _staging_address()
        )


class _Staging(local):
    """Memory a thread's kernels stage in. It is not on the stack: small stacks could not hold it."""

    def __init__(self) -> None:
        self.memory = ctypes.create_string_buffer(STAGING_BYTES + STAGING_SLACK + LINE_BYTES)
        start = ctypes.addressof(self.memory)
        self.address = start + -start % LINE_BYTES


_staging = _Staging()


def _staging_address() -> int:
    return _staging.address


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
    """The kernel's LLVM IR: `move` runs the outer loops and calls the kernel, which runs the inner ones."""
    e = Emitter(shape.vector_bytes)
    names = ("parameters", "source", "destination", "staging")
    pointers = ", ".join(f"ptr noalias %{name}" for name in names)
    with e.function("kernel", pointers):
        _emit_kernel(e, shape)
    _emit_nest(e)
    with e.function("move", pointers, exported=True):
        outer = e.at("%parameters", _outer_word(shape) * WORD)
        e.do(f"call void @nest({pointers_to('%parameters', outer, '%source', '%destination', '%staging')})")
        if shape.stream:
            # Streaming stores are ordered with nothing: whoever waits for this call must see them.
            e.do("fence seq_cst")
    return e.module()


def _emit_kernel(e: Emitter, shape: Shape) -> None:
    count = INNER_LOOPS[shape.kernel]
    loops = tuple(_load_loop(e, e.at("%parameters", number * LOOP_WORDS * WORD)) for number in range(count))
    words = range(count * LOOP_WORDS, _outer_word(shape))
    extras = tuple(_load_word(e, "%parameters", number) for number in words)
    own = EXTRAS[shape.kernel]
    frame = Frame(e, shape, "%source", "%destination", loops, extras[:own], "%staging", extras[own:])
    (convert if shape.kernel == "convert" else KERNELS[shape.kernel]).emit(frame)


def _outer_word(shape: Shape) -> int:
    """Where the outer loops begin in the parameters: after what the kernel itself needs, and what converts."""
    return INNER_LOOPS[shape.kernel] * LOOP_WORDS + EXTRAS[shape.kernel] + (SCALE_WORDS if shape.written else 0)


def _load_loop(e: Emitter, place: str) -> LoopValues:
    return LoopValues(*(_load_word(e, place, number) for number in range(LOOP_WORDS)))


def _load_word(e: Emitter, place: str, number: int) -> str:
    return e.load("i64", e.at(place, number * WORD), WORD)


def _emit_nest(e: Emitter) -> None:
    """Runs one loop and, by calling itself, those within it: written out, a nest of loops takes longer to
    compile than most kernels. A loop of size 0 ends the list: there the kernel is called."""
    names = ("parameters", "loop", "source", "destination", "staging")
    with e.function("nest", ", ".join(f"ptr noalias %{name}" for name in names)):
        loop = _load_loop(e, "%loop")
        with e.when(e.value(f"icmp eq i64 {loop.size}, 0")):
            e.do(f"call void @kernel({pointers_to('%parameters', '%source', '%destination', '%staging')})")
        following = e.at("%loop", LOOP_WORDS * WORD)
        with e.loop(0, loop.size) as i:
            source = e.at("%source", e.multiply(i, loop.source_stride))
            destination = e.at("%destination", e.multiply(i, loop.destination_stride))
            e.do(f"call void @nest({pointers_to('%parameters', following, source, destination, '%staging')})")


def calls(plan: MovePlan, lowered: Lowered, function: Function, pieces: int) -> list[Call]:
    """The whole move as calls that can run side by side."""
    loops = plan.outer + plan.inner
    grains = (1,) * len(plan.outer) + lowered.grains
    chosen = _loop_to_cut(loops, grains, pieces, len(plan.outer))
    if chosen is None:
        return [_call(plan, loops, lowered, function, (0, 0))]
    cut = loops[chosen]
    result = []
    for first, last in _parts(cut.size, grains[chosen], pieces):
        part = (*loops[:chosen], replace(cut, size=last - first), *loops[chosen + 1 :])
        start = (first * cut.source_stride, first * cut.destination_stride)
        result.append(_call(plan, part, lowered, function, start))
    return result


def _loop_to_cut(loops: Sequence[Loop], grains: Sequence[int], pieces: int, outer_count: int) -> int | None:
    """The outermost loop around the kernel that gives enough pieces, else the loop that gives most."""
    if pieces < 2:
        return None
    counts = [loop.size // grain if grain else 0 for loop, grain in zip(loops, grains, strict=True)]
    enough = [number for number, count in enumerate(counts[:outer_count]) if count >= pieces]
    best = enough[0] if enough else max(range(len(counts)), key=counts.__getitem__)
    return best if counts[best] >= 2 else None


def _parts(size: int, grain: int, pieces: int) -> list[tuple[int, int]]:
    """Even parts whose bounds are multiples of the grain; the last takes the rest, so none is short."""
    units = size // grain
    pieces = min(pieces, units)
    bounds = [units * number // pieces * grain for number in range(pieces)]
    return list(zip(bounds, [*bounds[1:], size], strict=True))


def _call(plan: MovePlan, loops: Sequence[Loop], lowered: Lowered, function: Function, start: tuple[int, int]) -> Call:
    outer_count = len(plan.outer)
    words = [*_words(loops[outer_count:]), *lowered.extras, *_words(loops[:outer_count]), *_words([END])]
    parameters = (ctypes.c_int64 * len(words))(*words)
    starts = plan.source_offset + start[0], plan.destination_offset + start[1]
    return Call(function, parameters, ctypes.addressof(parameters), *starts)


def _words(loops: Sequence[Loop]) -> list[int]:
    return [word for loop in loops for word in (loop.size, loop.source_stride, loop.destination_stride)]
