"""Tiles of products on machines of several kinds: what they hold has registers."""

from __future__ import annotations

from random import Random

import pytest

from anydml.runtime.cpu.contraction.cells import FLOATS, WORDS, Cells
from anydml.runtime.cpu.contraction.machine import _machine
from anydml.runtime.cpu.contraction.partition import tile_of

_X86 = frozenset({"fma", "sse4.1"})
MACHINES = {
    "AVX-512": _machine("x86_64", _X86, 64, True, False),
    "AVX-512 in halves": _machine("x86_64", _X86, 64, True, True),
    "AVX2": _machine("x86_64", _X86, 32, True, False),
    "SSE2": _machine("x86_64", frozenset(), 16, False, False),
    "ARM": _machine("aarch64", frozenset(), 16, True, False),
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
