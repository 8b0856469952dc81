"""Text from outside, made safe to show: a model must not steer the terminal it is printed on."""

from __future__ import annotations

import re

# Control characters, marks that end lines or turn the direction of writing round, and halves of surrogate pairs.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def printable(text: str) -> str:
    """The text on one line: what a terminal would obey is spelt out (`\\x1b`), all other characters stay."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
