"""Memory in which kernels stage what they work on: one block for each thread."""

from __future__ import annotations

import os
from threading import local

import numpy as np

BYTES = 9 * 256 * 1024
"""What a kernel may use. Pages that no kernel touches cost nothing."""
HANDED_BYTES = 640 * 1024
"""What lies behind it: what kernels that one chunk runs in turn hand on."""
ALIGNMENT = 64


class Block:
    """Memory of one thread. It is not on the stack: small stacks could not hold it."""

    __slots__ = ("_memory", "address")

    def __init__(self) -> None:
        self._memory = np.empty(BYTES + HANDED_BYTES + ALIGNMENT, np.uint8)  # not zeros: that would touch every page
        start = self._memory.ctypes.data
        self.address = start + -start % ALIGNMENT


class _Blocks(local):
    def __init__(self) -> None:
        self.block = Block()


_blocks = _Blocks()


def staging_block() -> Block:
    """This thread's block, to be held while a kernel uses it.

    When Python exits it frees what belongs to a thread, although the thread may still be in native code; what a frame
    of that thread holds it leaves alone.
    """
    return _blocks.block


def _after_fork_in_child() -> None:
    global _blocks
    _blocks = _Blocks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
