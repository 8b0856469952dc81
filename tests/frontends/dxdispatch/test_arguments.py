"""Odd arguments of the Python functions: an error of ours that names them, never a TypeError from within."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.files import access, images, npy
from anydml.files.compare import compare, read_expected
from anydml.files.json_reader import read_json
from anydml.files.sources import Sources
from anydml.frontends.dxdispatch import parse_model, read_model
from anydml.frontends.dxdispatch.executor import Executor, Options
from anydml.frontends.serialized import read_graph
from anydml.runtime.device import Device
from tests.frontends.dxdispatch.models import RELU

TEXT = json.dumps(RELU)
ZEROS = np.zeros(4, np.float32)


class Path8:
    """A path of bytes."""

    def __fspath__(self) -> bytes:
        return b"x"


ODD: list[Any] = [
    None, 0, 5, -1, 1.5, True, float("nan"), 10**30, 1j, "", "x", "a\0b", "\ud800", "x" * 5000, b"", b"x", b"\xff",
    [], [1], {}, (), set(), object(), type, print, Path(), Path("no such file"), Path8(), bytearray(b"x"),
    memoryview(b"x"), np.float32(1), np.zeros(3), np.zeros((2, 2, 2)), np.array("x"), np.zeros(2, object), Ellipsis,
    range(3), lambda: None,
]  # fmt: skip
MODEL = parse_model(TEXT)
CALLS: dict[str, Callable[[Any], Any]] = {
    "parse_model(source)": parse_model,
    "parse_model(name)": lambda odd: parse_model(TEXT, name=odd),
    "parse_model(folder)": lambda odd: parse_model(TEXT, folder=odd),
    "parse_model(feature_level)": lambda odd: parse_model(TEXT, feature_level=odd),
    "parse_model(input_path)": lambda odd: parse_model(TEXT, input_path=odd),
    "parse_model(allow_outside)": lambda odd: parse_model(TEXT, allow_outside=odd),
    "parse_model(budget)": lambda odd: parse_model(TEXT, budget=odd),
    "read_model(path)": read_model,
    "read_model(input_path)": lambda odd: read_model("no such file", input_path=odd),
    "read_model(allow_outside)": lambda odd: read_model("no such file", allow_outside=odd),
    "read_graph(path)": read_graph,
    "read_graph(allow_outside)": lambda odd: read_graph("no such file", allow_outside=odd),
    "read_model(feature_level)": lambda odd: read_model(Path(__file__), feature_level=odd),
    "Options(output_folder)": lambda odd: Options(output_folder=odd),
    "Options(iterations)": lambda odd: Options(iterations=odd),
    "Executor(model)": lambda odd: Executor(odd, Device(), Options(), str),
    "Executor(device)": lambda odd: Executor(MODEL, odd, Options(), str),
    "Executor(options)": lambda odd: Executor(MODEL, Device(), odd, str),
    "Executor(write)": lambda odd: Executor(MODEL, Device(), Options(), odd),
    "Executor(tick)": lambda odd: Executor(MODEL, Device(), Options(), str, odd),
    "read_json(source)": read_json,
    "read_json(name)": lambda odd: read_json("{", odd),
    "find(text)": lambda odd: Sources.of_model(Path()).find(odd),
    "find(text) anywhere": lambda odd: Sources.of_model(Path(), allow_outside=True).find(odd),
    "of_model(folder)": lambda odd: Sources.of_model(odd).find("no such file"),
    "of_model(input_path)": lambda odd: Sources.of_model(Path(), odd).find("no such file"),
    "of_model(allow_outside)": lambda odd: Sources.of_model(Path(), allow_outside=odd),
    "find_target(text)": lambda odd: access.find_target(odd, Path()),
    "find_target(folder)": lambda odd: access.find_target("x.bin", odd),
    "check_target": access.check_target,
    "read_bytes": lambda odd: access.read_bytes(odd, 1),
    "read_header": npy.read_header,
    "parse_header": lambda odd: npy.parse_header(odd, 1),
    "read_array": npy.read_array,
    "image_sizes": images.image_sizes,
    "read_image(path)": lambda odd: images.read_image(odd, (3, 1, 1)),
    "read_image(sizes)": lambda odd: images.read_image(__file__, odd),
    "to_image(values)": lambda odd: images.to_image(odd, ".png"),
    "to_image(extension)": lambda odd: images.to_image(np.zeros((1, 1, 1)), odd),
    "read_expected(file)": lambda odd: read_expected(odd, "FLOAT32", 1),
    "read_expected(data_type)": lambda odd: read_expected("no such file", odd, 1),
    "read_expected(count)": lambda odd: read_expected("no such file", "FLOAT32", odd),
    "compare(found)": lambda odd: compare(odd, ZEROS, 0, 0, 0),
    "compare(expected)": lambda odd: compare(ZEROS, odd, 0, 0, 0),
    "compare(ulp)": lambda odd: compare(ZEROS, ZEROS, odd, 0, 0),
    "compare(absolute)": lambda odd: compare(ZEROS, ZEROS, 0, odd, 0),
    "compare(relative)": lambda odd: compare(ZEROS, ZEROS, 0, 0, odd),
}


@pytest.mark.parametrize("name", CALLS)
def test_odd_argument__is_taken_or_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = 0
    for odd in ODD:
        try:
            CALLS[name](odd)
        except dml.DmlError as error:
            assert len(str(error)) < 6000
            told += 1
    assert told > len(ODD) // 4
    assert not list(tmp_path.iterdir())


def test_argument__is_named() -> None:
    with pytest.raises(dml.ModelError, match=r"^source: found 5, expected text or bytes"):
        parse_model(5)  # type: ignore[arg-type]
    with pytest.raises(dml.ModelError, match=r"^folder: found None, expected a path: text or a Path"):
        parse_model(TEXT, folder=None)  # type: ignore[arg-type]
    with pytest.raises(dml.DmlError, match=r"^budget: found 'much', expected an integer"):
        parse_model(TEXT, budget="much")  # type: ignore[arg-type]
