"""The passes come to every byte of their side, and to no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from anydml.bench import passes
from anydml.bench.contenders import Buffers
from anydml.bench.patterns import PATTERNS, Case, Pattern
from anydml.bench.visits import READS, WRITES, Visit
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import engine
from anydml.runtime.native import llvm

TYPES = {DataType.FLOAT32: 64, DataType.UINT8: 16}
"""Each with vectors of so many bytes."""
PAYLOAD_BYTES = 96 * 1024


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tensors are cut, streamed and read as large ones are."""
    for name in ("SMALL_BYTES", "SHARED_BYTES", "STREAMED_BYTES"):
        monkeypatch.setattr(engine, name, 0)
    monkeypatch.setattr(passes, "CACHED_BYTES", 0)


@pytest.fixture(params=TYPES, ids=lambda data_type: data_type.name)
def data_type(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> DataType:
    monkeypatch.setattr(llvm, "vector_bytes", lambda: TYPES[request.param])
    return DataType(request.param)


def case_of(pattern: Pattern, data_type: DataType) -> Case:
    return pattern.build(PAYLOAD_BYTES // data_type.element_bytes, data_type.element_bytes)


def buffers_of(case: Case, data_type: DataType) -> Buffers:
    """Buffers that begin 16 bytes into a line, as those of NumPy do."""
    found = []
    for layout in (case.source, case.destination):
        reach = layout.offset + sum((n - 1) * s for n, s in zip(layout.sizes, layout.strides, strict=True) if s > 0)
        whole = np.zeros((reach + 1) * data_type.element_bytes + 128, np.uint8)
        start = -whole.ctypes.data % 64 + 16
        found.append(whole[start : start + (reach + 1) * data_type.element_bytes].view(data_type.numpy_dtype))
    return Buffers(*found)


def bytes_of(layout: Layout, element: int) -> set[int]:
    grid = np.indices(layout.sizes).reshape(layout.rank, -1)
    places = layout.offset + np.tensordot(np.array(layout.strides), grid, 1)
    return set((places[:, None] * element + np.arange(element)).ravel().tolist())


def visited(visit: Visit, address: int) -> Iterator[range]:
    """The bytes of each row; `address` is the buffer's."""
    walks = [*visit.outer, visit.rows, visit.across]
    grid = np.indices([size for size, _ in walks]).reshape(len(walks), -1)
    for start in (visit.start + np.tensordot(np.array([stride for _, stride in walks]), grid, 1)).tolist():
        end = start + visit.run
        yield range(start - (address + start & visit.before), end - (address + end & visit.until))


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_write_pass__comes_to_the_bytes_of_the_destination(pattern: Pattern, data_type: DataType) -> None:
    case = case_of(pattern, data_type)
    buffers = buffers_of(case, data_type)
    move = passes._prepared(case, buffers)
    if move.kernel == "scatter":  # its own kernel writes; see below
        return
    visits = passes._visits(WRITES[move.kernel], move, buffers)
    counts = Counter(
        place for visit in visits for row in visited(visit, buffers.destination.ctypes.data) for place in row
    )
    assert set(counts) == bytes_of(case.destination, data_type.element_bytes)
    # Blocks that begin early to be whole come to some bytes again.
    assert counts.total() < 1.5 * len(counts)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_read_pass__comes_to_the_bytes_of_the_source(pattern: Pattern, data_type: DataType) -> None:
    case = case_of(pattern, data_type)
    buffers = buffers_of(case, data_type)
    move = passes._prepared(case, buffers)
    if move.kernel not in READS:
        assert move.kernel == "fill"
        return
    visits = passes._visits(READS[move.kernel], move, buffers)
    places = {place for visit in visits for row in visited(visit, buffers.source.ctypes.data) for place in row}
    wanted = bytes_of(case.source, data_type.element_bytes)
    assert wanted <= places
    assert min(places) == min(wanted) and max(places) == max(wanted)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_passes__run(pattern: Pattern) -> None:
    """What only writes leaves gaps alone, and what only reads leaves all alone."""
    case = case_of(pattern, DataType.UINT8)
    buffers = buffers_of(case, DataType.UINT8)
    buffers.destination[:] = 77
    for make in (passes.read_pass, passes.write_pass):
        run = make(case, buffers, 2)
        if run is not None:
            run()
        wanted = bytes_of(case.destination, 1) if make is passes.write_pass else set()
        changed = set(np.flatnonzero(buffers.destination != 77).tolist())
        assert changed == wanted if run else not changed
    assert not buffers.source.any()
