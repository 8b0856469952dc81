"""Selection: the elements a slice takes, apart from the dialect it was said in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anydml.core.datatype import DataTypeLike
from anydml.core.errors import DmlError, InvalidDescriptionError, Violation, raise_if_any, shown
from anydml.core.integers import INT64_MAX, read_list, require_integers
from anydml.core.rules import rule
from anydml.process.loading import load_module
from anydml.slicing.lists import COUNT
from anydml.slicing.numpy_index import read_index, show_index, write_index
from anydml.slicing.onnx_slice import OnnxSlice, read_onnx, write_onnx
from anydml.slicing.tensorflow_slice import TensorFlowSlice, read_tensorflow, write_tensorflow
from anydml.slicing.windows import (
    INSIDE,
    DmlSlice,
    DmlSlice1,
    WebnnSlice,
    read_dml_slice,
    read_slice1,
    read_webnn,
    write_dml_slice,
    write_slice1,
    write_webnn,
)

if TYPE_CHECKING:
    from anydml.core.tensor import TensorDesc
    from anydml.operators.slices import Slice1

SIZES = rule("slicing.input-sizes", "Sizes of an input are from 0 to 2^63 - 1.")
RANGES = rule("slicing.ranges", "A selection has one range for each axis of the input.")
OUTPUT_AXES = rule(
    "slicing.output-axes",
    "Output axes are input axes in their order or None for a new one; an axis left out has one element.",
)
AXES_KEPT = rule(
    "slicing.axes-kept",
    "Only NumPy and TensorFlow can drop an axis or add one; the other dialects keep the input's axes.",
)


@dataclass(frozen=True)
class Selection:
    """One range of elements for each axis of the input, and which axes the output has.

    Two selections are equal exactly when they take the same elements to the same places: an empty range is
    `range(0)`, a single element steps by 1, and a stop lies one beyond the last element.
    """

    input_sizes: tuple[int, ...]
    ranges: tuple[range, ...]
    output_axes: tuple[int | None, ...]
    """For each axis of the output the input's axis it is, or None for a new one of size 1."""

    def __init__(
        self, input_sizes: Sequence[int], ranges: Sequence[range], output_axes: Sequence[int | None] | None = None
    ) -> None:
        sizes = _read_sizes(input_sizes)
        parts = _read_tuple(ranges, "ranges")
        axes = tuple(range(len(sizes))) if output_axes is None else _read_tuple(output_axes, "output_axes")
        raise_if_any(_check_ranges(sizes, parts) or _check_output_axes(parts, axes), subject="Selection")
        values = (sizes, tuple(map(_canonical, parts)), axes)
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, name, value)

    # From a dialect

    @classmethod
    def from_numpy(cls, index: Any, input_sizes: Sequence[int]) -> Selection:
        """Basic indexing: `Selection.from_numpy(np.s_[3::-2, 0], (4, 4))`."""
        sizes = _read_sizes(input_sizes)
        return cls(sizes, *read_index(index, sizes))

    @classmethod
    def from_onnx(
        cls,
        starts: Sequence[int],
        ends: Sequence[int],
        axes: Sequence[int] | None = None,
        steps: Sequence[int] | None = None,
        *,
        input_sizes: Sequence[int],
    ) -> Selection:
        """ONNX Slice: `Selection.from_onnx([-1], [-2**63], [1], [-2], input_sizes=(4, 4))`."""
        sizes = _read_sizes(input_sizes)
        return cls(sizes, read_onnx(starts, ends, axes, steps, sizes))

    @classmethod
    def from_tensorflow(
        cls,
        begin: Sequence[int],
        end: Sequence[int],
        strides: Sequence[int] | None = None,
        begin_mask: int = 0,
        end_mask: int = 0,
        ellipsis_mask: int = 0,
        new_axis_mask: int = 0,
        shrink_axis_mask: int = 0,
        *,
        input_sizes: Sequence[int],
    ) -> Selection:
        """strided_slice: `Selection.from_tensorflow([3, 0], [0, 1], [-2, 1], end_mask=1, input_sizes=(4, 4))`."""
        sizes = _read_sizes(input_sizes)
        masks = {
            "begin_mask": begin_mask,
            "end_mask": end_mask,
            "ellipsis_mask": ellipsis_mask,
            "new_axis_mask": new_axis_mask,
            "shrink_axis_mask": shrink_axis_mask,
        }
        return cls(sizes, *read_tensorflow(begin, end, strides, masks, sizes))

    @classmethod
    def from_webnn(
        cls,
        starts: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int] | None = None,
        *,
        input_sizes: Sequence[int],
    ) -> Selection:
        """WebNN slice: `Selection.from_webnn([0, 1], [4, 3], [2, 2], input_sizes=(4, 4))`."""
        whole = _read_sizes(input_sizes)
        return cls(whole, read_webnn(starts, sizes, strides, whole))

    @classmethod
    def from_dml_slice(
        cls, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int], *, input_sizes: Sequence[int]
    ) -> Selection:
        """DML_SLICE: `Selection.from_dml_slice([0, 1], [2, 2], [2, 2], input_sizes=(4, 4))`."""
        whole = _read_sizes(input_sizes)
        return cls(whole, read_dml_slice(offsets, sizes, strides, whole))

    @classmethod
    def from_slice1(
        cls,
        input_window_offsets: Sequence[int],
        input_window_sizes: Sequence[int],
        input_window_strides: Sequence[int],
        output_sizes: Sequence[int] | None = None,
        *,
        input_sizes: Sequence[int],
    ) -> Selection:
        """DML_SLICE1: `Selection.from_slice1([0, 1], [4, 3], [-2, 2], input_sizes=(4, 4))`."""
        whole = _read_sizes(input_sizes)
        window = (input_window_offsets, input_window_sizes, input_window_strides)
        return cls(whole, read_slice1(*window, output_sizes, whole))

    # To a dialect

    def to_numpy(self) -> tuple[int | slice | None, ...]:
        """The index to use on an array: `array[selection.to_numpy()]`."""
        return write_index(self.ranges, self.output_axes)

    def to_onnx(self) -> OnnxSlice:
        """ONNX Slice's inputs: `starts, ends, axes, steps = selection.to_onnx()`."""
        return write_onnx(self._kept("ONNX Slice"))

    def to_tensorflow(self) -> TensorFlowSlice:
        """strided_slice's arguments: `tf.strided_slice(x, *selection.to_tensorflow())`."""
        return write_tensorflow(self.to_numpy())

    def to_webnn(self) -> WebnnSlice:
        """WebNN slice's arguments: `starts, sizes, strides = selection.to_webnn()`."""
        return write_webnn(self._kept("WebNN slice"), self.input_sizes)

    def to_dml_slice(self) -> DmlSlice:
        """DML_SLICE's fields: `dml.Slice(input_tensor=x, **selection.to_dml_slice()._asdict())`."""
        return write_dml_slice(self._kept("DML_SLICE"), self.input_sizes)

    def to_slice1(self) -> DmlSlice1:
        """DML_SLICE1's fields, with the smallest window there is: `selection.to_slice1().input_window_offsets`."""
        return write_slice1(self._kept("DML_SLICE1"), self.input_sizes)

    def to_operator(self, data_type: DataTypeLike) -> Slice1:
        """The operator over packed tensors: `dml.Device().compile(selection.to_operator("FLOAT32"))`."""
        describe: type[TensorDesc] = load_module("anydml.core.tensor").TensorDesc
        fields = self.to_slice1()._asdict()
        output = describe(data_type, fields.pop("output_sizes"))
        kind: type[Slice1] = load_module("anydml.operators.slices").Slice1
        return kind(input_tensor=describe(data_type, self.input_sizes), output_tensor=output, **fields)

    # Questions

    @property
    def counts(self) -> tuple[int, ...]:
        """How many elements each axis of the input gives."""
        return tuple(map(len, self.ranges))

    @property
    def output_sizes(self) -> tuple[int, ...]:
        """The sizes of the result, dropped axes gone and new ones in place."""
        return tuple(1 if axis is None else len(self.ranges[axis]) for axis in self.output_axes)

    @property
    def is_empty(self) -> bool:
        return 0 in self.counts

    def keep_axes(self) -> Selection:
        """The same elements with the input's axes, none dropped and none added; only the shape may differ."""
        return Selection(self.input_sizes, self.ranges)

    def describe(self) -> str:
        """The selection in every dialect, one on each line, or why the dialect cannot say it."""
        dialects = {
            "NumPy": lambda: show_index(self.to_numpy()),
            "ONNX": self.to_onnx,
            "TensorFlow": self.to_tensorflow,
            "WebNN": self.to_webnn,
            "DML_SLICE": self.to_dml_slice,
            "DML_SLICE1": self.to_slice1,
        }
        lines = [f"{'sizes':<12}{self.input_sizes} to {self.output_sizes}"]
        return "\n".join([*lines, *(f"{name:<12}{_attempt(write)}" for name, write in dialects.items())])

    def _kept(self, dialect: str) -> tuple[range, ...]:
        """The ranges, for a dialect whose output has the input's axes."""
        if self.output_axes != tuple(range(len(self.ranges))):
            fix = f"keep_axes(), then a reshape to {self.output_sizes}"
            expected = f"every axis of the input once: {tuple(range(len(self.ranges)))}"
            raise InvalidDescriptionError(AXES_KEPT("output_axes", self.output_axes, expected, fix), dialect)
        return self.ranges


