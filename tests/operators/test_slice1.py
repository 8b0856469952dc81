"""SLICE1 to the letter: both documented examples element by element, every constraint, types and ranks by level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core.schema.validate import validate
from tests.operators.memory import DEVICES

INPUT = dml.TensorDesc("FLOAT32", [1, 1, 4, 4])
WINDOW = {"input_window_offsets": [0, 0, 0, 1], "input_window_sizes": [1, 1, 4, 3]}
FORWARD, BACKWARD = [1, 1, 2, 2], [1, 1, -2, 2]
SOURCE = np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)

# Output index, start of the copy, window strides, input index, value: the page's own derivations.
DERIVATIONS = [
    ((0, 0, 0, 0), (0, 0, 0, 1), FORWARD, (0, 0, 0, 1), 2),
    ((0, 0, 0, 1), (0, 0, 0, 1), FORWARD, (0, 0, 0, 3), 4),
    ((0, 0, 1, 0), (0, 0, 0, 1), FORWARD, (0, 0, 2, 1), 10),
    ((0, 0, 1, 1), (0, 0, 0, 1), FORWARD, (0, 0, 2, 3), 12),
    ((0, 0, 0, 0), (0, 0, 3, 1), BACKWARD, (0, 0, 3, 1), 14),
    ((0, 0, 0, 1), (0, 0, 3, 1), BACKWARD, (0, 0, 3, 3), 16),
    ((0, 0, 1, 0), (0, 0, 3, 1), BACKWARD, (0, 0, 1, 1), 6),
    ((0, 0, 1, 1), (0, 0, 3, 1), BACKWARD, (0, 0, 1, 3), 8),
]


def slice1(strides: list[int], output: list[int] | None = None, **changes: Any) -> dml.Slice1:
    shape = None if output is None else dml.TensorDesc("FLOAT32", output)
    fields = {"input_tensor": INPUT, "output_tensor": shape, "input_window_strides": strides, **WINDOW, **changes}
    return dml.Slice1(**fields)


def rules(operator: dml.Operator, level: str = "6.4") -> list[str]:
    return [violation.rule for violation in validate(operator, dml.FeatureLevel.parse(level))]


@pytest.mark.parametrize(("output", "start", "strides", "source", "value"), DERIVATIONS)
def test_derivation__start_plus_stride_times_index(
    output: tuple[int, ...], start: tuple[int, ...], strides: list[int], source: tuple[int, ...], value: int
) -> None:
    """The page's arithmetic, then the same element by the operator's own layout, then by running it."""
    assert tuple(a + s * i for a, s, i in zip(start, strides, output, strict=True)) == source
    operator = slice1(strides, [1, 1, 2, 2])
    assert operator.window()(output) == INPUT.layout(source)
    assert SOURCE[source] == value
    for device in DEVICES:
        result = np.zeros((1, 1, 2, 2), np.float32)
        dml.Device(device).compile(operator)(input_tensor=SOURCE, output_tensor=result)
        assert result[output] == value


@pytest.mark.parametrize(("strides", "expected"), [(FORWARD, [[2, 4], [10, 12]]), (BACKWARD, [[14, 16], [6, 8]])])
def test_example__infers_its_output(strides: list[int], expected: list[list[int]]) -> None:
    operator = slice1(strides)
    assert operator.output_tensor == dml.TensorDesc("FLOAT32", [1, 1, 2, 2])
    result = np.zeros((1, 1, 2, 2), np.float32)
    dml.Device().compile(operator)(input_tensor=SOURCE, output_tensor=result)
    assert result.tolist() == [[expected]]


def test_negative_stride__starts_at_the_end_of_its_own_axis() -> None:
    """The page's second example adds InputWindowSizes[0] where axis 2 needs its own size."""
    operator = slice1(BACKWARD, [1, 1, 1, 1])
    assert operator.window().offset == INPUT.layout((0, 0, 0 + 4 - 1, 1))


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1], [1, 1, 1, 2], [1, 1, 2, 1]])
@pytest.mark.parametrize("strides", [FORWARD, BACKWARD])
def test_output__may_take_fewer_elements(sizes: list[int], strides: list[int]) -> None:
    whole, part = np.zeros((1, 1, 2, 2), np.float32), np.zeros(sizes, np.float32)
    dml.Device().compile(slice1(strides))(input_tensor=SOURCE, output_tensor=whole)
    dml.Device().compile(slice1(strides, sizes))(input_tensor=SOURCE, output_tensor=part)
    assert np.array_equal(part, whole[:, :, : sizes[2], : sizes[3]])


@pytest.mark.parametrize("stride", [3, -3])
def test_limit__uses_the_magnitude_of_the_stride(stride: int) -> None:
    """1 + (4 - 1) / |-3| is 2; dividing by -3 itself would allow no element."""
    strides = [1, 1, stride, 2]
    assert slice1(strides).output_tensor.sizes == (1, 1, 2, 2)
    assert rules(slice1(strides, [1, 1, 2, 2])) == []
    assert rules(slice1(strides, [1, 1, 3, 2])) == ["slice1.output-size"]


