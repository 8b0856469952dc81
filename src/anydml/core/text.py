"""Text from outside, fit to be shown: control characters, bidirectional overrides and the like are escaped.

Every renderer escapes them as Python does (`\\n`, `\\x1b`, `\\u202e`, `\\ud800`) and leaves all other characters as
they are. Data does not change: JSON has the characters themselves, escaped by its own rules.
"""

from __future__ import annotations

import re
from functools import lru_cache

_BEYOND = "".join(chr(plane << 16 | last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
# Control characters, ends of lines, bidirectional controls, invisible characters, surrogates and noncharacters.
_ESCAPED = (
    "\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb"
    f"\ufffe\uffff\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f{_BEYOND}"
)
# Joiners stay behind the letters and emoji that they join; ASCII has nothing to join.
_UNSAFE = re.compile(f"[{_ESCAPED}]|(?<![^\x00-\x7f\u200c\u200d{_ESCAPED}])[\u200c\u200d]")
_UNIT = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})|.", re.S)
_SURROGATE = re.compile("[\ud800-\udfff]")
_KEPT_WIDTHS = 4096


def printable(text: str) -> str:
    """The text on one line, each character that must not be printed escaped."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def printable_lines(text: str) -> str:
    """The same for a text of ours that has lines of its own."""
    return "\n".join(map(printable, text.split("\n")))


def printable_json(text: str) -> str:
    """The same for JSON, which has escapes of its own."""
    return _UNSAFE.sub(lambda found: "".join(f"\\u{unit:04x}" for unit in _units(found[0])), text)


def _units(char: str) -> tuple[int, ...]:
    """A character as JSON counts: in units of 16 bits."""
    code = ord(char)
    return (code,) if code < 1 << 16 else (0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF))


def is_well_formed(text: str) -> bool:
    """Whether UTF-8 can encode it: it has no lone surrogates."""
    return not _SURROGATE.search(text)


def encodable(text: str, encoding: str | None) -> str:
    """The text with every character that an encoding lacks escaped in the same way."""
    return text.encode(encoding, "backslashreplace").decode(encoding) if encoding else text


def display_width(text: str) -> int:
    """How many columns of a terminal a printable text takes: 2 for an ideograph or an emoji, 0 for a mark above one."""
    return len(text) if text.isascii() else sum(map(_width_of, text))


@lru_cache(_KEPT_WIDTHS)
def _width_of(char: str) -> int:
    from unicodedata import category, east_asian_width

    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def fitted(text: str, most: int) -> str:
    """A printable text, its end left out where it takes more columns; no escape is cut in two."""
    if display_width(text) <= most:
        return text
    kept, left = "", most - 1
    for unit in _UNIT.findall(text):
        left -= display_width(unit)
        if left < 0:
            break
        kept += unit
    return f"{kept}…"
