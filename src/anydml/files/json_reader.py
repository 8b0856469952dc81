"""JSON from outside: comments and trailing commas are taken, everything else is strict and bounded.

The reader keeps its own stack and looks at each character a fixed number of times, whatever it reads.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from anydml.core.errors import ModelError, shortened, shown
from anydml.core.rules import Rule, rule
from anydml.files.access import ARGUMENT
from anydml.files.json_tree import SPECIAL, Document, Entries, Node
from anydml.files.places import join_path

ENCODING = rule("json.encoding", "A model is UTF-8 text.")
SIZE = rule("json.size", "A model file has at most 64 MiB; large data goes into files of its own.")
COUNT = rule("json.count", "A model has at most a million values, not counting those in lists of numbers.")
SYNTAX = rule("json.syntax", "A model is JSON.")
COMMENT = rule("json.comment", "A comment starts with // or stands between /* and */.")
NUMBER = rule("json.number", "A number is written as JSON has it and fits 64 bits.")
DEPTH = rule("json.depth", "Lists and objects are nested at most 64 deep.")
TWICE = rule("json.key-twice", "A key is given once.")

MAXIMUM_DEPTH = 64
MAXIMUM_BYTES = 64 << 20
MAXIMUM_VALUES = 1_000_000
_MAXIMUM_DIGITS = 400
_FAR = 10**_MAXIMUM_DIGITS
_SHORTEST_RUN, _LONGEST_RUN = 1 << 6, 1 << 16

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FIRST = re.compile(r'-?[0-9]|"(?:nan|-?inf)"', re.IGNORECASE)
_RUN = re.compile(r'[-+.0-9eE, \t\r\n"nNaAiIfF]*')
_COMMENT = re.compile(r"//[^\r\n]*|/\*[\s\S]*?(?:\*/|\Z)")
_BETWEEN = " \t\r\n,"
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_WORD = re.compile(r"[^\s,:\[\]{}\"/]+")
_LINE_END = re.compile(r"[\r\n]")
_WORDS = {"true": True, "false": False, "null": None}


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not in quotes")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def read_json(source: str | bytes, name: str = "model") -> Document:
    """The document in a text or in the bytes of a file."""
    if not isinstance(source, (str, bytes)):
        raise ModelError(ARGUMENT("source", shown(source), "text or bytes"))
    if not isinstance(name, str):
        raise ModelError(ARGUMENT("name", shown(name), "text"))
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    document = Document(decode(data, name), name)
    document.root = _Reader(document).whole()
    return document


def _numbers(written: str) -> list[int | float] | None:
    """The numbers of a list, texts that stand for numbers included; None if there is anything else in it."""
    try:
        values: list[Any] = _DECODER.decode(f"[{written}]")
        numbers = [value for value in values if type(value) is not str] if '"' in written else values
        if not values or (numbers and not (min(numbers) > -_FAR and max(numbers) < _FAR)):
            return None  # nothing, or something infinite or far too long
        if len(numbers) == len(values):
            return values
        return [SPECIAL[value.lower()] if type(value) is str else value for value in values]
    except (ValueError, KeyError):
        return None


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


class _Reader:
    """Goes through the text once; `open` holds the lists and objects that are not complete yet."""

    def __init__(self, document: Document) -> None:
        self.document, self.text, self.at = document, document.text, 0
        self.open: list[Node] = []
        self.count = 0
        self.irregular_until = 0
        """Up to here numbers are read one by one, because some would not go together."""
        self.run_length = _SHORTEST_RUN
        """How far to look for a run of numbers: further after every one that was longer."""

    def whole(self) -> Node:
        self.skip()
        root = self.value(None, "")
        while self.open:
            node = self.open[-1]
            is_list = isinstance(node.value, Entries)
            if not self.another("]" if is_list else "}", is_first=not len(node)):
                self.open.pop()
            elif is_list:
                self.list_entry(node, node.value)
            else:
                self.object_entry(node, node.value)
        self.skip()
        if self.at < len(self.text):
            self.fail(SYNTAX, self.word(), "the end of the file", "removing what follows the last bracket")
        return root

    def fail(self, broken: Rule, found: str, expected: str, fix: str = "", at: int | None = None) -> Any:
        violation = self.document.locate(broken("", found, expected, fix), self.at if at is None else at)
        raise ModelError(violation)

    def word(self) -> str:
        """What stands here, for a message."""
        if self.at >= len(self.text):
            return "the end of the file"
        match = _WORD.match(self.text, self.at)
        return repr(match[0][:40] if match else self.text[self.at])

    # Between values

    def skip(self) -> None:
        """White space and comments."""
        while True:
            space = _SPACE.match(self.text, self.at)
            self.at = space.end() if space else self.at
            mark = self.text[self.at : self.at + 2]
            if mark == "//":
                end = _LINE_END.search(self.text, self.at)
                self.at = end.start() if end else len(self.text)
            elif mark == "/*":
                closing = self.text.find("*/", self.at + 2)
                if closing < 0:
                    self.fail(COMMENT, "a comment without an end", "*/ after it", "closing it with */")
                self.at = closing + 2
            elif mark[:1] == "#":
                self.fail(COMMENT, "'#'", "JSON, or a comment after //", "// for a comment")
            else:
                return

    def another(self, closing: str, is_first: bool) -> bool:
        """Whether one more entry follows; a comma may stand after the last one, too."""
        self.skip()
        if not is_first and not self.text.startswith(closing, self.at):
            if not self.text.startswith(",", self.at):
                self.fail(SYNTAX, self.word(), f"',' or {closing!r}")
            self.at += 1
            self.skip()
        if not self.text.startswith(closing, self.at):
            return True
        self.at += 1
        return False

    # Values

    def value(self, parent: Node | None, key: str | int) -> Node:
        """A whole plain value; of a list or object only the bracket that opens it."""
        self.count += 1
        if self.count > MAXIMUM_VALUES:
            fix = 'an .npy file and {"sourcePath": ...} for data'
            self.fail(COUNT, f"more than {MAXIMUM_VALUES} values", "fewer, or lists of numbers", fix)
        node = Node(None, self.at, parent, key)
        mark = self.text[self.at : self.at + 1]
        if mark == "{" or mark == "[":
            node.value = {} if mark == "{" else Entries()
            self.open.append(node)
            if len(self.open) > MAXIMUM_DEPTH:
                self.fail(DEPTH, f"{len(self.open)} levels", f"at most {MAXIMUM_DEPTH}", "a flatter model")
            self.at += 1
        elif mark == '"':
            node.value = self.string()
        else:
            node.value = self.number_or_word()
        return node

    def object_entry(self, node: Node, entries: dict[str, Node]) -> None:
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

    def list_entry(self, node: Node, entries: Entries) -> None:
        start = self.at
        run = self.run_of_numbers()
        if run is not None:
            entries.extend(self.text, start, run)
            return
        value = self.value(node, len(entries))
        if isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
            number: int | float | None = value.value
        else:
            number = SPECIAL.get(value.value.lower()) if isinstance(value.value, str) else None
        if number is None:
            entries.append(value)
        else:
            self.count -= 1
            entries.extend(self.text, start, [number])

    def run_of_numbers(self) -> list[int | float] | None:
        """Numbers with nothing but commas, spaces and comments between, many in one go; None where there are none."""
        start = self.at
        if start < self.irregular_until or not _FIRST.match(self.text, start):
            return None
        length = self.run_length
        piece = self.text[start : start + length]
        if "/" in piece:  # a text with a comment in it becomes one that is no number, and is read the other way
            piece = _COMMENT.sub(lambda comment: " " * len(comment[0]), piece)
        match = _RUN.match(piece)
        end = match.end() if match else 0
        # A run that fills its piece may end within a number, a text or a comment.
        cut = piece.rfind(",", 0, end) if end == length else end
        written = piece[: max(cut, 0)].rstrip(_BETWEEN)
        numbers = _numbers(written)
        is_long = numbers is not None and end == length
        self.run_length = min(2 * length, _LONGEST_RUN) if is_long else _SHORTEST_RUN
        if numbers is None:
            self.irregular_until = start + end
        else:
            self.at = start + len(written)
        return numbers

    def string(self) -> str:
        start = self.at
        text: str
        try:
            text, self.at = _DECODER.raw_decode(self.text, start)
        except ValueError:
            return str(self.fail_in_string(start))
        if self.at - start == len(text) + 2:  # nothing was escaped
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail(SYNTAX, "half a surrogate pair", "whole characters", "both \\u halves", start)
        return text

    def fail_in_string(self, start: int) -> Any:
        """Say what is wrong with the text that starts here."""
        self.at = start + 1
        while True:
            plain = _PLAIN.match(self.text, self.at)
            self.at = plain.end() if plain else self.at
            escape = _ESCAPE.match(self.text, self.at)
            if escape is None:
                break
            self.at = escape.end()
        mark = self.text[self.at : self.at + 2]
        if mark.startswith("\\"):
            known = 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'
            return self.fail(SYNTAX, f"the escape {mark!r}", known, "\\\\ for a backslash")
        found = f"the control character {mark[:1]!r}" if mark else "the end of the file"
        return self.fail(SYNTAX, found, "'\"' at the end of the text", "closing the text on its line", start)

    def number_or_word(self) -> Any:
        match = _NUMBER.match(self.text, self.at)
        whole = _WORD.match(self.text, self.at)
        if match is None or whole is None or match.end() != whole.end():
            return self.literal(whole[0] if whole else "")
        is_integer = match[1] is None and match[2] is None
        digits = len(match[0].lstrip("-"))
        if is_integer and digits > _MAXIMUM_DIGITS:
            self.fail(NUMBER, f"a number of {digits} digits", f"at most {_MAXIMUM_DIGITS}")
        number = int(match[0]) if is_integer else float(match[0])
        if not is_integer and math.isinf(number):
            self.fail(NUMBER, shortened(match[0]), "a number that fits 64 bits", '"inf" in quotes for infinity')
        self.at = match.end()
        return number

    def literal(self, word: str) -> Any:
        if word in _WORDS:
            self.at += len(word)
            return _WORDS[word]
        folded = word[:40].lower().lstrip("+-")
        if folded in ("nan", "inf", "infinity"):
            self.fail(NUMBER, repr(word[:40]), "a JSON number", '"nan", "inf" or "-inf" in quotes')
        if folded in _WORDS:
            self.fail(SYNTAX, repr(word[:40]), "a JSON value", f"{folded} in small letters")
        if word[:1] in ("'", "`"):
            self.fail(SYNTAX, self.word(), "a JSON value", "double quotes")
        if re.match(r"[+.\-]?[0-9]", word):
            self.fail(NUMBER, repr(word[:40]), "a JSON number", "digits as in -0.5 or 1e3: no +, no leading 0")
        return self.fail(SYNTAX, self.word(), "a JSON value")
