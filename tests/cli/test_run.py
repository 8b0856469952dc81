"""`anydml run`, as its user meets it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anydml.cli.main import main
from anydml.cli.progress import Progress

Captured = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).parents[2] / "examples"
SLICE = str(EXAMPLES / "slice1_forward.json")
VALUES = [2.0, 4.0, 10.0, 12.0]


def run(*words: str) -> int:
    return main(["run", *words])


def test_run__prints_the_device_and_the_resource(capsys: Captured) -> None:
    assert run(SLICE) == 0
    assert capsys.readouterr().out == "Running on 'cpu'\nResource 'output': 2, 4, 10, 12\n"


def test_run__takes_several_models_and_goes_on_after_a_bad_one(tmp_path: Path, capsys: Captured) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{ # nothing\n}")
    assert run(SLICE, str(bad), SLICE, "--device", "reference") == 1
    captured = capsys.readouterr()
    assert captured.out.count("Resource 'output': 2, 4, 10, 12\n") == 2
    assert captured.out.startswith(f"Running on 'reference'\nModel '{SLICE}'\n")
    told = "found '#', expected JSON, or a comment after //; try // for a comment [json.comment]"
    assert captured.err == f"{bad}:1:3: {told}\n"


def test_run__prints_commands_and_times_when_asked(capsys: Captured) -> None:
    assert run(SLICE, "--print_commands", "-i", "3") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith(
        '[StartCmd][0000]\t: {"type":"dispatch","dispatchable":"slice","bindings":{"InputTensor":'
    )
    assert lines[2].startswith("Dispatch 'slice': 3 iterations, ") and lines[2].endswith(" ms median (CPU)")
    assert lines[3] == "[EndCmd][0000]\t: hr=0x00000000 "
    assert lines[5] == "Resource 'output': 2, 4, 10, 12"


def test_run__shows_shapes_when_verbose(capsys: Captured) -> None:
    assert run(SLICE, "--verbose") == 0
    assert "FLOAT32 [1, 1, 2, 2], 16 bytes\n[[[[2, 4],\n   [10, 12]]]]\n" in capsys.readouterr().out


def test_run__gives_json(capsys: Captured) -> None:
    assert run(SLICE, str(EXAMPLES / "clip_float16.json"), "--json", "--device", "null") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["device"] == "null" and [model["ok"] for model in report["models"]] == [True, True]
    assert report["models"][0]["resources"]["output"] == {"data_type": "FLOAT32", "values": [0.0] * 4}
    assert report["models"][1]["resources"]["values"]["values"][3:6] == ["nan", "inf", "-inf"]
    assert "SLICE1" in report["models"][0]["printed"]
    assert report["models"][0]["commands"][0]["iterations"] == 1


def test_run__gives_problems_as_json(tmp_path: Path, capsys: Captured) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"resources": {},\n "dispatchables": {}, "commands": [{"type": "print", "resource": "x"}]}')
    assert run(str(bad), "--json") == 1
    (model,) = json.loads(capsys.readouterr().out)["models"]
    (problem,) = model["problems"]
    assert not model["ok"]
    assert (problem["line"], problem["path"], problem["rule"]) == (2, "commands[0].resource", "model.name")


def expected_file(folder: Path, values: Any) -> str:
    np.save(folder / "expected.npy", np.array(values, np.float32).reshape(2, 2))
    return str(folder / "expected.npy")


@pytest.mark.parametrize("prefix", ["", "output="])
def test_compare__tells_equal_from_different(prefix: str, tmp_path: Path, capsys: Captured) -> None:
    file = expected_file(tmp_path, VALUES)
    assert run(SLICE, "--compare", prefix + file) == 0
    assert capsys.readouterr().out.endswith(
        f"Compare 'output' with '{file}': equal, 4 elements, 0 mismatches, 0 ULP at most\n"
    )
    near = expected_file(tmp_path, [2.0, 4.0, np.nextafter(np.float32(10), np.float32(11)), 12.0])
    assert run(SLICE, "--compare", prefix + near) == 1
    assert "different, 4 elements, 1 mismatch, 1 ULP at most\n  [2] found 10.0, expected" in capsys.readouterr().out
    for tolerance in (["--ulp", "1"], ["--atol", "0.1"], ["--rtol", "1e-3"]):
        assert run(SLICE, "--compare", prefix + near, *tolerance) == 0


def test_compare__with_what_does_not_fit_fails_before_the_run(tmp_path: Path, capsys: Captured) -> None:
    np.save(tmp_path / "wide.npy", np.zeros(4))
    np.save(tmp_path / "long.npy", np.zeros(5, np.float32))
    (tmp_path / "text.npy").write_text("no array")
    told = {
        "wide.npy": "found values of float64, expected float32 as the resource has; try saving them as float32",
        "long.npy": "found 5 values, expected 4 as the resource has",
        "text.npy": "found a file that starts with b'no array', expected an .npy file",
        "none.npy": "found no such file, expected an .npy file; try another path",
        "": "found a folder",
    }
    for name, message in told.items():
        assert run(SLICE, "--compare", f"output={tmp_path / name}") == 1
        captured = capsys.readouterr()
        assert captured.err.startswith(f"--compare {tmp_path / name}: {message}")
        assert captured.out == "Running on 'cpu'\n"


def test_compare__without_a_name_takes_what_the_model_shows_last(tmp_path: Path, capsys: Captured) -> None:
    model = tmp_path / "quiet.json"
    model.write_text('{"resources": {}, "dispatchables": {}, "commands": []}')
    assert run(str(model), "--compare", "x.npy") == 2
    assert "prints and writes nothing, expected RESOURCE=FILE.npy" in capsys.readouterr().err


class Full(io.TextIOWrapper):
    """A stream to a device that is full."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_output__that_cannot_be_written_is_a_failed_run(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Full(io.BytesIO(), "utf-8"))
    assert run(SLICE) == 1
    assert capsys.readouterr().err == "error: output: No space left on device\n"


