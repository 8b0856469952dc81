"""Rectangles of styled text that are put beside and below one another before any colour is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap

from anydml.core.text import display_width

Style = str
"""Terminal attributes such as "1" or "30;48;5;110"; empty for plain text."""


@dataclass(frozen=True)
class Span:
    text: str
    style: Style = ""


Line = tuple[Span, ...]


@dataclass(frozen=True)
class Block:
    """Lines of spans; the block is as wide as its longest line."""

    lines: tuple[Line, ...]

    @classmethod
    def of(cls, lines: Iterable[str | Iterable[Span]], style: Style = "") -> Block:
        return cls(tuple((Span(line, style),) if isinstance(line, str) else tuple(line) for line in lines))

    @property
    def width(self) -> int:
        return max((_width(line) for line in self.lines), default=0)

    def indent(self, by: int) -> Block:
        return Block(tuple((Span(" " * by), *line) if line else line for line in self.lines))

    def paint(self, color: bool) -> list[str]:
        """The lines as text, with escape codes where colour is wanted, without trailing spaces."""
        return ["".join(_painted(span, color) for span in line).rstrip() for line in self.lines]


def _painted(span: Span, color: bool) -> str:
    return f"\033[{span.style}m{span.text}\033[0m" if color and span.style else span.text


def _width(line: Line) -> int:
    return sum(display_width(span.text) for span in line)


def centered(text: str, width: int, filler: str = " ") -> str:
    """The text in the middle of so many columns."""
    return f"{text:{filler}^{width - display_width(text) + len(text)}}"


def wrapped(texts: Iterable[str], width: int) -> list[str]:
    """Texts in lines of at most so many columns."""
    return [
        line
        for text in texts
        for line in wrap(text, width - max(0, display_width(text) - len(text)), subsequent_indent="    ")
    ]


def beside(blocks: Sequence[Block], gap: int) -> Block:
    """Blocks in a row, tops aligned."""
    height = max(len(block.lines) for block in blocks)
    rows: list[Line] = []
    for i in range(height):
        row: list[Span] = []
        for block in blocks:
            line = block.lines[i] if i < len(block.lines) else ()
            row += [*line, Span(" " * (block.width - _width(line) + gap))]
        rows.append(tuple(row))
    return Block(tuple(rows))


def flow(blocks: Sequence[Block], width: int, gap: int = 3) -> Block:
    """Blocks side by side while they fit the width, then on below."""
    rows: list[list[Block]] = []
    for block in blocks:
        used = sum(placed.width + gap for placed in rows[-1]) if rows else 0
        if rows and used + block.width <= width:
            rows[-1].append(block)
        else:
            rows.append([block])
    return below([beside(row, gap) for row in rows])


def below(blocks: Sequence[Block], blank: int = 1) -> Block:
    """Blocks one under another, with blank lines between them."""
    lines: list[Line] = []
    for block in blocks:
        lines += [()] * blank if lines else []
        lines += block.lines
    return Block(tuple(lines))
