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
    """How neighbours lie in each access: unit, reversed, same, strided or nibble."""
    types: tuple[DataType, ...]
    is_small: bool
    is_streamed: bool
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
        kinds = tuple(self._kind(number, width, base) for number, base in enumerate(bases))
        shape = Shape(
            len(self.loops.sizes),
            width,
            kinds,
            tuple(access.type for access in self.accesses),
            self.loops.is_small,
            self.is_streamed,
            self.store_count,
            self.values,
        )
        count = self.loops.count // width
        return Launch(text_of(shape), -(-count // THREADS), THREADS, self._arguments(bases, width, count))

    def _base(self, number: int, address: int) -> int:
        access = self.accesses[number]
        return (
            address if access.type.is_packed_pair else address + self.loops.starts[number] * access.type.element_bytes
        )

    def _width(self, bases: Sequence[int]) -> int:
        """As many elements as fit the widest access, if all stores have them side by side, aligned."""
        if self.is_packed:
            return 1
        width = WIDEST_BYTES // max(access.type.element_bytes for access in self.accesses)
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

    def _kind(self, number: int, width: int, base: int) -> str:
        stride = self.loops.strides[number][-1]
        if self.accesses[number].type.is_packed_pair:
            return "nibble"
        if stride == 0:
            return "same"
        if width > 1 and self._is_aligned(number, width, base):
            return "unit" if stride == 1 else "reversed"
        return "unit" if width == 1 else "strided"

    def _arguments(self, bases: Sequence[int], width: int, count: int) -> bytes:
        """The struct `P` of the kernel."""
        loops = self.loops
        sizes = (*loops.sizes[:-1], loops.sizes[-1] // width)
        packed = [access.type.is_packed_pair for access in self.accesses]
        starts = [start if p else 0 for start, p in zip(loops.starts, packed, strict=True)]
        inner = [strides[-1] for strides in loops.strides]
        steps = [s for strides in loops.strides for s in (*strides[:-1], strides[-1] * width)]
        magics = [magic(size) if loops.is_small else 0 for size in sizes]
        numbers = len(bases)
        return pack(
            f"={numbers}Q{2 * numbers}qq{len(sizes)}q{len(sizes)}Q{len(steps)}q",
            *bases,
            *starts,
            *inner,
            count,
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
        f"struct P {{ uint64 base[{count}]; int64 start[{count}]; int64 inner[{count}]; int64 total;",
        f"  int64 size[{shape.rank}]; uint64 magic[{shape.rank}]; int64 stride[{count * shape.rank}]; }};",
        f'extern "C" __global__ void __launch_bounds__({THREADS}) kernel(const P p) {{',
        f"  {index} i = ({index})blockIdx.x * {THREADS} + threadIdx.x;",
        f"  if (i >= ({index})p.total) return;",
        *(f"  {_offset(shape, a, offset)} o{a} = ({_offset(shape, a, offset)})p.start[{a}];" for a in range(count)),
    ]
    for loop in reversed(range(1, shape.rank)):
        quotient = f"divide(i, p.magic[{loop}])" if shape.is_small else f"i / (uint64)p.size[{loop}]"
        lines.append(
            f"  {{ const {index} q = {quotient}; const {offset} k = ({offset})(i - q * ({index})p.size[{loop}]);"
        )
        lines += [f"    o{a} += k * ({offset})p.stride[{a * shape.rank + loop}];" for a in range(count)]
        lines.append("    i = q; }")
    lines += [f"  o{a} += ({offset})i * ({offset})p.stride[{a * shape.rank}];" for a in range(count)]
    lines += _body(shape)
    return "\n".join([*lines, "}"]) + "\n"


def _offset(shape: Shape, access: int, offset: str) -> str:
    return "int64" if shape.kinds[access] == "nibble" else offset


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
        read = ["  #pragma unroll", f"  for (int e = 0; e < {width}; e++) x{a}.e[e] = *{place};"]
        return [f"  {_union(shape, a)} x{a};", *read]
    first = f"o{a}" if kind == "unit" else f"(o{a} - {width - 1})"
    size = shape.types[a].element_bytes * width
    chunk, count = CHUNKS[min(size, WIDEST_BYTES)], max(1, size // WIDEST_BYTES)
    place = f"(const {chunk}*){_pointer(shape, a, first)}"
    lines = [f"  {_union(shape, a)} x{a};"]
    for number in range(count):
        read = f"read_once({place} + {number})" if shape.is_streamed else f"({place})[{number}]"
        lines.append(f"  x{a}.c[{number}] = {read};")
    return lines


def _element(shape: Shape, a: int) -> str:
    """Element e of a load, as a value."""
    kind, data_type = shape.kinds[a], shape.types[a]
    if kind == "nibble":
        half = f"read_nibble((const uint8*)p.base[{a}], o{a})"
        return f"(int8)((({half}) ^ 8) - 8)" if data_type is DataType.INT4 else f"(uint8){half}"
    place = f"x{a}" if kind == "same" else f"x{a}.e[{shape.width - 1} - e]" if kind == "reversed" else f"x{a}.e[e]"
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
