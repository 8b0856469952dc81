"""TensorFlow's strided_slice: NumPy's basic indexing spelt as three lists and five bit masks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from anydml.core.errors import Violation, raise_if_any
from anydml.core.integers import read_integer
from anydml.core.rules import rule
from anydml.slicing.lists import check_steps, count_of, read_lists
from anydml.slicing.numpy_index import ELLIPSIS, Entry, Picked, resolve

SHRINK = rule("slicing.shrink-stride", "A specification that shrinks its axis has a stride above 0.")
_DIALECT = "TensorFlow strided_slice"


class TensorFlowSlice(NamedTuple):
    """The arguments of strided_slice; bit i of a mask speaks of specification i."""

    begin: tuple[int, ...]
    end: tuple[int, ...]
    strides: tuple[int, ...]
    begin_mask: int = 0
    end_mask: int = 0
    ellipsis_mask: int = 0
    new_axis_mask: int = 0
    shrink_axis_mask: int = 0

    def __str__(self) -> str:
        """Without the masks that say nothing."""
        said = [f"{name}={value}" for name, value in self._asdict().items() if value != 0]
        return f"TensorFlowSlice({', '.join(said)})"


def read_tensorflow(
    begin: object, end: object, strides: object, masks: Mapping[str, object], sizes: tuple[int, ...]
) -> Picked:
    """What strided_slice takes of each axis, and the axes of its result."""
    spec = _read_spec(begin, end, strides, masks)
    ignored = spec.ellipsis_mask | spec.new_axis_mask
    in_force = tuple(1 if ignored >> i & 1 else stride for i, stride in enumerate(spec.strides))
    violations = check_steps("strides", in_force)
    for i, stride in enumerate(in_force):
        if spec.shrink_axis_mask >> i & 1 and stride < 0:
            violations.append(SHRINK(f"strides[{i}]", stride, "above 0 where shrink_axis_mask is set", "1"))
    ellipses = sum(spec.ellipsis_mask >> i & 1 for i in range(len(spec.begin)))
    if ellipses > 1:
        fix = "begin_mask and end_mask for all but one of them"
        violations.append(ELLIPSIS("ellipsis_mask", f"{ellipses} bits set", "at most one", fix))
    raise_if_any(violations, subject=_DIALECT)
    return resolve([_entry(spec, i) for i in range(len(spec.begin))], sizes, "begin", _DIALECT)


def write_tensorflow(index: tuple[int | slice | None, ...]) -> TensorFlowSlice:
    """A NumPy index with plain integers, slices and None, as strided_slice has it."""
    lists: list[tuple[int, int, int]] = []
    masks = {"end_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}
    for i, entry in enumerate(index):
        if entry is None:
            lists.append((0, 0, 1))
            masks["new_axis_mask"] |= 1 << i
        elif isinstance(entry, slice):
            lists.append((entry.start, entry.stop or 0, entry.step))
            masks["end_mask"] |= (entry.stop is None) << i
        else:
            lists.append((entry, entry + 1, 1))
            masks["shrink_axis_mask"] |= 1 << i
    begin, end, strides = (tuple(row[column] for row in lists) for column in range(3))
    return TensorFlowSlice(begin, end, strides, **masks)


def _read_spec(begin: object, end: object, strides: object, masks: Mapping[str, object]) -> TensorFlowSlice:
    violations: list[Violation] = []
    bits = {name: read_integer(mask, name, violations) or 0 for name, mask in masks.items()}
    raise_if_any(violations, subject=_DIALECT)
    given = {"begin": begin, "end": end, "strides": (1,) * count_of(begin) if strides is None else strides}
    lists = read_lists(given, _DIALECT)
    return TensorFlowSlice(lists[0], lists[1], lists[2], **bits)


def _entry(spec: TensorFlowSlice, i: int) -> Entry:
    """Specification i as NumPy would have it; where bits disagree, the first of these wins, as in TensorFlow."""
    if spec.ellipsis_mask >> i & 1:
        return ...
    if spec.new_axis_mask >> i & 1:
        return None
    if spec.shrink_axis_mask >> i & 1:
        return spec.begin[i]
    return slice(
        None if spec.begin_mask >> i & 1 else spec.begin[i],
        None if spec.end_mask >> i & 1 else spec.end[i],
        spec.strides[i],
    )
