"""Reading objects key by key, and collecting everything that is wrong on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, takewhile
from typing import TypeVar

from anydml.core.errors import DmlError, Violation
from anydml.core.fixes import Fix, suggest
from anydml.core.naming import snake
from anydml.core.rules import Rule, rule
from anydml.files.json_tree import Document, Node
from anydml.files.places import LocatedViolation, at_key, join_path, split_path

KIND = rule("model.kind", "A value has the kind its key asks for.")
MISSING = rule("model.missing", "Keys that have no default are given.")
UNKNOWN = rule("model.unknown-key", "Keys are those of the format.")
RANGE = rule("model.range", "A count or size is a whole number in its range.")
LONG = rule(
    "model.long-list", "A list of sizes, axes and the like has at most 1000 numbers; tensors have at most 8 dimensions."
)
Result = TypeVar("Result")
MOST_INTEGERS = 1000
UINT32_MAX = (1 << 32) - 1
INT64_MAX = (1 << 63) - 1
_LONGEST_NAME = 64
_MOST_NAMES = 200


class Notes:
    """Everything wrong with one document, each with its place."""

    def __init__(self, document: Document) -> None:
        self.document = document

    @property
    def violations(self) -> list[LocatedViolation]:
        return self.document.violations

    def add(
        self, node: Node, broken: Rule, found: object, expected: object, fix: Fix | str | None = None, key: str = ""
    ) -> None:
        """Note a broken rule at a node, or at a key the node should have."""
        if self.document.is_full:
            return
        path = ".".join(part for part in (node.path, join_path([key]) if key else "") if part)
        place = node.get(key) or node
        self.document.note(broken(path, found, expected, fix), place.offset)

    def adopt(self, node: Node, violations: Iterable[Violation]) -> None:
        """Violations of a value read from this node: each goes to the deepest place its path names."""
        for violation in violations:
            if self.document.is_full:
                return
            place = _deepest(node, split_path(violation.path))
            moved = violation.under(node.path) if node.path else violation
            self.document.note(moved, place.offset)

    def until_full(self, entries: Iterable[Result]) -> Iterator[Result]:
        """The entries, until the document has too many problems to list more."""
        return takewhile(lambda _: not self.document.is_full, entries)

    def attempt(self, node: Node, read: Callable[[], Result], key: str = "") -> Result | None:
        """What `read` returns, or None when it found violations, which are noted at the node or at a key of it."""
        try:
            with at_key(key):
                return read()
        except DmlError as error:
            self.adopt(node, error.violations)
            return None


def _deepest(node: Node, steps: list[str | int]) -> Node:
    """Follow a path as far as the document goes; wrappers and snake_case spellings are looked through."""
    for step in steps:
        found = _entry(node, step)
        if found is None:
            inner = _entry(node, "Desc") or _entry(node, "desc")
            found = _entry(inner, step) if inner is not None else None
        if found is None:
            return node
        node = found
    return node


def _entry(node: Node, step: str | int) -> Node | None:
    found = node.get(step)
    return node.get(snake(step)) if found is None and isinstance(step, str) else found


class Fields:
    """The entries of an object. Each key is asked for once; `finish` notes those nobody asked for."""

    def __init__(self, node: Node, notes: Notes, subject: str) -> None:
        self.node, self.notes, self.subject = node, notes, subject
        self.asked: list[str] = []
        if not node.is_object:
            notes.add(node, KIND, node.kind, f"an object: {subject}")

    def get(self, key: str) -> Node | None:
        """The entry, or None where it is absent or null."""
        self.asked.append(key)
        found = self.node.get(key)
        return None if found is None or found.value is None else found

    def require(self, key: str, what: str) -> Node | None:
        found = self.get(key)
        if found is None and self.node.is_object:
            self.notes.add(self.node, MISSING, "nothing", what, f"adding {key!r} to {self.subject}", key)
        return found

    def text(self, key: str, what: str, required: bool = False) -> str | None:
        node = self.require(key, what) if required else self.get(key)
        if node is None or isinstance(node.value, str):
            return None if node is None else str(node.value)
        self.notes.add(node, KIND, node.kind, f"{what}, in double quotes")
        return None

    def integer(self, key: str, default: int, low: int = 0, high: int = INT64_MAX) -> int:
        node = self.get(key)
        if node is None:
            return default
        number = self.number(node, low, high)
        return default if number is None else number

    def number(self, node: Node, low: int, high: int) -> int | None:
        if isinstance(node.value, int) and not isinstance(node.value, bool) and low <= node.value <= high:
            return node.value
        self.notes.add(node, RANGE, node.kind, f"a whole number from {low} to {high}")
        return None

    def integers(self, key: str, low: int = 0, high: int = UINT32_MAX) -> list[int] | None:
        """A list of whole numbers, or None where the key is absent or any is wrong."""
        node = self.get(key)
        if node is None:
            return None
        if not node.is_list:
            self.notes.add(node, KIND, node.kind, "a list of whole numbers", "[...]")
            return None
        if len(node) > MOST_INTEGERS:
            self.notes.add(node, LONG, f"{len(node)} numbers", f"at most {MOST_INTEGERS}")
            return None
        numbers = [self.number(entry, low, high) for entry in node.entries()]
        return None if None in numbers else [number for number in numbers if number is not None]

    def boolean(self, key: str) -> bool:
        node = self.get(key)
        if node is None or isinstance(node.value, bool):
            return bool(node is not None and node.value)
        self.notes.add(node, KIND, node.kind, "true or false")
        return False

    def finish(self, *also: str) -> None:
        """Note every key that nobody asked for, with the nearest one there is."""
        known = [*dict.fromkeys([*self.asked, *also])]
        for key, entry in self.node.items():
            if key not in known and not self.notes.document.is_full:
                self.notes.add(entry, UNKNOWN, quoted(key), f"a key of {self.subject}", nearest(key, known))


def quoted(name: str) -> str:
    """A name from outside, not too long."""
    return repr(name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "...")


def nearest(name: str, known: Iterable[str]) -> Fix | None:
    """A suggestion that is found quickly, however many names there are."""
    some = [each for each in islice(known, _MOST_NAMES) if len(each) <= _LONGEST_NAME]
    return suggest(name[:_LONGEST_NAME], some) if some else None
