"""Names of sources at random, over folders, links and secrets outside: nothing outside is read, or told apart."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from pathlib import Path

import numpy as np

import anydml as dml
from anydml.frontends.serialized import serialize_graph
from tests.files.watching import watched
from tests.fuzz import harness
from tests.fuzz.harness import CLEAN, Summary, run_cases
from tests.fuzz.links import contents, make_link

SECRET = 777.125
"""What files outside hold; no other number, and no path, has these digits."""
WEIGHTS = "constant_0.bin"
ROOTS = ["model", "inputs", "current"]
FOLDERS = ["a", "b", "a/c"]
NAMES = ["x.npy", "x.bin", "g.dml", "a/x.npy", "a/g.dml", "b/x.dat", "a/c/x.npy", "a/c/g.dml"]
LINKS = ["l.npy", "l.bin", "g.dml", "a", "b", "d", "a/l.npy", "d/x.npy", "b/c", "a/up", "e", WEIGHTS, f"a/{WEIGHTS}"]
TARGETS = [
    "x.npy", "l.npy", "a", "a/c", ".", "..", "../..", "../outside", "../outside/x.npy", "../outside/d", "d", "none",
    "../outside/g.dml", f"../outside/{WEIGHTS}", "{t}/outside/x.npy", "{t}/outside/d", "{t}/model/a", "{t}/way/a",
    "../outside/x.npy", "../outside/x.npy", "../../outside/x.npy", "{t}/outside/x.npy", "../outside/d/x.npy",
    "../inputs", "../current/x.npy", "/dev/null", "/dev", "../outside/in/a", "g.dml", "{t}/outside/../model/x.npy",
]  # fmt: skip
OUTSIDE_LINKS = {"in": "../model", "out": "d", "again": "in/a"}
PIECES = [
    "a", "b", "c", "d", "e", "up", "..", "..", "..", ".", "", "model", "inputs", "current", "outside", "way", "none",
    "in", "out", "again", "NUL", "a:b", "x.npy",
]  # fmt: skip
ENDS = [
    "x.npy", "x.npy", "l.npy", "x.bin", "l.bin", "b/x.dat", "g.dml", "g.dml", "none.npy", "", "x.npy:s", "CON",
    "a/x.npy",
]  # fmt: skip
STARTS = [
    "", "", "", "", "./", "{t}/", "{t}/model/", "{t}/way/", "{t}/outside/", "../outside/", "/", "//", "C:/",
    "\\\\host\\",
]  # fmt: skip
COMMANDS = [["run"], ["run"], ["run", "--verbose"], ["check"], ["check", "--json"], ["export"], ["explain", "--graph"]]
FOLDERS_OF_WEIGHTS = [
    "", "", "a/", "d/", "../model/", "../outside/", "{t}/outside/", "in/../", "../outside/in/", "..\\outside\\",
]  # fmt: skip


def fuzz_sources(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """A random tree and a model in it; then the same once more, with the files outside gone."""
    rng, summary = random.Random(seed), Summary("sources", seed)
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name).resolve()
        try:

            def case() -> None:
                os.chdir(before)
                secrets = make_tree(tree, rng)
                words, text, place = make_model(tree, rng)
                os.chdir(tree / rng.choice(ROOTS))
                problem = judge(summary, tree, secrets, words, text, place)
                if problem:
                    summary.fail(f"{words} of {text!r} in {Path.cwd().name}: {problem}\n{layout(tree)}")

            return run_cases(summary, case, count, seconds)
        finally:
            os.chdir(before)


def make_tree(tree: Path, rng: random.Random) -> list[Path]:
    """Three folders that may be read and one that may not, whose files are returned."""
    for path in tree.iterdir():
        path.unlink() if path.is_symlink() else shutil.rmtree(path)
    (tree / "outside" / "d").mkdir(parents=True)
    for number, root in enumerate(ROOTS):
        (tree / root).mkdir()
        _fill(tree / root, number + 1.0, rng)
    secrets = [
        tree / "outside" / folder / name for folder in ("", "d") for name in ("x.npy", "x.bin", "g.dml", WEIGHTS)
    ]
    for path in secrets:
        _write(path, SECRET, tree, rng)
    for name, target in OUTSIDE_LINKS.items():
        make_link(tree / "outside" / name, target, tree)
    make_link(tree / "way", "model", tree)
    for root in ROOTS[: rng.randrange(1, 4)]:
        for each in rng.sample(LINKS, rng.randrange(8)):
            make_link(tree / root / each, rng.choice(TARGETS).format(t=tree), tree)
    return secrets


def _fill(root: Path, value: float, rng: random.Random) -> None:
    for each in FOLDERS:
        if rng.random() < 0.6:
            (root / each).mkdir(parents=True, exist_ok=True)
    for each in rng.sample(NAMES, rng.randrange(len(NAMES))):
        if (root / each).parent.is_dir():
            _write(root / each, value, root.parent, rng)
    _write(root / WEIGHTS, value, root.parent, rng)


def _write(path: Path, value: float, tree: Path, rng: random.Random) -> None:
    values = np.full(4, value, np.float32)
    if path.suffix == ".npy":
        np.save(path, values)
    elif path.suffix == ".dml":
        path.write_bytes(graph_bytes(values, rng.choice(FOLDERS_OF_WEIGHTS).format(t=tree)))
    else:
        path.write_bytes(values.tobytes())


def graph_bytes(values: np.ndarray[tuple[int], np.dtype[np.float32]], folder: str) -> bytes:
    """A graph that gives its weights, which are in a file in this folder."""
    tensor = dml.TensorDesc("FLOAT32", [4])
    node = dml.OperatorNode(dml.ElementWiseIdentity(input_tensor=tensor, scale_bias=None), "same")
    graph = dml.Graph([dml.ConstantNode(values, "w"), node], [], [(1, 0, 0)], [(0, 0, 1, 0)], output_names=["y"])
    # No name that leads elsewhere is written, so that one of the same length is put in place of a plain one.
    name, plain = folder.encode(), b"x" * len(folder.encode())
    return serialize_graph(graph, 8, plain.decode())[0].replace(plain + b"constant", name + b"constant")


def make_model(tree: Path, rng: random.Random) -> tuple[list[str], str, Path]:
    """A command line, the name of a source, and the folder it is looked for in first."""
    text = source_name(tree, rng).format(t=tree)
    (tree / "model" / "model.json").write_text(json.dumps(model(text)), "utf-8")
    command = rng.choice(COMMANDS)
    words = [*command, str(tree / rng.choice(["model", "model", "way"]) / "model.json")]
    if rng.random() < 0.3:
        return [*words, "--input_path", str(tree / "inputs")], text, tree / "inputs"
    return words, text, tree / "model"


def source_name(tree: Path, rng: random.Random) -> str:
    """A name of something that is there, or of anything."""
    folders = rng.choices(PIECES, k=rng.choice([0, 0, 1, 1, 2, 3, 4]))
    text = rng.choice(STARTS) + "/".join([*folders, rng.choice(ENDS)])
    if rng.random() < 0.6:
        there = [path for root in (*ROOTS, "outside") for path in sorted((tree / root).rglob("*.*"))]
        linked = [path for path in there if path.is_symlink()]
        path = rng.choice(linked if linked and rng.random() < 0.4 else there).relative_to(tree).as_posix()
        start = rng.choice(["../", "../", "{t}/", "{t}/way/../", "../none/../", "../outside/", "../outside/d/../../"])
        text = path.removeprefix("model/") if rng.random() < 0.4 else start + path
    return text.replace("/", "\\") if rng.random() < 0.1 else text


def model(text: str) -> dict[str, object]:
    if text.endswith("dml"):
        entry: dict[str, object] = {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 4, "value": 0}}
        graph = {"g": {"type": "dmlSerializedGraph", "sourcePath": text}}
        run: list[object] = [{"type": "dispatch", "dispatchable": "g", "bindings": {"y": "a"}}]
    else:
        kind = {} if text.endswith("npy") else {"initialValuesDataType": "FLOAT32"}
        entry, graph, run = {**kind, "initialValues": {"sourcePath": text}}, {}, []
    return {"resources": {"a": entry}, "dispatchables": graph, "commands": [*run, {"type": "print", "resource": "a"}]}


def judge(summary: Summary, tree: Path, secrets: list[Path], words: list[str], text: str, place: Path) -> str:
    """What is wrong with how a command line ended; nothing, if only what is inside made a difference."""
    with watched(secrets) as opened:
        status, printed = harness.call(words)
        seen = list(opened)
    if status not in CLEAN or "Traceback" in printed:
        return f"ended with {status}\n{printed[-400:]}"
    summary.count(f"{words[0]} {status}" + (" outside" if "file.source-outside" in printed else ""))
    if seen:
        return f"opened {seen}"
    if f"{SECRET:g}" in printed:
        return f"told a secret: {printed}"
    if status == 0 and not is_inside(tree, text, place):
        return f"read what is not inside: {printed}"
    if status != 0 and words[0] == "run" and text.endswith("npy") and must_read(tree, text, place):
        return f"did not read what is inside: {printed}"
    for path in secrets:
        path.unlink()
    status_again, again = harness.call(words)
    if (status, printed) != (status_again, again):
        return f"told whether a file is outside:\n{printed}\n{again}"
    return ""


def is_inside(tree: Path, text: str, place: Path) -> bool:
    """Whether a name leads inside from a folder that it is looked for in, by the system or by its words."""
    plain = text.replace("\\", "/")
    ways = [path for base in (place, Path.cwd()) for path in (base / plain, Path(os.path.normpath(base / plain)))]
    return any(path.is_file() and _is_allowed(tree, place, path) for path in ways)


def must_read(tree: Path, text: str, place: Path) -> bool:
    """Whether the system finds an array of this name inside, and no other system takes the name for another thing."""
    plain = text.replace("\\", "/")
    path = place / plain
    is_portable = ":" not in plain and "NUL" not in plain and not plain.startswith("//")
    is_array = is_portable and path.is_file() and path.read_bytes().startswith(b"\x93NUMPY")
    return is_array and _is_allowed(tree, place, path)


def _is_allowed(tree: Path, place: Path, path: Path) -> bool:
    return any(path.resolve().is_relative_to(each) for each in (tree / "model", place, Path.cwd()))


def layout(tree: Path) -> dict[str, object]:
    """What there is but the contents of files."""
    return {name: what for name, what in contents(tree).items() if isinstance(what, str)}
