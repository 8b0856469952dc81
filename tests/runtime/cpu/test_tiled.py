"""Operands that are turned within registers, beside the definitions of their operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, Node, cast, constant, load, operation
from anydml.core.steps import Access, Nest, Store
from anydml.runtime.cpu import pointwise, tiling
from anydml.runtime.cpu.loops import Loops, canonical
from anydml.runtime.cpu.turned import LINE_BYTES
from anydml.runtime.native import llvm
from anydml.runtime.programs import store_nest
from tests.runtime.cpu.machines import MACHINES, machine
from tests.runtime.cpu.support import Bytes, random_bytes, run, same_elements

TYPES = [DataType[name] for name in ("FLOAT32", "FLOAT32", "FLOAT16", "INT32", "FLOAT64", "UINT64")]
COUNTS = (16, 17, 32, 45, 48, 64, 70, 100, 128, 300, 513)
ORDERS = ("packed", "turned", "column", "row", "one")
"""Contiguous along the columns, along the rows, one element for each column, one for each row, and one in all."""


def random_sum(random: Random) -> tuple[Nest, list[Bytes]]:
    """The sum of some operands, of which one is turned, or all are; there is room between rows, and around all."""
    sizes = (random.choice((1, 1, 3)), random.choice(COUNTS), random.choice(COUNTS))
    data_type = random.choice(TYPES)
    orders = ["turned", *(random.choice(ORDERS) for _ in range(random.randint(0, 3)))]
    accesses = [_access(random, n, data_type, sizes, order) for n, order in enumerate([*orders, "packed"])]
    nest = Nest(sizes, tuple(accesses[:-1]), (Store(accesses[-1], _sum(random, data_type, len(orders))),))
    generator = np.random.default_rng(random.randrange(1 << 30))
    rooms = [access.bounds(sizes)[1] + 18 for access in accesses]
    return nest, [random_bytes(generator, data_type, room) for room in rooms]


def _access(random: Random, slot: int, data_type: DataType, sizes: Sequence[int], order: str) -> Access:
    _, rows, columns = sizes
    gap, offset = random.choice((0, 0, 3, 16)), random.choice((0, 4, 5, 16))
    pitch = {"packed": columns, "turned": rows}.get(order, 0) + gap
    if random.random() < 0.3:
        pitch += -pitch % 1024  # rows that share few places in caches
    inner = {"packed": (pitch, 1), "turned": (1, pitch), "column": (0, 1), "row": (1, 0), "one": (0, 0)}[order]
    count = {"packed": rows, "turned": columns}.get(order, 1)
    return Access(slot, data_type, (pitch * count, *inner), offset)


def _sum(random: Random, data_type: DataType, count: int) -> Node:
    kind = FLOAT32 if data_type is DataType.FLOAT16 else data_type.numpy_dtype
    terms = [cast(load(number, data_type.numpy_dtype), kind) for number in range(count)]
    value = terms[0]
    for term in terms[1:]:
        value = operation(random.choice(("add", "multiply", "maximum")), value, term)
    return operation("maximum", value, constant(1, kind)) if count == 1 else value


def is_tiled(nest: Nest) -> bool:
    return pointwise.can_run(nest) and tiling.task_of(nest, canonical(nest)) is not None


def assert_as_defined(nest: Nest, memory: Sequence[Bytes], threads: int = 1, shifts: Sequence[int] = ()) -> None:
    """Beside the definition, what lies between rows and around all of them included.

    Operands begin so many bytes after a line of memory, if it matters.
    """
    tasks = pointwise.tasks_of(nest)
    if not tasks:
        assert nest.stores[0].access.type is DataType.FLOAT16 and not llvm.has_half_floats()
        return
    expected, found = [part.copy() for part in memory], [part.copy() for part in memory]
    if shifts:
        found = [placed(*pair) for pair in zip(memory, shifts, strict=True)]
    store_nest(nest, expected)
    run(tasks, found, threads)
    assert same_elements(found[-1], expected[-1], nest.stores[0].access.type, 0), nest
    assert all(np.array_equal(*pair) for pair in zip(found[:-1], memory[:-1], strict=True))


def set_tiling(monkeypatch: pytest.MonkeyPatch, walks_rows: bool, is_staged: bool) -> None:
    """Whatever is quickest."""

    def chosen(shape: pointwise.Shape, loops: Loops, *_: object) -> pointwise.Tiling:
        return pointwise.Tiling(walks_rows, is_staged, walks_rows and tiling._runs_on(shape, loops))

    monkeypatch.setattr(tiling, "_tiling_of", chosen)


def placed(part: Bytes, shift: int) -> Bytes:
    """A copy that begins so many bytes after a line."""
    room = np.zeros(part.size + LINE_BYTES + shift, np.uint8)
    start = -room.ctypes.data % LINE_BYTES + shift
    room[start : start + part.size] = part
    return room[start : start + part.size]


@pytest.mark.parametrize("seed", range(90))
def test_sums__are_as_defined(seed: int) -> None:
    assert_as_defined(*random_sum(Random(seed)), threads=1 + seed % 3)


@pytest.mark.parametrize("is_staged", [False, True])
@pytest.mark.parametrize("walks_rows", [False, True])
def test_chunks__of_operands_aligned_in_any_way_are_as_defined(
    monkeypatch: pytest.MonkeyPatch, walks_rows: bool, is_staged: bool
) -> None:
    """Squares of all chunks begin where those of the whole nest do."""
    set_tiling(monkeypatch, walks_rows, is_staged)
    for seed in range(400, 440):
        random = Random(seed)
        pieces = random.choice((1, 3, 8, 16))
        monkeypatch.setattr(pointwise, "pieces_for", lambda *_, n=pieces: n)
        nest, memory = random_sum(random)
        width = nest.stores[0].access.type.element_bytes
        same, others = random.randrange(16), [random.randrange(16) for _ in memory]
        shifts = random.choice(([same] * len(memory), others))
        assert_as_defined(nest, memory, threads=2, shifts=[width * shift for shift in shifts])


@pytest.mark.parametrize("tile", [pointwise.Tiling(*flags) for flags in product((False, True), repeat=2)])
def test_bounds__of_chunks_cover_every_element_once(tile: pointwise.Tiling) -> None:
    for channels, pixels in ((64, 4096), (17, 300), (512, 49), (100, 100), (256, 1024), (40, 5000)):
        nest = images(channels, pixels, "NCHW", "NHWC", "NCHW")
        loops = canonical(nest)
        shape = replace(pointwise.shape_of(nest, loops, loops.iterations), tiling=tile)
        parts, bounds = tiling._chunks(loops, shape)
        assert parts == [loops]
        counts = np.zeros(loops.sizes[-2:], int)
        for top, bottom, left, right in bounds:
            counts[top:bottom, left:right] += 1
            for last, count in zip((bottom, right), counts.shape, strict=True):
                # Squares begin up to so many elements further on.
                assert last == count or (last % shape.lanes == 0 and count - last >= shape.lanes)
        assert (counts == 1).all()


@pytest.mark.parametrize("name", MACHINES)
def test_sums__are_as_defined_on_every_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with machine(monkeypatch, name):
        for seed in range(150, 175):
            assert_as_defined(*random_sum(Random(seed)))


def test_random_sums__are_tiled_often() -> None:
    nests = [random_sum(Random(seed))[0] for seed in range(150)]
    assert sum(is_tiled(nest) for nest in nests) > 75


@pytest.mark.parametrize("shift", [0, 1, 2, 20, 40])
def test_streamed__writes_elements_and_nothing_else(monkeypatch: pytest.MonkeyPatch, shift: int) -> None:
    """However the result is aligned, if not even to elements."""
    monkeypatch.setattr(pointwise, "STREAMED_BYTES", 1)
    for columns, gap in ((48, 0), (512, 0), (160, 3), (96, 16), (70, 0)):
        pitch = columns + gap
        accesses = [Access(n, DataType.FLOAT32, (1, 40)) for n in range(2)], Access(2, DataType.FLOAT32, (pitch, 1), 2)
        value = operation("multiply", load(0, FLOAT32), load(1, FLOAT32))
        nest = Nest((40, columns), tuple(accesses[0]), (Store(accesses[1], value),))
        generator = np.random.default_rng(columns)
        memory = [random_bytes(generator, DataType.FLOAT32, 40 * pitch + 40) for _ in range(3)]
        expected = [part.copy() for part in memory]
        store_nest(nest, expected)
        room = np.zeros(memory[2].size + 128, np.uint8)
        start = -room.ctypes.data % 64 + shift
        found = room[start : start + memory[2].size]
        found[:] = memory[2]
        run(pointwise.tasks_of(nest), [*memory[:2], found], 2)
        assert same_elements(found.copy(), expected[2], DataType.FLOAT32, 0), (columns, gap)


@pytest.mark.parametrize("shift", [0, 1, 20, 40])
def test_wrapped__rows_write_elements_and_nothing_else(monkeypatch: pytest.MonkeyPatch, shift: int) -> None:
    monkeypatch.setattr(pointwise, "STREAMED_BYTES", 1)
    for channels, pixels in ((64, 700), (16, 512), (128, 1601), (512, 100)):
        nest = images(channels, pixels, "NCHW", "NCHW", "NHWC")
        assert is_tiled(nest)
        generator = np.random.default_rng(pixels)
        *memory, before = (random_bytes(generator, DataType.FLOAT32, channels * pixels) for _ in range(3))
        expected = [*(part.copy() for part in memory), before.copy()]
        store_nest(nest, expected)
        room = np.full(before.size + 256, 7, np.uint8)
        start = -room.ctypes.data % 64 + 64 + shift
        run(pointwise.tasks_of(nest), [*memory, room[start : start + before.size]], 2)
        assert same_elements(room[start : start + before.size].copy(), expected[2], DataType.FLOAT32, 0)
        assert (room[:start] == 7).all() and (room[start + before.size :] == 7).all()


def test_far__results_are_streamed_where_all_operands_are_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pointwise, "STREAMED_BYTES", 1)
    assert is_tiled(images(64, 56 * 56, "NHWC", "NHWC", "NCHW"))
    assert not is_tiled(images(64, 56 * 56 + 1, "NHWC", "NHWC", "NCHW"))  # cannot be aligned
    assert is_tiled(images(64, 56 * 56, "NCHW", "NCHW", "NHWC"))
    assert not is_tiled(images(72, 56 * 56, "NCHW", "NCHW", "NHWC"))  # no whole squares


def test_far__results_of_mixed_and_crowded_operands_are_streamed_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "ways", lambda: tiling.WAYS)
    is_wide = llvm.vector_bytes() >= 64
    for pixels, is_crowded in ((56 * 56, not is_wide), (64 * 64, True)):  # short vectors are always staged
        nests = [images(64, pixels, "NCHW", "NHWC", order) for order in ("NCHW", "NHWC")]
        size = int(3 * 4 * nests[0].iterations / pointwise.STREAMED_MIXED)
        monkeypatch.setattr(pointwise, "STREAMED_BYTES", size // tiling.FARTHEST_MIXED)
        assert [is_tiled(nest) for nest in nests] == [not is_crowded] * 2
        monkeypatch.setattr(pointwise, "STREAMED_BYTES", size)
        assert all(map(is_tiled, nests))


def test_far__operands_share_places_in_caches_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "ways", lambda: tiling.MORE_WAYS)
    is_wide = llvm.vector_bytes() >= 64
    for orders, is_staged in ((("NCHW", "NCHW", "NHWC"), is_wide), (("NCHW", "NHWC", "NHWC"), False)):
        nest = images(64, 512 * 512, *orders)
        assert tiling_of(nest, is_far=True).is_staged == is_staged, orders
        assert not tiling_of(nest).is_staged


@pytest.mark.parametrize("seed", range(300, 340))
def test_streamed__sums_are_as_defined(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(pointwise, "STREAMED_BYTES", 1)
    monkeypatch.setattr(tiling, "FARTHEST_MIXED", 1 << 40)
    assert_as_defined(*random_sum(Random(seed)), threads=2)


# How squares follow one another


def images(channels: int, pixels: int, *orders: str) -> Nest:
    """The sum of images, with channels or pixels outermost; the last is the result."""
    strides = {"NCHW": (pixels, 1), "NHWC": (1, channels)}
    *loads, stored = (Access(n, DataType.FLOAT32, strides[order]) for n, order in enumerate(orders))
    value = load(0, FLOAT32)
    for number in range(1, len(loads)):
        value = operation("add", value, load(number, FLOAT32))
    return Nest((channels, pixels), tuple(loads), (Store(stored, value),))


def tiling_of(nest: Nest, is_far: bool = False) -> pointwise.Tiling:
    loops = canonical(nest)
    return tiling._tiling_of(pointwise.shape_of(nest, loops, loops.iterations), loops, is_far)


def test_squares__follow_one_another_where_operands_far_apart_run_on() -> None:
    wanted = {
        ("NCHW", "NHWC", "NCHW"): False,
        ("NHWC", "NHWC", "NCHW"): False,
        ("NCHW", "NCHW", "NHWC"): True,
        ("NCHW", "NHWC", "NHWC"): True,
    }
    for orders, walks_rows in wanted.items():
        found = tiling_of(images(64, 56 * 56, *orders))
        assert found == pointwise.Tiling(walks_rows, is_staged=False, wraps=walks_rows), orders


def test_rows__that_share_places_in_caches_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Squares of shorter vectors have fewer lines, for which there are places enough."""
    monkeypatch.setattr(tiling, "ways", lambda: tiling.WAYS)
    is_wide = llvm.vector_bytes() >= 64
    for orders in (("NCHW", "NCHW", "NHWC"), ("NCHW", "NHWC", "NHWC")):
        assert tiling_of(images(64, 64 * 64, *orders)) == pointwise.Tiling(True, is_staged=is_wide, wraps=True)
    for orders in (("NCHW", "NHWC", "NCHW"), ("NHWC", "NHWC", "NCHW")):
        assert tiling_of(images(64, 64 * 64, *orders)) == pointwise.Tiling(False, is_staged=is_wide)
    found = tiling_of(images(512, 28 * 28, "NCHW", "NHWC", "NHWC"))
    walks_rows = llvm.vector_bytes() < 32
    assert found == pointwise.Tiling(walks_rows, is_staged=False, wraps=walks_rows)


