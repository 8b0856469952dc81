"""Attentions against their three steps, one query at a time: products with keys, softmax, sum of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.operators import attending
from tests.operators.arrays import WAYS, Array, described, outputs_of
from tests.operators.test_errata import rules

BATCH, QUERIES, KEYS, PAST, HEADS, SIZE, VALUE_SIZE = 2, 3, 4, 2, 4, 3, 5
FILTER = -3.0
Change = Callable[[float, tuple[int, int, int, int]], float]
"""A score after a mask, from the score and its place: batch, head, query, key."""


def random_array(seed: int, *sizes: int) -> Array:
    return np.random.default_rng([seed, *sizes]).uniform(-1, 1, sizes).astype(np.float32)


def by_heads(x: Array, heads: int) -> Array:
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def attention(query: Array, key: Array, value: Array, scale: float, *changes: Change) -> Array:
    """{batch, queries, heads * value size} from {batch, heads, sequence, size} in float64."""
    batch, heads, queries, _ = query.shape
    shared = heads // key.shape[1]
    result = np.zeros((batch, queries, heads, value.shape[3]))
    for b, h, i in np.ndindex(batch, heads, queries):
        keys, values = (x[b, h // shared].astype(np.float64) for x in (key, value))
        scores = keys @ query[b, h, i].astype(np.float64) * scale
        for change in changes:
            scores = np.array([change(score, (b, h, i, j)) for j, score in enumerate(scores)])
        weights = np.exp(scores - scores.max())
        result[b, i, h] = weights / weights.sum() @ values
    return result.reshape(batch, queries, -1)


def separate(key_heads: int = HEADS) -> dict[str, Any]:
    return {
        "query_tensor": random_array(1, BATCH, QUERIES, HEADS * SIZE),
        "key_tensor": random_array(2, BATCH, KEYS, key_heads * SIZE),
        "value_tensor": random_array(3, BATCH, KEYS, key_heads * VALUE_SIZE),
    }


def operator_of(arrays: dict[str, Any], heads: int = HEADS, mask_type: str = "NONE", **rest: Any) -> Any:
    return dml.MultiheadAttention(
        **described(arrays),
        scale=0.5,
        mask_filter_value=FILTER,
        head_count=heads,
        mask_type=mask_type,
        **rest,
    )


def assert_close(found: Array, expected: Array) -> None:
    assert found.shape == expected.shape and np.abs(found - expected).max() < 2e-6


def test_assert_close__can_fail() -> None:
    with pytest.raises(AssertionError):
        assert_close(np.array([1.0]), np.array([1.00001]))


@pytest.mark.parametrize("device", WAYS)
def test_attention__is_three_products(device: str) -> None:
    given = separate()
    expected = attention(*(by_heads(x, HEADS) for x in given.values()), 0.5)
    assert_close(outputs_of(operator_of(given), given, device)["output_tensor"], expected)


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("form", ["query_key", "key_value", "query_key_value"])
def test_stacked__reads_each_part(form: str, device: str) -> None:
    roles = form.split("_")
    stacked = random_array(4, BATCH, KEYS, HEADS, len(roles), SIZE)
    parts = {role: stacked[:, :, :, i].transpose(0, 2, 1, 3) for i, role in enumerate(roles)}
    given: dict[str, Any] = {f"stacked_{form}_tensor": stacked}
    for seed, role in enumerate(("query", "key", "value")):
        if role not in parts:
            alone = random_array(seed, BATCH, KEYS, HEADS * (VALUE_SIZE if role == "value" else SIZE))
            parts[role], given[f"{role}_tensor"] = by_heads(alone, HEADS), alone
    expected = attention(parts["query"], parts["key"], parts["value"], 0.5)
    assert_close(outputs_of(operator_of(given), given, device)["output_tensor"], expected)


def masks() -> dict[str, tuple[Array, Change]]:
    """For each type of mask one, and what it does to a score."""
    lengths, starts = [3, 1], [1, 0]
    flags = np.random.default_rng(9).integers(0, 2, (BATCH, HEADS, QUERIES, KEYS)).astype(np.int32)
    packed = [*lengths, 0, QUERIES, 2 * QUERIES, 1, KEYS + 1, 2 * KEYS]
    return {
        "BOOLEAN": (flags, lambda score, at: score + (0 if flags[at] else FILTER)),
        "KEY_SEQUENCE_LENGTH": (
            np.array([lengths], np.int32),
            lambda score, at: score if at[3] < lengths[at[0]] else FILTER,
        ),
        "KEY_SEQUENCE_END_START": (
            np.array([lengths, starts], np.int32),
            lambda score, at: score if starts[at[0]] <= at[3] < lengths[at[0]] else FILTER,
        ),
        "KEY_QUERY_SEQUENCE_LENGTH_START_END": (
            np.array(packed, np.int32),
            lambda score, at: score if 1 <= at[3] < 1 + lengths[at[0]] else FILTER,
        ),
    }


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("mask_type", masks())
def test_mask__adds_or_sets_the_filter_value(mask_type: str, device: str) -> None:
    mask, change = masks()[mask_type]
    given = separate()
    expected = attention(*(by_heads(x, HEADS) for x in given.values()), 0.5, change)
    for sizes in (mask.shape, (1,) * (5 - mask.ndim) + mask.shape):
        masked = {**given, "mask_tensor": mask.reshape(sizes)}
        found = outputs_of(operator_of(masked, mask_type=mask_type), masked, device)["output_tensor"]
        assert_close(found, expected)


def test_boolean_mask__may_have_sizes_of_1() -> None:
    row = np.array([1, 0, 1, 1], np.int32)
    given = separate()
    results = []
    for sizes in ((KEYS,), (1, 1, 1, KEYS), (BATCH, HEADS, QUERIES, KEYS)):
        masked = {**given, "mask_tensor": np.broadcast_to(row, sizes).copy()}
        results.append(outputs_of(operator_of(masked, mask_type="BOOLEAN"), masked)["output_tensor"])
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])


@pytest.mark.parametrize("device", WAYS)
def test_packed_starts__give_each_sequence_its_queries_and_keys(device: str) -> None:
    """A sequence of 3 queries and 2 keys that both start at row 1; query 0 belongs to none and sees no key."""
    given = {"query_tensor": random_array(5, 1, 4, 2), "key_tensor": random_array(6, 1, 4, 2)}
    given["value_tensor"] = random_array(7, 1, 4, 2)
    numbers = np.array([2, 1, 4, 1, 3], np.int32)  # keys; start and end of queries; start and end of keys

    def change(score: float, at: tuple[int, int, int, int]) -> float:
        return score if 1 <= at[2] < 4 and 1 <= at[3] < 3 else -9.0

    expected = attention(*(by_heads(x, 1) for x in given.values()), 0.5, change)
    masked = {**given, "mask_tensor": numbers}
    operator = operator_of(masked, 1, "KEY_QUERY_SEQUENCE_LENGTH_START_END").replace(mask_filter_value=-9.0)
    assert_close(outputs_of(operator, masked, device)["output_tensor"], expected)


@pytest.mark.parametrize("device", WAYS)
def test_bias_position_bias_and_past__in_order(device: str) -> None:
    """The bias of keys and values goes into the present ones, not into the past."""
    given = separate(key_heads=2)
    past_key, past_value = random_array(10, BATCH, 2, PAST, SIZE), random_array(11, BATCH, 2, PAST, VALUE_SIZE)
    q, k, v = np.split(random_array(12, HEADS * SIZE + 2 * SIZE + 2 * VALUE_SIZE), [12, 18])
    position = random_array(13, BATCH, HEADS, QUERIES, PAST + KEYS)
    key = np.concatenate([past_key, by_heads(given["key_tensor"] + k, 2)], axis=2)
    value = np.concatenate([past_value, by_heads(given["value_tensor"] + v, 2)], axis=2)
    query = by_heads(given["query_tensor"] + q, HEADS)
    expected = attention(query, key, value, 0.5, lambda score, at: score + position[at])
    given |= {
        "bias_tensor": np.concatenate([q, k, v]),
        "relative_position_bias_tensor": position,
        "past_key_tensor": past_key,
        "past_value_tensor": past_value,
    }
    operator = dml.MultiheadAttention1(
        **described(given),
        output_present_key_tensor=True,
        output_present_value_tensor=True,
        scale=0.5,
        mask_filter_value=FILTER,
        query_head_count=HEADS,
        key_value_head_count=2,
        mask_type="NONE",
    )
    found = outputs_of(operator, given, device)
    assert_close(found["output_tensor"], expected)
    assert np.array_equal(found["output_present_key_tensor"], key)
    assert np.array_equal(found["output_present_value_tensor"], value)


@pytest.mark.parametrize("device", WAYS)
def test_past_alone__stands_for_keys_and_values(device: str) -> None:
    query = random_array(1, BATCH, QUERIES, HEADS * SIZE)
    given = {
        "query_tensor": query,
        "past_key_tensor": random_array(2, BATCH, HEADS, KEYS, SIZE),
        "past_value_tensor": random_array(3, BATCH, HEADS, KEYS, VALUE_SIZE),
    }
    expected = attention(by_heads(query, HEADS), given["past_key_tensor"], given["past_value_tensor"], 0.5)
    assert_close(outputs_of(operator_of(given), given, device)["output_tensor"], expected)


def test_present__may_hold_new_keys_alone() -> None:
    given = separate() | {
        "past_key_tensor": random_array(2, BATCH, HEADS, PAST, SIZE),
        "past_value_tensor": random_array(3, BATCH, HEADS, PAST, VALUE_SIZE),
    }
    present = dml.TensorDesc("FLOAT32", [BATCH, HEADS, KEYS, SIZE])
    found = outputs_of(operator_of(given, output_present_key_tensor=present), given)
    assert np.array_equal(found["output_present_key_tensor"], by_heads(given["key_tensor"], HEADS))


def cached(data_type: str, capacity: int) -> tuple[dict[str, Any], Any]:
    """Two new tokens after 1 and 3 valid ones of a past of 3, in a cache."""
    given: dict[str, Any] = {
        "query_tensor": random_array(1, 2, 2, 4),
        "key_tensor": random_array(2, 2, 2, 2),
        "value_tensor": random_array(3, 2, 2, 2),
        "past_key_tensor": random_array(4, 2, 1, 3, 2),
        "past_value_tensor": random_array(5, 2, 1, 3, 2),
        "past_sequence_lengths_tensor": np.array([1, 3], data_type),
    }
    given["past_key_tensor"][0, :, 1:] = given["past_value_tensor"][0, :, 1:] = np.nan  # not valid, never seen
    present = dml.TensorDesc("FLOAT32", [2, 1, capacity, 2])
    operator = dml.MultiheadAttention1(
        **described(given),
        output_present_key_tensor=present,
        output_present_value_tensor=present,
        scale=0.5,
        mask_filter_value=-np.inf,
        query_head_count=2,
        key_value_head_count=1,
        mask_type="NONE",
    )
    return given, operator


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("capacity", [3, 5])
@pytest.mark.parametrize("data_type", ["int32", "float32"])
def test_past_lengths__place_new_keys_and_hide_later_ones(data_type: str, capacity: int, device: str) -> None:
    """Each batch alone, its past cut to the valid part: query i sees that, and the new keys up to i."""
    given, operator = cached(data_type, capacity)
    found = outputs_of(operator, given, device)
    for b, length in enumerate((1, 3)):
        arrays = {}
        for role in ("key", "value"):
            past, new = given[f"past_{role}_tensor"][b : b + 1, :, :length], by_heads(given[f"{role}_tensor"], 1)[b]
            arrays[role] = np.concatenate([past, new[None]], axis=2)
            present = np.zeros((1, 5, 2), np.float32)
            present[:, : length + 2] = arrays[role][0]
            assert np.array_equal(found[f"output_present_{role}_tensor"][b], present[:, :capacity])
        query = by_heads(given["query_tensor"], 2)[b : b + 1]
        seen = lambda score, at, length=length: score if at[3] <= length + at[2] else -np.inf  # noqa: E731
        assert_close(found["output_tensor"][b : b + 1], attention(query, arrays["key"], arrays["value"], 0.5, seen))


@pytest.mark.parametrize("most", [1, 7, 20, 100, 10**9])
def test_blocks__change_nothing(most: int) -> None:
    """Scores are computed some at a time; how many shows in rounding alone."""
    query, key, value = random_array(1, 2, 6, 5, 3), random_array(2, 2, 3, 7, 3), random_array(3, 2, 3, 7, 4)
    bias = random_array(4, 2, 6, 5, 7)
    found = attending.attend(np, query, key, value, 0.5, [attending.add_bias(bias)], most)
    expected = attention(query, key, value, 0.5, lambda score, at: score + bias[at])
    assert_close(found.reshape(2, 5, -1), expected)


def test_blocks__hold_no_more_scores_than_allowed() -> None:
    shape, keys = (2, 6, 2, 50, 8), 40
    for most in (1, 80, 81, 4000, 9000, 10**6):
        blocks = [*attending._blocks(shape, keys, most)]
        assert all(np.prod(block.shape) <= max(most, 2 * keys) for block in blocks)
        assert sum(int(np.prod(block.shape)) for block in blocks) == 2 * 6 * 2 * 50 * keys


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"query_tensor": None}, "attention.sources"),
        ({"value_tensor": None}, "attention.sources"),
        ({"stacked_query_key_value_tensor": (2, 3, 4, 3, 3)}, "attention.sources"),
        ({"past_key_tensor": (2, 4, 2, 3)}, "attention.sources"),
        ({"query_tensor": (2, 3, 13)}, "attention.heads"),
        ({"key_tensor": (2, 4, 16)}, "attention.sizes"),
        ({"key_tensor": (1, 2, 4, 12)}, None),
        ({"key_tensor": (2, 2, 4, 12)}, "attention.sizes"),
        ({"bias_tensor": (12,)}, "attention.sizes"),
        ({"output_present_key_tensor": (2, 4, 5, 3)}, "attention.sizes"),
        ({"mask_tensor": (1, 2)}, "attention.mask"),
        ({"mask_type": "BOOLEAN"}, "attention.mask"),
        ({"mask_tensor": (2, 2), "mask_type": "KEY_SEQUENCE_LENGTH"}, "attention.mask"),
        ({"mask_tensor": (2, 2), "mask_type": "KEY_SEQUENCE_END_START"}, None),
        ({"mask_tensor": (3, 4), "mask_type": "BOOLEAN"}, None),
        ({"mask_tensor": (2, 4), "mask_type": "BOOLEAN"}, "attention.mask"),
    ],
)
def test_sizes__agree(changes: dict[str, Any], rule: str | None) -> None:
    fields: dict[str, Any] = {name: array.shape for name, array in separate().items()}
    fields |= {"output_tensor": (2, 3, 20), "scale": 1, "mask_filter_value": 0, "head_count": 4, "mask_type": "NONE"}
    values = {name: value for name, value in {**fields, **changes}.items() if value is not None}
    for name, value in values.items():
        if isinstance(value, tuple):
            values[name] = dml.TensorDesc("INT32" if name == "mask_tensor" else "FLOAT32", value)
    found = rules(dml.MultiheadAttention(**values))
    assert set(found) == ({rule} if rule else set())


def test_head_counts__of_queries_are_multiples() -> None:
    given = described(separate(key_heads=3)) | {"output_tensor": dml.TensorDesc("FLOAT32", [2, 3, 20])}
    operator = dml.MultiheadAttention1(
        **given, scale=1, mask_filter_value=0, query_head_count=4, key_value_head_count=3, mask_type="NONE"
    )
    assert rules(operator) == ["attention.heads"]
