"""Running models: state persists, offsets hold, files are written, and failures name their place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.frontends.dxdispatch.models import RELU, changed, parse, printed, resource, run

FLOAT4 = {"DataType": "FLOAT32", "Sizes": [4]}


def writes(target: str, dimensions: list[int] | None = None, kind: str = "FLOAT16", **more: Any) -> dict[str, Any]:
    model = resource({"initialValuesDataType": kind, "initialValues": [1, 2, 3, 4, 5], **more})
    command = {"type": "writeFile", "resource": "a", "targetPath": target}
    model["commands"] = [command if dimensions is None else {**command, "dimensions": dimensions}]
    return model


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_run__prints_results(device: str) -> None:
    assert run(RELU, device=device)[0] == "Resource 'out': 0, 2, 0, 4\n"


def test_null_device__leaves_resources_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(RELU, device="null")[0] == "Resource 'out': 9, 9, 9, 9\n"
    assert "RELU" in capsys.readouterr().out


def test_commands__see_what_earlier_ones_left() -> None:
    model = copy.deepcopy(RELU)
    model["dispatchables"]["double"] = {
        "type": "ELEMENT_WISE_ADD",
        "desc": {"ATensor": FLOAT4, "BTensor": FLOAT4, "OutputTensor": FLOAT4},
    }
    double = {"type": "DISPATCH", "dispatchable": "double",
              "bindings": {"ATensor": "out", "BTensor": "out", "OutputTensor": "in"}}  # fmt: skip
    model["commands"] += [double, {"type": "Print", "resource": "in"}, model["commands"][0], model["commands"][1]]
    assert run(model)[0] == "Resource 'out': 0, 2, 0, 4\nResource 'in': 0, 4, 0, 8\nResource 'out': 0, 4, 0, 8\n"


def test_element_offset__moves_the_tensor() -> None:
    model = changed("resources", "in", "initialValues", to=[9, 9, 9, 9, 1, -2, 3, -4])
    for source in ({"elementOffset": 4}, {"elementOffset": 1, "elementSizeInBytes": 16}):
        extra = {"elementCount": 4, "format": "R32_FLOAT", "shape": [4], "counterOffsetBytes": 0}
        model["commands"][0]["bindings"]["InputTensor"] = {"name": "in", **source, **extra}
        assert run(model)[0] == "Resource 'out': 1, 0, 3, 0\n"


def test_owned_input__is_taken_at_initialization() -> None:
    model = copy.deepcopy(RELU)
    model["dispatchables"]["relu"]["desc"]["InputTensor"] = {**FLOAT4, "Flags": "DML_TENSOR_FLAG_OWNED_BY_DML"}
    model["dispatchables"]["relu"]["bindings"] = {"InputTensor": "in"}
    del model["commands"][0]["bindings"]["InputTensor"]
    assert run(model)[0] == "Resource 'out': 0, 2, 0, 4\n"


def test_verbose_option__prints_type_sizes_and_rows() -> None:
    model = changed("dispatchables", "relu", "desc", "InputTensor", to={"DataType": "FLOAT32", "Sizes": [2, 2]})
    model["dispatchables"]["relu"]["desc"]["OutputTensor"] = {"DataType": "FLOAT32", "Sizes": [2, 2], "Strides": [1, 2]}
    assert run(model, verbose=True)[0] == (
        "Resource 'out': FLOAT32 [2, 2], strides [1, 2], 16 bytes\n[[0, 2],\n [0, 4]]\n"
    )
    assert printed({"initialValues": [1, 2], "initialValuesDataType": "INT32"}, verbose=True) == (
        "INT32, 2 elements, 8 bytes\n[1, 2]"
    )
    mixed = [{"type": "UINT8", "value": 1}, {"type": "FLOAT32", "value": 0.5}]
    assert printed({"initialValues": mixed}, verbose=True) == "mixed types, 2 elements, 8 bytes\n1, 0.5"


@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (writes("a.npy"), (5,)),
        (writes("a.npy", sizeInBytes=16), (8,)),
        (writes("a.npy", [5, 1]), (5, 1)),
        (writes("a.NPY", [1, 2, 2]), (1, 2, 2)),
    ],
)
def test_npy__has_the_dimensions_asked_for(model: Any, shape: tuple[int, ...], tmp_path: Path) -> None:
    text, _ = run(model, tmp_path)
    (path,) = tmp_path.iterdir()
    array = np.load(path)
    assert array.dtype == np.float16 and array.shape == shape
    assert array.reshape(-1).tolist() == ([1, 2, 3, 4, 5] + [0] * 9)[: array.size]
    assert text == f"Resource 'a' written to '{path.resolve()}'\n"


def test_raw_file__holds_the_whole_buffer(tmp_path: Path) -> None:
    run(writes("sub/a.bin"), tmp_path)
    assert (tmp_path / "sub" / "a.bin").read_bytes() == np.array([1, 2, 3, 4, 5, 0], np.float16).tobytes()


@pytest.mark.parametrize(
    ("model", "rule"),
    [
        (writes("a.npy", [7]), "command.dimensions"),
        (writes("a.npy", [2**32 - 1] * 32), "command.dimensions"),
        (writes("a.npy", [1] * 33), "command.dimensions"),
        (writes("a.npy", [0]), "model.range"),
        (writes("a.npy", kind="UINT4"), "command.file-type"),
        (writes("a.png", [1, 1, 1, 5], kind="UINT8"), "command.file-type"),
        (writes("a.png", [1, 1, 5]), "command.dimensions"),
        (writes("a.png", [1, 2, 1, 2]), "command.dimensions"),
        (writes("a.png"), "command.dimensions"),
        (writes("a.txt"), "file.extension"),
        (writes("../a.npy"), "file.target"),
    ],
)
def test_bad_file__is_told_before_anything_runs(model: Any, rule: str, tmp_path: Path) -> None:
    with pytest.raises(dml.ModelError) as caught:
        run(model, tmp_path)
    assert rule in [violation.rule for violation in caught.value.violations]
    assert not list(tmp_path.iterdir())


def test_failed_write__names_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.npy").mkdir()
    with pytest.raises(dml.ModelError) as caught:
        run(writes("a.npy"), tmp_path)
    (violation,) = caught.value.violations
    assert (violation.rule, violation.path) == ("file.write", "commands[0].targetPath")
    lines = json.dumps(writes("a.npy"), indent=1).split("\n")
    assert "targetPath" in lines[violation.line - 1]  # type: ignore[attr-defined]


def test_vanished_file__names_the_resource(tmp_path: Path) -> None:
    (tmp_path / "v.dat").write_bytes(bytes(8))
    entry = {"initialValuesDataType": "INT32", "initialValues": {"sourcePath": "v.dat"}}
    model = parse(resource(entry), folder=tmp_path)
    (tmp_path / "v.dat").unlink()
    from anydml.frontends.dxdispatch.executor import Executor, Options
    from anydml.runtime.device import Device

    with pytest.raises(dml.ModelError, match=r"resources\.a\.sourcePath: found no such file"):
        Executor(model, Device(), Options(), lambda text: None).run()


def test_no_memory__is_told_and_not_raised_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("anydml.frontends.dxdispatch.executor.Executor._create", fail)
    with pytest.raises(dml.OutOfMemoryError, match=r"resources\.in: found too little memory"):
        run(RELU)
