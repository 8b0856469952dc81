"""Nests whose operands lie in different orders, block by block, beside the definitions of their operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
import pytest

import anydml as dml
from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, load, operation
from anydml.core.steps import Access, Nest, Store
from anydml.runtime.cpu import blocks, pointwise, tiling
from anydml.runtime.cpu.loops import canonical
from anydml.runtime.native.tasks import Task, TaskInTurn
from anydml.runtime.programs import store_nest
from tests.runtime.cpu.machines import MACHINES, machine
from tests.runtime.cpu.support import assert_threads_change_no_bit, random_access, random_bytes, run, same_elements
from tests.runtime.cpu.test_pointwise import assert_as_defined, random_nest

NCHW, NHWC = (0, 1, 2, 3), (0, 2, 3, 1)
ORDERS = [(a, b, c) for a in (NCHW, NHWC) for b in (NCHW, NHWC) for c in (NCHW, NHWC)]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Blocks wherever they can be, and so small that even small nests have several."""
    told = {"LEAST_ELEMENTS": 1, "LONG_COLUMNS": 1 << 30, "BLOCK_BYTES": 2048, "LEAST_BLOCK_BYTES": 512}
    for name, value in told.items():
        monkeypatch.setattr(blocks, name, value)
    monkeypatch.setattr(tiling, "MOST_LANES", 0)
    yield


def is_blocked(nest: Nest) -> bool:
    return pointwise.can_run(nest) and blocks.task_of(nest, canonical(nest)) is not None


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.usefixtures("small_blocks")
def test_nest__is_as_defined_whatever_the_layouts(seed: int) -> None:
    assert_as_defined(*random_nest(seed))


@pytest.mark.usefixtures("small_blocks")
def test_random_nests__are_blocked_often() -> None:
    assert sum(is_blocked(random_nest(seed)[0]) for seed in range(160)) > 60


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.usefixtures("small_blocks")
def test_nest__is_as_defined_on_every_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with machine(monkeypatch, name):
        for seed in range(160, 172):
            assert_as_defined(*random_nest(seed))


def strides(sizes: Sequence[int], order: Sequence[int], step: int = 1, gap: int = 0) -> tuple[int, ...]:
    """Dimensions in this order in memory, outermost first; with a gap after the innermost."""
    found, reach = [0] * len(sizes), step
    for axis in reversed(order):
        found[axis] = reach
        reach *= sizes[axis] + (gap if axis == order[-1] else 0)
    return tuple(found)


def sum_of(sizes: tuple[int, ...], *operands: tuple[int, ...], offset: int = 0) -> Nest:
    """The last operand is the sum of the others."""
    *loads, stored = (Access(n, DataType.FLOAT32, given, offset) for n, given in enumerate(operands))
    value = load(0, FLOAT32)
    for number in range(1, len(loads)):
        value = operation("add", value, load(number, FLOAT32))
    return Nest(sizes, tuple(loads), (Store(stored, value),))


def assert_sum(nest: Nest, threads: int = 2) -> None:
    generator = np.random.default_rng(1)
    accesses = (*nest.loads, nest.stores[0].access)
    memory = [random_bytes(generator, DataType.FLOAT32, each.bounds(nest.sizes)[1] + 17) for each in accesses]
    expected = [part.copy() for part in memory]
    store_nest(nest, expected)
    run(pointwise.tasks_of(nest), memory, threads)
    assert same_elements(memory[-1], expected[-1], DataType.FLOAT32, 0)


@pytest.mark.parametrize("orders", ORDERS)
@pytest.mark.parametrize("sizes", [(1, 64, 64, 64), (3, 3, 57, 91), (2, 19, 29, 57), (1, 700, 7, 7)])
@pytest.mark.parametrize("most_lanes", [0, tiling.MOST_LANES])
def test_images__of_any_orders_are_added(
    monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...], orders: Sequence[tuple[int, ...]], most_lanes: int
) -> None:
    monkeypatch.setattr(tiling, "MOST_LANES", most_lanes)
    assert_sum(sum_of(sizes, *(strides(sizes, order) for order in orders), offset=5))


@pytest.mark.parametrize("orders", [ORDERS[1], ORDERS[3], ORDERS[5]])
@pytest.mark.parametrize("shift", [0, 4, 20])
def test_streamed__writes_elements_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, orders: Sequence[tuple[int, ...]], shift: int
) -> None:
    monkeypatch.setattr(pointwise, "STREAMED_BYTES", 1)
    for sizes in ((2, 5, 40, 70), (1, 64, 33, 65)):
        nest = sum_of(sizes, *(strides(sizes, order) for order in orders), offset=shift)
        assert_sum(nest)


@pytest.mark.parametrize("channels", [3, 4, 5, 8])
def test_padded_pixels__are_not_written_between(channels: int) -> None:
    sizes = (2, channels, 41, 50)
    padded = strides(sizes, NHWC, gap=1)
    for operands in ((padded,) * 3, (strides(sizes, NCHW),) * 2 + (padded,), (strides(sizes, NHWC), padded, padded)):
        nest = sum_of(sizes, *operands)
        assert is_blocked(nest)
        assert_sum(nest)


@pytest.mark.parametrize("step", [3, 5, 9])
def test_elements__that_lie_apart_are_moved(step: int) -> None:
    sizes = (3, 50, 70)
    order = (0, 1, 2)
    for number in range(3):
        nest = sum_of(sizes, *(strides(sizes, order, step if n == number else 1) for n in range(3)))
        assert is_blocked(nest)
        assert_sum(nest)


