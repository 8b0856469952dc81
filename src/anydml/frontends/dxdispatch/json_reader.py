"""JSON with places: a strict, depth-limited reader that knows the line and column of every key and value."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from anydml.core.errors import ModelError, Violation, shortened
from anydml.core.rules import Rule, rule
from anydml.frontends.dxdispatch.places import LocatedViolation, join_path

_PARSE = "dml.frontends.dxdispatch.parse_model({!r})"
_LARGE = "dml.frontends.dxdispatch.parse_model(b' ' * (65 << 20))"
ENCODING = rule("json.encoding", "A model is UTF-8 text.", "dml.frontends.dxdispatch.parse_model(b'\\xff\\xfe{')")
SIZE = rule("json.size", "A model file has at most 64 MiB; large data goes into files of its own.", _LARGE)
SYNTAX = rule("json.syntax", "A model is JSON.", _PARSE.format("{'resources': {}}"))
COMMENT = rule("json.comment", "JSON has no comments.", _PARSE.format("{} // nothing"))
COMMA = rule("json.trailing-comma", "JSON has no comma after the last entry.", _PARSE.format('{"resources": {},}'))
NUMBER = rule("json.number", "A number is written as JSON has it and fits 64 bits.", _PARSE.format("[1e999]"))
DEPTH = rule("json.depth", "Lists and objects are nested at most 64 deep.", _PARSE.format("[" * 70))
TWICE = rule("json.key-twice", "A key is given once.", _PARSE.format('{"resources": {}, "resources": {}}'))

_BAD_VALUES = '{"resources": {"a": {"initialValuesDataType": "FLOAT32", "initialValues": [' + '"", ' * 5 + "0]}}}"
MANY = rule(
    "model.many",
    "Only the first 1000 problems of a model are listed.",
    f"dml.frontends.dxdispatch.parse_model({_BAD_VALUES!r}.replace('\"\", ', '\"\", ' * 300))",
)

MAXIMUM_DEPTH = 64
MAXIMUM_VIOLATIONS = 1000
MAXIMUM_BYTES = 64 << 20
_MAXIMUM_DIGITS = 400

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NUMBER_AND_NEXT = re.compile(_NUMBER.pattern + r"[ \t\r\n]*,[ \t\r\n]*(?=[-0-9])")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_WORD = re.compile(r"[^\s,:\[\]{}\"]+")
_LINE_END = re.compile(r"\r\n|\n|\r")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_INFINITE = (math.inf, -math.inf)
_WORDS = {"true": True, "false": False, "null": None}


class Node:
    """A value and where it is. `value` is a plain one, a list of nodes or a dict of nodes."""

    __slots__ = ("key", "offset", "parent", "value")

    def __init__(self, value: Any, offset: int, parent: Node | None, key: str | int) -> None:
        self.value, self.offset, self.parent, self.key = value, offset, parent, key

    @property
    def path(self) -> str:
        """`resources.input.initialValues[3]`; the root has an empty path."""
        keys: list[str | int] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            keys.append(node.key)
            node = node.parent
        return join_path(reversed(keys))

    def get(self, key: str | int) -> Node | None:
        """The entry of an object or list, if this is one and has it."""
        if isinstance(self.value, dict) and isinstance(key, str):
            return self.value.get(key)
        if isinstance(self.value, list) and isinstance(key, int) and 0 <= key < len(self.value):
            return self.value[key]  # type: ignore[no-any-return]
        return None

    def items(self) -> Iterator[tuple[str, Node]]:
        """The entries of an object; nothing for any other value."""
        return iter(self.value.items() if isinstance(self.value, dict) else ())

    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        return self.value

    @property
    def kind(self) -> str:
        """What this is, for a message."""
        if isinstance(self.value, dict):
            return "an object"
        if isinstance(self.value, list):
            return "a list"
        names = {None: "null", True: "true", False: "false"}
        if self.value is None or isinstance(self.value, bool):
            return names[self.value]
        return shortened(repr(self.value))


class Document:
    """A text, its tree, and what is wrong with it."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.violations: list[LocatedViolation] = []
        self._line_starts: list[int] | None = None
        self.root = _Parser(self).whole()

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        if self._line_starts is None:
            self._line_starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def locate(self, violation: Violation, offset: int) -> LocatedViolation:
        return LocatedViolation.at(violation, self.name, *self.place(offset))

    @property
    def is_full(self) -> bool:
        """Whether so much is wrong that nobody would read more of it."""
        return len(self.violations) > MAXIMUM_VIOLATIONS

    def note(self, violation: Violation, offset: int) -> None:
        """Remember something that is wrong, unless there is far too much of it."""
        if len(self.violations) == MAXIMUM_VIOLATIONS:
            found = f"more than {MAXIMUM_VIOLATIONS} problems"
            violation = MANY(violation.path, found, "fewer", "mending those above first")
        if not self.is_full:
            self.violations.append(self.locate(violation, offset))