def test_results__that_are_streamed_take_no_places_in_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "ways", lambda: tiling.WAYS)
    is_wide = llvm.vector_bytes() >= 64
    for orders, is_staged in ((("NHWC", "NHWC", "NCHW"), False), (("NCHW", "NHWC", "NCHW"), is_wide)):
        found = tiling_of(images(64, 512 * 512, *orders), is_far=True)
        assert found == pointwise.Tiling(False, is_staged), orders


@pytest.mark.parametrize("name", MACHINES)
def test_rows__that_share_places_are_told_on_every_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with machine(monkeypatch, name):
        test_rows__that_share_places_in_caches_are_read_one_by_one(monkeypatch)


def test_rows__for_which_a_processor_has_more_places_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for name in ("znver4", "skylake-avx512", "icelake-server", "emeraldrapids"):
        monkeypatch.setattr(llvm, "host", lambda n=name: llvm.Host("x86_64-unknown-linux-gnu", n, {}))
        found[name] = tiling.ways.__wrapped__()
    assert found == {"znver4": 8, "skylake-avx512": 8, "icelake-server": 12, "emeraldrapids": 12}
    monkeypatch.undo()
    monkeypatch.setattr(tiling, "ways", lambda: tiling.MORE_WAYS)
    assert tiling_of(images(64, 64 * 64, "NCHW", "NHWC", "NCHW")) == pointwise.Tiling(False, is_staged=False)


