"""Kernels of moves with a short dimension: pixels of a few channels are taken apart, put together and turned around.

A block reads its pixels into shared memory by whole aligned vectors. Each thread then takes a few whole pixels into
registers, picks the bytes of its results by fixed patterns, and puts them back where the block's results lie one after
another. These are written by whole aligned vectors; or one by one, where the destination has gaps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from struct import pack

from anydml.runtime.cuda.text.loops import outer_lines
from anydml.runtime.cuda.text.pointwise import CHUNKS, STREAMED_BYTES, WIDEST_BYTES, Launch
from anydml.runtime.cuda.text.prelude import MOVING
from anydml.runtime.moves.plan import Loop, MovePlan

MOST_CHANNELS = 8
BLOCK_BYTES = 1 << 14
"""The most that a block reads or writes, if every thread has one group of pixels at least."""
BLOCK_THREADS = (256, 128, 64, 32)
WELL_FILLED = 0.9
"""Blocks are smaller where fewer of their threads would have something to do."""
WORD = 4


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
    gap: int
    """Elements from one destination pixel to the next, where there are others between them; else 0."""
    threads: int
    rounds: int
    """Groups of pixels that each thread has."""
    loads_aligned: bool
    stores_aligned: bool
    rank: int
    is_streamed: bool

    @property
    def parts_in(self) -> int:
        """Contiguous parts that a block reads."""
        return self.channels if self.pitch == 1 else 1

    @property
    def parts_out(self) -> int:
        return self.channels if self.writes_planes else 1

    @property
    def pixel_in(self) -> int:
        """Bytes of a pixel in each part that is read."""
        return self.pitch * self.element

    @property
    def pixel_out(self) -> int:
        return self.element * (1 if self.writes_planes else self.channels)

    @property
    def group(self) -> int:
        """Pixels that a thread has at once: whole words, and whole vectors where the source or the result is pixels."""
        pixels = 1
        wide = self.pixel_in if self.pitch > 1 else self.pixel_out
        while pixels * self.element % WORD or pixels * wide % WIDEST_BYTES:
            pixels *= 2
        return pixels

    @property
    def group_bytes(self) -> int:
        return self.group * max(self.parts_in * self.pixel_in, self.parts_out * self.pixel_out)

    @property
    def pixels(self) -> int:
        """Pixels of a block."""
        return self.group * self.threads * self.rounds

    @property
    def bytes_in(self) -> int:
        """Bytes of a part, the block's pixels being complete."""
        return self.pixels * self.pixel_in

    @property
    def bytes_out(self) -> int:
        return self.pixels * self.pixel_out

    @property
    def shared_bytes(self) -> int:
        result = 0 if self.gap else self.parts_out * self.bytes_out
        return self.parts_in * self.bytes_in + result + WIDEST_BYTES

    def fitted(self, size: int) -> Exchange:
        """The same with blocks that rows of so many pixels fill well, as large as they may be."""
        found = []
        for threads in BLOCK_THREADS:
            most = max(1, BLOCK_BYTES // (threads * self.group_bytes))
            for rounds in (4, 2, 1):
                made = replace(self, threads=threads, rounds=rounds)
                share = size / (-(-size // made.pixels) * made.pixels)
                if rounds <= most:
                    found.append((min(share, WELL_FILLED), made.pixels, threads, made))
        return max(found, key=lambda each: each[:3])[3]


class ExchangeKernel:
    """A move of pixels (`many`) with channels (`few`)."""

    def __init__(self, plan: MovePlan, many: Loop, few: Loop, outer: tuple[Loop, ...]) -> None:
        self.plan, self.many, self.few, self.outer = plan, many, few, outer
        element = plan.element_bytes
        pitch = abs(many.source_stride) // element
        writes_planes = few.size == 1 or many.destination_stride == element
        self.exchange = Exchange(
            element,
            few.size,
            pitch,
            many.source_stride < 0,
            pitch > 1 and few.source_stride < 0,
            writes_planes,
            many.destination_stride // element if writes_planes and many.destination_stride > element else 0,
            BLOCK_THREADS[0],
            1,
            False,
            False,
            len(outer),
            2 * plan.touched_bytes > STREAMED_BYTES,
        ).fitted(many.size)

    def launch(self, source: int, destination: int) -> Launch:
        made, plan = self.exchange, self.plan
        first, target = source + plan.source_offset, destination + plan.destination_offset
        if made.is_swapped:
            first += (self.few.size - 1) * self.few.source_stride
        reading = [first + (made.pixel_in if made.is_mirrored else 0), *(loop.source_stride for loop in self.outer)]
        writing = [target, *(loop.destination_stride for loop in self.outer)]
        reading += [self.few.source_stride] if made.parts_in > 1 else []
        writing += [self.few.destination_stride] if made.parts_out > 1 else []
        loads, stores = (all(distance % WIDEST_BYTES == 0 for distance in side) for side in (reading, writing))
        groups = -(-self.many.size // made.pixels)
        blocks = groups * prod(loop.size for loop in self.outer)
        numbers = [groups, self.many.size, self.few.source_stride, self.few.destination_stride]
        numbers += [n for loop in self.outer for n in (loop.size, loop.source_stride, loop.destination_stride)]
        arguments = pack(f"=2Q{len(numbers)}q", first, target, *numbers)
        text = text_of(replace(made, loads_aligned=loads, stores_aligned=stores))
        return Launch(text, blocks, made.threads, arguments, made.shared_bytes)


_TEXT = """
typedef {type} T;
struct P {{ uint64 source, destination; int64 groups, pixels, source_step, destination_step; int64 outer[{numbers}]; }};
extern "C" __global__ void __launch_bounds__({threads}) kernel(const P p) {{
  extern __shared__ __align__(16) uint8 tile[];
  uint32 b = blockIdx.x, q = b / (uint32)p.groups;
  const int64 start = (int64)(b - q * (uint32)p.groups) * {pixels};
  b = q;
  int64 from = (int64)p.source, to = (int64)p.destination;
{outer}
  const int count = (int)(p.pixels - start < {pixels} ? p.pixels - start : {pixels});
  from += {source_start} * {pixel_in}ll;
  to += start * {pixel_step}ll;
  // What is read lies between these two, of the bytes of a complete block.
  const int low = {low}, high = {high};
{load}
  __syncthreads();
{rest}
}}
"""
_LOAD = """
  uint4 v[{loads}];
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads}, part = n / {vectors_in}, place = n % {vectors_in} * 16;
    const uint4* block = (const uint4*)(from + part * p.source_step + place);
    if (part < {parts_in} && place + 16 > low && place < high) v[k] = {read};
  }}
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads};
    if (n < {parts_in} * {vectors_in}) *(uint4*)(tile + n * 16) = v[k];
  }}"""
_LOAD_ANYWHERE = """
  uint4 v[{loads}], w[{loads}];
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads}, part = n / {vectors_in}, place = n % {vectors_in} * 16;
    const int64 at = from + part * p.source_step + place;
    const uint4* block = (const uint4*)(at & ~15ll);
    const int skew = (int)(at & 15), first = place - skew;
    if (part < {parts_in} && first + 16 > low && first < high) v[k] = block[0];
    if (skew && part < {parts_in} && first + 32 > low && first + 16 < high) w[k] = block[1];
  }}
  #pragma unroll
  for (int k = 0; k < {loads}; k++) {{
    const int n = threadIdx.x + k * {threads}, part = n / {vectors_in};
    const uint32 skew = (uint32)(from + part * p.source_step) & 15;
    if (part < {parts_in}) *(uint4*)(tile + n * 16) = skew ? join(v[k], w[k], skew) : v[k];
  }}"""
_REGROUP = """
  uint8* const result = tile + {all_in};
  #pragma unroll
  for (int k = 0; k < {rounds}; k++) {{
    const int g = threadIdx.x + k * {threads}, s = {source_group};
{regroup}
  }}
  __syncthreads();
  const int length = count * {pixel_out};
  #pragma unroll
  for (int k = 0; k < {stores}; k++) {{
    const int n = threadIdx.x + k * {threads}, part = n / {vectors_out}, place = n % {vectors_out} * 16;
    const int64 at = to + part * p.destination_step;
    const int skew = {skew}, first = place - skew;
    const uint4* const found = (const uint4*)(result + part * {bytes_out} + place);
    uint4* const block = (uint4*)(at + first);
    if (part >= {parts_out} || first < 0 || first + 16 > length) continue;
    const uint4 s = {shifted};
    {write}
  }}
  // What lies before the first whole vector and after the last.
  for (int n = threadIdx.x; n < {parts_out} * 32; n += {threads}) {{
    const int64 at = to + n / 32 * p.destination_step;
    const int skew = {skew}, before = skew ? 16 - skew < length ? 16 - skew : length : 0;
    const int after = (length + skew & ~15) - skew, byte = n % 16 + (n & 16 ? after : 0);
    if (n & 16 ? byte >= before && byte < length : byte < before)
      ((uint8*)at)[byte] = result[n / 32 * {bytes_out} + byte];
  }}"""
_SCATTER = """
  const T* const result = (const T*)tile;
  #pragma unroll 8
  for (int x = threadIdx.x; x < count; x += {threads}) *(T*)(to + x * {pixel_step}) = result[{element_place}];"""


@lru_cache(maxsize=256)
def text_of(made: Exchange) -> str:
    element, vectors_in = made.element, made.bytes_in // WIDEST_BYTES
    vectors_out = made.bytes_out // WIDEST_BYTES + (not made.stores_aligned)
    last = f"{made.pixel_in} + {element * (1 if made.pitch == 1 else made.channels)}"
    names = {
        "type": CHUNKS[element],
        "numbers": max(1, 3 * made.rank),
        "threads": made.threads,
        "outer": outer_lines(made.rank),
        "pixels": made.pixels,
        # Pixels that are read backwards end where a block's memory ends, however few they are.
        "source_start": f"-(start + {made.pixels - 1})" if made.is_mirrored else "start",
        "pixel_in": made.pixel_in,
        "pixel_out": made.pixel_out,
        "pixel_step": made.gap * element if made.gap else made.pixel_out,
        "low": f"({made.pixels} - count) * {made.pixel_in}" if made.is_mirrored else "0",
        "high": f"({made.pixels if made.is_mirrored else 'count'} - 1) * {last}",
        "loads": -(-made.parts_in * vectors_in // made.threads),
        "vectors_in": vectors_in,
        "vectors_out": vectors_out,
        "parts_in": made.parts_in,
        "parts_out": made.parts_out,
        "bytes_out": made.bytes_out,
        "all_in": made.parts_in * made.bytes_in,
        "rounds": made.rounds,
        "stores": -(-made.parts_out * vectors_out // made.threads),
        "source_group": f"{made.pixels // made.group - 1} - g" if made.is_mirrored else "g",
        "read": "read_once(block)" if made.is_streamed else "*block",
        "skew": "0" if made.stores_aligned else "(int)(at & 15)",
        "shifted": "*found" if made.stores_aligned else "skew ? join(found[-1], found[0], 16 - skew) : *found",
        "write": "write_once(block, s);" if made.is_streamed else "*block = s;",
    }
    if made.gap:
        rest = _SCATTER.format(**names, element_place=_element_place(made))
    else:
        rest = _REGROUP.format(**names, regroup="\n".join(f"    {line}" for line in _regroup(made)))
    load = (_LOAD if made.loads_aligned else _LOAD_ANYWHERE).format(**names)
    return MOVING + _TEXT.format(**names, load=load, rest=rest)


def _element_place(made: Exchange) -> str:
    """Where pixel x of one channel lies in shared memory, in elements."""
    pixel = f"({made.pixels - 1} - x)" if made.is_mirrored else "x"
    return f"{pixel} * {made.pitch}"


def _regroup(made: Exchange) -> list[str]:
    """A group of pixels from shared memory into registers, its bytes picked, and back."""
    size_in, size_out = made.group * made.pixel_in, made.group * made.pixel_out
    words_in, words_out = size_in // WORD, size_out // WORD
    lines = [f"uint32 i[{made.parts_in * words_in}], o[{made.parts_out * words_out}];"]
    for part in range(made.parts_in):
        place = f"tile + {part * made.bytes_in} + s * {size_in}"
        lines += _vectors(place, "i[{}] = {};", part * words_in, size_in)
    for word in range(made.parts_out * words_out):
        part, first = word // words_out, word % words_out * WORD
        sources = [_source(made, part, first + byte) for byte in range(WORD)]
        lines.append(f"o[{word}] = {picked(sources)};")
    for part in range(made.parts_out):
        place = f"result + {part * made.bytes_out} + g * {size_out}"
        lines += _vectors(place, "{1} = o[{0}];", part * words_out, size_out)
    return lines


def _source(made: Exchange, part: int, byte: int) -> int:
    """Which byte of the group's source becomes this byte of a part of its result."""
    index, rest = divmod(byte, made.element)
    pixel, channel = (index, part) if made.writes_planes else divmod(index, made.channels)
    pixel = made.group - 1 - pixel if made.is_mirrored else pixel
    channel = made.channels - 1 - channel if made.is_swapped else channel
    place = channel * made.group + pixel if made.pitch == 1 else pixel * made.pitch + channel
    return place * made.element + rest


def _vectors(place: str, text: str, first: int, size: int) -> list[str]:
    """Words of shared memory, as many at once as divide the size; `text` takes the number of a word and its place."""
    wide = next(width for width in (16, 8, 4) if size % width == 0)
    lines = []
    for start in range(0, size, wide):
        kind = CHUNKS[wide]
        if wide == WORD:
            lines.append(text.format(first + start // WORD, f"*({kind}*)({place} + {start})"))
            continue
        fields = "xyzw"[: wide // WORD]
        is_load = text.startswith("i")
        moves = [text.format(first + start // WORD + n, f"t.{field}") for n, field in enumerate(fields)]
        whole = f"*({kind}*)({place} + {start})"
        body = [f"{kind} t = {whole};", *moves] if is_load else [f"{kind} t;", *moves, f"{whole} = t;"]
        lines.append("{ " + " ".join(body) + " }")
    return lines


def picked(sources: list[int]) -> str:
    """Four bytes out of the words i, as one word: bytes are numbered through all words."""
    words = list(dict.fromkeys(source // WORD for source in sources))
    if len(words) == 1 and [source % WORD for source in sources] == [0, 1, 2, 3]:
        return f"i[{words[0]}]"
    text, held = f"i[{words[0]}]", {source: source % WORD for source in sources if source // WORD == words[0]}
    for number in words[1:] or [words[0]]:
        # Bytes that are known go where they belong; those of the next word join them.
        which, known = 0, dict(held)
        for place, source in enumerate(sources):
            if source // WORD == number:
                known[source] = place
                which |= (WORD + source % WORD) << 4 * place
            elif source in held:
                known[source] = place
                which |= held[source] << 4 * place
        text, held = f"pick_bytes({text}, i[{number}], 0x{which:x})", known
    return text
