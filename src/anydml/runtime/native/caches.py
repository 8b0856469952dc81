"""How much memory the caches of the processor hold."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_LEAST_BYTES, _USUAL_BYTES = 8 << 20, 32 << 20
"""Of a last-level cache. Larger ones are shared with other programs and machines."""
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


@cache
def far_bytes() -> int:
    """Work that touches so much memory, or more, finds nothing in the caches that it, or others, left there."""
    return 5 * last_level_bytes() // 4


def last_level_bytes() -> int:
    """As far as the system tells (Linux does), within bounds."""
    found = [_bytes_of(path) for path in _CACHES.glob("index*/size")]
    return min(max(*found, _LEAST_BYTES), _USUAL_BYTES) if found else _USUAL_BYTES


def _bytes_of(path: Path) -> int:
    """A size as Linux writes it: 32768K."""
    try:
        text = path.read_text("ascii").strip()
        return int(text[:-1]) << {"K": 10, "M": 20}[text[-1]]
    except (OSError, ValueError, KeyError, IndexError):
        return 0
