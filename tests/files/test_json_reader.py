"""The JSON reader: agrees with Python's own, is stricter where it should be, and knows every place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from anydml.files.json_reader import decode, read_json
from anydml.files.json_tree import Document, Node

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
