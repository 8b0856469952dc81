"""The frame around every subcommand: help, versions, and failures without tracebacks."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from argparse import Namespace

import pytest

import anydml as dml
from anydml.cli import explain
from anydml.cli.main import main
from anydml.cli.terminal import Terminal

Captured = pytest.CaptureFixture[str]


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(
        [sys.executable, "-m", "anydml", *words], capture_output=True, encoding="utf-8", env=settings, check=False
    )


def test_version__is_the_packages(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"anydml {dml.__version__}\n"


def test_help__lists_commands_and_options(capsys: Captured) -> None:
    assert main(["--help"]) == 0
    assert "explain" in capsys.readouterr().out
    assert main(["explain", "--help"]) == 0
    assert "--window" in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["explode"], ["--nonsense"]], ids=["nothing", "unknown", "option"])
def test_usage_errors__have_status_2(words: list[str], capsys: Captured) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("error: ") and "--help" in printed.err


def test_module__runs_as_a_program() -> None:
    done = run("explain", "FLOAT32", "2,3", "--strides", "5,1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Padded" in done.stdout and "\033" not in done.stdout


def test_module__falls_back_to_ascii() -> None:
    done = run("explain", "FLOAT32", "2,3", "--strides", "5,1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and done.stdout.isascii() and "|xxx|xxx|" in done.stdout
    bad = run("explain", "FLOAT32", "2,№", PYTHONIOENCODING="ascii")
    assert bad.returncode == 2 and "\\u2116" in bad.stderr


def test_broken_pipe__is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "anydml", "explain", "FLOAT32", "2,3"]
    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    os.close(writer)
    assert done.stderr == "" and done.returncode == 141


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (OSError(28, "No space left", "big.svg"), 2, "big.svg: No space left"),
        (MemoryError("much"), 1, "found too little memory"),
        (ValueError("odd"), 70, "ValueError: odd"),
    ],
)
def test_failures__become_a_message(
    error: BaseException, status: int, told: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(args: Namespace) -> int:
        raise error

    monkeypatch.setattr(explain, "run", fail)
    assert main(["explain", "FLOAT32", "2,3"]) == status
    assert told in capsys.readouterr().err


def test_bugs__show_where_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(args: Namespace) -> int:
        raise ValueError("odd")

    monkeypatch.setattr(explain, "run", fail)
    monkeypatch.setenv("ANYDML_TRACEBACK", "1")
    with pytest.raises(ValueError, match="odd"):
        main(["explain", "FLOAT32", "2,3"])


class Screen(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def screen(encoding: str = "utf-8") -> Screen:
    return Screen(io.BytesIO(), encoding)


def test_terminal__has_colors_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "132")
    assert Terminal.of(screen()) == Terminal(132, color=True, unicode=True, is_interactive=True)
    assert not Terminal.of(screen("latin-1")).unicode
    assert not Terminal.of(io.TextIOWrapper(io.BytesIO(), "utf-8")).color
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Terminal.of(screen()).color
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert Terminal.of(screen()).paint("x", "1") == "x"


def test_terminal__of_a_closed_stream_is_plain() -> None:
    stream = io.StringIO()
    stream.close()
    assert not Terminal.of(stream).is_interactive