def decode(data: bytes, name: str) -> str:
    """The text of a file, or an error that says how to save it."""
    if len(data) > MAXIMUM_BYTES:
        fix = 'an .npy file and {"sourcePath": ...}'
        raise ModelError(SIZE("", f"{len(data)} bytes", f"at most {MAXIMUM_BYTES}", fix), name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte {data[error.start]:#04x} at {error.start}"
        raise ModelError(ENCODING("", found, "UTF-8 text", "saving the file as UTF-8"), name) from None


class _Parser:
    """Recursive descent, one method a kind of value."""

    def __init__(self, document: Document) -> None:
        self.document, self.text, self.at, self.depth = document, document.text, 0, 0

    def whole(self) -> Node:
        self.skip()
        root = self.value(None, "")
        self.skip()
        if self.at < len(self.text):
            self.fail(SYNTAX, self.word(), "the end of the file", "removing what follows the last brace")
        return root

    def fail(self, broken: Rule, found: str, expected: str, fix: str = "", at: int | None = None) -> Any:
        violation = self.document.locate(broken("", found, expected, fix), self.at if at is None else at)
        raise ModelError(violation)

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        if self.text.startswith(("//", "/*", "#"), self.at):
            self.fail(COMMENT, "a comment", "JSON, which has none", "removing it")

    def word(self) -> str:
        """What stands here, for a message."""
        if self.at >= len(self.text):
            return "the end of the file"
        match = _WORD.match(self.text, self.at)
        return repr(match[0][:40] if match else self.text[self.at])

    def value(self, parent: Node | None, key: str | int) -> Node:
        node = Node(None, self.at, parent, key)
        mark = self.text[self.at : self.at + 1]
        if mark == "{":
            self.read_object(node)
        elif mark == "[":
            self.read_list(node)
        elif mark == '"':
            node.value = self.string()
        else:
            node.value = self.number_or_word()
        return node

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAXIMUM_DEPTH:
            self.fail(DEPTH, f"{self.depth} levels", f"at most {MAXIMUM_DEPTH}", "a flatter model")
        self.at += 1
        self.skip()

    def another(self, closing: str) -> bool:
        """Whether a comma leads to one more entry; the closing mark ends the list or object."""
        self.skip()
        if self.text.startswith(closing, self.at):
            self.at, self.depth = self.at + 1, self.depth - 1
            return False
        if not self.text.startswith(",", self.at):
            self.fail(SYNTAX, self.word(), f"',' or {closing!r}")
        comma = self.at
        self.at += 1
        self.skip()
        if self.text.startswith(closing, self.at):
            self.fail(COMMA, f"',' before {closing!r}", "no comma there", "removing it", comma)
        return True

    def empty(self, closing: str) -> bool:
        if self.text.startswith(closing, self.at):
            self.at, self.depth = self.at + 1, self.depth - 1
            return True
        return False

    def read_list(self, node: Node) -> None:
        entries: list[Node] = []
        node.value = entries
        self.enter()
        if self.empty("]"):
            return
        self.numbers(node, entries)
        entries.append(self.value(node, len(entries)))
        while self.another("]"):
            entries.append(self.value(node, len(entries)))

    def numbers(self, node: Node, entries: list[Node]) -> None:
        """Numbers that are followed by numbers, in one quick go: a list may have millions of them."""
        text, at = self.text, self.at
        while (match := _NUMBER_AND_NEXT.match(text, at)) is not None and match.end() - at < _MAXIMUM_DIGITS:
            fraction, exponent = match[1], match[2]
            digits = match[0].rstrip(" \t\r\n,")
            value = int(digits) if fraction is None and exponent is None else float(digits)
            if value in _INFINITE:
                break
            entries.append(Node(value, at, node, len(entries)))
            at = match.end()
        self.at = at

    def read_object(self, node: Node) -> None:
        entries: dict[str, Node] = {}
        node.value = entries
        self.enter()
        if self.empty("}"):
            return
        self.entry(node, entries)
        while self.another("}"):
            self.entry(node, entries)

    def entry(self, node: Node, entries: dict[str, Node]) -> None:
        start = self.at
        if not self.text.startswith('"', start):
            fix = "double quotes" if self.text.startswith("'", start) else "a key in double quotes"
            self.fail(SYNTAX, self.word(), "a key", fix)
        key = self.string()
        self.skip()
        if not self.text.startswith(":", self.at):
            self.fail(SYNTAX, self.word(), f"':' after the key {shortened(repr(key))}")
        self.at += 1
        self.skip()
        value = self.value(node, key)
        if key in entries and not self.document.is_full:
            path = join_path([key]) if node.parent is None else f"{node.path}.{join_path([key])}"
            violation = TWICE(path, "the key a second time", "each key once", "removing one of them")
            self.document.note(violation, start)
        entries.setdefault(key, value)

    def string(self) -> str:
        start = self.at
        self.at += 1
        parts = []
        while True:
            plain = _PLAIN.match(self.text, self.at)
            assert plain is not None  # it can match nothing
            parts.append(plain[0])
            self.at = plain.end()
            mark = self.text[self.at : self.at + 1]
            if mark == '"':
                self.at += 1
                return self.joined(parts, start)
            if mark != "\\":
                found = "the end of the file" if not mark else f"the control character {mark!r}"
                self.fail(SYNTAX, found, "'\"' at the end of the text", "closing the text on its line", start)
            parts.append(self.escape())

    def joined(self, parts: list[str], start: int) -> str:
        """The text, where escaped surrogate pairs have become one character; half a pair is no text."""
        text = "".join(parts)
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16") if len(parts) > 1 else text
        except UnicodeDecodeError:
            return str(self.fail(SYNTAX, "half a surrogate pair", "whole characters", "both \\u halves", start))

    def escape(self) -> str:
        letter = self.text[self.at + 1 : self.at + 2]
        if letter in _ESCAPES:
            self.at += 2
            return _ESCAPES[letter]
        code = _HEX.match(self.text, self.at + 2) if letter == "u" else None
        if code is None:
            found = f"the escape '\\{letter}'"
            return str(
                self.fail(SYNTAX, found, 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX', "\\\\ for a backslash")
            )
        self.at += 6
        return chr(int(code[0], 16))

    def number_or_word(self) -> Any:
        match = _NUMBER.match(self.text, self.at)
        whole = _WORD.match(self.text, self.at)
        if match is None or whole is None or match[0] != whole[0]:
            return self.literal(whole[0] if whole else "")
        if len(match[0]) > _MAXIMUM_DIGITS:
            self.fail(NUMBER, f"a number of {len(match[0])} characters", f"at most {_MAXIMUM_DIGITS}")
        is_integer = match[1] is None and match[2] is None
        number = int(match[0]) if is_integer else float(match[0])
        if number in _INFINITE:
            self.fail(NUMBER, match[0], "a number that fits 64 bits", '"inf" in quotes for infinity')
        self.at = match.end()
        return number

    def literal(self, word: str) -> Any:
        if word in _WORDS:
            self.at += len(word)
            return _WORDS[word]
        folded = word.lower().lstrip("+-")
        if folded in ("nan", "inf", "infinity"):
            self.fail(NUMBER, repr(word[:40]), "a JSON number", '"nan", "inf" or "-inf" in quotes')
        if folded in _WORDS:
            self.fail(SYNTAX, repr(word[:40]), "a JSON value", f"{folded} in small letters")
        if word[:1] in ("'", "`"):
            self.fail(SYNTAX, self.word(), "a JSON value", "double quotes")
        if re.match(r"[+.\-]?[0-9]", word):
            self.fail(NUMBER, repr(word[:40]), "a JSON number", "digits as in -0.5 or 1e3: no +, no leading 0")
        return self.fail(SYNTAX, self.word(), "a JSON value")
