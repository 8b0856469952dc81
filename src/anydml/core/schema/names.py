"""Operators by name: DirectML's, Python's, and the nearest one to a name that is neither."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.fixes import Advice, Call, Either, Fix, OneOf, Rename, suggest
from anydml.core.foreign import fold, foreign_names, needless_names, translate
from anydml.core.naming import closest
from anydml.core.outside import as_text
from anydml.core.rules import rule
from anydml.core.schema.operator import OPERATORS, Operator

UNKNOWN_OPERATOR = rule("operator.name", "An operator has one of DirectML's names, or the Python name of its class.")
NOT_AN_OPERATOR = rule("operator.kind", "What is compiled is an operator, described.")
PREFIX = "DML_OPERATOR_"
ALIASES = {"SCATTER": "SCATTER_ELEMENTS"}
"""Older names of operators that DirectML keeps."""
_LONGEST_NAME = 64
_PREFIXES = ("", "elementwise", "activation")
"""Words that other libraries leave out."""
_ENTRY = re.compile(r"(\w+)((?: \w+=\w+)*)(?: \((.+)\))?")


def find_operator(name: str) -> type[Operator] | None:
    """The operator of a DirectML name, with or without prefix, or of a Python one: capitals do not matter."""
    short = name.strip().upper().removeprefix(PREFIX)
    found = OPERATORS.get(ALIASES.get(short, short))
    return found or next((cls for cls in OPERATORS.values() if cls.__name__.upper() == short), None)


def require_operator(value: Any, path: str = "operator") -> type[Operator]:
    """The operator class that a name, a class or a description is of; an error with a suggestion if there is none."""
    cls = value if isinstance(value, type) else type(value)
    if issubclass(cls, Operator) and cls.dml_type:
        return cls
    text = as_text(value)
    found = None if text is None else find_operator(text)
    if found is None:
        fix = None if text is None else suggest_operator(text)
        raise InvalidDescriptionError(UNKNOWN_OPERATOR(path, shown(value), "an operator of DirectML", fix))
    return found


def require_described(operator: Any, fix: str = "") -> Operator:
    """An operator with its tensors, or an error that says how one is described."""
    is_class = isinstance(operator, type)
    if not isinstance(operator, Operator):
        found = f"{operator.__name__} itself" if is_class else type(operator).__name__
        own = f"{operator.__name__}(...)" if is_class and issubclass(operator, Operator) else "Slice1(...)"
        raise InvalidDescriptionError(NOT_AN_OPERATOR("operator", found, "an operator with its fields", fix or own))
    if operator.is_fused:
        found, own = f"{shown(operator)}, which has no tensors", f"{type(operator).__name__}(input_tensor=...)"
        raise InvalidDescriptionError(NOT_AN_OPERATOR("operator", found, "an operator with its tensors", own))
    return operator


def suggest_operator(name: str, among: Iterable[type[Operator]] | None = None) -> Fix:
    """The operator that a name of another library, a short name or a misspelt one stands for."""
    classes = {cls.dml_type: cls for cls in (OPERATORS.values() if among is None else among)}
    name = name[-_LONGEST_NAME:]
    calls = _calls(_meant(name, classes), classes)
    if not calls and among is None and fold(name) in needless_names():
        return Advice(needless_names()[fold(name)])
    if not calls:
        near = closest(_bare(name), [*_folded(classes), *foreign_names()])
        calls = _calls(_meant(near, classes), classes) if near is not None else []
    if not calls:
        return suggest("", list(classes))
    return calls[0] if len(calls) == 1 else Either(tuple(calls))


def hint(name: str, others: Iterable[str] = ()) -> str:
    """What to write instead of an unknown name of the package, as the end of a message; empty if nothing is near."""
    near = get_close_matches(name, list(others), n=1, cutoff=0.8)
    fix = Rename(near[0]) if near and not translate(name) else suggest_operator(name)
    return "" if isinstance(fix, OneOf) else f"; try {fix}"


def _meant(name: str, classes: dict[str, type[Operator]]) -> tuple[str, ...]:
    """Entries for another library's name, for DirectML's own in another spelling, and for one without its prefix."""
    own, bare = _folded(classes), _bare(name)
    if bare in own or translate(bare):
        return translate(bare) or (own[bare],)
    short = [own[prefix + bare] for prefix in _PREFIXES if prefix + bare in own]
    foreign = next(filter(None, (translate(bare.removeprefix(prefix)) for prefix in _PREFIXES)), ())
    return foreign or tuple(_newest(found, classes) for found in short[:1])


def _calls(entries: Iterable[str], classes: dict[str, type[Operator]]) -> list[Fix]:
    calls: list[Fix] = []
    for entry in entries:
        match = _ENTRY.fullmatch(entry)
        assert match is not None, entry
        operator, fields, remark = match.groups()
        if operator in classes:
            pairs = tuple((key, _value(text)) for key, _, text in (each.partition("=") for each in fields.split()))
            calls.append(Call(operator, classes[operator].__name__, pairs, remark or ""))
    return calls


def _value(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def _bare(name: str) -> str:
    return fold(name).removeprefix(fold(PREFIX)).removeprefix("dml")


def _folded(classes: dict[str, type[Operator]]) -> dict[str, str]:
    return {fold(name): name for name in classes}


def _newest(name: str, classes: dict[str, type[Operator]]) -> str:
    """The last of the numbered versions of an operator: `SOFTMAX` -> `SOFTMAX1`."""
    return max((each for each in classes if re.fullmatch(rf"{name}\d?", each)), default=name)
