"""Files: nothing is written outside the output folder, and nothing by half."""

from __future__ import annotations

import os
import threading
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.files import access, images, npy
from anydml.files.compare import read_expected
from anydml.files.sources import Sources
from tests.frontends.dxdispatch.models import resource, run

REFUSED = [
    "../out.npy", "a/../../out.npy", "/out.npy", "\\out.npy", "C:\\out.npy", "C:out.npy", "c:/out.npy",
    "\\\\host\\x.npy", "//host/x.npy", "a//b.npy", "", ".", "..", "./../out.npy",
    "./", "out.npy/", "out.npy/.", "out.npy ", "out.npy.",
    "nul.npy", "COM1.bin", "aux/out.npy", "a\0b.npy", "a\nb.npy", "out.npy:stream.bin", "a?.npy", "con .npy",
    "x" * 300 + ".npy", "..\\out.npy",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=repr)
def test_target__outside_or_strange_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(dml.ModelError) as caught:
        access.find_target(text, tmp_path)
    assert caught.value.violations[0].rule in ("file.target", "file.extension")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["out.py", ".bashrc", "Makefile", "out", "out.npy.exe"])
def test_target__of_another_kind_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(dml.ModelError) as caught:
        access.find_target(text, tmp_path)
    assert caught.value.violations[0].rule == "file.extension"


@pytest.mark.parametrize(
    "text",
    [
        "out.npy",
        "a/b/out.BIN",
        "a\\b\\out.dat",
        "ä b/out.png",
        "..a/out.jpg",
        "console.npy",
        "./out.npy",
        ".\\a/./out.npy",
    ],
)
def test_target__inside_is_found(text: str, tmp_path: Path) -> None:
    target = access.find_target(text, tmp_path)
    assert target == tmp_path.resolve().joinpath(*text.replace("\\", "/").split("/"))
    access.write_file(target, b"abc")
    assert target.read_bytes() == b"abc"
    assert [path.name for path in target.parent.iterdir()] == [target.name]


@pytest.mark.parametrize("text", ["a/" * 64 + "x.npy", "a/" * 1500 + "x.npy", "a/" * 600_000 + "x.npy", "x" * 10**6])
def test_target__of_far_too_many_folders_is_refused_at_once(text: str, tmp_path: Path) -> None:
    with pytest.raises(dml.ModelError) as caught:
        access.find_target(text, tmp_path)
    (violation,) = caught.value.violations
    assert violation.rule == "file.target" and len(str(violation)) < 400


def test_write__makes_folders_however_deep(tmp_path: Path) -> None:
    """An output folder given on the command line may be deep, and no recursion may follow it down."""
    deep = tmp_path.joinpath(*["a"] * 1200)
    try:
        access.write_file(deep / "x.bin", b"abc")
        assert (deep / "x.bin").read_bytes() == b"abc"
    except dml.ModelError as error:
        assert error.violations[0].rule == "file.write"  # a system with shorter paths
    finally:
        (deep / "x.bin").unlink(missing_ok=True)
        for folder in (deep, *deep.parents[:1199]):  # other tools would follow it down by recursion
            with suppress(OSError):
                folder.rmdir()
    assert not list(tmp_path.iterdir())


