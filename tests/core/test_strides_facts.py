"""Every documented fact about strides, from the data file beside the tests."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core.geometry import MAXIMUM_ELEMENTS, MAXIMUM_RANK
from anydml.core.levels import LEVELS
from anydml.core.orders import default_axes
from anydml.core.policy import DEFAULT, INTERLEAVED_CHANNEL
from anydml.core.tensor import GRANULARITY_BYTES, MINIMUM_ALIGNMENT_BYTES

FACTS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "spec" / "strides.json").read_text("utf-8"))


def named(key: str) -> Any:
    return pytest.mark.parametrize("fact", FACTS[key], ids=lambda fact: fact.get("name"))


def test_facts__are_all_there() -> None:
    counts = {key: len(rows) for key, rows in FACTS.items()}
    assert counts["layouts"] == 5 and counts["descriptions"] == 5 and counts["size_checks"] == 17
    assert counts["calculated_strides"] == 4 and counts["data_types"] == 13 == counts["element_bits"]
    assert counts["policies"] == 4 and counts["single_offsets"] == 1


@named("layouts")
def test_layout__finds_every_element(fact: dict[str, Any]) -> None:
    layout = dml.Layout(fact["sizes"], fact["strides"])
    indices = list(product(*map(range, fact["sizes"])))
    assert [layout(index) for index in indices] == fact["offsets"]
    assert "".join(fact["memory"][layout(index)] for index in indices) == fact["elements"]
    assert layout.logical_element_count == fact.get("logical_element_count", len(fact["elements"]))
    assert layout.physical_element_count == fact.get("physical_element_count", len(fact["memory"].rstrip(".")))
    assert layout.is_padded == ("." in fact["memory"])
    assert layout.is_broadcast == layout.has_overlap == (fact["order"] is None)
    assert layout.is_packed == (not layout.is_padded and not layout.is_broadcast)
    assert layout.order.names == (() if fact["order"] is None else (fact["order"],))


@named("layouts")
def test_view__reads_every_element(fact: dict[str, Any]) -> None:
    desc = dml.TensorDesc("UINT8", fact["sizes"], fact["strides"])
    read = desc.view(fact["memory"].encode())
    assert read.tobytes().decode() == fact["elements"] and read.shape == tuple(fact["sizes"])


@named("single_offsets")
def test_offset__is_the_dot_product(fact: dict[str, Any]) -> None:
    whole = next(row for row in FACTS["layouts"] if row["strides"] == fact["strides"])
    offset = dml.Layout(whole["sizes"], fact["strides"])(fact["index"])
    assert offset == fact["offset"] and whole["memory"][offset] == fact["element"]


@named("descriptions")
def test_description__is_as_documented(fact: dict[str, Any]) -> None:
    desc = dml.TensorDesc(fact.get("data_type", "FLOAT32"), fact["sizes"], fact["strides"])
    strides = fact["strides"] or fact["equivalent_strides"]
    assert desc.strides == tuple(strides) and desc.has_implicit_strides == (fact["strides"] is None)
    assert desc == dml.TensorDesc(desc.data_type, fact["sizes"], strides)
    packed = len(set(desc.layout.offsets().reshape(-1).tolist())) == desc.layout.logical_element_count
    assert desc.layout.is_packed == packed
    assert desc.guaranteed_base_offset_alignment == fact.get("guaranteed_base_offset_alignment", 0)
    elements = fact.get("minimum_elements", np.prod(fact["sizes"]))
    assert desc.layout.span == elements
    assert desc.total_tensor_size_in_bytes == fact.get("total_tensor_size_in_bytes", 4 * elements)


@named("policies")
def test_policy__lays_out(fact: dict[str, Any]) -> None:
    policy = {"default": DEFAULT, "interleaved_channel": INTERLEAVED_CHANNEL}[fact["policy"]]
    assert policy(fact["sizes"]) == dml.Layout(fact["sizes"], fact["strides"])


@named("size_checks")
def test_size__is_as_documented(fact: dict[str, Any]) -> None:
    arguments = fact["data_type"], fact["sizes"], fact["strides"]
    assert dml.calc_buffer_tensor_size(*arguments) == fact["bytes"]
    assert dml.TensorDesc(*arguments).total_tensor_size_in_bytes == fact["bytes"]


@named("calculated_strides")
def test_calculated_strides__are_an_order_and_a_broadcast(fact: dict[str, Any]) -> None:
    kept = [1 if repeat else size for size, repeat in zip(fact["sizes"], fact["broadcast"], strict=True)]
    layout = dml.Layout.from_order(kept, fact["order"]).broadcast_to(fact["sizes"])
    assert layout.strides == tuple(fact["strides"])


def test_logical_axes__are_fixed() -> None:
    assert {name: default_axes(int(name[0])) for name in FACTS["logical_axes"]} == FACTS["logical_axes"]


def test_limits__are_those_of_directml() -> None:
    limits = FACTS["limits"]
    assert (limits["maximum_elements"], limits["maximum_rank_from_3_0"]) == (MAXIMUM_ELEMENTS, MAXIMUM_RANK)
    assert (
        limits["minimum_alignment_bytes"],
        limits["granularity_bytes"],
    ) == (MINIMUM_ALIGNMENT_BYTES, GRANULARITY_BYTES)
    for level, facts in LEVELS.items():
        before = level < dml.FeatureLevel.LEVEL_3_0
        assert facts.maximum_rank == limits["maximum_rank_before_3_0" if before else "maximum_rank_from_3_0"]


@named("data_types")
def test_data_type__is_as_documented(fact: dict[str, Any]) -> None:
    kind = dml.DataType[fact["name"]]
    assert (kind.id, kind.bits) == (fact["id"], fact["bits"]) == (kind.value, FACTS["element_bits"][kind.name])
    since = dml.FeatureLevel.parse(fact["since"])
    assert [level for level, facts in LEVELS.items() if kind in facts.data_types] == [
        level for level in dml.FeatureLevel if level >= since
    ]
