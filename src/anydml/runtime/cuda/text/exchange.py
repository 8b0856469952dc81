"""Kernels of moves with a short dimension: pixels of a few channels are taken apart, put together and turned around.

A block reads its pixels into shared memory by whole aligned vectors, shifted if the pixels are not aligned, and writes
whole aligned vectors. Where threads read elements some bytes apart, shared memory skips a word after every 128 bytes:
they find them in different banks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from struct import pack

from anydml.runtime.cuda.text.pointwise import CHUNKS, STREAMED_BYTES, THREADS, WIDEST_BYTES, Launch
from anydml.runtime.cuda.text.prelude import PRELUDE
from anydml.runtime.moves.plan import Loop, MovePlan

MOST_CHANNELS = 8
BLOCK_BYTES = 1 << 14
"""What a block reads."""


@dataclass(frozen=True)
class Exchange:
    """What a kernel's text depends on."""

    element: int
    channels: int
    pitch: int
    """Elements from one source pixel to the next; 1 where the source is planes, or single elements."""
    is_mirrored: bool
    """Whether source pixels are read from the last to the first."""
    is_swapped: bool
    """Whether the channels of a source pixel are read from the last to the first."""
    writes_planes: bool
    rank: int
    is_streamed: bool

    @property
    def segments_in(self) -> int:
        """Contiguous parts that a block reads."""
        return self.channels if self.pitch == 1 else 1

    @property
    def segments_out(self) -> int:
        return self.channels if self.writes_planes else 1

    @property
    def shifts(self) -> bool:
        """Whether elements are shifted when they are read: small ones of planes, where finding each costs more."""
        return self.pitch == 1 and self.element < 4

    @property
    def pixels(self) -> int:
        """Pixels of a block."""
        count = BLOCK_BYTES // (self.element * self.segments_in * self.pitch)
        return count // 64 * 64

    @property
    def vectors_in(self) -> int:
        """The most aligned vectors that hold a part."""
        return self.pixels * self.pitch * self.element // WIDEST_BYTES + 1

    @property
    def vectors_out(self) -> int:
        channels = 1 if self.writes_planes else self.channels
        return self.pixels * channels * self.element // WIDEST_BYTES + 1

    @property
    def shared_bytes(self) -> int:
        size = self.segments_in * self.vectors_in * WIDEST_BYTES
        return size + size // 128 * max(4, self.element) + 16


