"""A small writer of LLVM IR text: values, counted loops and conditions, always in SSA form.

Writing text is several times faster than building IR objects, and loops written straight in SSA
form need no optimisation passes, so a kernel is machine code within milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

Value = str | int
"""An SSA name such as "%12", or a constant."""

FIRST_LEVEL, SECOND_LEVEL = 1, 2
"""Caches that a line can be asked into. The first has few places for lines on their way: only what streams
past is asked into it."""
_REALIGNED = '"stackrealign"'
"""Callers align the stack to 16 bytes; wider vectors would be spilled to places that are not aligned, which is slow."""


class Emitter:
    """Collects the instructions of a module's functions.

    What runs often but not innermost is a function of its own: small functions compile much faster than
    one deep nest of loops, and a call costs little beside the row or tile it moves.
    """

    def __init__(self, vector_bytes: int) -> None:
        self.vector_bytes = vector_bytes
        self._lines: list[str] = []
        self._count = 0
        self._block = "entry"
        self._declared: set[str] = set()
        self._functions: dict[str, str] = {}
        self._exported: set[str] = set()

    # --- text -------------------------------------------------------------------------------

    def do(self, instruction: str) -> None:
        self._lines.append(f"  {instruction}")

    def value(self, instruction: str) -> str:
        name = self._fresh("%v")
        self.do(f"{name} = {instruction}")
        return name

    def declare(self, declaration: str) -> None:
        self._declared.add(f"declare {declaration}")

    @contextmanager
    def function(self, name: str, parameters: str, exported: bool = False, is_cold: bool = False) -> Iterator[None]:
        """Collects what is emitted inside as a function, apart from the one being written.

        What runs rarely is cold: it is compiled in half the time, to slower code.
        """
        saved = self._lines, self._block
        self._lines, self._block = [], "entry"
        yield
        linkage = "" if exported else "internal "
        body = "\n".join(self._lines)
        effort = "optnone " if is_cold else ""
        head = f"define {linkage}void @{name}({parameters}) nounwind noinline {effort}{_REALIGNED}"
        self._functions[name] = f"{head} {{\nentry:\n{body}\n  ret void\n}}"
        if exported:
            self._exported.add(name)
        self._lines, self._block = saved

    def has_function(self, name: str) -> bool:
        return name in self._functions

    def module(self) -> str:
        """The text of all functions that are of use; LLVM would compile the others too."""
        used = self._used()
        functions = (text for name, text in self._functions.items() if name in used)
        return "\n".join([*sorted(self._declared), *functions, "!0 = !{i32 1}"]) + "\n"

    def _used(self) -> set[str]:
        """The exported functions, and those that they call."""
        found, waiting = set(self._exported), list(self._exported)
        while waiting:
            text = self._functions[waiting.pop()]
            called = {name for name in self._functions if name not in found and f" @{name}(" in text}
            found |= called
            waiting += called
        return found

    def _fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def _label(self, name: str) -> None:
        self._lines.append(f"{name}:")
        self._block = name

    # --- 64-bit integers, folded where both sides are known ----------------------------------

    def add(self, left: Value, right: Value) -> Value:
        if left == 0 or right == 0:
            return right if left == 0 else left
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        return self.value(f"add i64 {left}, {right}")

    def subtract(self, left: Value, right: Value) -> Value:
        if right == 0:
            return left
        if isinstance(left, int) and isinstance(right, int):
            return left - right
        return self.value(f"sub i64 {left}, {right}")

    def multiply(self, left: Value, right: Value) -> Value:
        if left == 1 or right == 1:
            return right if left == 1 else left
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        return self.value(f"mul i64 {left}, {right}")

    def mask(self, value: Value, bits: int) -> Value:
        if isinstance(value, int):
            return value & bits
        return self.value(f"and i64 {value}, {bits}")

    def minimum(self, left: Value, right: Value) -> Value:
        if isinstance(left, int) and isinstance(right, int):
            return min(left, right)
        less = self.value(f"icmp slt i64 {left}, {right}")
        return self.value(f"select i1 {less}, i64 {left}, i64 {right}")

    def maximum(self, left: Value, right: Value) -> Value:
        if isinstance(left, int) and isinstance(right, int):
            return max(left, right)
        more = self.value(f"icmp sgt i64 {left}, {right}")
        return self.value(f"select i1 {more}, i64 {left}, i64 {right}")

    # --- memory ------------------------------------------------------------------------------

    def at(self, pointer: str, offset: Value) -> str:
        """The address `offset` bytes after `pointer`."""
        if offset == 0:
            return pointer
        return self.value(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def load(self, kind: str, pointer: str, align: int = 1) -> str:
        return self.value(f"load {kind}, ptr {pointer}, align {align}")

    def store(self, kind: str, value: Value, pointer: str, align: int = 1, stream: bool = False) -> None:
        hint = ", !nontemporal !0" if stream else ""
        self.do(f"store {kind} {value}, ptr {pointer}, align {align}{hint}")

    def prefetch(self, pointer: str, level: int, writes: bool = False) -> None:
        """Asks for a line, to be in a cache of this level when it is read, or written. No address is wrong."""
        self.declare("void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self.do(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 {int(writes)}, i32 {4 - level}, i32 1)")

    def shuffle(self, kind: str, left: str, right: str | None, lanes: Sequence[int]) -> str:
        """Picks lanes out of two vectors laid end to end; -1 leaves a lane undefined."""
        mask = ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in lanes)
        other = "poison" if right is None else right
        return self.value(f"shufflevector {kind} {left}, {kind} {other}, <{len(lanes)} x i32> <{mask}>")

    # --- memory that several threads share -----------------------------------------------------

    def atomic_load(self, pointer: str, order: str = "monotonic") -> str:
        return self.value(f"load atomic i64, ptr {pointer} {order}, align 8")

    def atomic_store(self, value: Value, pointer: str, order: str = "monotonic") -> None:
        self.do(f"store atomic i64 {value}, ptr {pointer} {order}, align 8")

    def atomic(self, operation: str, pointer: str, value: Value, order: str) -> str:
        """Changes a word by "add", "sub" or "and"; the value it had before."""
        return self.value(f"atomicrmw {operation} ptr {pointer}, i64 {value} {order}, align 8")

    def exchange(self, pointer: str, expected: Value, wanted: Value) -> str:
        """Writes `wanted` if the word is `expected`; whether it was."""
        words = f"i64 {expected}, i64 {wanted}"
        pair = self.value(f"cmpxchg ptr {pointer}, {words} acq_rel monotonic, align 8")
        return self.value(f"extractvalue {{ i64, i1 }} {pair}, 1")

    # --- control -----------------------------------------------------------------------------

    @contextmanager
    def loop(self, start: Value, stop: Value, step: Value = 1) -> Iterator[str]:
        """for (i = start; i < stop; i += step)."""
        head, body, last, done = (self._fresh(part) for part in ("head", "body", "last", "done"))
        index, following = self._fresh("%i"), self._fresh("%n")
        before = self._block
        self.do(f"br label %{head}")
        self._label(head)
        self.do(f"{index} = phi i64 [ {start}, %{before} ], [ {following}, %{last} ]")
        more = self.value(f"icmp slt i64 {index}, {stop}")
        self.do(f"br i1 {more}, label %{body}, label %{done}")
        self._label(body)
        yield index
        self.do(f"br label %{last}")
        self._label(last)
        self.do(f"{following} = add i64 {index}, {step}")
        self.do(f"br label %{head}")
        self._label(done)

    def fold(
        self,
        start: Value,
        stop: Value,
        step: Value,
        carried: Sequence[tuple[str, str]],
        body: Callable[[str, list[str]], Sequence[str]],
    ) -> list[str]:
        """A loop that carries values: `carried` are their types and first values, the body returns the next ones."""
        head, inside, last, done = (self._fresh(part) for part in ("head", "body", "last", "done"))
        index, following = self._fresh("%i"), self._fresh("%n")
        names = [self._fresh("%c") for _ in carried]
        before = self._block
        self.do(f"br label %{head}")
        self._label(head)
        self.do(f"{index} = phi i64 [ {start}, %{before} ], [ {following}, %{last} ]")
        place = len(self._lines)
        more = self.value(f"icmp slt i64 {index}, {stop}")
        self.do(f"br i1 {more}, label %{inside}, label %{done}")
        self._label(inside)
        results = body(index, names)
        self.do(f"br label %{last}")
        self._label(last)
        self.do(f"{following} = add i64 {index}, {step}")
        self.do(f"br label %{head}")
        self._lines[place:place] = [
            f"  {name} = phi {kind} [ {first}, %{before} ], [ {result}, %{last} ]"
            for name, (kind, first), result in zip(names, carried, results, strict=True)
        ]
        self._label(done)
        return names

    @contextmanager
    def repeat(self) -> Iterator[Callable[[str], None]]:
        """do {...} while (condition): the body calls what it is given with the condition."""
        head, done = self._fresh("head"), self._fresh("done")
        conditions: list[str] = []
        self.do(f"br label %{head}")
        self._label(head)
        yield conditions.append
        self.do(f"br i1 {conditions[-1]}, label %{head}, label %{done}")
        self._label(done)

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """if (condition) {...}; nothing computed inside may be used outside."""
        inside, after = self._fresh("then"), self._fresh("after")
        self.do(f"br i1 {condition}, label %{inside}, label %{after}")
        self._label(inside)
        yield
        self.do(f"br label %{after}")
        self._label(after)

    def unrolled(self, stop: Value, times: int, body: Callable[[list[Value]], None]) -> None:
        """for (i = 0; i < stop; i += 1), `times` indices at once while there are so many."""
        whole = self.mask(stop, -times)
        with self.loop(0, whole, times) as i:
            body([self.add(i, more) for more in range(times)])
        with self.loop(whole, stop) as i:
            body([i])


def vector(lanes: int, kind: str) -> str:
    return f"<{lanes} x {kind}>"


def known_lanes(count: int, wanted: int) -> str:
    """A mask of the first lanes, where it is known how many.

    A masked store of one known lane is better written as a store of one element. LLVM makes it one itself, but of
    the width that the elements had before they were narrowed, where that was done just before (x86 with AVX-512).
    """
    return f"<{', '.join(f'i1 {int(lane < wanted)}' for lane in range(count))}>"


def pointers_to(*names: str) -> str:
    """The arguments of a call."""
    return ", ".join(f"ptr {name}" for name in names)
