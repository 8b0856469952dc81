"""Numbers of a data type, by the bits alone: rounding, wrapping, conversion."""

from __future__ import annotations

import math
import struct

FLOAT_FORMATS = {"FLOAT16": "e", "FLOAT32": "f", "FLOAT64": "d"}
CODE_FORMATS = {8: "B", 16: "H", 32: "I", 64: "Q"}
DIGITS = {"FLOAT16": 11, "FLOAT32": 24, "FLOAT64": 53}
LOWEST_EXPONENTS = {"FLOAT16": -24, "FLOAT32": -149, "FLOAT64": -1074}


def is_float(data_type: str) -> bool:
    return data_type in FLOAT_FORMATS


def bits_of(data_type: str) -> int:
    return int(data_type.lstrip("FLOATUIN"))


def integer_range(data_type: str) -> tuple[int, int]:
    bits = bits_of(data_type)
    return (0, 2**bits - 1) if data_type.startswith("U") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def round_float(value: float, data_type: str) -> float:
    """The nearest float of the type, ties to even; too large becomes infinite."""
    form = FLOAT_FORMATS[data_type]
    try:
        return float(struct.unpack(form, struct.pack(form, value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def wrap(value: int, data_type: str) -> int:
    """The low bits of a whole number, as the type reads them."""
    low, high = integer_range(data_type)
    return (value - low) % (high - low + 1) + low


def round_integer_to_float(value: int, data_type: str) -> float:
    """Rounded once, also where a detour over a wider float would round twice."""
    extra = max(abs(value).bit_length() - DIGITS[data_type], 0)
    kept, dropped = abs(value) >> extra, abs(value) & ((1 << extra) - 1)
    half = (1 << extra) >> 1
    if extra and (dropped > half or (dropped == half and kept & 1)):
        kept += 1
    return round_float(math.copysign(float(kept << extra), value), data_type)


def spacing(value: float, data_type: str) -> float:
    """The distance between neighbouring floats of the type at the magnitude of a finite value: one ULP."""
    exponent = math.frexp(value)[1] - DIGITS[data_type] if value else LOWEST_EXPONENTS[data_type]
    return math.ldexp(1.0, max(exponent, LOWEST_EXPONENTS[data_type]))


def encode(value: float | int, data_type: str) -> int:
    """The bits of an element as an unsigned number; floats are rounded, integers must fit."""
    if not is_float(data_type):
        low, high = integer_range(data_type)
        assert low <= value <= high and value == int(value), f"{value} is not a number of type {data_type}"
        return int(value) % (1 << bits_of(data_type))
    code = CODE_FORMATS[bits_of(data_type)]
    return int(struct.unpack(code, struct.pack(FLOAT_FORMATS[data_type], round_float(value, data_type)))[0])


def decode(code: int, data_type: str) -> float | int:
    """The number that an element with these bits stands for."""
    bits = bits_of(data_type)
    if is_float(data_type):
        return float(struct.unpack(FLOAT_FORMATS[data_type], struct.pack(CODE_FORMATS[bits], code))[0])
    return wrap(code, data_type)


def convert(value: float | int, source: str, destination: str) -> float | int:
    """CAST: toward zero and held in range from float to integer, low bits from integer to integer."""
    if is_float(destination):
        if not is_float(source):
            return round_integer_to_float(int(value), destination)
        return round_float(float(value), destination)
    if not is_float(source):
        return wrap(int(value), destination)
    low, high = integer_range(destination)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(math.trunc(value), low), high)