class ExchangeKernel:
    """A move of pixels (`many`) with channels (`few`)."""

    def __init__(self, plan: MovePlan, many: Loop, few: Loop, outer: tuple[Loop, ...]) -> None:
        self.plan, self.many, self.few, self.outer = plan, many, few, outer
        element = plan.element_bytes
        pitch = abs(many.source_stride) // element
        self.exchange = Exchange(
            element,
            few.size,
            pitch,
            many.source_stride < 0,
            pitch > 1 and few.source_stride < 0,
            many.destination_stride == element,
            len(outer),
            2 * plan.touched_bytes > STREAMED_BYTES,
        )

    def launch(self, source: int, destination: int) -> Launch:
        made, plan = self.exchange, self.plan
        first = source + plan.source_offset
        if made.is_swapped:
            first += (self.few.size - 1) * self.few.source_stride
        groups = blocks = -(-self.many.size // made.pixels)
        for loop in self.outer:
            blocks *= loop.size
        numbers = [groups, self.many.size, self.few.source_stride, self.few.destination_stride]
        numbers += [n for loop in self.outer for n in (loop.size, loop.source_stride, loop.destination_stride)]
        arguments = pack(f"=2Q{len(numbers)}q", first, destination + plan.destination_offset, *numbers)
        return Launch(text_of(made), blocks, THREADS, arguments, made.shared_bytes)


_TEXT = """
typedef {type} T;
struct P {{ uint64 source, destination; int64 groups, pixels, source_step, destination_step; int64 outer[{numbers}]; }};
__device__ __forceinline__ uint32 banked(uint32 byte) {{ return {banked}; }}
extern "C" __global__ void __launch_bounds__({threads}) kernel(const P p) {{
  extern __shared__ __align__(16) uint8 tile[];
  uint32 b = blockIdx.x, q = b / (uint32)p.groups;
  const int64 start = (int64)(b - q * (uint32)p.groups) * {pixels};
  b = q;
  int64 from = (int64)p.source, to = (int64)p.destination;
{outer}
  const int count = (int)(p.pixels - start < {pixels} ? p.pixels - start : {pixels});
  from += {source_start} * {source_pixel};
  to += start * {destination_pixel};
  const int bytes_in = ((count - 1) * {pitch} + {group}) * {element};
  uint4 v[{loads}];
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads}, segment = n / {vectors_in}, place = n % {vectors_in} * 16;
    const int64 at = from + segment * p.source_step + place;
    const uint4* block = (const uint4*)(at & ~15ll);
    const int skew = (int)(at & 15);
    if (segment < {segments_in} && place - {skipped} < bytes_in) {{
      v[k] = {read};
      {shift}
    }}
  }}
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads};
    if (n < {segments_in} * {vectors_in}) {{
      uint32* word = (uint32*)(tile + banked(n * 16));
      word[0] = v[k].x; word[1] = v[k].y; word[2] = v[k].z; word[3] = v[k].w;
    }}
  }}
  __syncthreads();
  const int length = count * {channels_out};
  #pragma unroll
  for (int k = 0; k < {stores}; k++) {{
    const int n = threadIdx.x + k * {threads}, segment = n / {vectors_out}, place = n % {vectors_out};
    if (segment >= {segments_out}) break;
    const int64 at = to + segment * p.destination_step;
    const int64 block = (at & ~15ll) + place * 16;
    const int first = (int)(block - at) / {element};
    if (first >= length) continue;
    if (first >= 0 && first + {width} <= length) {{
      union {{ uint4 c; T e[{width}]; }} s;
      #pragma unroll
      for (int e = 0; e < {width}; e++) {{
        const uint32 i = first + e, x = {pixel}, c = {channel};
        s.e[e] = *(const T*)(tile + banked({place}));
      }}
      {write}
    }} else {{
      for (int e = 0; e < {width}; e++) {{
        const uint32 i = first + e, x = {pixel}, c = {channel};
        if (first + e >= 0 && first + e < length) ((T*)block)[e] = *(const T*)(tile + banked({place}));
      }}
    }}
  }}
}}
"""


_SHIFT = "if (skew) v[k] = join(v[k], place + 16 - skew < bytes_in ? block[1] : v[k], skew);"


@lru_cache(maxsize=256)
def text_of(made: Exchange) -> str:
    width, channels, element = WIDEST_BYTES // made.element, made.channels, made.element
    outer = []
    for r in reversed(range(made.rank)):
        outer.append(f"  q = b / (uint32)p.outer[{3 * r}];")
        outer.append(f"  {{ const int64 k = (int64)(b - q * (uint32)p.outer[{3 * r}]);")
        outer.append(f"    from += k * p.outer[{3 * r + 1}]; to += k * p.outer[{3 * r + 2}]; }} b = q;")
    pixel, channel = ("i", "segment") if made.writes_planes else (f"i / {channels}u", f"i % {channels}u")
    pixel = f"count - 1 - ({pixel})" if made.is_mirrored else pixel
    channel = f"{channels - 1} - ({channel})" if made.is_swapped else channel
    if made.pitch == 1:
        skew = "" if made.shifts else " + (uint32)(from + c * p.source_step) % 16"
        place = f"c * {made.vectors_in * WIDEST_BYTES} + x * {element}{skew}"
    else:
        place = f"(x * {made.pitch} + c) * {element} + (uint32)from % 16"
    return PRELUDE + _TEXT.format(
        type=CHUNKS[element],
        numbers=max(1, 3 * made.rank),
        threads=THREADS,
        outer="\n".join(outer),
        pixels=made.pixels,
        source_start="-(start + count - 1)" if made.is_mirrored else "start",
        source_pixel=made.pitch * element,
        destination_pixel=element * (1 if made.writes_planes else channels),
        pitch=made.pitch,
        group=1 if made.pitch == 1 else channels,
        element=element,
        width=width,
        segments_in=made.segments_in,
        segments_out=made.segments_out,
        vectors_in=made.vectors_in,
        vectors_out=made.vectors_out,
        loads=-(-made.segments_in * made.vectors_in // THREADS),
        stores=-(-made.segments_out * made.vectors_out // THREADS),
        channels_out=1 if made.writes_planes else channels,
        pixel=pixel,
        channel=channel,
        place=place,
        skipped="0" if made.shifts else "skew",
        shift=_SHIFT if made.shifts else "",
        banked=f"byte + (byte >> 7) * {max(4, element)}" if made.writes_planes or made.pitch > 1 else "byte",
        read="read_once(block)" if made.is_streamed else "*block",
        write="write_once((uint4*)block, s.c);" if made.is_streamed else "*(uint4*)block = s.c;",
    )
