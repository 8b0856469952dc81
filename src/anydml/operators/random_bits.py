"""RANDOM_GENERATOR: random bits from a counter and a key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import RandomGeneratorType
from anydml.core.schema import Enumeration, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.types import UINT32

_STATE = {"3.0": UINT32}
_COUNTER_WORDS = 4
_ROUNDS = 10
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_WORD_BITS = 32
_WORD = 2**_WORD_BITS - 1
_MOST_BLOCKS = 1 << 16
"""Blocks that are computed at once: they stay in a processor's cache."""


class RandomGenerator(Operator, since="3.0", id=132):
    """Random bits by Philox 4x32-10: four words for each value of a 128-bit counter, and the state after them."""

    rank = {"3.0": (4, 4), "4.0": (1, 8)}
    input_state_tensor: TensorDesc = tensor_input(_STATE)
    output_tensor: TensorDesc = tensor_output(_STATE, inferred_type=DataType.UINT32)
    output_state_tensor: TensorDesc | None = tensor_output(_STATE, optional=True, inferred_type=DataType.UINT32)
    type: RandomGeneratorType = attribute(Enumeration(RandomGeneratorType), default=RandomGeneratorType.PHILOX_4X32_10)
    same = (same("input_state_tensor output_state_tensor", "DimensionCount Sizes"),)
    sizes_of = {"input_state_tensor": "1* 6"}

    def compute(self, xp: Any, input_state_tensor: Any) -> dict[str, Any]:
        state = input_state_tensor.reshape(-1).astype(xp.uint64)
        words = [state[k : k + 1] for k in range(state.size)]
        counter, key = words[:_COUNTER_WORDS], words[_COUNTER_WORDS:]
        count = prod(self.output_tensor.sizes)
        blocks = -(-count // _COUNTER_WORDS)
        found = xp.empty((blocks, _COUNTER_WORDS), xp.uint32)
        for start in range(0, blocks, _MOST_BLOCKS):
            stop = min(start + _MOST_BLOCKS, blocks)
            numbers = xp.arange(start, stop, dtype=xp.uint64)
            found[start:stop] = xp.stack(_philox(_advanced(counter, numbers), key), axis=-1).astype(xp.uint32)
        after = _advanced(counter, xp.full(1, blocks, xp.uint64))
        return {
            "output_tensor": found.reshape(-1)[:count].reshape(self.output_tensor.sizes),
            "output_state_tensor": xp.concatenate([*after, *key]).reshape(input_state_tensor.shape),
        }


def _advanced(counter: Sequence[Any], by: Any) -> list[Any]:
    """The counter's words, the least significant first, some blocks later; the last carry is lost."""
    return list(_carried(counter, by))


def _carried(counter: Sequence[Any], carry: Any) -> Iterator[Any]:
    for word in counter:
        total = word + carry
        yield total & _WORD
        carry = total >> _WORD_BITS


def _philox(counter: Sequence[Any], key: Sequence[Any]) -> list[Any]:
    """Four random words for each counter, all as 64-bit numbers."""
    a, b, c, d = counter
    low, high = key
    for _ in range(_ROUNDS):
        first, second = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
        a, b = (second >> _WORD_BITS) ^ b ^ low, second & _WORD
        c, d = (first >> _WORD_BITS) ^ d ^ high, first & _WORD
        low, high = (low + _KEY_STEPS[0]) & _WORD, (high + _KEY_STEPS[1]) & _WORD
    return [a, b, c, d]
