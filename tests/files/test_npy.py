"""NumPy files: NumPy's own are read, and those that lie are refused before anything is read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.files import npy
from tests.frontends.dxdispatch.models import parse, resource, violations

DTYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f4", ">i8", "<u2"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_read__gives_what_numpy_saved(dtype: str, order: Any, tmp_path: Path) -> None:
    array = np.asarray(np.arange(24).reshape(2, 3, 4) - 5, dtype, order=order)
    np.save(tmp_path / "a.npy", array)
    header = npy.read_header(tmp_path / "a.npy")
    read = npy.read_array(tmp_path / "a.npy")
    assert header.data_type is dml.DataType.parse(np.dtype(dtype).newbyteorder("="))
    assert read.flags.c_contiguous and read.dtype.isnative and np.array_equal(read, array)


def test_read__takes_bools_scalars_and_later_versions(tmp_path: Path) -> None:
    np.save(tmp_path / "b.npy", np.array([True, False]))
    assert npy.read_header(tmp_path / "b.npy").data_type is dml.DataType.UINT8
    np.save(tmp_path / "s.npy", np.float32(3))
    assert npy.read_header(tmp_path / "s.npy").element_count == 1
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.arange(3, dtype=np.int32), version=(2, 0))
    assert npy.parse_header(buffer.getvalue(), len(buffer.getvalue())).shape == (3,)


def test_write__is_read_by_numpy() -> None:
    array = np.arange(6, dtype=np.float16).reshape(2, 3)
    assert np.array_equal(np.load(io.BytesIO(b"".join(npy.to_npy(array)))), array)


def header(text: str, data: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("latin-1") + data


GOOD = "{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n"
LIES = {
    "pickle": (header(GOOD.format("'|O'", "False", "(2,)"), b"\x80\x04." * 9), "npy.pickle"),
    "structured": (header(GOOD.format("[('a', '<f4')]", "False", "(2,)"), bytes(8)), "npy.type"),
    "complex": (header(GOOD.format("'<c8'", "False", "(2,)"), bytes(16)), "npy.type"),
    "text": (header(GOOD.format("'<U4'", "False", "(2,)"), bytes(32)), "npy.type"),
    "too short": (header(GOOD.format("'<f4'", "False", "(3,)"), bytes(8)), "npy.size"),
    "enormous": (header(GOOD.format("'<f4'", "False", "(99999999999, 99999999999)"), bytes(8)), "npy.size"),
    "digits": (header(GOOD.format("'<f4'", "False", f"({'9' * 5000},)"), bytes(8)), "npy.format"),
    "negative": (header(GOOD.format("'<f4'", "False", "(-1,)"), bytes(8)), "npy.format"),
    "code": (header(GOOD.format("__import__('os')", "False", "(1,)"), bytes(8)), "npy.format"),
    "no header": (b"hello", "npy.format"),
    "nothing": (b"", "npy.format"),
    "version": (b"\x93NUMPY\x09\x00" + bytes(90), "npy.format"),
    "long header": (b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + bytes(90), "npy.format"),
    "cut header": (header("x" * 60)[:40], "npy.format"),
}


@pytest.mark.parametrize("name", LIES)
def test_lying_file__is_refused_by_its_header(name: str, tmp_path: Path) -> None:
    data, rule = LIES[name]
    (tmp_path / "lie.npy").write_bytes(data)
    found = violations(resource({"initialValues": {"sourcePath": "lie.npy"}}), folder=tmp_path)
    assert [violation.rule for violation in found] == [rule]


def test_type_of_file__must_be_the_one_given(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(3, np.float32))
    entry = {"initialValuesDataType": "INT32", "initialValues": {"sourcePath": "a.npy"}}
    assert [v.rule for v in violations(resource(entry), folder=tmp_path)] == ["initial-values.type"]
    entry["initialValuesDataType"] = "FLOAT32"
    assert parse(resource(entry), folder=tmp_path).resources["a"].initial.element_count == 3
    np.save(tmp_path / "a.npy", np.zeros((3, 0), np.float32))
    assert [v.rule for v in violations(resource(entry), folder=tmp_path)] == ["initial-values.empty"]
