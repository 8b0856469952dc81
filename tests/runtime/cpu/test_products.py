"""Kernels of products agree with the definitions, on every kind of processor, in any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from random import Random

import numpy as np
import pytest

import anydml as dml
from anydml.runtime.cpu.contraction import depthwise, partition
from anydml.runtime.cpu.contraction import gemm as gemm_module
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, host_machine
from anydml.runtime.cpu.contraction.panels import Matrix, Pack
from anydml.runtime.cpu.contraction.product import Product
from anydml.runtime.cpu.contraction.staged import ROOM_BYTES
from anydml.runtime.native import llvm
from tests.runtime.cpu.machines import MACHINES, machine, make_caches_small, wide_machine
from tests.runtime.cpu.products import (
    Trial,
    backward_convolution,
    channels_last,
    check,
    convolution,
    differences,
    first_layer,
    gemm,
    integer_convolution,
    integer_gemm,
    layout,
    magnitude,
    narrow_panel,
    narrow_product,
    pixelwise,
    run,
    small_planes,
    steps_of,
    thin_product,
    turned_results,
    values,
    vector_product,
    wide_images,
)
from tests.runtime.cpu.support import assert_threads_change_no_bit

TYPES = ("FLOAT32", "FLOAT32", "FLOAT16")
needs_llvm = pytest.mark.skipif(not llvm.is_available(), reason="no llvmlite")


@pytest.mark.parametrize("seed", range(40))
def test_gemm__agrees_with_its_definition(seed: int) -> None:
    check(gemm(Random(f"gemm {seed}"), TYPES[seed % 3]))


@pytest.mark.parametrize("seed", range(20))
def test_far_images__agree_with_their_definition(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """As if caches were small: the next plane is asked for, and there is none after the last one."""
    monkeypatch.setattr(depthwise, "_FAR_BYTES", 0)
    check(convolution(Random(f"far images {seed}"), TYPES[seed % 3], is_depthwise=True))


@pytest.mark.parametrize("seed", range(40))
def test_vector_product__agrees_with_its_definition(seed: int) -> None:
    check(vector_product(Random(f"vector {seed}"), TYPES[seed % 3]))


@pytest.mark.parametrize("seed", range(40))
def test_thin_product__agrees_with_its_definition(seed: int) -> None:
    check(thin_product(Random(f"thin {seed}"), TYPES[seed % 3]))


@pytest.mark.parametrize("seed", range(40))
def test_narrow_product__agrees_with_its_definition(seed: int) -> None:
    check(narrow_product(Random(f"narrow {seed}"), TYPES[seed % 3]))


@needs_llvm
@pytest.mark.parametrize("columns", [8, 16, 32])
@pytest.mark.parametrize("name", [None, *MACHINES])
def test_narrow_panels__agree_with_their_definition(
    monkeypatch: pytest.MonkeyPatch, name: str | None, columns: int
) -> None:
    random = Random(f"panel {name} {columns}")
    with nullcontext() if name is None else machine(monkeypatch, name):
        for _ in range(4):
            check(narrow_panel(random, columns))


@needs_llvm
def test_narrow_panels__are_read_where_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """One panel is packed already if its rows follow one another, and is not if there are gaps."""
    left = dml.TensorDesc("FLOAT32", (200, 1024))
    with machine(monkeypatch, "avx2"):
        for columns, pitch, steps in ((16, 16, [Product]), (16, 17, [Pack, Product]), (12, 12, [Pack, Product])):
            right = dml.TensorDesc("FLOAT32", (1024, columns), (pitch, 1))
            assert [type(step) for step in steps_of(dml.Gemm(a_tensor=left, b_tensor=right))] == steps


@pytest.mark.parametrize("seed", range(40))
def test_pixelwise_convolution__agrees_with_its_definition(seed: int) -> None:
    check(pixelwise(Random(f"pixelwise {seed}"), TYPES[seed % 3]))


@pytest.mark.parametrize("seed", range(40))
def test_products__of_what_no_cache_holds(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """As if caches were small: either operand is read from memory, once."""
    monkeypatch.setattr(partition, "_FAR_RIGHT_BYTES", 1 << 14)
    monkeypatch.setattr(gemm_module, "_FAR_LEFT_BYTES", 1 << 14)
    random = Random(f"far {seed}")
    make = random.choice((thin_product, gemm, vector_product))
    check(make(random, TYPES[seed % 3]))


@pytest.mark.parametrize("name", [None, *MACHINES])
@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16"])
@pytest.mark.parametrize("turned", ["NONE", "TRANSPOSE"])
def test_far_left_operands__are_packed_by_chunks(
    monkeypatch: pytest.MonkeyPatch, turned: str, data_type: str, name: str | None
) -> None:
    """Matrices of a batch, whose depth is one block or several, and whose last tile lacks rows."""
    monkeypatch.setattr(gemm_module, "_FAR_LEFT_BYTES", 1 << 14)
    random = Random(f"far left {turned} {data_type} {name}")
    for depth in (333, 1600):
        left = (2, 1, 37, depth) if turned == "NONE" else (2, 1, depth, 37)
        sizes = {"a_tensor": left, "b_tensor": (2, 1, depth, 70)}
        tensors = {key: layout(random, size, data_type) for key, size in sizes.items()}
        given = {key: values(random, size, data_type) for key, size in sizes.items()}
        with nullcontext() if name is None else machine(monkeypatch, name):
            check(Trial(dml.Gemm(**tensors, trans_a=turned), given, depth))


@pytest.mark.parametrize("name", [None, *MACHINES])
@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16"])
def test_deep_right_operands__are_packed_a_block_at_a_time(
    monkeypatch: pytest.MonkeyPatch, data_type: str, name: str | None
) -> None:
    """Of one block or several, whose last one is shorter, and whose last tile lacks columns."""
    monkeypatch.setattr(gemm_module, "_MANY_COLUMNS", 64)
    monkeypatch.setattr(gemm_module, "_DEEP", 100)
    random = Random(f"blocks {data_type} {name}")
    for rows, depth, columns in ((37, 150, 70), (37, 513, 200), (20, 1700, 333)):
        sizes = {"a_tensor": (2, 1, rows, depth), "b_tensor": (2, 1, depth, columns)}
        tensors = {key: layout(random, size, data_type) for key, size in sizes.items()}
        tensors["b_tensor"] = dml.TensorDesc(data_type, sizes["b_tensor"], (depth * 400, depth * 400, 400, 1))
        given = {key: values(random, size, data_type) for key, size in sizes.items()}
        with nullcontext() if name is None else machine(monkeypatch, name):
            check(Trial(dml.Gemm(**tensors), given, depth))


@needs_llvm
def test_blocks_of_depth__are_what_deep_operands_beside_few_rows_are_packed_in() -> None:
    """In long pieces of rows, not in narrow ones of all: that is what the blocks are for."""
    tensors = {"a_tensor": dml.TensorDesc("FLOAT32", (32, 4096)), "b_tensor": dml.TensorDesc("FLOAT32", (4096, 1024))}
    (step,) = [step for step in steps_of(dml.Gemm(**tensors)) if isinstance(step, Product)]
    assert step.tile.stages_blocks and step.tile.is_blocked
    assert min(chunk.columns[1] - chunk.columns[0] for chunk in step.chunks) >= partition.LONG_PIECE


@needs_llvm
@pytest.mark.parametrize("is_constant", [False, True])
def test_long_rows__are_read_in_place_a_short_block_at_a_time(
    monkeypatch: pytest.MonkeyPatch, is_constant: bool
) -> None:
    """Beside a right operand that chunks pack, or that was packed once, on processors with two units."""
    random = Random(f"long rows {is_constant}")
    for number, (rows, depth, columns) in enumerate(((37, 321, 70), (30, 1700, 130), (17, 640, 31))):
        given = {"a_tensor": values(random, (2, 1, rows, depth), "FLOAT32")}
        given["b_tensor"] = values(random, (2, 1, depth, columns), "FLOAT32")
        strides = (rows * (depth + 3), 1, depth + 3, 1)
        tensors = {"a_tensor": dml.TensorDesc("FLOAT32", given["a_tensor"].shape, strides)}
        flags = "OWNED_BY_DML" if is_constant else None
        tensors["b_tensor"] = layout(random, given["b_tensor"].shape, "FLOAT32", flags)
        operator = dml.Gemm(**tensors)
        with wide_machine(monkeypatch, number):
            (step,) = [step for step in steps_of(operator) if isinstance(step, Product)]
            is_short = host_machine().has_two_units
            assert step.tile.has_short_blocks == (isinstance(step.left, Matrix) and step.tile.rows > 8) == is_short
            assert step.tile.stages_blocks == (is_short and not is_constant)
            check(Trial(operator, given, depth, ("b_tensor",) if is_constant else ()))


@pytest.mark.parametrize("rows", [20, 70])
def test_flat_products__fill_the_memory_of_a_thread(rows: int) -> None:
    """The deepest right operand that chunks pack themselves, and one that a step before does."""
    random = Random(f"flat {rows}")
    most = (ROOM_BYTES - host_machine().vector_bytes ** 2) // (gemm_module._WIDEST_TILE * CELL_BYTES)
    for depth in (most, most + 1):
        sizes = {"a_tensor": (rows, depth), "b_tensor": (depth, 70)}
        given = {key: values(random, size, "FLOAT32") for key, size in sizes.items()}
        tensors = {key: dml.TensorDesc("FLOAT32", size) for key, size in sizes.items()}
        check(Trial(dml.Gemm(**tensors), given, depth))


@pytest.mark.parametrize("seed", range(60))
def test_convolution__agrees_with_its_definition(seed: int) -> None:
    check(convolution(Random(f"convolution {seed}"), TYPES[seed % 3]))


@pytest.mark.parametrize("seed", range(30))
def test_wide_images__agree_with_their_definition(seed: int) -> None:
    check(wide_images(Random(f"wide {seed}"), TYPES[seed % 3]))


@pytest.mark.parametrize("seed", range(40))
def test_depthwise_convolution__agrees_with_its_definition(seed: int) -> None:
    check(convolution(Random(f"depthwise {seed}"), TYPES[seed % 3], is_depthwise=True))


@pytest.mark.parametrize("seed", range(16))
def test_small_planes__agree_with_their_definition(seed: int) -> None:
    check(small_planes(Random(f"planes {seed}")))


@pytest.mark.parametrize("seed", range(40))
def test_backward_convolution__agrees_with_its_definition(seed: int) -> None:
    check(backward_convolution(Random(f"backward {seed}"), TYPES[seed % 3]))


@pytest.mark.parametrize("number", (48, 123, 132))
def test_lines_of_few_pixels__find_padding_where_taps_run_backwards(number: int) -> None:
    """Images whose lines are as long as a tile is high; each was wrong where taps on padding were left out."""
    random = Random(f"sweep A back {number}")
    check(backward_convolution(random, random.choice(TYPES)))


@pytest.mark.parametrize("make", [integer_gemm, integer_convolution])
@pytest.mark.parametrize("seed", range(40))
def test_integers__are_exact(make: Callable[[Random], Trial], seed: int) -> None:
    trial = make(Random(f"integers {seed}"))
    assert np.array_equal(run(trial, "cpu"), run(trial, "reference"))


@pytest.mark.parametrize("seed", range(20))
def test_integers__of_what_no_cache_holds(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(gemm_module, "_FAR_LEFT_BYTES", 1 << 10)
    trial = integer_gemm(Random(f"far integers {seed}"))
    assert np.array_equal(run(trial, "cpu"), run(trial, "reference"))


@pytest.mark.parametrize("depth", [1537, 2048, 3001])
def test_gemm__of_long_rows(depth: int) -> None:
    random = Random(f"long {depth}")
    sizes = {"a_tensor": (37, depth), "b_tensor": (depth, 53)}
    tensors = {name: layout(random, size, "FLOAT32") for name, size in sizes.items()}
    given = {name: values(random, size, "FLOAT32") for name, size in sizes.items()}
    check(Trial(dml.Gemm(**tensors), given, depth))


@pytest.mark.parametrize("rows", [4, 64])
def test_gemm__of_long_rows_errs_little(rows: int) -> None:
    """Adding one product after the other would err by more than 100 units of the last place."""
    generator = np.random.default_rng(7)
    a, b = (generator.random(sizes, np.float32) + 0.5 for sizes in ((rows, 10_000), (10_000, 33)))
    tensors = {name: dml.TensorDesc("FLOAT32", x.shape) for name, x in (("a_tensor", a), ("b_tensor", b))}
    found = dml.Device().compile(dml.Gemm(**tensors))(a, b)
    np.testing.assert_allclose(found, a.astype(np.float64) @ b, rtol=24 * 2.0**-24)


@pytest.mark.parametrize("order", ["NCHW", "NHWC"])
def test_convolution__of_many_channels(order: str) -> None:
    """Depth is walked in blocks, and lines are shorter than vectors."""
    random = Random("channels")
    x = dml.TensorDesc("FLOAT32", [2, 190, 7, 7], order=order)
    operator = dml.Convolution(
        input_tensor=x,
        filter_tensor=dml.TensorDesc("FLOAT32", [70, 190, 3, 3]),
        output_tensor=dml.TensorDesc("FLOAT32", [2, 70, 7, 7], order=order),
        start_padding=[1, 1],
        end_padding=[1, 1],
    )
    given = {
        name: values(random, getattr(operator, name).sizes, "FLOAT32") for name in ("input_tensor", "filter_tensor")
    }
    check(Trial(operator, given, 1710))


@needs_llvm
@pytest.mark.parametrize("seed", range(18))
def test_wide_machines__agree_with_the_definition(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    random = Random(f"wide machine {seed}")
    with wide_machine(monkeypatch, seed):
        for make in (gemm, thin_product, narrow_product, pixelwise, convolution, wide_images, channels_last):
            check(make(random))


@needs_llvm
@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("seed", range(8))
def test_machines__agree_with_the_definition(monkeypatch: pytest.MonkeyPatch, name: str, seed: int) -> None:
    random = Random(f"machine {seed}")
    with machine(monkeypatch, name):
        assert llvm.vector_bytes() == {"sse2": 16, "avx2": 32}[name]
        check(gemm(random))
        check(vector_product(random))
        check(thin_product(random))
        check(narrow_product(random))
        check(pixelwise(random))
        check(convolution(random))
        check(convolution(random, is_depthwise=True))
        check(wide_images(random))
        trial = integer_gemm(random)
        assert np.array_equal(run(trial, "cpu"), run(trial, "reference"))


def _large_gemm(random: Random) -> Trial:
    return gemm(random, largest=400)


def _depthwise(random: Random) -> Trial:
    return convolution(random, is_depthwise=True)


@pytest.mark.parametrize(
    "make",
    [
        _large_gemm,
        vector_product,
        thin_product,
        narrow_product,
        pixelwise,
        convolution,
        _depthwise,
        small_planes,
        turned_results,
        channels_last,
        first_layer,
        backward_convolution,
        integer_gemm,
        integer_convolution,
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_threads__give_the_same_bits(make: Callable[[Random], Trial], seed: int) -> None:
    trial = make(Random(f"threads {seed}"))
    assert_threads_change_no_bit(lambda: run(trial, "cpu"))


@needs_llvm
@pytest.mark.parametrize("seed", range(12))
def test_threads__give_the_same_bits_where_tiles_are_wide(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    random = Random(f"wide threads {seed}")
    make_caches_small(monkeypatch, random)
    trial = channels_last(random)
    with wide_machine(monkeypatch, seed):
        assert_threads_change_no_bit(lambda: run(trial, "cpu"))


def test_convolution__of_an_image_that_many_chunks_share() -> None:
    random = Random("chunks")
    sizes = {"input_tensor": (2, 40, 37, 41), "filter_tensor": (50, 40, 3, 3)}
    tensors = {name: layout(random, size, "FLOAT32") for name, size in sizes.items()}
    operator = dml.Convolution(**tensors, start_padding=[1, 1], end_padding=[1, 1])
    check(Trial(operator, {name: values(random, size, "FLOAT32") for name, size in sizes.items()}, 360))


def test_gemm__passes_special_values_on() -> None:
    a = np.array([[1, np.inf], [np.nan, 2], [-np.inf, 3], [0, 1]], np.float32)
    b = np.eye(2, dtype=np.float32)
    operator = dml.Gemm(a_tensor=dml.TensorDesc("FLOAT32", a.shape), b_tensor=dml.TensorDesc("FLOAT32", b.shape))
    with np.errstate(invalid="ignore"):
        assert np.array_equal(dml.Device().compile(operator)(a, b), a @ b, equal_nan=True)


@needs_llvm
def test_gemm__is_one_native_call() -> None:
    """A small product needs no packing and no second step."""
    matrix = dml.TensorDesc("FLOAT32", [16, 16])
    plan = dml.Device().compile(dml.Gemm(a_tensor=matrix, b_tensor=matrix)).plan
    assert len(plan.steps) == 1 and plan.temporary_size_in_bytes == 0
    assert plan.describe().splitlines()[1].lstrip().startswith("1. product")


@needs_llvm
def test_weights__are_packed_once() -> None:
    owned = dml.TensorDesc("FLOAT32", [24, 16, 3, 3], flags="OWNED_BY_DML")
    x = dml.TensorDesc("FLOAT32", [1, 16, 20, 20], order="NHWC")
    operator = dml.Convolution(input_tensor=x, filter_tensor=owned)
    plan = dml.Device().compile(operator).plan
    assert any("pack" in step.describe(str) for step in plan.initialize)
    assert not any("pack" in step.describe(str) for step in plan.steps)
    assert plan.temporary_size_in_bytes == 0


def test_differences__are_found() -> None:
    trial = gemm(Random("differences"))
    wanted = run(trial, "reference")
    bound = magnitude(trial)
    assert not len(differences(wanted, wanted, bound, trial.terms))
    wrong = wanted.copy()
    wrong.flat[3] += 1e-3 * bound.flat[3] * trial.terms
    assert len(differences(wrong, wanted, bound, trial.terms)) == 1
    wrong.flat[3] = np.nan
    assert len(differences(wrong, wanted, bound, trial.terms)) == 1


def test_run__sees_stray_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = gemm(Random("stray"))

    def stray(self: object, *_: object, **named: np.ndarray) -> None:
        np.lib.stride_tricks.as_strided(named["output_tensor"], (1,), (1,))[0] = 1
        whole = named["output_tensor"].base
        assert whole is not None
        whole[0] ^= 1

    monkeypatch.setattr("anydml.runtime.compiled.CompiledOperator.__call__", stray)
    with pytest.raises(AssertionError, match="outside"):
        run(trial, "cpu")


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("number", [np.inf, np.nan])
def test_constant_weights__that_are_no_finite_numbers_leave_padding_alone(number: float, groups: int) -> None:
    weights = np.ones((2, 2 // groups, 3, 3), np.float32)
    weights[0, 0, 0, 0] = number
    operator = dml.Convolution(
        input_tensor=dml.TensorDesc("FLOAT32", (1, 2, 5, 5)),
        filter_tensor=dml.TensorDesc("FLOAT32", weights.shape),
        start_padding=[1, 1],
        end_padding=[1, 1],
        group_count=groups,
    )
    graph = dml.Graph([operator, dml.ConstantNode(weights)], [(0, 0, 0)], [(0, 0, 0)], [(1, 0, 0, 1)])
    given = np.ones((1, 2, 5, 5), np.float32)
    found, wanted = (dml.Device(name).compile_graph(graph)(given) for name in ("cpu", "reference"))
    assert np.array_equal(found, wanted, equal_nan=True)
    assert np.isfinite(found[0, 0, 0]).all() and not np.isfinite(found[0, 0, 1:, 1:]).any()
