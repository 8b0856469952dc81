"""No kernel touches a byte beyond its elements: memory around the buffers ends the process when touched."""

from __future__ import annotations

import ctypes
import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from anydml.runtime.moves import engine
from anydml.runtime.moves.arrays import view
from tests.runtime.moves.support import TYPES
from tests.runtime.moves.test_moves import CASES

PAGE = mmap.PAGESIZE


@contextmanager
def guarded(size: int, at_end: bool) -> Iterator[int]:
    """The address of so many bytes right after, or right before, a page that ends the process when touched."""
    pages = -(-size // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    held = ctypes.c_char.from_buffer(memory)
    start = ctypes.addressof(held)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for page in (start, start + (pages + 1) * PAGE):
        assert protect(ctypes.c_void_p(page), PAGE, 0) == 0
    yield start + PAGE + (pages * PAGE - size if at_end else 0)
    del held


def move_all(kernel: str) -> None:
    engine.SMALL_BYTES = 0
    for stream in (0, 1 << 60):
        engine.STREAMED_BYTES = stream
        for layouts in CASES[kernel]:
            for element, data_type in TYPES.items():
                move = engine.prepare(*layouts, data_type)
                views = [view(layout, data_type.numpy_dtype) for layout in layouts]
                sizes = [seen.end_byte - seen.first_byte for seen in views]
                assert move.kernel == kernel, element
                for at_end in (False, True):
                    with guarded(sizes[0], at_end) as source, guarded(sizes[1], at_end) as destination:
                        move.run(source - views[0].first_byte, destination - views[1].first_byte)


@pytest.mark.skipif(os.name != "posix", reason="memory is protected with POSIX's mprotect")
@pytest.mark.parametrize("kernel", [*CASES, "none"])
def test_kernel__stays_inside(kernel: str) -> None:
    """In a process of its own, which the system ends at the first wrong byte; `none` shows that it does."""
    program = f"from tests.runtime.moves.test_guards import *; check({kernel!r})"
    done = subprocess.run([sys.executable, "-c", program], timeout=120, check=False, capture_output=True, text=True)
    assert (done.returncode == 0) == (kernel != "none"), done.stderr[-2000:]


def check(kernel: str) -> None:
    if kernel != "none":
        move_all(kernel)
        return
    with guarded(10, at_end=True) as address:
        ctypes.string_at(address, 10)
        ctypes.string_at(address, 11)
