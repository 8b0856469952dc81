"""Without a GPU everything else works, and messages say what is missing."""

from __future__ import annotations

import json

import pytest

import anydml as dml
import anydml.runtime.cuda
from anydml.cli.main import main
from anydml.runtime import backend
from anydml.runtime.cuda import driver


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anydml.runtime.cuda, "missing", lambda: "no NVIDIA driver")
    backend._load.cache_clear()


def test_cupy__is_told_how_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "find_spec", lambda name: None)
    assert driver.missing() == "CuPy is not installed: pip install 'anydml[cuda]'"


@pytest.mark.usefixtures("no_gpu")
def test_device__says_why_it_is_missing() -> None:
    with pytest.raises(dml.InvalidDescriptionError, match=r"'cuda' \(no NVIDIA driver\)"):
        dml.Device("cuda")


@pytest.mark.usefixtures("no_gpu")
def test_auto__is_the_processor() -> None:
    assert dml.Device("auto").name == "cpu"


@pytest.mark.usefixtures("no_gpu")
def test_devices__are_listed_with_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices"]) == 0
    assert "cuda       missing: no NVIDIA driver" in capsys.readouterr().out
    assert main(["devices", "--json"]) == 0
    found = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert found["cuda"]["missing"] == "no NVIDIA driver" and found["cpu"]["missing"] is None
    assert found["cpu"]["is_auto"]


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("what", ["moves", "compute"])
def test_bench__says_that_the_device_is_missing(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", what, "--device", "cuda"]) == 2
    assert "no NVIDIA driver" in capsys.readouterr().err
