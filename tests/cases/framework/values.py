"""Makers of single elements: each takes a random generator and a data type and gives a number of that type."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from tests.oracle.numbers import bits_of as width_of
from tests.oracle.numbers import encode, integer_range, is_float, round_float

Number = float | int
LARGEST = {"FLOAT16": 65504.0, "FLOAT32": 2.0**120, "FLOAT64": 2.0**1000}
SMALLEST = {"FLOAT16": 2.0**-24, "FLOAT32": 2.0**-149, "FLOAT64": 2.0**-1074}


class Code(int):
    """An element given by its bits."""


def bits_of(value: Number, data_type: str) -> int:
    return int(value) if isinstance(value, Code) else encode(value, data_type)


def any_bits(random: Random, data_type: str) -> Code:
    """Any pattern of bits, NaNs with payloads included: for operators that only move elements."""
    return Code(random.getrandbits(width_of(data_type)))


def moderate(random: Random, data_type: str) -> Number:
    """Multiples of 1/32 up to 2, whole numbers up to 5: sums and products of a few are exact."""
    if is_float(data_type):
        return random.randint(-64, 64) / 32
    low, high = integer_range(data_type)
    return random.randint(max(low, -5), min(high, 5))


def whole(random: Random, data_type: str) -> Number:
    """Any integer of the type, often an extreme one; moderate floats."""
    if is_float(data_type):
        return moderate(random, data_type)
    low, high = integer_range(data_type)
    return random.choice((low, high, 0, 1, random.randint(low, high), random.randint(low, high)))


def wide(random: Random, data_type: str) -> Number:
    """Floats of many magnitudes, any integer."""
    if not is_float(data_type):
        return whole(random, data_type)
    scale = random.choice((1e-4, 0.1, 1.0, 8.0, 60.0, 1000.0))
    return round_float(random.uniform(-scale, scale), data_type)


def specials(data_type: str) -> list[Number]:
    """What breaks careless arithmetic: NaN, infinities, -0, subnormals, huge numbers, extremes of integers."""
    if not is_float(data_type):
        low, high = integer_range(data_type)
        return [low, low + 1, high, high - 1, 0, 1, max(low, -1), high // 2, high // 2 + 1]
    large, small = LARGEST[data_type], SMALLEST[data_type]
    return [math.nan, math.inf, -math.inf, 0.0, -0.0, large, -large, small, -small, 1.0, -1.0, 0.5, -0.5]


def hostile(random: Random, data_type: str) -> Number:
    return random.choice((*specials(data_type), wide(random, data_type)))


def hostile_sequence() -> Callable[[Random, str], Number]:
    """Hostile values that all come up before one comes again."""
    waiting: list[Number] = []

    def make(random: Random, data_type: str) -> Number:
        if not waiting:
            waiting.extend([*specials(data_type), wide(random, data_type), wide(random, data_type)])
            random.shuffle(waiting)
        return waiting.pop()

    return make


def between(low: float, high: float, step: float = 1 / 32) -> Callable[[Random, str], Number]:
    """Multiples of `step` from low to high; whole numbers for integer types, as far as the type reaches."""

    def make(random: Random, data_type: str) -> Number:
        if is_float(data_type):
            return random.randint(math.ceil(low / step), math.floor(high / step)) * step
        least, most = integer_range(data_type)
        return random.randint(max(math.ceil(low), least), min(math.floor(high), most))

    return make


def few(*options: Number) -> Callable[[Random, str], Number]:
    """One of a few numbers, so that equal ones are common."""
    return lambda random, data_type: random.choice(options)