@pytest.mark.parametrize(
    ("rule", "path", "changes"),
    [
        ("attribute.count", "InputWindowOffsets", {k: [1] for k in (*WINDOW, "input_window_strides")}),
        ("slice1.window-size", "InputWindowSizes[2]", {"input_window_sizes": [1, 1, 0, 3]}),
        ("slice1.window-inside", "InputWindowSizes[3]", {"input_window_sizes": [1, 1, 4, 4]}),
        ("slice1.window-inside", "InputWindowSizes[3]", {"input_window_offsets": [0, 0, 0, 2]}),
        ("slice1.window-inside", "InputWindowOffsets[0]", {"input_window_offsets": [2**32 - 1, 0, 0, 1]}),
        ("slice1.window-stride", "InputWindowStrides[1]", {"input_window_strides": [1, 0, 2, 2]}),
        ("slice1.output-size", "OutputTensor.Sizes[3]", {"input_window_strides": [1, 1, 2, 3]}),
        ("same.data-type", "OutputTensor.DataType", {"output_tensor": dml.TensorDesc("FLOAT16", [1, 1, 2, 2])}),
        ("same.rank", "OutputTensor.Sizes", {"output_tensor": dml.TensorDesc("FLOAT32", [1, 2, 2])}),
        ("output.overlap", "OutputTensor.Strides", {"output_tensor": dml.TensorDesc("FLOAT32", [1, 1, 2, 2], [0] * 4)}),
        ("flags.owned", "OutputTensor.Flags", {"output_tensor": dml.TensorDesc("FLOAT32", [1, 1, 2, 2], flags=1)}),
    ],
)
def test_constraint__has_its_own_rule(rule: str, path: str, changes: dict[str, Any]) -> None:
    fields = {"output_tensor": dml.TensorDesc("FLOAT32", [1, 1, 2, 2]), **changes}
    operator = dml.Slice1(**{"input_tensor": INPUT, "input_window_strides": FORWARD, **WINDOW, **fields})
    found = validate(operator, dml.FeatureLevel.LEVEL_6_4)
    assert [(violation.rule, violation.path) for violation in found] == [(rule, path)]
    assert all(violation.expected for violation in found)
    with pytest.raises(dml.InvalidDescriptionError, match=rule):
        dml.Device().compile(operator)


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        ("attribute.unsigned", {"input_window_offsets": [0, 0, 0, -1]}),
        ("attribute.unsigned", {"input_window_sizes": [1, 1, 2**32, 1]}),
        ("attribute.signed", {"input_window_strides": [1, 1, 2**31, 1]}),
        ("field.count", {"input_window_strides": [1, 1]}),
        ("field.missing", {"input_window_strides": None}),
        ("field.missing", {"input_tensor": None}),
    ],
)
def test_description__is_refused_when_read(rule: str, changes: dict[str, Any]) -> None:
    with pytest.raises(dml.InvalidDescriptionError) as caught:
        slice1(FORWARD, **changes) if "input_window_strides" not in changes else dml.Slice1(
            **{"input_tensor": INPUT, **WINDOW, **changes}
        )
    assert rule in [violation.rule for violation in caught.value.violations]


def test_violations__are_told_all_at_once() -> None:
    operator = slice1([0, 1, 2, 3], [1, 1, 2, 2], input_window_sizes=[1, 0, 5, 3])
    found = {(v.rule, v.path) for v in validate(operator, dml.FeatureLevel.LEVEL_6_4)}
    assert found == {
        ("slice1.window-stride", "InputWindowStrides[0]"),
        ("slice1.window-size", "InputWindowSizes[1]"),
        ("slice1.window-inside", "InputWindowSizes[2]"),
        ("slice1.output-size", "OutputTensor.Sizes[3]"),
    }


UP_TO_32 = ["FLOAT32", "FLOAT16", "INT32", "INT16", "INT8", "UINT32", "UINT16", "UINT8"]
SIXTY_FOUR = ["FLOAT64", "INT64", "UINT64"]


def of_rank(data_type: str, rank: int) -> dml.Slice1:
    ones = [1] * rank
    return dml.Slice1(
        input_tensor=dml.TensorDesc(data_type, ones),
        input_window_offsets=[0] * rank,
        input_window_sizes=ones,
        input_window_strides=ones,
    )


@pytest.mark.parametrize(
    ("level", "types", "ranks"),
    [
        ("2.0", [], []),
        ("2.1", UP_TO_32, range(4, 6)),
        ("3.0", UP_TO_32, range(1, 9)),
        ("3.1", UP_TO_32, range(1, 9)),
        ("4.0", UP_TO_32, range(1, 9)),
        ("4.1", UP_TO_32 + SIXTY_FOUR, range(1, 9)),
        ("6.4", UP_TO_32 + SIXTY_FOUR, range(1, 9)),
    ],
)
def test_levels__types_and_ranks(level: str, types: list[str], ranks: range) -> None:
    """Every type and rank, at each level its tables change and beside them."""
    for data_type in (*UP_TO_32, *SIXTY_FOUR, "INT4", "UINT4"):
        for rank in range(1, 9):
            broken = rules(of_rank(data_type, rank), level)
            assert (not broken) == (data_type in types and rank in ranks), (data_type, rank, broken)
            assert ("operator.level" in broken) == (level == "2.0")
            if level != "2.0":
                assert ("tensor.data-type" in broken) == (data_type not in types)
                assert ("tensor.rank" in broken) == (rank not in ranks)


def test_levels__errors_name_the_level_that_would_do() -> None:
    with pytest.raises(dml.UnsupportedError) as caught:
        dml.Device(feature_level="2.1").compile(of_rank("INT64", 2))
    assert caught.value.feature_level == "4.1"


@pytest.mark.parametrize("stride", [-(2**31), 2**31 - 1])
def test_extreme_strides__take_no_step(stride: int) -> None:
    """A window of one element ends where it starts, however far the stride would lead."""
    result = np.zeros((1, 1, 1, 2), np.float32)
    operator = slice1([1, 1, stride, 2], [1, 1, 1, 2])
    dml.Device().compile(operator)(input_tensor=SOURCE, output_tensor=result)
    assert result.ravel().tolist() == ([14, 16] if stride < 0 else [2, 4])
