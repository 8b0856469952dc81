"""Depthwise convolution of images so small that the results of a whole plane stay in registers.

Lanes are the pixels of a plane, line after line. A tap then reads all of them at one distance; those of its pixels that
lie on padding, or in another line, are known before: their lanes are left out by a constant mask.
"""

from __future__ import annotations

from anydml.runtime.cpu.contraction.depthwise import Slide
from anydml.runtime.cpu.contraction.depthwise_tiles import PixelEmitter
from anydml.runtime.cpu.contraction.epilogue import Epilogue
from anydml.runtime.cpu.contraction.machine import Machine

MASKED_VECTOR_BYTES = 64
"""Vectors of this size are loaded in part by one instruction."""
MOST_VECTORS, MOST_TAPS = 4, 49


def fits_planes(down: Slide, across: Slide, epilogue: Epilogue, machine: Machine) -> bool:
    """Whether planes of the result are as wide as those of the input, in one piece each, and small."""
    is_dense = across.stride == 1 and down.stride == across.outputs
    is_even = all(axis.step == 1 for axis in (down, across))
    is_small = down.outputs * across.outputs <= MOST_VECTORS * machine.lanes and across.outputs < machine.lanes
    is_flat = all((place.plain, place.folds[-1]) in ((across.outputs, 1), (0, 0)) for place in epilogue.places)
    is_small = is_small and down.taps * across.taps <= MOST_TAPS
    is_ready = machine.vector_bytes == MASKED_VECTOR_BYTES and epilogue.is_short
    return is_dense and is_even and is_small and is_flat and is_ready


class PlaneEmitter(PixelEmitter):
    def emit_tiles(self) -> None:
        e, step = self.e, self.step
        weights = self.weights()
        count = step.sliding.outputs * step.crossing.outputs
        sums = []
        for first in range(0, count, e.lanes):
            total = self.neutral
            for tap, weight in weights.items():
                lanes = self._lanes(tap, first)
                if any(lanes):
                    total = self.multiply_add(self._load(tap, first, lanes), weight, total)
            sums.append(total)
        whole = count // e.lanes
        if whole:
            step.epilogue.emit_vectors(e, "%context", 0, 0, [sums[:whole]])
        if whole < len(sums):
            mask = e.first_lanes(count - whole * e.lanes)
            step.epilogue.emit_vectors(e, "%context", 0, whole * e.lanes, [sums[whole:]], mask)

    def _lanes(self, tap: tuple[int, int], first: int) -> list[bool]:
        """For each lane whether its pixel has this tap inside of the image."""
        return [self._is_inside(tap, first + lane) for lane in range(self.e.lanes)]

    def _is_inside(self, tap: tuple[int, int], pixel: int) -> bool:
        axes: tuple[Slide, Slide] = (self.step.sliding, self.step.crossing)
        index = divmod(pixel, axes[1].outputs)
        places = [n + axis.start + t * axis.dilation for axis, n, t in zip(axes, index, tap, strict=True)]
        return index[0] < axes[0].outputs and all(0 <= p < axis.size for p, axis in zip(places, axes, strict=True))

    def _load(self, tap: tuple[int, int], first: int, lanes: list[bool]) -> str:
        down, across = self.step.sliding, self.step.crossing
        shift = (down.start + tap[0] * down.dilation) * across.outputs + across.start + tap[1] * across.dilation
        pointer = self.e.at("%input", (first + shift) * self.source.element_bytes)
        mask = f"<{', '.join(f'i1 {int(lane)}' for lane in lanes)}>"
        return self.load(pointer, None if all(lanes) else mask)
