"""Zeros of both signs, infinities, NaN and the smallest numbers: pointwise operators give the same on every device."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import anydml as dml
from anydml.core.levels import HIGHEST_LEVEL
from anydml.core.schema import OPERATORS
from anydml.core.schema.validate import validate
from anydml.runtime.native import llvm
from tests.cases.activations import PARAMETERS
from tests.cases.framework import Case, spec
from tests.operators.memory import DEVICES
from tests.operators.pointwise import NAMES, attribute_choices, grid, type_choices
from tests.oracle.numbers import bits_of, is_float

WITHOUT_KERNELS = "cpu without kernels"
WAYS = (*DEVICES, WITHOUT_KERNELS)
LIMITS = list(product((0.0, -0.0, -1.0, 1.0), repeat=2))
"""Also those that cross."""
FACTORS = (1.0, -1.0, 0.0, -0.0)
"""Products with them are exact: that the reference computes in float64 makes no difference."""
Array = npt.NDArray[Any]


@pytest.fixture
def run_way(monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(operator: dml.Operator, way: str, **inputs: Any) -> Array:
        with monkeypatch.context() as patch:
            if way == WITHOUT_KERNELS:
                patch.setattr(llvm, "is_available", lambda: False)
            (point,) = (point for point in operator.points("output") if point.tensor is not None)
            assert point.tensor is not None
            output = np.zeros(point.tensor.sizes, point.tensor.data_type.numpy_dtype)
            bound = {name: padded(values) for name, values in {**inputs, point.name: output}.items()}
            dml.Device("cpu" if way == WITHOUT_KERNELS else way).compile(operator)(**bound)
            return bound[point.name][: output.size]

    return run


def padded(values: Array) -> Array:
    """Buffers are whole words."""
    return np.concatenate([np.ravel(values), np.zeros(8, values.dtype)])


def kind_of(values: Array) -> Array:
    """What must not differ: NaN or not, infinite or not, and the sign, that of zeros too; of whole numbers all."""
    if values.dtype.kind != "f":
        return values
    signs = np.where(np.signbit(values), -1, 1)
    return np.select([np.isnan(values), np.isinf(values)], [3, 2 * signs], signs)


def choices(name: str, kind: str) -> Iterator[dict[str, Any]]:
    short = name.removeprefix("ELEMENT_WISE_").removeprefix("ACTIVATION_")
    if name.startswith("ACTIVATION_"):
        fields = PARAMETERS.get(short, ())
        yield from (dict(zip(fields, numbers, strict=True)) for numbers in product(FACTORS, repeat=len(fields)))
        return
    yield from attribute_choices(name, kind)
    if "CLIP" in short or short == "THRESHOLD":
        typed = {"min_max_data_type": kind} if short.endswith("1") else {}
        for low, high in LIMITS:
            yield {**typed, "min": low, **({"max": high} if "CLIP" in short else {})}
    elif short != "CONSTANT_POW" and "scale_bias" in spec.fields(name):
        yield from ({"scale_bias": pair} for pair in product(FACTORS, (0.0, -0.0)))


def cases_of(name: str) -> Iterator[Case]:
    """Of floats: whole numbers have one zero, and no more than their numbers."""
    for kinds in type_choices(name):
        first = kinds.get("input_tensor", next(iter(kinds.values())))
        if any(map(is_float, kinds.values())):
            for attributes in choices(name, first):
                case = grid(name, kinds, attributes)
                if not validate(case.build(), HIGHEST_LEVEL):
                    yield case


def inputs_of(case: Case) -> dict[str, Array]:
    found = {}
    for point in case.build().points("input"):
        if point.tensor is not None:
            operand = case[point.name]
            codes = np.array(list(operand.bits.values()), f"u{bits_of(operand.data_type) // 8}")
            found[point.name] = codes.view(point.tensor.data_type.numpy_dtype)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_special_values__are_the_same_on_every_device(name: str, run_way: Any) -> None:
    count = 0
    for case in cases_of(name):
        operator, inputs = case.build(), inputs_of(case)
        wanted = kind_of(run_way(operator, "reference", **inputs))
        for way in WAYS:
            found = kind_of(run_way(operator, way, **inputs))
            different = np.flatnonzero(found != wanted)
            given = {field: values.ravel()[different[:3] % values.size] for field, values in inputs.items()}
            assert not different.size, f"{way}: {operator}\n{given}: {found[different[:3]]}, {wanted[different[:3]]}"
        count += 1
    kinds = [kind for chosen in type_choices(name) for kind in chosen.values()]
    assert count or not any(map(is_float, kinds))


@pytest.mark.parametrize("change", [0.0, math.inf, 1e-45])
def test_kinds__tell_special_values_apart(change: float) -> None:
    values = np.float32([math.nan, -0.0, -math.inf])
    for place in range(3):
        other = values.copy()
        other[place] = change
        assert (kind_of(other) != kind_of(values)).tolist() == [n == place for n in range(3)]


Z, N = 0.0, -0.0
ZEROS: list[tuple[str, dict[str, Any], list[float], list[float]]] = [
    ("ACTIVATION_RELU", {}, [Z, N], [Z, Z]),
    ("ELEMENT_WISE_THRESHOLD", {"min": Z}, [Z, N], [Z, Z]),
    ("ELEMENT_WISE_THRESHOLD", {"min": N}, [Z, N], [N, N]),
    ("ELEMENT_WISE_CLIP", {"min": Z, "max": 1.0}, [Z, N, -5.0], [Z, Z, Z]),
    ("ELEMENT_WISE_CLIP", {"min": N, "max": 1.0}, [Z, N, -5.0], [N, N, N]),
    ("ELEMENT_WISE_CLIP", {"min": -1.0, "max": Z}, [Z, N, 5.0], [Z, Z, Z]),
    ("ELEMENT_WISE_CLIP", {"min": -1.0, "max": N}, [Z, N, 5.0], [N, N, N]),
    ("ELEMENT_WISE_CLIP", {"min": Z, "max": N}, [Z, N, 5.0, -5.0], [Z, Z, Z, Z]),
    ("ELEMENT_WISE_CLIP", {"min": -1.0, "max": 1.0}, [Z, N], [Z, N]),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["FLOAT32", "FLOAT16"])
@pytest.mark.parametrize("count", [1, 3, 100])
def test_zeros__of_both_signs_are_those_of_the_limit(kind: str, count: int, way: str, run_way: Any) -> None:
    """However many elements there are: whole vectors and what is left of them."""
    for name, attributes, given, wanted in ZEROS:
        values = np.array(given * count, dml.DataType.parse(kind).numpy_dtype)
        operator = OPERATORS[name](input_tensor=dml.TensorDesc(kind, values.shape), **attributes)
        found = run_way(operator, way, input_tensor=values)
        assert np.array_equal(np.signbit(found), np.signbit(wanted * count)) and not found.any(), (name, attributes)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["ELEMENT_WISE_MAX", "ELEMENT_WISE_MIN"])
@pytest.mark.parametrize("count", [1, 3, 100])
def test_zeros__of_both_signs_are_the_second(name: str, count: int, way: str, run_way: Any) -> None:
    first, second = (np.float32(values * count) for values in ([Z, N, Z, N], [Z, Z, N, N]))
    tensor = dml.TensorDesc("FLOAT32", first.shape)
    found = run_way(OPERATORS[name](a_tensor=tensor, b_tensor=tensor), way, a_tensor=first, b_tensor=second)
    assert np.array_equal(np.signbit(found), np.signbit(second))
