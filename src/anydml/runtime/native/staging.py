"""Memory in which kernels stage what they work on: one block for each thread."""

from __future__ import annotations

import ctypes
import os
from threading import local

BYTES = 9 * 256 * 1024
"""What a kernel may use. Pages that no kernel touches cost nothing."""
ALIGNMENT = 64


class Staging(local):
    """It is not on the stack: small stacks could not hold it."""

    def __init__(self) -> None:
        self.memory = ctypes.create_string_buffer(BYTES + ALIGNMENT)
        start = ctypes.addressof(self.memory)
        self.address = start + -start % ALIGNMENT


_staging = Staging()


def staging_address() -> int:
    """This thread's block, which lives as long as the thread."""
    return _staging.address


def _after_fork_in_child() -> None:
    global _staging
    _staging = Staging()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
