"""JSON with comments and trailing commas, by its definition: character by character, then Python's own reader."""

from __future__ import annotations

import json
import math
from typing import Any

REFUSED = "refused"
"""What is read of a text that is no JSON; as a text of JSON it would have quotes around it."""


def read_by_definition(text: str) -> Any:
    """The value of a text; the first of several entries under one key counts."""
    try:
        found = json.loads(
            without_comments(text.removeprefix("\ufeff")),
            parse_constant=_refuse,
            parse_float=_finite,
            object_pairs_hook=_keep_first,
        )
        json.dumps(found, ensure_ascii=False).encode()  # halves of surrogate pairs are no text
    except ValueError:
        return REFUSED
    return found


def without_comments(text: str) -> str:
    """The definition, character by character: comments become spaces, commas before a closing bracket vanish."""
    plain, at = "", 0
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            plain, at = plain + text[at : end + 1], end + 1
        elif text.startswith("//", at):
            while at < len(text) and text[at] not in "\r\n":
                at += 1
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            if end < 0:
                raise ValueError("the comment does not end")
            plain, at = plain + " ", end + 2
        elif text[at] in "]}":
            stripped = plain.rstrip(" \t\r\n")
            if stripped.endswith(",") and not stripped[:-1].rstrip(" \t\r\n").endswith(("[", "{", ",")):
                plain = stripped[:-1]
            plain, at = plain + text[at], at + 1
        else:
            plain, at = plain + text[at], at + 1
    return plain


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits} is beyond every float")
    return number


def _keep_first(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found
