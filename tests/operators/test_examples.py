"""Every documented example, run on the devices that compute; pages that are in error are named and left out."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import anydml.operators  # noqa: F401  declares them
from anydml.core.schema import OPERATORS
from anydml.core.tensor import TensorDesc
from anydml.runtime.device import Device
from tests.operators.facts import examples
from tests.operators.memory import DEVICES

RUNNABLE = [example for example in examples() if example["status"] != "doc_error"]
LEFT_OUT = [example for example in examples() if example["status"] == "doc_error"]


def name_of(example: dict[str, Any]) -> str:
    return f"{example['operator']} {example['title']}"


def described(tensors: dict[str, Any], fields: dict[str, Any], values: bool = False) -> None:
    """`InputTensors[1]` is an entry of a list, any other name a field."""
    for name, tensor in tensors.items():
        bare, bracket, _ = name.partition("[")
        kind = TensorDesc(tensor["DataType"], tensor["Sizes"])
        entry: Any = np.asarray(tensor["values"], kind.data_type.numpy_dtype) if values else kind
        assert not values or entry.shape == kind.sizes
        if bracket:
            fields.setdefault(bare, []).append(entry)
        else:
            fields[bare] = entry


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("example", RUNNABLE, ids=name_of)
def test_example__gives_the_documented_output(example: dict[str, Any], device: str) -> None:
    fields: dict[str, Any] = dict(example["attributes"])
    described(example["inputs"], fields)
    described(example["outputs"], fields)
    buffers: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    described(example["inputs"], buffers, values=True)
    described(example["outputs"], expected, values=True)
    results = {
        k: [np.zeros_like(e) for e in v] if isinstance(v, list) else np.zeros_like(v) for k, v in expected.items()
    }
    Device(device).compile(OPERATORS[example["operator"]](**fields))(**buffers, **results)
    for key, wanted in expected.items():
        pairs = zip(results[key], wanted, strict=True) if isinstance(wanted, list) else [(results[key], wanted)]
        for found, value in pairs:
            assert np.array_equal(found, value), f"{key}: {found}"


@pytest.mark.parametrize("example", RUNNABLE, ids=name_of)
def test_example__infers_the_documented_sizes(example: dict[str, Any]) -> None:
    """What `infer` says is what the page shows, where the inputs decide it."""
    fields: dict[str, Any] = dict(example["attributes"])
    described(example["inputs"], fields)
    described(example["outputs"], fields)
    operator = OPERATORS[example["operator"]](**fields)
    for name, sizes in operator.infer().items():
        tensor = operator.tensor(name) if getattr(operator, name) is not None else None
        assert tensor is None or tensor.sizes == sizes


def test_examples__counted_and_explained() -> None:
    counts = Counter(example["status"] for example in examples())
    print(f"{len(RUNNABLE)} examples run on each of {len(DEVICES)} devices; {len(LEFT_OUT)} left out:")
    for example in LEFT_OUT:
        print(f"  {name_of(example)}: {example['slip']}")
    assert counts == {"ok": 37, "ok_after_fix": 3, "doc_error": 3}
    assert all(example.get("slip") for example in examples() if example["status"] != "ok")
