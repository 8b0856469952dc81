"""Operators that make tensors from attributes, indices or a random state."""

from __future__ import annotations

from tests.cases.framework import HOSTILE, Bits, Case, Draw, answer, case, spec, values
from tests.oracle import indexing, philox
from tests.oracle.moves import Tensor, indices
from tests.oracle.numbers import convert, encode, is_float, wrap
from tests.oracle.pooling import flat

LOWEST_INT = -(2**31)


@case("FILL_VALUE_CONSTANT", hostile=HOSTILE)
def constants(draw: Draw) -> None:
    kind = draw.type("output_tensor")
    draw.output("output_tensor", kind, draw.sizes(draw.rank("output_tensor")))
    value = (values.hostile if draw.hostile else values.wide)(draw.random, kind)
    draw.attributes(value_data_type=kind, value=value)


@answer("FILL_VALUE_CONSTANT")
def constants_answer(given: Case) -> Tensor:
    return dict.fromkeys(given["output_tensor"].indices(), given["value"])


@case("FILL_VALUE_SEQUENCE")
def sequences(draw: Draw) -> None:
    """Floats whose sums are exact; integers that wrap, also below zero."""
    kind = draw.type("output_tensor")
    draw.output("output_tensor", kind, draw.sizes(draw.rank("output_tensor")))
    if is_float(kind):
        start, delta = draw.integer(-64, 64) / 8, draw.choice(-0.25, 0.5, 1.0, 0.125)
    else:
        start, delta = values.whole(draw.random, kind), draw.integer(-3, 3) or 7
    draw.attributes(value_data_type=kind, value_start=start, value_delta=delta)


@answer("FILL_VALUE_SEQUENCE")
def sequences_answer(given: Case) -> Tensor:
    kind, sizes = given["output_tensor"].data_type, given["output_tensor"].sizes
    found = {i: given["value_start"] + flat(i, sizes) * given["value_delta"] for i in indices(sizes)}
    return found if is_float(kind) else {i: wrap(v, kind) for i, v in found.items()}


def draw_matrices(draw: Draw) -> tuple[int, ...]:
    rank = draw.rank("output_tensor")
    return (*draw.sizes(rank, most=4)[: rank - 2], draw.integer(1, 5), draw.integer(1, 5))


@case("DIAGONAL_MATRIX")
def diagonals(draw: Draw) -> None:
    kind = draw.type("output_tensor")
    draw.output("output_tensor", kind, draw_matrices(draw))
    draw.attributes(offset=draw.integer(-2, 2), value=draw.choice(7.0, 10.75, 1.5))


@answer("DIAGONAL_MATRIX")
def diagonals_answer(given: Case) -> Tensor:
    """The float value is cut off for integers."""
    output = given["output_tensor"]
    value = convert(given["value"], "FLOAT32", output.data_type)
    return {i: value if i[-2] + given["offset"] == i[-1] else 0 for i in output.indices()}


@case("DIAGONAL_MATRIX1")
def bands(draw: Draw) -> None:
    """A band of diagonals, or all but a band when it ends before it begins; the rest of an input or zeros."""
    types = spec.types(draw.operator, "output_tensor")
    kind, has_input = draw.cycle("type and input", [(kind, given) for kind in types for given in (True, False)])
    sizes = draw_matrices(draw)
    if has_input:
        draw.input("input_tensor", kind, sizes, values.any_bits)
    draw.output("output_tensor", kind, sizes)
    begin, end = draw.integer(-4, 4), draw.integer(-4, 4)
    draw.attributes(
        value_data_type=kind,
        value=values.wide(draw.random, kind) if not is_float(kind) else draw.integer(-64, 64) / 8,
        diagonal_fill_begin=LOWEST_INT if draw.chance(0.15) else begin,
        diagonal_fill_end=end,
    )


@answer("DIAGONAL_MATRIX1")
def bands_answer(given: Case) -> Tensor:
    output, kept = given["output_tensor"], given["input_tensor"].bits if given.get("input_tensor") else {}
    begin, end = given["diagonal_fill_begin"], given["diagonal_fill_end"]
    value = encode(given["value"], output.data_type)
    filled = {i: (end >= begin) ^ (i[-1] - i[-2] >= begin) ^ (i[-1] - i[-2] < end) for i in output.indices()}
    return Bits({i: value if fill else kept.get(i, 0) for i, fill in filled.items()})


@case("ONE_HOT")
def codes(draw: Draw) -> None:
    """Indices inside, outside and, for signed types, from the end."""
    kind, index_kind = draw.type("values_tensor"), draw.type("indices_tensor")
    rank = draw.rank("indices_tensor")
    axis = draw.axis(rank)
    sizes = list(draw.sizes(rank, most=18))
    sizes[axis] = 1
    classes = draw.integer(1, 5)
    draw.input("indices_tensor", index_kind, sizes, values.between(-classes - 2, classes + 1))
    value_sizes = [1] * rank
    value_sizes[draw.axis(rank)] = draw.integer(2, 3)
    draw.input("values_tensor", kind, value_sizes, values.any_bits, broadcast=False)
    sizes[axis] = classes
    draw.output("output_tensor", kind, sizes)
    draw.attributes(axis=axis)


@answer("ONE_HOT")
def codes_answer(given: Case) -> Tensor:
    """Off is the first value, on the next one along the last dimension that has more than one."""
    chosen = given["values_tensor"]
    moving = max(axis for axis, n in enumerate(chosen.sizes) if n > 1)
    off = (0,) * chosen.rank
    on = tuple(int(axis == moving) for axis in range(chosen.rank))
    places, output = given["indices_tensor"].values, given["output_tensor"]
    return Bits(indexing.one_hot(places, output.sizes, given["axis"], chosen.bits[off], chosen.bits[on]))


@case("RANDOM_GENERATOR")
def random_words(draw: Draw) -> None:
    """States whose counter carries into its next words too."""
    rank = draw.rank("input_state_tensor")
    state_sizes = (*(1,) * (rank - 1), 6)
    state = [draw.choice(0, 0xFFFFFFFF, 0xFFFFFFFE, draw.random.getrandbits(32)) for _ in range(6)]
    draw.input("input_state_tensor", sizes=state_sizes, value=dict(zip(indices(state_sizes), state, strict=True)))
    draw.output("output_tensor", sizes=draw.sizes(draw.rank("output_tensor")))
    if draw.optional("output_state_tensor"):
        draw.output("output_state_tensor", sizes=state_sizes)
    draw.attributes(type="PHILOX_4X32_10")


@answer("RANDOM_GENERATOR")
def random_words_answer(given: Case) -> dict[str, Tensor]:
    state, output = given["input_state_tensor"], given["output_tensor"]
    found, after = philox.words([state.values[i] for i in state.indices()], output.element_count)
    return {
        "output_tensor": dict(zip(output.indices(), found, strict=True)),
        "output_state_tensor": dict(zip(state.indices(), after, strict=True)),
    }
