"""What a terminal would obey is spelt out; what people write stays."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from anydml.core.text import printable


@pytest.mark.parametrize("text", ["größe", "x y\u00a0z", "数据", "שלום", "👩\u200d🚀", "a\\b'\"", ""])
def test_ordinary_text__stays(text: str) -> None:
    assert printable(text) == text


def test_unsafe_text__is_spelt_out() -> None:
    assert printable("\x1b[2J\n\r\t\0\x7f\x9b\u2028\u202e\udc80") == (
        "\\x1b[2J\\n\\r\\t\\x00\\x7f\\x9b\\u2028\\u202e\\udc80"
    )


def test_no_control_line_end_or_turn_is_left() -> None:
    left = [chr(code) for code in range(sys.maxunicode + 1) if printable(chr(code)) == chr(code)]
    assert not {unicodedata.category(char) for char in left} & {"Cc", "Cs", "Zl", "Zp"}
    assert not {unicodedata.bidirectional(char) for char in left} & {
        *("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    }
