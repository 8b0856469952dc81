"""What is drawn is what the layout says, cell by cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from anydml.view.elision import Gap
from anydml.view.picture import Kind, Limits, Picture, Reach, make_picture
from anydml.view.subject import Subject, Window
from tests.view.layouts import readers_of, repeats_of, small_layouts, windows
from tests.work import calls_of

MOST_CALLS = 500_000
"""Some dozens for each cell that is drawn, however many elements there are."""


FACTS = json.loads((Path(__file__).parent.parent / "spec" / "strides.json").read_text("utf-8"))
EVERYTHING = Limits(planes=64, rows=64, columns=64, cells=4096, memory=4096)


def picture_of(value: dml.Layout | dml.TensorDesc, limits: Limits | None = None, **rest: Any) -> Picture:
    return make_picture(Subject.of(value, **rest), limits)


@given(small_layouts())
def test_grid__each_cell_points_at_its_offset(layout: dml.Layout) -> None:
    picture = picture_of(layout, EVERYTHING)
    assert set(picture.grid.cells) == set(layout.indices())
    for index, cell in picture.grid.cells.items():
        assert cell.index == index
        assert cell.offset == layout(index)


@given(small_layouts())
def test_memory__each_place_is_of_the_right_kind(layout: dml.Layout) -> None:
    readers, repeats = readers_of(layout), repeats_of(layout)
    cells = picture_of(layout, EVERYTHING).memory_cells
    assert [cell.offset for cell in cells] == list(range(min(0, layout.first_offset), layout.last_offset + 1))
    for cell in cells:
        here = len(readers.get(cell.offset, []))
        expected = Kind.ELEMENT if here == 1 else Kind.OVERLAP if here > repeats else Kind.BROADCAST
        if here == 0:
            expected = Kind.BEFORE if cell.offset < layout.first_offset else Kind.PADDING
        assert cell.kind is expected
        assert cell.readers == here


@given(small_layouts())
def test_labels__agree_between_index_and_memory_and_differ_between_elements(layout: dml.Layout) -> None:
    picture = picture_of(layout, EVERYTHING)
    labels = {cell.offset: cell.label for cell in picture.memory_cells if cell.label}
    assert len(set(labels.values())) == len(labels) == len(readers_of(layout))
    groups = {cell.offset: cell.group for cell in picture.memory_cells}
    for cell in picture.grid.cells.values():
        assert (cell.label, cell.group) == (labels[cell.offset], groups[cell.offset])


@pytest.mark.parametrize("facts", FACTS["layouts"], ids=lambda facts: str(facts["name"]))
def test_labels__are_the_letters_of_the_documented_examples(facts: dict[str, Any]) -> None:
    picture = picture_of(dml.Layout(facts["sizes"], facts["strides"]))
    assert "".join(cell.label for cell in picture.grid.cells.values()) == facts["elements"]
    drawn = "".join(cell.label or "." for cell in picture.memory_cells)
    assert facts["memory"].rstrip(".") == drawn


@given(st.data())
def test_window__takes_what_slice1_takes_in_its_order(data: st.DataObject) -> None:
    layout = data.draw(small_layouts())
    offsets, sizes, strides, outputs = data.draw(windows(layout.sizes))
    window = Window.of(layout.sizes, offsets, sizes, strides, outputs)
    picture = picture_of(layout, EVERYTHING, window=window)
    starts = [o + n - 1 if s < 0 else o for o, n, s in zip(offsets, sizes, strides, strict=True)]
    order = {
        tuple(start + stride * i for start, stride, i in zip(starts, strides, index, strict=True)): step
        for step, index in enumerate(dml.Layout(outputs).indices(), 1)
    }
    for index, cell in picture.grid.cells.items():
        inside = all(o <= i < o + n for i, o, n in zip(index, offsets, sizes, strict=True))
        expected = Reach.TAKEN if index in order else Reach.SKIPPED if inside else Reach.OUTSIDE
        assert (cell.reach, cell.step) == (expected, order.get(index))
    assert picture.result is not None
    assert [cell.index for cell in picture.result.cells.values()] == list(order)
    taken = {layout(index) for index in order}
    for place in picture.memory_cells:
        assert (place.reach is Reach.TAKEN) == (place.offset in taken)
        if place.step:
            assert place.step == min(step for index, step in order.items() if layout(index) == place.offset)


@pytest.mark.parametrize(
    ("kind", "sizes", "total", "tail"),
    [
        ("UINT8", [5], None, 3),
        ("FLOAT16", [3], None, 1),
        ("UINT4", [3], None, 5),
        ("FLOAT32", [2, 3], None, 0),
        ("FLOAT32", [2, 3], 32, 0),
    ],
)
def test_tail__reaches_to_the_total_size(kind: str, sizes: list[int], total: int | None, tail: int) -> None:
    picture = picture_of(dml.TensorDesc(kind, sizes, total_tensor_size_in_bytes=total))
    assert sum(cell.kind is Kind.TAIL for cell in picture.memory_cells) == tail


@pytest.mark.parametrize(
    ("kind", "sizes", "total", "padding"),
    [
        ("FLOAT32", [2, 3], 32, 2),
        ("FLOAT64", [1], 12, 1),  # half an element is left, drawn as one
        ("UINT8", [5], 12, 7),
        ("UINT8", [5], 8, 0),
    ],
)
def test_padding__includes_room_after_the_last_element(kind: str, sizes: list[int], total: int, padding: int) -> None:
    desc = dml.TensorDesc(kind, sizes, total_tensor_size_in_bytes=total)
    assert sum(cell.kind is Kind.PADDING for cell in picture_of(desc).memory_cells) == padding
    assert desc.is_padded == (padding > 0) == (not desc.is_packed)


LARGE = [
    ((4294967295,), None),
    ((65535, 65535), (65536, 1)),
    ((65535, 65535), (1, 65535)),
    ((65535, 65535), (1, 1)),
    ((65535, 65535), (0, 0)),
    ((1, 1625, 1625, 1625), (0, 1, 1, 1)),
    ((15,) * 8, None),
    ((256, 3, 1000, 1000), (3000000, 1, 3000, 3)),
    ((112, 112, 3, 3), (224, 2, 224, 1)),
]


@pytest.mark.parametrize(("sizes", "strides"), LARGE)
def test_large_tensors__are_elided_in_a_moment(sizes: tuple[int, ...], strides: tuple[int, ...] | None) -> None:
    layout = dml.Layout(sizes, strides)
    picture = picture_of(layout)
    assert calls_of(lambda: picture_of(layout)) < MOST_CALLS
    assert picture.is_elided
    assert len(picture.grid.cells) <= Limits().cells
    assert len(picture.memory) <= 2 * Limits().memory
    for index, cell in picture.grid.cells.items():
        assert cell.offset == layout(index)
    hidden = sum(cell.hidden for cell in picture.memory if isinstance(cell, Gap))
    assert hidden + len(picture.memory_cells) == layout.span
    assert {layout.first_offset, layout.last_offset} <= {cell.offset for cell in picture.memory_cells}


def test_large_tensors__show_the_window() -> None:
    window = Window.of((100_000, 100_000), (500, 70_000), (8, 4), (-2, 2))
    picture = picture_of(dml.Layout((40_000, 100_000), (100_000, 1)), window=window)
    taken = {cell.index for cell in picture.grid.cells.values() if cell.reach is Reach.TAKEN}
    assert {(507, 70_000), (501, 70_002)} <= taken
    assert picture.result is not None and picture.result.sizes == (4, 2)
    shown = {cell.offset for cell in picture.memory_cells if cell.reach is Reach.TAKEN}
    assert {cell.offset for cell in picture.result.cells.values()} == shown


def test_padding__is_seen_between_elided_rows() -> None:
    picture = picture_of(dml.Layout((1000, 1000), (1024, 1)))
    assert any(cell.kind is Kind.PADDING for cell in picture.memory_cells)
