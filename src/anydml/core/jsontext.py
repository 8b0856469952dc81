"""Descriptions as JSON text, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.outside import as_entries, as_text
from anydml.core.rules import rule

JSON_TEXT = rule("json.text", "A description that is read from JSON is one JSON object.")


def to_json(value: Mapping[str, Any]) -> str:
    """One line of JSON."""
    from json import dumps

    return dumps(value)


def read_json(text: str, subject: str) -> dict[str, Any]:
    """The object in a JSON text, or an error that says where the text goes wrong."""
    from json import JSONDecodeError, loads

    if not isinstance(text, (str, bytes, bytearray)):
        fix = f"{subject}.from_dict(...)" if isinstance(text, Mapping) else "json.dumps(...)"
        raise InvalidDescriptionError(JSON_TEXT("", type(text).__name__, "JSON text", fix), subject)
    try:
        value = loads(text)
    except JSONDecodeError as error:
        found = f"{error.msg.lower()} in line {error.lineno}, column {error.colno}"
        raise InvalidDescriptionError(JSON_TEXT("", found, "a JSON object"), subject) from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InvalidDescriptionError(JSON_TEXT("", type(error).__name__, "a JSON object"), subject) from None
    return require_object(value, subject)


def require_object(value: object, subject: str) -> dict[str, Any]:
    """The value as a dictionary with names as keys."""
    entries = as_entries(value)
    if entries is None:
        raise InvalidDescriptionError(JSON_TEXT("", shown(value), "an object such as {...}"), subject)
    return {as_text(key) or shown(key): entry for key, entry in entries.items()}
