"""What was chosen where public documents contradict each other or say nothing; docs/errata.md tells why."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core.schema.validate import validate
from tests.operators.memory import DEVICES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "errata.md"
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE.read_text("utf-8"))


def rules(operator: dml.Operator, level: str = "6.4") -> list[str]:
    return [violation.rule for violation in validate(operator, dml.FeatureLevel.parse(level))]


def run(operator: dml.Operator, device: str = "cpu", **inputs: Any) -> Any:
    """The outputs as arrays, for inputs given as lists."""
    buffers = {k: np.asarray(v, operator.tensor(k).data_type.numpy_dtype) for k, v in inputs.items()}
    tensors = {point.name: point.tensor for point in operator.points("output") if point.tensor is not None}
    outputs = {name: np.zeros(desc.sizes, desc.data_type.numpy_dtype) for name, desc in tensors.items()}
    padded = {k: np.concatenate([v.ravel(), np.zeros(8, v.dtype)]) for k, v in {**buffers, **outputs}.items()}
    dml.Device(device).compile(operator)(**padded)
    results = [padded[k][: v.size].reshape(v.shape) for k, v in outputs.items()]
    return results[0] if len(results) == 1 else results


def tensor(data_type: str, *sizes: int, **rest: Any) -> dml.TensorDesc:
    return dml.TensorDesc(data_type, sizes, **rest)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_page__names_tests_that_exist(file: str, name: str) -> None:
    assert f"def {name}(" in (ROOT / file).read_text("utf-8")


def test_page__pins_every_entry() -> None:
    entries = re.split(r"^### ", PAGE.read_text("utf-8"), flags=re.M)[1:]
    unpinned = [entry.splitlines()[0] for entry in entries if "Pinned by" not in entry]
    assert len(entries) >= 20 and not unpinned
    assert len(NAMED) >= len(entries)


def test_slice_grad__refuses_a_stride_of_zero() -> None:
    operator = dml.SliceGrad(
        input_gradient_tensor=tensor("FLOAT32", 1),
        output_gradient_tensor=tensor("FLOAT32", 4),
        input_window_offsets=[0],
        input_window_sizes=[4],
        input_window_strides=[0],
    )
    assert rules(operator) == ["slice1.window-stride"]


@pytest.mark.parametrize(("level", "ranks"), [("2.1", [4]), ("3.0", [4, 5]), ("3.1", [4, 5]), ("4.1", range(1, 9))])
def test_join__has_the_ranks_of_its_table(level: str, ranks: Any) -> None:
    for rank in range(1, 9):
        part = tensor("FLOAT32", *[1] * rank)
        broken = rules(dml.Join(input_tensors=[part], output_tensor=part, axis=0), level)
        assert ("tensor.rank" in broken) == (rank not in ranks)


def padding(mode: str, *sizes: int, amount: int = 1) -> dml.Padding:
    return dml.Padding(
        input_tensor=tensor("FLOAT32", *sizes),
        padding_mode=mode,
        padding_value=0,
        start_padding=[0] * (len(sizes) - 1) + [amount],
        end_padding=[0] * (len(sizes) - 1) + [amount],
    )


@pytest.mark.parametrize(("mode", "level"), [("SYMMETRIC", "3.0"), ("WRAP", "6.4")])
def test_padding_modes__have_levels(mode: str, level: str) -> None:
    levels = [each.text for each in dml.FeatureLevel]
    before = levels[levels.index(level) - 1]
    assert rules(padding(mode, 1, 1, 2, 2), level) == []
    assert rules(padding(mode, 1, 1, 2, 2), before) == ["enum.level"]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("WRAP", [3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1]),
        ("REFLECTION", [1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3]),
        ("SYMMETRIC", [3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1]),
    ],
)
@pytest.mark.parametrize("device", DEVICES)
def test_padding__beyond_the_size_goes_on(mode: str, expected: list[int], device: str) -> None:
    assert run(padding(mode, 3, amount=4), device, input_tensor=[1, 2, 3]).tolist() == expected


@pytest.mark.parametrize("mode", ["REFLECTION", "SYMMETRIC", "WRAP", "EDGE"])
def test_padding__of_a_single_element_repeats_it(mode: str) -> None:
    assert run(padding(mode, 1, amount=2), input_tensor=[7]).tolist() == [7] * 5


def test_cast__of_32_bit_integers_waits_for_level_3() -> None:
    operator = dml.Cast(input_tensor=tensor("INT32", 1, 1, 1, 1), output_tensor=tensor("FLOAT32", 1, 1, 1, 1))
    assert rules(operator, "2.1") == ["tensor.data-type"] and rules(operator, "3.0") == []


@pytest.mark.parametrize("device", DEVICES)
def test_quantize__of_what_is_no_number(device: str) -> None:
    operator = dml.ElementWiseQuantizeLinear(
        input_tensor=tensor("FLOAT32", 6), scale_tensor=tensor("FLOAT32", 6), output_tensor=tensor("INT8", 6)
    )
    given = [0.5, 1.5, 2.5, math.inf, -math.inf, math.nan]
    assert run(operator, device, input_tensor=given, scale_tensor=[1] * 6).tolist() == [0, 2, 2, 127, -128, 0]
    assert run(operator, device, input_tensor=[1, -1, 0, 0, 0, 0], scale_tensor=[0] * 6).tolist()[:3] == [127, -128, 0]


def test_quantize__zero_point_is_optional_from_6_2() -> None:
    operator = dml.ElementWiseQuantizeLinear(
        input_tensor=tensor("FLOAT32", 4), scale_tensor=tensor("FLOAT32", 4), output_tensor=tensor("UINT8", 4)
    )
    assert rules(operator, "6.2") == [] and rules(operator, "6.1") == ["tensor.required"]


@pytest.mark.parametrize("cls", [dml.SpaceToDepth, dml.SpaceToDepth1])
def test_space_to_depth__output_is_deep(cls: Any) -> None:
    order = {"order": "COLUMN_ROW_DEPTH"} if cls is dml.SpaceToDepth1 else {}
    operator = cls(input_tensor=tensor("FLOAT32", 1, 3, 4, 6), block_size=2, **order)
    assert operator.output_tensor.sizes == (1, 12, 2, 3)


def pooling(sizes: tuple[int, ...], window: int, dilation: int, before: int = 0, stride: int = 1) -> dml.MaxPooling2:
    return dml.MaxPooling2(
        input_tensor=tensor("FLOAT32", 1, 1, 1, *sizes),
        output_indices_tensor=None,
        strides=[1, stride],
        window_size=[1, window],
        start_padding=[0, before],
        end_padding=[0, 0],
        dilations=[1, dilation],
    )


def test_pooling__size_counts_the_dilated_window() -> None:
    assert pooling((7,), window=3, dilation=2).output_tensor.sizes == (1, 1, 1, 3)
    assert pooling((7,), window=3, dilation=1).output_tensor.sizes == (1, 1, 1, 5)


@pytest.mark.parametrize("device", DEVICES)
def test_pooling__of_padding_alone_is_the_lowest_value(device: str) -> None:
    operator = pooling((2,), window=1, dilation=1, before=1)
    assert run(operator, device, input_tensor=[5, 7]).ravel().tolist() == [-math.inf, 5, 7]


@pytest.mark.parametrize("device", DEVICES)
def test_pooling__lets_nan_win(device: str) -> None:
    result = run(pooling((4,), window=2, dilation=1), device, input_tensor=[1, math.nan, 3, 4]).ravel()
    assert np.isnan(result[:2]).all() and result[2] == 4


def convolution(direction: str, extra: int, size: int) -> dml.Convolution:
    return dml.Convolution(
        input_tensor=tensor("FLOAT32", 1, 1, size),
        filter_tensor=tensor("FLOAT32", 1, 1, 3),
        bias_tensor=tensor("FLOAT32", 1, 1, 1),
        mode="CROSS_CORRELATION",
        direction=direction,
        strides=[2],
        dilations=[1],
        start_padding=[0],
        end_padding=[1 if direction == "BACKWARD" else 0],
        output_padding=[extra],
        group_count=1,
    )


@pytest.mark.parametrize("device", DEVICES)
def test_output_padding__shows_what_cropping_hid(device: str) -> None:
    """Backward, an end padding of 1 crops the last value; an output padding of 1 brings it back, then zeros follow."""
    given = {"input_tensor": [1, 1], "filter_tensor": [1, 2, 3], "bias_tensor": [0]}
    assert run(convolution("BACKWARD", 0, 2), device, **given).ravel().tolist() == [1, 2, 4, 2]
    assert run(convolution("BACKWARD", 1, 2), device, **given).ravel().tolist() == [1, 2, 4, 2, 3]
    assert run(convolution("BACKWARD", 2, 2), device, **given).ravel().tolist() == [1, 2, 4, 2, 3, 0]


@pytest.mark.parametrize("device", DEVICES)
def test_output_padding__forward_is_zeros_before_the_bias(device: str) -> None:
    given = {"input_tensor": [1, 1, 1], "filter_tensor": [1, 2, 3], "bias_tensor": [10]}
    assert run(convolution("FORWARD", 1, 3), device, **given).ravel().tolist() == [16, 10]


def test_output_padding__makes_no_room_for_a_filter() -> None:
    with pytest.raises(dml.InvalidDescriptionError, match=r"convolution\.window"):
        dml.Device().compile(convolution("FORWARD", 2, 1))


def test_convolution__dimension_count_is_two_less_than_the_rank() -> None:
    operator = convolution("FORWARD", 0, 3)
    assert rules(operator, "4.0") == [] and "tensor.rank" in rules(operator, "3.1")


def test_rnn__needs_its_recurrence_and_an_output() -> None:
    fields: dict[str, Any] = {
        "input_tensor": tensor("FLOAT32", 1, 2, 1, 3),
        "weight_tensor": tensor("FLOAT32", 1, 1, 4, 3),
        "activation_descs": ["TANH"],
        "direction": "FORWARD",
    }
    with pytest.raises(dml.InvalidDescriptionError, match="RecurrenceTensor"):
        dml.Rnn(**fields)
    assert rules(dml.Rnn(**fields, recurrence_tensor=tensor("FLOAT32", 1, 1, 4, 4))) == ["recurrent.outputs"]


def test_outputs__never_share_elements() -> None:
    for strides in ([0, 1], [1, 1], [2, 1]):
        relu = dml.ActivationRelu(
            input_tensor=tensor("FLOAT32", 2, 3), output_tensor=dml.TensorDesc("FLOAT32", [2, 3], strides)
        )
        assert rules(relu) == ["output.overlap"]


def test_strides_of_single_sizes__say_nothing() -> None:
    odd = dml.TensorDesc("FLOAT32", [1, 3], [999, 1])
    assert odd.total_tensor_size_in_bytes == 12
    zero = dml.TensorDesc("FLOAT32", [1, 3], [0, 1])
    assert rules(dml.ActivationRelu(input_tensor=odd, output_tensor=zero)) == []


def test_buffer_size__never_wraps() -> None:
    assert dml.calc_buffer_tensor_size("FLOAT32", [2, 2], [2**31, 2**31]) == 4 * (1 + 2**32)


def test_integer_scale_bias__is_cut_off_and_held() -> None:
    operator = dml.ElementWiseIdentity(input_tensor=tensor("UINT8", 4), scale_bias=(-1.5, 10))
    assert run(operator, input_tensor=[1, 2, 5, 100]).tolist() == [8, 7, 2, 0]


def test_clip__cuts_limits_of_whole_numbers() -> None:
    operator = dml.ElementWiseClip(input_tensor=tensor("INT8", 4), min=-1.9, max=300)
    assert run(operator, input_tensor=[-5, -1, 0, 127]).tolist() == [-1, -1, 0, 127]


def test_shrink__of_whole_numbers_is_cut_off() -> None:
    operator = dml.ActivationShrink(input_tensor=tensor("UINT8", 4), bias=2.5, threshold=1.5)
    assert run(operator, input_tensor=[1, 2, 3, 200]).tolist() == [0, 0, 0, 197]


def test_reduce__over_no_axes_takes_each_element_alone() -> None:
    operator = dml.Reduce(function="L2", input_tensor=tensor("FLOAT32", 3), axes=[])
    assert run(operator, input_tensor=[-3, 0, 4]).tolist() == [3, 0, 4]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16"])
def test_thresholds__turn_nan_into_0(data_type: str, device: str) -> None:
    given = [math.nan, -math.nan, 2, -2]
    relu = dml.ActivationThresholdedRelu(input_tensor=tensor(data_type, 4), alpha=1)
    assert run(relu, device, input_tensor=given).tolist() == [0, 0, 2, 0]
    shrink = dml.ActivationShrink(input_tensor=tensor(data_type, 4), bias=0.5, threshold=1)
    assert run(shrink, device, input_tensor=given).tolist() == [0, 0, 1.5, -1.5]


def test_softplus__steepness_below_1_from_6_4() -> None:
    operator = dml.ActivationSoftplus(input_tensor=tensor("FLOAT32", 1), steepness=0.5)
    assert rules(operator, "6.4") == [] and rules(operator, "6.3") == ["softplus.steepness"]


@pytest.mark.parametrize("cls", [dml.ActivationGelu, dml.ActivationSwish, dml.ActivationHardSwish])
def test_in_place__if_either_document_allows_it(cls: Any) -> None:
    assert cls.in_place
