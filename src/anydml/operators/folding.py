"""UNFOLD and FOLD: windows as columns of a matrix, and back (im2col and col2im)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Integer, Operator, per_dimension, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.sliding import Slide, along, check_slides, counts_of, slides_of
from anydml.operators.types import ALL

COLUMNS = rule("fold.columns", "Columns are {batch, channels * window, windows}, as many as fit into the image.")
_TYPES = {"6.4": ALL}
_LIST = tuple[int, ...]


def _columns(image: tuple[int, ...], slides: Sequence[Slide]) -> tuple[int, ...]:
    """The sizes of the columns for an image of these sizes."""
    return image[0], image[1] * prod(slide.window for slide in slides), prod(counts_of(slides))


def _growing(slides: Sequence[Slide]) -> list[tuple[int, Slide]]:
    """The axes of the windows' elements, each followed by that of the windows; those that grow least first."""
    axes = ((2 + 2 * i, slide) for i, slide in enumerate(slides))
    return sorted(axes, key=lambda item: item[1].window * item[1].count / item[1].size)


class Unfold(Operator, since="6.4", id=177):
    """Lays each window out as a column, channel by channel; padding is 0."""

    rank = {"6.4": (3, 8)}
    input_tensor: TensorDesc = tensor_input(_TYPES)
    output_tensor: TensorDesc = tensor_output(_TYPES)
    window_sizes: _LIST = per_dimension("input_tensor", Integer(minimum=1), skip=2)
    strides: _LIST = per_dimension("input_tensor", Integer(minimum=1), skip=2, default=1)
    dilations: _LIST = per_dimension("input_tensor", Integer(minimum=1), skip=2, default=1)
    start_padding: _LIST = per_dimension("input_tensor", Integer(), skip=2, default=0)
    end_padding: _LIST = per_dimension("input_tensor", Integer(), skip=2, default=0)
    same = (same("input_tensor output_tensor", "DataType"),)
    only_moves = True

    @property
    def slides(self) -> tuple[Slide, ...]:
        lists = self.window_sizes, self.strides, self.start_padding, self.end_padding, self.dilations
        return slides_of(self.input_tensor.sizes, *lists)

    def check(self, level: FeatureLevel) -> Iterable[Violation]:
        return check_slides(self.slides, "WindowSizes")

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": _columns(self.input_tensor.sizes, self.slides)}

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        """Along one dimension after the other: each becomes the elements of a window, and the windows."""
        batch, channels, *spatial = input_tensor.shape
        array = input_tensor.reshape(batch, channels, *(n for size in spatial for n in (size, 1)))
        for axis, slide in _growing(self.slides):
            array = _take_windows(xp, array, axis, slide)
        elements, windows = range(2, array.ndim, 2), range(3, array.ndim, 2)
        return xp.transpose(array, (0, 1, *elements, *windows)).reshape(_columns(input_tensor.shape, self.slides))


def _take_windows(xp: Any, array: Any, axis: int, slide: Slide) -> Any:
    starts = xp.arange(slide.count, dtype=xp.int64) * slide.stride - slide.before
    places = xp.arange(slide.window, dtype=xp.int64)[:, None] * slide.dilation + starts
    taken = xp.take(array, xp.clip(places, 0, slide.size - 1).reshape(-1), axis=axis)
    shape = (slide.window, slide.count)
    inside = ((places >= 0) & (places < slide.size)).reshape(*shape, *(1,) * (array.ndim - axis - 2))
    return xp.where(inside, taken.reshape(*array.shape[:axis], *shape, *array.shape[axis + 2 :]), array.dtype.type(0))


class Fold(Operator, since="6.4", id=176):
    """Puts columns back where UNFOLD took them from; where windows overlap, their elements add up."""

    rank = {"6.4": (3, 8)}
    input_tensor: TensorDesc = tensor_input(_TYPES)
    output_tensor: TensorDesc = tensor_output(_TYPES)
    window_sizes: _LIST = per_dimension("output_tensor", Integer(minimum=1), skip=2)
    strides: _LIST = per_dimension("output_tensor", Integer(minimum=1), skip=2, default=1)
    dilations: _LIST = per_dimension("output_tensor", Integer(minimum=1), skip=2, default=1)
    start_padding: _LIST = per_dimension("output_tensor", Integer(), skip=2, default=0)
    end_padding: _LIST = per_dimension("output_tensor", Integer(), skip=2, default=0)
    same = (same("input_tensor output_tensor", "DataType"),)

    @property
    def slides(self) -> tuple[Slide, ...]:
        lists = self.window_sizes, self.strides, self.start_padding, self.end_padding, self.dilations
        return slides_of(self.output_tensor.sizes, *lists)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        if self.output_tensor is None:  # columns do not tell the image's sizes
            return
        too_large = list(check_slides(self.slides, "WindowSizes"))
        yield from too_large
        wanted = _columns(self.output_tensor.sizes, self.slides)
        if not too_large and self.input_tensor.sizes != wanted:
            yield COLUMNS("InputTensor.Sizes", self.input_tensor.sizes, wanted, Use(wanted))

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        """Along one dimension after the other: the elements of a window, and the windows, become one."""
        batch, channels, *_ = self.output_tensor.sizes
        windows = tuple(slide.window for slide in self.slides)
        array = input_tensor.reshape(batch, channels, *windows, *counts_of(self.slides))
        pairs = ((2 + i, 2 + i + len(windows)) for i in range(len(windows)))
        array = xp.transpose(array, (0, 1, *(axis for pair in pairs for axis in pair)))
        for axis, slide in reversed(_growing(self.slides)):
            array = _add_windows(xp, array, axis, slide)
        return array.reshape(self.output_tensor.sizes)


def _add_windows(xp: Any, array: Any, axis: int, slide: Slide) -> Any:
    result = xp.zeros([*array.shape[:axis], slide.size, 1, *array.shape[axis + 2 :]], array.dtype)
    steps = range(slide.count) if slide.has_fewer_windows else range(slide.window)
    for step in steps:
        if slide.has_fewer_windows:
            taps, written = slide.at_window(step)
            part = array[along(axis, taps)][along(axis + 1, step)]
        else:
            windows, written = slide.at_tap(step)
            part = array[along(axis, step)][along(axis, windows)]
        result[along(axis, written)][along(axis + 1, 0)] += part
    return result