@pytest.mark.parametrize("is_far", [False, True])
@pytest.mark.parametrize("walks_rows", [False, True])
def test_staged__squares_are_as_defined(monkeypatch: pytest.MonkeyPatch, walks_rows: bool, is_far: bool) -> None:
    set_tiling(monkeypatch, walks_rows, is_staged=True)
    if is_far:
        monkeypatch.setattr(pointwise, "STREAMED_BYTES", 1)
        monkeypatch.setattr(tiling, "FARTHEST_MIXED", 1 << 40)
    for seed in range(200, 240):
        assert_as_defined(*random_sum(Random(seed)), threads=1 + seed % 2)


@pytest.mark.parametrize("name", MACHINES)
def test_staged__squares_are_as_defined_on_every_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with machine(monkeypatch, name):
        for walks_rows in (False, True):
            set_tiling(monkeypatch, walks_rows, is_staged=True)
            for seed in range(340, 350):
                assert_as_defined(*random_sum(Random(seed)))


@pytest.mark.parametrize("walks_rows", [False, True])
def test_squares__may_follow_one_another_either_way(monkeypatch: pytest.MonkeyPatch, walks_rows: bool) -> None:
    set_tiling(monkeypatch, walks_rows, is_staged=False)
    for seed in range(240, 270):
        assert_as_defined(*random_sum(Random(seed)))


# What is turned


def turned_values(*orders: str, value: Node) -> list[Node]:
    nest = images(64, 48 * 48, *orders, "NCHW")
    nest = replace(nest, stores=(replace(nest.stores[0], value=value),))
    loops = canonical(nest)
    return tiling.turned_values(pointwise.shape_of(nest, loops, loops.iterations))


def test_turned__is_what_few_squares_hold() -> None:
    a, b, c = (load(number, FLOAT32) for number in range(3))
    both = operation("add", a, b)
    assert turned_values("NHWC", "NHWC", "NCHW", value=operation("multiply", both, c)) == [both]
    assert turned_values("NHWC", "NCHW", "NCHW", value=operation("multiply", both, c)) == [a]
    # Of one operand two values are needed: it is turned itself.
    parts = operation("add", operation("multiply", operation("negative", a), c), operation("absolute", a))
    assert turned_values("NHWC", "NCHW", "NCHW", value=parts) == [a]


def test_truths__are_not_turned() -> None:
    a, b, c = (load(number, FLOAT32) for number in range(3))
    less = operation("less", a, b)
    assert turned_values("NHWC", "NHWC", "NCHW", value=operation("where", less, c, c)) == [a, b]
