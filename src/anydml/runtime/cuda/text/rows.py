"""Kernels of reductions, softmax and normalization: a few threads have a row, which they read once if it fits.

A row goes through phases. Each reduces an expression of the row's elements, and of the results of earlier phases, to
one number; in the end elements, or one element for each row, are stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from struct import pack

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, FLOAT64, Node, leaves, load
from anydml.core.steps import Access, Store
from anydml.runtime.cuda.text.expressions import c_type, constant_text, lines_of, loaded, storage_type, stored
from anydml.runtime.cuda.text.loops import SMALL, Loops, canonical, magic
from anydml.runtime.cuda.text.pointwise import CHUNKS, STREAMED_BYTES, WIDEST_BYTES, Launch
from anydml.runtime.cuda.text.prelude import PRELUDE

BLOCK_THREADS, MOST_THREADS, WARP = 256, 1024, 32
MOST_HELD = 32
"""Elements of a row that a thread keeps in registers."""
VECTORS = 8
"""Vectors of a row that each thread has, where there are enough."""
READ_AHEAD, READ_AHEAD_ALONE = 4, 8
"""Vectors that a thread reads before it needs the first, where it shares its row and where it has it alone."""
SHORT_ROW = 16
"""Rows of so few elements are left to one thread each."""
_COMBINE = {"sum": "({} + {})", "product": "({} * {})", "maximum": "largest_of({}, {})", "minimum": "least_of({}, {})"}


@dataclass(frozen=True)
class Phase:
    """A reduction: its function, and what is reduced."""

    function: str
    value: Node

    @property
    def identity(self) -> str:
        """The number that changes nothing."""
        low, high = -np.inf, np.inf
        numbers = {"sum": 0.0, "product": 1.0, "maximum": low, "minimum": high}
        return constant_text(numbers[self.function], self.value.type)


@dataclass(frozen=True)
class RowWork:
    """Loops over rows and over the elements of a row; accesses have strides for both, in this order.

    Loads are numbered in their order, the results of phases after them.
    """

    outer: tuple[int, ...]
    inner: tuple[int, ...]
    loads: tuple[Access, ...]
    phases: tuple[Phase, ...]
    stores: tuple[Store, ...] = ()
    row_stores: tuple[Store, ...] = ()
    """Their accesses have strides for the outer loops alone."""


@dataclass(frozen=True)
class Shape:
    """What a kernel's text depends on."""

    ranks: tuple[int, int]
    width: int
    threads: int
    """Threads of a row."""
    held: int
    """Vectors of a row that each thread keeps; 0 if the row is read again in every phase."""
    kinds: tuple[str, ...]
    """Of each load and store: flat (one element for a row), unit or strided."""
    types: tuple[DataType, ...]
    is_small: bool
    is_streamed: bool
    phases: tuple[Phase, ...]
    values: tuple[Node, ...]
    load_count: int
    store_count: int
    """Stores of elements; those of rows come after them."""

    @property
    def rows_of_block(self) -> int:
        return max(1, BLOCK_THREADS // self.threads)

    @property
    def is_serial(self) -> bool:
        return self.threads == 1

    @property
    def kept(self) -> set[int]:
        """The loads that phases read element by element."""
        read = {node.value for node in leaves(*(phase.value for phase in self.phases)) if node.op == "load"}
        return {a for a in read if a < self.load_count and self.kinds[a] != "flat"}


class RowKernel:
    """Row work made ready: `launch` says how to run it on given memory."""

    def __init__(self, work: RowWork) -> None:
        self.work = work
        split = len(work.outer)
        everything = (*work.loads, *(store.access for store in (*work.stores, *work.row_stores)))
        self.accesses = everything
        inner_zeros = (0,) * len(work.inner)
        whole = [a.strides if len(a.strides) > split else (*a.strides, *inner_zeros) for a in everything]
        lead = work.row_stores or work.stores
        first = everything.index(lead[0].access)
        order = [first, *(n for n in range(len(everything)) if n != first)]
        outer = canonical(work.outer, [_part(everything[n], whole[n][:split], everything[n].offset) for n in order])
        self.outer = _reordered(outer, order)
        self.inner = canonical(work.inner, [_part(a, whole[n][split:], 0) for n, a in enumerate(everything)])
        self.length = prod(work.inner)
        touched = self.length * self.outer.count * everything[0].type.element_bytes
        self.is_streamed = touched > STREAMED_BYTES

    def launch(self, addresses: Sequence[int]) -> Launch:
        starts = [a + b for a, b in zip(self.outer.starts, self.inner.starts, strict=True)]
        items = [access.type.element_bytes for access in self.accesses]
        bases = [address + s * i for address, s, i in zip(addresses, starts, items, strict=True)]
        shape = self._shape(bases)
        vectors = self.length // shape.width
        loops = self.outer, self.inner
        inner_sizes = (*self.inner.sizes[:-1], self.inner.sizes[-1] // shape.width)
        numbers = [*bases, self.outer.count, vectors]
        for sizes in (self.outer.sizes, inner_sizes):
            numbers += [*sizes, *(magic(size) if shape.is_small else 0 for size in sizes)]
        numbers += [stride for strides in loops[0].strides for stride in strides]
        for strides in loops[1].strides:
            numbers += [*strides[:-1], strides[-1] * shape.width]
        blocks = -(-self.outer.count // shape.rows_of_block)
        arguments = pack(f"={len(numbers)}q", *(n - (1 << 64) if n >= 1 << 63 else n for n in numbers))
        return Launch(text_of(shape), blocks, shape.threads * shape.rows_of_block, arguments)

    def _shape(self, bases: Sequence[int]) -> Shape:
        work, load_count = self.work, len(self.work.loads)
        is_flat = [not any(strides) for strides in self.inner.strides]
        is_serial = self._is_serial()
        width = 1 if is_serial else self._width(bases, is_flat)
        vectors = self.length // width
        threads = 1 if is_serial else min(max(_power(-(-vectors // VECTORS)), WARP), MOST_THREADS)
        kinds = tuple(
            "flat" if f else "unit" if width > 1 and s[-1] == 1 else "strided"
            for f, s in zip(is_flat, self.inner.strides, strict=True)
        )
        values = tuple(store.value for store in (*work.stores, *work.row_stores))
        farthest = max(self.outer.reach(n) + self.inner.reach(n) for n in range(len(kinds)))
        is_small = max(farthest, self.outer.count, self.length) < SMALL
        types = tuple(access.type for access in self.accesses)
        ranks = len(self.outer.sizes), len(self.inner.sizes)
        shape = Shape(
            ranks,
            width,
            threads,
            0,
            kinds,
            types,
            is_small,
            self.is_streamed,
            work.phases,
            values,
            load_count,
            len(work.stores),
        )
        held = -(-vectors // threads)
        reads_again = len(work.phases) + bool(work.stores) > 1
        if is_serial or not reads_again or held * width * max(1, len(shape.kept)) > MOST_HELD:
            held = 0
        return Shape(**{**vars(shape), "held": held})

    def _is_serial(self) -> bool:
        """Whether neighbouring rows, rather than the elements of one, lie side by side."""
        if self.length <= SHORT_ROW:
            return True
        return (
            abs(self.outer.strides[0][-1]) == 1 and abs(self.inner.strides[0][-1]) != 1 and self.outer.sizes[-1] >= WARP
        )

    def _width(self, bases: Sequence[int], is_flat: Sequence[bool]) -> int:
        moving = [n for n, flat in enumerate(is_flat) if not flat]
        width = WIDEST_BYTES // max(self.accesses[n].type.element_bytes for n in moving) if moving else 1
        while width > 1 and not all(self._is_aligned(n, width, bases[n]) for n in moving):
            width //= 2
        return width

    def _is_aligned(self, number: int, width: int, base: int) -> bool:
        item = self.accesses[number].type.element_bytes
        inner, outer = self.inner.strides[number], self.outer.strides[number]
        distances = [base, *(stride * item for stride in (*inner[:-1], *outer))]
        is_row = inner[-1] == 1 and self.inner.sizes[-1] % width == 0
        return is_row and all(distance % (width * item) == 0 for distance in distances)


def _power(size: int) -> int:
    """The power of two from size on."""
    return 1 << (size - 1).bit_length()


def _part(access: Access, strides: tuple[int, ...], offset: int) -> Access:
    return Access(access.slot, access.type, strides, offset)


def _reordered(loops: Loops, order: Sequence[int]) -> Loops:
    """Loops whose accesses were given in another order."""
    back = [order.index(n) for n in range(len(order))]
    return Loops(loops.sizes, tuple(loops.strides[n] for n in back), tuple(loops.starts[n] for n in back))


@lru_cache(maxsize=512)
def text_of(shape: Shape) -> str:
    return _Text(shape).text()


class _Text:
    """The text of one kernel."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.index, self.offset = ("uint32", "int32") if shape.is_small else ("uint64", "int64")
        self.moving = [a for a, kind in enumerate(shape.kinds) if kind != "flat"]
        self.leaves: dict[Node, str] = {}
        for a in range(shape.load_count):
            self.leaves[load(a, shape.types[a].numpy_dtype)] = f"l{a}"
        for p, phase in enumerate(shape.phases):
            self.leaves[load(shape.load_count + p, phase.value.type)] = f"r{p}"

    def text(self) -> str:
        shape, count = self.shape, len(self.shape.kinds)
        outer, inner = shape.ranks
        total = shape.threads * shape.rows_of_block
        lines = [
            PRELUDE,
            f"struct P {{ uint64 base[{count}]; int64 rows, vectors;",
            f"  int64 outer_size[{outer}]; uint64 outer_magic[{outer}];",
            f"  int64 inner_size[{inner}]; uint64 inner_magic[{inner}];",
            f"  int64 outer_stride[{count * outer}]; int64 inner_stride[{count * inner}]; }};",
            f'extern "C" __global__ void __launch_bounds__({total}) kernel(const P p) {{',
            f"  const int lane = threadIdx.x % {shape.threads};",
            f"  {self.index} row = ({self.index})blockIdx.x * {shape.rows_of_block} + threadIdx.x / {shape.threads};",
            f"  const bool is_row = row < ({self.index})p.rows;",
            f"  if (!is_row) {'return' if shape.is_serial else f'row = ({self.index})p.rows - 1'};",
            *(f"  {self.offset} o{a} = 0;" for a in range(count)),
            *self._offsets("outer", "row", outer, "o", range(count)),
        ]
        for a in range(shape.load_count):
            if shape.kinds[a] == "flat":
                place = f"*{self._pointer(a, f'o{a}')}"
                lines.append(f"  const auto l{a} = {loaded(place, shape.types[a])};")
        lines += self._held()
        for p, phase in enumerate(shape.phases):
            lines += self._phase(p, phase)
        return "\n".join([*lines, *self._stores(), "}"]) + "\n"

    def _offsets(self, loop: str, variable: str, rank: int, name: str, accesses: Sequence[int]) -> list[str]:
        """Where an iteration lies in each access."""
        lines = [f"  {{ {self.index} n = ({self.index}){variable};"]
        for r in reversed(range(1, rank)):
            quotient = f"divide(n, p.{loop}_magic[{r}])" if self.shape.is_small else f"n / (uint64)p.{loop}_size[{r}]"
            lines.append(f"    {{ const {self.index} q = {quotient};")
            lines.append(f"      const {self.offset} k = n - q * ({self.index})p.{loop}_size[{r}];")
            lines += [f"      {name}{a} += k * ({self.offset})p.{loop}_stride[{a * rank + r}];" for a in accesses]
            lines.append("      n = q; }")
        lines += [f"    {name}{a} += ({self.offset})n * ({self.offset})p.{loop}_stride[{a * rank}];" for a in accesses]
        return [*lines, "  }"]

    def _pointer(self, a: int, offset: str) -> str:
        return f"((const {storage_type(self.shape.types[a])}*)p.base[{a}] + {offset})"

    def _union(self, a: int) -> str:
        size = self.shape.types[a].element_bytes * self.shape.width
        return f"union {{ {CHUNKS[size]} c; {storage_type(self.shape.types[a])} e[{self.shape.width}]; }}"

    def _read(self, accesses: Sequence[int], place: str) -> list[str]:
        """Vector i of some loads."""
        lines = [f"    {self.offset} q{a} = o{a};" for a in accesses]
        lines += self._offsets("inner", "i", self.shape.ranks[1], "q", accesses)
        for a in accesses:
            chunk = CHUNKS[self.shape.types[a].element_bytes * self.shape.width]
            at = f"(const {chunk}*){self._pointer(a, f'q{a}')}"
            is_once = self.shape.is_streamed and self.shape.held and a in self.shape.kept
            lines.append(f"    x{a}{place}.c = {f'read_once({at})' if is_once else f'*{at}'};")
        return lines

    def _held(self) -> list[str]:
        """The vectors that each thread keeps."""
        shape, kept = self.shape, sorted(self.shape.kept)
        if not shape.held:
            return []
        return [
            *(f"  {self._union(a)} x{a}[{shape.held}];" for a in kept),
            "  #pragma unroll",
            f"  for (int k = 0; k < {shape.held}; k++) {{",
            f"    const {self.index} i = lane + k * {shape.threads};",
            f"    if (i < ({self.index})p.vectors) {{",
            *self._read(kept, "[k]"),
            "    }",
            "  }",
        ]

    def _loop(self, used: set[int], body: list[str], after: Sequence[str] = ()) -> list[str]:
        """A loop over this thread's vectors, and over the elements of each."""
        shape = self.shape
        held = shape.kept & used if shape.held else set()
        fresh = sorted(a for a in used if a < shape.load_count and a not in held and shape.kinds[a] != "flat")
        step = f"  for (int k = 0; k < {shape.held}; k++) {{" if shape.held else None
        if shape.held:
            lines = ["  #pragma unroll", str(step), f"    const {self.index} i = lane + k * {shape.threads};"]
            lines += [f"    if (i >= ({self.index})p.vectors) break;"]
        else:
            lines = [f"  #pragma unroll {READ_AHEAD_ALONE if shape.is_serial else READ_AHEAD}"]
            lines += [f"  for ({self.index} i = lane; i < ({self.index})p.vectors; i += {shape.threads}) {{"]
        lines += [f"    {self._union(a)} x{a};" for a in fresh]
        lines += self._read(fresh, "") if fresh else []
        lines += ["    #pragma unroll", f"    for (int e = 0; e < {shape.width}; e++) {{"]
        for a in sorted(held) + fresh:
            place = f"x{a}[k].e[e]" if a in held else f"x{a}.e[e]"
            lines.append(f"      const auto l{a} = {loaded(place, shape.types[a])};")
        return [*lines, *(f"      {line}" for line in body), "    }", *after, "  }"]

    def _used(self, roots: Sequence[Node]) -> set[int]:
        return {node.value for node in leaves(*roots) if node.op == "load"}

    def _phase(self, number: int, phase: Phase) -> list[str]:
        kind = c_type(phase.value.type)
        lines = [f"  {kind} r{number} = {phase.identity};"]
        if self._is_widened(phase):
            # Converting every element would take longer than reading it: the few of a vector are summed as they are.
            body, (name,) = lines_of([phase.value.args[0]], self.leaves)
            body.append(f"part{number} += {name};")
            looped = self._loop(self._used([phase.value]), body, [f"    r{number} += part{number};"])
            return [
                *lines,
                *_before_elements(looped, [f"    float part{number} = 0;"]),
                *self._across(number, phase, kind),
            ]
        body, (name,) = lines_of([phase.value], self.leaves)
        combined = _COMBINE[phase.function].format(f"r{number}", name)
        lines += self._loop(self._used([phase.value]), [*body, f"r{number} = {combined};"])
        return [*lines, *self._across(number, phase, kind)]

    def _is_widened(self, phase: Phase) -> bool:
        value = phase.value
        return (
            phase.function == "sum" and value.op == "cast" and value.type == FLOAT64 and value.args[0].type == FLOAT32
        )

    def _across(self, number: int, phase: Phase, kind: str) -> list[str]:
        """All threads of a row learn what they found together."""
        threads, name = self.shape.threads, f"r{number}"
        lines = []
        for distance in (16, 8, 4, 2, 1):
            if distance < threads:
                other = f"__shfl_xor_sync(0xffffffffu, {name}, {distance})"
                lines.append(f"  {name} = {_COMBINE[phase.function].format(name, other)};")
        if threads <= WARP:
            return lines
        warps = threads // WARP
        first = f"threadIdx.x / {threads} * {warps}"
        combined = _COMBINE[phase.function].format(name, f"shared{number}[{first} + w]")
        return [
            *lines,
            f"  __shared__ {kind} shared{number}[{warps * self.shape.rows_of_block}];",
            f"  if (lane % {WARP} == 0) shared{number}[threadIdx.x / {WARP}] = {name};",
            "  __syncthreads();",
            f"  {name} = shared{number}[{first}];",
            f"  for (int w = 1; w < {warps}; w++) {name} = {combined};",
        ]

    def _stores(self) -> list[str]:
        shape = self.shape
        whole, rows = shape.values[: shape.store_count], shape.values[shape.store_count :]
        lines: list[str] = []
        if whole:
            lines += self._whole(whole)
        if rows:
            body, names = lines_of(rows, self.leaves)
            lines += ["  if (is_row && lane == 0) {", *(f"    {line}" for line in body)]
            for number, (name, value) in enumerate(zip(names, rows, strict=True)):
                a = shape.load_count + shape.store_count + number
                kind = storage_type(shape.types[a])
                lines.append(f"    *({kind}*){self._pointer(a, f'o{a}')} = {stored(name, value.type, shape.types[a])};")
            lines.append("  }")
        return lines

    def _whole(self, values: tuple[Node, ...]) -> list[str]:
        shape = self.shape
        targets = [shape.load_count + number for number in range(len(values))]
        body, names = lines_of(values, self.leaves)
        for a, name, value in zip(targets, names, values, strict=True):
            body.append(f"y{a}.e[e] = {stored(name, value.type, shape.types[a])};")
        after = [f"    {self.offset} q{a} = o{a};" for a in targets]
        after += self._offsets("inner", "i", shape.ranks[1], "q", targets)
        for a in targets:
            chunk = CHUNKS[shape.types[a].element_bytes * shape.width]
            at = f"({chunk}*){self._pointer(a, f'q{a}')}"
            put = f"write_once({at}, y{a}.c)" if shape.is_streamed else f"*{at} = y{a}.c"
            after.append(f"    if (is_row) {put};")
        looped = self._loop(self._used(values), body, ["    {", *after, "    }"])
        return _before_elements(looped, [f"    {self._union(a)} y{a};" for a in targets])


def _before_elements(lines: list[str], more: list[str]) -> list[str]:
    """Lines before the loop over the elements of a vector."""
    place = next(n for n, line in enumerate(lines) if "for (int e" in line) - 1
    return [*lines[:place], *more, *lines[place:]]
