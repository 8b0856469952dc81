"""Convolutions whose pixels are read through pointers agree with the definition, on processors that read them so."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import anydml as dml
from anydml.core.steps import Nest
from anydml.graph.graph import Graph
from anydml.runtime.cpu.contraction import convolution as convolution_module
from anydml.runtime.cpu.contraction import images, indirect
from anydml.runtime.cpu.contraction.product import Product
from anydml.runtime.cpu.contraction.staged import ROOM_BYTES
from anydml.runtime.native import llvm
from tests.runtime.cpu.machines import machine, make_caches_small, wide_machine
from tests.runtime.cpu.products import (
    Trial,
    backward_convolution,
    channels_last,
    check,
    first_layer,
    layout,
    steps_of,
    turned_results,
    values,
)

TYPES = ("FLOAT32", "FLOAT32", "FLOAT16")
needs_llvm = pytest.mark.skipif(not llvm.is_available(), reason="no llvmlite")


@pytest.mark.parametrize("seed", range(40))
def test_channels_last__agree_with_their_definition(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Also with few registers, or with many and fast units, where they are read through pointers; and in many chunks,
    as if caches were small, or with few taps at a time."""
    random = Random(f"channels last {seed}")
    make_caches_small(monkeypatch, random)
    with wide_machine(monkeypatch, seed // 2) if seed % 2 == 0 else machine(monkeypatch, "avx2"):
        check(channels_last(random, TYPES[seed % 3]))


@needs_llvm
@pytest.mark.parametrize("seed", range(40))
def test_first_layers__agree_with_their_definition(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    random = Random(f"first layer {seed}")
    make_caches_small(monkeypatch, random)
    with wide_machine(monkeypatch, seed // 2) if seed % 2 == 0 else machine(monkeypatch, "avx2"):
        check(first_layer(random))


@needs_llvm
@pytest.mark.parametrize("seed", range(40))
def test_turned_results__agree_with_their_definition(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Lines that are whole and parts of lines, of buffers that are aligned and others; in half of the cases as if no
    cache held the results."""
    random = Random(f"turned {seed}")
    make_caches_small(monkeypatch, random)
    monkeypatch.setattr(convolution_module, "_STREAMED_BYTES", random.choice((0, 1 << 30)))
    with wide_machine(monkeypatch, seed // 2) if seed % 4 else machine(monkeypatch, "avx2"):
        check(turned_results(random))


@needs_llvm
def test_turned_results__are_held_until_lines_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """And written past the caches only if they are many, lines begin at the same row in all planes, and rows of planes
    follow one another."""
    tiles = []
    for pixels, gap, most in ((16, 0, 0), (17, 0, 0), (16, 4, 0), (16, 0, 1 << 30)):
        monkeypatch.setattr(convolution_module, "_STREAMED_BYTES", most)
        with wide_machine(monkeypatch, 3):
            steps = steps_of(_to_planes(1, pixels, "NHWC", gap))
        tiles += [step.tile for step in steps if isinstance(step, Product)]
    is_wide = llvm.vector_bytes() == 64
    if is_wide or llvm.vector_bytes() == 32:
        assert all(tile.holds_results for tile in tiles)
        assert [tile.streams_results for tile in tiles] == [is_wide, False, False, False]


def _to_planes(batch: int, pixels: int, order: str, gap: int = 0) -> dml.Operator:
    """A convolution of square images in some order whose result is planes, maybe with a gap behind each row."""
    sizes, row = (batch, 64, pixels, pixels), pixels + gap
    x, weights = dml.TensorDesc("FLOAT32", sizes, order=order), dml.TensorDesc("FLOAT32", (64, 64, 3, 3))
    y = dml.TensorDesc("FLOAT32", sizes, (64 * pixels * row, pixels * row, row, 1))
    ends = [1, 1]
    return dml.Convolution(input_tensor=x, filter_tensor=weights, output_tensor=y, start_padding=ends, end_padding=ends)


@needs_llvm
def test_images__are_copied_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as caches hold, and more if they have too few chunks; all of them to the same place."""
    size = 64 * 100 * 4
    for limit, chunks, copies in ((0, 0, [1] * 5), (2 * size, 0, [2, 2, 1]), (0, 1000, [5]), (1 << 30, 0, [5])):
        monkeypatch.setattr(images, "COPY_BYTES", limit)
        monkeypatch.setattr(images, "_FEWEST_CHUNKS", chunks)
        with machine(monkeypatch, "avx2"):
            plan = dml.Device().compile_graph(Graph.of(_to_planes(5, 10, "NCHW"))).plan
        nests = [step for step in plan.steps if isinstance(step, Nest)]
        assert [nest.sizes[0] for nest in nests] == copies
        (slot,) = {nest.stores[0].access.slot for nest in nests}
        assert plan.slots[slot].size_in_bytes == copies[0] * size


@needs_llvm
@pytest.mark.parametrize("seed", range(12))
def test_images__that_are_copied_some_at_a_time_agree_with_their_definition(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    random = Random(f"images {seed}")
    monkeypatch.setattr(images, "COPY_BYTES", random.choice((0, 1 << 16)))
    monkeypatch.setattr(images, "_FEWEST_CHUNKS", 0)
    make_caches_small(monkeypatch, random)
    groups, channels = random.choice((1, 2)), random.choice((16, 24))
    sizes = {
        "input_tensor": (random.randint(2, 5), groups * channels, random.randint(6, 20), 15),
        "filter_tensor": (groups * 64, channels, 3, 2),
        "bias_tensor": (1, groups * 64, 1, 1),
    }
    tensors = {name: dml.TensorDesc("FLOAT32", size) for name, size in sizes.items()}
    y = dml.Convolution(**tensors, group_count=groups).output_tensor.sizes
    operator = dml.Convolution(**tensors, group_count=groups, output_tensor=layout(random, y, "FLOAT32"))
    given = {name: values(random, size, "FLOAT32") for name, size in sizes.items()}
    with wide_machine(monkeypatch, 3) if seed % 2 else machine(monkeypatch, "avx2"):
        check(Trial(operator, given, channels * 6))


@needs_llvm
def test_first_layers__are_read_through_pointers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pointer for each line of a window: its elements are neighbours."""
    x, y = (dml.TensorDesc("FLOAT32", (1, size, pixels, pixels), order="NHWC") for size, pixels in ((3, 64), (64, 32)))
    weights = dml.TensorDesc("FLOAT32", (64, 3, 7, 7))
    options = {"start_padding": [3, 3], "end_padding": [2, 2], "strides": [2, 2]}
    operator = dml.Convolution(input_tensor=x, filter_tensor=weights, output_tensor=y, **options)
    with machine(monkeypatch, "avx2"):
        plan = dml.Device().compile_graph(Graph.of(operator)).plan
        (step,) = [step for step in plan.steps if isinstance(step, Product)]
        assert step.tile.is_indirect and isinstance(step.left, indirect.IndirectWindows)
        assert step.left.windows.taps == (1, 7, 1)


@needs_llvm
@pytest.mark.parametrize("taps", [60, 300])
def test_first_layers__of_large_windows_stay_in_the_memory_of_a_thread(taps: int) -> None:
    """Copies of all lines of a tile have room, or windows are not read through pointers."""
    x, y = (dml.TensorDesc("FLOAT32", (1, size, pixels, pixels), order="NHWC") for size, pixels in ((3, taps), (16, 3)))
    weights, ends = dml.TensorDesc("FLOAT32", (16, 3, taps, taps)), [1, 1]
    options = {"start_padding": ends, "end_padding": ends}
    operator = dml.Convolution(input_tensor=x, filter_tensor=weights, output_tensor=y, **options)
    for step in dml.Device().compile_graph(Graph.of(operator)).plan.steps:
        if isinstance(step, Product) and isinstance(step.left, indirect.IndirectWindows):
            most = step.left.most_pixels(step.tile.rows) // step.tile.rows
            assert most * step.left._table_bytes(step.tile.rows) <= ROOM_BYTES


@needs_llvm
def test_channels_last__of_more_channels_than_a_block_has(monkeypatch: pytest.MonkeyPatch) -> None:
    random, sizes = Random("many channels"), {"input_tensor": (1, 1700, 3, 5), "filter_tensor": (64, 1700, 1, 1)}
    x = dml.TensorDesc("FLOAT32", sizes["input_tensor"], order="NHWC")
    y = dml.TensorDesc("FLOAT32", (1, 64, 3, 5), order="NHWC")
    weights = dml.TensorDesc("FLOAT32", sizes["filter_tensor"])
    operator = dml.Convolution(input_tensor=x, filter_tensor=weights, output_tensor=y)
    given = {name: values(random, size, "FLOAT32") for name, size in sizes.items()}
    with machine(monkeypatch, "avx2"):
        check(Trial(operator, given, 1700))


@needs_llvm
def test_blocks_of_taps__change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    random, sizes = Random("taps"), {"input_tensor": (2, 40, 9, 7), "filter_tensor": (64, 40, 3, 3)}
    x, y = (dml.TensorDesc("FLOAT32", (2, channels, 9, 7), order="NHWC") for channels in (40, 64))
    weights, ends = dml.TensorDesc("FLOAT32", sizes["filter_tensor"]), [1, 1]
    operator = dml.Convolution(
        input_tensor=x, filter_tensor=weights, output_tensor=y, start_padding=ends, end_padding=ends
    )
    given = [values(random, size, "FLOAT32") for size in sizes.values()]
    results, blocked = [], []
    for near, taps in ((1 << 30, 1), (0, 1), (0, 4 * 40 * 64)):
        monkeypatch.setattr(indirect, "_NEAR_PANEL_BYTES", near)
        monkeypatch.setattr(indirect, "_MOST_TAPS_BYTES", taps)
        with machine(monkeypatch, "avx2"):
            compiled = dml.Device().compile_graph(Graph.of(operator))
            results.append(compiled(*given, None))
        tiles = [step.tile for step in compiled.plan.steps if isinstance(step, Product)]
        blocked.append([tile.is_blocked for tile in tiles if tile.is_indirect])
    assert blocked == [[False], [True], [True]]
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])


@needs_llvm
def test_taps_on_padding__are_left_out_where_no_pixel_of_a_tile_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """So an infinite weight does not meet the zeros of padding: all pixels of these tiles lie in one line."""
    weights = np.ones((16, 16, 3, 1), np.float32)
    weights[:, :, 0] = np.inf
    x = dml.TensorDesc("FLOAT32", [1, 16, 4, 6], order="NHWC")
    operator = dml.Convolution(
        input_tensor=x,
        filter_tensor=dml.TensorDesc("FLOAT32", weights.shape),
        start_padding=[1, 0],
        end_padding=[1, 0],
    )
    with machine(monkeypatch, "avx2"):
        found = dml.Device().compile(operator)(np.ones((1, 4, 6, 16), np.float32), weights)
    assert (found[0, :, 0] == 32).all() and np.isinf(found[0, :, 1:]).all()


@needs_llvm
@pytest.mark.parametrize("seed", range(24))
def test_backward_channels_last__agree_with_their_definition(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Taps that run backwards, of pixels that are read through pointers."""
    with wide_machine(monkeypatch, seed // 2) if seed % 2 == 0 else machine(monkeypatch, "avx2"):
        check(backward_convolution(Random(f"backward channels last {seed}"), is_channels_last=True))
