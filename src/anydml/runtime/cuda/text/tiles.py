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
_LONG_ROW_BYTES = 256
"""Destination rows of this length are worth a larger tile where source rows are short, or nothing is aligned."""
SHORTEST, LONGEST = 8, 256
"""Loops of fewer elements are no use for tiles, and tiles have no side that is longer."""


@dataclass(frozen=True)
class Tile:
    """What a kernel's text depends on."""

    element: int
    rows: int
    columns: int
    threads: int
    loads_aligned: bool
    stores_aligned: bool
    """Whether vectors of a tile start at multiples of their size, in every row."""
    rank: int
    is_streamed: bool

    @property
    def width(self) -> int:
        """Elements of a vector."""
        return WIDEST_BYTES // self.element

    @property
    def extra(self) -> int:
        """Source rows before the tile: where destination rows are not aligned, each starts at a place of its own."""
        return 0 if self.stores_aligned else self.width - 1

    @property
    def pitch(self) -> int:
        """Words from one row of shared memory to the next."""
        return self.columns * self.element // 4 + max(1, self.element // 4)

    @property
    def columns_at_once(self) -> int:
        """Columns that share a word of shared memory, where all destination rows start alike."""
        return max(1, 4 // self.element) if self.stores_aligned else 1


class TileKernel:
    """A move by tiles: `across` is contiguous in the source, `row` in the destination."""

    def __init__(self, plan: MovePlan, across: Loop, row: Loop, outer: tuple[Loop, ...]) -> None:
        self.plan, self.across, self.row, self.outer = plan, across, row, outer

    def _tile(self, source: int, destination: int) -> Tile:
        element = self.plan.element_bytes
        reading = [source, self.row.source_stride, *(loop.source_stride for loop in self.outer)]
        writing = [destination, self.across.destination_stride, *(loop.destination_stride for loop in self.outer)]
        loads, stores = (all(distance % WIDEST_BYTES == 0 for distance in side) for side in (reading, writing))
        rows, columns, threads = _PREFERRED[element]
        columns = max(min(columns, _power(self.across.size)), SHORTEST, WIDEST_BYTES // element)
        if columns * element <= 64 or not stores:
            rows = max(rows, _LONG_ROW_BYTES // element // (1 if columns * element <= 64 else 2))
        rows = max(min(rows, _power(self.row.size), LONGEST), SHORTEST, WIDEST_BYTES // element)
        if stores and element == 1:  # two groups of columns are stored by each thread that there would be
            threads //= 2
        return Tile(
            element,
            rows,
            columns,
            threads,
            loads,
            stores,
            len(self.outer),
            2 * self.plan.payload_bytes > STREAMED_BYTES,
        )

    def launch(self, source: int, destination: int) -> Launch:
        plan = self.plan
        bases = source + plan.source_offset, destination + plan.destination_offset
        tile = self._tile(*bases)
        grid = -(-self.across.size // tile.columns), -(-(self.row.size + tile.extra) // tile.rows)
        blocks = grid[0] * grid[1]
        for loop in self.outer:
            blocks *= loop.size
        numbers = [self.across.size, self.row.size, self.row.source_stride, self.across.destination_stride, *grid]
        numbers += [n for loop in self.outer for n in (loop.size, loop.source_stride, loop.destination_stride)]
        arguments = pack(f"=2Q{len(numbers)}q", *bases, *numbers)
        return Launch(text_of(tile), blocks, tile.threads, arguments, (tile.rows + tile.extra) * tile.pitch * 4)


def _power(size: int) -> int:
    """The power of two from size on."""
    return 1 << (size - 1).bit_length()


_TEXT = """
typedef {type} T;
struct P {{ uint64 source, destination; int64 across, row, source_step, destination_step, tiles_across, tiles_row;
  int64 outer[{numbers}]; }};
extern "C" __global__ void __launch_bounds__({threads}) kernel(const P p) {{
  extern __shared__ __align__(16) uint8 tile[];
  uint32* const words = (uint32*)tile;
  uint32 b = blockIdx.x;
  uint32 q = b / (uint32)p.tiles_row;
  const int64 j0 = (int64)(b - q * (uint32)p.tiles_row) * {rows};
  b = q; q = b / (uint32)p.tiles_across;
  const int64 i0 = (int64)(b - q * (uint32)p.tiles_across) * {columns};
  b = q;
  int64 from = (int64)p.source, to = (int64)p.destination;
{outer}
  union {{ uint4 c; T e[{width}]; uint32 w[4]; }} v[{loads}];
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads}, y = n / {lanes}, x = n % {lanes};
    const int64 j = j0 - {extra} + y, i = i0 + x * {width};
    const int64 at = from + j * p.source_step + i * {element};
    if (y < {all_rows} && j >= 0 && j < p.row) {{
      if (i + {width} <= p.across) v[k].c = {read};
      else {{
        #pragma unroll
        for (int e = 0; e < {width}; e++) if (i + e < p.across) v[k].e[e] = ((const T*)at)[e];
      }}
    }}
  }}
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads}, y = n / {lanes}, x = n % {lanes};
    if (y < {all_rows}) {{
      #pragma unroll
      for (int w = 0; w < 4; w++) words[y * {pitch} + x * 4 + w] = v[k].w[w];
    }}
  }}
  __syncthreads();
  #pragma unroll
  for (int k = 0; k < {stores}; k++) {{
    const int n = threadIdx.x + k * {threads}, u = n % {chunks}, g = n / {chunks};
    if (g >= {groups}) break;
{store}
  }}
}}
"""
_TOGETHER = """
    // Every word holds an element of {together} neighbouring destination rows.
    union {{ uint32 w; T e[{together}]; }} r[{width}];
    #pragma unroll
    for (int e = 0; e < {width}; e++) r[e].w = words[(u * {width} + e) * {pitch} + g];
    #pragma unroll
    for (int c = 0; c < {together}; c++) {{
      union {{ uint4 c; T e[{width}]; }} s;
      const int64 i = i0 + g * {together} + c, j = j0 + u * {width}, at = to + i * p.destination_step + j * {element};
      #pragma unroll
      for (int e = 0; e < {width}; e++) s.e[e] = r[e].e[c];
      if (i < p.across) {{ {put} }}
    }}"""
_ALONE = """
    const int64 i = i0 + g;
    if (i >= p.across) break;
    int64 at = to + i * p.destination_step;
    const int shift = {shift};
    const int64 j = j0 - shift + u * {width};
    at += j * {element};
    union {{ uint4 c; T e[{width}]; }} s;
    #pragma unroll
    for (int e = 0; e < {width}; e++) s.e[e] = ((const T*)(words + (u * {width} + e + {extra} - shift) * {pitch}))[g];
    {put}"""
_PUT = """if (j >= 0 && j + {width} <= p.row) {{ {write} }}
    else {{
      #pragma unroll
      for (int e = 0; e < {width}; e++) if (j + e >= 0 && j + e < p.row) ((T*)at)[e] = s.e[e];
    }}"""


@lru_cache(maxsize=256)
def text_of(tile: Tile) -> str:
    outer = []
    for r in reversed(range(tile.rank)):
        outer.append(f"  q = b / (uint32)p.outer[{3 * r}];")
        outer.append(f"  {{ const int64 k = (int64)(b - q * (uint32)p.outer[{3 * r}]);")
        outer.append(f"    from += k * p.outer[{3 * r + 1}]; to += k * p.outer[{3 * r + 2}]; }} b = q;")
    lanes, chunks = tile.columns // tile.width, tile.rows // tile.width
    together, rows = tile.columns_at_once, tile.rows + tile.extra
    aligned = "read_once((const uint4*)at)" if tile.is_streamed else "*(const uint4*)at"
    write = "write_once((uint4*)at, s.c);" if tile.is_streamed else "*(uint4*)at = s.c;"
    common = {"width": tile.width, "pitch": tile.pitch, "element": tile.element, "extra": tile.extra}
    put = _PUT.format(width=tile.width, write=write)
    shift = "0" if tile.stores_aligned else f"(int)((uint64)at / {tile.element} % {tile.width})"
    store = (_TOGETHER if together > 1 else _ALONE).format(**common, together=together, put=put, shift=shift)
    return PRELUDE + _TEXT.format(
        **common,
        type=CHUNKS[tile.element],
        numbers=max(1, 3 * tile.rank),
        threads=tile.threads,
        rows=tile.rows,
        all_rows=rows,
        columns=tile.columns,
        outer="\n".join(outer),
        lanes=lanes,
        loads=-(-rows * lanes // tile.threads),
        chunks=chunks,
        groups=tile.columns // together,
        stores=-(-tile.columns // together * chunks // tile.threads),
        read=aligned if tile.loads_aligned else "read_anywhere((const void*)at)",
        store=store,
    )
