"""What a terminal would obey is escaped; what people write stays, and its columns are counted."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest

from anydml.core.text import (
    display_width,
    encodable,
    fitted,
    is_well_formed,
    printable,
    printable_json,
    printable_lines,
)

ALL = [chr(code) for code in range(sys.maxunicode + 1)]
VISIBLE_FORMATS = "".join(
    map(chr, [*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)])
)
"""Signs around numbers and marks of hieroglyphs: format characters that are drawn."""
ORDINARY = ["größe", "x y\u00a0z", "数据", "שלום", "👩\u200d🚀", "❤\ufe0f", "می\u200cخواهم", "a\\b'\"", "張", ""]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text__stays(text: str) -> None:
    assert printable(text) == text


def test_unsafe_text__is_escaped() -> None:
    assert printable("\x1b[2J\n\r\t\0\x7f\x9b\u2028\u202e\udc80\ufffe\U000e0041") == (
        "\\x1b[2J\\n\\r\\t\\x00\\x7f\\x9b\\u2028\\u202e\\udc80\\ufffe\\U000e0041"
    )
    assert printable_lines("a\x1b\nb\r") == "a\\x1b\nb\\r"


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_joiners__that_join_nothing_are_escaped(joiner: str) -> None:
    told = printable(f"{joiner}a{joiner}b👩{joiner}{joiner}")
    assert told == f"\\u{ord(joiner):04x}a\\u{ord(joiner):04x}b👩{joiner}\\u{ord(joiner):04x}"


def test_no_control_line_end_turn_or_hidden_character_is_left() -> None:
    left = [char for char in ALL if printable(char) == char]
    assert not {unicodedata.category(char) for char in left if char not in VISIBLE_FORMATS} & {
        *("Cc", "Cf", "Cs", "Zl", "Zp")
    }
    assert not {unicodedata.bidirectional(char) for char in left} & {
        *("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    }
    letters = [char for char in left if char.isalnum() or unicodedata.category(char)[0] in "LMNPS"]
    assert len(letters) == sum(char.isalnum() or unicodedata.category(char)[0] in "LMNPS" for char in ALL)


def test_every_character__is_one_of_xml_and_is_shown_in_one_line() -> None:
    """The production Char of XML 1.0, less what it discourages."""
    for char in ALL:
        told = printable(f"é{char}")
        assert printable(told) == told and len(told.splitlines()) == 1
        for each in map(ord, told):
            assert 0x20 <= each <= 0xD7FF or 0xE000 <= each <= 0xFFFD or 0x10000 <= each <= 0x10FFFF
            assert each & 0xFFFE != 0xFFFE and not 0xFDD0 <= each <= 0xFDEF


def test_json__is_the_same_value() -> None:
    text = "".join(char for char in ALL if is_well_formed(char))
    told = printable_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(told) == text and printable(told) == told


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8", "utf-16", None])
def test_encodable__text_can_be_written(encoding: str | None) -> None:
    told = encodable("é 張 😀 \ud800", encoding)
    told.encode(encoding or "utf-8", "surrogatepass" if encoding is None else "strict")
    assert encodable("plain", encoding) == "plain"
    assert encodable("é張", "latin-1") == "é\\u5f35"


def test_whole_text__is_what_utf_8_takes() -> None:
    for text in ("", "é張😀", "\ufffe\0", "a\ud800", "\udfff", "\ud83d\ude00"):
        try:
            text.encode()
        except UnicodeEncodeError:
            assert not is_well_formed(text)
        else:
            assert is_well_formed(text)


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("abc", 3), ("é", 1), ("e\u0301", 1), ("張", 2), ("ｱ", 1), ("Ａ", 2), ("😀", 2), ("│", 1), ("\\x1b", 4)],
)
def test_width__is_that_of_a_terminal(text: str, width: int) -> None:
    assert display_width(text) == width and display_width(text + text) == 2 * width


@pytest.mark.parametrize(
    "text", ["abcdefghij", "張" * 6, "e\u0301" * 9, "ab\\x1bcd\\u202eef\\U000e0041", "a張b張c張d", ""]
)
def test_fitted__keeps_whole_characters_of_the_start(text: str) -> None:
    for most in range(2, 24):
        cut = fitted(text, most)
        assert display_width(cut) <= most
        if cut != text:
            kept = cut.removesuffix("…")
            assert display_width(text) > most and text.startswith(kept) and cut == f"{kept}…"
            for escape in ("\\x1b", "\\u202e", "\\U000e0041"):
                at = text.find(escape)
                assert at < 0 or not at < len(kept) < at + len(escape)
