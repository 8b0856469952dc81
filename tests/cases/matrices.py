"""Products of matrices: of floats, of integers, and of quantized numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.cases.element_wise_limits import scale_value
from tests.cases.framework import Case, Draw, Operand, answer, case, values
from tests.cases.fused import LIMITED, draw_fused, fuse
from tests.oracle.inexact import softmax, sum_of
from tests.oracle.moves import Index, Tensor, indices
from tests.oracle.programs import gemm
from tests.oracle.quantized import quantize_real
from tests.oracle.softmax import groups


def draw_lengths(draw: Draw) -> tuple[int, int, int]:
    """Rows, inner length and columns."""
    longest = 24 if draw.is_large else 5
    return draw.integer(1, longest), draw.integer(1, longest), draw.integer(1, longest)


def draw_lead(draw: Draw, rank: int) -> Index:
    return tuple(draw.integer(1, 2 if draw.is_large else 3) for _ in range(rank - 2))


def magnitudes(x: Tensor) -> Tensor:
    return {i: abs(v) for i, v in x.items()}


# Floats

SOFTMAXES: list[dict[str, Any]] = [{"Type": "SOFTMAX", "Desc": {}}, {"Type": "SOFTMAX1", "Desc": {"Axes": [1]}}]


@case("GEMM", count=44)
def products(draw: Draw) -> None:
    rank = draw.rank("a_tensor")
    lead, (rows, inner, columns) = draw_lead(draw, rank), draw_lengths(draw)
    turned = [draw.cycle(f"transform of {side}", ("NONE", "TRANSPOSE")) for side in "ab"]
    a, b = (rows, inner), (inner, columns)
    draw.input("a_tensor", sizes=(*lead, *(a if turned[0] == "NONE" else a[::-1])))
    draw.input("b_tensor", sizes=(*lead, *(b if turned[1] == "NONE" else b[::-1])))
    if draw.optional("c_tensor"):
        draw.input("c_tensor", sizes=(*lead, rows, columns))
    draw.output("output_tensor", sizes=(*lead, rows, columns))
    draw.attributes(
        trans_a=turned[0],
        trans_b=turned[1],
        alpha=draw.choice(1.0, 0.5, -2.0),
        beta=draw.choice(1.0, 0.25, -1.0, 0.0),
        fused_activation=draw_fused(draw, [LIMITED, *SOFTMAXES]),
    )


@answer("GEMM")
def products_answer(given: Case) -> Tensor:
    a, b, c = given["a_tensor"], given["b_tensor"].values, given.get("c_tensor")
    sizes, turned = given["output_tensor"].sizes, tuple(given[f"trans_{side}"] == "TRANSPOSE" for side in "ab")
    inner = a.sizes[-2] if turned[0] else a.sizes[-1]
    how = (sizes, inner, turned)
    scales = given["alpha"], given["beta"]
    found = gemm(a.values, b, c and c.values, *how, scales)
    absolute = gemm(magnitudes(a.values), magnitudes(b), c and magnitudes(c.values), *how, tuple(map(abs, scales)))
    return fused_matrix(given, {i: sum_of(v, absolute[i], inner + 1) for i, v in found.items()}, sizes)


def fused_matrix(given: Case, sums: Tensor, sizes: Index) -> Tensor:
    """A softmax takes groups of elements, all other activations take one."""
    fused = given.get("fused_activation")
    if fused is None or not fused["Type"].startswith("SOFTMAX"):
        return {i: fuse(fused, x) for i, x in sums.items()}
    axes = fused["Desc"].get("Axes", [len(sizes) - 1])
    result: Tensor = {}
    for group in groups(sums, sizes, axes):
        result.update(zip(group, softmax([sums[i] for i in group]), strict=True))
    return result


# Integers. Parameters are single, one per row of A or one per column of B.


def draw_matrices(draw: Draw, value: Any) -> tuple[int, int, int, Index]:
    """Both factors; gives the rank of all parameters, rows, columns and the leading sizes."""
    rank = draw.rank("a_tensor")
    lead, (rows, inner, columns) = draw_lead(draw, rank), draw_lengths(draw)
    draw.input("a_tensor", sizes=(*lead, rows, inner), value=value)
    draw.input("b_tensor", sizes=(*lead, inner, columns), value=value)
    return draw.choice(1, rank), rows, columns, lead


def draw_parameter(draw: Draw, field: str, rank: int, rows: int, columns: int, value: Any) -> None:
    """A scale or a zero point: of A and of the output one per row, of B one per column, or a single one."""
    count = draw.choice(1, columns if field.startswith("b_") else rows)
    along_rows = rank > 1 and not field.startswith("b_")
    sizes = (*(1,) * (rank - 2), count, 1) if along_rows else (*(1,) * (rank - 1), count)
    draw.input(field, sizes=sizes, value=value)


def draw_zero_point(draw: Draw, field: str, rank: int, rows: int, columns: int) -> None:
    if draw.optional(field):
        draw_parameter(draw, field, rank, rows, columns, values.between(-9, 9))


def parameter(operand: Operand | None, place: int, otherwise: Any = 0) -> Any:
    """The parameter of a row, a column or a channel: its own, or the only one."""
    if operand is None:
        return otherwise
    found = list(operand.values.values())
    return found[place if len(found) > 1 else 0]


def centred(given: Case, side: str) -> Tensor:
    """A factor minus its zero points."""
    operand, zero = given[f"{side}_tensor"], given.get(f"{side}_zero_point_tensor")
    axis = -2 if side == "a" else -1
    return {i: v - parameter(zero, i[axis]) for i, v in operand.values.items()}


def integer_product(a: Tensor, b: Tensor, sizes: Index, inner: int) -> Tensor:
    return {
        (*lead, row, column): sum(a[(*lead, row, k)] * b[(*lead, k, column)] for k in range(inner))
        for *lead, row, column in indices(sizes)
    }


def whole_product(given: Case) -> Tensor:
    inner = given["a_tensor"].sizes[-1]
    return integer_product(centred(given, "a"), centred(given, "b"), given["output_tensor"].sizes, inner)


@case("MATRIX_MULTIPLY_INTEGER")
def whole_products(draw: Draw) -> None:
    rank, rows, columns, lead = draw_matrices(draw, values.whole)
    draw_zero_point(draw, "a_zero_point_tensor", rank, rows, columns)
    draw_zero_point(draw, "b_zero_point_tensor", draw.choice(1, rank), rows, columns)
    draw.output("output_tensor", sizes=(*lead, rows, columns))


@answer("MATRIX_MULTIPLY_INTEGER")
def whole_products_answer(given: Case) -> Tensor:
    return whole_product(given)


@case("MATRIX_MULTIPLY_INTEGER_TO_FLOAT")
def real_products(draw: Draw) -> None:
    """Numbers so small that sums fit into every float type."""
    rank, rows, columns, lead = draw_matrices(draw, values.between(-12, 12))
    for side in "ab":
        draw_parameter(draw, f"{side}_scale_tensor", rank, rows, columns, values.between(1 / 64, 0.5, 1 / 64))
        draw_zero_point(draw, f"{side}_zero_point_tensor", rank, rows, columns)
    if draw.optional("bias_tensor"):
        draw.input("bias_tensor", sizes=(*lead, rows, columns))
    draw.output("output_tensor", sizes=(*lead, rows, columns))


@answer("MATRIX_MULTIPLY_INTEGER_TO_FLOAT")
def real_products_answer(given: Case) -> Tensor:
    """((A - zero) * scale) x ((B - zero) * scale) + bias; scales do not change along the sum."""
    bias, inner, sizes = given.get("bias_tensor"), given["a_tensor"].sizes[-1], given["output_tensor"].sizes
    a, b = centred(given, "a"), centred(given, "b")
    absolute = integer_product(magnitudes(a), magnitudes(b), sizes, inner)
    result = {}
    for i, v in integer_product(a, b, sizes, inner).items():
        scale = parameter(given["a_scale_tensor"], i[-2]) * parameter(given["b_scale_tensor"], i[-1])
        added = bias.values[i] if bias else 0.0
        result[i] = sum_of(v * scale + added, absolute[i] * scale + abs(added), inner + 3)
    return result


@case("QUANTIZED_LINEAR_MATRIX_MULTIPLY")
def quantized_products(draw: Draw) -> None:
    """Scales are powers of two in most cases, so that halves are halves."""
    rank, rows, columns, lead = draw_matrices(draw, values.between(-60, 60))
    value = scale_value if draw.chance(0.7) else values.between(1 / 8, 2, 1 / 64)
    for side in ("a", "b", "output"):
        draw_parameter(draw, f"{side}_scale_tensor", rank, rows, columns, coarse if side == "output" else value)
        draw_zero_point(draw, f"{side}_zero_point_tensor", rank, rows, columns)
    draw.output("output_tensor", sizes=(*lead, rows, columns))


def coarse(random: Any, data_type: str) -> float:
    """A scale for sums of products: larger than those of the factors."""
    return 2.0 ** random.randint(3, 7)


@answer("QUANTIZED_LINEAR_MATRIX_MULTIPLY")
def quantized_products_answer(given: Case) -> Tensor:
    result, kind = {}, given["output_tensor"].data_type
    for i, v in whole_product(given).items():
        places = (("a", -2), ("b", -1), ("output", -2))
        scales = tuple(parameter(given[f"{side}_scale_tensor"], i[axis]) for side, axis in places)
        zero = parameter(given.get("output_zero_point_tensor"), i[-2])
        found = quantize_real(Fraction(v), scales, zero, kind)
        if found is not None:
            result[i] = found
    return result
