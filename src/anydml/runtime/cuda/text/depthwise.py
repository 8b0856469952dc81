"""Kernels of depthwise convolutions: every channel has a window of its own, so that reading is most of the work.

A block brings a part of one or several planes, with its border, into shared memory as float32. Each thread computes a
strip of one column: a value that is read serves all windows of the strip that it lies in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from struct import pack

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, Node, load
from anydml.runtime.cuda.text.expressions import lines_of, storage_type
from anydml.runtime.cuda.text.pointwise import Launch
from anydml.runtime.cuda.text.prelude import PRELUDE

STRIP = 8
"""Rows of the result that a thread computes."""
THREADS, WIDEST_TILE = 256, 128
MOST_TAPS = 49
"""Larger windows do not fit into registers."""


@dataclass(frozen=True)
class Taps:
    """A window: its sizes, and how it slides."""

    sizes: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]

    def span(self, axis: int, count: int) -> int:
        """Elements from the first to the last that so many neighbouring results need."""
        return (count - 1) * self.strides[axis] + (self.sizes[axis] - 1) * self.dilations[axis] + 1


@dataclass(frozen=True)
class Depthwise:
    """What a kernel's text depends on: sizes and strides of tensors are arguments."""

    types: tuple[DataType, ...]
    """Of the source, the filter, the bias if there is one, and the result."""
    taps: Taps
    columns: int
    strips: int
    planes: int
    """Columns, strips and planes of a block: a thread for each."""
    value: Node
    """The result of the sum (load 0) and the bias (load 1)."""

    @property
    def threads(self) -> int:
        return self.columns * self.strips * self.planes

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns of the source that a block needs of a plane."""
        return self.taps.span(0, self.strips * STRIP), self.taps.span(1, self.columns)

    @property
    def warps(self) -> int:
        """Warps that read."""
        return max(1, self.threads // 32)

    @property
    def loads(self) -> tuple[int, int]:
        """Rows that each warp reads, and columns of each that each lane does."""
        rows, columns = self.tile
        return -(-self.planes * rows // self.warps), -(-columns // 32)

    @property
    def shared_bytes(self) -> int:
        rows, columns = self.tile
        return 4 * self.planes * rows * columns


@dataclass(frozen=True)
class Tensors:
    """Sizes of a depthwise convolution, and strides in elements."""

    batch: int
    channels: int
    source_sizes: tuple[int, int]
    result_sizes: tuple[int, int]
    padding: tuple[int, int]
    source_strides: tuple[int, ...]
    filter_strides: tuple[int, int, int]
    bias_stride: int
    result_strides: tuple[int, ...]


class DepthwiseKernel:
    """A depthwise convolution made ready."""

    def __init__(self, types: tuple[DataType, ...], taps: Taps, tensors: Tensors, value: Node) -> None:
        self.tensors = tensors
        rows, columns = tensors.result_sizes
        width = min(WIDEST_TILE, -(-columns // 16) * 16)
        strips = max(1, min(THREADS // width, -(-rows // STRIP)))
        planes = max(2 if width * strips < 32 else 1, THREADS // 2 // (width * strips))
        self.made = Depthwise(types, taps, width, strips, planes, value)

    def launch(self, addresses: Sequence[int]) -> Launch:
        """`addresses` are where the elements of the source, the filter, the bias and the result start."""
        made, tensors = self.made, self.tensors
        rows, columns = tensors.result_sizes
        tiles = -(-rows // (made.strips * STRIP)), -(-columns // made.columns)
        count = tensors.batch * tensors.channels
        numbers = [
            *(count, tensors.channels, *tensors.source_sizes, rows, columns, *tensors.padding, *tiles),
            *(*tensors.source_strides, *tensors.filter_strides, tensors.bias_stride, *tensors.result_strides),
        ]
        arguments = pack(f"=4Q{len(numbers)}q", *addresses, *numbers)
        blocks = -(-count // made.planes) * tiles[0] * tiles[1]
        return Launch(text_of(made), blocks, made.threads, arguments, made.shared_bytes)


_TEXT = """
struct P {{ uint64 base[4]; int64 count, channels, source_rows, source_columns, rows, columns, top, left;
  int64 tiles_down, tiles_across; int64 source[4], filter[3], bias, result[4]; }};
