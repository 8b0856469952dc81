"""Numbers of a data type, by the bits alone: rounding, wrapping, conversion."""

from __future__ import annotations

import math
import struct

FLOAT_FORMATS = {"FLOAT16": "e", "FLOAT32": "f", "FLOAT64": "d"}


def is_float(data_type: str) -> bool:
    return data_type in FLOAT_FORMATS


def integer_range(data_type: str) -> tuple[int, int]:
    bits = int(data_type.lstrip("UINT"))
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
    digits = {"FLOAT16": 11, "FLOAT32": 24, "FLOAT64": 53}[data_type]
    extra = max(abs(value).bit_length() - digits, 0)
    kept, dropped = abs(value) >> extra, abs(value) & ((1 << extra) - 1)
    half = (1 << extra) >> 1
    if extra and (dropped > half or (dropped == half and kept & 1)):
        kept += 1
    return round_float(math.copysign(float(kept << extra), value), data_type)


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
