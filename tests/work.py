"""Work, counted: what an action costs on any machine, however busy. Tests judge counts, never times."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_of(action: Callable[[], object]) -> int:
    """How many calls an action makes, of functions written in Python or in C, in this thread."""
    count = 0

    def notice(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    before = sys.getprofile()
    sys.setprofile(notice)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count


def growth_of(action: Callable[[int], object], size: int, factor: int = 4) -> float:
    """How many times the calls a larger input costs, for each time that it is larger: 1 if work is proportional."""
    action(size)  # what is done once does not count
    return calls_of(lambda: action(factor * size)) / calls_of(lambda: action(size)) / factor
