"""Philox 4x32-10, a counter-based random number generator, as published by Salmon, Moraes, Dror and Shaw (2011).

A block of four 32-bit words is the counter after ten rounds with a 64-bit key. Two words of the block are multiplied by
constants, and the halves of the products are mixed with the other two words and the key; between rounds the key grows.
"""

from __future__ import annotations

from collections.abc import Sequence

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
MASK = 0xFFFFFFFF


def block(counter: Sequence[int], key: Sequence[int]) -> tuple[int, int, int, int]:
    """Four random words for one counter."""
    a, b, c, d = counter
    low, high = key
    for _ in range(ROUNDS):
        first, second = MULTIPLIERS[0] * a, MULTIPLIERS[1] * c
        a, b, c, d = second >> 32 ^ b ^ low, second & MASK, first >> 32 ^ d ^ high, first & MASK
        low, high = (low + KEY_STEPS[0]) & MASK, (high + KEY_STEPS[1]) & MASK
    return a, b, c, d


def advance(counter: Sequence[int], count: int) -> list[int]:
    """The 128-bit counter some blocks later; its first word is the least significant."""
    number = sum(word << 32 * place for place, word in enumerate(counter)) + count
    return [number >> 32 * place & MASK for place in range(4)]


def words(state: Sequence[int], count: int) -> tuple[list[int], list[int]]:
    """So many random words of a state of six words (counter, key), and the state after them."""
    counter, key, found = list(state[:4]), list(state[4:]), []
    blocks = -(-count // 4)
    for number in range(blocks):
        found += block(advance(counter, number), key)
    return found[:count], [*advance(counter, blocks), *key]
