"""Kernels of moves whose sides are contiguous along different loops: tiles through shared memory.

Whole aligned vectors are read, wherever rows start; all loads of a tile are in flight before one is written to shared
memory. Rows of shared memory are spaced so that the threads of a warp read different banks. Neighbouring blocks write
neighbouring parts of the same destination rows, by whole aligned vectors.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from struct import pack

from anydml.runtime.cuda.text.loops import outer_lines
from anydml.runtime.cuda.text.pointwise import CHUNKS, STREAMED_BYTES, WIDEST_BYTES, Launch
from anydml.runtime.cuda.text.prelude import MOVING
from anydml.runtime.moves.plan import Loop, MovePlan

_ALIGNED = {1: (128, 256, 256), 2: (128, 128, 512), 4: (64, 64, 512), 8: (64, 32, 256), 16: (32, 32, 256)}
_ANYWHERE = {1: (256, 128, 256), 2: (128, 128, 256), 4: (128, 64, 256), 8: (64, 32, 256), 16: (32, 32, 256)}
"""For each size of elements: source rows and source columns of a tile, and threads. Where rows are not aligned, source
rows are read that the tile before has read as well: longer tiles read fewer of them."""
_SMALL = {1: (64, 128, 256), 2: (64, 64, 256), 4: (64, 64, 256), 8: (32, 32, 256), 16: (32, 16, 256)}
"""The same for small tensors: more blocks."""
_LONG_ROW_BYTES = 256
"""Destination rows of this length are worth a larger tile where source rows are short."""
SHORTEST, LONGEST = 8, 256
"""Loops of fewer elements are no use for tiles, and tiles have no side that is longer."""
FEWEST_VECTORS, FEWEST_THREADS = 2, 64
"""Vectors that a thread reads, where the tile has enough of them, and threads of a tile."""
BANKS = 32


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
    def lanes(self) -> int:
        """Aligned vectors that hold a source row of the tile."""
        return self.columns // self.width + (not self.loads_aligned)

    @property
    def chunks(self) -> int:
        """Vectors of a destination row of the tile."""
        return self.rows // self.width

    @property
    def columns_at_once(self) -> int:
        """Columns that share a word of shared memory, where all rows start alike."""
        return max(1, 4 // self.element) if self.stores_aligned and self.loads_aligned else 1

    @property
    def spacing(self) -> tuple[int, int]:
        """Words from one row of shared memory to the next, and words left out after as many rows as a vector holds."""
        return _spacing(self.lanes, self.element, self.chunks, self.columns_at_once, self.stores_aligned)

    @property
    def stores_vectors(self) -> bool:
        """Whether vectors of source rows are aligned in shared memory."""
        return all(words % 4 == 0 for words in self.spacing)

    @property
    def shared_bytes(self) -> int:
        pitch, skip = self.spacing
        rows = self.rows + self.extra
        return 4 * (rows * pitch + rows // self.width * skip)


@lru_cache(maxsize=256)
def _spacing(lanes: int, element: int, chunks: int, together: int, is_even: bool) -> tuple[int, int]:
    """The spacing of rows that makes the threads of a warp wait for each other least."""
    step, width = max(1, element // 4), WIDEST_BYTES // element
    best: tuple[float, int, int] | None = None
    for pad in range(0, 5 * step, step):
        for skip in range(0, 12 * step, step):
            pitch = lanes * 4 + pad

            def row(y: int, pitch: int = pitch, skip: int = skip) -> int:
                return y * pitch + y // width * skip

            written = [row(n // lanes) + n % lanes * 4 for n in range(BANKS)]
            cost = 4.0 if pitch % 4 == 0 == skip % 4 else 4.0 * _conflicts(written)
            shifts = (0,) if is_even else range(width)
            for k in shifts:  # by how many rows neighbouring columns are apart
                read = [
                    row(n % chunks * width + n // chunks * k % width) + n // chunks * together * element // 4
                    for n in range(BANKS)
                ]
                cost += width / together * _conflicts(read) / len(shifts)
            found = cost, pad, skip
            best = found if best is None else min(best, found)
    assert best is not None
    return lanes * 4 + best[1], best[2]


def _conflicts(places: list[int]) -> int:
    """How many different words of one bank the threads of a warp want."""
    return max(Counter(place % BANKS for place in set(places)).values())


class TileKernel:
    """A move by tiles: `across` is contiguous in the source, `row` in the destination."""

    def __init__(self, plan: MovePlan, across: Loop, row: Loop, outer: tuple[Loop, ...]) -> None:
        self.plan, self.across, self.row, self.outer = plan, across, row, outer

    def _tile(self, source: int, destination: int) -> Tile:
        element = self.plan.element_bytes
        reading = [source, self.row.source_stride, *(loop.source_stride for loop in self.outer)]
        writing = [destination, self.across.destination_stride, *(loop.destination_stride for loop in self.outer)]
        loads, stores = (all(distance % WIDEST_BYTES == 0 for distance in side) for side in (reading, writing))
        rows, columns, threads = self._shape(loads and stores)
        columns = max(min(columns, _power(self.across.size)), SHORTEST, WIDEST_BYTES // element)
        rows = max(min(rows, _power(self.row.size), LONGEST), SHORTEST, WIDEST_BYTES // element)
        # Each thread has some vectors in flight at once.
        threads = max(min(threads, rows * columns * element // WIDEST_BYTES // FEWEST_VECTORS), FEWEST_THREADS)
        # Where rows are not aligned, neighbouring tiles share sectors: caches should keep them.
        is_streamed = self._is_large and loads and stores
        return Tile(element, rows, columns, threads, loads, stores, len(self.outer), is_streamed)

    @property
    def _is_large(self) -> bool:
        return 2 * self.plan.payload_bytes > STREAMED_BYTES

    def _shape(self, is_aligned: bool) -> tuple[int, int, int]:
        """Rows, columns and threads, before they are held to the loops' sizes."""
        element = self.plan.element_bytes
        large = _ALIGNED if is_aligned else _ANYWHERE
        rows, columns, threads = (large if self._is_large else _SMALL)[element]
        if min(columns, _power(self.across.size)) * element <= 64:
            rows = max(rows, _LONG_ROW_BYTES // element)
        return rows, columns, threads

    def launch(self, source: int, destination: int) -> Launch:
        plan = self.plan
        bases = source + plan.source_offset, destination + plan.destination_offset
        tile = self._tile(*bases)
        grid = -(-self.across.size // tile.columns), -(-(self.row.size + tile.extra) // tile.rows)
        blocks = grid[0] * grid[1] * prod(loop.size for loop in self.outer)
        numbers = [self.across.size, self.row.size, self.row.source_stride, self.across.destination_stride, *grid]
        numbers += [n for loop in self.outer for n in (loop.size, loop.source_stride, loop.destination_stride)]
        arguments = pack(f"=2Q{len(numbers)}q", *bases, *numbers)
        return Launch(text_of(tile), blocks, tile.threads, arguments, tile.shared_bytes)


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
  from += (j0 - {extra}) * p.source_step + i0 * {element};
  const int across = (int)(p.across - i0 < {columns} ? p.across - i0 : {columns});
  // Rows of the tile that the source has.
  const int first = (int)(j0 < {extra} ? {extra} - j0 : 0);
  const int last = (int)(p.row - j0 < {rows} ? p.row - j0 + {extra} : {all_rows});
  uint4 v[{loads}];
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads}, y = n / {lanes}, x = n % {lanes};
    const int64 at = from + y * p.source_step;
    const uint4* block = (const uint4*){block} + x;
    if (y >= first && y < last && x * 16 - {skew} < across * {element}) v[k] = {read};
  }}
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads}, y = n / {lanes}, x = n % {lanes};
    uint32* const word = words + {row_y} + x * 4;
    if (y < {all_rows}) {{ {keep} }}
  }}
  __syncthreads();
  #pragma unroll {stores_at_once}
  for (int k = 0; k < {stores}; k++) {{
    const int n = threadIdx.x + k * {threads}, u = n % {chunks}, g = n / {chunks};
    if (g >= {groups}) break;
{store}
  }}
}}
"""
_KEEP_WHOLE = "*(uint4*)word = v[k];"
_KEEP_WORDS = "word[0] = v[k].x; word[1] = v[k].y; word[2] = v[k].z; word[3] = v[k].w;"
_TOGETHER = """
    // Every word holds an element of {together} neighbouring destination rows.
    union {{ uint32 w; T e[{together}]; }} r[{width}];
    #pragma unroll
    for (int e = 0; e < {width}; e++) r[e].w = words[u * {step} + e * {pitch} + g];
    #pragma unroll
    for (int c = 0; c < {together}; c++) {{
      union {{ uint4 c; T e[{width}]; }} s;
      const int i = g * {together} + c;
      const int64 j = j0 + u * {width}, at = to + (i0 + i) * p.destination_step + j * {element};
      #pragma unroll
      for (int e = 0; e < {width}; e++) s.e[e] = r[e].e[c];
      if (i >= across) continue;
      if (j + {width} <= p.row) {{ {write} }}
      else {{
        #pragma unroll 1
        for (int e = 0; e < {width} && j + e < p.row; e++)
          ((T*)at)[e] = ((const T*)(words + u * {step} + e * {pitch}))[i];
      }}
    }}"""
_ALONE = """
    if (g >= across) break;
    int64 at = to + (i0 + g) * p.destination_step;
    const int shift = {shift};
    const int64 j = j0 - shift + u * {width};
    at += j * {element};
    // Element e is of row y + e of the tile.
    const int y = {extra} - shift;
    const uint8* const column = tile + u * {step} * 4 + g * {element};
    #define PLACE(e) (column + ({place}) * 4 + {row_skew})
    if (j >= 0 && j + {width} <= p.row) {{
      union {{ uint4 c; T e[{width}]; }} s;
      #pragma unroll
      for (int e = 0; e < {width}; e++) s.e[e] = *(const T*)PLACE(e);
      {write}
    }} else {{
      #pragma unroll 1
      for (int e = 0; e < {width}; e++) if (j + e >= 0 && j + e < p.row) ((T*)at)[e] = *(const T*)PLACE(e);
    }}"""


@lru_cache(maxsize=256)
def text_of(tile: Tile) -> str:
    together, rows, width = tile.columns_at_once, tile.rows + tile.extra, tile.width
    pitch, skip = tile.spacing
    read = "read_once(block)" if tile.is_streamed else "*block"
    write = "write_once((uint4*)at, s.c);" if tile.is_streamed else "*(uint4*)at = s.c;"
    common = {
        "width": width,
        "pitch": pitch,
        "step": width * pitch + skip,
        "element": tile.element,
        "extra": tile.extra,
    }
    store = (_TOGETHER if together > 1 else _ALONE).format(
        **common,
        together=together,
        write=write,
        shift="0" if tile.stores_aligned else f"(int)((uint64)at / {tile.element} % {width})",
        place=f"(y + e) * {pitch}" + (f" + (y + e >= {width} ? {skip} : 0)" if skip and tile.extra else ""),
        row_skew="0" if tile.loads_aligned else "((uint32)from + (uint32)(y + e) * (uint32)p.source_step & 15)",
    )
    return MOVING + _TEXT.format(
        **common,
        type=CHUNKS[tile.element],
        numbers=max(1, 3 * tile.rank),
        threads=tile.threads,
        rows=tile.rows,
        all_rows=rows,
        columns=tile.columns,
        outer=outer_lines(tile.rank),
        lanes=tile.lanes,
        loads=-(-rows * tile.lanes // tile.threads),
        block="at" if tile.loads_aligned else "(at & ~15ll)",
        skew="0" if tile.loads_aligned else "(int)(at & 15)",
        row_y=f"y * {pitch}" + (f" + y / {width} * {skip}" if skip else ""),
        chunks=tile.chunks,
        groups=tile.columns // together,
        stores=-(-tile.columns // together * tile.chunks // tile.threads),
        # A vector of small elements is text enough: more at once take long to compile.
        stores_at_once=1 if tile.element < 4 else "",
        read=read,
        keep=_KEEP_WHOLE if tile.stores_vectors else _KEEP_WORDS,
        store=store,
    )
