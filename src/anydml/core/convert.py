"""What converting an element means, in NumPy: the definition that every other path is compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.datatype import DataType

Array = npt.NDArray[Any]


def convert(
    values: Array,
    source_type: DataType,
    destination_type: DataType,
    scale_bias: tuple[float, float] | None = None,
) -> Array:
    """`values * scale + bias` as the destination type.

    Floats become integers toward zero, kept inside the range, NaN as 0. Integers become narrower ones by
    dropping high bits. All else rounds to nearest even, too large floats to infinity.
    """
    with np.errstate(all="ignore"):
        if scale_bias is not None:
            values = scaled(values, source_type, scale_bias)
        is_float = np.issubdtype(values.dtype, np.floating)
        if is_float and not destination_type.is_float:
            values = cut_off(np, values, destination_type.numpy_dtype, destination_type.range)
        result = wrapped(values, destination_type)
        if is_float and destination_type.is_float and result.dtype != values.dtype:
            _quiet_nans(values, result)
        return result


def scaled(values: Array, source_type: DataType, scale_bias: tuple[float, float]) -> Array:
    """In float32 for types up to float32, in float64 for all others; each step is rounded."""
    single = source_type in (DataType.FLOAT16, DataType.FLOAT32)
    kind = np.dtype(np.float32 if single else np.float64)
    scale, bias = (kind.type(number) for number in scale_bias)
    result: Array = values.astype(kind) * scale + bias
    return result


def wrapped(values: Array, data_type: DataType) -> Array:
    """As the type, dropping high bits of integers; 4-bit values stay one to a byte, with their sign."""
    result: Array = values.astype(data_type.numpy_dtype)
    if data_type is DataType.UINT4:
        result = result & np.uint8(15)
    if data_type is DataType.INT4:
        result = (result << 4) >> 4
    return result


_MANTISSA_BITS = {2: 10, 4: 23, 8: 52}


def _quiet_nans(values: Array, result: Array) -> None:
    """NaNs as processors convert them: sign and high bits kept, and made quiet. NumPy's own differ in bits."""
    chosen = np.isnan(values)
    if not chosen.any():
        return
    source, target = (np.dtype(f"u{array.itemsize}") for array in (values, result))
    bits = values[chosen].view(source).astype(np.uint64)
    own, wanted = _MANTISSA_BITS[source.itemsize], _MANTISSA_BITS[target.itemsize]
    payload = bits & np.uint64((1 << own) - 1)
    payload = payload << np.uint64(wanted - own) if wanted > own else payload >> np.uint64(own - wanted)
    sign = (bits >> np.uint64(8 * source.itemsize - 1)) << np.uint64(8 * target.itemsize - 1)
    ones = ((1 << (8 * target.itemsize - 1)) - (1 << wanted)) | (1 << (wanted - 1))  # exponent and quiet bit
    result[chosen] = (sign | np.uint64(ones) | payload).astype(target).view(result.dtype)


def cut_off(library: Any, values: Any, dtype: Any, limits: tuple[int, int]) -> Any:
    """Floats as integers: toward zero, kept inside the limits, NaN as 0."""
    low, high = limits
    # 2^63 and 2^64 are floats, the largest 64-bit integers are not: compare with the first value too large.
    too_large, too_small = values >= float(high + 1), values < float(low)
    inside = library.where(too_large | too_small | library.isnan(values), values.dtype.type(0), values)
    result = library.where(too_large, dtype.type(high), inside.astype(dtype))
    return library.where(too_small, dtype.type(low), result)
