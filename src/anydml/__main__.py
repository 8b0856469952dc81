"""`python -m anydml`, and the command `anydml`."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def start() -> int:
    """Load the command line and run it."""
    with _ended_by_interrupt():
        from anydml.cli.main import main
        from anydml.cli.messages import INTERRUPTED_STATUS
    try:
        return main()
    except KeyboardInterrupt:  # before `main` could tell of it, or after
        return INTERRUPTED_STATUS


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """Let an interrupt end the program while modules load: no handler can catch an exception there."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


if __name__ == "__main__":
    sys.exit(start())
