"""Code on disk: used again, bounded, and never taken from where somebody else could have put it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anydml.runtime.native import cache

POSIX = pytest.mark.skipif(os.name != "posix", reason="permission bits are POSIX's")
ROOT_USER = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    chosen = tmp_path / "deep" / "kernels"
    monkeypatch.setenv(cache.VARIABLE, str(chosen))
    return chosen


@pytest.fixture(params=["descriptors", "paths"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every system opens files relative to an open folder."""
    if request.param == "paths":
        monkeypatch.setattr(cache, "_HAS_DESCRIPTORS", False)


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_saved__is_loaded(folder: Path, ways: None) -> None:
    cache.save("name", b"code")
    assert cache.load("name") == b"code"
    assert cache.load("other") is None
    assert names(folder) == {"name"}
    cache.save("name", b"newer")
    assert cache.load("name") == b"newer"


@POSIX
def test_folder__is_private_and_so_are_those_made_on_the_way(
    folder: Path, ways: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = folder / "very" / "deep"
    monkeypatch.setenv(cache.VARIABLE, str(deep))
    before = os.umask(0)
    try:
        cache.save("name", b"code")
    finally:
        os.umask(before)
    for made in (deep, deep.parent, folder, folder.parent):
        assert made.stat().st_mode & 0o777 == 0o700
    assert (deep / "name").stat().st_mode & 0o777 == 0o600


@POSIX
@pytest.mark.parametrize("is_link", [False, True])
def test_folder__below_one_that_all_can_write_to_is_not_used(
    folder: Path, ways: None, is_link: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody could put another folder of this user in its place. Where the folder is sticky, nobody can."""
    cache.save("name", b"code")
    if is_link:
        link = folder.parent.with_name("link")
        link.symlink_to(folder.parent)
        monkeypatch.setenv(cache.VARIABLE, str(link / folder.name))
    assert cache.load("name") == b"code"
    folder.parent.chmod(0o777)
    assert cache.load("name") is None
    cache.save("more", b"code")
    assert names(folder) == {"name"}
    folder.parent.chmod(0o1777)
    assert cache.load("name") == b"code"


@POSIX
@pytest.mark.parametrize("mode", [0o720, 0o702])
def test_folder__that_others_can_write_to_is_not_used(folder: Path, ways: None, mode: int) -> None:
    cache.save("name", b"code")
    folder.chmod(mode)
    assert cache.load("name") is None
    cache.save("more", b"code")
    assert not (folder / "more").exists()


@POSIX
def test_folder__of_another_user_is_not_used(folder: Path, ways: None, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.save("name", b"code")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert cache.load("name") is None


@POSIX
def test_folder__that_is_a_link_is_not_used(folder: Path, ways: None) -> None:
    cache.save("name", b"code")
    moved = folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(moved)
    assert cache.load("name") is None


@POSIX
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_file__that_others_can_write_to_is_not_used(folder: Path, ways: None, mode: int) -> None:
    cache.save("name", b"code")
    (folder / "name").chmod(mode)
    assert cache.load("name") is None
    cache.save("name", b"code")
    assert cache.load("name") == b"code"


@POSIX
@ROOT_USER
def test_file__of_another_user_is_not_used(folder: Path, ways: None) -> None:
    cache.save("name", b"code")
    os.chown(folder / "name", 12345, 12345)
    assert cache.load("name") is None


@POSIX
def test_file__is_checked_by_what_was_opened(folder: Path, ways: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Owner and mode are asked of the descriptor that is read, so nothing can be put in its place in between."""
    cache.save("name", b"code")
    asked = []
    real = os.fstat

    def note(descriptor: int) -> os.stat_result:
        path = Path(f"/proc/self/fd/{descriptor}")
        asked.append(str(path.readlink()) if path.is_symlink() else "name")
        return real(descriptor)

    monkeypatch.setattr(os, "fstat", note)
    cache.load("name")
    assert any(path.endswith("name") for path in asked)


@POSIX
@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "device"])
def test_file__of_another_kind_is_not_used(folder: Path, ways: None, kind: str) -> None:
    cache.save("real", b"code")
    descriptors = os.dup(0)
    os.close(descriptors)
    place = folder / "name"
    if kind == "link":
        cache.save("name", b"code")
        place.rename(folder / "moved")
        place.symlink_to(folder / "moved")
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to("/dev/zero")
    assert cache.load("name") is None
    again = os.dup(0)
    os.close(again)
    assert again == descriptors, "a descriptor stays open"


@pytest.mark.parametrize(
    "change", [lambda old: old[:-1], lambda old: b"x" + old[1:], lambda old: old + b"!", lambda _: b""]
)
def test_file__that_changed_is_not_used(folder: Path, ways: None, change: Callable[[bytes], bytes]) -> None:
    cache.save("name", b"code")
    file = folder / "name"
    file.write_bytes(change(file.read_bytes()))
    assert cache.load("name") is None


def test_file__under_another_name_is_not_used(folder: Path, ways: None) -> None:
    """It would be the wrong kernel."""
    cache.save("name", b"code")
    (folder / "name").rename(folder / "other")
    assert cache.load("other") is None


