"""How a product is cut: the form of its tiles, and the parts that threads claim.

Only sizes decide, never the number of threads: results are the same bit for bit however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product as combinations
from math import prod

from anydml.core.tensor import round_up
from anydml.runtime.cpu.contraction.cells import Cells
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, FEW_REGISTERS, Machine
from anydml.runtime.cpu.contraction.product import Chunk
from anydml.runtime.cpu.contraction.staged import ROOM_BYTES, SUMS_BYTES
from anydml.runtime.cpu.contraction.tile import Tile, depth_block, even_part

_ROWS_PER_STEP = 2
"""What every step in depth of a tile costs beside its rows."""
_SHORT, _SHORTER = 320, 192
"""Cells in depth that stay in the nearest cache for all rows of a tile; the second number is for machines whose tiles
have few rows, which read the other operand more often."""
_ROWS_BESIDE_THREE = 4
"""With three vectors each, so many rows have all registers, where they are few."""
_TALL, _WIDE = (8, 3), (6, 4)
"""Rows and vectors of tiles that read a right operand in place in long pieces, where registers are many."""
_WASTED_OF_TALL = 17, 16
"""Tall tiles are as good where they compute up to so much more than wide ones would."""
LEAST_WORK = 1 << 18
"""Multiplications that are worth a thread of their own: about five microseconds."""
ROWS_OF_MEMORY = 8
"""Fewer rows take as long: the other operand has to come from memory or a far cache."""
WORK_OF_STORES = 12
"""Shorter sums take as long: results have to be stored."""
WANTED_CHUNKS = 24
"""So many that threads which come late, or are held up, do not hold up the others for long."""
FEWEST_LANES = 128
"""What is packed again for every part of the other operand is used for so many lanes of it."""
LONG_ROW, FEWEST_PARTS = 1024, 4
"""Columns of a row that are read at once where it is read from memory, if that makes so many parts."""
LONG_PIECE = 128
"""Columns of a block of the right operand that are packed at once, if that makes so many parts."""
_STREAMED_ROWS, STREAMED_ROWS_OF_FAR = 2, 64
"""Results of so few rows wait for the right operand: wherever it lies, and where no cache holds it."""
_FAR_RIGHT_BYTES = 16 << 20
"""No cache holds more than these of an operand that is read once."""
_NEAR_RIGHT_BYTES = 2 << 20
"""Short pieces of an operand that has no more are read as quickly as long ones."""
BLOCK_BYTES = 384 * 1024
"""Of a packed operand that stays in the second-level cache while the other one passes by."""
_NEAREST_BYTES = 40 * 1024
"""Of one that chunks pack themselves, if it has so few for all tiles: then it never leaves the nearest cache."""


def tile_of(
    machine: Machine,
    cells: Cells,
    sizes: tuple[int, int, int],
    is_left_packed: bool,
    is_right_in_place: bool = False,
    height: int | None = None,
) -> Tile:
    """Tiles that waste few rows: a result of 40 rows is cut into 3 times 14, not into 16, 16 and 8."""
    rows, columns, depth = sizes
    most = most_rows(machine)
    if is_right_in_place and machine.has_two_units:
        most = min(most, _rows_beside_places(rows, -(-columns // machine.lanes)))
    if not is_left_packed and (depth > short_depth(machine) or columns <= machine.lanes < depth):
        # Rows that lie a power of two apart share places of the nearest cache, which has eight. Beside one vector
        # nearly all that is read are numbers of rows, and eight sums keep two units busy.
        most = min(most, 8)
    # Sums, vectors of the right operand, and a number of the left one; or a product before it is added.
    spare = machine.registers - (1 if machine.registers <= FEW_REGISTERS and machine.fuses and cells.is_float else 2)
    is_half = ends_in_half(columns, machine) and cells.is_float and not is_right_in_place and height is None
    if is_half:
        most = min(most, spare // -(-columns // machine.lanes) - 1)
    if height is None and cells.is_float and has_three_vectors(columns, machine) and rows >= _ROWS_BESIDE_THREE:
        height = _ROWS_BESIDE_THREE
    height = height or tile_height(rows, most)
    vectors = max(1, min(spare // (height + 1), 14 if is_right_in_place and height == 1 else 4))
    if machine.registers > FEW_REGISTERS and height > 8 and not is_half and not machine.has_two_units:
        vectors = 1
    vectors = even_part(-(-columns // machine.lanes), vectors)
    is_streamed = is_right_in_place and rows <= (STREAMED_ROWS_OF_FAR if is_far(depth, columns) else _STREAMED_ROWS)
    is_blocked = depth_block(depth, is_streamed) != depth
    return Tile(height, vectors, cells, is_left_packed, is_half, is_right_in_place, is_streamed, is_blocked)


def _rows_beside_places(rows: int, vectors: int) -> int:
    """Of the tiles that compute less beyond the last row and the last column."""
    tall, wide = (round_up(rows, height) * round_up(vectors, width) for height, width in (_TALL, _WIDE))
    more, of = _WASTED_OF_TALL
    return _TALL[0] if tall * of <= wide * more else _WIDE[0]


def has_three_vectors(columns: int, machine: Machine) -> bool:
    """Whether tiles of three vectors leave none over, and the usual ones of two would, where registers are few."""
    vectors = -(-columns // machine.lanes)
    return machine.registers <= FEW_REGISTERS and machine.fuses and vectors % 6 == 3


def ends_in_half(columns: int, machine: Machine) -> bool:
    """Whether a tile holds all columns and half of its last vector is enough, which takes half the time."""
    return machine.lanes == 16 and columns <= 4 * machine.lanes and 0 < columns % machine.lanes <= machine.lanes // 2


def short_depth(machine: Machine) -> int:
    """Rows up to so long are read in place: all that a tile needs stays in the nearest caches."""
    return _SHORT if machine.registers > FEW_REGISTERS else _SHORTER


def is_far(depth: int, columns: int) -> bool:
    """Whether no cache holds a right operand."""
    return depth * columns * CELL_BYTES > _FAR_RIGHT_BYTES


def most_rows(machine: Machine) -> int:
    if machine.registers <= FEW_REGISTERS:
        return 6
    if machine.lanes < 16:
        return 8
    return 14 if machine.has_two_units else 16


def tile_height(rows: int, most: int) -> int:
    """Rows of a tile, so that all tiles together take the least time: 14 times 14 rows, not 13 times 16, for 196."""
    heights = range(min(rows, most), max(1, most // 2) - 1, -1)
    return min(heights or [rows], key=lambda height: cost_of_rows(rows, height))


def cost_of_rows(rows: int, height: int) -> int:
    """What a step in depth of all tiles costs, in rows."""
    return -(-rows // height) * (height + _ROWS_PER_STEP)


def ranges(size: int, part: int) -> list[tuple[int, int]]:
    return [(first, min(size, first + part)) for first in range(0, size, part)]


def wanted_pieces(work: int) -> int:
    return max(1, min(WANTED_CHUNKS, work // LEAST_WORK))


def part_of(size: int, unit: int, pieces: int, most: int) -> int:
    """The size of parts, whole units each, so that there are about so many pieces and none is above `most`."""
    units = -(-size // unit)
    count = max(1, min(units, max(pieces, -(-size // most))))
    return -(-units // count) * unit


def _is_small(work: Work) -> bool:
    """Whether even shares of the columns matter more than long pieces of the right operand, which are near anyway."""
    return work.rows <= FEWEST_LANES and work.columns * work.depth * CELL_BYTES <= _NEAR_RIGHT_BYTES


@dataclass(frozen=True)
class Work:
    """What is cut: sizes of the batch, the rows, the columns and the depth, in tiles of a form."""

    batch: int
    rows: int
    columns: int
    depth: int
    tile: Tile
    machine: Machine

    @property
    def block(self) -> int:
        return self.tile.depth_block(self.depth)

    @property
    def units(self) -> tuple[int, int]:
        return self.tile.rows, self.tile.columns(self.machine)

    def sums_bytes(self, chunk: Chunk) -> int:
        """Of all tiles of a chunk."""
        spans = zip((chunk.rows, chunk.columns), self.units, strict=True)
        return prod(-(-(last - first) // unit) for (first, last), unit in spans) * self.tile.sums_bytes(self.machine)

    def most_lanes(self, side: int) -> int:
        """Of an operand that is packed: what stays in the second-level cache, a block of depth at a time."""
        unit, pitch = self.units[side], self._pitch(side)
        near = BLOCK_BYTES // (self.block * pitch) * unit
        staged = self.block if self.tile.stages_blocks else self.depth
        room = (ROOM_BYTES - self.machine.vector_bytes**2) // (staged * pitch) * unit
        return max(unit, min(near, room))

    def most_nearest(self, side: int) -> int:
        """Of an operand that chunks pack themselves: what stays in the nearest cache, if the other one stays in the
        second-level cache; else all."""
        size, other = (self.rows, self.columns)[side], (self.rows, self.columns)[1 - side]
        near = _NEAREST_BYTES // (self.depth * self._pitch(side)) * self.units[side]
        is_far = other * self.depth * CELL_BYTES > BLOCK_BYTES
        return near if near and self.machine.has_two_units and not is_far else size

    def _pitch(self, side: int) -> int:
        """Bytes of a row of cells of a packed operand."""
        return self.tile.left_pitch_bytes(self.machine) if side == 0 else self.units[1] * CELL_BYTES

    def most_beside(self, side: int, lanes: int) -> int:
        """Lanes of the other operand, so that the sums of all have room between blocks of depth."""
        unit, size = self.units[1 - side], (self.rows, self.columns)[1 - side]
        if self.block == self.depth:
            return size
        tile = self.tile.sums_bytes(self.machine) * -(-lanes // self.units[side])
        return max(unit, SUMS_BYTES // tile * unit)


def cut(work: Work, side: int, is_staged: bool, is_limited: bool = True, limit: int | None = None) -> Iterator[Chunk]:
    """Chunks of whole tiles. One side (0: rows, 1: columns) is cut first, into parts that stay in a cache, if limited:
    what is packed decides how many lanes those have, if nothing else is given.

    An operand that chunks pack for themselves is packed again for every part of the other side: there are few of those.
    """
    sizes = (work.rows, work.columns)
    pieces = wanted_pieces(work.batch * max(work.rows, ROWS_OF_MEMORY) * work.columns * max(work.depth, WORK_OF_STORES))
    batch_part = even_part(work.batch, max(1, work.batch // pieces))
    pieces = -(-pieces // -(-work.batch // batch_part))
    parts = [0, 0]
    most = limit or work.most_lanes(side) if is_limited else sizes[side]
    if work.block != work.depth:
        most = min(most, work.most_beside(1 - side, 1))
    if is_staged:
        most = min(most, work.most_nearest(side))
    if work.tile.is_streamed and (work.rows == 1 or is_far(work.depth, work.columns)):
        pieces = min(pieces, max(FEWEST_PARTS, -(-work.columns // LONG_ROW)))
    if work.tile.stages_blocks and not _is_small(work):
        pieces = min(pieces, max(FEWEST_PARTS, work.columns // LONG_PIECE))
    parts[side] = part_of(sizes[side], work.units[side], pieces, most)
    made = -(-sizes[side] // parts[side])
    wanted = -(-pieces // made)
    if is_staged:
        wanted = min(wanted, max(1, sizes[1 - side] // FEWEST_LANES))
    beside = work.most_beside(side, parts[side])
    parts[1 - side] = part_of(sizes[1 - side], work.units[1 - side], wanted, beside)
    ends = [ranges(size, part) for size, part in zip(sizes, parts, strict=True)]
    for chosen in combinations(ranges(work.batch, batch_part), *ends):
        yield Chunk(*chosen)
