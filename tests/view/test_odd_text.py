"""Values of any characters: every picture stays a picture, and its columns stay columns."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import anydml as dml
from anydml.graph.stages import trace
from anydml.view.graph import stages_to_svg
from anydml.view.subject import Subject
from anydml.view.text import Canvas, render
from tests.core.checks import violations_of
from tests.fuzz.names import compare, elements, make_graph, tags, uneven, unprintable

ODD = ["\x1b[31m", "a\nb", "\ud800", "\u202ex", "\ufffe<b>", "張"]
KIND = dml.TensorDesc("FLOAT32", [2, 3])
NAMES = ["a\x1b[2J", "b\n  9. GEMM()", "\ud800", "x\u202e\ufffe", "n\n</title>", "m\u2028\0"]


def test_values__are_escaped_in_text() -> None:
    told = str(dml.explain(KIND, values=np.array(ODD)))
    assert unprintable(told) == "" and uneven(told) == ""
    assert all(shown in told for shown in ("\\x1b[31m", "a\\nb", "\\ud800", "\\u202ex", "\\ufffe<b>", "張"))


@pytest.mark.parametrize(
    "values", [["é", "e\u0301", "張張", "😀", "👩\u200d🚀", "abc"], ["張" * 9] * 6, ["\x1b" * 8] * 6]
)
@pytest.mark.parametrize("width", [40, 80, 132])
def test_columns__hold_for_characters_of_any_width(values: list[str], width: int) -> None:
    explained = dml.explain(KIND, values=np.array(values), window=dml.Window.of((2, 3), (0, 1), (2, 2), (-1, 1)))
    assert uneven(explained.to_text(width)) == ""


def test_padding__shows_values_the_same_way() -> None:
    layout = dml.Layout((2, 2), (3, 1))
    explained = dml.explain(layout, values=np.array(["a", "b", "\x1b", "c", "d"]))
    for text in (str(explained), explained.to_svg(), explained.to_html()):
        assert unprintable(text) == "" and "\\x1b" in text


def test_ascii__is_escaped_before_columns_are_counted() -> None:
    subject = Subject.of(KIND, values=np.array(["é", "張", "😀", "a", "b", "×"]))
    told = render(subject, Canvas(unicode=False))
    assert told.isascii() and "\\xe9" in told and "\\u5f35" in told and "\\U0001f600" in told and "\\xd7" in told
    assert uneven(told.replace("|", "│").replace("+", "┼")) == ""
    latin = render(subject, Canvas(encoding="latin-1"))
    assert "é" in latin and "\\u5f35" in latin


def test_pictures__can_be_read_and_saved(tmp_path: Path) -> None:
    explained, plain = (dml.explain(KIND, values=np.array(values)) for values in (ODD, list("pqrstu")))
    ElementTree.fromstring(explained.to_svg())
    assert unprintable(explained.to_svg()) == "" and "&lt;b&gt;" in explained.to_svg()
    assert compare(explained.to_html(), plain.to_html(), tags) == ""
    for ending in ("svg", "html", "json", "txt"):
        assert explained.save(tmp_path / f"odd.{ending}").read_text("utf-8")
    assert explained._repr_html_().encode()


def test_json__has_the_values_themselves() -> None:
    told = json.loads(json.dumps(dml.explain(KIND, values=np.array(ODD)).to_dict()))
    assert [cell["label"] for cell in told["logical"]] == ODD


@pytest.mark.parametrize("order", ["\x1bA", "a\n", 5, "HWW", "H"])
def test_order__is_checked(order: object) -> None:
    assert violations_of(lambda: dml.explain(KIND, order=order))[0][1] == "order"  # type: ignore[arg-type]


def test_graphs__are_drawn_with_any_names() -> None:
    graph, plain = make_graph(NAMES), make_graph(list("pqrstu"))
    assert compare(graph.to_svg(), plain.to_svg(), elements) == ""
    drawn, expected = (stages_to_svg(each, trace(each, dml.Passes())) for each in (graph, plain))
    assert compare(drawn, expected, elements) == ""


def test_wide_names__have_room() -> None:
    """A box is as wide as its text, which takes two columns for each ideograph."""
    widths = [
        float(ElementTree.fromstring(make_graph([*"pqrst", name]).to_svg()).attrib["width"])
        for name in ("x" * 40, "張" * 20)
    ]
    assert widths[0] == widths[1]
