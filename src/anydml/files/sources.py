"""Names of files that come out of files: each leads to a file inside the folders that may be read, or is refused.

A model or a graph from elsewhere may name anything. What is outside the folders must not decide what is said of such
a name, or an error would tell what is there: links are followed inside the folders only, and from where a path leaves
them it is followed by its words alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePath, PureWindowsPath

from anydml.core.errors import ModelError, Violation, shortened, shown
from anydml.core.fixes import Option
from anydml.core.rules import rule
from anydml.files.access import ARGUMENT, SOURCE, SourceFile, as_path, is_same_everywhere, link_target

OUTSIDE = rule(
    "file.source-outside",
    "A file that a model or graph names is inside its folder, its input path or the current folder, once links are "
    "followed.",
)
Parts = tuple[str, ...]
"""A path from the root on: the root (or drive), then names. No name is a path itself."""
_LONGEST = 4096
_MOST_NAMES = 128
_MOST_LINKS = 40
_MOST_STEPS = 512
_MARK = "\\\\?\\"
"""What Windows writes before the drive that a link leads to."""


@dataclass(frozen=True)
class Folder:
    """A folder that the user named."""

    named: Path
    spelled: Parts
    """From the root on, perhaps through links."""
    place: Parts
    """Where it is, by a path without links."""

    @classmethod
    def of(cls, path: Path) -> Folder | None:
        """None where nothing can be: a name that the system refuses, a current folder that was removed."""
        try:
            return cls(path, path.absolute().parts, path.resolve().parts)
        except (OSError, ValueError, RuntimeError):
            return None

    def way_to(self, place: Parts) -> Parts | None:
        """The names from the folder to a place inside it."""
        return _below(self.place, place)

    def __str__(self) -> str:
        return "the current folder" if self.named == Path() else shortened(str(self.named))


@dataclass(frozen=True)
class _End:
    """Where a name leads."""

    place: Parts
    is_linked: bool
    """Whether links are on its way."""


@dataclass(frozen=True)
class Sources:
    """Where the files that a file names are looked for, and the folders that they lie in."""

    looked_in: tuple[Folder, ...]
    folders: tuple[Folder, ...]
    allow_outside: bool
    prefix: str = ""
    """What goes before every name that does not start at a root."""

    @classmethod
    def of_model(
        cls, folder: str | Path, input_path: str | Path | None = None, *, allow_outside: bool = False
    ) -> Sources:
        """For a model in this folder, whose files may be in another one."""
        beside = as_path(folder, "folder")
        inputs = beside if input_path is None else as_path(input_path, "input_path")
        return cls._of((inputs, Path()), (inputs, beside, Path()), allow_outside)

    @classmethod
    def of_graph(cls, path: Path, *, allow_outside: bool = False) -> Sources:
        """For a serialized graph that the user named: its weights are beside it."""
        return cls._of((path.parent,), (path.parent,), allow_outside)

    @classmethod
    def _of(cls, looked_in: Iterable[Path], folders: Iterable[Path], allow_outside: bool) -> Sources:
        if not isinstance(allow_outside, bool):
            raise ModelError(ARGUMENT("allow_outside", shown(allow_outside), "True or False"))
        known = {path: found for path in dict.fromkeys(folders) if (found := Folder.of(path)) is not None}
        first = tuple(known[path] for path in dict.fromkeys(looked_in) if path in known)
        return cls(first, tuple(known.values()), allow_outside)

    def find(self, text: str) -> SourceFile:
        """The file of this name, in the first folder of those looked in that has it."""
        return self._search(text)[0]

    def find_with_others(self, text: str) -> tuple[SourceFile, Sources]:
        """A file that names others in turn, and where those are: beside it, and no further out than it may lie."""
        file, folder = self._search(text)
        name = self._full(text)
        return file, replace(self, looked_in=(folder,), prefix=name[: name.rfind("/") + 1])

    def _full(self, text: str) -> str:
        """The name with what goes before it. Both slashes separate, on every system."""
        plain = text.replace("\\", "/")
        return plain if PureWindowsPath(plain).anchor else self.prefix + plain

    def _search(self, text: str) -> tuple[SourceFile, Folder]:
        if not isinstance(text, str):
            raise ModelError(ARGUMENT("text", shown(text), "the name of a file"))
        name = self._checked(text)
        ends = []
        for folder in self.looked_in:
            found = self._lead(name, folder)
            if isinstance(found, SourceFile) and found.is_there:
                return found, folder
            if isinstance(found, _End) and found.is_linked:
                # What is meant is there, and no other file of its name takes its place.
                raise ModelError(self._outside(text, found))
            ends.append(found)
        first = ends[0] if ends else None
        raise ModelError(self._outside(text, first) if isinstance(first, _End) else self._missing(text))

    def _checked(self, text: str) -> str:
        """The full name, unless following it would take long."""
        fix = Option("a shorter path, or input_path", "a shorter path, or --input_path")
        name = self._full(text) if len(text) <= _LONGEST else text
        if len(name) > _LONGEST:
            raise ModelError(SOURCE("", f"a path of {len(text)} characters", f"at most {_LONGEST}", fix))
        count = len(PureWindowsPath(name).parts)
        if count > _MOST_NAMES:
            raise ModelError(SOURCE("", f"a path of {count} names", f"at most {_MOST_NAMES}", fix))
        return name

    def _lead(self, name: str, looked_in: Folder) -> SourceFile | _End | None:
        """The file of a name in this folder, there or not; where else the name leads; None for links in circles."""
        path = looked_in.named / name
        if self.allow_outside:
            return SourceFile(path)
        outside: _End | None = None
        # What is outside may be another way to one of the folders: a link in /tmp or in /home.
        for looks_at in (self._is_inside, self._is_near):
            end = self._walk(*self._start(PureWindowsPath(name), looked_in.place), looks_at)
            file = None if end is None else self._inside(path, end.place)
            if end is None or file is not None:
                return file or outside
            outside = outside or end
        return outside

    def _is_inside(self, place: Parts) -> bool:
        return any(folder.way_to(place) is not None for folder in self.folders)

    def _is_near(self, place: Parts) -> bool:
        """Whether a place may be looked at: no other drive and no other machine is asked for anything."""
        return any(_folded(place[:1]) in (_folded(each.place[:1]), _folded(each.spelled[:1])) for each in self.folders)

    def _inside(self, path: Path, place: Parts) -> SourceFile | None:
        for folder in self.folders:
            parts = folder.way_to(place)
            if parts is not None:
                strange = next((part for part in parts if not is_same_everywhere(part)), None)
                if strange is not None:
                    expected = "a name that is one on every system: no device, no ':', no dot or space at its end"
                    raise ModelError(SOURCE("", shortened(repr(strange)), expected, "another name"))
                return SourceFile(path, Path(*folder.place), parts)
        return None

    def _start(self, path: PurePath, above: Parts) -> tuple[Parts, Parts]:
        """The place where a path starts, and the names to follow from there."""
        if not path.anchor:
            return above, path.parts
        is_root = path.anchor in ("\\", "/", "//")
        whole = (above[0] if is_root else path.anchor, *path.parts[1:])
        for folder in self.folders:
            for known in (folder.spelled, folder.place):
                rest = _below(known, whole)
                if rest is not None:
                    return folder.place, rest
        return whole[:1], whole[1:]

    def _walk(self, start: Parts, names: Parts, looks_at: Callable[[Parts], bool]) -> _End | None:
        """Follow names and links; what may not be looked at is taken for no link. None for a circle."""
        place, waiting, links = start, list(reversed(names)), 0
        for _ in range(_MOST_STEPS):
            if not waiting:
                return _End(place, links > 0)
            name = waiting.pop()
            if name == "..":
                place = place[: max(len(place) - 1, 1)]
                continue
            above, place = place, (*place, name)
            target = link_target(_path(place)) if is_same_everywhere(name) and looks_at(place) else None
            if target is not None:
                links += 1
                place, more = self._start(PurePath(_unmarked(target)), above)
                waiting += reversed(more)
            if links > _MOST_LINKS:
                break
        return None

    def _outside(self, text: str, end: _End) -> Violation:
        found = shortened(repr(text))
        if end.is_linked:
            found += f", which leads through a link to {shortened(_path(end.place))}"
        elif not PureWindowsPath(text).anchor:
            found += f", which is {shortened(_path(end.place))}"
        fix = Option("a file inside, or allow_outside=True", "a file inside, or --allow-outside")
        return OUTSIDE("", found, f"a file inside {_listed(self.folders)}", fix)

    def _missing(self, text: str) -> Violation:
        fix = Option("another name, or input_path", "another name, or --input_path")
        return SOURCE("", shortened(repr(text)), f"a file in {_listed(self.looked_in)}", fix)


def _below(folder: Parts, place: Parts) -> Parts | None:
    """What follows the folder in a place inside it."""
    head, rest = place[: len(folder)], place[len(folder) :]
    return rest if head == folder or _folded(head) == _folded(folder) else None


def _folded(parts: Parts) -> Parts:
    """Parts that are equal where the system takes them for the same."""
    return tuple(map(os.path.normcase, parts))


def _path(place: Parts) -> str:
    return place[0] + os.sep.join(place[1:])  # noqa: PTH118 - no name with a colon becomes a drive


def _unmarked(target: str) -> str:
    plain = target.removeprefix(_MARK)
    return plain if os.sep == "\\" and plain[1:2] == ":" else target


def _listed(folders: Iterable[Folder]) -> str:
    return " or ".join(dict.fromkeys(map(str, folders))) or "a folder that exists"
