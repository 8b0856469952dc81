"""Kernels of depthwise convolutions: every channel has a window of its own, so that reading is most of the work.

Each thread computes a strip of one column: a value that is read serves all windows of the strip that it lies in.
Neighbouring threads have neighbouring columns, and find most of what they read in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from struct import pack

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, Node, load
from anydml.runtime.cuda.text.expressions import lines_of, storage_type
from anydml.runtime.cuda.text.loops import magic
from anydml.runtime.cuda.text.pointwise import THREADS, Launch
from anydml.runtime.cuda.text.prelude import PRELUDE

LONG_STRIP, SHORT_STRIP = 16, 8
"""Rows of the result that a thread computes."""
MANY_THREADS = 1 << 19
"""Strips are long where there are so many threads then."""
MOST_TAPS = 49
"""Larger windows do not fit into registers."""


@dataclass(frozen=True)
class Taps:
    """A window: its sizes, and how it slides."""

    sizes: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]


@dataclass(frozen=True)
class Depthwise:
    """What a kernel's text depends on: sizes and strides of tensors are arguments."""

    types: tuple[DataType, ...]
    """Of the source, the filter, the bias if there is one, and the result."""
    taps: Taps
    strip: int
    value: Node
    """The result of the sum (load 0) and the bias (load 1)."""

    @property
    def span(self) -> int:
        """Source rows from the first to the last that a strip needs."""
        taps = self.taps
        return (self.strip - 1) * taps.strides[0] + (taps.sizes[0] - 1) * taps.dilations[0] + 1


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
        self.planes = tensors.batch * tensors.channels
        is_long = rows > SHORT_STRIP and self.planes * columns * -(-rows // LONG_STRIP) >= MANY_THREADS
        self.made = Depthwise(types, taps, LONG_STRIP if is_long else SHORT_STRIP, value)

    def launch(self, addresses: Sequence[int]) -> Launch:
        """`addresses` are where the elements of the source, the filter, the bias and the result start."""
        made, tensors = self.made, self.tensors
        rows, columns = tensors.result_sizes
        strips = -(-rows // made.strip)
        count = self.planes * strips * columns
        numbers = [
            *(count, columns, strips, tensors.channels, *(magic(n) for n in (columns, strips, tensors.channels))),
            *(*tensors.source_sizes, rows, *tensors.padding),
            *(*tensors.source_strides[:3], *tensors.filter_strides, tensors.bias_stride, *tensors.result_strides),
        ]
        arguments = pack(f"=4Q{len(numbers)}q", *addresses, *numbers)
        return Launch(text_of(made), -(-count // THREADS), THREADS, arguments)


_TEXT = """
struct P {{ uint64 base[4]; int64 count, columns, strips, channels; uint64 magic[3];
  int64 source_rows, source_columns, rows, top, left; int64 source[3], filter[3], bias, result[4]; }};
extern "C" __global__ void __launch_bounds__({threads}) kernel(const P p) {{
  uint32 n = blockIdx.x * {threads} + threadIdx.x;
  if (n >= p.count) return;
  uint32 q = divide(n, p.magic[0]);
  const int x = n - q * (uint32)p.columns;
  n = q; q = divide(n, p.magic[1]);
  const int y = (n - q * (uint32)p.strips) * {strip};
  n = q; q = divide(n, p.magic[2]);
  const int64 channel = n - q * (uint32)p.channels, image = q;
  const int first = y * {stride_down} - (int)p.top, left = x * {stride_across} - (int)p.left;
  const {source_type}* row = (const {source_type}*)p.base[0]
    + (image * p.source[0] + channel * p.source[1] + first * p.source[2] + left);
  const {filter_type}* const taps = (const {filter_type}*)p.base[1] + channel * p.filter[0];
  float w[{taps}], sum[{strip}];
  #pragma unroll
  for (int t = 0; t < {taps}; t++) w[t] = {weight};
  {bias}
  #pragma unroll
  for (int r = 0; r < {strip}; r++) sum[r] = 0;
  #pragma unroll
  for (int i = 0; i < {span}; i++, row += p.source[2]) {{
    const bool is_row = (uint32)(first + i) < (uint32)p.source_rows;
    float u[{across}];
    #pragma unroll
    for (int t = 0; t < {across}; t++) {{
      const int place = t * {dilation_across};
      u[t] = 0;
      if (is_row && (uint32)(left + place) < (uint32)p.source_columns) u[t] = {element};
    }}
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
  const int count = (int)p.rows - y;
  #pragma unroll
  for (int r = 0; r < {strip}; r++, to += p.result[2]) {{
    if (r >= count) break;
    const float l0 = sum[r];
    {finish}
  }}
}}
"""


@lru_cache(maxsize=256)
def text_of(made: Depthwise) -> str:
    source, weights, *more, result = made.types
    down, across = made.taps.sizes
    lines, (name,) = lines_of([made.value], {load(0, FLOAT32): "l0", load(1, FLOAT32): "l1"})
    lines.append(f"*to = {f'number_half({name})' if result is DataType.FLOAT16 else name};")
    bias = _number(f"((const {storage_type(more[0])}*)p.base[2])[channel * p.bias]", more[0]) if more else "0"
    return PRELUDE + _TEXT.format(
        threads=THREADS,
        strip=made.strip,
        taps=down * across,
        down=down,
        across=across,
        span=made.span,
        stride_down=made.taps.strides[0],
        stride_across=made.taps.strides[1],
        dilation_down=made.taps.dilations[0],
        dilation_across=made.taps.dilations[1],
        source_type=storage_type(source),
        filter_type=storage_type(weights),
        result_type=storage_type(result),
        element=_number("row[place]", source),
        weight=_number(f"taps[t / {across} * (int)p.filter[1] + t % {across} * (int)p.filter[2]]", weights),
        bias=f"const float l1 = {bias};",
        finish="\n    ".join(lines),
    )


def _number(text: str, kind: DataType) -> str:
    """An element as float32. What bits a NaN has does not matter, here and in the result: it comes from a sum."""
    return f"half_number({text})" if kind is DataType.FLOAT16 else text
