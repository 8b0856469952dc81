"""Numbers of bytes on the command line."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
LEAST_BYTES, MOST_BYTES = 4 << 10, 4 << 30


def size_bytes(text: str) -> int:
    """Bytes from a text such as 64M or 64MiB."""
    found = re.fullmatch(r"(\d+) ?([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    size = int(found[1]) * UNITS[found[2].upper()] if found else 0
    if not LEAST_BYTES <= size <= MOST_BYTES:
        raise ArgumentTypeError(f"found {text!r}, expected bytes from 4K to 4G, such as 64M")
    return size
