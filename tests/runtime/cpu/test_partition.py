"""Tiles and chunks of products on machines of several kinds: what tiles hold has registers."""

from __future__ import annotations

from dataclasses import astuple
from itertools import groupby
from math import prod
from random import Random

import pytest

from anydml.core.tensor import round_up
from anydml.runtime.cpu.contraction.cells import FLOATS, WORDS, Cells
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, _machine
from anydml.runtime.cpu.contraction.partition import Work, tile_of
from anydml.runtime.cpu.contraction.pointer_tiles import cut_beside_panels, pointer_tile

_X86 = frozenset({"fma", "sse4.1"})
MACHINES = {
    "AVX-512": _machine("emeraldrapids", "x86_64", _X86, 64, True),
    "AVX-512 in halves": _machine("znver4", "x86_64", _X86, 64, True),
    "AVX2": _machine("haswell", "x86_64", _X86, 32, True),
    "SSE2": _machine("x86-64", "x86_64", frozenset(), 16, False),
    "ARM": _machine("generic", "aarch64", frozenset(), 16, True),
}


@pytest.mark.parametrize("cells", [FLOATS, WORDS], ids=["floats", "words"])
@pytest.mark.parametrize("name", MACHINES)
def test_tile__fits_into_registers(name: str, cells: Cells) -> None:
    """All sums, a vector for each of its columns, and a number of the left operand or a product before it is added."""
    machine, random = MACHINES[name], Random(name)
    for _ in range(2000):
        sizes = (random.randint(1, 300), random.randint(1, 300), random.randint(1, 3000))
        is_left_packed, is_right_in_place = random.random() < 0.5, random.random() < 0.3
        tile = tile_of(machine, cells, sizes, is_left_packed, is_right_in_place)
        spare = 1 if cells.is_float and machine.fuses else 2
        assert tile.rows * tile.vectors + tile.vectors + spare <= machine.registers, (sizes, tile)


def test_tile__has_more_products_than_loads_where_two_are_made_at_once() -> None:
    """Such processors load two vectors while they multiply two; those that multiply in halves load two beside one."""
    tiles = {name: tile_of(MACHINES[name], FLOATS, (512, 512, 512), True) for name in MACHINES}
    loads = {name: (tile.rows + tile.vectors) / (tile.rows * tile.vectors) for name, tile in tiles.items()}
    assert loads["AVX-512"] < 0.75 and loads["AVX2"] < 0.75
    assert tiles["AVX-512 in halves"].vectors == 1


def test_tile__beside_places_wastes_no_vectors() -> None:
    """Four vectors where three would leave some over; three where four would."""
    found = {columns: tile_of(MACHINES["AVX-512"], FLOATS, (480, columns, 64), True, True) for columns in (256, 144)}
    assert [(tile.rows, tile.vectors) for tile in found.values()] == [(6, 4), (8, 3)]


@pytest.mark.parametrize("seed", range(300))
def test_pointer_tiles__cover_each_result_once(seed: int) -> None:
    """Tiles fit into registers, and chunks of whole tiles have all images, rows and columns, the latter in one run."""
    machine, random = MACHINES["AVX-512"], Random(f"pointers {seed}")
    batch, rows, columns = random.randint(1, 4), random.randint(1, 3000), random.randint(17, 2100)
    depth = random.randint(16, 5000)
    tile = pointer_tile(machine, FLOATS, batch, (rows, columns, depth))
    assert (tile.rows + 1) * tile.vectors + 2 <= machine.registers
    most = random.randint(1, 50) * tile.rows
    chunks = list(cut_beside_panels(Work(batch, rows, columns, depth, tile, machine), most))
    assert sum(prod(last - first for first, last in astuple(chunk)) for chunk in chunks) == batch * rows * columns
    assert len({(chunk.batch[0], chunk.rows[0], chunk.columns[0]) for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        assert chunk.rows[0] % tile.rows == chunk.columns[0] % (tile.vectors * machine.lanes) == 0
        assert chunk.rows[1] - chunk.rows[0] <= most
    assert len(list(groupby(chunk.columns for chunk in chunks))) == len({chunk.columns for chunk in chunks})


def test_pointer_tiles__are_wide_and_beside_weights_that_stay_near() -> None:
    machine = MACHINES["AVX-512"]
    for rows, columns, depth in ((3136, 64, 576), (784, 128, 1152), (196, 256, 2304), (49, 512, 4608)):
        tile = pointer_tile(machine, FLOATS, 1, (rows, columns, depth))
        assert tile.rows * tile.vectors >= 2 * (tile.rows + tile.vectors) - 4, "few products for each load"
        for chunk in cut_beside_panels(Work(1, rows, columns, depth, tile, machine), rows):
            width = round_up(chunk.columns[1] - chunk.columns[0], tile.columns(machine))
            assert width == tile.columns(machine) or width * depth * CELL_BYTES <= machine.second_level_bytes // 2
