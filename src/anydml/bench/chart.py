"""A run as a picture: a group of bars for everything that was measured, one bar for each contender."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10

from anydml.bench.contenders import OURS, PEERS
from anydml.bench.measure import Timing

COLOURS = {OURS: "#0b7285", "NumPy": "#adb5bd", "PyTorch": "#f59f00", "ONNX Runtime": "#9775fa"}
LABEL, PLOT, BAR, GAP, TOP = 300, 520, 9, 9, 48
MOST_GUIDES = 8


@dataclass(frozen=True)
class Bar:
    """A value, and between what it lay in the middle half of the repetitions."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Bar:
        return cls(value, value, value)

    @classmethod
    def rate(cls, amount: float, timing: Timing) -> Bar:
        """How much was done in a unit of time."""
        return cls(amount / timing.median, amount / timing.high, amount / timing.low)


@dataclass(frozen=True)
class Group:
    """What one label names: a bar for each contender. Without bars it is a heading."""

    label: str
    bars: dict[str, Bar]


def chart(title: str, groups: Sequence[Group], mark: float | None = 1.0) -> str:
    """An SVG document; the line at `mark` stands out."""
    names = [name for name in (OURS, *PEERS) if any(name in group.bars for group in groups)]
    largest = max(bar.value for group in groups for name, bar in group.bars.items() if name in names)
    scale = PLOT / largest
    heights = [_height(group, names) for group in groups]
    height = TOP + sum(heights) + 20
    parts = [*_head(title, names, height), *_guides(scale, largest, height, mark)]
    for number, group in enumerate(groups):
        parts += _group(group, names, TOP + sum(heights[:number]), scale)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _height(group: Group, names: Sequence[str]) -> int:
    return (len(names) * BAR if group.bars else 2 * BAR) + GAP


def _head(title: str, names: Sequence[str], height: int) -> list[str]:
    width = LABEL + PLOT + 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="system-ui, sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="16" font-size="13" font-weight="600">{escape(title)}</text>',
    ]
    for place, name in enumerate(names):
        left = LABEL + place * 120
        parts.append(f'<rect x="{left}" y="24" width="10" height="10" fill="{COLOURS[name]}"/>')
        parts.append(f'<text x="{left + 14}" y="33">{escape(name)}</text>')
    return parts


def _guides(scale: float, largest: float, height: int, mark: float | None) -> list[str]:
    parts, step = [], _step(largest)
    for number in range(floor(largest / step) + 1):
        value = number * step
        x = LABEL + value * scale
        colour = "#495057" if value == mark else "#dee2e6"
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height - 16}" stroke="{colour}"/>')
        parts.append(f'<text x="{x:.1f}" y="{height - 4}" text-anchor="middle">{value:g}</text>')
    return parts


def _step(largest: float) -> float:
    """The distance of the lines: the least of 1, 2 and 5 times a power of ten that does not make too many."""
    power = 10.0 ** floor(log10(largest / MOST_GUIDES))
    return next(power * times for times in (1, 2, 5, 10) if largest / (power * times) <= MOST_GUIDES)


def _group(group: Group, names: Sequence[str], top: int, scale: float) -> list[str]:
    if not group.bars:
        return [f'<text x="8" y="{top + 14}" font-weight="600">{escape(group.label)}</text>']
    middle = top + len(names) * BAR / 2 + 4
    parts = [f'<text x="{LABEL - 8}" y="{middle:.1f}" text-anchor="end">{escape(group.label)}</text>']
    for place, name in enumerate(names):
        if name in group.bars:
            parts += _bar(group.bars[name], COLOURS[name], top + place * BAR, scale)
    return parts


def _bar(bar: Bar, colour: str, top: int, scale: float) -> list[str]:
    parts = [f'<rect x="{LABEL}" y="{top}" width="{bar.value * scale:.1f}" height="{BAR - 1}" fill="{colour}"/>']
    if bar.low < bar.high:
        left, right, y = LABEL + bar.low * scale, min(LABEL + bar.high * scale, LABEL + PLOT + 50), top + (BAR - 1) / 2
        parts.append(f'<line x1="{left:.1f}" y1="{y}" x2="{right:.1f}" y2="{y}" stroke="#212529"/>')
    return parts
