"""What the elements of a tensor are: values that a picture shows in its cells in place of letters."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from anydml.core.errors import InvalidDescriptionError, counted, shown
from anydml.core.layout import Layout
from anydml.core.outside import answer
from anydml.core.rules import rule
from anydml.core.stored import as_array
from anydml.files.npy import read_array, read_header
from anydml.files.places import at_key

COUNT = rule("values.count", "Values are given for every index, or for every place in memory.")
SHARED = rule("values.shared", "Indices that share an element have one value.")
READABLE = rule("values.text", "Values are a range such as 1:16, a list such as 1,2,3, an array or an .npy file.")
_MOST_CHECKED = 1 << 20
_MOST_VALUES = 1 << 26
_WIDEST = 8


class Values:
    """The values of a layout's elements: one for each index in row-major order, or one for each place in memory."""

    def __init__(self, layout: Layout, places: int, values: Any) -> None:
        array = as_array(values, "values")
        logical = layout.logical_element_count
        self.is_logical = array.shape == layout.sizes or array.size == logical
        if not self.is_logical and array.size != places:
            expected = f"{logical:,}, one for each index"
            expected += f", or {places:,}, one for each place in memory" if places != logical else ""
            fix = f"np.arange({logical}), or 1:{logical} on a command line"
            raise InvalidDescriptionError(COUNT("values", counted(array.size, "value"), expected, fix))
        self._layout, self._values = layout, array.reshape(-1)
        if self.is_logical:
            self._check_shared()

    def _check_shared(self) -> None:
        """A place that several indices read can have one value only."""
        layout, values = self._layout, self._values
        if not layout.has_overlap or values.size > _MOST_CHECKED:
            return
        _, first, places = np.unique(layout.offsets().reshape(-1), return_index=True, return_inverse=True)
        others = values[first[places.reshape(-1)]]
        wrong = np.flatnonzero(answer(lambda: values != others, np.zeros(values.shape, bool)))
        if wrong.size:
            index, other = (_index(int(n), layout.sizes) for n in (wrong[0], first[places.reshape(-1)[wrong[0]]]))
            found = f"{_text(values[wrong[0]])} at {index} and {_text(values[_number(other, layout.sizes)])} at {other}"
            raise InvalidDescriptionError(SHARED("values", found, "one value, since both indices are one element"))

    def at(self, offset: int, index: tuple[int, ...] | None) -> str | None:
        """The value of an element, given its place and the first index that reaches it."""
        if not self.is_logical:
            return self.at_place(offset)
        return None if index is None else _text(self._values[_number(index, self._layout.sizes)])

    def at_place(self, offset: int) -> str | None:
        """What lies at a place in memory, whoever reads it."""
        if self.is_logical or not 0 <= offset < self._values.size:
            return None
        return _text(self._values[offset])

    def __repr__(self) -> str:
        # A picture's ids follow from this text, and must be the same in every run.
        return f"Values({self.is_logical}, {self._values.size}, {crc32(self._values.tobytes())})"


def _number(index: tuple[int, ...], sizes: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(index, sizes))


def _index(number: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(number, sizes))


def _text(value: Any) -> str:
    """A value in at most a few characters."""
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.4g}"
    text = answer(lambda: str(value), f"<{type(value).__name__}>")
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def parse_values(text: str) -> npt.NDArray[Any]:
    """Values from text: `1:16` (both ends included), `0:1:0.25`, `A:L`, `1,2,3` or the name of an .npy file."""
    plain = text.strip()
    if plain.lower().endswith(".npy"):
        return _load(plain)
    if "," not in plain and plain.count(":") in (1, 2):
        return _range(plain)
    words = [word.strip() for word in plain.split(",")]
    numbers = [_number_in(word) for word in words]
    if any(number is None for number in numbers):
        return np.array(words)
    return np.array(numbers)


def _range(text: str) -> npt.NDArray[Any]:
    first, last, *rest = text.split(":")
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha() and not rest:
        return np.array([chr(code) for code in range(ord(first), ord(last) + 1)])
    numbers = [_number_in(word) for word in (first, last, *rest)]
    start, stop, step = (*numbers, 1)[:3]
    if start is None or stop is None or not step or (stop - start) / step < 0:
        raise InvalidDescriptionError(READABLE("values", shown(text), "a range such as 1:16 or A:L", "1:16"))
    count = int((stop - start) / step + 1e-9) + 1
    if count > _MOST_VALUES:
        raise InvalidDescriptionError(READABLE("values", f"a range of {count:,} values", f"at most {_MOST_VALUES:,}"))
    return np.asarray(start + step * np.arange(count))


def _number_in(word: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(word[:40])
        except ValueError:
            continue
    return None


def _load(name: str) -> npt.NDArray[Any]:
    path = Path(name)
    if not path.is_file():
        raise InvalidDescriptionError(READABLE("values", f"no file {shown(name)}", "an .npy file that exists"))
    with at_key("values"):
        header = read_header(path)
        count = header.element_count
        if count > _MOST_VALUES:
            raise InvalidDescriptionError(READABLE("values", f"{count:,} values", f"at most {_MOST_VALUES:,}"))
        return read_array(path, header)
