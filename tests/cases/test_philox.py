"""Philox 4x32-10 against the known answers that its authors publish, and the counter's arithmetic."""

from __future__ import annotations

import pytest

from tests.oracle.philox import MASK, advance, block, words

PI = "243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0"


@pytest.mark.parametrize(
    ("state", "answer"),
    [
        ("0 0 0 0 0 0", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        (" ".join(["ffffffff"] * 6), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (PI, "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
    ids=["zeros", "ones", "pi"],
)
def test_block__known_answers(state: str, answer: str) -> None:
    given = [int(word, 16) for word in state.split()]
    assert block(given[:4], given[4:]) == tuple(int(word, 16) for word in answer.split())


def test_counter__carries_and_wraps() -> None:
    assert advance([MASK, 0, 0, 0], 1) == [0, 1, 0, 0]
    assert advance([MASK, MASK, MASK, 4], 2) == [1, 0, 0, 5]
    assert advance([MASK] * 4, 1) == [0, 0, 0, 0]


@pytest.mark.parametrize("count", [1, 3, 4, 5, 9])
def test_words__go_on_where_they_stopped(count: int) -> None:
    """Whole blocks are used up: what follows is what one long run has at the next block."""
    state = [int(word, 16) for word in PI.split()]
    first, after = words(state, count)
    used = -(-count // 4) * 4
    everything, _ = words(state, used + 8)
    assert everything[:count] == first
    assert words(after, 8)[0] == everything[used:]
    assert after[4:] == state[4:]


def test_documented_count__of_the_counter() -> None:
    """3 * 3 * 20 * 7219 elements use 324855 blocks."""
    assert words([0, 0, 0, 0, 1, 2], 4 * 10)[1][0] == 10
    assert -(-3 * 3 * 20 * 7219 // 4) == 324855
