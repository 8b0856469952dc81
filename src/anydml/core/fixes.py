"""Fixes as data: what to do about a violation, said by each front-end in its own spelling."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf, isfinite
from typing import Any

from anydml.core.meanings import meant
from anydml.core.naming import argument, closest, pascal
from anydml.core.outside import as_text
from anydml.core.text import printable

_LONGEST_NUMBER = 40


class Spelling(Enum):
    """Whom a fix is told to."""

    PYTHON = "python"
    """Somebody who writes Python: snake_case names, Python values and calls."""
    MODEL = "model"
    """Somebody who writes a JSON model: DirectML's names and JSON values."""


@dataclass(frozen=True)
class Fix:
    """What would make a violation go away. `text` is empty where a spelling has no way to say it."""

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        raise NotImplementedError(f"{type(self).__name__} is abstract")

    def typed(self) -> Fix:
        """The same, told to somebody who types a command line, where options are spelt otherwise."""
        return self

    def __str__(self) -> str:
        return self.text()

    @property
    def action(self) -> str:
        """The kind of fix, for programs: `use`, `add`, `rename`, ..."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Advice(Fix):
    """Words. `model` replaces them in a model: other words, or "" where a model cannot follow them."""

    words: str
    model: str | None = None

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        return self.model if spelling is Spelling.MODEL and self.model is not None else self.words


@dataclass(frozen=True)
class Option(Fix):
    """Words that name an option of a call: an argument in Python, a word with dashes on a command line."""

    words: str
    command: str

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        return self.words

    def typed(self) -> Fix:
        return Advice(self.command)


@dataclass(frozen=True)
class Use(Fix):
    """Another value at the violation's path."""

    value: Any

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return _json(value) if spelling is Spelling.MODEL else repr(value)


@dataclass(frozen=True)
class Rename(Fix):
    """Another name: the nearest one that exists."""

    name: str

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        return repr(self.name)


@dataclass(frozen=True)
class OneOf(Fix):
    """Any of these names, where none is near to what was written."""

    names: tuple[str, ...]
    is_complete: bool

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        return printable(f"one of {', '.join(self.names)}") + ("" if self.is_complete else ", ...")


@dataclass(frozen=True)
class Both(Fix):
    """Several names that together say what one was meant to."""

    names: tuple[str, ...]

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        return " and ".join(map(repr, self.names))


@dataclass(frozen=True)
class Add(Fix):
    """A field that is missing, by its Python name."""

    field: str

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        return f'adding "{pascal(self.field)}"' if spelling is Spelling.MODEL else f"giving {self.field}"


@dataclass(frozen=True)
class Set(Fix):
    """Another field of the same description, by its Python name, with a value."""

    field: str
    value: Any

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        if spelling is Spelling.MODEL:
            return f'"{pascal(self.field)}": {_json(self.value)}'
        return f"{self.field}={self.value!r}"


@dataclass(frozen=True)
class Insert(Fix):
    """Something more in a list, such as an edge of a graph."""

    value: Any

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        return f"adding {self.value!r}"


@dataclass(frozen=True)
class Remove(Fix):
    """A field to be left out."""

    field: str

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        return f'removing "{self.field}"' if spelling is Spelling.MODEL else f"leaving {self.field} out"


@dataclass(frozen=True)
class Rank(Fix):
    """Another number of dimensions."""

    rank: int
    found: int

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        if self.found > self.rank:
            return "fewer dimensions"
        if spelling is Spelling.MODEL:
            return f"leading 1s in Sizes, {self.rank} numbers in all"
        return f"leading 1s: .with_rank({self.rank})"


@dataclass(frozen=True)
class Bind(Fix):
    """A buffer for a tensor that has none, by the Python name of the tensor; or for a graph's input or output."""

    tensor: str
    is_of_graph: bool = False

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        if spelling is Spelling.MODEL:
            key = self.tensor if self.is_of_graph else pascal(self.tensor.partition("[")[0])
            return f"adding {_json(key)} with the name of a resource"
        return argument(self.tensor, "a buffer")


@dataclass(frozen=True)
class Resize(Fix):
    """A buffer of at least so many bytes."""

    size_in_bytes: int

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        thing = "resource" if spelling is Spelling.MODEL else "buffer"
        return f"a {thing} of {self.size_in_bytes} bytes"


@dataclass(frozen=True)
class Describe(Fix):
    """A tensor description of this data type and these sizes."""

    data_type: str
    sizes: tuple[int, ...]

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        if spelling is Spelling.MODEL:
            return _json({"DataType": self.data_type, "Sizes": list(self.sizes)})
        return f"TensorDesc({self.data_type!r}, {list(self.sizes)})"


@dataclass(frozen=True)
class Call(Fix):
    """An operator that does what was asked for, with the fields that matter."""

    operator: str
    """DirectML's name."""
    class_name: str
    fields: tuple[tuple[str, Any], ...] = ()
    remark: str = ""

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        if spelling is Spelling.MODEL:
            fields = " and ".join(f'"{pascal(name)}": {_json(value)}' for name, value in self.fields)
            text = f"{self.operator!r} with {fields}" if fields else repr(self.operator)
        else:
            fields = ", ".join(f"{name}={value!r}" for name, value in self.fields)
            text = f"{self.class_name}({fields})" if fields else self.class_name
        return f"{text} ({self.remark})" if self.remark else text


@dataclass(frozen=True)
class Either(Fix):
    """One of several fixes."""

    fixes: tuple[Fix, ...]

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        return " or ".join(fix.text(spelling) for fix in self.fixes)

    def typed(self) -> Fix:
        return Either(tuple(fix.typed() for fix in self.fixes))


def _json(value: Any) -> str:
    from json import dumps

    return dumps(value)


REMOVE_ONE = Advice("leaving one of them out", "removing one of them")
ANOTHER_BUFFER = Advice("another buffer", "another resource")


def as_fix(fix: Fix | str | None) -> Fix | None:
    """A fix from itself, from plain words, or none."""
    words = as_text(fix)
    return Advice(words) if words else fix if isinstance(fix, Fix) else None


def unquoted(value: Any) -> Fix | None:
    """The number that a text spells, where it spells one."""
    text = as_text(value)
    try:
        number = float(text) if text is not None and len(text) <= _LONGEST_NUMBER else inf
    except ValueError:
        return None
    return Use(int(number) if number.is_integer() else number) if isfinite(number) else None


def suggest(name: str, known: Any, most: int = 12) -> Fix:
    """A fix that names the known name with the same meaning or the nearest spelling, or lists a few."""
    options = list(known)
    same = meant(name, options)
    if len(same) > 1:
        return Both(same)
    near = same[0] if same else closest(name, options)
    return Rename(near) if near is not None else OneOf(tuple(options[:most]), len(options) <= most)
