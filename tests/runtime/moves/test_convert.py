"""Conversions: a definition checked by facts and plain arithmetic, and kernels checked by the definition."""

from __future__ import annotations

import math
import struct
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anydml.core.convert import convert
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves.engine import prepare
from anydml.runtime.moves.kernels.convert import is_supported
from anydml.runtime.moves.plan import STAGING_KERNELS
from tests.runtime.moves.support import pairs

FLOATS = [DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64]
WHOLE_BYTES = [data_type for data_type in DataType if not data_type.is_packed_pair]
EXTREMES = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, 127.9, 128.0, -129.0, 255.5, 256.0, 65504.0, 65519.9, 65520.0]
EXTREMES += [1e9, 2.0**31, 2.0**32, 2.0**63, 2.0**64, -(2.0**63), 1e300, math.inf, -math.inf, math.nan, 1e-8, 6e-5]


def integer_of(number: float, data_type: DataType) -> int:
    """Toward zero, kept inside the range, NaN as 0."""
    low, high = data_type.range
    if math.isnan(number):
        return 0
    return high if number > high else low if number < low else math.trunc(number)


def wrapped(number: int, data_type: DataType) -> int:
    """The low bits, read with the type's sign."""
    low, _ = data_type.range
    return (number - low) % (1 << data_type.bits) + low


