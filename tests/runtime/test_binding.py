"""Bindings: every way a buffer can be wrong, in-place rules, and memory that is never touched."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from anydml.runtime.binding import binder_of
from anydml.runtime.host import HostMemory

FOUR = dml.TensorDesc("FLOAT32", [4])


def relu(**changes: Any) -> dml.CompiledOperator:
    return dml.Device().compile(dml.ActivationRelu(**{"input_tensor": FOUR, "output_tensor": FOUR, **changes}))


def rules_of(run: dml.CompiledOperator, **buffers: Any) -> list[str]:
    with pytest.raises(dml.BindingError) as raised:
        run(**buffers)
    assert raised.value.hresult == dml.HResult.DXGI_ERROR_DEVICE_REMOVED
    return [violation.rule for violation in raised.value.violations]


def test_all_problems__in_one_error() -> None:
    found = rules_of(relu(), output=bytearray(16), output_tensor=bytearray(8))
    assert sorted(found) == ["binding.missing", "binding.size", "binding.unknown"]


@pytest.mark.parametrize(
    ("rule", "buffers"),
    [
        ("binding.missing", {"output_tensor": bytearray(16)}),
        ("binding.size", {"input_tensor": bytes(12), "output_tensor": bytearray(16)}),
        ("binding.twice", {"input_tensor": bytes(16), "InputTensor": bytes(16), "output_tensor": bytearray(16)}),
        ("binding.read-only", {"input_tensor": bytes(16), "output_tensor": bytes(16)}),
        ("binding.alignment", {"input_tensor": memoryview(bytes(17))[1:], "output_tensor": bytearray(16)}),
        ("binding.offset", {"input_tensor": dml.BufferBinding(bytes(32), 8), "output_tensor": bytearray(16)}),
        ("binding.size", {"input_tensor": dml.BufferBinding(bytes(32), 32), "output_tensor": bytearray(16)}),
        ("binding.size", {"input_tensor": dml.BufferBinding(bytes(32), 16, 32), "output_tensor": bytearray(16)}),
        ("binding.size", {"input_tensor": dml.BufferBinding(bytes(32), -16), "output_tensor": bytearray(16)}),
        ("buffer.kind", {"input_tensor": [1, 2, 3, 4], "output_tensor": bytearray(16)}),
        ("buffer.contiguous", {"input_tensor": np.zeros(8, np.float32)[::2], "output_tensor": bytearray(16)}),
    ],
)
def test_wrong_buffer__names_its_rule(rule: str, buffers: dict[str, Any]) -> None:
    assert rule in rules_of(relu(), **buffers)


def test_names_of_graph_inputs__may_be_those_of_pythons_own() -> None:
    relu_of_four = dml.ActivationRelu(input_tensor=FOUR)
    graph = dml.Graph([relu_of_four], [(0, 0, 0)], [(0, 0, 0)], input_names=["self"], output_names=["cls"])
    result = np.zeros(4, np.float32)
    dml.Device().compile_graph(graph)(self=np.array([1, -1, 2, 0], np.float32), cls=result)
    assert result.tolist() == [1, 0, 2, 0]


def test_guaranteed_alignment__binds_the_offset() -> None:
    run = relu(input_tensor=dml.TensorDesc("FLOAT32", [4], guaranteed_base_offset_alignment=64))
    assert rules_of(run, input_tensor=dml.BufferBinding(bytes(64), 32), output_tensor=bytearray(16)) == [
        "binding.offset"
    ]
    run(input_tensor=dml.BufferBinding(bytes(128), 64), output_tensor=bytearray(16))


def test_in_place__only_the_very_same_range() -> None:
    memory = np.float32([-1, 2, -3, 4, 0, 0, 0, 0])
    run = relu()
    whole = dml.BufferBinding(memory, 0, 16)
    run(input_tensor=whole, output_tensor=whole)
    assert memory.tolist() == [0, 2, 0, 4, 0, 0, 0, 0]
    apart = dml.BufferBinding(memory, 16)
    run(input_tensor=whole, output_tensor=apart)
    assert memory.tolist() == [0, 2, 0, 4, 0, 2, 0, 4]


@pytest.mark.parametrize(
    ("begin", "end", "valid"), [((0, 7), (7, 15), True), ((0, 13), (4, 15), False), ((0, 15), (0, 15), True)]
)
def test_hazards__as_documented(begin: tuple[int, int], end: tuple[int, int], valid: bool) -> None:
    """Ranges in units of 16 bytes on one resource: apart, overlapping, identical (RELU works in place)."""
    sizes = [(b - a) * 4 for a, b in (begin, end)]
    # The two tensors must agree in size, so unequal ranges are told by the total size alone.
    count = min(sizes)
    tensors = [dml.TensorDesc("FLOAT32", [count], total_tensor_size_in_bytes=size * 4) for size in sizes]
    run = relu(input_tensor=tensors[0], output_tensor=tensors[1])
    memory = bytearray(16 * 16)
    buffers = {
        "input_tensor": dml.BufferBinding(memory, begin[0] * 16, sizes[0] * 4),
        "output_tensor": dml.BufferBinding(memory, end[0] * 16, sizes[1] * 4),
    }
    if valid:
        run(**buffers)
    else:
        assert rules_of(run, **buffers) == ["binding.overlap"]


def test_slice__is_refused_in_place() -> None:
    operator = dml.Slice1(
        input_tensor=FOUR,
        output_tensor=FOUR,
        input_window_offsets=[0],
        input_window_sizes=[4],
        input_window_strides=[-1],
    )
    memory = bytearray(16)
    assert rules_of(dml.Device().compile(operator), input_tensor=memory, output_tensor=memory) == ["binding.overlap"]


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_identity_in_place__with_other_strides(device: str) -> None:
    """A transpose within one buffer: every element is read before it is overwritten."""
    rows = dml.TensorDesc("FLOAT32", [3, 3])
    columns = dml.TensorDesc("FLOAT32", [3, 3], [1, 3])
    memory = np.arange(9, dtype=np.float32)
    dml.Device(device).compile(dml.ElementWiseIdentity(input_tensor=rows, output_tensor=columns))(
        input_tensor=memory, output_tensor=memory
    )
    assert memory.reshape(3, 3).tolist() == np.arange(9).reshape(3, 3).T.tolist()


def test_odd_sizes__need_no_rounding_bytes() -> None:
    """A UINT8 tensor of 5 takes 8 bytes in DirectML; a Python buffer of 5 is enough, and of 4 is not."""
    five = dml.TensorDesc("UINT8", [5])
    run = dml.Device().compile(dml.ElementWiseIdentity(input_tensor=five, output_tensor=five))
    result = np.zeros(5, np.uint8)
    run(input_tensor=bytes([1, 2, 3, 4, 5]), output_tensor=result)
    assert result.tolist() == [1, 2, 3, 4, 5]
    assert rules_of(run, input_tensor=bytes(4), output_tensor=result) == ["binding.size"]


def test_odd_sizes__buffers_without_rounding_bytes_may_be_neighbours() -> None:
    five = dml.TensorDesc("UINT8", [5])
    run = dml.Device().compile(dml.ElementWiseIdentity(input_tensor=five, output_tensor=five))
    memory = np.arange(11, dtype=np.uint8)
    run(input_tensor=memory[:5], output_tensor=memory[5:10])
    assert memory.tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 10]
    assert rules_of(run, input_tensor=memory[:5], output_tensor=memory[4:9]) == ["binding.overlap"]


def test_optional_and_owned__are_bound_where_they_belong() -> None:
    matrix = dml.TensorDesc("FLOAT32", [2, 2])
    owned = dml.TensorDesc("FLOAT32", [2, 2], flags="OWNED_BY_DML")
    run = dml.Device().compile(
        dml.Gemm(a_tensor=matrix, b_tensor=owned, output_tensor=matrix, trans_a=0, trans_b=0, alpha=1, beta=1)
    )
    eye, result = np.eye(2, dtype=np.float32), np.zeros((2, 2), np.float32)
    assert rules_of(run, a_tensor=eye, output_tensor=result) == ["initialize.first"]
    assert rules_of(run, a_tensor=eye, b_tensor=eye, output_tensor=result) == ["binding.owned"]
    assert rules_of(run, a_tensor=eye, c_tensor=eye, output_tensor=result) == ["binding.unknown"]
    weights = np.float32([[1, 2], [3, 4]])
    run.initialize(b_tensor=weights)
    weights[:] = 0  # the operator has its own copy
    run(a_tensor=eye, output_tensor=result)
    assert result.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(dml.BindingError, match=r"initialize\.once"):
        run.initialize(b_tensor=weights)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_strided_array__is_bound_as_it_is_described(device: str) -> None:
    """Columns of a larger array, in and out, without a copy: the columns between stay as they were."""
    source = np.arange(24, dtype=np.float32).reshape(4, 6)
    result = np.full((4, 6), -1, np.float32)
    left, right = source[:, 1:4], result[:, ::2]
    run = dml.Device(device).compile(
        dml.ElementWiseIdentity(
            input_tensor=dml.TensorDesc.from_array(left), output_tensor=dml.TensorDesc.from_array(right)
        )
    )
    run(input_tensor=left, output_tensor=right)
    assert result[:, ::2].tolist() == left.tolist()
    assert (result[:, 1::2] == -1).all()


def test_strided_array__with_another_description_is_refused() -> None:
    assert rules_of(relu(), input_tensor=np.zeros(8, np.float32)[::2], output_tensor=bytearray(16)) == [
        "buffer.contiguous"
    ]


@pytest.mark.parametrize("buffer", [np.zeros(4), np.zeros(4, np.int64), memoryview(np.zeros(4, np.int32))])
def test_numbers_of_another_type__are_refused(buffer: Any) -> None:
    assert rules_of(relu(), input_tensor=buffer, output_tensor=bytearray(16)) == ["buffer.data-type"]


def test_elements_in_another_order__are_refused() -> None:
    square = dml.TensorDesc("FLOAT32", [2, 2])
    run = relu(input_tensor=square, output_tensor=square)
    turned = np.zeros((2, 2), np.float32).T
    assert rules_of(run, input_tensor=turned, output_tensor=bytearray(16)) == ["buffer.contiguous"]


def test_total_size__is_needed_where_it_is_more_than_rounding() -> None:
    run = relu(input_tensor=dml.TensorDesc("FLOAT32", [4], total_tensor_size_in_bytes=64))
    assert rules_of(run, input_tensor=bytes(63), output_tensor=bytearray(16)) == ["binding.size"]
    run(input_tensor=bytes(64), output_tensor=bytearray(16))


@pytest.mark.parametrize("backwards", [False, True])
def test_list_bound_twice__is_noticed_in_any_order(backwards: bool) -> None:
    run = dml.Device().compile(dml.Join(input_tensors=[FOUR, FOUR], axis=0))
    pairs = [("input_tensors[0]", bytes(16)), ("input_tensors", [bytes(16), bytes(16)])]
    buffers = dict(reversed(pairs) if backwards else pairs)
    assert "binding.twice" in rules_of(run, **buffers, output_tensor=bytearray(32))


@given(st.booleans(), st.lists(st.tuples(st.integers(0, 12), st.integers(1, 5)), min_size=3, max_size=7))
def test_overlaps__are_those_of_the_definition(in_place: bool, spans: list[tuple[int, int]]) -> None:
    """Ranges in units of 16 bytes, compared in pairs: one of two that meet may be written only if it works in place."""

    def tensor(size: int) -> dml.TensorDesc:
        return dml.TensorDesc("UINT8", [1], total_tensor_size_in_bytes=16 * size)

    described = [tensor(size) for _, size in spans]
    operator: dml.Operator
    if in_place:
        spans, described = spans[:3], described[:3]
        operator = dml.ElementWiseAdd(a_tensor=described[0], b_tensor=described[1], output_tensor=described[2])
        names, writes = ["a_tensor", "b_tensor", "output_tensor"], [False, False, True]
    else:
        whole = dml.TensorDesc("UINT8", [len(spans) - 1], total_tensor_size_in_bytes=16 * spans[0][1])
        operator = dml.Split(input_tensor=whole, output_tensors=described[1:], axis=0)
        names = ["input_tensor", *(f"output_tensors[{i}]" for i in range(len(spans) - 1))]
        writes = [False] + [True] * (len(spans) - 1)
    assert bool(operator.in_place) == in_place
    wrong = set()
    for (i, (a, n)), (j, (b, m)) in combinations(enumerate(spans), 2):
        meet, equal = a < b + m and b < a + n, (a, n) == (b, m)
        if meet and (writes[i] or writes[j]) and not (in_place and equal and writes[i] != writes[j]):
            wrong |= {i, j}
    memory = bytearray(16 * 20)
    try:
        buffers = {name: dml.BufferBinding(memory, 16 * a) for name, (a, _) in zip(names, spans, strict=True)}
        binder_of(operator, HostMemory()).bind_call((), buffers)
        assert not wrong
    except dml.BindingError as error:
        assert wrong and {violation.rule for violation in error.violations} == {"binding.overlap"}
        shown = [operator.all_points()[i].dml_name for i in wrong]
        for violation in error.violations:
            assert violation.path in shown and violation.found.removeprefix("memory shared with ") in shown
