"""Native reductions beside float64, over random sizes, axes and layouts; the same bits for any number of threads."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.runtime.cpu.reductions.moved import MovedReduction
from anydml.runtime.cpu.reductions.step import Reduction
from tests.runtime.cpu.support import assert_threads_change_no_bit, normalized, softmax

FUNCTIONS: dict[str, Any] = {
    "SUM": lambda x, axes: x.sum(axes, keepdims=True),
    "AVERAGE": lambda x, axes: x.mean(axes, keepdims=True),
    "MAX": lambda x, axes: x.max(axes, keepdims=True),
    "MIN": lambda x, axes: x.min(axes, keepdims=True),
    "L1": lambda x, axes: np.abs(x).sum(axes, keepdims=True),
    "L2": lambda x, axes: np.sqrt((x * x).sum(axes, keepdims=True)),
    "SUM_SQUARE": lambda x, axes: (x * x).sum(axes, keepdims=True),
    "MULTIPLY": lambda x, axes: x.prod(axes, keepdims=True),
    "LOG_SUM_EXP": lambda x, axes: np.log(np.exp(x).sum(axes, keepdims=True)),
}


def random_case(seed: int) -> tuple[np.ndarray[Any, Any], dml.TensorDesc, tuple[int, ...]]:
    """Elements, how they lie in memory, and some axes."""
    random = Random(seed)
    sizes = tuple(random.choice((1, 2, 3, 7, 16, 33, 130)) for _ in range(random.randint(1, 4)))
    order = random.sample(range(len(sizes)), len(sizes))
    strides, step = [0] * len(sizes), random.choice((1, 1, 2))
    for axis in order:
        strides[axis] = step
        step = step * sizes[axis] + random.choice((0, 0, 3))
    axes = tuple(sorted(random.sample(range(len(sizes)), random.randint(1, len(sizes)))))
    x = np.random.default_rng(seed).uniform(0.5, 1.5, sizes) * np.random.default_rng(seed + 1).choice([-1, 1], sizes)
    return x.astype(np.float32), dml.TensorDesc("FLOAT32", sizes, strides), axes


def run(operator: dml.Operator, desc: dml.TensorDesc, x: Any) -> Any:
    compiled = dml.Device("cpu").compile(operator)
    assert any(isinstance(step, Reduction | MovedReduction) for step in compiled.plan.steps), "no native step"
    memory = np.zeros(desc.minimum_size_in_bytes, np.uint8)
    desc.view(memory)[...] = x
    return compiled(memory)


def assert_near(found: Any, wanted: Any, magnitude: Any) -> None:
    """Within a few units of the last place of what was added up."""
    assert np.all(np.abs(found - wanted) <= 4e-6 * np.maximum(magnitude, 1e-30)), np.abs(found - wanted).max()


@pytest.mark.parametrize("seed", range(28))
def test_reduce__is_near_float64(seed: int) -> None:
    x, desc, axes = random_case(seed)
    wide = x.astype(np.float64)
    for name, define in FUNCTIONS.items():
        found = run(dml.Reduce(function=name, input_tensor=desc, axes=axes), desc, x)
        wanted = define(wide, axes)
        magnitude = np.abs(wide).sum(axes, keepdims=True) if name in ("SUM", "AVERAGE") else np.abs(wanted) + 1
        if name == "MULTIPLY":
            magnitude = np.abs(wanted) * x.size
        assert_near(found, wanted, magnitude)


@pytest.mark.parametrize("seed", range(20))
def test_softmax_and_normalization__are_near_float64(seed: int) -> None:
    x, desc, axes = random_case(seed)
    wide = x.astype(np.float64)
    assert_near(run(dml.ActivationSoftmax1(input_tensor=desc, axes=axes), desc, x), softmax(wide, axes), 1.0)
    logarithms = run(dml.ActivationLogSoftmax1(input_tensor=desc, axes=axes), desc, x)
    assert_near(logarithms, np.log(softmax(wide, axes)), np.log(x.size) + 3)
    operator = dml.MeanVarianceNormalization2(
        input_tensor=desc, axes=axes, use_mean=True, use_variance=True, epsilon=1e-3
    )
    assert_near(run(operator, desc, x), normalized(wide, axes), 30.0)


@pytest.mark.parametrize("axis", [0, 1])
def test_reduce__with_what_follows_fused(axis: int) -> None:
    """Another operand is read once for each fold."""
    whole = dml.TensorDesc("FLOAT32", (37, 50))
    kept = dml.TensorDesc("FLOAT32", (1, 50) if axis == 0 else (37, 1))
    operators = [
        dml.Reduce(function="SUM", input_tensor=whole, axes=[axis], output_tensor=kept),
        dml.ElementWiseMultiply(a_tensor=kept, b_tensor=kept),
    ]
    graph = dml.Graph(operators, [(0, 0, 0), (1, 1, 1)], [(1, 0, 0)], [(0, 0, 1, 0)])
    generator = np.random.default_rng(0)
    x, y = (generator.standard_normal(desc.sizes).astype(np.float32) for desc in (whole, kept))
    compiled = dml.Device("cpu").compile_graph(graph)
    assert [type(step) for step in compiled.plan.steps] == [Reduction]
    wanted = x.astype(np.float64).sum(axis, keepdims=True) * y
    assert_near(compiled(x, y), wanted, np.abs(x).sum(axis, keepdims=True) * np.abs(y))


@pytest.mark.parametrize("name", ["SUM", "MAX", "MIN", "MULTIPLY", "L1", "SUM_SQUARE"])
@pytest.mark.parametrize("data_type", ["INT32", "UINT32", "INT64"])
def test_integers__wrap(name: str, data_type: str) -> None:
    desc = dml.TensorDesc(data_type, (5, 67, 9))
    kind = desc.data_type.numpy_dtype
    x = np.random.default_rng(3).integers(np.iinfo(kind).min, np.iinfo(kind).max, desc.sizes, kind)
    for axes in ((0,), (1,), (2,), (0, 1, 2)):
        found = run(dml.Reduce(function=name, input_tensor=desc, axes=axes), desc, x)
        exact = x.astype(object)
        define = {"MAX": np.max, "MIN": np.min, "MULTIPLY": np.prod}.get(name, np.sum)
        made = abs(x).astype(object) if name == "L1" else exact * exact if name == "SUM_SQUARE" else exact
        wanted = np.asarray(define(made, axis=axes, keepdims=True)) % (1 << (8 * kind.itemsize))
        assert (found.astype(object) % (1 << (8 * kind.itemsize)) == wanted).all()


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_special_values__win(axes: tuple[int, ...]) -> None:
    desc = dml.TensorDesc("FLOAT32", (40, 40))
    x = np.random.default_rng(0).standard_normal((40, 40)).astype(np.float32)
    x[3, 5], x[7, 5], x[9, 9] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        for name in ("MAX", "MIN", "SUM"):
            found = run(dml.Reduce(function=name, input_tensor=desc, axes=axes), desc, x)
            wanted = FUNCTIONS[name](x.astype(np.float64), axes)
            assert np.array_equal(np.isnan(found), np.isnan(wanted))
            finite = np.isfinite(wanted)
            assert np.allclose(found[finite], wanted[finite], rtol=1e-5, atol=1e-5)
            assert np.array_equal(found[np.isinf(wanted)], wanted[np.isinf(wanted)])


@pytest.mark.parametrize("strides", [(17, 1), (20, 1), (1, 20_000), (2, 40_000)])
@pytest.mark.parametrize("kept", [1, 0])
def test_sums__of_many_rows_err_as_little_as_sums_of_few(strides: tuple[int, int], kept: int) -> None:
    """Adding one row after the other would err by 25 units of the last place."""
    x = np.random.default_rng(5).random((20_000, 17)).astype(np.float32) + 50
    source = dml.TensorDesc("FLOAT32", x.shape, strides)
    memory = np.zeros(source.total_tensor_size_in_bytes, np.uint8)
    source.store(memory, x)
    axes = (0,) if kept else (0, 1)
    mean = dml.Device().compile(dml.Reduce(function="AVERAGE", input_tensor=source, axes=axes))(memory)
    np.testing.assert_allclose(mean, x.mean(axes, np.float64, keepdims=True), rtol=8 * 2.0**-24)
    normalize = dml.MeanVarianceNormalization1(input_tensor=source, axes=axes, normalize_variance=False, epsilon=0)
    centred = x - x.mean(axes, np.float64, keepdims=True)
    np.testing.assert_allclose(dml.Device().compile(normalize)(memory), centred, atol=50 * 8 * 2.0**-24)


@pytest.mark.parametrize("sizes", [(2000, 1000), (7, 300_000), (64, 64, 500)])
@pytest.mark.parametrize("axis", [0, 1])
def test_threads__change_no_bit(sizes: tuple[int, ...], axis: int) -> None:
    desc = dml.TensorDesc("FLOAT32", sizes)
    x = np.random.default_rng(0).standard_normal(sizes).astype(np.float32)
    operators = [
        dml.Reduce(function="SUM", input_tensor=desc, axes=[axis]),
        dml.ActivationSoftmax1(input_tensor=desc, axes=[axis]),
    ]
    for operator in operators:
        assert_threads_change_no_bit(partial(run, operator, desc, x))


@pytest.mark.parametrize("name", ["MaxPooling", "AveragePooling", "LpPooling"])
@pytest.mark.parametrize("seed", range(12))
def test_pooling__is_near_float64(name: str, seed: int) -> None:
    """Every window, element by element."""
    random = Random(seed)
    height, width = random.randint(3, 20), random.randint(3, 40)
    window = random.randint(1, 3), random.randint(1, 3)
    strides = random.randint(1, 3), random.randint(1, 3)
    before = tuple(random.randint(0, size - 1) for size in window)
    more: dict[str, Any] = {"AveragePooling": {"include_padding": seed % 2 == 0}, "LpPooling": {"p": 2}}.get(name, {})
    desc = dml.TensorDesc("FLOAT32", (2, 3, height, width))
    x = np.random.default_rng(seed).standard_normal(desc.sizes).astype(np.float32)
    operator = getattr(dml, name)(
        input_tensor=desc, window_size=window, strides=strides, start_padding=before, end_padding=before, **more
    )
    found = dml.Device("cpu").compile(operator)(x)
    for place in np.ndindex(*found.shape):
        rows, columns = (
            list(range(place[2 + n] * strides[n] - before[n], place[2 + n] * strides[n] - before[n] + window[n]))
            for n in (0, 1)
        )
        values = [
            float(x[place[0], place[1], r, c]) for r in rows for c in columns if 0 <= r < height and 0 <= c < width
        ]
        count = window[0] * window[1] if more.get("include_padding") else len(values)
        wanted = {
            "MaxPooling": lambda v=values: max(v),
            "AveragePooling": lambda v=values, n=count: sum(v) / n,
            "LpPooling": lambda v=values: sum(e * e for e in v) ** 0.5,
        }[name]()
        assert abs(found[place] - wanted) <= 1e-5


@pytest.mark.parametrize("kind", ["UINT8", "INT8", "UINT16", "FLOAT16", "INT64"])
@pytest.mark.parametrize("rows", [1, 3, 17])
def test_place__converted_to_another_type_is_all_that_is_written(rows: int, kind: str) -> None:
    """The store of one result is as wide as its type, whatever the type it was computed in."""
    found = dml.Argmax(
        input_tensor=dml.TensorDesc("FLOAT32", [rows, 5]),
        output_tensor=dml.TensorDesc("UINT32", [rows, 1]),
        axes=[1],
    )
    cast = dml.Cast(input_tensor=found.output_tensor, output_tensor=dml.TensorDesc(kind, [rows, 1]))
    run = dml.Device().compile_graph(dml.Graph([found, cast], [(0, 0, 0)], [(1, 0, 0)], [(0, 0, 1, 0)]))
    x = np.random.default_rng(rows).random((rows, 5), np.float32)
    memory = np.full(rows + 16, 77, kind.lower())
    run(x, memory[8 : 8 + rows])
    assert memory.tolist() == [77] * 8 + x.argmax(1).tolist() + [77] * 8


def test_assert_near__can_fail() -> None:
    assert_near(np.array([1.0]), np.array([1.000001]), 1.0)
    with pytest.raises(AssertionError):
        assert_near(np.array([1.0]), np.array([1.00001]), 1.0)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("sizes", [(1, 1, 40, 300), (1, 1, 7, 5), (1, 1, 3, 20_000)])
def test_softmax__of_rows_with_special_numbers_is_as_defined(sizes: tuple[int, ...], special: float) -> None:
    """Wherever NaN lies, and beside infinities, all of its row is NaN."""
    numbers = np.random.default_rng(0).standard_normal(sizes, np.float32)
    for row in range(sizes[2]):
        numbers[0, 0, row, row * 131 % sizes[3]] = special
    numbers[0, 0, 0, -1], numbers[0, 0, 1, :] = np.inf, -np.inf
    with np.errstate(all="ignore"):
        powers = np.exp(numbers.astype(np.float64) - np.max(numbers, -1, keepdims=True))
        expected = powers / powers.sum(-1, keepdims=True)
    tensor = dml.TensorDesc("FLOAT32", list(sizes))
    kinds = dml.ActivationSoftmax, dml.ActivationLogSoftmax
    operators = [kind(input_tensor=tensor, output_tensor=tensor) for kind in kinds]
    for operator, wanted in zip(operators, (expected, np.log(np.where(expected > 0, expected, np.nan))), strict=True):
        found = operator(numbers)
        assert np.array_equal(np.isnan(found), np.isnan(expected))
        is_number = np.isfinite(wanted)
        np.testing.assert_allclose(found[is_number], wanted[is_number], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16"])
@pytest.mark.parametrize("order", ["NCHW", "NHWC"])
@pytest.mark.parametrize("kept", [(1,), (1, 3), ()])
def test_statistics_of_a_batch__beside_float64(kept: tuple[int, ...], order: str, data_type: str) -> None:
    """Far from 0, where the square of the mean is large beside the variance; added to a tensor and activated."""
    sizes, epsilon = (3, 20, 17, 19), 0.01
    image = dml.TensorDesc(data_type, sizes, order=order)
    part = dml.TensorDesc(data_type, tuple(size if axis in kept else 1 for axis, size in enumerate(sizes)))
    operator = dml.BatchNormalizationTraining(
        input_tensor=image,
        scale_tensor=part,
        bias_tensor=part,
        fused_add_tensor=image,
        output_tensor=image,
        epsilon=epsilon,
        fused_activation={"Type": "RELU"},
    )
    compiled = dml.Device("cpu").compile(operator)
    assert any(isinstance(step, Reduction) for step in compiled.plan.steps)
    generator, memory = np.random.default_rng(6), {}
    x, added = generator.standard_normal(sizes) + 30, generator.standard_normal(sizes)
    scale, bias = (generator.standard_normal(part.sizes) for _ in range(2))
    for name, numbers in zip(("x", "scale", "bias", "added"), (x, scale, bias, added), strict=True):
        desc = part if name in ("scale", "bias") else image
        memory[name] = np.zeros(desc.total_tensor_size_in_bytes, np.uint8)
        desc.view(memory[name])[...] = numbers
        numbers[...] = desc.view(memory[name])
    axes = tuple(axis for axis in range(4) if axis not in kept)
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    wanted = np.maximum((x - mean) / np.sqrt(variance + epsilon) * scale + bias + added, 0)
    found = compiled(*memory.values())
    rounding = {"FLOAT32": 2e-5, "FLOAT16": 2e-3}[data_type]
    for result, expected in zip(found, (wanted, mean, variance), strict=True):
        np.testing.assert_allclose(result, expected, rtol=rounding, atol=rounding)
