"""Any bits in any input of any operator: it runs without a warning, and writes nothing but its outputs' elements.

What comes out is judged elsewhere. Here every float is a NaN (quiet or signalling), infinite, subnormal, zero or an
extreme, and every integer an extreme or random, so that indices, counts and seeds are nonsense too.
"""

from __future__ import annotations

import warnings
from random import Random

import numpy as np
import pytest

import anydml as dml
from tests.cases.framework import Case, Operand, make_case, numbers_of, operators_with_cases
from tests.cases.framework.compare import assert_unchanged, assert_untouched
from tests.operators.memory import DEVICES, Placed, place, snapshot
from tests.oracle.numbers import bits_of, is_float

CASES = 4
EXPONENT = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}
SIGNALLING = {bits: exponent | 1 for bits, exponent in EXPONENT.items()}


def hostile_bits(kind: str, random: Random) -> int:
    """The bits of an element that programs seldom expect."""
    bits = bits_of(kind)
    top = 1 << (bits - 1)
    if not is_float(kind):
        return random.choice([0, 1, top, top - 1, 2 * top - 1, random.getrandbits(bits)])
    exponent = EXPONENT[bits]
    quiet = exponent | (exponent >> 1 & ~exponent)
    number = random.choice([SIGNALLING[bits], quiet, quiet | 5, exponent, exponent - 1, 0, 1, random.getrandbits(bits)])
    return number | random.choice([0, top])


def fill(placed: Placed, operand: Operand, random: Random, only_signalling: bool) -> None:
    codes = {
        index: SIGNALLING[bits_of(operand.data_type)]
        if only_signalling and is_float(operand.data_type)
        else hostile_bits(operand.data_type, random)
        for index in operand.indices()
    }
    placed.memory[:] = placed.with_codes(codes)


def run(case: Case, device: str, only_signalling: bool) -> None:
    """Run a case on hostile inputs; fails on a warning, an exception, or a byte that is not an output's."""
    random = Random(f"{case.operator} {case.number} {device}")
    inputs = {name: [place(each.desc(), random) for each in case.operands(name)] for name in case.inputs}
    outputs = {name: [place(each.desc(), random) for each in case.operands(name)] for name in case.outputs}
    for name, placed in inputs.items():
        for each, operand in zip(placed, case.operands(name), strict=True):
            fill(each, operand, random, only_signalling)
    before = {name: [snapshot(each) for each in placed] for name, placed in {**inputs, **outputs}.items()}
    buffers = {
        name: [each.buffer for each in placed] if isinstance(case[name], list) else placed[0].buffer
        for name, placed in {**inputs, **outputs}.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = dml.Device(device).compile(case.build())
        if case.owned:
            compiled.initialize(**{case.owned: buffers.pop(case.owned)})
        compiled(**buffers)
    for name, placed in inputs.items():
        for each, old in zip(placed, before[name], strict=True):
            assert_unchanged(name, each, old)
    for name, placed in outputs.items():
        for each, old in zip(placed, before[name], strict=True):
            assert_untouched(each, old)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", operators_with_cases())
def test_hostile_bits__neither_warn_nor_spill(name: str, device: str) -> None:
    numbers = list(numbers_of(name))[:CASES]
    for number in numbers:
        case = make_case(name, number)
        for only_signalling in (True, False):
            try:
                run(case, device, only_signalling)
            except Exception as error:
                raise AssertionError(f"{type(error).__name__}: {error}\n{case}") from error
    assert numbers


def test_hostile_bits__are_signalling() -> None:
    """Converting the numbers of this test is what makes NumPy warn."""
    for bits, dtype in ((16, np.float16), (32, np.float32), (64, np.float64)):
        value = np.array([SIGNALLING[bits]], f"u{bits // 8}").view(dtype)
        assert np.isnan(value[0])
    with pytest.raises(RuntimeWarning, match="invalid"), warnings.catch_warnings():
        warnings.simplefilter("error")
        np.array([SIGNALLING[32]], np.uint32).view(np.float32).astype(np.float64)
