"""Writing a staged row to its place: as it is, or as elements of another type."""

from __future__ import annotations

from anydml.runtime.moves.kernels.convert import convert_row
from anydml.runtime.moves.kernels.frame import Frame
from anydml.runtime.moves.kernels.rows import copy_row
from anydml.runtime.native.emit import Value


def write_row(f: Frame, destination: str, staged: str, size: Value) -> None:
    """Writes `size` staged bytes."""
    if f.shape.written:
        convert_row(f, destination, staged, size)
    else:
        copy_row(f.e, destination, staged, size, f.way)
