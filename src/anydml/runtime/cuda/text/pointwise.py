"""Kernels of nests: every thread computes a few neighbouring elements of the stores, whatever the loads look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from struct import pack

from anydml.core.datatype import DataType
from anydml.core.expression import Node, load
from anydml.core.steps import Access, Nest
from anydml.runtime.cuda.text.expressions import lines_of, loaded, storage_type, stored
from anydml.runtime.cuda.text.loops import canonical, magic
from anydml.runtime.cuda.text.prelude import PRELUDE

THREADS = 256
WIDEST_BYTES = 16
SHORTEST_ROW = 4
"""Rows of fewer vectors are moved element by element if they are not aligned."""
STREAMED_BYTES = 1 << 25
"""Larger tensors leave the caches to others."""
CHUNKS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint2", 16: "uint4"}
RAW = {1: DataType.UINT8, 2: DataType.UINT16, 4: DataType.UINT32, 8: DataType.UINT64}


@dataclass(frozen=True)
class Launch:
    """A kernel's text and how it is started: blocks, threads of each, shared memory and the bytes of its argument."""

    text: str
    blocks: int
    threads: int
    arguments: bytes
    shared_bytes: int = 0


@dataclass(frozen=True)
class Shape:
    """What a kernel's text depends on: sizes and strides are arguments."""

    rank: int
    width: int
    """Elements that each thread computes, neighbours in the stores."""
    kinds: tuple[str, ...]
    """How neighbours lie in each access: unit, reversed, same, strided or nibble; `anywhere` if not aligned."""
    types: tuple[DataType, ...]
    is_small: bool
    is_streamed: bool
    is_ragged: bool
    """Whether rows start and end anywhere: their first and last elements are stored one by one."""
    store_count: int
    values: tuple[Node, ...]
    """An expression for each store; loads are numbered from the first access after the stores."""


