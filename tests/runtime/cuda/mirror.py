"""A pytest plugin: what tests run on the processor runs on the GPU, on copies of the host's memory.

    pytest -p tests.runtime.cuda.mirror tests/operators

Every range of memory is copied to the GPU between guard bytes, at an address that is aligned alike, and fetched again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anydml.core.enums import ExecutionFlags
from anydml.core.schema import Operator
from anydml.graph.plan import Plan
from anydml.runtime import backend as backends
from anydml.runtime.backend import BACKENDS, Memory, Run
from anydml.runtime.buffer import Buffer
from anydml.runtime.cuda.backend import CudaBackend, CudaExecutable
from anydml.runtime.host import HostMemory

GUARD, ALIGNMENT = 256, 256
FILLING = 0xA5


@dataclass
class Range:
    """Memory of the host that some slots share, and its copy."""

    start: int
    end: int
    data: Any
    copy: Buffer | None = None

    @property
    def place(self) -> int:
        """Where the data starts in the copy: as many bytes past an aligned address as on the host."""
        return GUARD + self.start % ALIGNMENT


def ranges_of(memory: Memory) -> list[Range]:
    """Ranges of memory that are apart from each other."""
    ranges: list[Range] = []
    for buffer in sorted((b for b in memory if b is not None), key=lambda buffer: buffer.address):
        assert buffer.data is not None
        end = buffer.address + buffer.size_in_bytes
        if ranges and buffer.address < ranges[-1].end:
            ranges[-1].end = max(ranges[-1].end, end)
        else:
            ranges.append(Range(buffer.address, end, None))
    for each in ranges:
        each.data = np.ctypeslib.as_array(
            (np.ctypeslib.ctypes.c_uint8 * (each.end - each.start)).from_address(each.start)
        )
    return ranges


@dataclass
class Executable:
    cuda: CudaBackend
    made: CudaExecutable
    scratch_size_in_bytes: int = 0

    def bind_initialize(self, memory: Memory) -> Run:
        return lambda: self._run(memory, self.made.bind_initialize)

    def bind(self, memory: Memory) -> Run:
        return lambda: self._run(memory, self.made.bind)

    def _run(self, memory: Memory, bind: Any) -> None:
        ranges = ranges_of(memory)
        for each in ranges:
            image = np.full(each.place + each.data.size + GUARD, FILLING, np.uint8)
            image[each.place : each.place + each.data.size] = each.data
            each.copy = self.cuda.upload(image)
        bind([self._placed(buffer, ranges) for buffer in memory])()
        for each in ranges:
            assert each.copy is not None
            image = self.cuda.download(each.copy)
            inside = slice(each.place, each.place + each.data.size)
            outside = np.delete(image, inside)
            assert (outside == FILLING).all(), "a byte was written outside the memory that was bound"
            changed = image[inside]
            if not np.array_equal(each.data, changed):  # what is only read may not be writable
                each.data[:] = changed

    def _placed(self, buffer: Buffer | None, ranges: Sequence[Range]) -> Buffer | None:
        if buffer is None:
            return None
        if not buffer.size_in_bytes:
            return self.cuda.allocate(0)
        found = next(each for each in ranges if each.start <= buffer.address < each.end)
        assert found.copy is not None
        return found.copy.part(found.place + buffer.address - found.start, buffer.size_in_bytes)


class MirrorBackend(HostMemory):
    """The host's memory, the GPU's kernels."""

    uses_passes = True
    shares_executables = False

    def __init__(self, cuda: CudaBackend) -> None:
        self.cuda = cuda

    def claims(self, operator: Operator) -> bool:
        return False

    def expand(self, plan: Plan) -> Plan:
        return self.cuda.expand(plan)

    def plan_options(self) -> Hashable:
        return "mirror"

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> Executable:
        return Executable(self.cuda, self.cuda.prepare(plan, flags))


def __getattr__(name: str) -> Any:
    if name != "BACKEND":
        raise AttributeError(name)
    globals()["BACKEND"] = made = MirrorBackend(backends.find_backend("cuda"))  # type: ignore[arg-type]
    return made


OF_THE_PROCESSOR = {
    "temporary_memory__is_what_the_plan_says": "counts memory of the host, which copies take too",
    "test_comparison__can_fail": "breaks the processor's kernels",
    "looks_for_places_only_when_asked": "looks into the processor's kernels",
    "GELU": "within 2 ULP; on the GPU it is within 8, the tolerance of the cases",
}
"""Parts of tests' names, and why they are not mirrored."""


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    left_out = [item for item in items if any(part in item.name for part in OF_THE_PROCESSOR)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_configure() -> None:
    BACKENDS["cpu"] = (BACKENDS["cpu"][0], "tests.runtime.cuda.mirror")
    backends._load.cache_clear()
