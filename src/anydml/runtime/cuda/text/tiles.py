"""Kernels of moves whose sides are contiguous along different loops: tiles through shared memory.

All loads of a tile are in flight before one is written to shared memory. Rows of shared memory are padded by a word, so
that columns are read from different banks. Neighbouring blocks write neighbouring parts of the same destination rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from struct import pack

from anydml.runtime.cuda.text.pointwise import CHUNKS, STREAMED_BYTES, WIDEST_BYTES, Launch
from anydml.runtime.cuda.text.prelude import PRELUDE
from anydml.runtime.moves.plan import Loop, MovePlan

_PREFERRED = {1: (64, 128, 256), 2: (64, 64, 256), 4: (64, 64, 512), 8: (64, 32, 256), 16: (32, 32, 256)}
"""For each size of elements: source rows and source columns of a tile, and threads."""
SHORTEST, LONGEST = 8, 256
"""Loops of fewer elements are no use for tiles."""


@dataclass(frozen=True)
class Tile:
    """What a kernel's text depends on."""

    element: int
    rows: int
    columns: int
    threads: int
    load_width: int
    store_width: int
    rank: int
    is_streamed: bool


class TileKernel:
    """A move by tiles: `across` is contiguous in the source, `row` in the destination."""

    def __init__(self, plan: MovePlan, across: Loop, row: Loop, outer: tuple[Loop, ...]) -> None:
        self.plan, self.across, self.row, self.outer = plan, across, row, outer
        rows, columns, threads = _PREFERRED[plan.element_bytes]
        area = rows * columns
        columns = max(min(columns, _power(across.size)), SHORTEST)
        # Where one side is short the other is longer, but not longer than there are threads for.
        rows = max(min(area // columns, _power(row.size), LONGEST), SHORTEST)
        self.rows, self.columns = rows, max(min(area // rows, _power(across.size), LONGEST), SHORTEST)
        self.threads = threads

    def launch(self, source: int, destination: int) -> Launch:
        plan, element = self.plan, self.plan.element_bytes
        bases = source + plan.source_offset, destination + plan.destination_offset
        reading = [self.row.source_stride, *(loop.source_stride for loop in self.outer)]
        writing = [self.across.destination_stride, *(loop.destination_stride for loop in self.outer)]
        load_width = _width(element, self.across.size, [bases[0], *reading])
        store_width = _width(element, self.row.size, [bases[1], *writing])
        threads = min(self.threads, self.rows * self.columns // max(load_width, store_width))
        is_streamed = 2 * plan.payload_bytes > STREAMED_BYTES
        tile = Tile(element, self.rows, self.columns, threads, load_width, store_width, len(self.outer), is_streamed)
        grid = -(-self.across.size // self.columns), -(-self.row.size // self.rows)
        blocks = grid[0] * grid[1]
        for loop in self.outer:
            blocks *= loop.size
        numbers = [self.across.size, self.row.size, self.row.source_stride, self.across.destination_stride, *grid]
        numbers += [n for loop in self.outer for n in (loop.size, loop.source_stride, loop.destination_stride)]
        arguments = pack(f"=2Q{len(numbers)}q", *bases, *numbers)
        return Launch(text_of(tile), blocks, threads, arguments, self.rows * _pitch(tile) * element)


def _power(size: int) -> int:
    """The power of two from size on."""
    return 1 << (size - 1).bit_length()


def _width(element: int, size: int, distances: list[int]) -> int:
    """Elements that are read or written at once."""
    width = WIDEST_BYTES // element
    while width > 1 and (size % width or any(distance % (width * element) for distance in distances)):
        width //= 2
    return width


def _pitch(tile: Tile) -> int:
    """Elements from one row of shared memory to the next."""
    return tile.columns + max(1, 4 // tile.element)


_TEXT = """
typedef {type} T;
typedef {load_type} L;
typedef {store_type} S;
struct P {{ uint64 source, destination; int64 across, row, source_step, destination_step, tiles_across, tiles_row;
  int64 outer[{numbers}]; }};
extern "C" __global__ void __launch_bounds__({threads}) kernel(const P p) {{
  extern __shared__ __align__(16) uint8 tile[];
  T* const t = (T*)tile;
  uint32 b = blockIdx.x;
  uint32 q = b / (uint32)p.tiles_row;
  const int64 j0 = (int64)(b - q * (uint32)p.tiles_row) * {rows};
  b = q; q = b / (uint32)p.tiles_across;
  const int64 i0 = (int64)(b - q * (uint32)p.tiles_across) * {columns};
  b = q;
  int64 from = (int64)p.source, to = (int64)p.destination;
{outer}
  const int x = threadIdx.x % {load_lanes}, y = threadIdx.x / {load_lanes};
  union {{ L c; T e[{load_width}]; }} v[{loads}];
  from += (j0 + y) * p.source_step + (i0 + x * {load_width}) * {element};
  const bool inside = i0 + x * {load_width} < p.across;
  #pragma unroll
  for (int k = 0; k < {loads}; k++)
    if (inside && j0 + y + k * {load_step} < p.row) v[k].c = {read};
  #pragma unroll
  for (int k = 0; k < {loads}; k++)
    #pragma unroll
    for (int e = 0; e < {load_width}; e++) t[(y + k * {load_step}) * {pitch} + x * {load_width} + e] = v[k].e[e];
  __syncthreads();
  const int u = threadIdx.x % {store_lanes}, w = threadIdx.x / {store_lanes};
  if (j0 + u * {store_width} >= p.row) return;
  to += (i0 + w) * p.destination_step + (j0 + u * {store_width}) * {element};
  #pragma unroll
  for (int k = 0; k < {stores}; k++) {{
    union {{ S c; T e[{store_width}]; }} s;
    if (i0 + w + k * {store_step} >= p.across) break;
    #pragma unroll
    for (int e = 0; e < {store_width}; e++) s.e[e] = t[(u * {store_width} + e) * {pitch} + w + k * {store_step}];
    {write}
  }}
}}
"""


@lru_cache(maxsize=256)
def text_of(tile: Tile) -> str:
    load_lanes, store_lanes = tile.columns // tile.load_width, tile.rows // tile.store_width
    load_step, store_step = tile.threads // load_lanes, tile.threads // store_lanes
    outer = []
    for r in reversed(range(tile.rank)):
        outer.append(f"  q = b / (uint32)p.outer[{3 * r}];")
        outer.append(f"  {{ const int64 k = (int64)(b - q * (uint32)p.outer[{3 * r}]);")
        outer.append(f"    from += k * p.outer[{3 * r + 1}]; to += k * p.outer[{3 * r + 2}]; }} b = q;")
    read = f"(const L*)(from + {load_step}ll * k * p.source_step)"
    write = f"(S*)(to + {store_step}ll * k * p.destination_step)"
    return PRELUDE + _TEXT.format(
        type=CHUNKS[tile.element],
        load_type=CHUNKS[tile.element * tile.load_width],
        store_type=CHUNKS[tile.element * tile.store_width],
        numbers=max(1, 3 * tile.rank),
        threads=tile.threads,
        rows=tile.rows,
        columns=tile.columns,
        element=tile.element,
        outer="\n".join(outer),
        load_lanes=load_lanes,
        load_width=tile.load_width,
        load_step=load_step,
        loads=-(-tile.rows // load_step),
        store_lanes=store_lanes,
        store_width=tile.store_width,
        store_step=store_step,
        stores=-(-tile.columns // store_step),
        pitch=_pitch(tile),
        read=f"read_once({read})" if tile.is_streamed else f"*{read}",
        write=f"write_once({write}, s.c);" if tile.is_streamed else f"*{write} = s.c;",
    )
