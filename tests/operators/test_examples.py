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
from tests.operators.facts import EVERY_OPERATOR_IS_DECLARED, examples
from tests.operators.memory import DEVICES

USABLE = [example for example in examples() if example["status"] != "doc_error"]
RUNNABLE = [example for example in USABLE if example["operator"] in OPERATORS]
LEFT_OUT = [example for example in examples() if example["status"] == "doc_error"]


def name_of(example: dict[str, Any]) -> str:
    return f"{example['operator']} {example['title']}"


def described(tensors: dict[str, Any], fields: dict[str, Any], values: bool = False) -> None:
    """`InputTensors[1]` is an entry of a list, any other name a field; values that the page leaves open are masked."""
    for name, tensor in tensors.items():
        bare, bracket, _ = name.partition("[")
        kind = TensorDesc(tensor["DataType"], tensor["Sizes"])
        entry: Any = array_of(tensor["values"], kind) if values else kind
        if bracket:
            fields.setdefault(bare, []).append(entry)
        else:
            fields[bare] = entry


def array_of(values: Any, kind: TensorDesc) -> np.ma.MaskedArray[Any, Any]:
    given = np.asarray(values, object)
    assert given.shape == kind.sizes
    is_open = given == None  # noqa: E711  element by element
    return np.ma.masked_array(np.where(is_open, 0, given).astype(kind.data_type.numpy_dtype), is_open)


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
    results = {k: [zeros(e) for e in v] if isinstance(v, list) else zeros(v) for k, v in expected.items()}
    given = {k: [e.data for e in v] if isinstance(v, list) else v.data for k, v in buffers.items()}
    Device(device).compile(OPERATORS[example["operator"]](**fields))(**given, **results)
    for key, wanted in expected.items():
        pairs = zip(results[key], wanted, strict=True) if isinstance(wanted, list) else [(results[key], wanted)]
        for found, value in pairs:
            assert agrees(found, value, example.get("tolerance", 0)), f"{key}: {found}"


def zeros(like: np.ma.MaskedArray[Any, Any]) -> Any:
    return np.zeros(like.shape, like.dtype)


def agrees(found: Any, wanted: np.ma.MaskedArray[Any, Any], tolerance: float) -> bool:
    """Equal, or within the digits that the page prints, wherever the page says what comes out."""
    differs = found != wanted.data if tolerance == 0 else abs(found - wanted.data) > tolerance
    return not np.any(differs & ~np.ma.getmaskarray(wanted))


def test_agrees__can_fail() -> None:
    wanted = array_of([1, None, 3.5], TensorDesc("FLOAT32", [3]))
    assert agrees(np.array([1, 99, 3.5]), wanted, 0)
    assert not agrees(np.array([1, 99, 3.25]), wanted, 0)
    assert agrees(np.array([1, 99, 3.25]), wanted, 0.25) and not agrees(np.array([1, 99, 3.25]), wanted, 0.2)


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
    print(f"{len(RUNNABLE)} of {len(USABLE)} usable examples run on each of {len(DEVICES)} devices")
    print(f"{len(LEFT_OUT)} left out:")
    for example in LEFT_OUT:
        print(f"  {name_of(example)}: {example['slip']}")
    assert counts == {"ok": 99, "ok_after_fix": 12, "doc_error": 4}
    assert [name_of(example) for example in LEFT_OUT] == [
        "ELEMENT_WISE_BIT_XOR Example 1",
        *(f"ACTIVATION_LOG_SOFTMAX1 Example {number}" for number in (1, 2, 3)),
    ]
    assert RUNNABLE and (len(RUNNABLE) == len(USABLE)) == EVERY_OPERATOR_IS_DECLARED
    assert all(example.get("slip") for example in examples() if example["status"] != "ok")