def _attempt(write: Any) -> str:
    try:
        return str(write())
    except DmlError as error:
        return f"cannot say it: {'; '.join(map(str, error.violations))}"


def _canonical(part: range) -> range:
    """The one way to write these elements."""
    if not part:
        return range(0)
    if part[0] == part[-1]:
        return range(part[0], part[0] + 1)
    return range(part[0], part[-1] + (1 if part.step > 0 else -1), part.step)


def _read_tuple(values: Any, path: str) -> tuple[Any, ...]:
    violations: list[Violation] = []
    found = read_list(values, path, violations, "ranges" if path == "ranges" else "axes, and None")
    raise_if_any(violations, subject="Selection")
    return tuple(found or ())


def _read_sizes(sizes: object) -> tuple[int, ...]:
    read = require_integers(sizes, "input_sizes")
    wrong = [(i, size) for i, size in enumerate(read) if not 0 <= size <= INT64_MAX]
    raise_if_any([SIZES(f"input_sizes[{i}]", size, "0 to 2^63 - 1", "the size of the axis") for i, size in wrong])
    return read


def _check_ranges(sizes: tuple[int, ...], ranges: tuple[object, ...]) -> list[Violation]:
    if len(ranges) != len(sizes):
        return [
            COUNT("ranges", f"{len(ranges)} ranges", f"{len(sizes)}, one for each axis", "range(n) for a whole axis")
        ]
    violations = []
    for i, (size, part) in enumerate(zip(sizes, ranges, strict=True)):
        if not isinstance(part, range):
            violations.append(RANGES(f"ranges[{i}]", shown(part), "a range", "from_numpy for slices"))
        elif part and not (0 <= part[0] < size and 0 <= part[-1] < size):
            expected = f"elements inside 0 to {size - 1}" if size else "none: the axis is empty"
            violations.append(INSIDE(f"ranges[{i}]", shown(part), expected, "from_numpy, which clamps slices"))
    return violations


def _check_output_axes(ranges: tuple[range, ...], output_axes: tuple[int | None, ...]) -> list[Violation]:
    kept = require_integers([axis for axis in output_axes if axis is not None], "output_axes")
    expected = f"axes of 0 to {len(ranges) - 1} in rising order, and None" if ranges else "None alone: there is no axis"
    if list(kept) != sorted(set(kept)) or not set(kept) <= set(range(len(ranges))):
        return [OUTPUT_AXES("output_axes", output_axes, expected, "leaving output_axes out to keep every axis")]
    dropped = [axis for axis in sorted({*range(len(ranges))} - {*kept}) if len(ranges[axis]) != 1]
    fix = "keeping the axis"
    return [OUTPUT_AXES("output_axes", f"axis {i}, of {len(ranges[i])}, dropped", "one element", fix) for i in dropped]
