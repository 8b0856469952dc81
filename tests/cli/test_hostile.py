"""Hostile files and hostile surroundings: always a message, never a bug, and the next model has its turn."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from anydml.cli.main import main

Captured = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).parents[2] / "examples"
SLICE = str(EXAMPLES / "slice1_forward.json")
PRINTED = "Resource 'output': 2, 4, 10, 12\n"
FOUR = {"initialValuesDataType": "FLOAT32", "initialValues": [1, 2, 3, 4]}


def model(resource: Any = FOUR, target: str | None = None) -> str:
    """A model of one resource, which is written to a file or printed."""
    command = {"type": "print", "resource": "a"}
    if target is not None:
        command = {"type": "writeFile", "resource": "a", "targetPath": target, "dimensions": [1, 1, 2, 2]}  # type: ignore[dict-item]
    return json.dumps({"resources": {"a": resource}, "dispatchables": {}, "commands": [command]})


def source(path: str) -> str:
    return model({"initialValuesDataType": "FLOAT32", "initialValues": {"sourcePath": path}})


def npy(shape: str) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(64)


def pipe(path: Path) -> Path:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes in folders")
    os.mkfifo(path)
    return path


def array(here: Path, shape: str) -> str:
    (here / "a.npy").write_bytes(npy(shape))
    return source("a.npy")


def linked(here: Path, name: str, target: str) -> str:
    (here / name).symlink_to(target)
    return model(target=name)


def wide(here: Path) -> str:
    """A picture wider than JPEG allows."""
    text = model({**FOUR, "initialValues": {"valueCount": 70_000, "value": 1}}, "w.jpg")
    return text.replace("[1, 1, 2, 2]", "[1, 1, 1, 70000]")


HOSTILE: dict[str, Callable[[Path], str]] = {
    "a shape of 5000 digits": lambda here: array(here, f"({'9' * 5000},)"),
    "a shape of 240 sizes": lambda here: array(here, f"({('9' * 20 + ', ') * 240})"),
    "1500 folders to write to": lambda here: model(target="a/" * 1500 + "x.bin"),
    "600000 folders to write to": lambda here: model(target="a/" * 600_000 + "x.bin"),
    "600000 folders to read from": lambda here: source("a/" * 600_000 + "x.npy"),
    "a link to an image": lambda here: linked(here, "pic.bin", "real.png"),
    "a link to a raw file": lambda here: linked(here, "arr.npy", "data.bin"),
    "a link to itself": lambda here: linked(here, "arr.npy", "arr.npy"),
    "a pipe to write to": lambda here: model(target=pipe(here / "p.bin").name),
    "a pipe to read from": lambda here: source(str(pipe(here / "p.npy"))),
    "a device to read from": lambda here: source("/dev/zero"),
    "a wide picture": wide,
    "a name with a zero": lambda here: source("a\0b.npy"),
    "half a character": lambda here: source("x").replace('"x"', '"\\ud800.npy"'),
    "a deep list": lambda here: "[" * 100_000,
    "an open comment": lambda here: "{ /* " + "x" * 100_000,
    "a number of 10000 digits": lambda here: "[" + "1" * 10_000 + "]",
    "bytes that are no text": lambda here: "\udcff",
}


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_model__is_told_and_the_next_one_runs(
    name: str, command: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "hostile.json"
    path.write_bytes(HOSTILE[name](tmp_path).encode("utf-8", "surrogateescape"))
    status = main([command, str(path), SLICE])
    captured = capsys.readouterr()
    assert "bug" not in captured.err + captured.out and "Traceback" not in captured.err
    if command == "run":
        assert status == 1 and captured.out.endswith(PRINTED) and "hostile.json" in captured.err
    else:
        assert captured.out.endswith("slice1_forward.json: no problems\n")


def test_model__that_is_no_regular_file_is_told_at_once(tmp_path: Path, capsys: Captured) -> None:
    names = [str(pipe(tmp_path / "p.json")), "/dev/zero", "/dev/null", str(tmp_path), "/proc/kmsg", "a\0b", "x" * 5000]
    assert main(["run", *names, SLICE]) == 1
    captured = capsys.readouterr()
    assert captured.out.endswith(PRINTED) and len(captured.err.splitlines()) == len(names)
    assert "p.json: found a pipe, expected a model file" in captured.err and "/dev/zero: found a device" in captured.err


def test_compare__with_far_more_values_reads_none_of_them(tmp_path: Path, capsys: Captured) -> None:
    """Ten terabytes that take no space on the disk, and must not take any in memory either."""
    with (tmp_path / "huge.npy").open("wb") as file:
        file.write(npy(f"({10**13 // 4},)"))
        try:
            file.truncate(10**13 + 200)
        except OSError:
            pytest.skip("this system has no files of that size")
    assert main(["run", SLICE, "--compare", str(tmp_path / "huge.npy")]) == 1
    assert "found 2500000000000 values, expected 4" in capsys.readouterr().err


# Failures inside


def test_bug__is_told_and_the_next_model_runs(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    from anydml.frontends.dxdispatch import parse

    read = parse.read_model

    def broken(path: str, *rest: Any, **options: Any) -> Any:
        if "broken" in path:
            raise RecursionError("too deep\x1b")
        return read(path, *rest, **options)

    monkeypatch.setattr(parse, "read_model", broken)
    assert main(["run", "broken.json", SLICE]) == 70
    captured = capsys.readouterr()
    assert captured.out.endswith(PRINTED)
    assert captured.err.startswith(
        "broken.json: a bug in anydml: RecursionError: too deep\\x1b\nset ANYDML_TRACEBACK=1"
    )
    assert main(["check", "broken.json", SLICE]) == 70
    out = capsys.readouterr().out
    assert "broken.json: a bug in anydml" in out and out.endswith("no problems\n") and "broken.json: no" not in out
    assert main(["run", "broken.json", SLICE, "--json"]) == 70
    first, second = json.loads(capsys.readouterr().out)["models"]
    assert "RecursionError" in first["error"] and not first["ok"] and second["ok"]
    monkeypatch.setenv("ANYDML_TRACEBACK", "1")
    with pytest.raises(RecursionError):
        main(["run", "broken.json", SLICE])


@contextmanager
def failing(at: int, error: type[BaseException]) -> Iterator[list[int]]:
    """Raise an error at the n-th call of a function of the package, whichever that is."""
    calls = [0]

    def watch(frame: Any, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename
        if frame.f_code.co_flags & inspect.CO_GENERATOR:
            return  # it may be called to be closed, and then Python drops the error
        if event == "call" and ("/anydml/frontends/" in name or "/anydml/files/" in name or "/anydml/core/" in name):
            calls[0] += 1
            if calls[0] == at:
                raise error

    sys.setprofile(watch)
    try:
        yield calls
    finally:
        sys.setprofile(None)


FAILING = [str(EXAMPLES / name) for name in ("numpy_files.json", "edges.json", "mixed_types.json")]


def run_failing(at: int, error: type[BaseException], folder: Path) -> tuple[int, int]:
    with failing(at, error) as calls:
        return main(["run", *FAILING, "--output_path", str(folder)]), calls[0]


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_error_anywhere__is_a_message_and_leaves_nothing_behind(
    error: type[BaseException], tmp_path: Path, capsys: Captured
) -> None:
    run_failing(0, error, tmp_path)  # what is loaded at first use is loaded now
    capsys.readouterr()
    status, calls = run_failing(0, error, tmp_path)
    assert status == 0 and calls > 1000
    told, places = 0, range(1, calls, calls // 12)
    for at in places:
        status, _ = run_failing(at, error, tmp_path)
        captured = capsys.readouterr()
        assert status in ((1, 0) if error is MemoryError else (130,)), captured.err
        assert "bug" not in captured.err and "Traceback" not in captured.err
        assert status == 0 or "too little memory" in captured.err or "interrupted" in captured.err
        assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".part")]
        told += status != 0
    assert told > len(places) * 0.9


def limited(words: list[str], megabytes: int) -> subprocess.CompletedProcess[str]:
    """The command line in a process that may have this much memory."""
    code = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20},) * 2); "
        "from anydml.__main__ import start; sys.exit(start())"
    )
    settings = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, env=settings, check=False
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_too_little_memory__is_told_and_the_next_model_runs(tmp_path: Path) -> None:
    (tmp_path / "values.json").write_text(model({**FOUR, "initialValues": {"valueCount": 200_000_000, "value": 0}}))
    (tmp_path / "lists.json").write_text("[" + "[1]," * 900_000 + "1]")
    with (tmp_path / "file.npy").open("wb") as file:
        file.write(npy(f"({120 << 20},)"))
        file.truncate(500 << 20)  # takes no space on the disk
    (tmp_path / "file.json").write_text(source("file.npy"))
    names = [str(tmp_path / name) for name in ("values.json", "lists.json", "file.json")]
    done = limited(["run", *names, SLICE], 400)
    assert done.returncode == 1 and done.stdout.endswith(PRINTED), done.stderr
    assert done.stderr.count("too little memory") == 3 and "Traceback" not in done.stderr, done.stderr


# Streams, signals and encodings


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "line",
    ["--help", "--version", "run --help", f"run {SLICE}", f"run {SLICE} --json", f"check {SLICE}",
     "check no.json --json", f"check {SLICE} --json", f"run {SLICE} --device null", "explain FLOAT32 2,3",
     "explain FLOAT32 2,3 --json"],
)  # fmt: skip
def test_full_disk__is_told(line: str, unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "anydml", *line.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "error: output: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_full_disk__leaves_the_status_of_a_wrong_command_line() -> None:
    words = [sys.executable, "-m", "anydml", "run", SLICE, "--json", "--device", "gpu"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2 and done.stderr.startswith("error: --device") and done.stderr.count("error") == 1
        assert subprocess.run(words, stdout=full, stderr=full, check=False).returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to send")
@pytest.mark.parametrize("words", [["-m", "anydml"], ["-c", "from anydml.__main__ import start; exit(start())"]])
@pytest.mark.parametrize(
    ("module", "ended"), [("argparse", (-signal.SIGINT, "", "")), ("numpy", (130, "", "error: interrupted\n"))]
)
def test_interrupt__at_start_is_quiet(
    words: list[str], module: str, ended: tuple[int, str, str], tmp_path: Path
) -> None:
    """A user who changes their mind at once meets the imports: those of the command line, then NumPy's."""
    (tmp_path / f"{module}.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(20)\n"
    )
    done = subprocess.run(
        [sys.executable, *words, "run", SLICE],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        check=False,
        # Whatever runs in the background of a shell, these tests perhaps, inherits that interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (done.returncode, done.stdout, done.stderr) == ended


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locale")
def test_names__beyond_the_encoding_of_the_system_are_told(tmp_path: Path) -> None:
    """In the C locale without UTF-8 the system's names are ASCII, and a model may still ask for others."""
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    (tmp_path / "größe").mkdir()
    texts = {
        "write.json": model(target="größe.npy"),
        "folder.json": model(target="größe/a.npy"),
        "read.json": source("größe.npy"),
        "name.json": model().replace('"a"', '"größe"'),
        "größe.json": model(),
        "größe/\N{GRINNING FACE}.json": model(target="a.npy"),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    names = [str(tmp_path / name) for name in texts]
    for options in ([], ["--output_path", str(tmp_path / "größe")], ["--json"], ["--verbose", "--print_commands"]):
        done = subprocess.run(
            [sys.executable, "-m", "anydml", "run", *names, SLICE, *options],
            capture_output=True,
            env=plain,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 1 and b"bug" not in done.stderr and b"Traceback" not in done.stderr
        assert b"Resource 'output': " in done.stdout
        told = done.stdout.decode() + done.stderr.decode()
        assert told.isascii() and told.count("encoding (ascii)") == 2
