"""Files: nothing is written outside the output folder, and nothing by half."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import anydml as dml
from anydml.files import access

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


def test_target__through_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    try:
        (root / "link").symlink_to(outside, target_is_directory=True)
        (root / "file.npy").symlink_to(outside / "file.npy")
    except OSError:
        pytest.skip("this system makes no links for us")
    for text in ("link/out.npy", "file.npy"):
        with pytest.raises(dml.ModelError) as caught:
            access.find_target(text, root)
        assert caught.value.violations[0].rule == "file.target"
    assert not list(outside.iterdir())


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


def test_source__is_found_beside_the_model_then_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.dat").write_bytes(b"1")
    (tmp_path / "a.dat").write_bytes(b"2")
    monkeypatch.chdir(tmp_path)
    assert access.find_source("a.dat", tmp_path / "sub").read_bytes() == b"1"
    assert access.find_source("sub\\a.dat", tmp_path / "none").read_bytes() == b"1"
    assert access.find_source("a.dat", tmp_path / "none").read_bytes() == b"2"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_source__that_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.dat")
    for text in ("pipe.dat", ".", "missing.dat", "a\0b", "x" * 5000):
        with pytest.raises(dml.ModelError, match=r"file\.source"):
            access.find_source(text, tmp_path)


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