USAGE = {
    "": "MODEL.json",
    f"{SLICE} --device gpu": "--device",
    f"{SLICE} --dml_feature_level 7.0": "--dml_feature_level",
    f"{SLICE} --input_path /no/such/folder": "--input_path",
    f"{SLICE} -i 0": "found '0', expected a whole number from 1 to 1000000000",
    f"{SLICE} -i -1": "found '-1', expected a whole number from 1 to 1000000000",
    f"{SLICE} -i {10**20}": f"found '{10**20}', expected a whole number from 1 to 1000000000",
    f"{SLICE} -i many": "found 'many', expected a whole number from 1 to 1000000000",
    f"{SLICE} --ulp {2**63}": f"found '{2**63}', expected a whole number from 0 to {2**63 - 1}",
    f"{SLICE} --ulp -1": "whole number",
    f"{SLICE} --atol nan": "number from 0",
    f"{SLICE} {SLICE} --compare x.npy": "--compare",
    f"{SLICE} --compare outptu=x.npy": "--compare: found 'outptu', expected a resource of the model; try 'output'",
    f"{SLICE} --ulp 1": "--ulp: found no --compare",
    f"{SLICE} --atol 0": "--atol: found no --compare",
    f"{SLICE} --rtol 0.5": "--rtol: found no --compare",
    f"{SLICE} --fast": "--fast",
}


@pytest.mark.parametrize("line", USAGE)
def test_bad_usage__ends_with_two(line: str, capsys: Captured) -> None:
    assert run(*line.split()) == 2
    error = capsys.readouterr().err
    assert USAGE[line] in error and "Traceback" not in error


def test_missing_models__end_with_one(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "net.onnx").touch()
    assert run(str(tmp_path / "no.json"), str(tmp_path), str(tmp_path / "net.onnx")) == 1
    error = capsys.readouterr().err
    assert "net.onnx: found an ONNX model" in error
    assert "no.json: found no such file, expected a model file" in error and "found a folder" in error


def test_files__go_to_the_output_folder_and_come_from_the_input_folder(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_bytes((EXAMPLES / "numpy_files.json").read_bytes())
    assert run(str(model), "--output_path", str(tmp_path / "new")) == 1  # ramp.npy is not beside it
    assert not (tmp_path / "new").exists()
    assert run(str(model), "--input_path", str(EXAMPLES), "--output_path", str(tmp_path / "new")) == 0
    assert sorted(path.name for path in (tmp_path / "new" / "out").iterdir()) == ["reversed.bin", "reversed.npy"]


def test_any_name__can_be_printed_to_any_stream(tmp_path: Path) -> None:
    model = json.loads(Path(SLICE).read_text("utf-8"))
    model["resources"]["größe \U0001f600"] = {"initialValuesDataType": "UINT8", "initialValues": [1]}
    model["commands"] = [{"type": "print", "resource": "größe \U0001f600"}]
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model), "utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "anydml", "run", str(path)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert result.returncode == 0 and b"gr\\xf6\\xdfe \\U0001f600': 1" in result.stdout and not result.stderr


