"""Folders of files, links and pipes at random: a model writes under the name it says, or nowhere."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from anydml.files import access
from tests.fuzz.harness import Summary, call_cleanly, run_cases

FOLDERS = ["a", "b", "a/c"]
FILES = ["x.npy", "x.bin", "x.png", "a/x.npy", "b/x.dat", "a/c/x.npy", "a/x.bin"]
LINKS = ["x.npy", "y.npy", "y.bin", "a", "b", "d", "a/y.npy", "d/x.npy", "b/c", "x.png"]
TARGETS = [
    "x.npy", "y.npy", "a", "a/c", ".", "..", "../outside", "../outside/secret.npy", "none", "none.bin", "d", "b/x.dat",
    "a/x.npy", "/dev/null", "pipe.npy", "/tmp",
]  # fmt: skip
WRITTEN = [
    "x.npy", "x.bin", "x.dat", "x.png", "y.npy", "y.bin", "a/x.npy", "a/y.npy", "a/c/x.npy", "b/x.dat", "b/c/x.npy",
    "d/x.npy", "d/e/x.bin", "pipe.npy", "../outside/secret.npy", "a/../x.npy", "a/b/c/d.bin", "X.NPY",
]  # fmt: skip
VALUES = [0.25, 0.5, 0.75, 1.0]


def fuzz_links(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """A random folder, a model that reads and writes in it, and a look at everything before and after."""
    rng, summary = random.Random(seed), Summary("links", seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def case() -> None:
            for part in ("root", "outside"):
                shutil.rmtree(folder / part, ignore_errors=True)
                (folder / part).mkdir()
            make_layout(folder, rng)
            text, source = rng.choice(WRITTEN), rng.choice([*FILES, *LINKS]) if rng.random() < 0.2 else None
            (folder / "model.json").write_text(json.dumps(model(text, source)))
            before = contents(folder)
            words = ["run", str(folder / "model.json"), "--output_path", str(folder / "root")]
            status = call_cleanly(summary, [*words, "--input_path", str(folder / "root")])
            problem = judge(before, contents(folder), text, status)
            if problem:
                summary.fail(f"writing {text!r}: {problem}\n{before}")

        return run_cases(summary, case, count, seconds)


def model(target: str, source: str | None) -> dict[str, object]:
    values = VALUES if source is None else {"sourcePath": source}
    command = {"type": "writeFile", "resource": "a", "targetPath": target, "dimensions": [1, 1, 2, 2]}
    entry = {"initialValuesDataType": "FLOAT32", "initialValues": values}
    return {"resources": {"a": entry}, "dispatchables": {}, "commands": [command]}


def make_layout(folder: Path, rng: random.Random) -> None:
    root, outside = folder / "root", folder / "outside"
    np.save(outside / "secret.npy", np.zeros(4, np.float32))
    for each in FOLDERS:
        if rng.random() < 0.5:
            (root / each).mkdir(parents=True, exist_ok=True)
    for each in rng.sample(LINKS, rng.randrange(4)):
        make_link(root / each, rng.choice(TARGETS), folder)
    for each in rng.sample(FILES, rng.randrange(4)):
        path = root / each
        is_linked = any((root / above).is_symlink() for above in (each, *Path(each).parents))
        if path.parent.is_dir() and not is_linked:
            path.write_bytes(bytes(16))
    if rng.random() < 0.3 and hasattr(os, "mkfifo"):
        _attempt(lambda: os.mkfifo(root / "pipe.npy"))
    if rng.random() < 0.2:
        _attempt(lambda: os.link(root / "x.npy", root / "y.npy"))


def make_link(path: Path, target: str, within: Path) -> None:
    """A link, where there is room for it: never beyond a folder, to which another link may lead."""

    def make() -> None:
        if path.parent.resolve().is_relative_to(within.resolve()):
            path.symlink_to(target)

    _attempt(make)


def _attempt(make: Callable[[], object]) -> None:
    with suppress(OSError, RuntimeError):  # there is something of that name, or no such folder
        make()


def contents(folder: Path) -> dict[str, object]:
    """Every name below a folder with what it is: bytes, where a link leads, or another thing."""
    found: dict[str, object] = {}
    for top, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(top, name)
            what: object = access.what_is(path)
            if path.is_symlink():
                what = f"a link to {path.readlink()}"
            elif access.is_regular(path):
                what = path.read_bytes()
            found[path.relative_to(folder).as_posix()] = what
    return found


def judge(before: dict[str, object], after: dict[str, object], text: str, status: int | str) -> str:
    """What is wrong with what a run changed; nothing, if it changed only the file that was asked for."""
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    if any(name.endswith(".part") for name in changed):
        return f"left {changed}"
    new_folders = {name for name in changed if name not in before and after[name] == "a folder"}
    files = changed - new_folders
    if status != 0:
        return f"changed {files} though it failed" if files else ""
    if not files <= {f"root/{text}"}:
        return f"changed {files}"
    data = after.get(f"root/{text}")
    if not isinstance(data, bytes):
        return "wrote nothing"
    mark = {".npy": b"\x93NUMPY", ".png": b"\x89PNG"}.get(Path(text).suffix.lower())
    return f"wrote {data[:8]!r}" if mark is not None and not data.startswith(mark) else ""
