"""The example programs do what they say."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.pydirectml.data import DATA, NEEDS_DATA

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name: str) -> ModuleType:
    spec = spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_preprocess__is_one_step_and_right() -> None:
    example = load("preprocess")
    run = example.pipeline()
    assert len(run.plan.steps) == 1, run.plan.describe()
    pictures = np.random.default_rng(3).integers(
        0, 256, (example.BATCH, example.HEIGHT, example.WIDTH, 3), dtype=np.uint8
    )
    np.testing.assert_allclose(run(pictures), example.with_numpy(pictures), atol=1e-5)


def test_preprocess__compares_equal_pictures() -> None:
    *seconds, difference = load("preprocess").compare(rounds=2)
    assert difference < 1e-5 and all(each > 0 for each in seconds)


def test_transformer__agrees_with_numpy(capsys: pytest.CaptureFixture[str]) -> None:
    assert load("transformer").main() == 0
    assert "MULTIHEAD_ATTENTION" in capsys.readouterr().out


@NEEDS_DATA
def test_classify__shows_the_top_five(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--weights", str(DATA / "squeezenet_tensor_data"), "--image", str(DATA / "dog2.jpg")]
    assert load("classify").main([*words, "--labels", str(DATA / "imagenet_categories.txt")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5 and lines[0].endswith("Labrador retriever") and float(lines[0].split("%")[0]) > 50


def test_classify__says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from PIL import Image

    Image.new("RGB", (300, 200)).save(tmp_path / "black.png")
    assert load("classify").main(["--weights", str(tmp_path), "--image", str(tmp_path / "black.png")]) == 1
    assert "squeezenet0_conv0_weight.npy" in capsys.readouterr().err
