from __future__ import annotations

import pytest
from hypothesis import given

import anydml as dml
from anydml.view.facts import Facts
from anydml.view.picture import make_picture
from anydml.view.subject import Subject
from tests.view.layouts import readers_of, repeats_of, small_layouts


def facts_of(value: dml.Layout | dml.TensorDesc) -> Facts:
    return Facts(make_picture(Subject.of(value)))


@pytest.mark.parametrize(
    ("sizes", "strides", "kinds"),
    [
        ((2, 3), None, ("packed",)),
        ((2, 3), (1, 2), ("packed",)),
        ((2, 3), (5, 1), ("padded",)),
        ((2, 3), (0, 1), ("broadcast",)),
        ((2, 3), (0, 2), ("broadcast", "padded")),
        ((4, 3), (1, 1), ("overlapping",)),
        ((2, 4, 3), (0, 1, 1), ("broadcast", "overlapping")),
        ((2, 3), (-3, 1), ("packed", "reversed")),
        ((1,), None, ("packed",)),
    ],
)
def test_kinds__name_the_layout(
    sizes: tuple[int, ...], strides: tuple[int, ...] | None, kinds: tuple[str, ...]
) -> None:
    assert facts_of(dml.Layout(sizes, strides)).kinds == kinds


@given(small_layouts())
def test_kinds__hold_by_visiting_every_index(layout: dml.Layout) -> None:
    readers = readers_of(layout)
    most = max(len(indices) for indices in readers.values())
    kinds = facts_of(layout).kinds
    assert ("padded" in kinds) == (len(readers) < layout.span)
    assert ("broadcast" in kinds) == (repeats_of(layout) > 1)
    assert ("overlapping" in kinds) == (most > repeats_of(layout))
    assert ("packed" in kinds) == (most == 1 and len(readers) == layout.span)


@given(small_layouts())
def test_example__computes_to_the_offset(layout: dml.Layout) -> None:
    facts = facts_of(layout)
    sum_text, _, result = facts.computed(facts.example_index).partition(" = ")
    assert eval(sum_text.replace("·", "*")) == int(result) == layout(facts.example_index)


def test_sentences__count_padding_and_say_where_broadcasting_is() -> None:
    assert facts_of(dml.Layout((2, 3), (5, 1))).sentences[0].startswith("Padded: 2 of the 8 places")
    assert "along H and W" in facts_of(dml.Layout((1, 8, 28, 28), (8, 1, 0, 0))).sentences[0]
    assert "read by 784 indices" in facts_of(dml.Layout((1, 8, 28, 28), (8, 1, 0, 0))).sentences[0]


def test_sentences__never_guess_an_order() -> None:
    told = " ".join(facts_of(dml.TensorDesc("FLOAT32", [1, 1, 3, 5])).sentences)
    assert "NCHW or NHWC" in told and "ambiguous" in told
    assert "row-major" in " ".join(facts_of(dml.Layout((2, 3))).sentences)
    assert "column-major" in " ".join(facts_of(dml.Layout((2, 3), (1, 2))).sentences)


def test_amounts__are_those_of_the_description() -> None:
    desc = dml.TensorDesc("UINT8", [5])
    amounts = {amount.name: (amount.elements, amount.bytes) for amount in facts_of(desc).amounts}
    assert amounts == {"logical": (5, 5), "span": (5, 5), "tail": (None, 3), "total": (None, 8)}


def test_byte_place__halves_bytes_for_4_bit_types() -> None:
    facts = facts_of(dml.TensorDesc("UINT4", [3]))
    assert [facts.byte_place(i) for i in range(3)] == [
        "low half of byte 0",
        "high half of byte 0",
        "low half of byte 1",
    ]
    assert facts_of(dml.TensorDesc("FLOAT64", [3])).byte_place(2) == "byte 16"
    assert facts_of(dml.Layout((3,))).byte_place(2) == ""
