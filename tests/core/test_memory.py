"""Views over the memory of others: any buffer, nothing copied, nothing outside touched."""

from __future__ import annotations

import array
import ctypes
import mmap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from anydml.core import nibbles
from anydml.core.memory import as_bytes
from tests.core.checks import error_of, violations_of
from tests.core.laws import offsets_of

TensorDesc = dml.TensorDesc
DESC = TensorDesc("FLOAT32", [2, 3], [5, 1])
VALUES = np.arange(10, dtype=np.float32)
EXPECTED = [[0, 1, 2], [5, 6, 7]]
GUARD = 0xA5


class Capsule:
    """Memory that offers DLPack and nothing else, as tensors of other libraries do."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


class Elsewhere(Capsule):
    """A tensor in the memory of some other device."""

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("in GPU memory")


def mapped(path: Path, access: int) -> mmap.mmap:
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 0, access=access)


WRITABLE: dict[str, Callable[[Path], Any]] = {
    "bytearray": lambda path: bytearray(VALUES.tobytes()),
    "memoryview": lambda path: memoryview(bytearray(VALUES.tobytes())),
    "memoryview of floats": lambda path: memoryview(VALUES.copy()),
    "memoryview in Fortran order": lambda path: memoryview(VALUES.copy().reshape(5, 2).T),
    "mmap": lambda path: mapped(path, mmap.ACCESS_WRITE),
    "array of floats": lambda path: VALUES.copy(),
    "array of bytes": lambda path: np.frombuffer(bytearray(VALUES.tobytes()), np.uint8),
    "array in Fortran order": lambda path: VALUES.copy().reshape(5, 2).T,
    "matrix": lambda path: VALUES.copy().reshape(2, 5).view(np.matrix),
    "memmap": lambda path: np.memmap(path, np.float32, "r+"),
    "array.array": lambda path: array.array("f", VALUES.tolist()),
    "ctypes": lambda path: (ctypes.c_float * 10)(*VALUES.tolist()),
    "DLPack": lambda path: Capsule(VALUES.copy()),
}
READ_ONLY: dict[str, Callable[[Path], Any]] = {
    "bytes": lambda path: VALUES.tobytes(),
    "memoryview": lambda path: memoryview(VALUES.tobytes()),
    "mmap": lambda path: mapped(path, mmap.ACCESS_READ),
    "array": lambda path: np.frombuffer(VALUES.tobytes(), np.float32),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "values.bin"
    path.write_bytes(VALUES.tobytes())
    return path


@pytest.mark.parametrize("make", WRITABLE.values(), ids=WRITABLE)
def test_view__shares_writable_memory(make: Callable[[Path], Any], file: Path) -> None:
    buffer = make(file)
    view = DESC.view(buffer)
    assert view.dtype == np.float32 and view.tolist() == EXPECTED
    if view.flags.writeable or not isinstance(buffer, Capsule):  # DLPack before 1.0 cannot promise writing
        view[1, 1] = 60
        assert DESC.view(buffer).tolist() == [[0, 1, 2], [5, 60, 7]]
        assert TensorDesc("FLOAT32", [10]).view(buffer).tolist() == [0, 1, 2, 3, 4, 5, 60, 7, 8, 9]


@pytest.mark.parametrize("make", READ_ONLY.values(), ids=READ_ONLY)
def test_view__of_read_only_memory_is_read_only(make: Callable[[Path], Any], file: Path) -> None:
    buffer = make(file)
    view = DESC.view(buffer)
    assert view.tolist() == EXPECTED and not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1
    assert violations_of(lambda: DESC.store(buffer, 0), dml.BindingError) == [("buffer.writable", "buffer")]


@st.composite
def described(draw: Any) -> tuple[dml.TensorDesc, int]:
    kind = draw(st.sampled_from(list(dml.DataType)))
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    strides = draw(st.lists(st.integers(0, 20), min_size=len(sizes), max_size=len(sizes)))
    return TensorDesc(kind, sizes, strides), draw(st.integers(0, 3)) * 8


def elements_by_hand(desc: dml.TensorDesc, memory: bytes, offset: int) -> list[int]:
    """Each element's bits, read one at a time."""
    bits = desc.data_type.bits
    whole = int.from_bytes(memory[offset:], "little")
    return [(whole >> (place * bits)) & ((1 << bits) - 1) for place in offsets_of(desc.sizes, desc.strides)]


@given(described(), st.randoms(use_true_random=False))
def test_view__reads_each_element_where_the_strides_say(place: tuple[dml.TensorDesc, int], random: Any) -> None:
    desc, offset = place
    # As many bytes as the last element needs and not one more.
    memory = bytes(random.randrange(256) for _ in range(offset + desc.minimum_size_in_bytes))
    seen = desc.view(memory, offset)
    width = desc.data_type.element_bytes * 8
    bits = [int.from_bytes(element.tobytes(), "little") for element in seen.reshape(-1)]
    assert [value & ((1 << min(width, desc.data_type.bits)) - 1) for value in bits] == elements_by_hand(
        desc, memory, offset
    )
    assert seen.shape == desc.sizes and seen.dtype == desc.data_type.numpy_dtype
    if desc.data_type is dml.DataType.INT4:
        assert seen.min() >= -8 and seen.max() <= 7


