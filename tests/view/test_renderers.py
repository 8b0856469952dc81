"""Text, SVG and HTML: well formed, complete, and the same picture."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings

import anydml as dml
from anydml.view import html, notebook, svg
from anydml.view.explanation import LEAST_WIDTH, Explanation
from anydml.view.picture import make_picture
from anydml.view.subject import Subject, Window
from anydml.view.text import Canvas, render
from tests.core.checks import error_of, violations_of
from tests.view.layouts import small_layouts

SVG = "{http://www.w3.org/2000/svg}"
WINDOW = Window.of((1, 1, 4, 4), (0, 0, 0, 1), (1, 1, 4, 3), (1, 1, -2, 2))
SUBJECTS = {
    "padded": Subject.of(dml.TensorDesc("FLOAT32", [2, 3], [5, 1])),
    "broadcast": Subject.of(dml.TensorDesc("FLOAT32", [2, 3], [0, 1])),
    "overlap": Subject.of(dml.TensorDesc("UINT8", [4, 3], [1, 1]), offset=2),
    "nhwc": Subject.of(dml.TensorDesc("FLOAT32", [1, 3, 4, 4], order="NHWC"), order="NHWC"),
    "eight axes": Subject.of(dml.TensorDesc("INT4", [2] * 8)),
    "one axis": Subject.of(dml.TensorDesc("UINT8", [5])),
    "large": Subject.of(dml.TensorDesc("UINT8", [65535, 65535], [65536, 1], total_tensor_size_in_bytes=2**33)),
    "window": Subject.of(dml.TensorDesc("FLOAT32", [1, 1, 4, 4]), window=WINDOW),
    "large window": Subject.of(
        dml.TensorDesc("FLOAT16", [40000, 1000]), window=Window.of((40000, 1000), (500, 70), (8, 900), (-2, 300))
    ),
    "reversed": Subject.of(dml.Layout((2, 3), (-3, 1))),
}
subjects = pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)


class Page(HTMLParser):
    """Collects what a page holds and checks that its tags close in order."""

    VOID = {"meta", "br"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@subjects
def test_svg__is_xml_with_a_title_and_a_description(subject: Subject) -> None:
    root = ElementTree.fromstring(svg.render(subject))
    assert root.tag == f"{SVG}svg"
    texts = {child.tag: "".join(child.itertext()) for child in root}
    assert "×".join(map(str, subject.layout.sizes)) in texts[f"{SVG}title"]
    assert "offset = " in texts[f"{SVG}desc"]
    labelled = root.attrib["aria-labelledby"].split()
    assert {child.attrib.get("id") for child in root} >= set(labelled)


@subjects
def test_svg__draws_every_cell_once(subject: Subject) -> None:
    picture = make_picture(subject)
    root = ElementTree.fromstring(svg.render(subject))
    drawn = Counter(text.text or "" for text in root.iter(f"{SVG}text") if text.attrib.get("class") == "label")
    grids = [picture.grid, *([picture.result] if picture.result else [])]
    labels = [cell.label for grid in grids for cell in grid.cells.values()]
    expected = Counter(labels + [cell.label for cell in picture.memory_cells if cell.label])
    assert not expected - drawn
    samples = drawn - expected  # of the legend
    first = picture.grid.cells[min(picture.grid.cells)].label  # shows what numbers in cells are
    assert set(samples) <= {"A", first} and samples["A"] <= 5 and samples.total() <= 6


@subjects
def test_pictures__ask_nothing_of_a_network(subject: Subject) -> None:
    for text in (svg.render(subject), html.render(subject), notebook.draw(dml.Layout(subject.layout.sizes))):
        outside = re.findall(r"(?:https?:)?//[\w.-]+", re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
        assert set(outside) <= {"http://www.w3.org"}
        assert not re.search(r"\b(src|href)=|@import|url\((?!#)", text)


@subjects
def test_html__closes_its_tags_and_names_every_cell(subject: Subject) -> None:
    page = Page(html.render(subject))
    assert page.open == []
    buttons = [attributes for tag, attributes in page.tags if tag == "button"]
    picture = make_picture(subject)
    results = len(picture.result.cells) if picture.result else 0
    assert len(buttons) == len(picture.grid.cells) + len(picture.memory_cells) + results
    assert all(button["aria-label"] and button["data-offset"] for button in buttons)


@subjects
def test_html__links_every_shown_index_to_its_place(subject: Subject) -> None:
    page = Page(html.render(subject))
    offsets = Counter(attributes["data-offset"] for tag, attributes in page.tags if tag == "button")
    picture = make_picture(subject)
    memory = {cell.offset for cell in picture.memory_cells}
    for cell in picture.grid.cells.values():
        assert cell.offset in memory
        assert offsets[str(cell.offset)] >= 2


@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_text__keeps_to_the_width(name: str, width: int) -> None:
    drawn = [line for line in render(SUBJECTS[name], Canvas(width)).splitlines() if line.lstrip()[:1] in set("┌│├└")]
    # Ten-digit labels need more room than 40 columns have; everything else fits.
    assert max(map(len, drawn)) <= max(width, 50 if "large" in name else 0)


@subjects
def test_text__is_plain_ascii_when_asked(subject: Subject) -> None:
    text = render(subject, Canvas(80, unicode=False))
    assert text.isascii()
    assert "\033" not in text


@subjects
def test_text__says_the_same_with_and_without_color(subject: Subject) -> None:
    plain, colored = (render(subject, Canvas(80, color)) for color in (False, True))
    assert "\033[" in colored and "\033" not in plain
    stripped = re.sub(r"\033\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


def test_text__of_padded_rows_in_full() -> None:
    assert render(SUBJECTS["padded"], Canvas(80)).splitlines()[12:19] == [
        "",
        "  logical  2×3                memory  offset above, element below",
        "  h   0   1   2   w           ┌───┬───┬───┬───┬───┬───┬───┬───┐",
        "    ┌───┬───┬───┐             │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │ 7 │",
        "  0 │ A │ B │ C │             │ A │ B │ C │░░░│░░░│ D │ E │ F │",
        "  1 │ D │ E │ F │             └───┴───┴───┴───┴───┴───┴───┴───┘",
        "    └───┴───┴───┘               └───→ W-stride 1: A to B",
    ]


@settings(max_examples=35)
@given(small_layouts())
def test_renderers__draw_any_layout(layout: dml.Layout) -> None:
    subject = Subject.of(layout)
    ElementTree.fromstring(svg.render(subject))
    assert Page(html.render(subject)).open == []
    assert render(subject, Canvas(80))


def test_notebook__draws_layouts_and_descriptions() -> None:
    for value in (dml.Layout((2, 3), (5, 1)), dml.TensorDesc("FLOAT32", [2, 3], [5, 1])):
        drawn = value._repr_html_()
        assert "<svg" in drawn and Page(drawn).open == []


def test_page__checker_fails_on_crossed_tags() -> None:
    with pytest.raises(AssertionError):
        Page("<b><i></b></i>")


def test_numbers__are_explained_in_every_picture() -> None:
    told = "the number of an element, counted in row-major order"
    for size, is_told in {26: False, 27: True}.items():
        subject = Subject.of(dml.TensorDesc("UINT8", [size]))
        assert [told in svg.render(subject), told in html.render(subject)] == [is_told] * 2
    tangled = Subject.of(dml.Layout((2000, 2000), (3, 2)))
    assert "the number of a place, counted from the first element" in svg.render(tangled)


def test_values__are_explained_by_a_cell() -> None:
    subject = Subject.of(dml.TensorDesc("UINT8", [2]), values=[41, 42])
    pictures = [svg.render(subject), html.render(subject), render(subject, Canvas(80))]
    assert all("the value of an element" in picture and picture.count("41") > 2 for picture in pictures)


def test_width__is_a_number_of_columns() -> None:
    """Once, one that was no number was counted down from without end."""
    explanation = dml.explain(dml.Layout((2, 3, 4), (16, 5, 1)))
    for wrong in (float("nan"), float("inf"), 79.5, "80", None, [80], np.array([80, 80]), 10**400):
        assert violations_of(lambda wrong=wrong: explanation.to_text(wrong))[0][1] == "width"
    for narrow in (19, 0, -1, -(2**62)):
        assert violations_of(lambda narrow=narrow: explanation.to_text(narrow)) == [("explain.width", "width")]
    assert explanation.to_text(np.int64(80)) == explanation.to_text() and explanation.to_text(2**62)


@subjects
def test_text__of_the_least_width(subject: Subject) -> None:
    assert Explanation(subject).to_text(LEAST_WIDTH)


def test_window__is_one_of_the_layout() -> None:
    tensor = dml.TensorDesc("FLOAT32", [4, 4])
    for wrong in (7, [0, 1], (0, 0), "window", dml.Layout((4, 4))):
        assert violations_of(lambda wrong=wrong: dml.explain(tensor, window=wrong)) == [("explain.window", "window")]
    elsewhere = Window((0, 3), (2, 2), (1, 1), (2, 2))
    assert violations_of(lambda: dml.explain(tensor, window=elsewhere)) == [("window.inside", "window.sizes[1]")]
    assert violations_of(lambda: dml.explain(tensor, window=Window((0,), (1,), (1,), (1,))))[0][0] == "window.count"


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        (("ab", (2, 2), (1, 1), (2, 2)), "offsets"),
        (((0, 1), 7, (1, 1), (2, 2)), "sizes"),
        (((0, 1), (2, 2), (1, 0), (2, 2)), "strides[1]"),
        (((0, 1), (2, 2), (1, 1), (2,)), "output_sizes"),
        (((0, -1), (2, 2), (1, 1), (2, 2)), "offsets[1]"),
        (((0, 1), (2, 0), (1, 1), (2, 2)), "sizes[1]"),
        (((0, 1), (2, 2), (1, 1), (2, 3)), "output_sizes[1]"),
    ],
)
def test_windows__are_checked_when_they_are_made(fields: Any, path: str) -> None:
    assert violations_of(lambda: Window(*fields))[0][1] == path


def test_questions_of_windows__are_answered_by_name() -> None:
    for ask, path in (
        (lambda: WINDOW.contains(4, 0), "axis"),
        (lambda: WINDOW.contains(0, "a"), "position"),  # type: ignore[arg-type]
        (lambda: WINDOW.source((0, 0)), "output_index"),
        (lambda: WINDOW.output(7), "index"),  # type: ignore[arg-type]
        (lambda: WINDOW.result((4, 4)), "layout"),  # type: ignore[arg-type]
        (lambda: WINDOW.inside(None), "layout"),  # type: ignore[arg-type]
        (lambda: Window.of("ab", (0,), (1,), (1,)), "whole"),  # type: ignore[arg-type]
    ):
        assert violations_of(ask)[0][1] == path


def test_save__writes_where_it_can_and_tells_where_not(tmp_path: Path) -> None:
    explanation = dml.explain(dml.Layout((2, 3)))
    assert explanation.save(tmp_path / "a.txt").read_text("utf-8") == explanation.to_text()
    for wrong in (None, 7, b"a.svg", tmp_path / "none" / "a.svg", tmp_path / "a.png", "\0.svg", "x" * 10**6 + ".svg"):
        error_of(lambda wrong=wrong: explanation.save(wrong))
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
