"""Random pointwise operators, sums of images, reductions, folds of many rows, running folds and windows, as defined."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random
from typing import Any

import numpy as np

import anydml as dml
from tests.runtime.cpu.products import Array, Trial, layout, run, values

SIZES = (1, 2, 3, 5, 7, 16, 17, 33, 65, 130)
"""Few are multiples of a vector's lanes."""
MOST_ELEMENTS = 12_000
UNITS = 16
"""Errors in units of the last place of what is added up: rounding of a few steps, and functions to 2 units each."""
_UNARY = ("ActivationSigmoid", "ActivationTanh", "ElementWiseExp", "ElementWiseErf", "ActivationGelu", "ElementWiseAbs")
_BINARY = ("ElementWiseAdd", "ElementWiseMultiply", "ElementWiseSubtract", "ElementWiseMax")
_COMPARISONS = ("ElementWiseLogicalGreaterThan", "ElementWiseLogicalEquals")
_FUNCTIONS = ("SUM", "AVERAGE", "MAX", "MIN", "L1", "L2", "SUM_SQUARE", "LOG_SUM_EXP", "ARGMIN", "ARGMAX")


def some_sizes(random: Random, least: int = 1) -> tuple[int, ...]:
    while True:
        sizes = tuple(random.choice(SIZES) for _ in range(random.randint(least, 4)))
        if prod(sizes) <= MOST_ELEMENTS:
            return sizes


def some_type(random: Random) -> str:
    return random.choice(("FLOAT32", "FLOAT32", "FLOAT16"))


def made(random: Random, cls: Any, inputs: dict[str, dml.TensorDesc], terms: int, **options: Any) -> Trial:
    """An operator whose output lies in some layout too; buffers are aligned to elements and no more."""
    inferred = cls(**inputs, **options).output_tensor
    output = layout(random, inferred.sizes, inferred.data_type.name)
    numbers = {name: values(random, desc.sizes, desc.data_type.name) for name, desc in inputs.items()}
    return Trial(cls(**inputs, output_tensor=output, **options), numbers, terms, shift=random.randrange(0, 64, 8))


def pointwise(random: Random) -> Trial:
    sizes, kind = some_sizes(random), some_type(random)

    def operand() -> dml.TensorDesc:
        return layout(random, sizes, kind)

    choice = random.randrange(5)
    if choice == 0:
        return made(random, dml.ElementWiseClip, {"input_tensor": operand()}, 1, min=-0.5, max=0.25)
    if choice == 1:
        cls = getattr(dml, random.choice(_COMPARISONS))
        pair = {"a_tensor": operand(), "b_tensor": operand()}
        return made(random, lambda **given: cls(**{"output_tensor": _truths(sizes), **given}), pair, 1)
    if choice == 2:
        inputs = {"condition_tensor": layout(random, sizes, "UINT8"), "a_tensor": operand(), "b_tensor": operand()}
        return made(random, dml.ElementWiseIf, inputs, 1)
    if choice == 3:
        return made(random, getattr(dml, random.choice(_UNARY)), {"input_tensor": operand()}, 1)
    return made(random, getattr(dml, random.choice(_BINARY)), {"a_tensor": operand(), "b_tensor": operand()}, 1)


def images(random: Random) -> Trial:
    """Operands and results with the channels outermost or innermost, at times with room beside them."""
    kind, channels, pixels = some_type(random), random.choice((16, 24, 32, 45, 64)), random.choice((16, 48, 50, 113))
    sizes = (random.choice((1, 2)), channels, pixels)

    def image() -> dml.TensorDesc:
        gap = random.choice((0, 0, 3, 16))
        inner = random.choice(((pixels + gap, 1), (1, channels + gap)))
        return dml.TensorDesc(kind, sizes, (max(inner) * max(channels, pixels), *inner))

    inputs = {"a_tensor": image(), "b_tensor": image()}
    numbers = {name: values(random, sizes, kind) for name in inputs}
    operator = getattr(dml, random.choice(_BINARY))(**inputs, output_tensor=image())
    return Trial(operator, numbers, 1, shift=random.randrange(0, 64, 8))


def _truths(sizes: tuple[int, ...]) -> dml.TensorDesc:
    return dml.TensorDesc("UINT8", sizes)


def reduction(random: Random) -> Trial:
    sizes = some_sizes(random)
    axes = sorted(random.sample(range(len(sizes)), random.randint(1, len(sizes))))
    inputs = {"input_tensor": layout(random, sizes, some_type(random))}
    terms = prod(sizes[axis] for axis in axes)
    choice = random.randrange(6)
    if choice == 0:
        function = random.choice(_FUNCTIONS)
        return made(random, dml.Reduce, inputs, terms, function=function, axes=axes)
    if choice == 1:
        return made(
            random, random.choice((dml.ActivationSoftmax1, dml.ActivationLogSoftmax1)), inputs, terms, axes=axes
        )
    if choice == 2:
        return made(random, dml.ActivationHardmax1, inputs, 1, axes=axes)
    if choice == 3:
        direction = random.choice(("INCREASING", "DECREASING"))
        return made(random, random.choice((dml.Argmin, dml.Argmax)), inputs, 1, axes=axes, axis_direction=direction)
    if choice == 4:
        how: dict[str, Any] = {"use_mean": True, "use_variance": True, "epsilon": 0.1}
        return made(random, dml.MeanVarianceNormalization2, inputs, terms, axes=axes, **how)
    if len(sizes) != 4:
        return made(random, dml.Reduce, inputs, terms, function="SUM", axes=axes)
    return made(random, dml.LpNormalization, inputs, terms, axis=axes[0], p=2, epsilon=0.1)


