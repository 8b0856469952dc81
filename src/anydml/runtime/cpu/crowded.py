"""Squares of registers whose lines share few places in caches, as of images whose rows are a power of two apart.

A square uses so many lines at once that they would displace one another. So many squares are taken together, and the
crowded operands are read, or the crowded results written, one row or column of all of them at a time; what has been
read or turned meanwhile is staged.
"""

from __future__ import annotations

from collections.abc import Sequence

from anydml.runtime.cpu.tiled import TiledKernel
from anydml.runtime.native.emit import Value

ROWS, STREAMED_ROWS, COLUMNS = 128, 256, 128
"""Those of the squares that are taken together."""


class CrowdedKernel(TiledKernel):
    """Writes the functions of one kernel."""

    @property
    def at_once(self) -> int:
        rows = STREAMED_ROWS if self.shape.stream else ROWS
        return rows if self.tiling.walks_rows else COLUMNS

    def _begin(self) -> None:
        """Nothing: addresses are computed where they are needed."""

    def _walk(self, corner: Sequence[str], count: Value, steps: Sequence[str]) -> None:
        self._strip(corner, count, self.following() if self.shape.stream else ())