def float_of(number: float, data_type: DataType) -> float:
    """To nearest even by Python's own packing; what it calls too large is infinite."""
    code = {DataType.FLOAT16: "<e", DataType.FLOAT32: "<f", DataType.FLOAT64: "<d"}[data_type]
    try:
        return float(struct.unpack(code, struct.pack(code, number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def same(found: npt.ArrayLike, expected: npt.ArrayLike) -> bool:
    """Equal bit for bit but for the payloads of NaN."""
    left, right = np.asarray(found), np.asarray(expected)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind == "f":
        both = np.isnan(left) & np.isnan(right)
        left, right = np.where(both, 0, left), np.where(both, 0, right)
    return left.tobytes() == right.tobytes()


def test_same__can_fail() -> None:
    assert same(np.float32([1, math.nan]), np.float32([1, math.nan]))
    assert not same(np.float32([0.0]), np.float32([-0.0]))
    assert not same(np.float32([1]), np.float64([1]))
    assert not same(np.int8([1, 2]), np.int8([1, 3]))


@pytest.mark.parametrize("destination", [t for t in DataType if not t.is_float])
@pytest.mark.parametrize("source", FLOATS)
def test_definition__float_to_integer(source: DataType, destination: DataType) -> None:
    with np.errstate(all="ignore"):
        values = np.array(EXTREMES).astype(source.numpy_dtype)
    expected = [integer_of(float(value), destination) for value in values]
    assert convert(values, source, destination).tolist() == expected


@given(st.integers(-(1 << 63), (1 << 64) - 1), st.sampled_from([t for t in DataType if not t.is_float]))
def test_definition__integer_to_integer_wraps(number: int, destination: DataType) -> None:
    source = DataType.INT64 if number < 0 else DataType.UINT64
    values = np.array([number], source.numpy_dtype)
    assert convert(values, source, destination).tolist() == [wrapped(number, destination)]


@given(st.floats(width=64), st.sampled_from(FLOATS))
def test_definition__float_to_float_rounds_once(number: float, destination: DataType) -> None:
    found = convert(np.array([number]), DataType.FLOAT64, destination)
    assert same(found, np.array([float_of(number, destination)]).astype(destination.numpy_dtype))


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.sampled_from(FLOATS))
def test_definition__integer_to_float_rounds_once(number: int, destination: DataType) -> None:
    found = float(convert(np.array([number], np.int64), DataType.INT64, destination)[0])
    # The nearest float: none of its neighbours is nearer, and a tie went to the even one.
    if abs(number) < 65520 or destination is not DataType.FLOAT16:
        with np.errstate(all="ignore"):
            near = destination.numpy_dtype.type(found)
            around = [float(np.nextafter(near, near.dtype.type(side))) for side in (-math.inf, math.inf)]
        distances = [abs(int(other) - number) for other in around if math.isfinite(other)]
        assert all(abs(int(found) - number) <= distance for distance in distances)
    else:
        assert found == math.copysign(math.inf, number)


@pytest.mark.parametrize(
    ("source", "values", "scale_bias", "expected"),
    [
        (DataType.FLOAT32, [1.0, 2.0], (0.5, 1.0), [1.5, 2.0]),
        # In float32 16777216 + 1 is not a number; each step is rounded.
        (DataType.FLOAT32, [16777216.0], (1.0, 1.0), [16777216.0]),
        (DataType.FLOAT16, [1.0], (1 / 3, 0.0), [0.333251953125]),
        (DataType.FLOAT64, [16777216.0], (1.0, 1.0), [16777217.0]),
        (DataType.INT32, [16777216, -3], (1.0, 0.5), [16777216, -2]),
        (DataType.UINT8, [200, 7], (2.0, -20.0), [255, 0]),
    ],
)
def test_definition__scale_and_bias(
    source: DataType, values: list[float], scale_bias: tuple[float, float], expected: list[float]
) -> None:
    found = convert(np.array(values, source.numpy_dtype), source, source, scale_bias)
    assert found.tolist() == expected


def sample(data_type: DataType, count: int) -> npt.NDArray[np.generic]:
    """Random bits, and for floats the numbers where rounding and ranges turn."""
    random = np.random.default_rng(7)
    values = random.integers(0, 256, count * data_type.element_bytes, dtype=np.uint8).view(data_type.numpy_dtype)
    if data_type.is_float:
        with np.errstate(all="ignore"):
            values[: len(EXTREMES)] = np.array(EXTREMES).astype(data_type.numpy_dtype)
            values[100:400] = (random.random(300) * 400 - 200).astype(data_type.numpy_dtype)
    return values


LAYOUTS = [
    (Layout((523,)), Layout((523,))),
    (Layout((3, 150)), Layout((3, 150), (400, 2), 1)),
]
STAGED = {
    "pick": [
        (Layout((3, 150), (-1, 3), 2), Layout((3, 150))),
        (Layout((2, 77), (77, -1), 76), Layout((2, 77), (81, 1), 3)),
    ],
    "weave": [(Layout((150, 3), (1, 150)), Layout((150, 3)))],
    "regroup": [
        (Layout((150, 3), (3, -1), 2), Layout((150, 3))),
        (Layout((9, 20, 3), (100, -4, 1), 76), Layout((9, 20, 3), (61, 3, 1))),
    ],
    "tile": [
        (Layout((30, 41), (1, 30)), Layout((30, 41))),
        (Layout((30, 41), (1, -30), 1200), Layout((30, 41), (43, 1), 1)),
        (Layout((11, 7, 5, 3), (1, 165, 11, 55)), Layout((11, 7, 5, 3))),
    ],
    "gather": [(Layout((5, 20), (11, 60)), Layout((5, 20), (21, 1)))],
}
PAIRS = [(DataType.UINT8, DataType.FLOAT32), (DataType.FLOAT32, DataType.UINT8), (DataType.INT16, DataType.UINT64)]
PAIRS += [(DataType.FLOAT16, DataType.FLOAT64), (DataType.FLOAT64, DataType.INT8), (DataType.UINT32, DataType.FLOAT16)]
PAIRS += [(DataType.FLOAT32, DataType.FLOAT32)]


@pytest.mark.parametrize(("source", "destination"), list(product(WHOLE_BYTES, WHOLE_BYTES)))
def test_kernel__is_as_defined(natively: None, source: DataType, destination: DataType) -> None:
    for scale_bias in (None, (0.37, -3.0)):
        if source is destination and scale_bias is None:
            continue
        for layouts in LAYOUTS:
            check(layouts, source, destination, scale_bias, "convert")


@pytest.mark.parametrize(("source", "destination"), PAIRS)
@pytest.mark.parametrize("kernel", STAGED)
def test_staging_kernel__converts_as_defined(
    natively: None, kernel: str, source: DataType, destination: DataType
) -> None:
    for layouts, scale_bias in product(STAGED[kernel], (None, (0.37, -3.0))):
        if scale_bias or source is not destination:
            check(layouts, source, destination, scale_bias, kernel)


def test_staging_kernel__is_named_above() -> None:
    assert set(STAGED) == set(STAGING_KERNELS)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs(), st.sampled_from(PAIRS), st.integers(1, 3))
def test_random_layouts(
    natively: None, layouts: tuple[Layout, Layout], types: tuple[DataType, DataType], threads: int
) -> None:
    check(layouts, *types, (0.5, 1.0), None, threads)


def check(
    layouts: tuple[Layout, Layout],
    source: DataType,
    destination: DataType,
    scale_bias: tuple[float, float] | None,
    kernel: str | None,
    threads: int = 2,
) -> None:
    places = [_places(layout) for layout in layouts]
    values, result = (
        sample(kind, max(1300, max(at) + 1)) for kind, at in zip((source, destination), places, strict=True)
    )
    expected = result.copy()
    expected[places[1]] = convert(values[places[0]], source, destination, scale_bias)
    move = prepare(*layouts, source, destination, scale_bias, threads)
    if kernel:
        assert move.kernel == (kernel if is_supported(source, destination, scale_bias) else "numpy")
    move.run_arrays(values.view(np.uint8), result.view(np.uint8))
    assert same(result, expected), move.plan.describe()


def _places(layout: Layout) -> list[int]:
    return [layout(index) for index in product(*map(range, layout.sizes))]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=35)