def test_file__that_is_too_large_is_neither_written_nor_read(
    folder: Path, ways: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.save("name", bytes(1000))
    monkeypatch.setattr(cache, "LARGEST_FILE", 900)
    assert cache.load("name") is None
    cache.save("other", bytes(1000))
    assert names(folder) == {"name"}


def use(folder: Path, name: str, seconds_ago: float) -> None:
    then = time.time() - seconds_ago
    os.utime(folder / name, (then, then))


def test_files__are_bounded_and_the_least_recently_used_go(
    folder: Path, ways: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOST_FILES", 4)
    for age, name in enumerate(("a", "b", "c", "d")):
        cache.save(name, b"code")
        use(folder, name, 100 - age)
    assert cache.load("a") == b"code"
    cache.save("e", b"code")
    assert names(folder) == {"a", "c", "d", "e"}
    cache.save("f", b"code")
    assert names(folder) == {"a", "d", "e", "f"}


def test_bytes__are_bounded(folder: Path, ways: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 3500)
    for age, name in enumerate(("a", "b", "c", "d", "e")):
        cache.save(name, bytes(1000))
        use(folder, name, 100 - age)
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 3500
    assert names(folder) == {"c", "d", "e"}


@pytest.mark.parametrize("bound", ["MOST_FILES", "MOST_BYTES"])
def test_folder__is_looked_at_first_and_then_rarely(folder: Path, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    """Looking takes milliseconds, so a process looks again after it has added a sixteenth of the bounds."""
    looks: list[int] = []
    prune = cache._Folder.prune
    monkeypatch.setattr(cache._Folder, "prune", lambda self: (looks.append(len(names(folder))), prune(self)))
    monkeypatch.setattr(cache, "_unseen", cache._Unseen())
    monkeypatch.setattr(cache, bound, 64 if bound == "MOST_FILES" else 64 * (1000 + len(cache._header("", b""))))
    for number in range(200):
        cache.save(f"{number:03}", bytes(1000))
        use(folder, f"{number:03}", 1000 - number)
        assert len(names(folder)) <= 64 + 5
    assert looks[0] == 1 and 200 // 5 <= len(looks) <= 200 // 5 + 1


def test_unfinished_files__are_removed_when_they_are_old(
    folder: Path, ways: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOST_FILES", 8)  # so few that each save looks at them all
    cache.save("name", b"code")
    for name, age in (("new-1", 10.0), ("new-2", cache.OLDEST_UNFINISHED_SECONDS + 10)):
        (folder / name).write_bytes(b"half")
        use(folder, name, age)
    cache.save("more", b"code")
    assert names(folder) == {"name", "more", "new-1"}


def test_write__that_fails_leaves_nothing(folder: Path, ways: None, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.save("name", b"code")

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache.save("more", b"code")
    assert names(folder) == {"name"}


WORKER = """
import random, sys
from anydml.runtime.native import cache
cache.MOST_FILES, cache.MOST_BYTES = 20, 20_000
dice = random.Random(int(sys.argv[1]))
for _ in range(400):
    name = str(dice.randrange(60))
    found = cache.load(name)
    assert found in (None, name.encode() * 300), name
    cache.save(name, name.encode() * 300)
"""


def test_several_processes__keep_the_bounds_and_see_whole_files(folder: Path) -> None:
    command = [sys.executable, "-c", WORKER]
    workers = [subprocess.Popen([*command, str(seed)]) for seed in range(4)]
    assert [worker.wait(timeout=120) for worker in workers] == [0] * 4
    monitored = [file.stat().st_size for file in folder.iterdir()]
    assert len(monitored) <= 20 + len(workers)
    assert sum(monitored) <= 20_000 + len(workers) * 1000


def test_load__of_random_bytes(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    dice = random.Random(3)
    for _ in range(200):
        (folder / "name").write_bytes(dice.randbytes(dice.randrange(200)))
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


@pytest.mark.parametrize("value", ["cache", "./cache", "cache/../cache", "../here/cache"])
@pytest.mark.parametrize("name", ["XDG_CACHE_HOME", "LOCALAPPDATA", "HOME", "USERPROFILE", cache.VARIABLE])
def test_relative_folders__are_not_followed(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current folder may hold what somebody else has packed: files of the user, with another's code."""
    here, home = tmp_path / "here", tmp_path / "home"
    here.mkdir()
    home.mkdir()
    monkeypatch.chdir(here)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", cache.VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    planted = here / "cache"
    for folder in (planted, planted / "anydml" / "kernels", planted / ".cache" / "anydml" / "kernels"):
        folder.mkdir(parents=True, mode=0o700)
        folder.chmod(0o700)
        (folder / "name").write_bytes(cache._header("name", b"code") + b"code")
        (folder / "name").chmod(0o600)
    before = sorted(here.rglob("*"))
    monkeypatch.setenv(name, value)
    assert cache.load("name") is None
    cache.save("other", b"code")
    assert sorted(here.rglob("*")) == before
    if name != cache.VARIABLE:
        kept = [file.parent.name for file in home.rglob("other")]
        assert kept == (["kernels"] if cache.load("other") else [])


def test_relative_variable__of_the_system_is_as_if_it_were_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, "cache")
    monkeypatch.delenv(cache.VARIABLE)
    cache.save("name", b"code")
    assert [file.parent.name for file in tmp_path.rglob("name")] == ["kernels"]


def test_home__may_be_named_by_its_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv(cache.VARIABLE, "~/own")
    cache.save("name", b"code")
    assert (tmp_path / "own" / "name").exists()


def test_key__tells_parts_apart() -> None:
    assert cache.key(["ab", "c"]) != cache.key(["a", "bc"])
