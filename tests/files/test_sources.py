"""Names in files lead to files inside the folders that may be read, and tell nothing of what is outside."""

from __future__ import annotations

import json
import ntpath
import os
from collections.abc import Callable, Iterator
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import anydml as dml
from anydml.cli.main import main
from anydml.files import access, npy, sources
from anydml.files.sources import Folder, Sources
from anydml.frontends.dxdispatch import parse_model, read_model
from anydml.frontends.serialized import read_graph, serialize_graph, write_graph
from tests.files.watching import watched

INSIDE, SECRET = 0.2, 0.8
"""What files hold: fifths are exact in pictures too, and each is seen in what is printed."""
KINDS = ["x.npy", "x.dat", "x.bin", "x.png", "x.jpg", "g.dml"]


def fill(folder: Path, value: float) -> None:
    """A file of each kind that says whose it is."""
    folder.mkdir(parents=True, exist_ok=True)
    values = np.full((1, 3, 2, 2), value, np.float32)
    np.save(folder / "x.npy", values)
    for name in ("x.dat", "x.bin"):
        (folder / name).write_bytes(values.tobytes())
    pixels = Image.fromarray(np.full((2, 2, 3), round(value * 255), np.uint8))
    for name in ("x.png", "x.jpg"):
        pixels.save(folder / name)
    tensor = dml.TensorDesc("FLOAT32", [1, 3, 2, 2])
    weights = dml.ConstantNode(values, "weights")
    node = dml.OperatorNode(dml.ElementWiseIdentity(input_tensor=tensor, scale_bias=None), "same")
    graph = dml.Graph([weights, node], [], [(1, 0, 0)], [(0, 0, 1, 0)], output_names=["y"])
    (folder / "g.dml").write_bytes(serialize_graph(graph)[0])  # small weights are in the graph itself


def model_of(name: str) -> dict[str, Any]:
    """A model that prints what a file holds."""
    kind = {} if name.lower().endswith(".npy") else {"initialValuesDataType": "FLOAT32"}
    resources: dict[str, Any] = {"a": {**kind, "initialValues": {"sourcePath": name}}}
    dispatchables: dict[str, Any] = {}
    commands: list[Any] = [{"type": "print", "resource": "a"}]
    if name.lower().endswith(".dml"):
        values = {"valueCount": 12, "value": 0}
        resources = {"a": {"initialValuesDataType": "FLOAT32", "initialValues": values}}
        dispatchables = {"g": {"type": "dmlSerializedGraph", "sourcePath": name}}
        commands.insert(0, {"type": "dispatch", "dispatchable": "g", "bindings": {"y": "a"}})
    return {"resources": resources, "dispatchables": dispatchables, "commands": commands}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model's folder, one for input and one to be in, each with its files; and secrets in a folder beside them."""
    for name in ("model", "model/sub", "inputs", "current"):
        fill(tmp_path / name, INSIDE)
    fill(tmp_path / "outside", SECRET)
    monkeypatch.chdir(tmp_path / "current")
    return tmp_path


