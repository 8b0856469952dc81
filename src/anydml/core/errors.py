"""Errors that teach: every problem found, each with its rule, place, value, expectation and fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from types import NoneType
from typing import Any

from anydml.core.fixes import Fix, Spelling, as_fix
from anydml.core.members import Members
from anydml.core.outside import UnfitError, as_text, as_values
from anydml.core.text import printable
from anydml.process.loading import load_module

MOST_VIOLATIONS = 1000
"""A description with more than this is not looked at any further."""
_SHOWN_CHARACTERS = 160
_SHOWN_VIOLATIONS = 40


class HResult(IntEnum, metaclass=Members):
    """The HRESULT codes that DirectML returns."""

    S_OK = 0x00000000
    E_INVALIDARG = 0x80070057
    E_OUTOFMEMORY = 0x8007000E
    E_UNEXPECTED = 0x8000FFFF
    DXGI_ERROR_UNSUPPORTED = 0x887A0004
    DXGI_ERROR_DEVICE_REMOVED = 0x887A0005
    DXGI_ERROR_SDK_COMPONENT_MISSING = 0x887A002D


@dataclass(frozen=True)
class Violation:
    """One broken rule: where, what was found, what was expected, and what to try."""

    rule: str
    path: str
    found: str
    expected: str
    fix: Fix | None = None
    feature_level: str | None = None
    """The lowest feature level that would allow what was found, if one does."""

    def __post_init__(self) -> None:
        texts = ("rule", "path", "found", "expected", *(("feature_level",) if self.feature_level is not None else ()))
        wrong = next((name for name in texts if not isinstance(getattr(self, name), str)), "")
        if isinstance(self.fix, str):
            object.__setattr__(self, "fix", as_fix(self.fix))
        if wrong or not isinstance(self.fix, (Fix, NoneType)):
            expected, fix = ("a text", "str(...)") if wrong else ("words, or None", "None")
            found = shown(getattr(self, wrong or "fix"))
            raise InvalidDescriptionError(_parts()(wrong or "fix", found, expected, fix))

    def under(self, prefix: str) -> Violation:
        """The same violation seen from an enclosing description."""
        if not self.path:
            joined = prefix
        elif self.path.startswith("["):
            joined = prefix + self.path
        else:
            joined = f"{prefix}.{self.path}"
        return replace(self, path=joined)

    def text(self, spelling: Spelling = Spelling.PYTHON) -> str:
        """The violation in one line, its fix in this spelling."""
        text = f"{self.path}: " if self.path else ""
        text += f"found {self.found}, expected {self.expected}"
        if self.feature_level:
            text += f" (allowed from feature level {self.feature_level})"
        fix = self.fix.text(spelling) if self.fix else ""
        return printable(f"{text}; try {fix} [{self.rule}]" if fix else f"{text} [{self.rule}]")

    def __str__(self) -> str:
        return self.text()

    def to_json(self, spelling: Spelling = Spelling.PYTHON) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "path": self.path,
            "found": self.found,
            "expected": self.expected,
            "fix": (self.fix.text(spelling) or None) if self.fix else None,
            "feature_level": self.feature_level,
        }


@dataclass(frozen=True)
class WrittenViolation(Violation):
    """A violation in JSON: its fix is spelt as JSON too."""

    def __str__(self) -> str:
        return self.text(Spelling.MODEL)

    def to_json(self, spelling: Spelling = Spelling.MODEL) -> dict[str, Any]:
        return super().to_json(spelling)


class DmlError(Exception):
    """Something DirectML would refuse. `violations` holds every reason found."""

    hresult = HResult.E_INVALIDARG
    """The code that DirectML would return."""

    def __init__(self, violations: Violation | Iterable[Violation], subject: str = "") -> None:
        self.violations = (violations,) if isinstance(violations, Violation) else _read_violations(violations)
        self.subject = shown(subject) if as_text(subject) is None else str.__str__(subject)
        super().__init__(self._text())

    def _text(self) -> str:
        heading = f"{printable(self.subject)}: " if self.subject else ""
        if len(self.violations) == 1:
            return heading + str(self.violations[0])
        lines = [f"{heading}{len(self.violations)} problems"]
        lines += [f"  - {violation}" for violation in self.violations[:_SHOWN_VIOLATIONS]]
        if len(self.violations) > _SHOWN_VIOLATIONS:
            lines.append(f"  - and {len(self.violations) - _SHOWN_VIOLATIONS} more")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.violations, self.subject)

    @property
    def feature_level(self) -> str | None:
        """The feature level at which every violation would be gone, when there is one."""
        levels = [violation.feature_level for violation in self.violations]
        if not levels or any(level is None for level in levels):
            return None
        return max((level for level in levels if level), key=lambda level: tuple(map(int, level.split("."))))


def _parts() -> Any:
    """The rule of violations themselves: rules are made of what is here."""
    return load_module("anydml.core.rules").PARTS


def _read_violations(given: Iterable[Violation]) -> tuple[Violation, ...]:
    """Violations, or an error of its own about what is given in their place."""
    try:
        found = tuple(as_values(given, may_be_endless=True))
    except UnfitError as error:
        found, what = (), error.found or shown(given)
    else:
        what = next((shown(each) for each in found if not isinstance(each, Violation)), "")
    if what:
        fix = "Violation(rule, path, found, expected)"
        raise InvalidDescriptionError(_parts()("violations", what, "a Violation, or a list of them", fix))
    return found


class InvalidDescriptionError(DmlError, ValueError):
    """A tensor, layout or operator is described wrongly."""


class UnsupportedError(DmlError):
    """The description is sound, but not at this feature level or on this device."""

    hresult = HResult.DXGI_ERROR_UNSUPPORTED


class BindingError(DmlError, ValueError):
    """A buffer does not fit its tensor; DirectML would remove the device."""

    hresult = HResult.DXGI_ERROR_DEVICE_REMOVED


class OutOfMemoryError(DmlError, MemoryError):
    """More memory is asked for than there is."""

    hresult = HResult.E_OUTOFMEMORY


class ModelError(DmlError, ValueError):
    """A file from outside (a model, an array, an image) is not what it should be."""


def shown(value: object) -> str:
    """A value from outside as one short line, whatever it is."""
    try:
        return shortened(repr(value))
    except Exception:  # a foreign __repr__ may fail; an integer of thousands of digits does
        return f"a value of type {type(value).__name__}"


def shortened(text: str) -> str:
    """At most a line of text, its middle left out."""
    line = " ".join(text.split()) if "\n" in text else text
    if len(line) <= _SHOWN_CHARACTERS:
        return line
    half = _SHOWN_CHARACTERS // 2
    return f"{line[:half]} ... {line[-half:]} ({len(line)} characters)"


@contextmanager
def told_as_json() -> Iterator[None]:
    """What is wrong with a description that is read from JSON is told to somebody who writes JSON."""
    try:
        yield
    except DmlError as error:
        known = ((each, {f.name: getattr(each, f.name) for f in fields(Violation)}) for each in error.violations)
        told = [WrittenViolation(**values) if type(each) is Violation else each for each, values in known]
        raise type(error)(told, error.subject) from None


@contextmanager
def blamed(subject: str) -> Iterator[None]:
    """What is wrong inside is told of this function, where it is told of none."""
    try:
        yield
    except DmlError as error:
        raise type(error)(error.violations, error.subject or subject) from None


@contextmanager
def found_at(path: str) -> Iterator[None]:
    """What is wrong inside is told of this place."""
    try:
        yield
    except DmlError as error:
        raise type(error)([each.under(path) for each in error.violations], error.subject) from None


def raise_if_any(
    violations: Iterable[Violation], error: type[DmlError] = InvalidDescriptionError, subject: str = ""
) -> None:
    """Raise one error with all violations, or return when there are none."""
    found = tuple(violations)
    if found:
        raise error(found, subject)


def counted(number: int, noun: str) -> str:
    """`1 stride`, `2 strides`, `2 mismatches`."""
    plural = "" if number == 1 else "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{plural}"
