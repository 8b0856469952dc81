"""Native pointwise nests beside the definitions of their operations, over random layouts, types and threads."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, Node, cast, constant, load, operation
from anydml.core.operations import OPERATIONS
from anydml.core.steps import Access, Nest, Store
from anydml.runtime.cpu import pointwise, tiling
from anydml.runtime.cpu.arrays import NumpyNest
from anydml.runtime.cpu.expressions import can_emit
from anydml.runtime.cpu.loops import canonical
from anydml.runtime.native import llvm
from anydml.runtime.native.threads import get_threads
from anydml.runtime.programs import store_nest
from tests.runtime.cpu.machines import MACHINES, machine
from tests.runtime.cpu.support import (
    Bytes,
    assert_threads_change_no_bit,
    random_access,
    random_bytes,
    run,
    same_elements,
)

WIDE = [DataType[name] for name in ("FLOAT32", "INT32", "UINT32", "INT8", "UINT8", "INT16", "UINT64", "INT64")]
BINARY = ["add", "subtract", "multiply", "minimum", "maximum", "equal", "less", "greater_equal"]
INTEGER = ["bitwise_and", "bitwise_xor", "left_shift", "right_shift", "truncate_divide"]
INTEGER += ["floor_divide", "remainder", "fmod"]
FLOAT = ["divide", "copysign", "arctan2", "power"]


def random_value(random: Random, data_types: list[DataType]) -> Node:
    """An expression of some loads."""
    kind = random.choice(data_types).numpy_dtype
    kind = FLOAT32 if kind == np.float16 else kind
    values = [cast(load(n, data_type.numpy_dtype), kind) for n, data_type in enumerate(data_types)]
    values.append(constant(random.choice((0, 1, 3)), kind))
    for _ in range(random.randint(1, 5)):
        a, b = random.choice(values), random.choice(values)
        names = BINARY + (FLOAT if kind == FLOAT32 else INTEGER if kind.kind in "iu" else [])
        made = operation(random.choice(names), a, b)
        values.append(operation("where", made, a, b) if made.type == np.bool_ else made)
    if kind == FLOAT32 and random.random() < 0.5:
        values.append(operation(random.choice(("exp", "tanh", "erf", "sin", "sqrt", "floor")), values[-1]))
    return values[-1]


def random_nest(seed: int) -> tuple[Nest, list[Bytes]]:
    random, generator = Random(seed), np.random.default_rng(seed)
    sizes = tuple(random.choice((1, 2, 3, 5, 17, 40, 70)) for _ in range(random.randint(1, 4)))
    types = [random.choice([*WIDE, DataType.FLOAT16, DataType.FLOAT32]) for _ in range(random.randint(1, 3))]
    value = random_value(random, types)
    loads, memory = [], []
    for slot, data_type in enumerate(types):
        access, count = random_access(random, slot, data_type, sizes, False)
        loads.append(access)
        memory.append(random_bytes(generator, data_type, count))
    stored = random.choice([*WIDE, DataType.FLOAT16, DataType.FLOAT32])
    access, count = random_access(random, len(types), stored, sizes, True)
    memory.append(random_bytes(generator, stored, count + 9))
    return Nest(sizes, tuple(loads), (Store(access, value),)), memory


@pytest.mark.parametrize("seed", range(80))
def test_nest__is_as_defined_whatever_the_layouts(seed: int) -> None:
    assert_as_defined(*random_nest(seed))


def assert_as_defined(nest: Nest, memory: list[Bytes]) -> None:
    tasks = pointwise.tasks_of(nest)
    if not tasks:
        assert not can_emit(nest.stores[0].value) or nest.stores[0].access.type is DataType.FLOAT16
        return
    expected, found = [part.copy() for part in memory], [part.copy() for part in memory]
    store_nest(nest, expected)
    run(tasks, found)
    is_exact = all(OPERATIONS[n.op].ulp == 0 for n in _operations(nest))
    # Later operations may magnify what a function rounds differently.
    ulp = 0 if is_exact else 64
    stored = nest.stores[0].access.type
    if not is_exact and not stored.is_float:
        return
    assert same_elements(found[-1], expected[-1], stored, ulp), nest
    assert all(np.array_equal(a, b) for a, b in zip(found[:-1], memory[:-1], strict=True))


def _operations(nest: Nest) -> list[Node]:
    from anydml.core.expression import walk

    return [node for node in walk(nest.stores[0].value) if node.op in OPERATIONS]


def packed(count: int, value: Node, data_types: list[DataType], stored: DataType) -> Nest:
    loads = tuple(Access(n, data_type, (1,)) for n, data_type in enumerate(data_types))
    return Nest((count,), loads, (Store(Access(len(loads), stored, (1,)), value),))


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads__change_no_bit(threads: int) -> None:
    count = 1_000_003
    x = load(0, FLOAT32)
    value = operation("tanh", operation("add", operation("exp", x), load(1, FLOAT32)))
    nest = packed(count, value, [DataType.FLOAT32] * 2, DataType.FLOAT32)
    generator = np.random.default_rng(0)
    memory = [random_bytes(generator, DataType.FLOAT32, count) for _ in range(2)]
    results = []
    for number in (1, threads):
        out = np.zeros(4 * count, np.uint8)
        run(pointwise.tasks_of(nest), [*memory, out], number)
        results.append(out)
    assert np.array_equal(*results)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("function", ["tanh", "gelu", "log"])
def test_place__changes_no_bit(monkeypatch: pytest.MonkeyPatch, name: str, function: str) -> None:
    """Vectors that take turns compute what one element alone gives; the second operand is the same for all."""
    value = operation(function, operation("multiply", load(0, FLOAT32), load(1, FLOAT32)))
    source, scale = np.random.default_rng(0).normal(0, 3, 203).astype(np.float32), np.array([1.5], np.float32)
    results = []
    for count in (203, 1):
        out = np.zeros_like(source)
        nest = packed(count, value, [DataType.FLOAT32] * 2, DataType.FLOAT32)
        nest = replace(nest, loads=(nest.loads[0], replace(nest.loads[1], strides=(0,))))
        with machine(monkeypatch, name):
            tasks = pointwise.tasks_of(nest)
        for first in range(0, 203, count):
            parts = [part[first : first + count].view(np.uint8) for part in (source, out)]
            run(tasks, [parts[0], scale.view(np.uint8), parts[1]])
        results.append(out)
    assert np.isfinite(results[0]).any() and np.array_equal(results[0].view(np.int32), results[1].view(np.int32))


@pytest.mark.parametrize("shift", [0, 4, 20, 60])
def test_streamed__writes_elements_and_nothing_else(monkeypatch: pytest.MonkeyPatch, shift: int) -> None:
    monkeypatch.setattr(pointwise, "STREAMED_BYTES", 1)
    count = 4099
    nest = packed(count, operation("negative", load(0, FLOAT32)), [DataType.FLOAT32], DataType.FLOAT32)
    source = np.arange(count, dtype=np.float32)
    target = np.full(4 * count + 256, 7, np.uint8)
    start = -target.ctypes.data % 64 + shift
    out = target[start : start + 4 * count]
    run(pointwise.tasks_of(nest), [source.view(np.uint8), out])
    assert np.array_equal(out.view(np.float32), -source)
    assert (target[:start] == 7).all() and (target[start + 4 * count :] == 7).all()


def test_streams__what_touches_more_than_caches_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operands and results count; where operands lie in several orders, half as much is enough."""
    value = operation("add", load(0, FLOAT32), load(1, FLOAT32))
    even = packed(4096, value, [DataType.FLOAT32] * 2, DataType.FLOAT32)
    square = replace(even, sizes=(64, 64), loads=tuple(replace(each, strides=(64, 1)) for each in even.loads))
    square = replace(square, stores=(replace(even.stores[0], access=replace(even.stores[0].access, strides=(64, 1))),))
    mixed = replace(square, loads=(replace(square.loads[0], strides=(1, 64)), square.loads[1]))
    monkeypatch.setattr(pointwise, "LEAST_STREAMED", 1)
    touched = 3 * 4 * 4096
    for nest, part in ((even, 1.0), (mixed, pointwise.STREAMED_MIXED)):
        loops = canonical(nest)
        for limit, is_streamed in ((touched / part, True), (touched / part + 1, False)):
            monkeypatch.setattr(pointwise, "STREAMED_BYTES", limit)
            assert pointwise.shape_of(nest, loops, loops.iterations).stream is is_streamed