def link(path: Path, target: str | Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.symlink_to(target, target_is_directory=(path.parent / target).is_dir())
    except OSError:
        pytest.skip("this system makes no links for us")


# How a name leads to a file: what makes the way there, and the name, from the tree and the file's own name.
Way = Callable[[Path, str], str]


def linked(*links: tuple[str, str], name: str) -> Way:
    """A way through links, each a name in the model's folder and where it leads; {t} is the tree and {f} the file."""

    def make(tree: Path, file: str) -> str:
        for path, target in links:
            link(tree / "model" / path.format(f=file), target.format(t=tree, f=file))
        return name.format(t=tree, f=file)

    return make


OUTSIDE: dict[str, Way] = {
    "an absolute path": linked(name="{t}/outside/{f}"),
    "an absolute path with ..": linked(name="{t}/model/../outside/{f}"),
    "up": linked(name="../outside/{f}"),
    "down and up": linked(name="sub/../../outside/{f}"),
    "backslashes": linked(name="..\\outside\\{f}"),
    "mixed slashes": linked(name="sub/..\\../outside\\.\\{f}"),
    "a link": linked(("l-{f}", "{t}/outside/{f}"), name="l-{f}"),
    "a relative link": linked(("l-{f}", "../outside/{f}"), name="l-{f}"),
    "a chain of links": linked(("l-{f}", "sub/k-{f}"), ("sub/k-{f}", "../../outside/{f}"), name="l-{f}"),
    "a link to a folder": linked(("d", "../outside"), name="d/{f}"),
    "an absolute link to a folder": linked(("d", "{t}/outside"), name="./d/{f}"),
    "a link to the parent": linked(("sub/d", ".."), ("d", ".."), name="sub/d/d/outside/{f}"),
    "a link to a folder, and up": linked(("d", "sub"), name="d/../../outside/{f}"),
    "an absolute path to a link": linked(("l-{f}", "../outside/{f}"), name="{t}/model/l-{f}"),
    "a link in the folder to be in": linked(("../current/only-{f}", "../outside/{f}"), name="only-{f}"),
    "a link that passes through": linked(("d", "../outside/../outside"), name="d/{f}"),
}
ALLOWED: dict[str, Way] = {
    "a name": linked(name="{f}"),
    "a folder": linked(name="./sub//{f}"),
    "backslashes": linked(name=".\\sub\\{f}"),
    "down and up": linked(name="sub/../{f}"),
    "out and back": linked(name="../model/{f}"),
    "through what is not there": linked(name="../none/../model/{f}"),
    "an absolute path": linked(name="{t}/model/{f}"),
    "an absolute path with ..": linked(name="{t}/outside/../model/sub/{f}"),
    "the folder to be in": linked(name="../current/{f}"),
    "an absolute path to the folder to be in": linked(name="{t}/current/{f}"),
    "a link": linked(("l-{f}", "sub/{f}"), name="l-{f}"),
    "an absolute link": linked(("l-{f}", "{t}/model/sub/{f}"), name="l-{f}"),
    "a link to a folder": linked(("d", "sub"), name="d/{f}"),
    "a link to the folder to be in": linked(("d", "../current"), name="d/{f}"),
    "a link out and back": linked(("d", "../outside/../model/sub"), name="d/{f}"),
    "a link outside that leads inside": linked(("../outside/d", "../model/sub"), name="{t}/outside/d/{f}"),
    "links outside that lead inside": linked(
        ("../way", "outside/d"), ("../outside/d", "../model"), ("e", "../way/sub"), name="e/{f}"
    ),
}


def write(tree: Path, name: str) -> Path:
    path = tree / "model" / "model.json"
    path.write_text(json.dumps(model_of(name), indent=1), "utf-8")
    return path


def outside_files(tree: Path) -> list[Path]:
    return [path for path in (tree / "outside").rglob("*") if path.is_file() and not path.is_symlink()]


def shows(printed: str, value: float) -> bool:
    return f"{np.float32(value):g}" in printed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", OUTSIDE)
def test_file__outside_is_refused_unread_unless_allowed(
    way: str, kind: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write(tree, OUTSIDE[way](tree, kind)))
    with watched(outside_files(tree)) as opened:
        assert main(["run", path]) == 1
    told = capsys.readouterr()
    assert not opened and "[file.source-outside]" in told.err and not shows(told.out + told.err, SECRET)
    assert main(["run", path, "--allow-outside"]) == 0
    assert shows(capsys.readouterr().out, SECRET)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ALLOWED)
def test_file__inside_is_read(way: str, kind: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write(tree, ALLOWED[way](tree, kind)))
    with watched(outside_files(tree)) as opened:
        assert main(["run", path]) == 0
    assert not opened and shows(capsys.readouterr().out, INSIDE)


