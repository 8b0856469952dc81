"""Kernels on disk: used again, and never taken from where somebody else could have put them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anydml.runtime.moves import cache, llvm
from anydml.runtime.moves.kernels.frame import Shape

POSIX = pytest.mark.skipif(os.name != "posix", reason="permission bits are POSIX's")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    chosen = tmp_path / "deep" / "kernels"
    monkeypatch.setenv(cache.VARIABLE, str(chosen))
    return chosen


def test_saved__is_loaded(folder: Path) -> None:
    cache.save("name", b"code")
    assert cache.load("name") == b"code"
    assert cache.load("other") is None
    assert [file.name for file in folder.iterdir()] == ["name"]


@POSIX
def test_folder__is_private(folder: Path) -> None:
    cache.save("name", b"code")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "name").stat().st_mode & 0o077 == 0


@POSIX
@pytest.mark.parametrize("mode", [0o720, 0o702])
def test_folder__that_others_can_write_to_is_not_used(folder: Path, mode: int) -> None:
    cache.save("name", b"code")
    folder.chmod(mode)
    assert cache.load("name") is None
    cache.save("more", b"code")
    assert not (folder / "more").exists()


@POSIX
def test_folder__of_another_user_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.save("name", b"code")
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert cache.load("name") is None


@POSIX
def test_folder__that_is_a_link_is_not_used(folder: Path) -> None:
    cache.save("name", b"code")
    moved = folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(moved)
    assert cache.load("name") is None


@pytest.mark.parametrize(
    "change", [lambda old: old[:-1], lambda old: b"x" + old[1:], lambda old: old + b"!", lambda _: b""]
)
def test_file__that_changed_is_not_used(folder: Path, change: object) -> None:
    cache.save("name", b"code")
    file = folder / "name"
    file.write_bytes(change(file.read_bytes()))  # type: ignore[operator]
    assert cache.load("name") is None


def test_empty_variable__keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, "")
    cache.save("name", b"code")
    assert cache.load("name") is None
    assert not folder.exists()


def test_folder__that_cannot_be_made_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file" / "folder"))
    cache.save("name", b"code")
    assert cache.load("name") is None


def test_default_folder__is_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv(cache.VARIABLE)
    cache.save("name", b"code")
    assert [file.parent.name for file in tmp_path.rglob("name")] == ["kernels"]


def test_key__tells_parts_apart() -> None:
    assert cache.key(["ab", "c"]) != cache.key(["a", "bc"])


def test_kernel__is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second process finds the first one's kernel; one for another processor is not taken."""
    shape = Shape("scatter", 4, 16, False)
    monkeypatch.setattr(llvm, "_functions", {})
    llvm.function(shape)
    kept = list(folder.iterdir())
    assert len(kept) == 1
    written = kept[0].stat().st_mtime_ns
    monkeypatch.setattr(llvm, "_functions", {})
    llvm.function(shape)
    assert kept[0].stat().st_mtime_ns == written
    monkeypatch.setattr(llvm, "_functions", {})
    monkeypatch.setattr(llvm, "_origin", lambda: ("another processor",))
    llvm.function(shape)
    assert len(list(folder.iterdir())) == 2
