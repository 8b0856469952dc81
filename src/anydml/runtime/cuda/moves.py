"""Nests that only move elements: which kernel moves them, chosen from the same plans as on the processor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anydml.core.layout import Layout
from anydml.core.steps import Access, Nest
from anydml.runtime.cuda.text.exchange import MOST_CHANNELS, ExchangeKernel
from anydml.runtime.cuda.text.pointwise import Launch, PointwiseKernel
from anydml.runtime.cuda.text.tiles import SHORTEST, TileKernel
from anydml.runtime.moves.plan import ONCE, Loop, MovePlan, plan_move

SMALL_ELEMENTS = 1 << 12
"""Fewer elements are moved one by one: it takes no longer."""
_MOST_BLOCKS = 1 << 31
_LONGEST_SPAN = 1 << 32
"""Elements that a layout may span; copies of whole buffers, byte by byte, may be longer."""


class MoveKernel:
    """A copy made ready, by a kernel for its pattern where there is one."""

    def __init__(self, nest: Nest) -> None:
        self.plain = PointwiseKernel(nest)
        self.accesses = self.plain.accesses
        self.specials = _specials(nest) if nest.iterations >= SMALL_ELEMENTS else []

    def launch(self, addresses: Sequence[int]) -> Launch:
        destination, source = addresses
        for special in self.specials:
            if _is_aligned(special.plan, source, destination):
                found = special.launch(source, destination)
                if found.blocks < _MOST_BLOCKS:
                    return found
        return self.plain.launch(addresses)


def kernel_of(nest: Nest) -> MoveKernel | PointwiseKernel:
    """The kernel of any nest."""
    if nest.is_copy and not nest.loads[0].type.is_packed_pair:
        return MoveKernel(nest)
    return PointwiseKernel(nest)


def _specials(nest: Nest) -> list[TileKernel | ExchangeKernel]:
    """Kernels for neighbouring elements moved as one, and for single elements, where those are not aligned."""
    source, destination = nest.loads[0], nest.stores[0].access
    if max(_reach(nest.sizes, access) for access in (source, destination)) >= _LONGEST_SPAN:
        return []
    layouts, size = (_layout(nest.sizes, source), _layout(nest.sizes, destination)), source.type.element_bytes
    found = [_special(plan_move(*layouts, size)), _special(plan_move(*layouts, size, size))]
    return [special for special in found if special is not None]


def _is_aligned(plan: MovePlan, source: int, destination: int) -> bool:
    """Whether every element starts at a multiple of its size."""
    starts = [source + plan.source_offset, destination + plan.destination_offset]
    loops = [n for loop in (*plan.outer, *plan.inner) for n in (loop.source_stride, loop.destination_stride)]
    return all(number % plan.element_bytes == 0 for number in (*starts, *loops))


def _reach(sizes: Sequence[int], access: Access) -> int:
    low, high = access.bounds(tuple(sizes))
    return high - min(low, 0)


def _layout(sizes: Sequence[int], access: Access) -> Layout:
    loops = [(size, stride) for size, stride in zip(sizes, access.strides, strict=True) if size > 1] or [(1, 1)]
    return Layout([size for size, _ in loops], [stride for _, stride in loops], access.offset)


def _special(plan: MovePlan) -> TileKernel | ExchangeKernel | None:
    loops = tuple(loop for loop in (*plan.outer, *plan.inner) if loop.size > 1)
    return _exchange(plan, loops) or _tile(plan, loops)


def _exchange(plan: MovePlan, loops: tuple[Loop, ...]) -> ExchangeKernel | None:
    """Pixels with a few channels: side by side in the source, in the destination, or in both."""
    element = plan.element_bytes
    plan, loops = _risen(plan, loops)
    pixels_out = [loop for loop in loops if loop.destination_stride == element]
    if not pixels_out and element < 4:
        return _scatter(plan, loops)
    if len(pixels_out) != 1 or element == 16:
        return None
    row = pixels_out[0]
    others = [loop for loop in loops if loop is not row]
    if row.size <= MOST_CHANNELS:
        found = [loop for loop in others if loop.destination_stride == row.size * element]
        many, few = (found[0], row) if found else (ONCE, ONCE)
        is_interleaved = abs(few.source_stride) == element and few.size <= abs(many.source_stride) // element
        fits = abs(many.source_stride) == element or is_interleaved
    else:
        found = [loop for loop in others if abs(loop.source_stride) == element and loop.size <= MOST_CHANNELS]
        many, few = row, found[0] if found else Loop(1, element, element)
        fits = 1 < abs(many.source_stride) // element >= few.size
    pitch = abs(many.source_stride) // element
    if not fits or many.source_stride % element or pitch > MOST_CHANNELS or many.size < 4 * 16 // element:
        return None
    return ExchangeKernel(plan, many, few, tuple(loop for loop in others if loop is not many and loop is not few))


def _scatter(plan: MovePlan, loops: tuple[Loop, ...]) -> ExchangeKernel | None:
    """Small elements to places a few elements apart."""
    element = plan.element_bytes
    many = min(loops, key=lambda loop: loop.destination_stride, default=ONCE)
    pitch, rest = divmod(abs(many.source_stride), element)
    is_near = 0 < pitch <= MOST_CHANNELS and many.destination_stride <= MOST_CHANNELS * element
    if rest or many.destination_stride % element or not is_near or many.size < 4 * 16 // element:
        return None
    return ExchangeKernel(plan, many, Loop(1, element, element), tuple(loop for loop in loops if loop is not many))


def _tile(plan: MovePlan, loops: tuple[Loop, ...]) -> TileKernel | None:
    """A loop that is contiguous in the source, and another one that is in the destination."""
    element = plan.element_bytes
    plan, loops = _risen(plan, loops)
    row = next((loop for loop in loops if loop.destination_stride == element), ONCE)
    found = [loop for loop in loops if abs(loop.source_stride) == element and loop is not row]
    across = max(found, key=lambda loop: loop.size, default=ONCE)
    if min(row.size, across.size) < SHORTEST or abs(row.source_stride) == element or not row.source_stride:
        return None
    outer = tuple(loop for loop in loops if loop is not row and loop is not across)
    if across.source_stride < 0:
        ends = (across.size - 1) * across.source_stride, (across.size - 1) * across.destination_stride
        offsets = plan.source_offset + ends[0], plan.destination_offset + ends[1]
        plan = replace(plan, source_offset=offsets[0], destination_offset=offsets[1])
        across = across.flipped()
    return TileKernel(plan, across, row, outer)


def _risen(plan: MovePlan, loops: tuple[Loop, ...]) -> tuple[MovePlan, tuple[Loop, ...]]:
    """The same with every loop rising in the destination: plans for the processor turn some around."""
    source, destination = plan.source_offset, plan.destination_offset
    risen = []
    for loop in loops:
        if loop.destination_stride < 0:
            source += (loop.size - 1) * loop.source_stride
            destination += (loop.size - 1) * loop.destination_stride
            loop = loop.flipped()
        risen.append(loop)
    return replace(plan, source_offset=source, destination_offset=destination), tuple(risen)
