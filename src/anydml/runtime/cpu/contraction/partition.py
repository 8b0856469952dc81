"""How a product is cut: the form of its tiles, and the parts that threads claim.

Only sizes decide, never the number of threads: results are the same bit for bit however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as combinations

from anydml.runtime.cpu.contraction.cells import Cells
from anydml.runtime.cpu.contraction.machine import Machine
from anydml.runtime.cpu.contraction.product import Chunk
from anydml.runtime.cpu.contraction.tile import Tile

LEAST_WORK = 1 << 19
"""Multiplications that are worth a thread of their own: about five microseconds."""
WANTED_CHUNKS = 24
"""So many that threads which come late, or are held up, do not hold up the others for long."""
BLOCK_BYTES = 384 * 1024
"""Of a packed operand that stays in the second-level cache while the other one passes by."""


def tile_of(machine: Machine, cells: Cells, rows: int, columns: int, is_left_packed: bool) -> Tile:
    """Tiles that waste few rows: a result of 40 rows is cut into 3 times 14, not into 16, 16 and 8."""
    most = most_rows(machine)
    height = even_part(rows, most)
    # Sums, vectors of the right operand, and what a product takes before it is added.
    spare = machine.registers - (2 if machine.registers > 16 else 3)
    vectors = max(1, min(spare // (height + 1), 4))
    if machine.registers > 16 and height > 8:
        vectors = 1
    vectors = min(vectors, -(-columns // machine.lanes))
    return Tile(height, vectors, cells, is_left_packed)


def most_rows(machine: Machine) -> int:
    if machine.registers <= 16:
        return 6
    return 16 if machine.lanes == 16 else 8


def even_part(size: int, most: int) -> int:
    """The size of parts that are at most `most` and nearly equal."""
    return -(-size // -(-size // most))


def ranges(size: int, part: int) -> list[tuple[int, int]]:
    return [(first, min(size, first + part)) for first in range(0, size, part)]


def cut(batch: int, rows: int, columns: int, depth: int, tile: Tile, width: int, widest: int) -> Iterator[Chunk]:
    """Chunks of whole tiles. Columns are cut at multiples of `width`, into parts of at most `widest`."""
    pieces = max(1, min(WANTED_CHUNKS, batch * rows * columns * depth // LEAST_WORK))
    batch_part = even_part(batch, max(1, batch // pieces))
    pieces = -(-pieces // -(-batch // batch_part))
    units = -(-columns // width)
    column_units = max(1, min(units, max(pieces, -(-columns // widest))))
    column_part = -(-units // column_units) * width
    pieces = -(-pieces // -(-columns // column_part))
    tiles = -(-rows // tile.rows)
    row_part = -(-tiles // min(tiles, pieces)) * tile.rows
    for chosen in combinations(ranges(batch, batch_part), ranges(rows, row_part), ranges(columns, column_part)):
        yield Chunk(*chosen)
