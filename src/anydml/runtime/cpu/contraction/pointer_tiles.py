"""The tiles and chunks of windows that are read through pointers, on machines with registers for wide tiles.

A row has a pointer in a register, so tiles have few rows and up to four vectors of columns. Then the packed weights are
what is read most, and the order of chunks keeps them in the second-level cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as combinations

from anydml.runtime.cpu.contraction.cells import Cells
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, Machine
from anydml.runtime.cpu.contraction.partition import Work, most_rows, part_of, ranges, wanted_pieces
from anydml.runtime.cpu.contraction.product import Chunk
from anydml.runtime.cpu.contraction.tile import Tile, even_part

_MOST_VECTORS = 4
_FEWEST_ROWS = 4
_MOST_POINTERS = 9
"""Pointers of more rows do not stay in registers: every step loads them again."""
_LATENCY = 8
"""Sums that a processor with two units works on at once: fewer take as long."""
_COST_OF_WEIGHTS = 1
"""What it takes to read a vector of weights from the second-level cache, in halves of a product."""
_FEWEST_CHUNKS = 16
"""Tiles are less wide where threads would have fewer chunks to share."""
_TILES_BESIDE_FAR = 8
"""So many tiles one below the other take as long as the weights of the next panel need to come from afar."""


def pointer_tile(machine: Machine, cells: Cells, batch: int, sizes: tuple[int, int, int]) -> Tile:
    """The form of tiles that takes the least time for all rows and columns."""
    rows, columns, depth = sizes
    vectors = -(-columns // machine.lanes)
    far_parts = _far_parts(machine, columns, depth)

    def form(height: int) -> tuple[int, int]:
        parts = batch * _most_row_parts(-(-rows // height), far_parts)
        most = max(2, vectors // -(-_FEWEST_CHUNKS // parts))
        return height, even_part(vectors, min(_MOST_VECTORS, (machine.registers - 2) // (height + 1), most))

    def cost(form: tuple[int, int]) -> int:
        height, wide = form
        loads = height + wide + (height if height > _MOST_POINTERS else 0)
        step = 2 * max(height * wide, _LATENCY, loads) + wide * _COST_OF_WEIGHTS
        return -(-rows // height) * -(-vectors // wide) * step

    heights = range(min(rows, most_rows(machine)), min(rows, _FEWEST_ROWS) - 1, -1)
    height, wide = min(map(form, heights), key=cost)
    return Tile(height, wide, cells, is_left_packed=True)


def cut_beside_panels(work: Work, most_rows: int) -> Iterator[Chunk]:
    """Chunks whose weights stay in the second-level cache for all rows.

    Threads take neighbouring chunks one after the other, so those with the same columns are neighbours. Beside weights
    that do not fit there as a whole chunks have many rows: the next part comes from afar meanwhile.
    """
    tall, wide = (-(-size // unit) for size, unit in zip((work.rows, work.columns), work.units, strict=True))
    pieces = wanted_pieces(work.batch * work.rows * work.columns * work.depth)
    far_parts = _far_parts(work.machine, work.columns, work.depth)
    batch_parts = ranges(work.batch, even_part(work.batch, -(-work.batch * far_parts // pieces)))
    row_parts = min(_most_row_parts(tall, far_parts), -(-pieces // (far_parts * len(batch_parts))))
    column_parts = min(wide, max(far_parts, -(-pieces // (row_parts * len(batch_parts)))))
    rows = ranges(work.rows, part_of(work.rows, work.units[0], row_parts, most_rows))
    columns = ranges(work.columns, part_of(work.columns, work.units[1], column_parts, work.columns))
    for column_part, batch, row_part in combinations(columns, batch_parts, rows):
        yield Chunk(batch, row_part, column_part)


def _far_parts(machine: Machine, columns: int, depth: int) -> int:
    """Parts of the weights of which each stays in the second-level cache, with room for another."""
    return -(-columns * depth * CELL_BYTES // (machine.second_level_bytes // 2))


def _most_row_parts(tiles: int, far_parts: int) -> int:
    return tiles if far_parts == 1 else max(1, tiles // _TILES_BESIDE_FAR)
