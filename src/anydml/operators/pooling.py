"""MAX_POOLING2: the largest element of each window, and where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.errors import Violation
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Integer, Operator, per_dimension, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.types import FLOAT_16_32, INTEGERS_8, UINT32, UINT64, WITHOUT_FLOAT64

WINDOW = rule("pooling.window", "The window fits into the padded input.")
_STEP = Integer(minimum=1)
_VALUES = {"2.1": FLOAT_16_32, "3.0": FLOAT_16_32 | INTEGERS_8, "5.0": WITHOUT_FLOAT64}


class MaxPooling2(Operator, since="2.1", id=110):
    """The largest element of each dilated window, and optionally its index in the flattened input."""

    rank = {"2.1": (4, 5)}
    input_tensor: TensorDesc = tensor_input(_VALUES)
    output_tensor: TensorDesc = tensor_output(_VALUES)
    output_indices_tensor: TensorDesc | None = tensor_output(
        {"2.1": UINT32, "5.0": UINT32 | UINT64}, optional=True, inferred_type=DataType.UINT32
    )
    strides: tuple[int, ...] = per_dimension("input_tensor", _STEP, skip=2, default=1)
    window_size: tuple[int, ...] = per_dimension("input_tensor", _STEP, skip=2)
    start_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    end_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    dilations: tuple[int, ...] = per_dimension("input_tensor", _STEP, skip=2, default=1)
    same = (
        same("input_tensor output_tensor output_indices_tensor", "DimensionCount"),
        same("input_tensor output_tensor", "DataType"),
    )

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        for i, size in enumerate(self._spatial_sizes()):
            if size < 1:
                found = f"{self.window_size[i]} dilated by {self.dilations[i]}"
                yield WINDOW(f"WindowSize[{i}]", found, "a window inside the padded input", "a smaller window")

    def _spatial_sizes(self) -> tuple[int, ...]:
        rows = zip(
            self.input_tensor.sizes[2:],
            self.window_size,
            self.dilations,
            self.strides,
            self.start_padding,
            self.end_padding,
            strict=True,
        )
        return tuple((n + a + b - (1 + (w - 1) * d)) // s + 1 for n, w, d, s, a, b in rows)

    def infer(self) -> dict[str, tuple[int, ...]]:
        sizes = (*self.input_tensor.sizes[:2], *self._spatial_sizes())
        return {"output_tensor": sizes, "output_indices_tensor": sizes}

    def compute(self, xp: Any, input_tensor: Any) -> dict[str, Any]:
        """Tap by tap, in the order of memory, so that the first of equal elements wins."""
        sizes = self.infer()["output_tensor"]
        best = xp.full(sizes, _lowest(xp, input_tensor.dtype), input_tensor.dtype)
        index = xp.full(sizes, -1, xp.int64)
        flat = xp.arange(input_tensor.size, dtype=xp.int64).reshape(input_tensor.shape)
        for tap in product(*(self._taps(i) for i in range(len(self.window_size)))):
            output, source = self._tap(tap)
            candidate, held = input_tensor[source], best[output]
            better = (candidate > held) | (index[output] < 0) | ((candidate != candidate) & (held == held))
            best[output] = xp.where(better, candidate, held)
            index[output] = xp.where(better, flat[source], index[output])
        return {"output_tensor": best, "output_indices_tensor": xp.maximum(index, 0)}

    def _taps(self, i: int) -> list[int]:
        """The elements of a window that lie in the input for some output: few, however long the padded window."""
        dilation, total = self.dilations[i], self.input_tensor.sizes[i + 2]
        if self.window_size[i] <= total:
            return list(range(self.window_size[i]))
        taps: set[int] = set()
        for output in range(self._spatial_sizes()[i]):
            first = self.start_padding[i] - output * self.strides[i]  # the tap on input element 0, times the dilation
            low, high = -(-first // dilation), (first + total - 1) // dilation
            taps.update(range(max(low, 0), min(high + 1, self.window_size[i])))
        return sorted(taps)

    def _tap(self, tap: tuple[int, ...]) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """The outputs for which this element of the window lies in the input, and those input elements."""
        starts = [k * d - before for k, d, before in zip(tap, self.dilations, self.start_padding, strict=True)]
        output, source = reached(starts, self.strides, self._spatial_sizes(), self.input_tensor.sizes[2:])
        both = (slice(None), slice(None))
        return both + output, both + source


def reached(
    starts: Sequence[int], steps: Sequence[int], counts: Sequence[int], sizes: Sequence[int]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Of `count` places from a start in equal steps, those inside 0 to size - 1: which ones, and where."""
    which, where = [], []
    for start, step, count, size in zip(starts, steps, counts, sizes, strict=True):
        low = max(0, -(start // step))
        high = max(min(count, (size - 1 - start) // step + 1), low)
        first = start + low * step
        which.append(slice(low, high))
        where.append(slice(first, first + (high - low - 1) * step + 1, step) if high > low else slice(0, 0))
    return tuple(which), tuple(where)


def _lowest(xp: Any, dtype: Any) -> Any:
    return -xp.inf if dtype.kind == "f" else xp.iinfo(dtype).min
