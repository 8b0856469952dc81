"""Kernels of moves with a short dimension: pixels of a few channels are taken apart, put together and turned around.

Each thread reads whole vectors of a few pixels, exchanges their elements in registers, and writes whole vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from struct import pack

from anydml.runtime.cuda.text.pointwise import CHUNKS, STREAMED_BYTES, THREADS, WIDEST_BYTES, Launch
from anydml.runtime.cuda.text.prelude import PRELUDE
from anydml.runtime.moves.plan import Loop, MovePlan

MOST_CHANNELS = 8


@dataclass(frozen=True)
class Exchange:
    """What a kernel's text depends on."""

    element: int
    channels: int
    pitch: int
    """Elements from one source pixel to the next; 1 where the source is planes."""
    is_mirrored: bool
    """Whether source pixels are read from the last to the first."""
    is_swapped: bool
    """Whether the channels of a source pixel are read from the last to the first."""
    writes_planes: bool
    rank: int
    is_streamed: bool

    @property
    def width(self) -> int:
        """Pixels of a thread."""
        return WIDEST_BYTES // self.element

    @property
    def reads_planes(self) -> bool:
        return self.pitch == 1


class ExchangeKernel:
    """A move of pixels (`many`) with channels (`few`)."""

    def __init__(self, plan: MovePlan, many: Loop, few: Loop, outer: tuple[Loop, ...]) -> None:
        self.plan, self.many, self.few, self.outer = plan, many, few, outer
        element = plan.element_bytes
        self.pitch = abs(many.source_stride) // element
        self.exchange = Exchange(
            element,
            few.size,
            self.pitch,
            many.source_stride < 0,
            self.pitch > 1 and few.source_stride < 0,
            many.destination_stride == element,
            len(outer),
            2 * plan.touched_bytes > STREAMED_BYTES,
        )

    def launch(self, source: int, destination: int) -> Launch | None:
        """None where the memory is not aligned for whole vectors."""
        made, plan, element = self.exchange, self.plan, self.plan.element_bytes
        first = source + plan.source_offset
        if made.is_swapped:
            first += (self.few.size - 1) * self.few.source_stride
        if made.is_mirrored:  # the group of pixels that the first thread reads
            first -= (made.width - 1) * self.pitch * element
        base = destination + plan.destination_offset
        reading = [first, *(loop.source_stride for loop in self.outer)]
        writing = [base, *(loop.destination_stride for loop in self.outer)]
        reading += [self.few.source_stride] if made.reads_planes else []
        writing += [self.few.destination_stride] if made.writes_planes else []
        if any(distance % WIDEST_BYTES for distance in reading + writing):
            return None
        groups, rest = divmod(self.many.size, made.width)
        count = groups + (rest > 0)
        blocks = 1
        for loop in self.outer:
            blocks *= loop.size
        # The last group of pixels may end before the vector that holds it does.
        is_open = made.pitch > made.channels or rest > 0
        numbers = [count, blocks * count, self.many.size, int(is_open)]
        numbers += [self.few.source_stride, self.few.destination_stride]
        numbers += [n for loop in self.outer for n in (loop.size, loop.source_stride, loop.destination_stride)]
        arguments = pack(f"=2Q{len(numbers)}q", first, base, *numbers)
        return Launch(text_of(made), -(-blocks * count // THREADS), THREADS, arguments)


_TEXT = """
typedef {type} T;
struct P {{ uint64 source, destination; int64 groups, total, pixels, is_open, source_step, destination_step;
  int64 outer[{numbers}]; }};
extern "C" __global__ void __launch_bounds__({threads}) kernel(const P p) {{
  const int64 n = (int64)blockIdx.x * {threads} + threadIdx.x;
  if (n >= p.total) return;
  uint32 b = (uint32)n, q = b / (uint32)p.groups;
  const int64 g = b - q * (uint32)p.groups;
  b = q;
  int64 from = (int64)p.source, to = (int64)p.destination;
{outer}
  from += {sign}g * {source_group}; to += g * {destination_group};
  union {{ uint4 c[{vectors_in}]; T e[{vectors_in} * {width}]; }} v;
  union {{ uint4 c[{vectors_out}]; T e[{vectors_out} * {width}]; }} s;
  if (p.is_open && g == p.groups - 1) {{
    const int left = (int)(p.pixels - g * {width});
    #pragma unroll
    for (int x = 0; x < {width}; x++)
      #pragma unroll
      for (int c = 0; c < {channels}; c++)
        if (x < left) {one_write} = {one_read};
    return;
  }}
{reads}
{exchange}
{writes}
}}
"""


@lru_cache(maxsize=256)
def text_of(made: Exchange) -> str:
    width, channels = made.width, made.channels
    vectors_in = channels if made.reads_planes else made.pitch
    outer = []
    for r in reversed(range(made.rank)):
        outer.append(f"  q = b / (uint32)p.outer[{3 * r}];")
        outer.append(f"  {{ const int64 k = (int64)(b - q * (uint32)p.outer[{3 * r}]);")
        outer.append(f"    from += k * p.outer[{3 * r + 1}]; to += k * p.outer[{3 * r + 2}]; }} b = q;")
    pixel = f"({width - 1} - x)" if made.is_mirrored else "x"
    channel = f"({channels - 1} - c)" if made.is_swapped else "c"
    element = made.element
    if made.reads_planes:
        one_read = f"*(const T*)(from + c * p.source_step + {pixel} * {element})"
    else:
        one_read = f"*(const T*)(from + ({pixel} * {made.pitch} + {channel}) * {element})"
    if made.writes_planes:
        one_write = f"*(T*)(to + c * p.destination_step + x * {element})"
    else:
        one_write = f"*(T*)(to + (x * {channels} + c) * {element})"
    return PRELUDE + _TEXT.format(
        type=CHUNKS[element],
        numbers=max(1, 3 * made.rank),
        threads=THREADS,
        outer="\n".join(outer),
        sign="-" if made.is_mirrored else "",
        source_group=width * made.pitch * element,
        destination_group=width * element * (1 if made.writes_planes else channels),
        vectors_in=vectors_in,
        vectors_out=channels,
        width=width,
        channels=channels,
        one_read=one_read,
        one_write=one_write,
        reads="\n".join(_reads(made, vectors_in)),
        exchange="\n".join(_exchanges(made)),
        writes="\n".join(_writes(made)),
    )


def _reads(made: Exchange, vectors: int) -> list[str]:
    step = "p.source_step" if made.reads_planes else "16"
    places = [f"(const uint4*)(from + {k} * {step})" for k in range(vectors)]
    return [f"  v.c[{k}] = " + (f"read_once({p});" if made.is_streamed else f"*{p};") for k, p in enumerate(places)]


def _exchanges(made: Exchange) -> list[str]:
    lines = []
    for pixel in range(made.width):
        for channel in range(made.channels):
            x = made.width - 1 - pixel if made.is_mirrored else pixel
            c = made.channels - 1 - channel if made.is_swapped else channel
            source = c * made.width + x if made.reads_planes else x * made.pitch + c
            target = channel * made.width + pixel if made.writes_planes else pixel * made.channels + channel
            lines.append(f"  s.e[{target}] = v.e[{source}];")
    return lines


def _writes(made: Exchange) -> list[str]:
    step = "p.destination_step" if made.writes_planes else "16"
    places = [f"(uint4*)(to + {k} * {step})" for k in range(made.channels)]
    if made.is_streamed:
        return [f"  write_once({place}, s.c[{k}]);" for k, place in enumerate(places)]
    return [f"  *{place} = s.c[{k}];" for k, place in enumerate(places)]
