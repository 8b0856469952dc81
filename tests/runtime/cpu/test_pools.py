"""The kernel of pooling agrees with the definition: any window, stride and padding, NaN and infinities too."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.runtime.native import llvm
from tests.runtime.cpu.machines import MACHINES, machine
from tests.runtime.cpu.products import Trial, layout, run, values
from tests.runtime.cpu.support import assert_threads_change_no_bit


def max_pooling(random: Random, data_type: str = "FLOAT32") -> Trial:
    window = [random.randint(1, 4) for _ in range(2)]
    image = [random.randint(max(size, 4), 40) for size in window]
    sizes = (random.randint(1, 2), random.randint(1, 20), *image)
    x = layout(random, sizes, data_type) if random.random() < 0.3 else None
    desc = x or dml.TensorDesc(data_type, sizes, order=random.choice(("NCHW", "NHWC")))
    options: dict[str, Any] = {
        "window_size": window,
        "strides": [random.choice((1, 2, 2, 3)) for _ in window],
        "start_padding": [random.randrange(size) for size in window],
        "end_padding": [random.randrange(size) for size in window],
        "dilations": [random.choice((1, 1, 1, 2)) if size < 3 else 1 for size in window],
        "output_indices_tensor": None,
    }
    inferred = dml.MaxPooling2(input_tensor=desc, **options).output_tensor.sizes
    operator = dml.MaxPooling2(input_tensor=desc, output_tensor=layout(random, inferred, data_type), **options)
    numbers = values(random, sizes, data_type)
    special = np.array([np.nan, np.inf, -np.inf], numbers.dtype)
    places = np.array([random.randrange(numbers.size) for _ in range(numbers.size // 50)], np.int64)
    numbers.flat[places] = special[places % 3]
    return Trial(operator, {"input_tensor": numbers}, 1, shift=random.randrange(0, 64, 4))


def average_pooling(random: Random) -> Trial:
    """As max pooling, with numbers whose sums are exact."""
    found = max_pooling(random)
    options = {
        name: getattr(found.operator, name) for name in ("window_size", "strides", "start_padding", "end_padding")
    }
    options |= {"dilations": found.operator.dilations, "include_padding": random.random() < 0.5}
    numbers = found.inputs["input_tensor"]
    numbers[np.isfinite(numbers)] = np.round(numbers[np.isfinite(numbers)] * 4)
    operator = dml.AveragePooling1(
        input_tensor=found.operator.input_tensor, output_tensor=found.operator.output_tensor, **options
    )
    return Trial(operator, {"input_tensor": numbers}, 1, shift=found.shift)


def check(trial: Trial) -> None:
    assert np.array_equal(run(trial, "cpu"), run(trial, "reference"), equal_nan=True), trial.operator


@pytest.mark.parametrize("seed", range(40))
def test_max_pooling__agrees_with_its_definition(seed: int) -> None:
    check(max_pooling(Random(f"maxima {seed}"), ("FLOAT32", "FLOAT32", "FLOAT16")[seed % 3]))


@pytest.mark.parametrize("seed", range(40))
def test_average_pooling__agrees_with_its_definition(seed: int) -> None:
    """Bit for bit: sums are exact, and divided once."""
    with np.errstate(invalid="ignore"):
        check(average_pooling(Random(f"averages {seed}")))


@pytest.mark.skipif(not llvm.is_available(), reason="no llvmlite")
@pytest.mark.parametrize("name", MACHINES)
def test_machines__agree_with_the_definition(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with machine(monkeypatch, name):
        for seed in range(8):
            check(max_pooling(Random(f"{name} {seed}")))


def test_threads__give_the_same_bits() -> None:
    trial = max_pooling(Random("threads"))
    assert_threads_change_no_bit(lambda: run(trial, "cpu"))
