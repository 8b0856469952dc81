"""The pages are true: their commands and programs run, their links and pictures are there.

What a fence's first line says is told in CONTRIBUTING.md, under "Pages".
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md")
    for path in ROOT.glob(pattern)
    if path.read_text("utf-8").strip()
)
SECONDS_A_COMMAND = 240
FENCE = re.compile(
    r"^(?P<indent> *)(?P<mark>`{3,}|~{3,}) *(?P<words>[^\n`]*)\n(?P<body>.*?)^ *(?P=mark) *$", re.M | re.S
)
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|<(?:img|a)\s[^>]*(?:src|href)=\"([^\"]+)\"")
RUNNER = """
import doctest, json, sys
import numpy as np
import anydml as dml
names = {"dml": dml, "np": np, "__name__": "__main__"}
for line, words, text in json.load(sys.stdin):
    if text.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(text, names, f"line {line}", None, line)
        if doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test).failed:
            sys.exit(1)
        names.update(test.globs)
        continue
    code = compile("\\n" * line + text, sys.argv[1], "exec")
    if "raises" not in words:
        exec(code, names)
        continue
    try:
        exec(code, names)
    except dml.DmlError:
        continue
    sys.exit(f"line {line}: raised nothing")
"""


@dataclass(frozen=True)
class Block:
    """A fenced block: where it starts, its language, the words after that, its text."""

    line: int
    language: str
    words: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Command:
    line: int
    text: str
    words: tuple[str, ...]
    output: str


def blocks_of(page: str) -> list[Block]:
    found = []
    for match in FENCE.finditer(page):
        language, *words = match["words"].split() or [""]
        indent = len(match["indent"])
        text = "".join(
            line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in match["body"].splitlines(True)
        )
        found.append(Block(page.count("\n", 0, match.start()) + 1, language, tuple(words), text))
    return found


def commands_of(block: Block) -> Iterator[Command]:
    """Lines after `$ `, or, where no line has one, lines that start with anydml or python."""
    lines = block.text.replace("\\\n", " ").splitlines()
    prompted = any(line.startswith("$ ") for line in lines)
    current: list[str] | None = None
    commands: list[list[str]] = []
    for line in lines:
        if line.startswith("$ ") or (not prompted and line.startswith(("anydml ", "python "))):
            commands.append([line.removeprefix("$ ")])
            current = commands[-1]
        elif current is not None:
            current.append(line)
    for text, *output in commands:
        if text.split()[0] in ("anydml", "python") and "not-run" not in block.words:
            yield Command(block.line, text, block.words, "\n".join(output).strip())


def run(command: Command, folder: Path) -> str:
    """What is wrong after running it, or nothing."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command.text,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS_A_COMMAND,
        stdin=subprocess.DEVNULL,
    )
    told = (
        f"line {command.line}: `{command.text}` ended with {done.returncode}\n{done.stdout[-800:]}{done.stderr[-800:]}"
    )
    if "Traceback" in done.stderr or done.returncode != (2 if "fails" in command.words else 0):
        return told
    if "exact" in command.words and command.output != (done.stdout + done.stderr).strip():
        return f"{told}\nwhere the page has\n{command.output}"
    return ""


def run_programs(name: str, blocks: list[Block], folder: Path) -> subprocess.CompletedProcess[str]:
    """The Python blocks of a page, in order, as one program."""
    programs = [
        (block.line, block.words, block.text)
        for block in blocks
        if block.language in ("python", "py", "pycon") and "not-run" not in block.words
    ]
    return subprocess.run(
        [sys.executable, "-c", RUNNER, name],
        input=json.dumps(programs),
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS_A_COMMAND,
    )


