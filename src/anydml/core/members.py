"""The class of enumerations: what is no member is refused as everything else is, with what to write instead."""

from __future__ import annotations

from enum import EnumMeta
from typing import Any

from anydml.process.loading import load_module


class Members(EnumMeta):
    """Of a value that no member has, Python says `ValueError`; of one that fails to be compared, whatever it raised."""

    def __call__(cls, value: Any, *rest: Any, **named: Any) -> Any:
        if not cls.__members__:  # a new enumeration, and not a member of one
            return super().__call__(value, *rest, **named)
        if not rest and not named:
            try:
                return super().__call__(value)
            except Exception:  # whatever a method of somebody else may raise
                pass
        unknown = load_module("anydml.core.enums").unknown_number
        raise unknown(cls, (value, *rest, *named.values()) if rest or named else value)
