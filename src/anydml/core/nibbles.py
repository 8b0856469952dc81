"""Two 4-bit elements in a byte: the even element is the low half, the odd one the high half."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anydml.core.datatype import DataType

Bytes = npt.NDArray[np.uint8]


def unpack(data: Bytes, data_type: DataType) -> npt.NDArray[np.generic]:
    """Every 4-bit element of the bytes, one to a byte, with its sign."""
    halves = np.empty(data.size * 2, np.uint8)
    halves[0::2] = data & 0xF
    halves[1::2] = data >> 4
    if data_type is DataType.INT4:
        # Moving the sign bit to bit 7 and back down lets the shift extend it.
        return (halves << 4).view(np.int8) >> 4
    return halves


def pack(values: npt.NDArray[np.generic]) -> Bytes:
    """Bytes of two elements each; a missing last half is zero."""
    halves = values.reshape(-1).astype(np.uint8) & 0xF
    if halves.size % 2:
        halves = np.append(halves, np.uint8(0))
    packed = halves[0::2] | (halves[1::2] << np.uint8(4))
    return packed.astype(np.uint8, copy=False)


def read(data: Bytes, element_offsets: npt.NDArray[np.intp], data_type: DataType) -> npt.NDArray[np.generic]:
    """The elements at these places, one to a byte, with their sign."""
    shifts = ((element_offsets & 1) << 2).astype(np.uint8)
    halves = ((data[element_offsets >> 1] >> shifts) & 15).astype(np.uint8)
    signed: npt.NDArray[np.generic] = (halves << 4).view(np.int8) >> 4
    return signed if data_type is DataType.INT4 else halves


def write(data: Bytes, element_offsets: npt.NDArray[np.intp], values: npt.NDArray[np.generic]) -> None:
    """Store elements one half each; the other half of every byte stays as it was."""
    halves = values.reshape(-1).astype(np.uint8) & 0xF
    offsets = element_offsets.reshape(-1)
    for odd in (0, 1):
        chosen = (offsets & 1) == odd
        places = offsets[chosen] >> 1
        keep = np.uint8(0x0F if odd else 0xF0)
        data[places] = (data[places] & keep) | (halves[chosen] << (4 * odd))
