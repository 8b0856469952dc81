"""QUANTIZE and DEQUANTIZE as inverses, block by block; DYNAMIC_QUANTIZE_LINEAR by its formula."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.operators.arrays import WAYS, Array, outputs_of
from tests.operators.test_errata import rules

TYPES = {"INT8": (-128, 127), "UINT8": (0, 255), "INT4": (-8, 7), "UINT4": (0, 15)}
BLOCKS = [(1, 1, 1), (4, 6, 5), (2, 3, 5), (4, 1, 1), (2, 6, 1)]
SIZES = (4, 6, 5)


def quantizer(cls: Any, source: str, target: str, blocks: Any, scale_type: str, with_zero_point: bool) -> Any:
    quantized_type = target if cls is dml.Quantize else source
    tensors = [dml.TensorDesc(scale_type, blocks)]
    if with_zero_point:
        tensors.append(dml.TensorDesc(quantized_type, blocks))
    return cls(
        input_tensor=dml.TensorDesc(source, SIZES),
        quantization_type="SCALE_ZERO_POINT" if with_zero_point else "SCALE",
        quantization_tensors=tensors,
        output_tensor=dml.TensorDesc(target, SIZES),
    )


def parameters(data_type: str, blocks: Any, scale_type: str, with_zero_point: bool) -> list[Array]:
    random = np.random.default_rng([*blocks, len(data_type)])
    found = [random.choice([0.25, 0.5, 2.0], blocks).astype(scale_type.lower())]
    if with_zero_point:
        low, high = TYPES[data_type]
        found.append(random.integers(low, high + 1, blocks).astype("int8" if low else "uint8"))
    return found


def of_block(parameter: Array, index: tuple[int, ...]) -> float:
    """The parameter of the block that an element lies in."""
    places = (i * count // size for i, count, size in zip(index, parameter.shape, SIZES, strict=True))
    return float(parameter[tuple(places)])


def zero_point_of(parameters: list[Array], data_type: str, index: tuple[int, ...]) -> float:
    if len(parameters) > 1:
        return of_block(parameters[1], index)
    return {"UINT8": 128, "UINT4": 8}.get(data_type, 0)


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("with_zero_point", [True, False])
@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("data_type", TYPES)
def test_quantize__rounds_in_steps_of_the_blocks_scale(
    data_type: str, blocks: Any, with_zero_point: bool, device: str
) -> None:
    low, high = TYPES[data_type]
    given = parameters(data_type, blocks, "FLOAT32", with_zero_point)
    x = (np.random.default_rng(1).integers(-400, 400, SIZES) / 8).astype(np.float32)
    operator = quantizer(dml.Quantize, "FLOAT32", data_type, blocks, "FLOAT32", with_zero_point)
    found = outputs_of(operator, {"input_tensor": x, "quantization_tensors": given}, device)["output_tensor"]
    for index, value in np.ndenumerate(x):
        steps = round(float(value) / of_block(given[0], index)) + zero_point_of(given, data_type, index)
        assert found[index] == min(max(steps, low), high)


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("scale_type", ["FLOAT32", "FLOAT16"])
@pytest.mark.parametrize("with_zero_point", [True, False])
@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("data_type", TYPES)
def test_dequantize_then_quantize__is_nothing(
    data_type: str, blocks: Any, with_zero_point: bool, scale_type: str, device: str
) -> None:
    low, high = TYPES[data_type]
    given = parameters(data_type, blocks, scale_type, with_zero_point)
    x = np.random.default_rng(2).integers(low, high + 1, SIZES).astype("int8" if low else "uint8")
    back = quantizer(dml.Dequantize, data_type, scale_type, blocks, scale_type, with_zero_point)
    real = outputs_of(back, {"input_tensor": x, "quantization_tensors": given}, device)["output_tensor"]
    for index, value in np.ndenumerate(x):
        expected = (int(value) - zero_point_of(given, data_type, index)) * of_block(given[0], index)
        assert real[index] == expected
    forth = quantizer(dml.Quantize, scale_type, data_type, blocks, scale_type, with_zero_point)
    found = outputs_of(forth, {"input_tensor": real, "quantization_tensors": given}, device)["output_tensor"]
    assert np.array_equal(found, x)


@pytest.mark.parametrize("device", WAYS)
def test_quantize__of_what_is_no_number(device: str) -> None:
    operator = dml.Quantize(
        input_tensor=dml.TensorDesc("FLOAT32", [4]),
        quantization_type="SCALE",
        quantization_tensors=[dml.TensorDesc("FLOAT32", [1])],
        output_tensor=dml.TensorDesc("INT8", [4]),
    )
    x = np.array([math.nan, math.inf, -math.inf, 0], np.float32)
    given = {"input_tensor": x, "quantization_tensors": [np.ones(1, np.float32)]}
    assert outputs_of(operator, given, device)["output_tensor"].tolist() == [0, 127, -128, 0]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"quantization_type": "NONE"}, "quantization.type"),
        ({"quantization_type": "SCALE_ZERO_POINT"}, "quantization.type"),
        ({"quantization_tensors": [("INT8", [1, 2])]}, "quantization.scale"),
        ({"quantization_tensors": [("FLOAT32", [1, 4])]}, "quantization.blocks"),
        (
            {"quantization_type": 2, "quantization_tensors": [("FLOAT32", [1, 2]), ("UINT8", [1, 2])]},
            "quantization.zero-point",
        ),
        (
            {"quantization_type": 2, "quantization_tensors": [("FLOAT32", [1, 2]), ("INT8", [1, 3])]},
            "quantization.blocks",
        ),
        ({"quantization_type": 2, "quantization_tensors": [("FLOAT32", [1, 1]), ("INT8", [2, 3])]}, None),
    ],
)
def test_quantization__refuses_what_has_no_blocks(changes: dict[str, Any], rule: str | None) -> None:
    fields: dict[str, Any] = {
        "input_tensor": dml.TensorDesc("FLOAT32", [2, 6]),
        "quantization_type": "SCALE",
        "quantization_tensors": [("FLOAT32", [1, 2])],
        "output_tensor": dml.TensorDesc("INT8", [2, 6]),
        **changes,
    }
    fields["quantization_tensors"] = [dml.TensorDesc(*each) for each in fields["quantization_tensors"]]
    assert set(rules(dml.Quantize(**fields))) == ({rule} if rule else set())


def dynamic(x: Array, data_type: str, device: str) -> tuple[Array, float, int]:
    operator = dml.DynamicQuantizeLinear(
        input_tensor=dml.TensorDesc.from_array(x), output_tensor=dml.TensorDesc(data_type, x.shape)
    )
    found = outputs_of(operator, {"input_tensor": x}, device)
    scale, zero_point = found["output_scale_tensor"], found["output_zero_point_tensor"]
    assert scale.shape == zero_point.shape == (1,) * x.ndim and scale.dtype == np.float32
    return found["output_tensor"], float(scale.item()), int(zero_point.item())


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("data_type", ["INT8", "UINT8"])
@pytest.mark.parametrize("limits", [(-1.0, 3.0), (2.0, 5.0), (-7.0, -2.0)])
def test_dynamic_quantization__covers_the_range_and_0(limits: Any, data_type: str, device: str) -> None:
    """Half a step is the most that is lost, and 0 itself is kept."""
    x = np.append(np.random.default_rng(3).uniform(*limits, 50), limits).astype(np.float32).reshape(2, 26)
    low, high = TYPES[data_type]
    found, scale, zero_point = dynamic(x, data_type, device)
    assert math.isclose(scale, (max(limits[1], 0) - min(limits[0], 0)) / 255, rel_tol=1e-6)
    assert zero_point == round(low - min(limits[0], 0) / scale)
    assert np.abs((found.astype(float) - zero_point) * scale - x).max() <= scale * 0.5001
    assert low <= found.min() and found.max() <= high


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("data_type", ["INT8", "UINT8"])
def test_dynamic_quantization__of_zeros_has_a_scale_of_0(data_type: str, device: str) -> None:
    found, scale, zero_point = dynamic(np.zeros((2, 3), np.float32), data_type, device)
    assert scale == 0 and zero_point == 0 and not found.any()
