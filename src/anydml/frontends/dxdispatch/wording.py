"""The wording of violations in a model: the keys of the file, and fixes for people who write JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from anydml.core.errors import DmlError, Violation
from anydml.core.naming import pascal

_PHRASES: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"(\w+)(\[\d+\])?=a buffer", lambda found: f'adding "{pascal(found[1])}" with the name of a resource'),
    (r"giving (\w+)", lambda found: f'adding "{pascal(found[1])}"'),
    (r"TensorDesc\('(\w+)', (\[.*\])\)", r'{"DataType": "\1", "Sizes": \2}'),
    (r"initialize\(\.\.\.\) takes it", "the bindings of the dispatchable"),
    (r"the call takes it", "the bindings of the dispatch command"),
    (r"\ba buffer of\b", "a resource of"),
    (r"\banother buffer\b", "another resource"),
    (r"\ban aligned buffer\b", "an aligned offset"),
]
_RANK = re.compile(r"\.with_rank\((\d+)\)")
_DIMENSIONS = re.compile(r"(\d+) dimension")
_PYTHON = re.compile(r"\w\(|\w=")


@contextmanager
def at_key(key: str) -> Iterator[None]:
    """Report every violation found inside under this key."""
    try:
        yield
    except DmlError as error:
        raise type(error)([replace(each, path=key) for each in error.violations], error.subject) from None


def in_json(violation: Violation) -> Violation:
    """The same violation with a fix that can be made in a model; one that only Python can make is left out."""
    fix = _rank_fix(violation) if _RANK.search(violation.fix) else violation.fix
    for pattern, words in _PHRASES:
        fix = re.sub(pattern, words, fix)
    return replace(violation, fix="" if _PYTHON.search(fix) else fix)


def _rank_fix(violation: Violation) -> str:
    wanted, found = _RANK.search(violation.fix), _DIMENSIONS.match(violation.found)
    if wanted is None or found is None or int(found[1]) > int(wanted[1]):
        return "fewer dimensions"
    return f"leading 1s in Sizes, {wanted[1]} numbers in all"
