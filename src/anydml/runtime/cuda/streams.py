"""The order of work on several streams: runs that share memory take turns, and PyTorch's stream is kept in step."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from anydml.runtime.backend import Memory
from anydml.runtime.buffer import Buffer

_KEPT_TURNS = 16
"""Arenas whose last use is remembered."""


class Turns:
    """Arenas are used again as soon as a run is started: on another stream, the next run waits until this is done."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self._last: OrderedDict[int, tuple[int, Any]] = OrderedDict()
        """For each arena the stream of its last use, and the event after it; None on the default stream."""

    def begin(self, arena: int) -> None:
        stream = self.driver.current_stream()
        last, event = self._last.get(arena, (stream.ptr, None))
        if last != stream.ptr:
            # The default stream is always there: what it was given is marked when somebody asks.
            stream.wait_event(event if event is not None else self.driver.mark(last))

    def end(self, arena: int) -> None:
        stream = self.driver.current_stream()
        event = self.driver.mark(stream.ptr) if stream.ptr else None
        self._last[arena] = stream.ptr, event
        self._last.move_to_end(arena)
        if len(self._last) > _KEPT_TURNS:
            self._last.popitem(last=False)


class PeerStream:
    """PyTorch's current stream, where it is another than CuPy's: ordered before our work, and after it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def run(self, work: Callable[[], None]) -> None:
        theirs: int = sys.modules["torch"].cuda.current_stream(self.driver.number).cuda_stream
        ours = self.driver.current_stream()
        if theirs == ours.ptr:
            work()
            return
        ours.wait_event(self.driver.mark(theirs))
        try:
            work()
        finally:
            self.driver.stream(theirs).wait_event(self.driver.mark(ours.ptr))


def has_peer(memory: Memory) -> bool:
    """Whether memory belongs to tensors of PyTorch."""
    return any(buffer is not None and _is_torch(buffer) for buffer in memory)


def _is_torch(buffer: Buffer) -> bool:
    if not isinstance(buffer.owner, tuple) or len(buffer.owner) != 2:
        return False
    return type(buffer.owner[1]).__module__.partition(".")[0] == "torch"