# Every way a name in the output folder can lead elsewhere: what makes it, the path a model writes, and what it may be.
LAYOUTS: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "a link to a file of another format": (lambda root, out: (root / "pic.bin").symlink_to("real.png"), "pic.bin"),
    "a link to a file of the same format": (lambda root, out: (root / "b.npy").symlink_to("a.npy"), "b.npy"),
    "a link to nothing": (lambda root, out: (root / "b.npy").symlink_to("none.bin"), "b.npy"),
    "a link to itself": (lambda root, out: (root / "b.npy").symlink_to("b.npy"), "b.npy"),
    "two links to each other": (
        lambda root, out: ((root / "b.npy").symlink_to("c.npy"), (root / "c.npy").symlink_to("b.npy")),
        "b.npy",
    ),
    "a chain of links": (
        lambda root, out: ((root / "b.npy").symlink_to("c.npy"), (root / "c.npy").symlink_to("a.npy")),
        "b.npy",
    ),
    "a link out": (lambda root, out: (root / "b.npy").symlink_to(out / "secret.npy"), "b.npy"),
    "a relative link out": (lambda root, out: (root / "b.npy").symlink_to("../outside/secret.npy"), "b.npy"),
    "a link to a folder": (lambda root, out: (root / "b.npy").symlink_to("folder"), "b.npy"),
    "through a link to a folder": (lambda root, out: (root / "link").symlink_to("folder"), "link/b.npy"),
    "through a link to a folder outside": (lambda root, out: (root / "link").symlink_to(out), "link/secret.npy"),
    "through a link to the parent": (lambda root, out: (root / "link").symlink_to(".."), "link/outside/secret.npy"),
    "through a link to the folder itself": (lambda root, out: (root / "link").symlink_to("."), "link/a.npy"),
    "through a link to nothing": (lambda root, out: (root / "link").symlink_to("none"), "link/b.npy"),
    "through a link to itself": (lambda root, out: (root / "link").symlink_to("link"), "link/b.npy"),
    "through a link to a file": (lambda root, out: (root / "link").symlink_to("a.npy"), "link/b.npy"),
    "a link deep inside": (lambda root, out: (root / "folder" / "b.npy").symlink_to("../a.npy"), "folder/b.npy"),
    "through a file": (lambda root, out: None, "a.npy/b.npy"),
    "a folder": (lambda root, out: (root / "b.npy").mkdir(), "b.npy"),
}
if hasattr(os, "mkfifo"):
    LAYOUTS["a pipe"] = (lambda root, out: os.mkfifo(root / "b.npy"), "b.npy")
    LAYOUTS["a link to a pipe"] = (
        lambda root, out: (os.mkfifo(root / "pipe"), (root / "b.npy").symlink_to("pipe")),
        "b.npy",
    )


def contents(folder: Path) -> dict[str, object]:
    """Every name below a folder with what it is: bytes, where a link leads, or another thing."""

    def what(path: Path) -> object:
        if path.is_symlink():
            return str(path.readlink())
        return path.read_bytes() if access.is_regular(path) else access.what_is(path)

    names = [Path(top, name) for top, folders, files in os.walk(folder) for name in (*folders, *files)]
    return {str(path.relative_to(folder)): what(path) for path in names}


def make_layout(name: str, folder: Path) -> tuple[Path, str]:
    outside, root = folder / "outside", folder / "root"
    for each in (outside, root, root / "folder"):
        each.mkdir()
    (outside / "secret.npy").write_bytes(b"secret")
    for file in ("real.png", "a.npy"):
        (root / file).write_bytes(b"before")
    make, text = LAYOUTS[name]
    try:
        make(root, outside)
    except OSError:
        pytest.skip("this system makes no links for us")
    return root, text


@pytest.mark.parametrize("name", LAYOUTS)
def test_write__through_what_is_not_a_plain_name_is_refused(name: str, tmp_path: Path) -> None:
    root, text = make_layout(name, tmp_path)
    before = contents(tmp_path)
    with pytest.raises(dml.ModelError) as caught:
        access.write_file(access.find_target(text, root), b"new")
    assert caught.value.violations[0].rule in ("file.target", "file.write")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", LAYOUTS)
def test_model__writes_under_the_name_it_says_or_not_at_all(name: str, tmp_path: Path) -> None:
    root, text = make_layout(name, tmp_path)
    before = contents(tmp_path)
    model = resource({"initialValuesDataType": "FLOAT32", "initialValues": [0.5, 1]})
    model["commands"] = [{"type": "writeFile", "resource": "a", "targetPath": text, "dimensions": [1, 1, 1, 2]}]
    with pytest.raises(dml.ModelError) as caught:
        run(model, root)
    assert caught.value.violations[0].path == "commands[0].targetPath"
    assert contents(tmp_path) == before


def test_contents__sees_every_change(tmp_path: Path) -> None:
    root, _ = make_layout("a chain of links", tmp_path)
    seen = [contents(tmp_path)]
    for change in (
        lambda: (root / "a.npy").write_bytes(b"after"),
        lambda: (root / "b.npy").unlink(),
        lambda: (root / "b.npy").write_bytes(b"before"),
        lambda: (root / "folder").rmdir(),
    ):
        change()
        assert contents(tmp_path) not in seen
        seen.append(contents(tmp_path))


