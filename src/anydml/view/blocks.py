"""Rectangles of styled text that are put beside and below one another before any colour is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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

    def indent(self, columns: int) -> Block:
        return Block(tuple((Span(" " * columns), *line) if line else line for line in self.lines))

    def paint(self, color: bool) -> list[str]:
        """The lines as text, with escape codes where colour is wanted, without trailing spaces."""
        return ["".join(_painted(span, color) for span in line).rstrip() for line in self.lines]


def _painted(span: Span, color: bool) -> str:
    return f"\033[{span.style}m{span.text}\033[0m" if color and span.style else span.text


def _width(line: Line) -> int:
    return sum(len(span.text) for span in line)


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
