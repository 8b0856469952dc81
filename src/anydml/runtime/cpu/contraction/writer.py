"""The writer of LLVM IR with what arithmetic needs: vectors, masks, and loops that carry values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from anydml.runtime.cpu.contraction.machine import Machine
from anydml.runtime.native.emit import Emitter, Value, known_lanes, vector
from anydml.runtime.native.schedule import WORD


@dataclass
class Carried:
    """The values of a loop: those an iteration starts with, and those it hands on."""

    index: str
    values: list[str]
    done: str
    """The block after the loop."""
    following: list[str] = field(default_factory=list)
    left_at: tuple[Sequence[str], Sequence[str]] | None = None
    """Values that are handed on from the middle of the body, and the block that hands them on."""


class Writer(Emitter):
    def __init__(self, machine: Machine) -> None:
        super().__init__(machine.vector_bytes)
        self.machine = machine
        self.lanes = machine.lanes

    # --- addresses -------------------------------------------------------------------------------

    def step(self, pointer: str, *steps: tuple[Value, Value]) -> str:
        """The address after so many steps of so many bytes each."""
        for count, size in steps:
            if count != 0 and size != 0:
                pointer = self.at(pointer, self.multiply(count, size))
        return pointer

    def divide(self, left: Value, right: Value) -> Value:
        """The quotient of numbers that are not negative."""
        if right == 1:
            return left
        if isinstance(left, int) and isinstance(right, int):
            return left // right
        return self.value(f"udiv i64 {left}, {right}")

    def divide_rounding_up(self, left: Value, right: Value) -> Value:
        return self.divide(self.add(left, self.subtract(right, 1)), right)

    def split(self, number: Value, size: Value) -> tuple[Value, Value]:
        """Quotient and remainder."""
        quotient = self.divide(number, size)
        return quotient, self.subtract(number, self.multiply(quotient, size))

    def compare(self, how: str, left: Value, right: Value) -> str:
        return self.value(f"icmp {how} i64 {left}, {right}")

    def both(self, left: str, right: str) -> str:
        return self.value(f"and i1 {left}, {right}")

    def opposite(self, condition: str) -> str:
        return self.value(f"xor i1 {condition}, true")

    def choose(self, condition: str, kind: str, chosen: Value, other: Value) -> str:
        return self.value(f"select i1 {condition}, {kind} {chosen}, {kind} {other}")

    # --- vectors ---------------------------------------------------------------------------------

    @contextmanager
    def vectors_of(self, lanes: int) -> Iterator[None]:
        """Vectors have so many lanes inside; those of more than one register are several for the machine."""
        self.lanes, before = lanes, self.lanes
        try:
            yield
        finally:
            self.lanes = before

    def kind(self, element: str, lanes: int | None = None) -> str:
        """The type of a vector; of one lane, the element's own."""
        count = self.lanes if lanes is None else lanes
        return element if count == 1 else vector(count, element)

    def splat(self, element: str, value: str, lanes: int | None = None) -> str:
        """A number in every lane."""
        count = self.lanes if lanes is None else lanes
        if count == 1:
            return value
        kind = vector(count, element)
        first = self.value(f"insertelement {kind} poison, {element} {value}, i32 0")
        return self.shuffle(kind, first, None, [0] * count)

    def first_lanes(self, count: Value, lanes: int | None = None) -> str:
        """A mask of the first lanes, so many of them."""
        total = self.lanes if lanes is None else lanes
        if isinstance(count, int):
            return known_lanes(total, count)
        held = self.minimum(count, total)
        number = self.splat("i32", self.value(f"trunc i64 {held} to i32"), total)
        places = ", ".join(f"i32 {place}" for place in range(total))
        return self.value(f"icmp ult {vector(total, 'i32')} <{places}>, {number}")

    def lanes_between(self, first: Value, last: Value) -> str:
        """A mask of the lanes from the first to before the last; both may lie outside of the vector."""
        low, high = (self.maximum(self.minimum(end, self.lanes), 0) for end in (first, last))
        below = [self.subtract(self.value(f"shl i64 1, {end}"), 1) for end in (low, high)]
        bits = self.value(f"and i64 {below[1]}, {self.value(f'xor i64 {below[0]}, -1')}")
        narrow = self.value(f"trunc i64 {bits} to i{self.lanes}")
        return self.value(f"bitcast i{self.lanes} {narrow} to {self.kind('i1')}")

    def load_some(
        self, element: str, pointer: str, mask: str, lanes: int | None = None, otherwise: str = "zeroinitializer"
    ) -> str:
        """A vector whose lanes outside the mask are 0, or what is given, and not read."""
        count = self.lanes if lanes is None else lanes
        kind, mask_kind = vector(count, element), vector(count, "i1")
        name = f"@llvm.masked.load.v{count}{_suffix(element)}.p0"
        self.declare(f"{kind} {name}(ptr, i32, {mask_kind}, {kind})")
        arguments = f"ptr {pointer}, i32 1, {mask_kind} {mask}, {kind} {otherwise}"
        return self.value(f"call {kind} {name}({arguments})")

    def store_some(self, element: str, value: str, pointer: str, mask: str, lanes: int | None = None) -> None:
        """Writes the lanes of the mask."""
        count = self.lanes if lanes is None else lanes
        kind, mask_kind = vector(count, element), vector(count, "i1")
        first = next((n for n in range(1, count + 1) if mask == known_lanes(count, n)), 0)
        if first == 1 or (first and not self.machine.stores_some):
            self._store_first(element, value, pointer, count, first)
            return
        name = f"@llvm.masked.store.v{count}{_suffix(element)}.p0"
        self.declare(f"void {name}({kind}, ptr, i32, {mask_kind})")
        self.do(f"call void {name}({kind} {value}, ptr {pointer}, i32 1, {mask_kind} {mask})")

    def _store_first(self, element: str, value: str, pointer: str, lanes: int, count: int) -> None:
        """Writes the first lanes, so many of them, in as few parts as there are powers of two in their number."""
        kind, first = vector(lanes, element), 0
        while first < count:
            size = 1 << ((count - first).bit_length() - 1)
            place = pointer if first == 0 else self.value(f"getelementptr {element}, ptr {pointer}, i64 {first}")
            if size == 1:
                self.store(element, self.value(f"extractelement {kind} {value}, i64 {first}"), place)
            else:
                part = self.shuffle(kind, value, None, range(first, first + size))
                self.store(vector(size, element), part, place)
            first += size

    def store_over(self, element: str, value: str, pointer: str, mask: str) -> None:
        """Writes the lanes of the mask to memory of the thread, all of which may be read and written.

        Without AVX-512 the other lanes are written again as they were: storing some lanes takes nine times as long as
        storing all of them, on AMD processors of the Zen 3 generation.
        """
        if self.machine.stores_some:
            self.store_some(element, value, pointer, mask)
            return
        kind = self.kind(element)
        before = self.load(kind, pointer)
        self.store(kind, self.value(f"select {self.kind('i1')} {mask}, {kind} {value}, {kind} {before}"), pointer)

    def intrinsic(self, name: str, kind: str, *operands: str) -> str:
        """A function of LLVM whose operands and result have one type."""
        self.declare(f"{kind} @llvm.{name}({', '.join([kind] * len(operands))})")
        written = ", ".join(f"{kind} {operand}" for operand in operands)
        return self.value(f"call {kind} @llvm.{name}({written})")

    # --- control ---------------------------------------------------------------------------------

    @contextmanager
    def carried(self, start: Value, stop: Value, step: Value, values: Sequence[tuple[str, str]]) -> Iterator[Carried]:
        """do {...} while ((i += step) < stop), with values that go from one iteration to the next.

        `values` are the types and first values. The body sets `following`; after the loop those are the last ones.
        """
        body, done = self._fresh("body"), self._fresh("done")
        index, next_index = self._fresh("%i"), self._fresh("%n")
        loop = Carried(index, [self._fresh("%c") for _ in values], done)
        before = self._block
        self.do(f"br label %{body}")
        self._label(body)
        place = len(self._lines)
        yield loop
        self.do(f"{next_index} = add nsw i64 {index}, {step}")
        more = self.value(f"icmp slt i64 {next_index}, {stop}")
        last = self._block
        self.do(f"br i1 {more}, label %{body}, label %{done}")
        heads = [f"  {index} = phi i64 [ {start}, %{before} ], [ {next_index}, %{last} ]"]
        for name, (kind, first), following in zip(loop.values, values, loop.following, strict=True):
            heads.append(f"  {name} = phi {kind} [ {first}, %{before} ], [ {following}, %{last} ]")
        self._lines[place:place] = heads
        self._label(done)
        if loop.left_at is not None:
            ends = zip(values, loop.following, *loop.left_at, strict=True)
            loop.following = [
                self.value(f"phi {kind} [ {following}, %{last} ], [ {value}, %{block} ]")
                for (kind, _), following, value, block in ends
            ]

    def leave(self, loop: Carried, condition: str, values: Sequence[str]) -> None:
        """Ends a loop in the middle of its body, at one place at most, with the values that it hands on there."""
        rest = self._fresh("rest")
        loop.left_at = (values, [self._block] * len(values))
        self.do(f"br i1 {condition}, label %{loop.done}, label %{rest}")
        self._label(rest)

    def unknown(self, kind: str, value: str) -> str:
        """The same value, of which LLVM does not know that it is the same: loads through both are two loads."""
        return self.value(f'call {kind} asm "", "=r,0"({kind} {value})')

    @contextmanager
    def unless(self, condition: str) -> Iterator[None]:
        with self.when(self.opposite(condition)):
            yield

    def call(self, function: str, *arguments: tuple[str, Value]) -> None:
        """Calls a function of the module with typed arguments."""
        self.do(f"call void @{function}({', '.join(f'{kind} {value}' for kind, value in arguments)})")

    def room(self, size_in_bytes: int, alignment: int) -> str:
        """Memory of the function that is being written; asked for before any loop."""
        return self.value(f"alloca i8, i64 {size_in_bytes}, align {alignment}")


def _suffix(element: str) -> str:
    """The element's type as part of an intrinsic's name."""
    return {"half": "f16", "float": "f32", "double": "f64"}.get(element, element)


class Words:
    """The words of a chunk's parameters by their names: written in Python, read by kernels."""

    def __init__(self, names: Sequence[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        assert len(self._places) == len(names), "every word has a name of its own"

    def pack(self, values: Mapping[str, int]) -> list[int]:
        """All words in order; every name has a value."""
        return [values[name] for name in self._places]

    def load(self, e: Emitter, name: str, parameters: str = "%parameters") -> str:
        return e.load("i64", e.at(parameters, self._places[name] * WORD), WORD)

    def load_address(self, e: Emitter, name: str) -> str:
        """The address of an operand: words `name_slot` and `name_offset`."""
        slot = self.load(e, f"{name}_slot")
        base = e.load("ptr", e.at("%bases", e.multiply(slot, WORD)), WORD)
        return e.at(base, self.load(e, f"{name}_offset"))
