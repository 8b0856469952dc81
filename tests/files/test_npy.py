"""NumPy files: NumPy's own are read, and those that lie are refused before anything is read."""

from __future__ import annotations

import ast
import io
import warnings
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from anydml.files import npy
from tests.frontends.dxdispatch.models import parse, resource, violations
from tests.work import calls_of

MOST_CALLS = 300_000
"""A few for each character of the longest."""


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
    "many sizes": (header(GOOD.format("'<f4'", "False", f"({', '.join(['9' * 20] * 240)})"), bytes(8)), "npy.size"),
    "many dimensions": (header(GOOD.format("'<f4'", "False", "(1," + " 1," * 32 + ")"), bytes(8)), "npy.size"),
    "long type": (header(GOOD.format("'" + "<f4," * 40 + "'", "False", "(1,)"), bytes(8)), "npy.type"),
    "text as shape": (header(GOOD.format("'<f4'", "False", "'(1,)'"), bytes(8)), "npy.format"),
    "a key twice and one missing": (
        header("{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}\n", bytes(8)),
        "npy.format",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_lying_file__is_refused_by_its_header(name: str, tmp_path: Path) -> None:
    data, rule = LIES[name]
    (tmp_path / "lie.npy").write_bytes(data)
    found = violations(resource({"initialValues": {"sourcePath": "lie.npy"}}), folder=tmp_path)
    assert [violation.rule for violation in found] == [rule]


HOSTILE = {
    "brackets": "(" * 5000 + ")" * 5000,
    "calls": "()" * 5000,
    "subscripts": "[0]" * 3000,
    "braces": "{" * 9000,
    "minus": "-" * 9000 + "1",
    "not": "not " * 2400 + "1",
    "or": "1|" * 4900 + "1",
    "plus": "1+" * 4900 + "1",
    "power": "9**9**9**9",
    "lambda": "lambda:" * 1400 + "1",
    "if": "1 if 1 else " * 800 + "1",
    "digits": "9" * 9000,
    "digits with underscores": "1_0" * 3000,
    "hexadecimal": "0x" + "f" * 9000,
    "texts": "''" * 4900,
    "an open text": "'" * 4999,
    "a formatted text": "f'{1}'" * 1600,
    "a call": "__import__('os').system('true')",
    "a comment": "# nothing",
    "a continued line": "\\\n" * 4000,
    "a zero": "\0" * 50,
    "a star": "*" * 9000,
    "indented": "\n ".join(["1"] * 3000),
    "colons": ":" * 9000,
    "accents": "é" * 4000,
    "a float": "1e400",
    "an imaginary number": "1j",
    "an ellipsis": "..." * 3000,
}


@pytest.mark.parametrize("place", ["alone", "as descr", "as shape", "in shape"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_header__is_refused_before_it_is_evaluated(
    name: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Python evaluates must not be able to exhaust its stack or its patience."""
    evaluated: list[str] = []
    evaluate = ast.literal_eval
    monkeypatch.setattr(ast, "literal_eval", lambda text: (evaluated.append(text), evaluate(text))[1])
    text = HOSTILE[name]
    filled = {
        "alone": text,
        "as descr": GOOD.format(text, "False", "(1,)"),
        "as shape": GOOD.format("'<f4'", "False", text),
        "in shape": GOOD.format("'<f4'", "False", f"({text},)"),
    }[place]
    given = header(filled, bytes(64))

    def parse() -> None:
        npy.parse_header(given, 1 << 40)

    def refuse() -> None:
        with suppress(dml.ModelError):
            parse()

    with pytest.raises(dml.ModelError) as caught:
        parse()
    assert calls_of(refuse) < MOST_CALLS
    assert caught.value.violations[0].rule in ("npy.format", "npy.size", "npy.type")
    assert len(str(caught.value)) < 600
    for each in evaluated:
        assert len(each) <= 10_000 and sum(map(each.count, "([{")) <= 64
        assert not set(each) & set("-+*/%&^~@.;#\\") and "not" not in each and "lambda" not in each


def test_header__agrees_with_numpy_wherever_both_read_it() -> None:
    """Everything that is taken is what NumPy itself would load."""
    descrs = [
        "'<f4'",
        "'>f4'",
        "'=f4'",
        "'f4'",
        "'|u1'",
        "'|b1'",
        "'float32'",
        "'<i8'",
        '"<u2"',
        "('<f4', (2,))",
        "'<f4,'",
    ]
    orders = ["True", "False", "0", "None"]
    shapes = ["()", "(2,)", "(2)", "(1, 2)", "(2, 0)", "(True,)", "(2L,)", "(-1,)", "(1.0,)", "[2]", "2", "(2,,)"]
    taken = 0
    for descr, order, shape, version in product(descrs, orders, shapes, (1, 2, 3)):
        text = GOOD.format(descr, order, shape)
        length = len(text).to_bytes(2 if version == 1 else 4, "little")
        data = b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + bytes(range(64))
        try:
            head = npy.parse_header(data, len(data))
        except dml.ModelError:
            continue
        if shape == "(2L,)" and version == 3:
            continue  # no NumPy of that age wrote version 3, so it matters to nobody that NumPy is stricter
        taken += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = np.load(io.BytesIO(data), allow_pickle=False)
        assert head.shape == expected.shape and head.is_fortran_order == (order == "True")
        assert head.dtype == expected.dtype or expected.dtype == np.bool_
    assert taken > 200


@given(
    st.sampled_from(["<f4", ">f8", "<i2", "|u1", "|b1"]),
    st.lists(st.integers(0, 10**6), max_size=20),
    st.booleans(),
    st.sampled_from([(1, 0), (2, 0), (3, 0)]),
)
def test_header__as_numpy_writes_it_is_taken(
    descr: str, shape: list[int], order: bool, version: tuple[int, int]
) -> None:
    buffer = io.BytesIO()
    facts = {"descr": descr, "fortran_order": order, "shape": tuple(shape)}
    write = np.lib.format.write_array_header_1_0 if version == (1, 0) else np.lib.format.write_array_header_2_0
    write(buffer, facts)
    data = bytearray(buffer.getvalue())
    data[6] = version[0]  # what is in a header of version 2 is the same in version 3
    read = npy.parse_header(bytes(data), 1 << 500)
    assert (read.shape, read.is_fortran_order, read.start) == (tuple(shape), order, len(data))


def test_type_of_file__must_be_the_one_given(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(3, np.float32))
    entry = {"initialValuesDataType": "INT32", "initialValues": {"sourcePath": "a.npy"}}
    assert [v.rule for v in violations(resource(entry), folder=tmp_path)] == ["initial-values.type"]
    entry["initialValuesDataType"] = "FLOAT32"
    assert parse(resource(entry), folder=tmp_path).resources["a"].initial.element_count == 3
    np.save(tmp_path / "a.npy", np.zeros((3, 0), np.float32))
    assert [v.rule for v in violations(resource(entry), folder=tmp_path)] == ["initial-values.empty"]