def anchors_of(page: str) -> set[str]:
    """The names GitHub gives to headings."""
    headings = re.findall(r"^#+ +(.+?) *#*$", FENCE.sub("", page), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(path: Path) -> list[str]:
    prose = re.sub(r"`[^`\n]*`", "", FENCE.sub("", path.read_text("utf-8")))
    broken = []
    for groups in LINK.findall(prose):
        target, _, anchor = next(filter(None, groups)).partition("#")
        if ":" in target.split("/")[0]:  # https:, mailto:
            continue
        other = (path.parent / target) if target else path
        missing = not other.exists()
        if missing or (anchor and other.suffix == ".md" and anchor not in anchors_of(other.read_text("utf-8"))):
            broken.append(f"{target}#{anchor}" if anchor else target)
    return broken


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A place to run in that has the examples and may be written to."""
    if (ROOT / "examples").exists():
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def by_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_commands__succeed(page: Path, folder: Path) -> None:
    blocks = [b for b in blocks_of(page.read_text("utf-8")) if b.language in ("console", "sh", "bash", "shell")]
    wrong = [run(command, folder) for block in blocks for command in commands_of(block)]
    assert not any(wrong), "\n".join(filter(None, wrong))


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_programs__run(page: Path, folder: Path) -> None:
    done = run_programs(page.name, blocks_of(page.read_text("utf-8")), folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_links__lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_pages__are_found() -> None:
    assert {"CONTRIBUTING.md", "CHANGELOG.md"} <= {page.name for page in PAGES}


SAMPLE = """# Sample page

```console
$ anydml explain FLOAT32 2,3
two lines
of output
$ pip install something
$ python -c "print(1)" \\
    2
```

```sh
anydml explain FLOAT32 4
cd somewhere
```

```console not-run
$ anydml explode
```

  ```python
  if True:
      x = 1
  ```
"""


def test_blocks__are_read_as_written() -> None:
    blocks = blocks_of(SAMPLE)
    assert [(block.language, block.words) for block in blocks] == [
        ("console", ()),
        ("sh", ()),
        ("console", ("not-run",)),
        ("python", ()),
    ]
    commands = [command for block in blocks[:3] for command in commands_of(block)]
    assert [command.text.split() for command in commands] == [
        ["anydml", "explain", "FLOAT32", "2,3"],
        ["python", "-c", '"print(1)"', "2"],
        ["anydml", "explain", "FLOAT32", "4"],
    ]
    assert commands[0].output == "two lines\nof output"
    assert blocks[3].text == "if True:\n    x = 1\n" and blocks[3].line == 21


@pytest.mark.parametrize(
    ("text", "words", "output", "good"),
    [
        ('python -c "print(7)"', (), "", True),
        ('python -c "print(7)"', ("exact",), "7", True),
        ('python -c "print(7)"', ("exact",), "8", False),
        ('python -c "raise SystemExit(1)"', (), "", False),
        ('python -c "raise SystemExit(2)"', ("fails",), "", True),
        ('python -c "1/0"', ("fails",), "", False),
    ],
)
def test_run__tells_what_went_wrong(text: str, words: tuple[str, ...], output: str, good: bool, tmp_path: Path) -> None:
    assert (run(Command(1, text, words, output), tmp_path) == "") is good


@pytest.mark.parametrize(
    ("language", "words", "text", "good"),
    [
        ("python", (), "dml.Layout((2, 3))", True),
        ("python", (), "dml.Layout((0,))", False),
        ("python", ("raises",), "dml.Layout((0,))", True),
        ("python", ("raises",), "dml.Layout((2,))", False),
        ("python", ("not-run",), "1 / 0", True),
        ("python", (), ">>> dml.Layout((2, 3)).span\n6\n", True),
        ("pycon", (), ">>> dml.Layout((2, 3)).span\n7\n", False),
        ("text", (), "1 / 0", True),
    ],
)
def test_run_programs__tells_what_went_wrong(
    language: str, words: tuple[str, ...], text: str, good: bool, tmp_path: Path
) -> None:
    done = run_programs("page.md", [Block(1, language, words, text)], tmp_path)
    assert (done.returncode == 0) is good, done.stdout + done.stderr


def test_broken_links__are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A page: with words\n[here](#a-page-with-words) [gone](#gone) ![no](no.svg) [no](no.md) [self](page.md)\n"
        '<img src="no.png"> `[code](nothing)` [out](https://example.org/x)\n',
        "utf-8",
    )
    assert broken_links(page) == ["#gone", "no.svg", "no.md", "no.png"]
