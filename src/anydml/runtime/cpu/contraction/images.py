"""Convolutions of many images that are copied first: some at a time, so that each copy is read from the caches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from anydml.core.steps import Nest, Step
from anydml.runtime.cpu.contraction.epilogue import Epilogue, Place
from anydml.runtime.cpu.contraction.indirect import IndirectWindows
from anydml.runtime.cpu.contraction.panels import Pack
from anydml.runtime.cpu.contraction.product import Product
from anydml.runtime.cpu.expand import Workspace

COPY_BYTES = 2 << 20
"""Of images that are copied at once: what the second-level caches of two cores hold."""
_FEWEST_CHUNKS = 16
"""More images are, if they have not so many chunks."""


def some_at_a_time(steps: Sequence[Step], workspace: Workspace) -> list[Step]:
    """A copy of all images and the convolution that reads it as several of both; unchanged where that is no gain."""
    match steps:
        case [Nest() as copy, Pack() as packing, Product() as product, *after]:
            count = _images_at_once(copy, product)
            if count is not None:
                slot = copy.stores[0].access.slot
                size = count * prod(copy.sizes[1:]) * copy.stores[0].access.type.element_bytes
                workspace.slots[slot] = replace(workspace.slots[slot], size_in_bytes=size)
                return [packing, *_parts(copy, product, count), *after]
    return list(steps)


def _images_at_once(copy: Nest, product: Product) -> int | None:
    """None for all of them."""
    images, groups = product.batch
    target, left = copy.stores[0].access, product.left
    if not isinstance(left, IndirectWindows) or left.slot != target.slot or left.offset or copy.sizes[0] != images:
        return None
    size = prod(copy.sizes[1:]) * target.type.element_bytes
    # Chunks of several images are kept as they are, and threads need many chunks to share.
    unit = max(-(-(last - first) // groups) for first, last in _batches(product))
    shared = -(-_FEWEST_CHUNKS * images // len(product.chunks))
    count = -(-max(1, COPY_BYTES // size, shared) // unit) * unit
    is_whole = all(first // groups // count == (last - 1) // groups // count for first, last in _batches(product))
    return count if count < images and is_whole else None


def _batches(product: Product) -> Iterator[tuple[int, int]]:
    return (chunk.batch for chunk in product.chunks)


def _parts(copy: Nest, product: Product, count: int) -> Iterator[Step]:
    images, groups = product.batch
    for first in range(0, images, count):
        size = min(count, images - first)
        yield _copy_of(copy, first, size)
        span = first * groups, (first + size) * groups
        chunks = [
            replace(chunk, batch=(chunk.batch[0] - span[0], chunk.batch[1] - span[0]))
            for chunk in product.chunks
            if span[0] <= chunk.batch[0] < span[1]
        ]
        left = product.left
        assert isinstance(left, IndirectWindows)
        yield replace(
            product,
            left=replace(left, windows=replace(left.windows, batch=(size, groups))),
            batch=(size, groups),
            epilogue=_moved(product.epilogue, first),
            chunks=tuple(chunks),
        )


def _copy_of(copy: Nest, first: int, size: int) -> Nest:
    """Of some images, to where all others are copied as well."""
    (load,) = copy.loads
    source = replace(load, offset=load.offset + first * load.strides[0])
    return replace(copy, sizes=(size, *copy.sizes[1:]), loads=(source,))


def _moved(epilogue: Epilogue, images: int) -> Epilogue:
    """As the image after so many sees it."""

    def moved(place: Place) -> Place:
        return replace(place, offset=place.offset + images * place.batch[0])

    loads, stores = (tuple(map(moved, places)) for places in (epilogue.loads, epilogue.stores))
    return replace(epilogue, loads=loads, stores=stores)
