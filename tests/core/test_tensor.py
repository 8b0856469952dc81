"""Descriptions of tensors: what they hold, how large they are, and everything they refuse."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from tests.core.checks import error_of, violations_of

TensorDesc = dml.TensorDesc
TYPES = list(dml.DataType)


def documented_size(bits: int, sizes: list[int], strides: list[int] | None) -> int:
    """The formula as documented: last element's index plus one, in bits, up to whole bytes, up to four of them."""
    elements = prod(sizes) if strides is None else 1 + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    size = elements * bits // 8 + (elements * bits % 8 > 0)
    return size + (4 - size % 4) % 4


@st.composite
def geometries(draw: Any) -> tuple[list[int], list[int] | None]:
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=8))
    strides = draw(st.none() | st.lists(st.integers(0, 1000), min_size=len(sizes), max_size=len(sizes)))
    return sizes, strides


@given(st.sampled_from(TYPES), geometries())
def test_size__follows_the_documented_formula(kind: dml.DataType, geometry: tuple[list[int], list[int] | None]) -> None:
    sizes, strides = geometry
    expected = documented_size(kind.bits, sizes, strides)
    assert dml.calc_buffer_tensor_size(kind, sizes, strides) == expected
    desc = TensorDesc(kind, sizes, strides)
    assert desc.total_tensor_size_in_bytes == expected and expected % 4 == 0
    assert desc.minimum_size_in_bytes <= expected < desc.minimum_size_in_bytes + 4


@pytest.mark.parametrize(
    ("sizes", "strides", "size"),
    [
        ([65536, 65536], None, 4 * 2**32),
        ([2, 2], [2**32 - 1, 1], 4 * (2**32 + 1)),
        ([2**31, 3], [4, 1], 4 * (1 + (2**31 - 1) * 4 + 2)),
        ([2**32 - 1] * 8, [1] * 8, 4 * (1 + 8 * (2**32 - 2))),
    ],
)
def test_size__is_exact_where_32_bits_wrap(sizes: list[int], strides: list[int] | None, size: int) -> None:
    assert dml.calc_buffer_tensor_size("FLOAT32", sizes, strides) == size > 2**32
    assert documented_size(32, sizes, strides) == size


def test_desc__says_what_it_was_given() -> None:
    desc = TensorDesc(
        "FLOAT16",
        [2, 3],
        [5, 1],
        flags="OWNED_BY_DML",
        total_tensor_size_in_bytes=64,
        guaranteed_base_offset_alignment=32,
    )
    assert (desc.data_type, desc.sizes, desc.strides) == (dml.DataType.FLOAT16, (2, 3), (5, 1))
    assert (desc.rank, desc.dimension_count, desc.is_owned_by_dml) == (2, 2, True)
    assert (desc.total_tensor_size_in_bytes, desc.guaranteed_base_offset_alignment) == (64, 32)
    assert eval(repr(desc), {"TensorDesc": dml.TensorDesc}) == desc
    assert repr(desc).startswith("TensorDesc('FLOAT16', [2, 3], strides=[5, 1], flags='OWNED_BY_DML', ")
    assert pickle.loads(pickle.dumps(desc)) == desc and hash(desc) == hash(desc.replace())


def test_desc__implicit_strides_equal_written_ones() -> None:
    implicit, written = TensorDesc("UINT8", [2, 3]), TensorDesc("UINT8", [2, 3], [3, 1])
    assert implicit == written and hash(implicit) == hash(written)
    assert implicit.has_implicit_strides and not written.has_implicit_strides
    assert implicit != TensorDesc("INT8", [2, 3]) and implicit != TensorDesc("UINT8", [2, 3], [4, 1])


@pytest.mark.parametrize(
    ("given_flags", "expected"),
    [
        (None, 0),
        (0, 0),
        ("NONE", 0),
        (1, 1),
        ("owned_by_dml", 1),
        ("DML_TENSOR_FLAG_OWNED_BY_DML", 1),
        (["OWNED_BY_DML"], 1),
        ([], 0),
        ("NONE | OWNED_BY_DML", 1),
        (dml.TensorFlags.OWNED_BY_DML, 1),
    ],
)
def test_flags__are_read_by_number_and_name(given_flags: Any, expected: int) -> None:
    assert TensorDesc("UINT8", [1], flags=given_flags).flags == dml.TensorFlags(expected)


def test_replace__keeps_what_is_not_named() -> None:
    desc = TensorDesc("FLOAT32", [2, 3], [5, 1], flags=1, total_tensor_size_in_bytes=40)
    assert desc.replace() == desc
    assert desc.replace(flags=0).total_tensor_size_in_bytes == 40
    assert desc.replace(strides=None) == TensorDesc("FLOAT32", [2, 3], flags=1)
    assert desc.replace(order="WH").strides == (1, 2)
    assert desc.replace(data_type="FLOAT64").total_tensor_size_in_bytes == 64


