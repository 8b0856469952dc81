"""Outputs: the several arrays that a run created, found by index, by name or as attributes."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from anydml.core.errors import BindingError, shown
from anydml.core.fixes import suggest
from anydml.core.rules import rule

NAME = rule("outputs.name", "Of several outputs that a run created, each is found by its index or by its name.")
_KEPT_KINDS = 64


class _Named:
    """What a named tuple has besides: its values by their names, which are any text."""

    __slots__ = ()
    _names: dict[str, int]

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)  # type: ignore[misc]
        if key not in self._names:
            raise BindingError(NAME("", shown(key), "the name of an output", suggest(key, self._names)), "Outputs")
        return super().__getitem__(self._names[key])  # type: ignore[misc]

    def __reduce__(self) -> tuple[Any, ...]:
        return named_outputs, (tuple(self._names), tuple(self))  # type: ignore[arg-type]


def named_outputs(names: tuple[str, ...], arrays: Iterable[Any]) -> Any:
    """A named tuple of arrays, each also by its name: `outputs["any text"]`."""
    return _kind(names)(*arrays)


@lru_cache(_KEPT_KINDS)
def _kind(names: tuple[str, ...]) -> Any:
    """Fields are the names that are identifiers, in the normal form (NFKC) that Python gives them, else `_0`, `_1`, ...

    Of several names with one normal form, the field is the one that is in it already, or else the first.
    """
    normal = [normalize("NFKC", name.replace("[", "_").rstrip("]")) for name in names]
    owners = {name: number for number, name in reversed([*enumerate(normal)])}
    owners |= {name: number for number, name in enumerate(names) if normal[number] == name}
    fields = [name if owners[name] == number else "" for number, name in enumerate(normal)]
    plain = namedtuple("Outputs", fields, rename=True)  # type: ignore[misc]
    known = {name: number for number, name in enumerate(names)}
    return type("Outputs", (_Named, plain), {"__slots__": (), "__module__": __name__, "_names": known})
