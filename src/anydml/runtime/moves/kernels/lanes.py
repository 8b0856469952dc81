"""Vectors of elements, and the shuffles that weave and pick them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anydml.runtime.native.emit import Emitter, Value, vector

WIDEST_LANE = 8
PART_BYTES = 16
"""Machines shuffle within so many bytes fastest."""


@dataclass(frozen=True)
class Lanes:
    """`count` elements in a vector. Wider elements than a machine's lanes take two lanes each."""

    element_bytes: int
    count: int

    @property
    def _parts(self) -> int:
        return max(1, self.element_bytes // WIDEST_LANE)

    @property
    def kind(self) -> str:
        return self._kind(self.count)

    def _kind(self, count: int) -> str:
        return vector(count * self._parts, f"i{min(self.element_bytes, WIDEST_LANE) * 8}")

    def load(self, e: Emitter, pointer: str) -> str:
        return e.load(self.kind, pointer)

    def store(self, e: Emitter, value: Value, pointer: str, stream: bool = False) -> None:
        """Streamed vectors must lie at multiples of their size."""
        e.store(self.kind, value, pointer, self.element_bytes * self.count if stream else 1, stream)

    def store_some(self, e: Emitter, value: Value, pointer: str, wanted: Sequence[bool]) -> None:
        """Writes the wanted elements and not a byte between them; elements are no wider than lanes."""
        bits = ", ".join(f"i1 {'true' if wants else 'false'}" for wants in wanted)
        mask = vector(self.count, "i1")
        name = f"llvm.masked.store.v{self.count}i{self.element_bytes * 8}.p0"
        e.declare(f"void @{name}({self.kind}, ptr, i32, {mask})")
        e.do(f"call void @{name}({self.kind} {value}, ptr {pointer}, i32 1, {mask} <{bits}>)")

    def shuffle(self, e: Emitter, left: str, right: str | None, lanes: Sequence[int]) -> str:
        parts = self._parts
        wide = [lane * parts + part if lane >= 0 else -1 for lane in lanes for part in range(parts)]
        return e.shuffle(self.kind, left, right, wide)

    def merge(self, e: Emitter, vectors: Sequence[str], wanted: Sequence[int]) -> str:
        """One vector of the wanted elements of all vectors laid end to end."""
        count, result, lanes = self.count, vectors[0], [flat if flat < self.count else -1 for flat in wanted]
        for number, value in enumerate(vectors[1:], 1):
            lanes = [
                flat - (number - 1) * count if flat // count == number else lane
                for flat, lane in zip(wanted, lanes, strict=True)
            ]
            result = self.shuffle(e, result, value, lanes)
            lanes = [place if flat < (number + 1) * count else -1 for place, flat in enumerate(wanted)]
        return result if len(vectors) > 1 else self.shuffle(e, result, None, lanes)

    def select(self, e: Emitter, vectors: Sequence[str], wanted: Sequence[int]) -> str:
        """The same, out of no more vectors than hold them."""
        first, last = min(wanted) // self.count, max(wanted) // self.count
        return self.merge(e, vectors[first : last + 1], [place - first * self.count for place in wanted])

    def weave(self, e: Emitter, vectors: list[str]) -> list[str]:
        """The elements of all vectors: first of each, then second of each, and so on."""
        rows, count = len(vectors), self.count
        if rows & (rows - 1):
            orders = [range(number * count, (number + 1) * count) for number in range(rows)]
            wanted = [[place % rows * count + place // rows for place in order] for order in orders]
            return [self.merge(e, vectors, places) for places in wanted]
        # A perfect shuffle of all lanes rotates the bits of (row, lane) by one: after log2(rows) of them the
        # row has become the low part.
        half = rows // 2
        turns = [lane for place in range(count) for lane in (place, count + place)]
        for _ in range(rows.bit_length() - 1):
            vectors = [
                self.shuffle(e, vectors[pair], vectors[pair + half], lanes)
                for pair in range(half)
                for lanes in (turns[:count], turns[count:])
            ]
        return vectors

    def unweave(self, e: Emitter, vectors: Sequence[str]) -> list[str]:
        """What `weave` undoes: the elements of each place modulo the number of vectors, which is a power of two."""
        if len(vectors) == 1:
            return list(vectors)
        halves = []
        for odd in (0, 1):
            lanes = range(odd, 2 * self.count, 2)
            half = [self.shuffle(e, *pair, lanes) for pair in zip(vectors[::2], vectors[1::2], strict=True)]
            halves.append(self.unweave(e, half))
        return [plane for pair in zip(*halves, strict=True) for plane in pair]

    def turn(self, e: Emitter, vectors: Sequence[str]) -> list[str]:
        """Rows become columns; there are as many vectors as lanes."""
        return self._turned(e, vectors, list(self._turning_steps()), range(self.count))

    @property
    def part(self) -> Lanes:
        """What `turn_parts` takes: as many elements as lie in 16 bytes, or fewer where vectors are shorter."""
        return Lanes(self.element_bytes, min(self.count, PART_BYTES // self.element_bytes))

    def turn_parts(self, e: Emitter, parts: Sequence[str]) -> list[str]:
        """Short rows become columns. Few rows of 16 bytes lie on two lines of memory, and few shuffles turn them."""
        each = self.part.count
        rows = [self._joined(e, parts[row::each]) for row in range(each)]
        steps = [step for step in self._turning_steps() if step[0].element_bytes < PART_BYTES]
        return self._turned(e, rows, steps, range(each))

    def _joined(self, e: Emitter, parts: Sequence[str]) -> str:
        """Parts laid end to end."""
        part, found = self.part, list(parts)
        while len(found) > 1:
            lanes = range(2 * part.count)
            found = [part.shuffle(e, *pair, lanes) for pair in zip(found[::2], found[1::2], strict=True)]
            part = Lanes(self.element_bytes, 2 * part.count)
        return found[0]

    def _turned(
        self,
        e: Emitter,
        vectors: Sequence[str],
        steps: Sequence[tuple[Lanes, list[int], list[int]]],
        wanted: Sequence[int],
    ) -> list[str]:
        """After these steps, the vectors that begin with the wanted lanes of the first row."""
        count, rows, kind = self.count, list(vectors), self.kind
        held = [[(row, lane) for lane in range(count)] for row in range(len(rows))]
        for bit, (wide, *halves) in enumerate(steps):
            rows, kind = [e.value(f"bitcast {kind} {row} to {wide.kind}") for row in rows], wide.kind
            for first in (row for row in range(len(rows)) if not row >> bit & 1):
                pair = first, first | 1 << bit
                left, right = (rows[row] for row in pair)
                both = held[pair[0]] + held[pair[1]]
                for row, lanes in zip(pair, halves, strict=True):
                    rows[row] = wide.shuffle(e, left, right, lanes)
                    held[row] = [both[lane] for lane in wide._narrowed(lanes, self)]
        # The steps leave the columns in an order of their own.
        starts = [lanes[0] for lanes in held]
        columns = [rows[starts.index((0, lane))] for lane in wanted]
        return [e.value(f"bitcast {kind} {column} to {self.kind}") for column in columns]

    def _turning_steps(self) -> Iterator[tuple[Lanes, list[int], list[int]]]:
        """Pairs of shuffles, each one instruction: neighbours within 16 bytes, ever wider, then whole 16 bytes."""
        total = self.element_bytes * self.count
        size = self.element_bytes
        while size < min(total, PART_BYTES):
            count, part = total // size, min(total, PART_BYTES) // size
            low = [lane + more for lane in range(count) if lane % part < part // 2 for more in (0, count)]
            yield Lanes(size, count), low, [lane + part // 2 for lane in low]
            size *= 2
        parts = total // size
        for _ in range(parts.bit_length() - 1):
            even = list(range(0, 2 * parts, 2))
            yield Lanes(size, parts), even, [lane + 1 for lane in even]

    def _narrowed(self, lanes: Sequence[int], narrow: Lanes) -> list[int]:
        """The same lanes, counted in narrower elements."""
        width = self.element_bytes // narrow.element_bytes
        return [lane * width + place for lane in lanes for place in range(width)]