@pytest.mark.parametrize(
    ("desc", "rank", "sizes", "strides"),
    [
        (TensorDesc("UINT8", [3, 5]), 4, (1, 1, 3, 5), (15, 15, 5, 1)),
        (TensorDesc("UINT8", [3, 5], [5, 1]), 4, (1, 1, 3, 5), (15, 15, 5, 1)),
        (TensorDesc("UINT8", [3, 5]), 5, (1, 1, 1, 3, 5), (15, 15, 15, 5, 1)),
        (TensorDesc("UINT8", [2, 3], [8, 1]), 3, (1, 2, 3), (16, 8, 1)),
        (TensorDesc("UINT8", [1, 1, 3, 5]), 2, (3, 5), (5, 1)),
        (TensorDesc("UINT8", [3, 5]), 2, (3, 5), (5, 1)),
        (TensorDesc("UINT8", [2, 2], [2**31, 1]), 3, (1, 2, 2), (2**32 - 1, 2**31, 1)),
    ],
)
def test_with_rank__only_moves_ones(
    desc: dml.TensorDesc, rank: int, sizes: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    result = desc.with_rank(rank)
    assert (result.sizes, result.strides) == (sizes, strides)
    assert result.total_tensor_size_in_bytes == desc.total_tensor_size_in_bytes
    assert result.has_implicit_strides == desc.has_implicit_strides
    assert result.with_rank(desc.rank) == desc
    if desc.layout.span < 100:
        assert list(map(result.layout, result.layout.indices())) == list(map(desc.layout, desc.layout.indices()))


def test_levels__allow_what_they_brought() -> None:
    old = TensorDesc("FLOAT32", [1] * 5)
    assert old.require_level("1.0") is old
    wide = TensorDesc("UINT4", [1] * 6)
    error = error_of(lambda: wide.require_level(2.1), dml.UnsupportedError)
    assert [(v.rule, v.path, v.feature_level) for v in error.violations] == [
        ("level.rank", "Sizes", "3.0"),
        ("level.data-type", "DataType", "6.3"),
    ]
    assert error.feature_level == "6.3" and error.hresult == dml.HResult.DXGI_ERROR_UNSUPPORTED == 0x887A0004
    assert "allowed from feature level 6.3" in str(error)
    assert violations_of(lambda: wide.require_level("6.2")) == [("level.data-type", "DataType")]
    assert wide.require_level("DML_FEATURE_LEVEL_6_3") is wide.require_level(0x6400) is wide
    assert violations_of(lambda: old.require_level("7.0")) == [("feature-level.known", "feature_level")]


def desc(*arguments: Any, **rest: Any) -> Callable[[], Any]:
    return lambda: TensorDesc(*arguments, **rest)


TOTAL, ALIGNMENT = "TotalTensorSizeInBytes", "GuaranteedBaseOffsetAlignment"
BAD: list[tuple[Callable[[], Any], list[tuple[str, str]]]] = [
    (desc("FLOAT32", [2, 0]), [("sizes.positive", "Sizes[1]")]),
    (desc("FLOAT32", [-2, 2]), [("sizes.positive", "Sizes[0]")]),
    (desc("FLOAT32", []), [("sizes.count", "Sizes")]),
    (desc("FLOAT32", [1] * 9), [("sizes.count", "Sizes")]),
    (desc("FLOAT32", [2, 3], [1]), [("strides.count", "Strides")]),
    (desc("FLOAT32", [2, 3], [-3, 1]), [("strides.negative", "Strides[0]")]),
    (desc("FLOAT32", [1, 3], [2**32, 1]), [("strides.range", "Strides[0]")]),
    (desc("FLOAT32", [2**16, 2**16]), [("sizes.product", "Sizes")]),
    (desc("FLOAT32", [2, 2], [2**32 - 1, 1]), [("layout.span", "Strides")]),
    (desc("FLOAT32", [2**62, 2**62]), [("sizes.product", "Sizes")]),
    (desc("FLOAT64", [2**61]), [("sizes.product", "Sizes")]),
    (desc("FLOAT32", [10**5000]), [("integer.bits", "Sizes[0]")]),
    (desc("FLOAT32", [2, 3], total_tensor_size_in_bytes=20), [("total-size.minimum", TOTAL)]),
    (desc("FLOAT32", [2, 3], total_tensor_size_in_bytes=0), [("total-size.minimum", TOTAL)]),
    (desc("FLOAT32", [2, 3], total_tensor_size_in_bytes=26), [("total-size.multiple", TOTAL)]),
    (
        desc("FLOAT32", [2, 3], total_tensor_size_in_bytes=22),
        [("total-size.multiple", TOTAL), ("total-size.minimum", TOTAL)],
    ),
    (desc("FLOAT32", [2, 3], total_tensor_size_in_bytes=2**63), [("total-size.range", TOTAL)]),
    (desc("FLOAT32", [2, 3], total_tensor_size_in_bytes=-4), [("total-size.range", TOTAL)]),
    (desc("FLOAT32", [2, 3], total_tensor_size_in_bytes="24"), [("integer", TOTAL)]),
    (desc("FLOAT32", [2], guaranteed_base_offset_alignment=24), [("alignment.power", ALIGNMENT)]),
    (desc("FLOAT32", [2], guaranteed_base_offset_alignment=-4), [("alignment.power", ALIGNMENT)]),
    (desc("FLOAT32", [2], guaranteed_base_offset_alignment=2**32), [("alignment.power", ALIGNMENT)]),
    (desc("FLOAT32", [2], guaranteed_base_offset_alignment=2), [("alignment.element", ALIGNMENT)]),
    (desc("FLOAT32", [2], guaranteed_base_offset_alignment=None), [("integer", ALIGNMENT)]),
    (desc("FLOAT23", [2]), [("data-type.known", "DataType")]),
    (desc(None, [2]), [("tensor.field", "DataType")]),
    (desc("FLOAT32", [1, 3, 4, 4], order="NHWK7"), [("order.letters", "Order")]),
    (desc("FLOAT32", [1, 3, 4, 4], order="NHHC"), [("order.letters", "Order")]),
    (desc("FLOAT32", [1, 3, 4, 4], order="HWC"), [("order.length", "Order")]),
    (desc("FLOAT32", [2, 3], [3, 1], order="HW"), [("strides.or-order", "Strides")]),
    (desc("FLOAT32", [2], flags="OWNED"), [("flags.known", "Flags")]),
    (desc("FLOAT32", [2], flags=2), [("flags.known", "Flags")]),
    (desc("FLOAT32", [2], flags=True), [("flags.known", "Flags")]),
    (desc("FLOAT32", 7), [("list", "Sizes")]),
    (desc("FLOAT32", "2,3"), [("list", "Sizes")]),
    (desc("FLOAT32", [2, "x"]), [("integer", "Sizes[1]")]),
    (
        desc(
            "FLOAT23",
            [0, 3, "x"],
            [-1, "y"],
            order="NN",
            flags=9,
            total_tensor_size_in_bytes=7,
            guaranteed_base_offset_alignment=3,
        ),
        [
            ("data-type.known", "DataType"),
            ("strides.or-order", "Strides"),
            ("integer", "Sizes[2]"),
            ("integer", "Strides[1]"),
            ("sizes.positive", "Sizes[0]"),
            ("strides.count", "Strides"),
            ("strides.negative", "Strides[0]"),
            ("order.letters", "Order"),
            ("order.length", "Order"),
            ("flags.known", "Flags"),
            ("alignment.power", ALIGNMENT),
            ("total-size.multiple", TOTAL),
        ],
    ),
    (lambda: TensorDesc("UINT8", [2, 3]).with_rank(1), [("with-rank.leading", "Sizes")]),
    (lambda: TensorDesc("UINT8", [2, 3]).with_rank(9), [("with-rank.leading", "Sizes")]),
    (lambda: TensorDesc("UINT8", [1]).with_rank(0), [("with-rank.leading", "Sizes")]),
    (lambda: TensorDesc("UINT8", [1]).with_rank("4"), [("integer", "rank")]),  # type: ignore[arg-type]
    (lambda: dml.calc_buffer_tensor_size("FLOAT32", [2, 3], [1]), [("strides.count", "Strides")]),
    (
        lambda: dml.calc_buffer_tensor_size("FLOAT23", [0], [-1]),
        [("data-type.known", "DataType"), ("sizes.positive", "Sizes[0]"), ("strides.negative", "Strides[0]")],
    ),
    (lambda: dml.calc_buffer_tensor_size("FLOAT32", [1] * 9), [("sizes.count", "Sizes")]),
]


@pytest.mark.parametrize(("ask", "expected"), BAD)
def test_bad_description__names_everything_wrong(ask: Callable[[], Any], expected: list[tuple[str, str]]) -> None:
    error = error_of(ask, dml.InvalidDescriptionError)
    assert [(violation.rule, violation.path) for violation in error.violations] == expected
    assert error.hresult == dml.HResult.E_INVALIDARG == 0x80070057 and isinstance(error, ValueError)


def test_bad_description__tells_how_to_fix_it() -> None:
    error = error_of(desc("FLOAT32", [2, 3], [5, 1], total_tensor_size_in_bytes=24))
    assert str(error) == (
        "TensorDesc: TotalTensorSizeInBytes: found 24, expected at least 32; try 32 [total-size.minimum]"
    )
    assert "Slice1" in str(error_of(desc("FLOAT32", [2, 3], [3, -1])))
    assert "'FLOAT32'" in str(error_of(desc("FLOAT23", [2])))


class TestFromArray:
    """An array in hand, described: viewing its memory through the description is the array again."""

    @staticmethod
    def whole(count: int = 120) -> Any:
        return np.arange(count, dtype=np.float32)

    @pytest.mark.parametrize(
        ("make", "strides"),
        [
            (lambda a: a.reshape(4, 30), None),
            (lambda a: a.reshape(4, 30).T, (1, 30)),
            (lambda a: a.reshape(30, 4).T, (1, 4)),
            (lambda a: a.reshape(4, 30)[:, ::3], (30, 3)),
            (lambda a: a.reshape(4, 30)[::2, :7], (60, 1)),
            (lambda a: np.broadcast_to(a[:5], (3, 5)), (0, 1)),
            (lambda a: a.reshape(4, 30)[:, :1], (30, 1)),
            (lambda a: a.reshape(4, 30)[1:2, :5][::-1], None),
            (lambda a: a.reshape(2, 3, 4, 5).transpose(0, 3, 1, 2), (60, 1, 20, 5)),
            (lambda a: a[:1].reshape(()), None),
        ],
    )
    def test_from_array__round_trips(self, make: Callable[[Any], Any], strides: tuple[int, ...] | None) -> None:
        whole = self.whole()
        array = make(whole)
        described = TensorDesc.from_array(array)
        assert described.sizes == (array.shape or (1,))
        assert described.has_implicit_strides == (strides is None)
        if strides is not None:
            assert described.strides == strides
        start = array.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
        seen = described.view(whole, start)
        np.testing.assert_array_equal(seen, array.reshape(described.sizes))
        assert np.shares_memory(seen, whole)

    def test_from_array__refuses_what_strides_cannot_say(self) -> None:
        backwards = self.whole().reshape(4, 30)[::-1, ::-1]
        error = error_of(lambda: TensorDesc.from_array(backwards), dml.InvalidDescriptionError)
        assert [v.path for v in error.violations] == ["Strides[0]", "Strides[1]"]
        assert all(v.rule == "from-array.strides" and "Slice1" in str(v.fix) for v in error.violations)
        odd = np.zeros(4, np.dtype([("a", np.int8), ("b", np.float32)]))["b"]
        assert violations_of(lambda: TensorDesc.from_array(odd)) == [("from-array.strides", "Strides[0]")]
        for array in (np.zeros(3, bool), np.zeros(3, ">f4"), np.zeros(3, object)):
            assert violations_of(lambda array=array: TensorDesc.from_array(array)) == [("data-type.known", "DataType")]
        assert violations_of(lambda: TensorDesc.from_array(np.zeros((2, 0)))) == [("sizes.positive", "Sizes[1]")]

    def test_from_array__passes_the_rest_on(self) -> None:
        described = TensorDesc.from_array([1.0, 2.0], flags=1)
        assert described == TensorDesc("FLOAT64", [2], flags="OWNED_BY_DML")
        told = [("tensor.field", "sizes"), ("tensor.field", "strides")]
        assert sorted(violations_of(lambda: TensorDesc.from_array([1.0], strides=[1], sizes=[1]))) == told
        for values in ([[1], [2, 3]], None, {1, 2}, range(10**15)):
            assert violations_of(lambda values=values: TensorDesc.from_array(values)) == [("values.array", "array")]

    def test_names_of_pythons_own__are_unknown_fields_and_no_confusion(self) -> None:
        desc = TensorDesc("FLOAT32", [2])
        for ask in (lambda: desc.replace(self=1), lambda: TensorDesc("FLOAT32", [2], self=1)):  # type: ignore[call-overload]
            assert violations_of(ask) == [("tensor.field", "self")]


def test_order__with_letters_of_ones_own() -> None:
    """Sizes output, input, height, width; in memory output, height, width, input: the input channel is fastest."""
    desc = TensorDesc("FLOAT32", [8, 3, 5, 7], order="OHWI", axes="OIHW")
    assert desc.strides == (3 * 5 * 7, 1, 7 * 3, 3)
    with pytest.raises(dml.DmlError) as raised:
        TensorDesc("FLOAT32", [8, 3, 5, 7], order="OHWI")
    assert [violation.rule for violation in raised.value.violations] == ["order.known"]
