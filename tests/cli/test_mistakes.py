"""Mistakes on the command line: each is told with what to type instead, and typing that succeeds."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from anydml.cli.completion import SHELLS, words_by_command
from anydml.cli.main import SUBCOMMANDS, main

ROOT = Path(__file__).resolve().parents[2]
Captured = pytest.CaptureFixture[str]
MISTAKES = [
    ("exlpain FLOAT32 2,3", "anydml explain", "explain FLOAT32 2,3"),
    ("explian FLOAT32 2,3", "anydml explain", "explain FLOAT32 2,3"),
    ("explain FLOAT32", "anydml explain FLOAT32 2,3", "explain FLOAT32 2,3"),
    ("explain 2,3", "anydml explain FLOAT32 2,3", "explain FLOAT32 2,3"),
    ("explain FLOAT32 2,3 --stride 5,1 --widnow x", "--window", "explain FLOAT32 2,3 --strides 5,1 --window sizes=2,3"),
    ("explain FLOAT32 2,3 --svg x.png", "x.svg", "explain FLOAT32 2,3 --svg x.svg"),
    ("explain FLOAT32 2,3 --html x", "x.html", "explain FLOAT32 2,3 --html x.html"),
    ("explain FLOAT33 2,3", "'FLOAT32'", "explain FLOAT32 2,3"),
    ("explain FLOAT32 2x3,4", "2,3 or 2x3", "explain FLOAT32 2,3"),
    ("explain FLOAT32 2,3 --strides 5", "no strides at all", "explain FLOAT32 2,3"),
    ("explain FLOAT32 2,3 --total-bytes 25", "28", "explain FLOAT32 2,3 --total-bytes 28"),
    ("explain FLOAT32 2,3 --index 2,0", "[1, 0]", "explain FLOAT32 2,3 --index [1,0]"),
    ("explain FLOAT32 2,3 --values 6:1", "1:16", "explain FLOAT32 4,4 --values 1:16"),
    ("explain FLOAT32 4,4 --window offset=0,1", "'offsets'", "explain FLOAT32 4,4 --window offsets=0,1"),
    ("size FLOAT32", "anydml size FLOAT32 2,3", "size FLOAT32 2,3"),
    ("size FLOT32 2,3", "'FLOAT32'", "size FLOAT32 2,3"),
    ("run examples/padded_transpose.py", "examples/padded_transpose.json", "run examples/padded_transpose.json"),
    ("run examples/slice1_revresed.json", "examples/slice1_reversed.json", "run examples/slice1_reversed.json"),
    ("run examples/slice1_reversed.jsn", "examples/slice1_reversed.json", "run examples/slice1_reversed.json"),
    ("run examples", "examples/broadcast_add.json", "run examples/broadcast_add.json"),
    ("check examples/slice1_forwrad.json", "examples/slice1_forward.json", "check examples/slice1_forward.json"),
    ("run examples/slice1_reversed.json --device gpu", "'auto'", "run examples/slice1_reversed.json --device auto"),
    (
        "run examples/slice1_reversed.json --dml_feature_level 7.0",
        "'6.4'",
        "run examples/slice1_reversed.json --dml_feature_level 6.4",
    ),
    (
        "explain --graph examples/edges.json --device gpu",
        "--device: found 'gpu', expected one of cpu, cuda",
        "explain --graph examples/edges.json --device auto",
    ),
    ("run examples/edges.json --device gpu", "null, auto; try 'auto'", "run examples/edges.json --device auto"),
    ("run --foo examples/edges.json", "its options are --help", "run examples/edges.json"),
    ("run nofile.json", "expected a model file; try another path", "run examples/edges.json"),
    ("ops SLICE1 GATHER", "anydml ops SLICE1", "ops SLICE1"),
    ("ops FOO", "found no operator about 'FOO' at feature level 6.4\n", "ops FLOOR"),
    ("ops SLICE1 --level 7", "--level: found '7', expected 1.0 to 6.4", "ops SLICE1 --level 6.4"),
    ("explain", "found no TYPE and no SIZES, expected both; try anydml explain FLOAT32 2,3", "explain FLOAT32 2,3"),
    (
        "explain FLOAT32 2,3 --values README.npy",
        "starts with b'# anydml', expected an .npy",
        "explain FLOAT32 2,3",
    ),
    ("explain FLOAT32 2,3 --values 1:5", "1:6 on a command line [values.count]", "explain FLOAT32 2,3 --values 1:6"),
    (
        "explain FLOAT32 2,3 --svg /no/where/x.svg",
        f"no folder {str(Path('/no/where'))!r}",
        "explain FLOAT32 2,3 --svg x.svg",
    ),
    (
        "explain FLOAT32 2,3 --window offsets=1,0 sizes=4,3",
        "try 1 [",
        "explain FLOAT32 2,3 --window sizes=1,3",
    ),
    ("bench graph --weights examples/expected/none", "found 'examples/expected/none', expected a folder", "devices"),
    ("bench graph --weights folder", "no .npy files in 'folder'", "devices"),
    ("rule stride.count", "strides.count", "rule strides.count"),
    ("completion bsh", "anydml completion bash", "completion bash"),
    ("bench mvoes", "anydml bench moves", "bench moves --size 4K --repeat 1 --patterns reversed"),
]


@pytest.mark.parametrize(("wrong", "piece", "right"), MISTAKES, ids=[wrong[:60] for wrong, _, _ in MISTAKES])
def test_mistake__is_told_with_what_succeeds(
    wrong: str, piece: str, right: str, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "README.md", tmp_path)
    shutil.copy(ROOT / "README.md", tmp_path / "README.npy")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(wrong.split()) in (1, 2)
    printed = capsys.readouterr()
    assert piece in printed.err + printed.out, printed.err
    assert "Traceback" not in printed.err and "usage:" not in printed.err
    assert main(right.split()) == 0, capsys.readouterr().err


def test_size__is_what_directmls_helper_gives(capsys: Captured) -> None:
    for line, told in {
        "FLOAT32 2,3 --strides 5,1": "32 bytes: 8 elements of 4 bytes\n",
        "UINT8 5": "8 bytes: 5 elements of 1 byte, 3 more up to a multiple of 4\n",
        "INT4 9": "8 bytes: 9 elements of 4 bits, 3 more up to a multiple of 4\n",
        "FLOAT32 1 3 4 4 --order NHWC": "192 bytes: 48 elements of 4 bytes\n",
        "FLOAT32 2,3 --strides 0,1 --json": '{"bytes": 12, "elements": 3, "bits_per_element": 32}\n',
    }.items():
        assert main(["size", *line.split()]) == 0
        assert capsys.readouterr().out == told


def test_rule__says_what_a_message_means(capsys: Captured) -> None:
    assert main(["rule", "[strides.count]"]) == 0
    assert capsys.readouterr().out == "strides.count: There is one stride for each size.\n"
    assert main(["rule"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 150


def test_completion__knows_every_command_and_option(capsys: Captured) -> None:
    words = words_by_command()
    assert set(words) == set(SUBCOMMANDS)
    assert {"FLOAT32", "--strides", "--values"} <= set(words["explain"]) and set(SHELLS) <= set(words["completion"])
    for shell in SHELLS:
        assert main(["completion", shell]) == 0
        script = capsys.readouterr().out
        assert all(name in script for name in SUBCOMMANDS) and "strides" in script


@pytest.mark.skipif(os.name == "nt", reason="Windows has no bash of its own")
def test_completion__completes_in_bash(capsys: Captured) -> None:
    bash = shutil.which("bash")
    assert bash, "bash is needed to test its completion"
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    for typed, expected in {
        "anydml expl": "explain",
        "anydml explain FLOAT3": "FLOAT32",
        "anydml run --dev": "--device",
    }.items():
        words = typed.split()
        ask = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _anydml; echo ${{COMPREPLY[@]}}"
        done = subprocess.run([bash, "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
        assert done.stdout.split() == [expected]