@given(described(), st.randoms(use_true_random=False))
def test_store__writes_elements_and_not_a_bit_besides(place: tuple[dml.TensorDesc, int], random: Any) -> None:
    desc, offset = place
    size = offset + desc.total_tensor_size_in_bytes + 8
    memory = bytearray([GUARD] * size)
    low, high = (0, 7) if desc.data_type.bits == 4 else (0, 100)
    values = np.array([random.randint(low, high) for _ in range(desc.layout.logical_element_count)])
    desc.store(memory, values.reshape(desc.sizes), offset)
    bits = desc.data_type.bits
    written = set(offsets_of(desc.sizes, desc.strides))
    whole = int.from_bytes(memory, "little") ^ int.from_bytes(bytes([GUARD] * size), "little")
    for place_ in written:
        whole &= ~(((1 << bits) - 1) << (offset * 8 + place_ * bits))
    assert whole == 0, "a bit outside the elements changed"
    if not desc.layout.has_overlap:
        np.testing.assert_array_equal(desc.view(memory, offset), values.reshape(desc.sizes))


def test_store__spreads_and_refuses_other_shapes() -> None:
    memory = bytearray(8)
    TensorDesc("UINT8", [2, 3]).store(memory, [1, 2, 3])
    assert list(memory) == [1, 2, 3, 1, 2, 3, 0, 0]
    for kind in ("UINT8", "UINT4"):
        desc = TensorDesc(kind, [2, 3])
        assert violations_of(lambda desc=desc: desc.store(memory, [1, 2])) == [("store.shape", "values")]
    assert list(memory) == [1, 2, 3, 1, 2, 3, 0, 0]


def test_nibbles__the_even_element_is_the_low_half() -> None:
    memory = bytes([0x21, 0x83])
    assert TensorDesc("UINT4", [4]).view(memory).tolist() == [1, 2, 3, 8]
    assert TensorDesc("INT4", [4]).view(memory).tolist() == [1, 2, 3, -8]
    assert TensorDesc("UINT4", [2], [2]).view(memory).tolist() == [1, 3]
    assert not TensorDesc("UINT4", [4]).view(bytearray(memory)).flags.writeable
    assert nibbles.pack(np.array([1, 2, 3, -8])).tobytes() == memory
    assert nibbles.pack(np.array([1, 2, 3])).tobytes() == bytes([0x21, 0x03])


def test_nibbles__a_broadcast_of_billions_needs_no_memory() -> None:
    view = TensorDesc("UINT4", [60000, 60000], [0, 1]).view(bytes([0x21] * 30000))
    assert view.shape == (60000, 60000) and view[59999, 59999] == 2


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda: DESC.view(bytes(31)), ("buffer.size", "buffer")),
        (lambda: DESC.view(b""), ("buffer.size", "buffer")),
        (lambda: DESC.view(bytearray()), ("buffer.size", "buffer")),
        (lambda: DESC.view(np.zeros((0, 3))), ("buffer.size", "buffer")),
        (lambda: DESC.view(bytes(32), 4), ("buffer.size", "buffer")),
        (lambda: DESC.view(bytes(64), -4), ("buffer.size", "buffer")),
        (lambda: DESC.view(bytes(64), 2**62), ("buffer.size", "buffer")),
        (lambda: DESC.view(bytes(64), 2), ("buffer.alignment", "offset")),
        (lambda: DESC.view(memoryview(bytes(64))[1:]), ("buffer.alignment", "offset")),
        (lambda: DESC.replace(guaranteed_base_offset_alignment=16).view(bytes(64), 8), ("buffer.alignment", "offset")),
        (lambda: DESC.view(bytes(64), "0"), ("integer", "offset")),
        (lambda: DESC.view(bytes(64), 0.0), ("integer", "offset")),
        (lambda: DESC.view([1, 2]), ("buffer.kind", "buffer")),
        (lambda: DESC.view("text"), ("buffer.kind", "buffer")),
        (lambda: DESC.view(None), ("buffer.kind", "buffer")),
        (lambda: DESC.view(np.array([object()] * 8)), ("buffer.kind", "buffer")),
        (lambda: DESC.view(Elsewhere(VALUES)), ("buffer.kind", "buffer")),
        (lambda: DESC.view(np.zeros(64, np.uint8)[::2]), ("buffer.contiguous", "buffer")),
        (lambda: DESC.view(memoryview(bytes(64))[::2]), ("buffer.contiguous", "buffer")),
    ],
)
def test_bad_buffer__is_named(ask: Callable[[], Any], expected: tuple[str, str]) -> None:
    error = error_of(ask, dml.BindingError)
    assert [(v.rule, v.path) for v in error.violations] == [expected]
    assert error.hresult == dml.HResult.DXGI_ERROR_DEVICE_REMOVED == 0x887A0005


def test_bad_buffer__closed_memory_is_named(file: Path) -> None:
    closed = mapped(file, mmap.ACCESS_READ)
    closed.close()
    released = memoryview(bytes(64))
    released.release()
    for buffer in (closed, released):
        assert violations_of(lambda buffer=buffer: DESC.view(buffer)) == [("buffer.kind", "buffer")]


def test_view__takes_a_buffer_that_ends_with_the_last_element() -> None:
    """The total size is rounded up to 4 bytes; a view needs only what the elements reach."""
    assert TensorDesc("UINT8", [5]).view(bytes(range(5))).tolist() == [0, 1, 2, 3, 4]
    assert TensorDesc("UINT4", [3]).view(bytes([0x21, 0x03])).tolist() == [1, 2, 3]


def test_view__keeps_the_memory_alive() -> None:
    view = TensorDesc("UINT8", [4]).view(bytearray(b"abcd"))
    assert view.tobytes() == b"abcd"


def test_as_bytes__is_the_same_memory() -> None:
    values = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert np.shares_memory(as_bytes(values), values) and as_bytes(values).tobytes() == values.tobytes()
    part = memoryview(np.asfortranarray(values))
    assert as_bytes(part).tobytes() == values.T.tobytes()
