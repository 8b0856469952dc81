"""A run as a picture: bars for every pattern, as fractions of the same run's contiguous copy."""

from __future__ import annotations

from html import escape

from anydml.bench.contenders import OURS, PEERS
from anydml.bench.measure import Result

COLOURS = {OURS: "#0b7285", "NumPy": "#adb5bd", "PyTorch": "#f59f00", "ONNX Runtime": "#9775fa"}
LABEL, PLOT, BAR, GAP, TOP = 290, 520, 9, 9, 48


def chart(results: list[Result], title: str) -> str:
    """An SVG document."""
    names = [name for name in (OURS, *PEERS) if any(name in result.timings for result in results)]
    largest = max(result.fraction(name) for result in results for name in result.timings if name in names)
    scale = PLOT / largest
    height = TOP + len(results) * (len(names) * BAR + GAP) + 20
    parts = [*_head(title, names, height), *_guides(scale, largest, height)]
    for number, result in enumerate(results):
        top = TOP + number * (len(names) * BAR + GAP)
        parts += _group(result, names, top, scale)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _head(title: str, names: list[str], height: int) -> list[str]:
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


def _guides(scale: float, largest: float, height: int) -> list[str]:
    parts = []
    for tenth in range(int(largest * 2) + 1):
        value = tenth / 2
        x = LABEL + value * scale
        colour = "#495057" if value == 1 else "#dee2e6"
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height - 16}" stroke="{colour}"/>')
        parts.append(f'<text x="{x:.1f}" y="{height - 4}" text-anchor="middle">{value:g}</text>')
    return parts


def _group(result: Result, names: list[str], top: int, scale: float) -> list[str]:
    middle = top + len(names) * BAR / 2 + 4
    parts = [f'<text x="{LABEL - 8}" y="{middle:.1f}" text-anchor="end">{escape(result.pattern)}</text>']
    for place, name in enumerate(names):
        if name in result.timings:
            y, length = top + place * BAR, result.fraction(name) * scale
            parts.append(f'<rect x="{LABEL}" y="{y}" width="{length:.1f}" height="{BAR - 1}" fill="{COLOURS[name]}"/>')
    return parts