extern "C" __global__ void __launch_bounds__({threads}) kernel(const P p) {{
  extern __shared__ __align__(16) uint8 tile[];
  float* const numbers = (float*)tile;
  uint32 b = blockIdx.x, q = b / (uint32)p.tiles_across;
  const int x0 = (int)(b - q * (uint32)p.tiles_across) * {columns};
  b = q; q = b / (uint32)p.tiles_down;
  const int y0 = (int)(b - q * (uint32)p.tiles_down) * {tile_rows};
  const int64 first = (int64)q * {planes};
  // Every warp takes rows of the block's part, every lane some of their columns.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v[{row_loads}][{column_loads}];
  #pragma unroll
  for (int k = 0; k < {row_loads}; k++) {{
    const int n = warp + k * {warps}, plane = n / {source_rows};
    const int y = y0 * {stride_down} - (int)p.top + n % {source_rows}, left = x0 * {stride_across} - (int)p.left;
    const uint32 number = (uint32)(first + plane), image = number / (uint32)p.channels;
    const int64 channel = number - image * (uint32)p.channels;
    const {source_type}* const row = (const {source_type}*)p.base[0]
      + (image * p.source[0] + channel * p.source[1] + y * p.source[2] + left);
    const bool is_row = warp < {warps} && n < {all_rows} && number < p.count && y >= 0 && y < p.source_rows;
    #pragma unroll
    for (int m = 0; m < {column_loads}; m++) {{
      const int x = lane + m * 32;
      v[k][m] = 0;
      if (is_row && x < {pitch} && (uint32)(left + x) < (uint32)p.source_columns) v[k][m] = {element};
    }}
  }}
  #pragma unroll
  for (int k = 0; k < {row_loads}; k++) {{
    const int n = warp + k * {warps};
    #pragma unroll
    for (int m = 0; m < {column_loads}; m++)
      if (warp < {warps} && n < {all_rows} && lane + m * 32 < {pitch}) numbers[n * {pitch} + lane + m * 32] = v[k][m];
  }}
  __syncthreads();
  const int plane = threadIdx.x / {tasks}, task = threadIdx.x % {tasks};
  const int y = y0 + task / {columns} * {strip}, x = x0 + task % {columns};
  const uint32 number = (uint32)(first + plane), image = number / (uint32)p.channels;
  const int64 channel = number - image * (uint32)p.channels;
  if (first + plane >= p.count || x >= p.columns || y >= p.rows) return;
  float w[{taps}], sum[{strip}];
  const {filter_type}* const taps = (const {filter_type}*)p.base[1] + channel * p.filter[0];
  #pragma unroll
  for (int t = 0; t < {taps}; t++) w[t] = {weight};
  {bias}
  #pragma unroll
  for (int r = 0; r < {strip}; r++) sum[r] = 0;
  const float* const from = numbers + plane * {area} + task / {columns} * {strip} * {stride_down} * {pitch}
    + task % {columns} * {stride_across};
  #pragma unroll
  for (int i = 0; i < {span}; i++) {{
    float u[{across}];
    #pragma unroll
    for (int t = 0; t < {across}; t++) u[t] = from[i * {pitch} + t * {dilation_across}];
    #pragma unroll
    for (int r = 0; r < {strip}; r++) {{
      const int t = i - r * {stride_down};
      if (t < 0 || t % {dilation_down} || t / {dilation_down} >= {down}) continue;
      #pragma unroll
      for (int c = 0; c < {across}; c++) sum[r] = fmaf(u[c], w[t / {dilation_down} * {across} + c], sum[r]);
    }}
  }}
  {result_type}* to = ({result_type}*)p.base[3]
    + (image * p.result[0] + channel * p.result[1] + y * p.result[2] + x * p.result[3]);
  const int left = (int)p.rows - y;
  #pragma unroll
  for (int r = 0; r < {strip}; r++, to += p.result[2]) {{
    if (r >= left) break;
    const float l0 = sum[r];
    {finish}
  }}
}}
"""


@lru_cache(maxsize=256)
def text_of(made: Depthwise) -> str:
    source, weights, *more, result = made.types
    rows, pitch = made.tile
    (down, across), all_taps = made.taps.sizes, made.taps.sizes[0] * made.taps.sizes[1]
    lines, (name,) = lines_of([made.value], {load(0, FLOAT32): "l0", load(1, FLOAT32): "l1"})
    lines.append(f"*to = {f'number_half({name})' if result is DataType.FLOAT16 else name};")
    bias = _number(f"((const {storage_type(more[0])}*)p.base[2])[channel * p.bias]", more[0]) if more else "0"
    return PRELUDE + _TEXT.format(
        threads=made.threads,
        columns=made.columns,
        tile_rows=made.strips * STRIP,
        strip=STRIP,
        planes=made.planes,
        tasks=made.columns * made.strips,
        pitch=pitch,
        area=rows * pitch,
        all_rows=made.planes * rows,
        source_rows=rows,
        warps=made.warps,
        row_loads=made.loads[0],
        column_loads=made.loads[1],
        taps=all_taps,
        down=down,
        across=across,
        span=made.taps.span(0, STRIP),
        stride_down=made.taps.strides[0],
        stride_across=made.taps.strides[1],
        dilation_down=made.taps.dilations[0],
        dilation_across=made.taps.dilations[1],
        source_type=storage_type(source),
        element=_number("row[x]", source),
        filter_type=storage_type(weights),
        result_type=storage_type(result),
        weight=_number(f"taps[t / {across} * (int)p.filter[1] + t % {across} * (int)p.filter[2]]", weights),
        bias=f"const float l1 = {bias};",
        finish="\n    ".join(lines),
    )


def _number(text: str, kind: DataType) -> str:
    """An element as float32. What bits a NaN has does not matter, here and in the result: it comes from a sum."""
    return f"half_number({text})" if kind is DataType.FLOAT16 else text