def running(random: Random) -> Trial:
    sizes = some_sizes(random)
    axis, kind = random.randrange(len(sizes)), random.choice(("FLOAT32", "INT32", "UINT32"))
    inputs = {"input_tensor": layout(random, sizes, kind)}
    how = {"axis": axis, "axis_direction": random.choice(("INCREASING", "DECREASING"))}
    is_exclusive = random.random() < 0.5
    if random.random() < 0.7:
        return made(random, dml.CumulativeSummation, inputs, sizes[axis], has_exclusive_sum=is_exclusive, **how)
    trial = made(random, dml.CumulativeProduct, inputs, sizes[axis], has_exclusive_product=is_exclusive, **how)
    if kind == "FLOAT32":
        trial.inputs["input_tensor"][...] = 1 + trial.inputs["input_tensor"] / 100
    return trial


def rows(random: Random) -> Trial:
    """Many rows whose elements are neighbours: of any length, side by side or apart."""
    length, gap = random.choice((*range(1, 25), 31, 32, 33, 64, 100, 130)), random.choice((0, 0, 0, 1, 3))
    sizes = (random.randint(1, 3), random.randint(32, 90), length)
    pitch = length + gap
    kind = random.choice(("FLOAT32", "FLOAT32", "FLOAT16", "INT32", "INT64"))
    inputs = {"input_tensor": dml.TensorDesc(kind, sizes, (sizes[1] * pitch + random.choice((0, 7)), pitch, 1))}
    functions = ("SUM", "MAX", "MIN", "L1", "SUM_SQUARE", "AVERAGE", "L2")
    function = random.choice(functions if kind.startswith("FLOAT") else functions[:5])
    return made(random, dml.Reduce, inputs, length, function=function, axes=[2])


def pooling(random: Random) -> Trial:
    window = [random.randint(1, 3) for _ in range(2)]
    sizes = (random.randint(1, 2), random.randint(1, 20), *(random.randint(5, 40) for _ in window))
    how: dict[str, Any] = {
        "window_size": window,
        "strides": [random.randint(1, 3) for _ in window],
        "start_padding": [random.randrange(size) for size in window],
        "end_padding": [random.randrange(size) for size in window],
        "dilations": [random.choice((1, 1, 1, 2)) for _ in window],
    }
    inputs = {"input_tensor": layout(random, sizes, some_type(random))}
    if random.random() < 0.5:
        return made(random, dml.AveragePooling1, inputs, 9, include_padding=random.random() < 0.5, **how)
    return made(random, dml.LpPooling1, inputs, 9, p=random.choice((1, 2)), **how)


def local_response(random: Random) -> Trial:
    """Regions of channels or of pixels, at times larger than kernels take; numbers so small that sums matter."""
    sizes = (random.randint(1, 2), random.randint(1, 24), *(random.randint(1, 24) for _ in range(2)))
    how = {"local_size": random.choice((1, 2, 3, 4, 5, 7, 26)), "alpha": 0.5, "beta": random.choice((0.5, 0.75, 1.0))}
    inputs = {"input_tensor": layout(random, sizes, some_type(random))}
    cross = random.random() < 0.6
    return made(random, dml.LocalResponseNormalization, inputs, 1, cross_channel=cross, bias=1.0, **how)


MAKERS: dict[str, Callable[[Random], Trial]] = {
    "pointwise": pointwise,
    "images": images,
    "reduction": reduction,
    "rows": rows,
    "running": running,
    "pooling": pooling,
    "local response": local_response,
}


def check(trial: Trial) -> None:
    assert_near(run(trial, "cpu"), run(trial, "reference"), trial)


def assert_near(found: Array, wanted: Array, trial: Trial) -> None:
    """Integers and places are equal; floats are as near as rounding of what is added up explains."""
    if found.dtype.kind != "f":
        assert np.array_equal(found, wanted), trial.operator
        return
    largest = max(float(np.abs(numbers.astype(np.float64)).max()) for numbers in trial.inputs.values())
    magnitude = np.abs(wanted.astype(np.float64)) + (trial.terms * max(largest, largest**2) if trial.terms > 1 else 0)
    unit = np.finfo(np.float32).eps
    bound = UNITS * unit * magnitude + np.finfo(found.dtype).eps * np.abs(wanted.astype(np.float64)) + 1e-7
    assert np.all(np.abs(found.astype(np.float64) - wanted) <= bound), trial.operator
