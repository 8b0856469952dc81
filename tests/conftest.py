"""Settings all tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from anydml.runtime.native import cache, llvm
from tests.faults import report_faults

# Slow machines must not fail what is right, so nothing is timed; the same cases run for everyone.
settings.register_profile("anydml", deadline=None, derandomize=True, max_examples=35)
settings.load_profile("anydml")


def pytest_sessionstart(session: pytest.Session) -> None:
    """A fault in machine code says where it was, before Python's report, and to the same place."""
    from _pytest.faulthandler import fault_handler_stderr_fd_key

    report_faults(session.config.stash.get(fault_handler_stderr_fd_key, 2))


_RUNTIME = Path(__file__).parent / "runtime"
_FULL_EFFORT = llvm.FULL_EFFORT


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What LLVM does to make code fast is not what most tests are about, and takes most of their time.

    Those of `tests/runtime`, and all processes that tests start, compile kernels as users do.
    """
    llvm.FULL_EFFORT = _FULL_EFFORT if _RUNTIME in item.path.parents else llvm.NO_EFFORT


def pytest_collection_finish() -> None:
    """Thousands of tests live to the end: the garbage collector need not look at them again and again."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiled kernels are kept with the tests' other files, not in the user's cache; processes share them.

    All tests together use far more kernels than one program: within the usual bounds, those that several tests need
    would be compiled again and again.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kernels"
    folder.mkdir(0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(cache.VARIABLE, str(folder))
        patch.setattr(cache, "MOST_FILES", 32 * cache.MOST_FILES)
        patch.setattr(cache, "MOST_BYTES", 8 * cache.MOST_BYTES)
        yield