@given(st.floats(-4, 4), st.floats(-300, 300), st.sampled_from(WHOLE_BYTES), st.sampled_from(WHOLE_BYTES))
def test_kernel__scale_and_bias_are_as_defined(
    natively: None, scale: float, bias: float, source: DataType, destination: DataType
) -> None:
    check(LAYOUTS[0], source, destination, (scale, bias), "convert", threads=1)


@pytest.mark.parametrize(("source", "target"), [(a, b) for a, b in product(FLOATS, FLOATS) if a is not b])
def test_nans__keep_sign_and_high_bits_and_are_quiet(source: DataType, target: DataType) -> None:
    """Every kind of NaN, in bits: the definition and the kernels agree with the rule of IEEE 754 processors."""
    own, wanted = ({2: 10, 4: 23, 8: 52}[kind.element_bytes] for kind in (source, target))
    payloads = np.unique([1 << bit for bit in range(own)] + [(1 << own) - 1, (1 << own) // 3]).tolist()
    exponent = (1 << (source.bits - 1)) - (1 << own)
    patterns = [sign << (source.bits - 1) | exponent | payload for sign in (0, 1) for payload in payloads] * 500
    values = np.array(patterns, f"u{source.element_bytes}")
    moved = [payload << (wanted - own) if wanted > own else payload >> (own - wanted) for payload in payloads]
    quiet = (1 << (target.bits - 1)) - (1 << wanted) | 1 << (wanted - 1)
    expected = [sign << (target.bits - 1) | quiet | payload for sign in (0, 1) for payload in moved] * 500

    defined = convert(values.view(source.numpy_dtype), source, target)
    assert defined.view(f"u{target.element_bytes}").tolist() == expected
    result = np.zeros(len(patterns), f"u{target.element_bytes}")
    layout = Layout((len(patterns),))
    prepare(layout, layout, source, target).run_arrays(values.view(np.uint8), result.view(np.uint8))
    assert result.tolist() == expected
