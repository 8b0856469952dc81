"""The helpers that compare can fail."""

from __future__ import annotations

import numpy as np
import pytest

from anydml.core.layout import Layout
from tests.runtime.moves.support import assert_same_bytes, moved, places


def test_assert_same_bytes__fails_on_one_byte() -> None:
    found = np.zeros(10, np.uint8)
    assert_same_bytes(found, bytearray(10), "")
    found[7] = 1
    with pytest.raises(AssertionError, match="first at 7"):
        assert_same_bytes(found, bytearray(10), "")


def test_assert_same_bytes__fails_on_size() -> None:
    with pytest.raises(AssertionError, match="expected 11"):
        assert_same_bytes(np.zeros(10, np.uint8), bytearray(11), "")


def test_moved__by_hand() -> None:
    # The transpose of [[1, 2], [3, 4]], two bytes an element, into every second element.
    source = bytes([1, 10, 2, 20, 3, 30, 4, 40])
    layouts = Layout((2, 2), (1, 2)), Layout((2, 2), (4, 2))
    result = moved(source, bytes(16), layouts, 2)
    assert list(result) == [1, 10, 0, 0, 3, 30, 0, 0, 2, 20, 0, 0, 4, 40, 0, 0]


def test_places__reversed() -> None:
    assert list(places(Layout((2, 3), (10, -1), 5))) == [5, 4, 3, 15, 14, 13]