TURNED_TYPES = [DataType.FLOAT32, DataType.FLOAT16, DataType.UINT8, DataType.INT64]


@pytest.mark.parametrize("data_type", TURNED_TYPES)
@pytest.mark.parametrize("sizes", [(70, 600), (16, 16), (64, 512), (5, 1030), (200, 3)])
@pytest.mark.parametrize("streamed", [False, True])
def test_turned__operand_is_staged(
    monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int], data_type: DataType, streamed: bool
) -> None:
    monkeypatch.setattr(pointwise, "STREAMED_BYTES", 1 if streamed else 1 << 60)
    monkeypatch.setattr(tiling, "MOST_LANES", 0)
    for offset in (0, 5):
        assert_turned(sizes, data_type, offset)


@pytest.mark.parametrize("name", MACHINES)
def test_turned__operand_is_staged_on_every_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(tiling, "MOST_LANES", 0)
    with machine(monkeypatch, name):
        for data_type in TURNED_TYPES:
            assert_turned((21, 300), data_type, 3)


def assert_turned(sizes: tuple[int, int], data_type: DataType, offset: int) -> None:
    """An operand whose rows are neighbours, beside one whose columns are; all begin some elements after a line."""
    rows, columns = sizes
    kind = FLOAT32 if data_type is DataType.FLOAT16 else data_type.numpy_dtype
    a, b = (cast(load(n, data_type.numpy_dtype), kind) for n in range(2))
    loads = Access(0, data_type, (columns, 1), offset), Access(1, data_type, (1, rows), offset)
    store = Store(Access(2, data_type, (columns, 1), offset), operation("add", a, b))
    nest = Nest(sizes, loads, (store,))
    tasks = pointwise.tasks_of(nest)
    if not tasks:
        assert data_type is DataType.FLOAT16 and not llvm.has_half_floats()
        return
    generator = np.random.default_rng(1)
    memory = [random_bytes(generator, data_type, rows * columns + 2 * offset) for _ in range(3)]
    expected = [part.copy() for part in memory]
    store_nest(nest, expected)
    run(tasks, memory)
    assert same_elements(memory[2], expected[2], data_type, 0)


