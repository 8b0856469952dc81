"""Transposes: a tile is read along the source's rows, turned in registers, kept in a staging
tile in the order of the destination, and written along the destination's rows in whole lines.

Strides that are large powers of two map every row to the same cache sets. Each source line is
therefore read once, whole, and each destination line written once, whole: no line must survive
in a cache for longer than one tile.
"""

from __future__ import annotations

from anydml.runtime.moves.emit import Emitter, Value, vector
from anydml.runtime.moves.kernels.rows import copy_row

STAGING_BYTES = 32 * 1024


def emit_tile(
    e: Emitter,
    element: int,
    rows: int,
    lanes: int,
    stream: bool,
    p,
    source: str,
    destination: str,
    staging: str,
    prefetch=0,
) -> None:
    a_size, b_size, a_source, b_destination, a_tile, b_tile = p
    with e.loop(0, b_size, b_tile) as b0:
        b_count = e.minimum(b_tile, e.subtract(b_size, b0))
        with e.loop(0, a_size, a_tile) as a0:
            a_count = e.minimum(a_tile, e.subtract(a_size, a0))
            tile_source = e.at(source, e.add(e.multiply(a0, a_source), e.multiply(b0, element)))
            tile_destination = e.at(
                destination, e.add(e.multiply(a0, element), e.multiply(b0, b_destination))
            )
            pitch = e.multiply(a_count, element)
            _turn(e, element, rows, lanes, tile_source, a_source, a_count, b_count, staging, pitch, prefetch)
            with e.loop(0, b_count) as b:
                copy_row(
                    e,
                    e.at(tile_destination, e.multiply(b, b_destination)),
                    e.at(staging, e.multiply(b, pitch)),
                    pitch,
                    stream,
                )


def _turn(e, element, rows, lanes, source, a_source, a_count, b_count, staging, pitch, prefetch):
    blocks = e.mask(e.add(a_count, rows - 1), -rows)
    with e.loop(0, blocks, rows) as i:
        a0 = e.subtract(e.subtract(blocks, rows), i)
        last = e.subtract(a_count, 1)
        pointers = []
        for row in range(rows):
            a = e.minimum(e.add(a0, row), last)
            pointers.append(e.at(source, e.multiply(a, a_source)))
        with e.loop(0, b_count, lanes) as b_wanted:
            b = e.minimum(b_wanted, e.subtract(b_count, lanes))
            off = e.multiply(b, element)
            kind = vector(lanes, f"i{element * 8}")
            vectors = []
            for pt in pointers:
                q = e.at(pt, off)
                vectors.append(e.load(kind, q))
                if prefetch:
                    e.prefetch(e.at(q, prefetch))
            out = zip_all(e, kind, lanes, vectors)
            base = e.at(staging, e.add(e.multiply(a0, element), e.multiply(b, pitch)))
            store_rows(e, element, rows, lanes, out, base, pitch)


def zip_all(e, kind, lanes, vectors):
    """Each pass is a perfect shuffle of all lanes: it rotates the bits of (row, lane) by one."""
    half = len(vectors) // 2
    low = [x for i in range(lanes // 2) for x in (i, lanes + i)]
    high = [x + lanes // 2 for x in low]
    passes = len(vectors).bit_length() - 1
    for _ in range(passes):
        vectors = [
            e.shuffle(kind, vectors[i], vectors[i + half], m) for i in range(half) for m in (low, high)
        ]
    return vectors


def store_rows(e, element, rows, lanes, out, base, pitch):
    per = lanes // rows
    kind = vector(lanes, f"i{element * 8}")
    b = 0
    for v in out:
        for piece in range(per):
            x = v if per == 1 else e.shuffle(kind, v, None, range(piece * rows, (piece + 1) * rows))
            e.store(vector(rows, f"i{element * 8}"), x, e.at(base, e.multiply(pitch, b)))
            b += 1
