"""Operators whose input and result lie in different orders, or in one with few channels side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.runtime.cpu.support import normalized, softmax
from tests.runtime.cpu.test_rearrange import assert_guards_intact, copies, desc, filled

Array = np.ndarray[Any, Any]
LAYOUTS = ("packed", "NHWC", "second")
HEIGHT, WIDTH = 34, 40


def windows_of(x: Array, window: int, step: int) -> Array:
    return np.lib.stride_tricks.sliding_window_view(x, (window, window), (2, 3))[:, :, ::step, ::step]


def pooling(cls: type[dml.Operator], **more: Any) -> Callable[..., dml.Operator]:
    return lambda x, y: cls(input_tensor=x, output_tensor=y, window_size=[2, 2], strides=[2, 2], **more)


def depthwise(x: dml.TensorDesc, y: dml.TensorDesc) -> dml.Operator:
    filter_tensor = dml.TensorDesc("FLOAT32", (x.sizes[1], 1, 3, 3))
    return dml.Convolution(
        input_tensor=x, filter_tensor=filter_tensor, output_tensor=y, group_count=x.sizes[1], strides=[1, 1]
    )


def weights_of(channels: int) -> Array:
    return np.random.default_rng(1).standard_normal((channels, 1, 3, 3)).astype(np.float32)


def convolved(x: Array) -> Array:
    return np.einsum("nchwij,cij->nchw", windows_of(x, 3, 1), weights_of(x.shape[1])[:, 0].astype(np.float64))


def normalization(x: dml.TensorDesc, y: dml.TensorDesc) -> dml.Operator:
    return dml.MeanVarianceNormalization2(
        input_tensor=x, output_tensor=y, axes=[2, 3], use_mean=True, use_variance=True, epsilon=1e-3
    )


def running_sum(x: dml.TensorDesc, y: dml.TensorDesc) -> dml.Operator:
    return dml.CumulativeSummation(
        input_tensor=x, output_tensor=y, axis=3, axis_direction="INCREASING", has_exclusive_sum=False
    )


CASES: dict[str, tuple[Callable[..., dml.Operator], Callable[[Array], Array]]] = {
    "largest": (pooling(dml.MaxPooling), lambda x: windows_of(x, 2, 2).max((4, 5))),
    "mean": (pooling(dml.AveragePooling, include_padding=False), lambda x: windows_of(x, 2, 2).mean((4, 5))),
    "norm": (pooling(dml.LpPooling, p=2), lambda x: np.sqrt((windows_of(x, 2, 2) ** 2).sum((4, 5)))),
    "depthwise": (depthwise, convolved),
    "normalized": (normalization, lambda x: normalized(x, (2, 3))),
    "softmax": (
        lambda x, y: dml.ActivationSoftmax1(input_tensor=x, output_tensor=y, axes=[1]),
        lambda x: softmax(x, 1),
    ),
    "running": (running_sum, lambda x: x.cumsum(3)),
}


@pytest.mark.parametrize("channels", [2, 3, 9, 33])
@pytest.mark.parametrize("name", CASES)
def test_orders__change_nothing(name: str, channels: int) -> None:
    make, expected = CASES[name]
    sizes = (2, channels, HEIGHT, WIDTH)
    x = np.random.default_rng(2).standard_normal(sizes).astype(np.float32)
    wanted = expected(x.astype(np.float64))
    more = [weights_of(channels)] if name == "depthwise" else []
    for source in (desc(sizes, layout) for layout in LAYOUTS):
        for target in (desc(wanted.shape, layout) for layout in LAYOUTS):
            output = filled(target)
            dml.Device("cpu").compile(make(source, target))(filled(source, x), *more, output_tensor=output)
            np.testing.assert_allclose(target.view(output), wanted, rtol=2e-5, atol=2e-5)
            assert_guards_intact(target, output)


@pytest.mark.parametrize(
    ("name", "channels", "layouts", "count"),
    [
        ("mean", 64, ("packed", "packed"), 0),
        ("mean", 64, ("NHWC", "NHWC"), 0),
        ("mean", 64, ("NHWC", "packed"), 1),  # the result, which is smaller
        ("mean", 3, ("NHWC", "NHWC"), 2),
        ("depthwise", 64, ("packed", "NHWC"), 1),
        ("normalized", 64, ("NHWC", "packed"), 1),
        ("normalized", 64, ("NHWC", "NHWC"), 0),
        ("running", 64, ("NHWC", "packed"), 1),
    ],
)
def test_orders__are_made_one(name: str, channels: int, layouts: tuple[str, str], count: int) -> None:
    make, expected = CASES[name]
    sizes = (9, channels, HEIGHT, WIDTH)
    shape = expected(np.zeros(sizes)).shape
    assert copies(dml.Device("cpu").compile(make(desc(sizes, layouts[0]), desc(shape, layouts[1])))) == count


def test_windows__are_read_as_they_lie_in_planes_of_any_size() -> None:
    for size in (6, 20, 60):
        make, _ = CASES["mean"]
        source, target = desc((1, 64, size, size), "packed"), desc((1, 64, size // 2, size // 2), "packed")
        compiled = dml.Device("cpu").compile(make(source, target))
        assert copies(compiled) == 0
        x = np.random.default_rng(3).standard_normal(source.sizes).astype(np.float32)
        np.testing.assert_allclose(compiled(x), windows_of(x, 2, 2).mean((4, 5)), rtol=1e-5, atol=1e-5)


WHOLE: dict[str, tuple[type[dml.Operator], dict[str, Any], Callable[..., Array]]] = {
    "largest": (dml.MaxPooling, {}, lambda x, axes: x.max(axes, keepdims=True)),
    "mean": (dml.AveragePooling, {"include_padding": True}, lambda x, axes: x.mean(axes, keepdims=True)),
    "sum": (dml.LpPooling, {"p": 1}, lambda x, axes: np.abs(x).sum(axes, keepdims=True)),
    "norm": (dml.LpPooling, {"p": 2}, lambda x, axes: np.sqrt((x * x).sum(axes, keepdims=True))),
}


@pytest.mark.parametrize("spatial", [(7, 7), (40, 31), (3, 5, 6)])
@pytest.mark.parametrize("name", WHOLE)
def test_whole_images__are_reduced(name: str, spatial: tuple[int, ...]) -> None:
    cls, fields, expected = WHOLE[name]
    sizes = (2, 37, *spatial)
    ones = (1,) * len(spatial)
    tensor, result = dml.TensorDesc("FLOAT32", sizes), dml.TensorDesc("FLOAT32", (2, 37, *ones))
    operator = cls(input_tensor=tensor, output_tensor=result, window_size=spatial, strides=ones, **fields)
    compiled = dml.Device("cpu").compile(operator)
    assert [type(step).__name__ for step in compiled.plan.steps] == ["Reduction"]
    x = np.random.default_rng(4).standard_normal(sizes).astype(np.float32)
    found = compiled(x)
    wanted = expected(x.astype(np.float64), tuple(range(2, len(sizes))))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("strides", [(1, 126, 9, 3), (1, 3, 297, 99), (1386, 42, 3, 1)])
def test_whole_images__of_interleaved_batches(strides: tuple[int, ...]) -> None:
    """Once copied, the pixels of an image are a row."""
    sizes, window = (3, 33, 14, 3), (14, 3)
    tensor = dml.TensorDesc("FLOAT32", sizes, strides)
    operator = dml.AveragePooling(input_tensor=tensor, window_size=window, strides=(1, 1), include_padding=True)
    x = np.random.default_rng(5).standard_normal(sizes).astype(np.float32)
    found = dml.Device("cpu").compile(operator)(filled(tensor, x))
    np.testing.assert_allclose(found, x.astype(np.float64).mean((2, 3), keepdims=True), rtol=1e-5, atol=1e-5)