COMMANDS: dict[str, list[str]] = {
    "check": ["check"],
    "check --json": ["check", "--json"],
    "run": ["run"],
    "run --json": ["run", "--json"],
    "run --device": ["run", "--device", "reference"],
    "export": ["export"],
    "explain": ["explain", "--graph"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("way", ["an absolute path", "up", "a link", "a link to a folder"])
def test_command__reads_outside_where_it_is_told_to(
    command: str, way: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*COMMANDS[command], str(write(tree, OUTSIDE[way](tree, "g.dml")))]
    with watched(outside_files(tree)) as opened:
        assert main(words) != 0
    told = capsys.readouterr()
    assert not opened and "file.source-outside" in told.out + told.err
    assert "model.json:" in told.err + told.out or '"line": ' in told.out
    assert "dispatchables.g.sourcePath" in told.out + told.err and "--allow-outside" in told.out + told.err
    assert main([*words, "--allow-outside"]) == 0


@pytest.mark.parametrize("option", ["--allow-outside", "--input_path=."])
def test_option__is_for_models_alone(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "FLOAT32", "2,3", option]) == 2
    assert f"{option.split('=')[0]}: found without --graph" in capsys.readouterr().err


CALLS: dict[str, Callable[..., Any]] = {
    "run_model": dml.run_model,
    "read_model": read_model,
    "parse_model": lambda path, **options: parse_model(path.read_bytes(), folder=path.parent, **options),
}


@pytest.mark.parametrize("kind", ["x.npy", "g.dml"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("way", ["an absolute path", "up", "a link", "a link to a folder"])
def test_call__reads_outside_where_it_is_told_to(call: str, way: str, kind: str, tree: Path) -> None:
    path = write(tree, OUTSIDE[way](tree, kind))
    with watched(outside_files(tree)) as opened, pytest.raises(dml.ModelError, match=r"allow_outside=True") as caught:
        CALLS[call](path)
    assert not opened and [each.rule for each in caught.value.violations] == ["file.source-outside"]
    assert "--" not in str(caught.value)
    CALLS[call](path, allow_outside=True)


def test_call__gives_what_is_outside(tree: Path) -> None:
    found = dml.run_model(write(tree, "../outside/x.npy"), allow_outside=True)["a"]
    assert np.array_equal(found, np.full(12, SECRET, np.float32))


# Which folders


def test_folders__are_searched_in_order(tree: Path) -> None:
    (tree / "current" / "only.dat").write_bytes(b"current")
    (tree / "inputs" / "both.dat").write_bytes(b"inputs")
    (tree / "current" / "both.dat").write_bytes(b"current")
    (tree / "model" / "both.dat").write_bytes(b"model")

    def content(name: str, *folders: Path) -> bytes:
        return access.read_bytes(Sources.of_model(*folders).find(name), 100)

    assert content("both.dat", tree / "model") == b"model"
    assert content("both.dat", tree / "model", tree / "inputs") == b"inputs"
    assert content("both.dat", tree / "none") == content("both.dat", Path()) == b"current"
    assert content("only.dat", tree / "model", tree / "inputs") == b"current"
    assert content(f"{tree}/model/both.dat", tree / "model", tree / "inputs") == b"model"
    assert content("../model/both.dat", tree / "model", tree / "inputs") == b"model"
    with pytest.raises(dml.ModelError, match=r"\[file\.source\]"):  # with an input path, nothing is looked for there
        content("model.json", tree / "model", tree / "inputs")


@pytest.mark.parametrize("command", COMMANDS)
def test_input_path__may_be_read(command: str, tree: Path) -> None:
    words = COMMANDS[command]
    fill(tree / "inputs", SECRET)
    path = write(tree, "g.dml")
    (path.parent / "g.dml").unlink()
    (tree / "current" / "g.dml").unlink()
    assert main([*words, str(path)]) != 0
    assert main([*words, str(path), "--input_path", str(tree / "inputs")]) == 0
    assert main([*words, str(path), "--input_path", str(tree / "none")]) == 2
    (tree / "inputs" / "g.dml").rename(tree / "outside" / "h.dml")
    link(tree / "inputs" / "g.dml", "../outside/h.dml")
    assert main([*words, str(path), "--input_path", str(tree / "inputs")]) != 0


def test_folders__may_be_links_themselves(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link(tree / "way", "model")
    write(tree, f"{tree}/way/sub/x.npy")
    assert main(["run", str(tree / "way" / "model.json")]) == 0
    assert main(["run", str(tree / "model" / "model.json")]) == 0
    monkeypatch.chdir(tree / "way")
    assert main(["run", "model.json"]) == 0


def test_current_folder__may_be_gone(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError(2, "No such file or directory")

    path = write(tree, "x.npy")
    monkeypatch.setattr(os, "getcwd", gone)
    assert main(["run", str(path)]) == 0


def test_whole_disk__may_be_the_folder(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.anchor)
    assert main(["run", str(write(tree, f"{tree}/outside/x.npy"))]) == 0


def test_folder__is_no_prefix_of_letters(tree: Path) -> None:
    fill(tree / "models", SECRET)
    for name in ("../models/x.npy", f"{tree}/models/x.npy"):
        assert main(["run", str(write(tree, name))]) == 1


# What is told


def told(name: str, tree: Path) -> str:
    with pytest.raises(dml.ModelError) as caught:
        read_model(write(tree, name))
    return str(caught.value).replace(str(tree), "T")


def test_error__says_where_names_lead(tree: Path) -> None:
    link(tree / "model" / "l.dat", "sub/k.dat")
    link(tree / "model" / "sub" / "k.dat", "../../outside/x.dat")
    end = ", expected a file inside T/model or the current folder; try a file inside, or allow_outside=True"
    for name, found in (
        ("../outside/x.dat", "'../outside/x.dat', which is T/outside/x.dat"),
        ("l.dat", "'l.dat', which leads through a link to T/outside/x.dat"),
        ("/etc/passwd", "'/etc/passwd'"),
    ):
        place = "T/model/model.json:6:19: resources.a.initialValues.sourcePath"
        assert told(name, tree) == f"{place}: found {found}{end} [file.source-outside]"


FIXES = {
    ("sourcePath", "none.npy"): ("another name, or input_path", "another name, or --input_path"),
    ("sourcePath", "x" * 5000): ("a shorter path, or input_path", "a shorter path, or --input_path"),
    ("sourcePath", "/x.npy"): ("a file inside, or allow_outside=True", "a file inside, or --allow-outside"),
    ("targetPath", "../x.npy"): ("output_path for the folder", "--output_path for the folder"),
    ("targetPath", "x" * 5000): ("a shorter path, and output_path", "a shorter path, and --output_path"),
}


@pytest.mark.parametrize(("key", "text"), FIXES, ids=lambda text: text[:12])
def test_fix__is_for_whom_it_is_told_to(key: str, text: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = model_of(text if key == "sourcePath" else "x.npy")
    if key == "targetPath":
        model["commands"].append({"type": "writeFile", "resource": "a", "targetPath": text})
    path = tree / "model" / "model.json"
    path.write_text(json.dumps(model), "utf-8")
    python, command = FIXES[key, text]
    with pytest.raises(dml.ModelError) as caught:
        dml.run_model(path)
    assert f" {python} [" in str(caught.value)
    assert main(["check", str(path)]) == 1
    assert f" {command} [" in capsys.readouterr().out
    assert main(["check", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["models"][0]["problems"][0]["fix"].endswith(command)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", OUTSIDE)
def test_error__is_the_same_whatever_is_outside(way: str, kind: str, tree: Path) -> None:
    name = OUTSIDE[way](tree, kind)
    file = tree / "outside" / kind
    seen = {told(name, tree)}
    for make in (
        lambda: file.write_bytes(b"short"),
        file.unlink,
        file.mkdir,
        file.rmdir,
        lambda: link(file, "x.bin"),
        file.unlink,
        lambda: link(file, "/etc/passwd"),
        file.unlink,
        lambda: (tree / "outside").rename(tree / "elsewhere"),
        lambda: (tree / "outside").write_bytes(b""),
    ):
        make()
        seen.add(told(name, tree))
    assert len(seen) == 1


def test_links__in_circles_are_no_file(tree: Path) -> None:
    for name, target in (("loop", "loop"), ("a", "b"), ("b", "a"), ("deep", "deep/deep")):
        link(tree / "model" / name, target)
        assert "[file.source]" in told(f"{name}/x.npy", tree)
    for number in range(39):
        link(tree / "model" / f"{number}.npy", f"{number + 1}.npy" if number < 38 else "x.npy")
    assert main(["run", str(write(tree, "0.npy"))]) == 0
    assert main(["run", str(write(tree, "../outside/loop/x.npy"))]) == 1


def test_names__are_followed_only_so_far(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    real = sources.link_target

    def target(path: str) -> str | None:
        looked_at.append(path)
        return real(path)

    monkeypatch.setattr(sources, "link_target", target)
    assert "found a path of 129 names, expected at most 128" in told("a/" * 128 + "x.npy", tree)
    assert not looked_at
    link(tree / "model" / "d", "/".join(["../model"] * 400) + "/d")
    for name in ("d/x.npy", f"{tree}/outside/../model/d/x.npy", "a/" * 127 + "x.npy", "../outside/" + "a/" * 125 + "x"):
        told(name, tree)
        assert len(looked_at) < 5000
        looked_at.clear()


@pytest.mark.parametrize(
    "name",
    ["CON", "nul", "NUL.npy", "aux.tar.npy", "COM1", "sub/LPT9.npy", "con .npy", "conin$", "x.npy:secret",
     "x.npy::$DATA", "sub/a:x.npy", "x.npy.", "x.npy ", "sub /x.npy", "sub./x.npy", "...", "a\0b.npy"],
)  # fmt: skip
def test_name__that_means_something_else_on_windows_is_refused(name: str, tree: Path) -> None:
    (tree / "model" / name.replace("\0", "")).parent.mkdir(exist_ok=True)
    (tree / "model" / name.replace("\0", "")).write_bytes(bytes(16))
    for each in (name, f"{tree}/model/{name}", f"sub/../{name}"):
        assert "expected a name that is one on every system" in told(each, tree)


@pytest.mark.parametrize(
    "name", ["C:\\x.npy", "c:/x.npy", "C:x.npy", "\\\\host\\share\\x.npy", "//host/share/x.npy", "\\\\?\\C:\\x.npy",
             "\\\\.\\NUL", "//?/UNC/host/share/x.npy", "\\x.npy", "/x.npy"],
)  # fmt: skip
def test_name__with_a_drive_or_machine_is_outside_everywhere(name: str, tree: Path) -> None:
    assert "[file.source-outside]" in told(name, tree)


# Windows, wherever this runs: its paths, and links that are a table


def windows(monkeypatch: pytest.MonkeyPatch, links: dict[str, str]) -> tuple[Sources, list[str]]:
    looked_at: list[str] = []

    def target(path: str) -> str | None:
        looked_at.append(path)
        return links.get(path)

    monkeypatch.setattr(sources, "os", SimpleNamespace(sep="\\", path=ntpath))
    monkeypatch.setattr(sources, "PurePath", PureWindowsPath)
    monkeypatch.setattr(sources, "link_target", target)
    place = PureWindowsPath("C:\\Users\\runneradmin\\m").parts
    folder = Folder(Path("m"), PureWindowsPath("C:\\Users\\RUNNER~1\\m").parts, place)
    return Sources((folder,), (folder,), False), looked_at


LINKS = {
    "C:\\Users\\runneradmin\\m\\in": "\\\\?\\C:\\Users\\runneradmin\\m\\sub",
    "C:\\Users\\runneradmin\\m\\short": "C:\\Users\\RUNNER~1\\m\\sub",
    "C:\\Users\\runneradmin\\m\\out": "\\\\?\\C:\\Windows",
    "C:\\Users\\runneradmin\\m\\net": "\\\\?\\UNC\\host\\share",
    "C:\\Users\\runneradmin\\m\\drive": "\\\\?\\D:\\data",
    "C:\\Users\\runneradmin\\m\\volume": "\\\\?\\Volume{12345678-0000-0000-0000-000000000000}\\",
    "C:\\way": "C:\\Users\\runneradmin",
}


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("x.npy", ("x.npy",)),
        ("sub\\x.npy", ("sub", "x.npy")),
        ("..\\m\\x.npy", ("x.npy",)),
        ("C:\\Users\\runneradmin\\m\\x.npy", ("x.npy",)),
        ("c:/users/RUNNERADMIN/M/Sub/x.npy", ("Sub", "x.npy")),
        ("C:/Users/runner~1/m/x.npy", ("x.npy",)),
        ("\\Users\\runneradmin\\m\\x.npy", ("x.npy",)),
        ("in/x.npy", ("sub", "x.npy")),
        ("short/x.npy", ("sub", "x.npy")),
        ("C:/way/m/x.npy", ("x.npy",)),
        ("out/x.npy", None),
        ("net/x.npy", None),
        ("drive/x.npy", None),
        ("volume/x.npy", None),
        ("C:\\Windows\\x.npy", None),
        ("C:x.npy", None),
        ("D:\\x.npy", None),
        ("D:..\\x.npy", None),
        ("\\\\host\\share\\x.npy", None),
        ("\\\\?\\D:\\x.npy", None),
        ("\\\\.\\COM1", None),
        ("\\Windows\\x.npy", None),
    ],
)
def test_windows__is_followed_to_no_other_drive_or_machine(
    name: str, parts: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    among, looked_at = windows(monkeypatch, LINKS)
    found = among._lead(name.replace("\\", "/"), among.looked_in[0])
    assert (found.parts if isinstance(found, access.SourceFile) else None) == parts
    assert all(path.startswith("C:\\") and ":" not in path[2:] for path in looked_at)


@pytest.mark.parametrize(
    "name", ["NUL", "sub/CON.npy", "x.npy:s", "sub /../x.npy:s", "sub/D:/x.npy", "sub/.. /../x.npy "]
)
def test_windows__devices_and_streams_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    among, looked_at = windows(monkeypatch, {})
    with pytest.raises(dml.ModelError, match="expected a name that is one on every system"):
        among._lead(name, among.looked_in[0])
    assert not [path for path in looked_at if not access.is_same_everywhere(PureWindowsPath(path).name)]


# Weights of graphs


def renamed(folder: Path, name: str) -> Path:
    """The graph of a folder with weights of another name, of as many letters."""
    graph, old = folder / "g.dml", b"g_constant_0"
    data = graph.read_bytes()
    assert data.count(old) == 1 and len(name) == len(old)
    graph.write_bytes(data.replace(old, name.encode()))
    return graph


def graph_value(graph: dml.Graph) -> float:
    [constant] = [node for node in graph.nodes if isinstance(node, dml.ConstantNode)]
    return float(constant.data.view(np.float32)[0])


WEIGHTS: dict[str, tuple[str, str]] = {
    "up": ("../secrets/w", ""),
    "a link": ("w-ab-ab-ab-a", "w-ab-ab-ab-a.bin -> ../secrets/w.bin"),
    "a link to a folder": ("d-ab-ab-ab/w", "d-ab-ab-ab -> ../secrets"),
}


@pytest.fixture
def weights(tree: Path) -> Path:
    (tree / "secrets").mkdir()
    (tree / "secrets" / "w.bin").write_bytes(np.full(12, SECRET, np.float32).tobytes())
    write_graph(read_graph(tree / "model" / "g.dml"), tree / "model" / "g.dml")
    return tree


def make_weights(way: str, tree: Path) -> Path:
    name, made = WEIGHTS[way]
    if made:
        path, _, target = made.partition(" -> ")
        link(tree / "model" / path, target)
    return renamed(tree / "model", name)


@pytest.mark.parametrize("way", WEIGHTS)
def test_weights__outside_are_refused_unread_unless_allowed(way: str, weights: Path) -> None:
    graph = make_weights(way, weights)
    with (
        watched([weights / "secrets" / "w.bin"]) as opened,
        pytest.raises(
            dml.ModelError, match=r"nodes\[0\]\.desc\.data\.name: .*allow_outside=True .file.source-outside."
        ),
    ):
        read_graph(graph)
    assert not opened
    assert graph_value(read_graph(graph, allow_outside=True)) == np.float32(SECRET)


@pytest.mark.parametrize("way", WEIGHTS)
def test_weights__of_a_model_are_confined_as_its_files_are(
    way: str, weights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_weights(way, weights)
    path = str(write(weights, "g.dml"))
    with watched([weights / "secrets" / "w.bin"]) as opened:
        assert main(["run", path]) == 1
    assert not opened and "--allow-outside [file.source-outside]" in capsys.readouterr().err
    assert main(["run", path, "--allow-outside"]) == 0
    assert shows(capsys.readouterr().out, SECRET)
    assert main(["run", f"{weights}/model/sub/../model.json"]) == 1


def test_weights__may_be_in_any_folder_of_the_model(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_weights("up", weights)
    monkeypatch.chdir(weights)
    assert dml.run_model(write(weights, "g.dml"))["a"].flat[0] == np.float32(SECRET)


def test_weights__are_beside_the_name_of_the_graph(weights: Path) -> None:
    """A folder outside that leads back inside: the graph is inside, and what is beside its name is not."""
    link(weights / "model" / "d", "../secrets")
    (weights / "secrets" / "g_constant_0.bin").write_bytes(np.full(12, SECRET, np.float32).tobytes())
    link(weights / "secrets" / "g.dml", "../model/g.dml")
    with watched([weights / "secrets" / "g_constant_0.bin"]) as opened:
        assert "[file.source-outside]" in told("d/g.dml", weights)
    assert not opened
    link(weights / "model" / "sub" / "h.dml", "../g.dml")
    (weights / "model" / "sub" / "g_constant_0.bin").write_bytes(bytes(48))
    assert not dml.run_model(write(weights, "sub/h.dml"))["a"].any()
    assert dml.run_model(write(weights, f"{weights}/model/sub/../g.dml"))["a"].all()


# What changes between a look and a read


def swapped_file(tree: Path) -> None:
    (tree / "model" / "sub" / "x.npy").unlink()
    link(tree / "model" / "sub" / "x.npy", "../../outside/x.npy")


def swapped_folder(tree: Path) -> None:
    (tree / "model" / "sub").rename(tree / "model" / "was")
    link(tree / "model" / "sub", "../outside")


READERS: dict[str, Callable[[access.SourceFile], object]] = {
    "bytes": lambda file: access.read_bytes(file, 1000),
    "size": access.file_size,
    "memory": lambda file: access.read_into(file, np.zeros(8, np.uint8)),
    "header": npy.read_header,
    "array": npy.read_array,
}


@pytest.fixture(params=["below", "compare"])
def opening(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both ways to open; systems without the first have the second alone."""
    monkeypatch.setattr(access, "_OPENS_BELOW", access._OPENS_BELOW and request.param == "below")
    yield request.param


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("swap", [swapped_file, swapped_folder])
def test_swap__before_a_read_is_noticed(swap: Callable[[Path], None], reader: str, opening: str, tree: Path) -> None:
    file = Sources.of_model(tree / "model").find("sub/x.npy")
    READERS[reader](file)
    swap(tree)
    with pytest.raises(dml.ModelError, match=r"\[file\.(source|read)\]"):
        READERS[reader](file)


@pytest.mark.parametrize("swap", [swapped_file, swapped_folder])
def test_swap__just_before_opening_gives_nothing_from_outside(
    swap: Callable[[Path], None], opening: str, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the last moment that there is: after every look at the file, before it is opened."""
    file = Sources.of_model(tree / "model").find("sub/x.npy")
    content = access.read_bytes(file, 1000)
    real, left = os.open, [1]

    def late(path: Any, *arguments: Any, **options: Any) -> int:
        if str(path).endswith("x.npy") and left:
            left.clear()
            swap(tree)
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", late)
    try:
        assert access.read_bytes(file, 1000) == content  # a folder that is held open stays what it was
    except dml.ModelError as error:
        assert error.violations[0].rule in ("file.source", "file.read")
    assert not left


def test_swap__between_check_and_run_names_the_resource(tree: Path) -> None:
    from anydml.frontends.dxdispatch.executor import Executor, Options

    model = read_model(write(tree, "sub/x.npy"))
    swapped_file(tree)
    with pytest.raises(dml.ModelError, match=r"resources\.a\.sourcePath: found a link, expected a regular file"):
        Executor(model, dml.Device(), Options(), lambda text: None).run()


def test_run__does_not_depend_on_where_it_is_by_then(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from anydml.frontends.dxdispatch.executor import Executor, Options

    monkeypatch.chdir(tree)
    model = read_model(write(tree, "sub/x.npy").relative_to(tree))
    monkeypatch.chdir(tree / "outside")
    outcome = Executor(model, dml.Device(), Options(), lambda text: None).run()
    assert outcome.resources["a"].view(np.float32)[0] == np.float32(INSIDE)


# That these tests can fail


def test_watched__notices_every_way_to_open(tree: Path) -> None:
    secret = tree / "outside" / "x.npy"
    link(tree / "model" / "l.npy", secret)
    link(tree / "model" / "d", tree / "outside")
    ways: list[Callable[[], object]] = [
        secret.read_bytes,
        (tree / "model" / "l.npy").read_bytes,
        (tree / "model" / "d" / "x.npy").read_bytes,
        lambda: np.load(secret),
        lambda: access.read_bytes(secret, 1),
        lambda: os.close(os.open(secret, os.O_RDONLY)),
        lambda: access.read_bytes(access.SourceFile(secret, secret.parent, ("x.npy",)), 1),
    ]
    for way in ways:
        with watched([secret]) as opened:
            way()
        assert opened
    with watched([secret]) as opened:
        (tree / "model" / "x.npy").read_bytes()
        descriptor = os.open(tree / "model" / "x.npy", os.O_RDONLY)
        os.close(descriptor)
        assert not opened
    secret.read_bytes()
    assert not opened
