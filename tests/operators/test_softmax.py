"""Softmax and its relatives, alone and fused into GEMM."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.operators.memory import DEVICES
from tests.operators.test_errata import rules, run, tensor
from tests.oracle import softmax
from tests.oracle.moves import Index, indices


def matrices(*sizes: int) -> list[float]:
    random = Random(prod(sizes))
    return [random.randint(-32, 32) / 8 for _ in range(prod(sizes))]


def product(a: list[float], b: list[float], batches: int) -> dict[Index, float]:
    """Batches of [3, 2] times [2, 4], as plain sums."""
    return {
        (n, 0, i, j): sum(a[6 * n + 2 * i + k] * b[8 * n + 4 * k + j] for k in range(2))
        for n, _, i, j in indices((batches, 1, 3, 4))
    }


def gemm(fused: Any, batches: int = 2) -> dml.Gemm:
    return dml.Gemm(
        a_tensor=tensor("FLOAT32", batches, 1, 3, 2),
        b_tensor=tensor("FLOAT32", batches, 1, 2, 4),
        fused_activation=fused,
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("fused", "axes"),
    [
        ("SOFTMAX", [3]),
        (dml.ActivationSoftmax.fused(), [3]),
        ({"Type": "ACTIVATION_SOFTMAX1", "Desc": {"AxisCount": 1, "Axes": [2]}}, [2]),
        ({"Type": "SOFTMAX1", "Axes": [3, 0]}, [0, 3]),
    ],
)
def test_gemm__fuses_softmax(fused: Any, axes: list[int], device: str) -> None:
    a, b = matrices(2, 1, 3, 2), matrices(2, 1, 2, 4)
    found = run(gemm(fused), device, a_tensor=a, b_tensor=b)
    wanted = softmax.softmax(product(a, b, 2), (2, 1, 3, 4), axes)
    assert found.shape == (2, 1, 3, 4)
    assert np.allclose(found.ravel(), [wanted[i] for i in indices((2, 1, 3, 4))], rtol=1e-6, atol=0)


@pytest.mark.parametrize("fused", ["SOFTMAX", {"Type": "SOFTMAX1", "Axes": [3]}])
def test_fused_softmax__is_for_gemm_from_6_1(fused: Any) -> None:
    assert rules(gemm(fused), "6.1") == [] and rules(gemm(fused), "6.0") == ["activation.host"]
    with pytest.raises(dml.InvalidDescriptionError, match=r"activation\.host"):
        dml.ElementWiseAdd1(a_tensor=tensor("FLOAT32", 4), b_tensor=tensor("FLOAT32", 4), fused_activation=fused)


@pytest.mark.parametrize("name", ["LOG_SOFTMAX", "HARDMAX", "LOG_SOFTMAX1", "HARDMAX1"])
def test_relatives__are_never_fused(name: str) -> None:
    with pytest.raises(dml.InvalidDescriptionError, match=r"activation\.fusable"):
        gemm({"Type": name, "Axes": [1]} if name.endswith("1") else name)


def test_fused_axes__are_dimensions_of_the_result() -> None:
    with pytest.raises(dml.InvalidDescriptionError, match=r"FusedActivation\.Axes\[1\]: found 4, expected 0 to 3"):
        dml.Device().compile(gemm({"Type": "SOFTMAX1", "Axes": [0, 4]}))
    with pytest.raises(dml.InvalidDescriptionError, match=r"axis 3 again"):
        dml.Device().compile(gemm({"Type": "SOFTMAX1", "Axes": [3, 3]}))


@pytest.mark.parametrize("device", DEVICES)
def test_gemm__fuses_gelu(device: str) -> None:
    """A function that no array library has."""
    found = run(gemm("GELU", 1), device, a_tensor=[1, 0, 0, 1, 0, 0], b_tensor=[1, -1, 2, 0, 0, 0, 0, 0])
    assert np.allclose(found[0, 0, 0], [0.8413447, -0.1586553, 1.9544997, 0], atol=1e-6)


@pytest.mark.parametrize("cls", [dml.ActivationSoftmax, dml.ActivationLogSoftmax, dml.ActivationHardmax])
def test_older_operators__take_rows(cls: Any) -> None:
    """At most two dimensions beyond leading sizes of 1; the newer operator is offered instead."""
    for sizes in ((5,), (4, 5), (1, 1, 4, 5), (1, 1, 1, 1, 1, 1, 4, 5)):
        assert rules(cls(input_tensor=tensor("FLOAT32", *sizes), output_tensor=tensor("FLOAT32", *sizes))) == []
    with pytest.raises(dml.InvalidDescriptionError, match=rf"try {cls.__name__}1 with axes=\[2\]"):
        cls(input_tensor=tensor("FLOAT32", 2, 4, 5))


def test_fused_softmax__takes_any_batch() -> None:
    """The rule of rows is one of the operator's own tensors, and a fused one has none."""
    assert rules(gemm("SOFTMAX", batches=3)) == []


@pytest.mark.parametrize("device", DEVICES)
def test_hardmax__of_equals_takes_the_first_in_row_major_order(device: str) -> None:
    values = [[1, 7, 7], [7, 0, 0]]
    for axes in ([0, 1], [1, 0]):
        operator = dml.ActivationHardmax1(input_tensor=tensor("FLOAT32", 2, 3), axes=axes)
        assert run(operator, device, input_tensor=values).tolist() == [[0, 1, 0], [0, 0, 0]]
    columns = dml.ActivationHardmax1(input_tensor=tensor("FLOAT32", 2, 3), axes=[0])
    assert run(columns, device, input_tensor=values).tolist() == [[0, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("cls", "value"), [(dml.ActivationSoftmax1, 1), (dml.ActivationLogSoftmax1, 0)])
def test_softmax__over_no_axes_takes_each_element_alone(cls: Any, value: float, device: str) -> None:
    operator = cls(input_tensor=tensor("FLOAT32", 3), axes=[])
    assert run(operator, device, input_tensor=[-5, 0, 300]).tolist() == [value] * 3