def test_fallback__agrees_with_machine_code() -> None:
    compared = 0
    for seed in range(40):
        nest, memory = random_nest(seed)
        tasks = pointwise.tasks_of(nest)
        if not tasks or any(OPERATIONS[n.op].ulp for n in _operations(nest)):
            continue
        other = [part.copy() for part in memory]
        run(tasks, memory)
        NumpyNest(nest).bind(other)()
        assert same_elements(memory[-1], other[-1], nest.stores[0].access.type, 0), nest
        compared += 1
    assert compared > 10


def test_same_elements__can_fail() -> None:
    one, two = (np.array([value], np.float32).view(np.uint8) for value in (1.0, 1.0000002))
    assert same_elements(one, one, DataType.FLOAT32, 0) and same_elements(one, two, DataType.FLOAT32, 2)
    assert not same_elements(one, two, DataType.FLOAT32, 1) and not same_elements(one, two, DataType.FLOAT32, 0)
    nan = np.array([np.nan], np.float32).view(np.uint8)
    assert not same_elements(one, nan, DataType.FLOAT32, 9) and same_elements(nan, nan, DataType.FLOAT32, 0)
    assert not same_elements(one, two, DataType.INT32, 5)


def test_assert_threads_change_no_bit__can_fail() -> None:
    assert_threads_change_no_bit(lambda: {"a": np.zeros(3), "b": np.ones(2)})
    before = get_threads()
    with pytest.raises(AssertionError):
        assert_threads_change_no_bit(lambda: np.array(get_threads()))
    assert get_threads() == before


def test_pieces__are_as_many_for_each_thread() -> None:
    found = [pointwise.pieces_of(work) for work in range(0, 1 << 26, 12_345)]
    assert found == sorted(found)
    assert found[0] == 1 and found[-1] == pointwise.MOST_CHUNKS
    assert all(count == 1 or count % 8 == 0 for count in found)
