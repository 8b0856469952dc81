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
FEWEST_CHUNKS = 12
"""Where more chunks would have to pack the same operand again."""
BLOCK_BYTES = 384 * 1024
"""Of a packed operand that stays in the second-level cache while the other one passes by."""


def tile_of(
    machine: Machine, cells: Cells, rows: int, columns: int, is_left_packed: bool, is_right_in_place: bool = False
) -> Tile:
    """Tiles that waste few rows: a result of 40 rows is cut into 3 times 14, not into 16, 16 and 8."""
    most = most_rows(machine)
    height = even_part(rows, most)
    # Sums, vectors of the right operand, and what a product takes before it is added.
    spare = machine.registers - (2 if machine.registers > 16 else 3)
    vectors = max(1, min(spare // (height + 1), 14 if is_right_in_place and height == 1 else 4))
    if machine.registers > 16 and height > 8:
        vectors = 1
    vectors = min(vectors, -(-columns // machine.lanes))
    return Tile(height, vectors, cells, is_left_packed, is_right_in_place)


def most_rows(machine: Machine) -> int:
    if machine.registers <= 16:
        return 6
    return 16 if machine.lanes == 16 else 8


def even_part(size: int, most: int) -> int:
    """The size of parts that are at most `most` and nearly equal."""
    return -(-size // -(-size // most))


def ranges(size: int, part: int) -> list[tuple[int, int]]:
    return [(first, min(size, first + part)) for first in range(0, size, part)]


def wanted_pieces(work: int) -> int:
    return max(1, min(WANTED_CHUNKS, work // LEAST_WORK))


def part_of(size: int, unit: int, pieces: int, most: int) -> int:
    """The size of parts, whole units each, so that there are about so many pieces and none is above `most`."""
    units = -(-size // unit)
    count = max(1, min(units, max(pieces, -(-size // most))))
    return -(-units // count) * unit


def cut(
    batch: int, sizes: tuple[int, int], units: tuple[int, int], most: tuple[int, int], work: int, staged: int | None
) -> Iterator[Chunk]:
    """Chunks of whole tiles: `units` rows and columns, at most `most` of each.

    An operand that chunks pack for themselves (`staged`: 0 is the left one) is cut first; cutting the other one means
    packing again, which is done only for the sake of a few chunks.
    """
    pieces = wanted_pieces(work)
    batch_part = even_part(batch, max(1, batch // pieces))
    pieces = -(-pieces // -(-batch // batch_part))
    first = 1 if staged is None else staged
    parts = [0, 0]
    parts[first] = part_of(sizes[first], units[first], pieces, most[first])
    made = -(-sizes[first] // parts[first])
    if staged is not None:
        pieces = min(pieces, FEWEST_CHUNKS)
    parts[1 - first] = part_of(sizes[1 - first], units[1 - first], -(-pieces // made), most[1 - first])
    for chosen in combinations(ranges(batch, batch_part), ranges(sizes[0], parts[0]), ranges(sizes[1], parts[1])):
        yield Chunk(*chosen)