def test_write__leaves_other_names_of_the_file_alone(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(b"before")
    os.link(tmp_path / "a.npy", tmp_path / "b.npy")
    access.write_file(access.find_target("b.npy", tmp_path), b"after")
    assert (tmp_path / "a.npy").read_bytes() == b"before" and (tmp_path / "b.npy").read_bytes() == b"after"


def test_output_folder__may_be_a_link_itself(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    access.write_file(access.find_target("a/x.bin", tmp_path / "link"), b"abc")
    assert (tmp_path / "real" / "a" / "x.bin").read_bytes() == b"abc"


def test_write__leaves_the_old_file_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.bin"
    target.write_bytes(b"old")

    def fail(self: Path, other: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(dml.ModelError, match="no space left"):
        access.write_file(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.bin"]


def test_write__over_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out.bin").mkdir()
    with pytest.raises(dml.ModelError, match=r"file\.write"):
        access.write_file(tmp_path / "out.bin", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["out.bin"]


READERS: dict[str, Callable[[Path], Any]] = {
    "open": lambda path: access.open_regular(path).__enter__(),
    "bytes": lambda path: access.read_bytes(path, 10),
    "into memory": lambda path: access.read_into(path, np.zeros(4, np.uint8)),
    "array header": npy.read_header,
    "array": npy.read_array,
    "image sizes": images.image_sizes,
    "image": lambda path: images.read_image(path, (3, 1, 1)),
    "expected values": lambda path: read_expected(path, "FLOAT32", 1),
    "source": lambda path: Sources.of_model(path.parent).find(path.name),
    "source anywhere": lambda path: Sources.of_model(Path(), allow_outside=True).find(str(path)),
}
NOT_FILES = ["pipe", "folder", "none", "loop", "a\0b", "x" * 5000, "\udcff\ud800", "file/inside", "socket"]


def make_not_files(folder: Path) -> None:
    (folder / "folder").mkdir()
    (folder / "file").touch()
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    (folder / "pipe.npy").symlink_to("pipe")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", [*NOT_FILES, "pipe.npy"], ids=lambda name: repr(name[:12]))
def test_read__of_anything_but_a_regular_file_is_refused_at_once(reader: str, name: str, tmp_path: Path) -> None:
    make_not_files(tmp_path)
    outcome: list[object] = []

    def read() -> None:
        try:
            READERS[reader](tmp_path / name)
        except dml.DmlError as error:
            outcome.append(error.violations[0].rule)

    thread = threading.Thread(target=read, daemon=True)  # a reader that waits for a pipe would never come back
    thread.start()
    thread.join(20)
    assert outcome and outcome[0] in ("file.source", "file.read")


@pytest.mark.skipif(not access.is_regular(Path("/proc/kmsg")), reason="this system has no files that wait")
def test_read__of_a_file_of_the_system_does_not_wait(tmp_path: Path) -> None:
    """Some files of Linux call themselves regular, have no size, and keep their readers waiting for events."""
    for path in (Path("/proc/kmsg"), Path("/proc/self/mounts")):
        assert access.file_size(path) == 0 and access.read_bytes(path, 100) == b""
    (tmp_path / "a.png").symlink_to("/proc/kmsg")
    with pytest.raises(dml.ModelError, match=r"image\.format"):
        images.image_sizes(tmp_path / "a.png")


def test_read__takes_no_more_memory_than_the_file_has(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")
    tracemalloc.start()
    try:
        assert access.read_bytes(tmp_path / "a.json", 64 << 20) == b"{}"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_read__notices_a_file_that_shrank(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_bytes(b"abc")
    with pytest.raises(dml.ModelError, match=r"found 3 bytes, expected 4 bytes"):
        access.read_into(tmp_path / "a.dat", np.zeros(4, np.uint8))
    memory = np.zeros(2, np.uint8)
    access.read_into(tmp_path / "a.dat", memory, start=1)
    assert memory.tobytes() == b"bc"


def test_write_files__leaves_nothing_when_one_cannot_be_written(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "no" / "bad.txt"
    good.write_text("before")
    with pytest.raises(dml.ModelError, match=r"bad\.txt"):
        access.write_files({good: [b"after"], bad: [b"after"]})
    assert good.read_text() == "before"
    assert list(tmp_path.iterdir()) == [good]


def test_write_files__follows_a_link_to_its_file(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("before")
    link.symlink_to(target)
    access.write_files({link: [b"after"]})
    assert link.is_symlink() and target.read_text() == "after"
