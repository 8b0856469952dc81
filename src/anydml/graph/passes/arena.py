"""Places in one piece of memory for pieces that live for a while: none where another lies that lives at that time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush


@dataclass(frozen=True)
class Piece:
    """Slots that are one piece of memory: its size, and the first and last step that touches it."""

    slots: tuple[int, ...]
    size: int
    first: int
    last: int


def most_alive(pieces: Sequence[Piece]) -> int:
    """The most memory that lives at one time, which no arrangement can beat."""
    changes = [(p.first, p.size) for p in pieces] + [(p.last + 1, -p.size) for p in pieces]
    alive = most = 0
    for _, change in sorted(changes):  # at one step, what has ended counts before what begins
        alive += change
        most = max(most, alive)
    return most


def pairs_alive(pieces: Sequence[Piece]) -> int:
    """How many pairs of pieces live at the same time, at some step."""
    ordered = sorted(pieces, key=lambda piece: piece.first)
    firsts = [piece.first for piece in ordered]
    return sum(bisect_right(firsts, piece.last) - number - 1 for number, piece in enumerate(ordered))


def place_lowest(pieces: Sequence[Piece]) -> tuple[list[int], int]:
    """Each piece in turn at the lowest place that is free while it lives, and the size of it all.

    Takes as long as there are pairs that live at the same time.
    """
    meeting = _Meeting(pieces)
    total = 0
    for number, piece in enumerate(pieces):
        offset = 0
        for start, size in sorted(meeting.placed_with(piece)):
            if start - offset >= piece.size:
                break
            offset = max(offset, start + size)
        meeting.place(number, offset)
        total = max(total, offset + piece.size)
    return meeting.offsets, total


class _Meeting:
    """Which of the pieces that have a place live at the same time as another."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self.offsets = [-1] * len(pieces)
        self._by_first = sorted(range(len(pieces)), key=lambda number: pieces[number].first)
        self._firsts = [pieces[number].first for number in self._by_first]
        self._steps = 1 + max((piece.last for piece in pieces), default=0)
        self._covering: dict[int, list[int]] = {}
        """A tree of ranges of steps, the lower half of the range at 2n, the upper at 2n + 1, and the pieces that
        live throughout each of them and not throughout the one above."""

    def place(self, number: int, offset: int) -> None:
        self.offsets[number] = offset
        low, high = self._pieces[number].first + self._steps, self._pieces[number].last + self._steps + 1
        while low < high:
            if low & 1:
                self._covering.setdefault(low, []).append(number)
                low += 1
            if high & 1:
                high -= 1
                self._covering.setdefault(high, []).append(number)
            low, high = low // 2, high // 2

    def placed_with(self, piece: Piece) -> list[tuple[int, int]]:
        """The places and sizes of those that live when the piece begins, or begin while it lives."""
        later = self._by_first[bisect_right(self._firsts, piece.first) : bisect_right(self._firsts, piece.last)]
        numbers = [number for number in later if self.offsets[number] >= 0]
        node = piece.first + self._steps
        while node:
            numbers += self._covering.get(node, ())
            node //= 2
        return [(self.offsets[number], self._pieces[number].size) for number in numbers]


def place_in_time(pieces: Sequence[Piece]) -> tuple[list[int], int]:
    """The same for very many pieces: each, when it begins, in the smallest room that has become free."""
    room, offsets = _Room(), [0] * len(pieces)
    alive: list[tuple[int, int]] = []
    for number in sorted(range(len(pieces)), key=lambda n: (pieces[n].first, -pieces[n].size)):
        while alive and alive[0][0] < pieces[number].first:
            ended = heappop(alive)[1]
            room.give(offsets[ended], pieces[ended].size)
        offsets[number] = room.take(pieces[number].size)
        heappush(alive, (pieces[number].last, number))
    return offsets, room.total


class _Room:
    """Free ranges of an arena that grows at its end."""

    def __init__(self) -> None:
        self.total = 0
        self._by_size: list[tuple[int, int]] = []
        self._start_of: dict[int, int] = {}
        """Where each range starts, by where it ends."""
        self._end_of: dict[int, int] = {}

    def take(self, size: int) -> int:
        place = bisect_left(self._by_size, (size, 0))
        if place == len(self._by_size):
            start = self._start_of.get(self.total, self.total)
            self._remove(start, self.total)
            self.total = start + size
            return start
        found, start = self._by_size[place]
        self._remove(start, start + found)
        self._add(start + size, start + found)
        return start

    def give(self, start: int, size: int) -> None:
        end = start + size
        low, high = self._start_of.get(start, start), self._end_of.get(end, end)
        self._remove(low, start)
        self._remove(end, high)
        self._add(low, high)

    def _add(self, start: int, end: int) -> None:
        if start < end:
            insort(self._by_size, (end - start, start))
            self._start_of[end], self._end_of[start] = start, end

    def _remove(self, start: int, end: int) -> None:
        if start < end:
            del self._by_size[bisect_left(self._by_size, (end - start, start))]
            del self._start_of[end], self._end_of[start]
