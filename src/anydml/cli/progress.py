"""A progress bar for what takes long: on a terminal only, and only after a moment."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import TextIO

from anydml.cli.terminal import Terminal

_PATIENCE_SECONDS = 0.5
_BETWEEN_SECONDS = 0.1
_CELLS = 24


class Progress:
    """Counts steps towards a total, and shows them on stderr."""

    def __init__(self, total: int, label: str, stream: TextIO | None = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.terminal = Terminal.of(self.stream)
        self.total, self.label, self.done = max(total, 1), label, 0
        self.started = monotonic()
        self.next = self.started + _PATIENCE_SECONDS
        self.is_shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def advance(self) -> None:
        """One step done."""
        self.done += 1
        now = monotonic()
        if self.terminal.is_interactive and now >= self.next:
            self.next = now + _BETWEEN_SECONDS
            self._show(now)

    def clear(self) -> None:
        """Take the bar away, so that what is printed next starts on a clean line."""
        if self.is_shown:
            self.stream.write("\r\033[K")
            self.stream.flush()
            self.is_shown = False

    def _show(self, now: float) -> None:
        share = min(self.done / self.total, 1.0)
        full = round(share * _CELLS)
        on, off = ("█", "░") if self.terminal.unicode else ("#", ".")
        left = (now - self.started) / self.done * (self.total - self.done)
        text = f"{self.label} {on * full}{off * (_CELLS - full)} {self.done}/{self.total}, {left:.0f} s left"
        self.stream.write("\r\033[K" + text[: self.terminal.width - 1])
        self.stream.flush()
        self.is_shown = True