CLOSED = {">&-": (0, ""), "2>&-": (0, "Running on 'cpu'\nResource 'output': 2, 4, 10, 12\n"), ">&- 2>&-": (0, "")}


@pytest.mark.parametrize("closing", CLOSED)
def test_closed_streams__change_nothing_but_what_is_seen(closing: str) -> None:
    words = ["sh", "-c", f'exec "$@" {closing}', "sh", sys.executable, "-m", "anydml", "run", SLICE]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    assert ((done.returncode, done.stdout), done.stderr) == (CLOSED[closing], "")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(("words", "status"), [([SLICE], 0), ([SLICE, "--json"], 0), (["no.json"], 1), ([], 2)])
def test_missing_streams__leave_the_status(
    words: list[str], status: int, stream: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(*words) == status
    before = capsys.readouterr()
    monkeypatch.setattr(sys, stream, None)
    assert run(*words) == status
    assert getattr(sys, stream) is None
    after = capsys.readouterr()
    kept = (before.err, after.err) if stream == "stdout" else (before.out, after.out)
    assert "--json" in words or kept[0] == kept[1]


ODD = "a\x1b[2J\n\0\x9b\u202eb größe \U0001f600"
SPELT = "a\\x1b[2J\\n\\x00\\x9b\\u202eb größe \U0001f600"


def test_names__cannot_steer_the_terminal(tmp_path: Path, capsys: Captured) -> None:
    model = json.loads(Path(SLICE).read_text("utf-8").replace('"slice"', json.dumps(ODD)))
    model["resources"][ODD] = model["resources"].pop("output")
    model["commands"][0]["bindings"]["OutputTensor"] = ODD
    model["commands"][1]["resource"] = ODD
    model["commands"] += [
        {"type": "print", "resource": ODD, "verbose": True},
        {"type": "writeFile", "resource": ODD, "targetPath": "\x9b\u202e.npy"},
    ]
    path = tmp_path / "odd\x1b[2J.json"
    path.write_text(json.dumps(model), "utf-8")
    words = [str(path), str(path), "--print_commands", "-i", "2", "--output_path", str(tmp_path)]
    assert run(*words) == 0 and run(*words, "--verbose") == 0
    printed = capsys.readouterr()
    assert f"Resource '{SPELT}': 2, 4, 10, 12\n" in printed.out and f"Resource '{SPELT}': FLOAT32 [" in printed.out
    assert f"Resource '{SPELT}':\n[0] 2 (0x" in printed.out and f"Dispatch '{SPELT}': 2 iterations" in printed.out
    assert f"Resource '{SPELT}' written to" in printed.out and "odd\\x1b[2J.json'\n" in printed.out
    assert not set(printed.out + printed.err) & set("\x1b\0\x9b\u202e")


def test_problems__cannot_steer_the_terminal(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "odd\x1b[2J\n.json"
    path.write_text(json.dumps({"resources": {ODD: 1}, "dispatchables": {ODD: {"type": ODD}}, "commands": [{ODD: 1}]}))
    assert run(str(path), str(path) + "\x9b") == 1 and main(["check", str(path)]) == 1
    assert run(str(path), "--\x1b[2J") == 2 and run(SLICE, "--compare", f"output={ODD}") == 1
    printed = capsys.readouterr()
    assert "odd\\x1b[2J\\n.json:1:" in printed.err and "odd\\x1b[2J\\n.json:1:" in printed.out
    assert not set(printed.out + printed.err) & set("\x1b\0\x9b\u202e")


class Screen(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def advance(progress: Progress, times: int) -> None:
    for _ in range(times):
        progress.next = 0.0  # as if enough time had passed
        progress.advance()


def test_progress__is_shown_on_a_terminal_and_goes_away() -> None:
    screen = Screen()
    with Progress(4, "running", screen) as progress:
        advance(progress, 2)
        assert "running ████████████░░░░░░░░░░░░ 2/4" in screen.getvalue()
    assert screen.getvalue().endswith("\r\033[K")


def test_progress__waits_a_moment_and_says_nothing_to_a_file() -> None:
    screen, file = Screen(), io.StringIO()
    Progress(9, "running", screen).advance()
    assert screen.getvalue() == ""
    advance(Progress(9, "running", file), 5)
    assert file.getvalue() == ""