def test_repeated__elements_are_moved_once() -> None:
    sizes = (4, 3, 60, 80)
    broadcast = (0, *strides(sizes, NHWC)[1:])
    for order in (NCHW, NHWC):
        assert_sum(sum_of(sizes, strides(sizes, order), broadcast, strides(sizes, NCHW)))


@pytest.mark.parametrize("most_lanes", [0, tiling.MOST_LANES])
def test_result__may_lie_where_an_operand_does(monkeypatch: pytest.MonkeyPatch, most_lanes: int) -> None:
    monkeypatch.setattr(tiling, "MOST_LANES", most_lanes)
    sizes = (2, 32, 20, 40)
    inside = strides(sizes, NHWC)
    nest = sum_of(sizes, inside, strides(sizes, NCHW), strides(sizes, NCHW), inside)
    assert is_blocked(nest)
    generator = np.random.default_rng(2)
    memory = [random_bytes(generator, DataType.FLOAT32, nest.iterations) for _ in range(3)]
    expected = [*(part.copy() for part in memory), np.zeros(4 * nest.iterations, np.uint8)]
    store_nest(nest, expected)
    run(pointwise.tasks_of(nest), [*memory, memory[0]], 2)
    assert same_elements(memory[0], expected[-1], DataType.FLOAT32, 0)


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.usefixtures("small_blocks")
def test_copies__of_any_layouts_are_made_in_two_steps(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(blocks, "LEAST_GAIN", 1e-9)  # however little it helps
    random, generator = Random(seed), np.random.default_rng(seed)
    sizes = tuple(random.choice((2, 3, 5, 17, 40)) for _ in range(random.randint(1, 5)))
    data_type = random.choice([DataType.UINT8, DataType.FLOAT16, DataType.INT32, DataType.FLOAT64])
    (source, count), (target, room) = (random_access(random, n, data_type, sizes, n == 1) for n in range(2))
    nest = Nest(sizes, (source,), (Store(target, load(0, data_type.numpy_dtype)),))
    task = blocks.task_of_copy(nest)
    assert task is not None
    memory = [random_bytes(generator, data_type, number) for number in (count, room + 9)]
    expected = [part.copy() for part in memory]
    store_nest(nest, expected)
    run([task], memory, 2)
    assert all(np.array_equal(*pair) for pair in zip(memory, expected, strict=True)), nest


@pytest.mark.parametrize("order", [NCHW, NHWC])
@pytest.mark.parametrize("channels", [3, 64])
def test_enlarged_images__are_moved_in_two_steps(order: tuple[int, ...], channels: int) -> None:
    """Each element is repeated twice along rows and columns: no single move does that well in another order."""
    small, large = (2, channels, 15, 20), (2, channels, 30, 40)
    n, c, h, w = strides(small, order)
    source = Access(0, DataType.FLOAT32, (n, c, h, 0, w, 0))
    n, c, h, w = strides(large, NHWC if order == NCHW else NCHW)
    target = Access(1, DataType.FLOAT32, (n, c, 2 * h, h, 2 * w, w))
    nest = Nest((2, channels, 15, 2, 20, 2), (source,), (Store(target, load(0, FLOAT32)),))
    task = blocks.task_of_copy(nest)
    assert task is not None or channels == 64
    if task is not None:
        assert_copy(nest, task)


def assert_copy(nest: Nest, task: Task) -> None:
    memory = [np.arange(nest.iterations, dtype=np.float32).view(np.uint8) for _ in range(2)]
    expected = [part.copy() for part in memory]
    store_nest(nest, expected)
    run([task], memory, 2)
    assert np.array_equal(memory[1], expected[1])


def test_contiguous_copies__are_one_step() -> None:
    sizes = (4, 50, 70)
    dense = strides(sizes, (0, 1, 2))
    for source in (dense, strides(sizes, (0, 2, 1))):
        accesses = Access(0, DataType.FLOAT32, source), Access(1, DataType.FLOAT32, dense)
        assert blocks.task_of_copy(Nest(sizes, accesses[:1], (Store(accesses[1], load(0, FLOAT32)),))) is None


def test_threads__change_no_bit() -> None:
    tensor = dml.TensorDesc("FLOAT32", (2, 3, 200, 300))
    turned = dml.TensorDesc("FLOAT32", (2, 3, 200, 300), order="NHWC")
    operator = dml.ElementWiseTanh(input_tensor=tensor, output_tensor=turned)
    x = np.random.default_rng(0).standard_normal((2, 3, 200, 300), np.float32)
    assert_threads_change_no_bit(lambda: dml.run(operator, x))


def test_blocks__are_for_what_needs_them() -> None:
    sizes = (1, 64, 64, 64)
    packed, turned = strides(sizes, NCHW), strides(sizes, NHWC)
    assert not is_blocked(sum_of(sizes, packed, packed, packed))
    assert not is_blocked(sum_of(sizes, turned, turned, turned))
    assert not is_blocked(sum_of(sizes, packed, turned, packed))  # turned by the kernel itself
    assert not is_blocked(sum_of((1, 4, 4, 4), *[strides((1, 4, 4, 4), order) for order in ORDERS[1]]))  # small
    assert is_blocked(sum_of(sizes, packed, packed, turned))
    assert is_blocked(sum_of(sizes, packed, turned, turned))


def test_chunks__are_cut_by_sizes_alone() -> None:
    sizes = (1, 64, 64, 64)
    task = blocks.task_of(nest := sum_of(sizes, *(strides(sizes, order) for order in ORDERS[1])), canonical(nest))
    assert isinstance(task, TaskInTurn)
    assert task.chunk_count >= blocks.FEWEST_BLOCKS
