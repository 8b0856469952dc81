"""A layout in words and figures: what kind it is, how an offset is computed, how much memory it takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.core.orders import OrderMatch, recognize_order
from anydml.view import mapping
from anydml.view.elements import Index
from anydml.view.jumps import Jump, jumps_of
from anydml.view.mapping import window_words
from anydml.view.picture import Picture
from anydml.view.subject import Window

_FAMILIAR = {"HW": "row-major", "WH": "column-major", "NCHW": "DirectML's default", "NCDHW": "DirectML's default"}


@dataclass(frozen=True)
class Amount:
    """One line of the table of sizes."""

    name: str
    elements: int | None
    bytes: int | None
    remark: str


@dataclass(frozen=True)
class Facts:
    """Everything a picture's text says."""

    picture: Picture

    @property
    def layout(self) -> Layout:
        return self.picture.subject.layout

    @property
    def axes(self) -> str:
        return self.picture.subject.axes

    @property
    def data_type(self) -> DataType | None:
        return self.picture.subject.data_type

    @cached_property
    def heading(self) -> str:
        subject = self.picture.subject
        strides = f"order {subject.order}" if subject.order else f"strides {_list(self.layout.strides)}"
        strides = "no strides given" if subject.implicit_strides else strides
        kind = f"{self.data_type.name} " if self.data_type else ""
        return f"{kind}{times(self.layout.sizes)}, {strides}"

    @cached_property
    def subheading(self) -> str:
        """The window's three lists, where there is a window."""
        window = self.picture.subject.window
        return f"window: {window_words(window)}" if window else ""

    @cached_property
    def title(self) -> str:
        """Heading and subheading in one line."""
        return f"{self.heading}; {self.subheading}" if self.subheading else self.heading

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The words for this layout; packed stands alone."""
        layout = self.layout
        reverse = any(stride < 0 and size > 1 for size, stride in zip(layout.sizes, layout.strides, strict=True))
        found = {
            "packed": layout.is_packed and not self.picture.subject.is_padded,
            "broadcast": layout.is_broadcast,
            "overlapping": self._collides,
            "padded": self.picture.subject.is_padded,
            "reversed": reverse,
        }
        return tuple(word for word, holds in found.items() if holds)

    @cached_property
    def _collides(self) -> bool:
        """Whether indices share elements for another reason than a stride of 0."""
        moving = [(n, s) for n, s in zip(self.layout.sizes, self.layout.strides, strict=True) if n > 1 and s != 0]
        if not moving or not self.layout.has_overlap:
            return False
        return Layout([n for n, _ in moving], [s for _, s in moving]).has_overlap

    @cached_property
    def order(self) -> OrderMatch:
        return recognize_order(self.layout, self.axes)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What kind of layout this is, a sentence for each thing worth saying."""
        tell = {
            "packed": self._tell_packed,
            "broadcast": self._tell_broadcast,
            "overlapping": self._tell_overlap,
            "padded": self._tell_padding,
            "reversed": self._tell_reversed,
        }
        found = [tell[kind]() for kind in self.kinds]
        if self.order.names:
            familiar = "" if self.order.is_ambiguous else _FAMILIAR.get(self.order.names[0], "")
            found.append(f"Order in memory: {self.order}{f' ({familiar})' if familiar else ''}.")
        if self.layout.offset:
            found.append(f"It starts {count(self.layout.offset, 'element')} into its memory.")
        if self.picture.subject.window:
            found += self._tell_window(self.picture.subject.window)
        return tuple(found)

    def _tell_packed(self) -> str:
        logical = self.layout.logical_element_count
        if logical == 1:
            return "Packed: a single element."
        return f"Packed: {logical:,} elements in {logical:,} places, none empty and none shared."

    def _tell_broadcast(self) -> str:
        along = [
            a for a, n, s in zip(self.axes, self.layout.sizes, self.layout.strides, strict=True) if s == 0 and n > 1
        ]
        repeats = prod(n for n, s in zip(self.layout.sizes, self.layout.strides, strict=True) if s == 0)
        return f"Broadcast along {_and(along)} (stride 0): each element is read by {repeats:,} indices."

    def _tell_overlap(self) -> str:
        logical, distinct = self.layout.logical_element_count, self.picture.distinct
        reached = f"{logical:,} indices reach {count(distinct, 'element')}" if distinct else "indices share elements"
        return f"Overlapping: {reached}, and not by a stride of 0 alone; such a tensor can be read, not written."

    def _tell_padding(self) -> str:
        distinct, places, span = self.picture.distinct, self.picture.subject.places, self.layout.span
        if distinct is None:
            return f"Padded: some of the {places:,} places belong to no index."
        between, after = span - distinct, places - span
        where = f" ({between:,} between elements, {after:,} after the last)" if between and after else ""
        where = where or (" (after the last element)" if after else "")
        are = "belong" if between + after > 1 else "belongs"
        return f"Padded: {between + after:,} of the {count(places, 'place')} {are} to no index{where}."

    def _tell_reversed(self) -> str:
        along = [
            a for a, n, s in zip(self.axes, self.layout.sizes, self.layout.strides, strict=True) if s < 0 and n > 1
        ]
        return f"Reversed along {_and(along)} (negative stride): the first index lies last in memory."

    def _tell_window(self, window: Window) -> list[str]:
        taken, whole = count(prod(window.output_sizes), "element"), self.layout.logical_element_count
        first = f"The window takes {taken} of {whole:,}, a result of {times(window.output_sizes)}."
        return [first, *mapping.sentences(window, self.axes)]

    @cached_property
    def mapping(self) -> tuple[str, ...]:
        """For a window: where elements of the result come from."""
        found = [row.text for row in mapping.rows_of(self.picture)]
        hidden = mapping.hidden_rows(self.picture)
        return (*found, f"and {hidden:,} more; --index chooses one") if hidden else tuple(found)

    @cached_property
    def jumps(self) -> tuple[Jump, ...]:
        return jumps_of(self.picture)

    # The formula

    @cached_property
    def formula(self) -> str:
        """The offset as a sum over named indices."""
        terms = [f"{axis.lower()}·{stride}" for axis, stride in zip(self.axes, self.layout.strides, strict=True)]
        return "offset = " + self._with_offset(" + ".join(terms))

    @cached_property
    def example_index(self) -> Index:
        """The last index: every stride counts in it."""
        return tuple(size - 1 for size in self.layout.sizes)

    def computed(self, index: Index) -> str:
        """The sum for one index, numbers filled in."""
        terms = [f"{i}·{stride}" for i, stride in zip(index, self.layout.strides, strict=True)]
        return f"{self._with_offset(' + '.join(terms))} = {self.layout(index)}"

    @cached_property
    def examples(self) -> tuple[str, ...]:
        """The formula with numbers: for the indices asked for, or for the last one, with its place in bytes."""
        subject = self.picture.subject
        chosen = [subject.window.source(index) if subject.window else index for index in subject.indices]
        return tuple(self._example(index) for index in chosen or [self.example_index])

    def _example(self, index: Index) -> str:
        place = self.byte_place(self.layout(index))
        return (
            f"{self.picture.label_at(index)} at ({_list(index)}): {self.computed(index)}{f', {place}' if place else ''}"
        )

    def _with_offset(self, terms: str) -> str:
        return f"{self.layout.offset} + {terms}" if self.layout.offset else terms

    def byte_place(self, offset: int) -> str:
        """Where an element starts, in bytes; a 4-bit element is half of one."""
        if self.data_type is None:
            return ""
        whole, part = divmod(offset * self.data_type.bits, 8)
        if not self.data_type.is_packed_pair:
            return f"byte {whole}"
        return f"{'high' if part else 'low'} half of byte {whole}"

    # Amounts of memory

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        subject, span = self.picture.subject, self.layout.span
        logical = self.layout.logical_element_count
        rows = [
            Amount("logical", logical, self._bytes(logical), f"one for each index: {times(self.layout.sizes)}"),
            Amount("span", span, self._bytes(span), self._span_remark()),
        ]
        if subject.total_bytes is not None:
            tail = subject.total_bytes - (self._bytes(span) or 0)
            after = subject.places - span if subject.has_room_after else None
            rows.append(Amount("tail", after, tail, _tail_remark(tail)))
            places = subject.places if subject.has_room_after else None
            rows.append(Amount("total", places, subject.total_bytes, "TotalTensorSizeInBytes"))
        return tuple(rows)

    def _span_remark(self) -> str:
        terms = [f"{n - 1}·{abs(s)}" for n, s in zip(self.layout.sizes, self.layout.strides, strict=True) if n > 1]
        return "first element to last: " + " + ".join(["1", *terms])

    def _bytes(self, elements: int) -> int | None:
        return self.data_type.bytes_for(elements) if self.data_type else None


def _tail_remark(tail: int) -> str:
    if tail == 0:
        return "none needed, the span ends on a multiple of 4 bytes"
    return "up to a multiple of 4 bytes" if tail < 4 else "room after the last element"


def times(sizes: Index) -> str:
    """Sizes as people say them: 2×3."""
    return "×".join(map(str, sizes))


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _list(numbers: Index) -> str:
    return ", ".join(map(str, numbers))


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
