"""The JSON reader: agrees with Python's own, is stricter where it should be, and knows every place."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anydml as dml
from anydml.files import json_reader, json_tree
from anydml.files.json_reader import decode, read_json
from anydml.files.json_tree import Document, Node
from tests.oracle.json_text import REFUSED, read_by_definition, without_comments

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
TREES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def document(text: str) -> Document:
    return read_json(text, "m.json")


@given(TREES, st.sampled_from([None, 0, 3]), st.booleans())
def test_reader__reads_what_python_writes(tree: Any, indent: int | None, ascii_only: bool) -> None:
    try:
        text = json.dumps(tree, indent=indent, ensure_ascii=ascii_only)
        text.encode()
    except UnicodeEncodeError:
        return
    if "\\ud" in text.lower():
        return  # halves of characters, tested below
    read = document(text).root.plain()
    assert read == tree and json.dumps(read) == json.dumps(tree)


@given(TREES)
def test_reader__knows_where_every_value_starts(tree: Any) -> None:
    text = json.dumps(tree, indent=2)
    if "\\ud" in text.lower():
        return
    read = document(text)
    lines = text.split("\n")

    def check(node: Node) -> None:
        line, column = read.place(node.offset)
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        value, _ = json.JSONDecoder().raw_decode(rest)
        assert value == node.plain()
        for _, child in node.items():
            check(child)
        for i, child in enumerate(node.entries()):
            check(child)
            again = node.get(i)
            assert again is not None and (again.offset, again.path) == (child.offset, child.path)

    check(read.root)


# Comments and trailing commas, as DxDispatch takes them

GAPS = st.sampled_from(
    ["", " ", "\n", "\r\n", "\t", "/**/", "/* a */", "// b\n", "//\r", "/* \n */", "/***/", "/* // */", "// /*\n",
     "/*/ */", '/* " */', '// "\n', "/* é\U0001f600 */", "//,]}\n", "/*1,2*/"]
)  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.text() | st.sampled_from(
    ["//", "/*", "*/", "a // b", "/* c */", "\\", '"', "nan", "inf", "-Inf", "http://x"]
)
COMMENTED_TREES = st.recursive(LEAVES | WORDS, lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner))


def tokens(tree: Any, trailing: Iterator[bool]) -> Iterator[str]:
    """The tokens of a tree, with a comma after the last entry where `trailing` says so."""
    if not isinstance(tree, (list, dict)):
        yield json.dumps(tree)
        return
    opening, closing = "[]" if isinstance(tree, list) else "{}"
    yield opening
    for i, entry in enumerate(tree):
        if i:
            yield ","
        if isinstance(tree, dict):
            yield json.dumps(entry)
            yield ":"
        yield from tokens(tree[entry] if isinstance(tree, dict) else entry, trailing)
    if tree and next(trailing):
        yield ","
    yield closing


@contextmanager
def short_runs(is_short: bool) -> Iterator[None]:
    """Numbers are read in pieces; with short ones every way to cut a list is met."""
    if not is_short:
        yield
        return
    with patch.multiple(json_reader, _SHORTEST_RUN=4, _LONGEST_RUN=16), patch.object(json_tree, "_FLUSHED", 3):
        yield


@given(COMMENTED_TREES, st.lists(GAPS, min_size=1, max_size=30), st.lists(st.booleans(), min_size=1), st.booleans())
def test_comments_and_commas__change_neither_values_nor_places(
    tree: Any, gaps: list[str], trailing: list[bool], is_short: bool
) -> None:
    if "\\ud" in json.dumps(tree).lower():
        return  # halves of characters
    between, text = cycle(gaps), next(iter(gaps))
    starts = []
    for token in tokens(tree, cycle(trailing)):
        starts.append((len(text), token))
        text += token + next(between)
    with short_runs(is_short):
        read = document(text)
        assert json.dumps(read.root.plain()) == json.dumps(tree)
        assert_places(read, text, dict(starts))


def assert_places(read: Document, text: str, starts: dict[int, str]) -> None:
    """Every node stands where a token was written, and its line and column lead there."""
    lines = re.split("\r\n|\r|\n", text)
    waiting = [read.root]
    while waiting:
        node = waiting.pop()
        waiting += [child for _, child in node.items()]
        for i, child in enumerate(node.entries()):
            same = node.get(i)
            assert same is not None and (same.offset, same.value) == (child.offset, child.value)
            waiting.append(child)
        token = starts[node.offset]
        assert token in "[{" or json.dumps(node.value) == token
        line, column = read.place(node.offset)
        assert lines[line - 1][column - 1 :].startswith(token[:1])


PIECES = st.sampled_from(
    ["[", "]", "{", "}", ",", ":", "1", "-2.5", "0", "01", "1e5", "1e999", '"a"', '"nan"', '"', "//", "/*", "*/", "/",
     "\n", " ", "\r", "true", "null", "NaN", "#", "\\", '"//"', '"/*"', "[1,2", ",3]", '{"a":', "}", "[1,", "1,"]
)  # fmt: skip


@settings(max_examples=500)
@given(st.lists(PIECES, max_size=14), st.booleans())
def test_any_text__is_read_as_its_definition_says_or_refused(pieces: list[str], is_short: bool) -> None:
    text = "".join(pieces)
    expected = read_by_definition(text)
    with short_runs(is_short):
        try:
            found: Any = document(text).root.plain()
        except dml.ModelError as error:
            (violation,) = error.violations
            assert violation.line >= 1 and violation.column >= 1  # type: ignore[attr-defined]
            found = REFUSED
    assert json.dumps(found, default=str) == json.dumps(expected, default=str)


def test_definition__can_tell_texts_apart() -> None:
    assert without_comments('["//", 1, // x\n 2,]').replace(" ", "") == '["//",1,\n2]'
    assert without_comments("[,]") == "[,]" and without_comments("[1,,]") == "[1,,]"
    with pytest.raises(ValueError, match="does not end"):
        without_comments("[/*]")


BAD = {
    "": ("json.syntax", 1, 1),
    "   ": ("json.syntax", 1, 4),
    "{} x": ("json.syntax", 1, 4),
    '{"a" 1}': ("json.syntax", 1, 6),
    "{'a': 1}": ("json.syntax", 1, 2),
    "[1 2]": ("json.syntax", 1, 4),
    '["a': ("json.syntax", 1, 2),
    '["a\nb"]': ("json.syntax", 1, 2),
    '["\\x"]': ("json.syntax", 1, 3),
    '["\\u12"]': ("json.syntax", 1, 3),
    '["\\ud800"]': ("json.syntax", 1, 2),
    "[True]": ("json.syntax", 1, 2),
    "[undefined]": ("json.syntax", 1, 2),
    "[1, # no\n2]": ("json.comment", 1, 5),
    "{} /* never": ("json.comment", 1, 4),
    "[1, /* a\n2 * /]": ("json.comment", 1, 5),
    "[1, /*/ 2]": ("json.comment", 1, 5),
    "// a\n\n[1, /**/ 2,\n /* b": ("json.comment", 4, 2),
    "// only this": ("json.syntax", 1, 13),
    "/* a */": ("json.syntax", 1, 8),
    "[1 /* a */ 2]": ("json.syntax", 1, 12),
    "/* a\nb */ [x]": ("json.syntax", 2, 7),
    "[1, / 2]": ("json.syntax", 1, 5),
    "[tr/**/ue]": ("json.syntax", 1, 2),
    "[1/**/2]": ("json.syntax", 1, 7),
    "[1e/**/5]": ("json.number", 1, 2),
    "[,]": ("json.syntax", 1, 2),
    "[1,,]": ("json.syntax", 1, 4),
    "[1, 2, /**/, 3]": ("json.syntax", 1, 12),
    "{,}": ("json.syntax", 1, 2),
    '{"a": 1,,}': ("json.syntax", 1, 9),
    '{"a": 1, // b\n "c"}': ("json.syntax", 2, 5),
    '["a // b\n"]': ("json.syntax", 1, 2),
    "[1, 2] // a\n]": ("json.syntax", 2, 1),
    "[NaN]": ("json.number", 1, 2),
    "[-Infinity]": ("json.number", 1, 2),
    "[01]": ("json.number", 1, 2),
    "[+1]": ("json.number", 1, 2),
    "[.5]": ("json.number", 1, 2),
    "[1.]": ("json.number", 1, 2),
    "[1e400]": ("json.number", 1, 2),
    "[" + "1" * 500 + "]": ("json.number", 1, 2),
    "[1, 2, 1e400, 4]": ("json.number", 1, 8),
    "[1, 2, -, 4]": ("json.syntax", 1, 8),
    "[1, 2, 03]": ("json.number", 1, 8),
    "[1, 2 3]": ("json.syntax", 1, 7),
    "[" * 65: ("json.depth", 1, 65),
    '{"a":' * 10_000: ("json.depth", 1, 64 * 5 + 1),
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: repr(text[:20]))
def test_reader__says_what_is_wrong_and_where(text: str) -> None:
    with pytest.raises(dml.ModelError) as caught:
        document(text)
    (violation,) = caught.value.violations
    assert (violation.rule, violation.line, violation.column) == BAD[text]  # type: ignore[attr-defined]
    assert str(caught.value).startswith(f"m.json:{BAD[text][1]}:{BAD[text][2]}: found")


NUMBERS = st.integers() | st.integers(-(2**63), 2**64) | st.floats(allow_nan=False, allow_infinity=False)
SPECIAL = st.sampled_from(["nan", "inf", "-inf", "NaN", "INF"])


@given(st.lists(NUMBERS | SPECIAL | st.just("other") | st.none(), max_size=60), st.booleans(), GAPS)
def test_numbers__are_kept_as_they_are_written(values: list[Any], is_short: bool, gap: str) -> None:
    """However numbers are held, each comes back with its own type, and integers with every digit."""
    text = f"[{gap}{f',{gap}'.join(json.dumps(value) for value in values)}]"
    with short_runs(is_short):
        root = document(text).root
        assert len(root) == len(values)
        assert json.dumps(root.plain()) == json.dumps(values)
        assert json.dumps([node.value for node in root.entries()]) == json.dumps(values)


def test_numbers__of_every_width_go_together() -> None:
    for values in ([0, 2**64 - 1], [-1, 2**63 - 1], [-1, 2**64 - 1], [2**64], [10**399, 1], [-(10**399), 0.5], [-0.0]):
        read = document(json.dumps(values * 40_000)).root
        assert read.plain() == values * 40_000
        assert {type(value) for value in read.plain()} == {type(value) for value in values}


def test_numbers__take_little_memory() -> None:
    """A list of millions of numbers is an array, not millions of objects."""
    for unit, most in (("1,", 3), ("-100,", 3), ("0.5,", 6), ('1,"nan",', 6), ("1,/**/", 3)):
        text = "[" + unit * (1_000_000 // len(unit)) + "1]"
        tracemalloc.start()
        try:
            read = document(text)
            assert tracemalloc.get_traced_memory()[1] < most * len(text) + (4 << 20), unit
        finally:
            tracemalloc.stop()
        assert len(read.root) > 100_000


def test_reader__counts_lines_of_every_system() -> None:
    for end in ("\n", "\r\n", "\r"):
        read = document(f"[{end}1,{end}  2{end}]")
        assert [read.place(node.offset) for node in read.root.entries()] == [(2, 1), (3, 3)]


def test_reader__notes_keys_given_twice_and_keeps_the_first() -> None:
    read = document('{"a": {"b": 1,\n "b": 2}}')
    (violation,) = read.violations
    assert (violation.rule, violation.path, violation.line) == ("json.key-twice", "a.b", 2)
    assert read.root.plain() == {"a": {"b": 1}}


def test_reader__joins_halves_of_characters() -> None:
    assert document('"\\ud83d\\ude00"').root.value == "\U0001f600"


def test_reader__takes_a_byte_order_mark_and_refuses_other_encodings() -> None:
    assert decode(b"\xef\xbb\xbf{}", "m.json") == "{}"
    for data in ("{}".encode("utf-16"), b'{"\xff": 1}'):
        with pytest.raises(dml.ModelError, match="UTF-8"):
            decode(data, "m.json")


def test_node__spells_its_path() -> None:
    node = document('{"a b": [{"c": 1}]}').root
    inner = node.get("a b")
    assert inner is not None
    first = inner.get(0)
    assert first is not None and first.value["c"].path == '["a b"][0].c'
