"""The reverse of a layout, checked against visiting every index."""

from __future__ import annotations

import pytest
from hypothesis import given

import anydml as dml
from anydml.view import elements
from anydml.view.elements import Elements, Ends, Listed, Nested, elements_of
from tests.view.layouts import readers_of, repeats_of, small_layouts


def assert_right(found: Elements, layout: dml.Layout, numbered: bool = True) -> None:
    readers = readers_of(layout)
    numbers = {offset: number for number, offset in enumerate(readers)}
    for offset in range(layout.first_offset - 2, layout.last_offset + 3):
        element = found.at(offset)
        if offset not in readers:
            assert element is None, f"{layout}: nothing lies at {offset}"
            continue
        assert element is not None, f"{layout}: an index reaches {offset}"
        assert element.readers == len(readers[offset])
        assert element.collides == (len(readers[offset]) > repeats_of(layout))
        if numbered:
            assert element.number == numbers[offset]
            assert element.index == readers[offset][0]
    if numbered:
        assert found.count == len(readers)


@given(small_layouts())
def test_elements__are_those_the_indices_reach(layout: dml.Layout) -> None:
    assert_right(elements_of(layout), layout)


@given(small_layouts())
def test_listed__is_right_for_every_layout(layout: dml.Layout) -> None:
    assert_right(Listed(layout), layout)


@given(small_layouts())
def test_ends__are_right_as_far_as_they_reach(layout: dml.Layout) -> None:
    if layout.span <= 2 * elements.ENDS:
        assert_right(Ends(layout), layout, numbered=False)


def test_elements__choose_the_cheapest_exact_way() -> None:
    assert isinstance(elements_of(dml.Layout((65535, 65535), (65536, 1))), Nested)
    assert isinstance(elements_of(dml.Layout((4, 3), (1, 1))), Listed)
    assert isinstance(elements_of(dml.Layout((65535, 65535), (1, 1))), Ends)


def test_ends__know_both_ends_of_a_large_overlap() -> None:
    layout = dml.Layout((2000, 2000), (1, 1))
    found = Ends(layout)
    assert [element.readers for element in map(found.at, range(4)) if element] == [1, 2, 3, 4]
    assert [element.readers for element in map(found.at, range(3998, 3994, -1)) if element] == [1, 2, 3, 4]


def test_listed__survives_offsets_at_the_end_of_64_bits() -> None:
    layout = dml.Layout((4, 3), (1, 1), 2**63 - 1)
    assert_right(Listed(layout), layout)


def test_assert_right__fails_on_a_wrong_layout() -> None:
    with pytest.raises(AssertionError):
        assert_right(elements_of(dml.Layout((2, 3))), dml.Layout((2, 3), (5, 1)))
    with pytest.raises(AssertionError):
        assert_right(elements_of(dml.Layout((2, 3), (0, 1))), dml.Layout((3,)))
