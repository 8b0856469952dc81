"""Rows that wait in staging memory, and are written a few lines at a time while others are staged.

Memory takes what is written while it answers what is read, but only if a thread does both within the few hundred
instructions that a processor has under way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from anydml.runtime.moves.kernels.frame import Frame
from anydml.runtime.moves.kernels.rows import copy_line, copy_row
from anydml.runtime.moves.kernels.write import write_row
from anydml.runtime.moves.plan import LINE_BYTES
from anydml.runtime.native import staging
from anydml.runtime.native.emit import Emitter, Value

HALF_BYTES = 256 * 1024
"""Of staging memory, for what is staged and for what is written meanwhile."""
assert 2 * HALF_BYTES <= staging.BYTES
_WORD = 8


@dataclass(frozen=True)
class Rows:
    """Staged rows and their places in the destination."""

    staged: str
    destination: str
    count: Value
    size: Value
    """Bytes of a row."""
    pitch: Value = 0
    """Bytes from one staged row to the next."""
    stride: Value = 0
    """The same in the destination."""
    before: Value = 0
    """63: each row begins with the line that its first byte is in, whose other bytes are staged before it; 0: it does
    not."""
    until: Value = 0
    """63: each row ends before the line that its end is in; 0: it does not."""


_NAMES = [*(field.name for field in fields(Rows)), "place", "source", "left"]
"""Of the words in memory: the rows still to be begun, and of the row that has been begun where its next byte goes,
where that is staged, and how many bytes are left."""
_POINTERS = ("staged", "destination", "place", "source")


class Writer:
    """Writes what kernels stage: at once, or piece by piece while more is staged. Make it where a function begins: what
    waits is noted on its stack."""

    def __init__(self, f: Frame, is_piped: bool, step_bytes: int) -> None:
        """Pieces have `step_bytes`, about as much as is staged between them. Only what is streamed can be piped."""
        self._f, self.is_piped = f, is_piped
        self._step = -(-step_bytes // LINE_BYTES) * LINE_BYTES
        if is_piped:
            self._waiting, self._half = f.e.value(f"alloca [{len(_NAMES)} x i64]"), f.e.value("alloca i64")
            f.e.store("i64", 0, self._half, _WORD)
            for name in ("count", "left"):
                _store(f.e, self._waiting, name, 0)

    def staging(self) -> str:
        """Where to stage what is written next."""
        e = self._f.e
        if not self.is_piped:
            return self._f.staging
        offset = e.load("i64", self._half, _WORD)
        e.store("i64", e.value(f"xor i64 {offset}, {HALF_BYTES}"), self._half, _WORD)
        return e.at(self._f.staging, offset)

    def go_on(self) -> None:
        """Writes up to a step of one row, to the end of a line or of the row."""
        if self.is_piped:
            self._call("write_some", lambda e: _write_some(e, self._step))

    def write(self, rows: Rows) -> None:
        """Writes the rows, or lets them wait until all before them are written."""
        e = self._f.e
        if not self.is_piped:
            with e.loop(0, rows.count) as i:
                target = e.at(rows.destination, e.multiply(i, rows.stride))
                write_row(self._f, target, e.at(rows.staged, e.multiply(i, rows.pitch)), rows.size)
            return
        self.finish()
        for field in fields(Rows):
            _store(e, self._waiting, field.name, getattr(rows, field.name))
        self._call("begin_row", _begin_row)

    def finish(self) -> None:
        """Writes all that waits."""
        if self.is_piped:
            self._call("write_all", _write_all)

    def _call(self, name: str, emit: Callable[[Emitter], None]) -> None:
        e = self._f.e
        if not e.has_function(name):
            with e.function(name, "ptr %rows"):
                emit(e)
        e.do(f"call void @{name}(ptr {self._waiting})")


def _load(e: Emitter, name: str) -> str:
    return e.load(_kind(name), e.at("%rows", _NAMES.index(name) * _WORD), _WORD)


def _store(e: Emitter, place: str, name: str, value: Value) -> None:
    e.store(_kind(name), value, e.at(place, _NAMES.index(name) * _WORD), _WORD)


def _kind(name: str) -> str:
    return "ptr" if name in _POINTERS else "i64"


def _begin_row(e: Emitter) -> None:
    """Takes the next row out of those that wait, if there is one."""
    count = _load(e, "count")
    with e.when(e.value(f"icmp sgt i64 {count}, 0")):
        row, staged = _load(e, "destination"), _load(e, "staged")
        address = e.value(f"ptrtoint ptr {row} to i64")
        size = _load(e, "size")
        before = e.value(f"and i64 {address}, {_load(e, 'before')}")
        until = e.value(f"and i64 {e.add(address, size)}, {_load(e, 'until')}")
        back = e.subtract(0, before)
        _store(e, "%rows", "place", e.at(row, back))
        _store(e, "%rows", "source", e.at(staged, back))
        _store(e, "%rows", "left", e.subtract(e.add(size, before), until))
        _store(e, "%rows", "destination", e.at(row, _load(e, "stride")))
        _store(e, "%rows", "staged", e.at(staged, _load(e, "pitch")))
        _store(e, "%rows", "count", e.subtract(count, 1))


def _write_some(e: Emitter, step: int) -> None:
    left = _load(e, "left")
    with e.when(e.value(f"icmp sgt i64 {left}, 0")):
        place, source = _load(e, "place"), _load(e, "source")
        into_line = e.mask(e.value(f"ptrtoint ptr {place} to i64"), LINE_BYTES - 1)
        size = e.minimum(left, e.subtract(step, into_line))
        is_whole = e.value(f"icmp eq i64 {size}, {step}")
        with e.when(is_whole):
            for line in range(0, step, LINE_BYTES):
                copy_line(e, place, source, line, stream=True)
        with e.when(e.value(f"xor i1 {is_whole}, true")):
            copy_row(e, place, source, size, "streamed")
        rest = e.subtract(left, size)
        _store(e, "%rows", "place", e.at(place, size))
        _store(e, "%rows", "source", e.at(source, size))
        _store(e, "%rows", "left", rest)
        with e.when(e.value(f"icmp eq i64 {rest}, 0")):
            e.do("call void @begin_row(ptr %rows)")


def _write_all(e: Emitter) -> None:
    with e.repeat() as again:
        copy_row(e, _load(e, "place"), _load(e, "source"), _load(e, "left"), "streamed")
        _store(e, "%rows", "left", 0)
        e.do("call void @begin_row(ptr %rows)")
        again(e.value(f"icmp sgt i64 {_load(e, 'left')}, 0"))