class PointwiseKernel:
    """A nest made ready: `launch` says how to run it on given memory."""

    def __init__(self, nest: Nest) -> None:
        nest = _raw(nest)
        self.accesses = (*(store.access for store in nest.stores), *nest.loads)
        self.values = tuple(store.value for store in nest.stores)
        self.store_count = len(nest.stores)
        self.loops = canonical(nest.sizes, self.accesses)
        touched = sum(access.type.element_bytes for access in self.accesses) * self.loops.count
        self.is_streamed = touched > STREAMED_BYTES
        self.is_packed = any(access.type.is_packed_pair for access in self.accesses)

    def launch(self, addresses: Sequence[int]) -> Launch:
        """`addresses` are where the slots of `accesses` start."""
        bases = [self._base(number, address) for number, address in enumerate(addresses)]
        width = self._width(bases)
        is_ragged = width < self._widest and self._may_be_ragged
        width = self._widest if is_ragged else width
        kinds = tuple(self._kind(number, width, base, is_ragged) for number, base in enumerate(bases))
        shape = Shape(
            len(self.loops.sizes),
            width,
            kinds,
            tuple(access.type for access in self.accesses),
            self.loops.is_small,
            self.is_streamed,
            is_ragged,
            self.store_count,
            self.values,
        )
        length = self.loops.sizes[-1]
        slots = (length + width - 1 + width - 1) // width if is_ragged else length // width
        count = self.loops.count // length * slots
        return Launch(text_of(shape), -(-count // THREADS), THREADS, self._arguments(bases, width, slots, count))

    def _base(self, number: int, address: int) -> int:
        access = self.accesses[number]
        return (
            address if access.type.is_packed_pair else address + self.loops.starts[number] * access.type.element_bytes
        )

    @property
    def _widest(self) -> int:
        return WIDEST_BYTES // max(access.type.element_bytes for access in self.accesses)

    @property
    def _may_be_ragged(self) -> bool:
        """Whether rows of one store are long enough to be worth a start and an end of their own."""
        is_row = self.loops.strides[0][-1] == 1 and self.loops.sizes[-1] >= SHORTEST_ROW * self._widest
        return is_row and self.store_count == 1 and not self.is_packed

    def _width(self, bases: Sequence[int]) -> int:
        """As many elements as fit the widest access, if all stores have them side by side, aligned."""
        if self.is_packed:
            return 1
        width = self._widest
        while width > 1 and not all(self._is_aligned(n, width, bases[n]) for n in range(self.store_count)):
            width //= 2
        while self.loops.sizes[-1] % width:
            width //= 2
        return width

    def _is_aligned(self, number: int, width: int, base: int) -> bool:
        """Whether neighbours can be read or written at once: they lie side by side and start at a multiple."""
        strides, item = self.loops.strides[number], self.accesses[number].type.element_bytes
        if strides[-1] == -1:
            base -= (width - 1) * item
        size = width * item
        return abs(strides[-1]) == 1 and base % size == 0 and all(s * item % size == 0 for s in strides[:-1])

    def _kind(self, number: int, width: int, base: int, is_ragged: bool) -> str:
        stride = self.loops.strides[number][-1]
        if self.accesses[number].type.is_packed_pair:
            return "nibble"
        if stride == 0:
            return "same"
        if is_ragged and number >= self.store_count:
            is_whole = abs(stride) == 1 and width * self.accesses[number].type.element_bytes == WIDEST_BYTES
            return "strided" if not is_whole else "anywhere" if stride == 1 else "anywhere reversed"
        if is_ragged:
            return "unit"
        if width > 1 and self._is_aligned(number, width, base):
            return "unit" if stride == 1 else "reversed"
        return "unit" if width == 1 else "strided"

    def _arguments(self, bases: Sequence[int], width: int, slots: int, count: int) -> bytes:
        """The struct `P` of the kernel."""
        loops = self.loops
        sizes = (*loops.sizes[:-1], slots)
        packed = [access.type.is_packed_pair for access in self.accesses]
        starts = [start if p else 0 for start, p in zip(loops.starts, packed, strict=True)]
        inner = [strides[-1] for strides in loops.strides]
        steps = [s for strides in loops.strides for s in (*strides[:-1], strides[-1] * width)]
        magics = [magic(size) if loops.is_small else 0 for size in sizes]
        numbers = len(bases)
        return pack(
            f"={numbers}Q{2 * numbers}q2q{len(sizes)}q{len(sizes)}Q{len(steps)}q",
            *bases,
            *starts,
            *inner,
            count,
            loops.sizes[-1],
            *sizes,
            *magics,
            *steps,
        )


def _raw(nest: Nest) -> Nest:
    """Copies move bits: NaN and all, whatever they stand for."""
    if not nest.is_copy or nest.loads[0].type.is_packed_pair:
        return nest
    kind = RAW[nest.loads[0].type.element_bytes]
    accesses = [Access(a.slot, kind, a.strides, a.offset) for a in (nest.loads[0], nest.stores[0].access)]
    store = type(nest.stores[0])(accesses[1], load(0, kind.numpy_dtype))
    return Nest(nest.sizes, (accesses[0],), (store,))


@lru_cache(maxsize=1024)
def text_of(shape: Shape) -> str:
    """The kernel's text."""
    count = len(shape.kinds)
    index, offset = ("uint32", "int32") if shape.is_small else ("uint64", "int64")
    lines = [
        PRELUDE,
        f"struct P {{ uint64 base[{count}]; int64 start[{count}]; int64 inner[{count}]; int64 total, length;",
        f"  int64 size[{shape.rank}]; uint64 magic[{shape.rank}]; int64 stride[{count * shape.rank}]; }};",
        f'extern "C" __global__ void __launch_bounds__({THREADS}) kernel(const P p) {{',
        f"  {index} i = ({index})blockIdx.x * {THREADS} + threadIdx.x;",
        f"  if (i >= ({index})p.total) return;",
        *(f"  {_offset(shape, a, offset)} o{a} = ({_offset(shape, a, offset)})p.start[{a}];" for a in range(count)),
    ]
    if shape.is_ragged:
        lines += _slot(shape, index, offset)
    for loop in reversed(range(1, shape.rank)):
        if shape.is_ragged and loop == shape.rank - 1:
            continue
        quotient = f"divide(i, p.magic[{loop}])" if shape.is_small else f"i / (uint64)p.size[{loop}]"
        lines.append(
            f"  {{ const {index} q = {quotient}; const {offset} k = ({offset})(i - q * ({index})p.size[{loop}]);"
        )
        lines += [f"    o{a} += k * ({offset})p.stride[{a * shape.rank + loop}];" for a in range(count)]
        lines.append("    i = q; }")
    if shape.rank > 1 or not shape.is_ragged:
        lines += [f"  o{a} += ({offset})i * ({offset})p.stride[{a * shape.rank}];" for a in range(count)]
    if shape.is_ragged:
        lines += _ragged(shape, offset)
    lines += _body(shape)
    return "\n".join([*lines, "}"]) + "\n"


def _offset(shape: Shape, access: int, offset: str) -> str:
    return "int64" if shape.kinds[access] == "nibble" else offset


def _slot(shape: Shape, index: str, offset: str) -> list[str]:
    """Which of a row's vectors this thread has."""
    last = shape.rank - 1
    quotient = f"divide(i, p.magic[{last}])" if shape.is_small else f"i / (uint64)p.size[{last}]"
    return [
        f"  const {index} row = {quotient};",
        f"  const {offset} slot = ({offset})(i - row * ({index})p.size[{last}]);",
        "  i = row;",
    ]


def _ragged(shape: Shape, offset: str) -> list[str]:
    """Vectors are aligned in the store; elements of those that reach beyond the row are computed one by one."""
    count, width, size = len(shape.kinds), shape.width, shape.types[0].element_bytes
    lines = [
        f"  const {offset} first = slot * {width} - ({offset})((p.base[0] / {size} + (uint64)(int64)o0) % {width});",
        *(f"  o{a} += first * ({offset})p.inner[{a}];" for a in range(count)),
        f"  if (first < 0 || first + {width} > ({offset})p.length) {{",
        f"    for (int e = 0; e < {width}; e++) {{",
        f"      if (first + e < 0 || first + e >= ({offset})p.length) continue;",
    ]
    leaves: dict[Node, str] = {}
    for a in range(shape.store_count, count):
        place = f"*{_pointer(shape, a, f'o{a} + e * ({offset})p.inner[{a}]')}"
        lines.append(f"      const auto l{a} = {loaded(place, shape.types[a])};")
        leaves[load(a - shape.store_count, shape.types[a].numpy_dtype)] = f"l{a}"
    computed, names = lines_of(shape.values, leaves)
    lines += [f"      {line}" for line in computed]
    text = stored(names[0], shape.values[0].type, shape.types[0])
    kind = storage_type(shape.types[0])
    return [*lines, f"      *({kind}*){_pointer(shape, 0, 'o0 + e')} = {text};", "    }", "    return;", "  }"]


def _body(shape: Shape) -> list[str]:
    """Loads, the expressions of each element, and stores."""
    accesses = range(len(shape.kinds))
    lines = [line for a in accesses if a >= shape.store_count for line in _load(shape, a)]
    lines += [f"  {_union(shape, a)} x{a};" for a in accesses if a < shape.store_count and shape.kinds[a] != "nibble"]
    lines += ["  #pragma unroll", f"  for (int e = 0; e < {shape.width}; e++) {{"]
    leaves: dict[Node, str] = {}
    for a in accesses[shape.store_count :]:
        kind = shape.types[a]
        lines.append(f"    const auto l{a} = {_element(shape, a)};")
        leaves[load(a - shape.store_count, kind.numpy_dtype)] = f"l{a}"
    computed, names = lines_of(shape.values, leaves)
    lines += [f"    {line}" for line in computed]
    for a, name, value in zip(accesses, names, shape.values, strict=False):
        text = stored(name, value.type, shape.types[a])
        if shape.kinds[a] == "nibble":
            lines.append(f"    write_nibble((uint8*)p.base[{a}], o{a}, {text});")
        else:
            lines.append(f"    x{a}.e[e] = {text};")
    lines.append("  }")
    return lines + [line for a in accesses[: shape.store_count] for line in _store(shape, a)]


def _union(shape: Shape, access: int) -> str:
    """Neighbouring elements, seen one by one and as the widest numbers that memory takes at once."""
    kind, size = shape.types[access], shape.types[access].element_bytes * shape.width
    chunk = CHUNKS[min(size, WIDEST_BYTES)]
    return f"union {{ {chunk} c[{max(1, size // WIDEST_BYTES)}]; {storage_type(kind)} e[{shape.width}]; }}"


def _pointer(shape: Shape, access: int, offset: str) -> str:
    return f"((const {storage_type(shape.types[access])}*)p.base[{access}] + {offset})"


def _load(shape: Shape, a: int) -> list[str]:
    kind, width = shape.kinds[a], shape.width
    if kind == "nibble":
        return []
    if kind == "same":
        return [f"  const {storage_type(shape.types[a])} x{a} = *{_pointer(shape, a, f'o{a}')};"]
    if kind == "strided":
        place = _pointer(shape, a, f"(o{a} + e * (int64)p.inner[{a}])")
        gather = f"  for (int e = 0; e < {width}; e++) x{a}.e[e] = *{place};"
        return [f"  {_union(shape, a)} x{a};", "  #pragma unroll", gather]
    first = f"(o{a} - {width - 1})" if kind.endswith("reversed") else f"o{a}"
    size = shape.types[a].element_bytes * width
    chunk, count = CHUNKS[min(size, WIDEST_BYTES)], max(1, size // WIDEST_BYTES)
    place = f"(const {chunk}*){_pointer(shape, a, first)}"
    lines = [f"  {_union(shape, a)} x{a};"]
    if kind.startswith("anywhere"):
        return [*lines, f"  x{a}.c[0] = read_anywhere({place});"]
    return [*lines, *(f"  x{a}.c[{number}] = ({place})[{number}];" for number in range(count))]


def _element(shape: Shape, a: int) -> str:
    """Element e of a load, as a value."""
    kind, data_type = shape.kinds[a], shape.types[a]
    if kind == "nibble":
        half = f"read_nibble((const uint8*)p.base[{a}], o{a})"
        return f"(int8)((({half}) ^ 8) - 8)" if data_type is DataType.INT4 else f"(uint8){half}"
    place = (
        f"x{a}" if kind == "same" else f"x{a}.e[{shape.width - 1} - e]" if kind.endswith("reversed") else f"x{a}.e[e]"
    )
    return loaded(place, data_type)


def _store(shape: Shape, a: int) -> list[str]:
    if shape.kinds[a] == "nibble":
        return []
    size = shape.types[a].element_bytes * shape.width
    chunk, count = CHUNKS[min(size, WIDEST_BYTES)], max(1, size // WIDEST_BYTES)
    place = f"({chunk}*){_pointer(shape, a, f'o{a}')}"
    if shape.is_streamed:
        return [f"  write_once({place} + {number}, x{a}.c[{number}]);" for number in range(count)]
    return [f"  ({place})[{number}] = x{a}.c[{number}];" for number in range(count)]
