"""Colours of cells. Eight fills that stay apart under every common colour blindness (Paul Tol's light scheme)
and carry dark text on any background; what a cell *is* is told by marks and patterns, never by colour alone.
"""

from __future__ import annotations

FILLS = ("#77aadd", "#eedd88", "#ffaabb", "#44bb99", "#ee8866", "#99ddff", "#bbcc33", "#dddddd")
TERMINAL_FILLS = (110, 222, 217, 79, 209, 117, 149, 253)
"""The nearest colours of a 256-colour terminal, in the same order."""


def fill(group: int) -> str:
    return FILLS[group % len(FILLS)]


def terminal_fill(group: int) -> int:
    return TERMINAL_FILLS[group % len(TERMINAL_FILLS)]
