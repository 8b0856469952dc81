"""Vector functions against float64, over dense samples of all float32 and at special values, for several processors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from anydml.core.functions import NUMPY
from anydml.core.operations import OPERATIONS
from anydml.runtime.native import llvm
from anydml.runtime.native.emit import Emitter
from anydml.runtime.native.math.exponential import exp_of_negative
from anydml.runtime.native.math.machine import Machine, host_machine
from anydml.runtime.native.math.table import FUNCTIONS, Function
from anydml.runtime.native.math.values import FLOAT32, Lanes

Floats = npt.NDArray[np.float32]
SAMPLES = 1 << 20
TWO = ("arctan2", "power")


def machines() -> dict[str, tuple[Machine, int]]:
    """This processor, and poorer ones whose code it runs too: lanes and instructions."""
    host = host_machine()
    avx2 = replace(host, scales=False, looks_up=False)
    poorer = {"avx2": (avx2, 8), "sse2": (replace(avx2, fuses=False), 4)}
    return {"host": (host, llvm.vector_bytes() // 4), "scalar": (host, 1), **poorer}


def kernel(name: str, machine: Machine, lanes: int) -> tuple[llvm.MachineCode, Callable[..., None]]:
    """A function over whole vectors: its bases are source, second source and destination, its parameter a count."""

    def text() -> str:
        e = Emitter(lanes * 4)
        on = Lanes(e, lanes, machine)
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):
            sides = [e.load("ptr", e.at("%bases", 8 * n), 8) for n in range(3)]
            count = e.load("i64", "%parameters", 8)
            with e.loop(0, count, lanes) as i:
                places = [e.at(side, e.multiply(i, 4)) for side in sides]
                arguments = [on.named(e.load(on.type_name(FLOAT32), place), FLOAT32) for place in places[:2]]
                result = FUNCTIONS[name].emit(*arguments[: 2 if name in TWO else 1])
                e.store(on.type_name(FLOAT32), result.name, places[2])
        return e.module()

    code = llvm.compiled(("math", name, machine, lanes), text)
    return code, code.function()


def apply(name: str, x: Floats, y: Floats, machine: Machine, lanes: int) -> Floats:
    assert len(x) % lanes == 0
    out = np.empty_like(x)
    code, run = kernel(name, machine, lanes)
    bases = np.array([x.ctypes.data, y.ctypes.data, out.ctypes.data], np.int64)
    count = np.array([len(x)], np.int64)
    run(bases.ctypes.data, count.ctypes.data, 0)
    del code
    return out


def exact(name: str, x: Floats, y: Floats) -> npt.NDArray[np.float64]:
    with np.errstate(all="ignore"):
        wide, other = x.astype(np.float64), y.astype(np.float64)
        define: Any = getattr(NUMPY, name)
        return np.asarray(define(wide, other) if name in TWO else define(wide))


def errors(found: Floats, wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Distances in units of the last place of what is exact; infinite where only one of two is a number."""
    with np.errstate(all="ignore"):
        rounded = wanted.astype(np.float32)
        exponent = np.maximum(np.frexp(np.where(np.isfinite(wanted), wanted, 1.0))[1], -125)
        distance = np.abs(found.astype(np.float64) - wanted) / np.ldexp(1.0, exponent - 24)
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    # What rounds to infinity may be the largest number instead, and the other way round.
    largest = np.abs(found) == np.finfo(np.float32).max
    close = np.isinf(rounded) & largest & (np.sign(found) == np.sign(rounded))
    close |= np.isinf(found) & (np.abs(rounded) >= 3.4028233e38) & (np.sign(found) == np.sign(rounded))
    distance = np.where(np.isnan(found) | np.isinf(found) | np.isinf(rounded) | np.isnan(rounded), np.inf, distance)
    return np.where(same, 0.0, np.where(close, 1.0, distance))


def samples(seed: int, count: int) -> Floats:
    """Half of them any bits, half of them of ordinary size."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 1 << 32, count // 2, np.uint32).view(np.float32)
    usual = random.uniform(-1, 1, count // 2) * 2.0 ** random.integers(-8, 8, count // 2)
    return np.concatenate([bits, usual.astype(np.float32)])


SPECIAL = np.array(
    [0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 2.0**24, 2.0**-149, 2.0**-126, 3.4028235e38, math.inf, math.nan, 88.5, 104.0, 1e10],
    np.float32,
)


def special_pairs() -> tuple[Floats, Floats]:
    """Every pair of special values of both signs; as many as fill whole vectors."""
    signed = np.concatenate([SPECIAL, -SPECIAL])
    x, y = (part.ravel() for part in np.meshgrid(signed, signed))
    return np.resize(x, 960), np.resize(y, 960)


@pytest.mark.parametrize("target", machines())
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function__is_as_exact_as_its_table_says(name: str, target: str) -> None:
    machine, lanes = machines()[target]
    count = SAMPLES if target == "host" else SAMPLES // 8
    x, y = samples(1, count), samples(2, count)
    if name == "power":
        half = count // 2
        x[half:], y[half:] = np.abs(x[half:]), np.clip(y[half:], -60, 60)
    found = errors(apply(name, x, y, machine, lanes), exact(name, x, y))
    worst = int(np.argmax(found))
    assert found[worst] <= FUNCTIONS[name].ulp <= OPERATIONS[name].ulp, f"{found[worst]} ULP at {x[worst]}, {y[worst]}"


@pytest.mark.parametrize("target", machines())
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function__of_special_values(name: str, target: str) -> None:
    machine, lanes = machines()[target]
    x, y = special_pairs()
    found, wanted = apply(name, x, y, machine, lanes), exact(name, x, y)
    failed = errors(found, wanted) > FUNCTIONS[name].ulp
    # Zeros have signs too.
    failed |= (wanted == 0) & (np.signbit(found) != np.signbit(wanted))
    lines = [f"{x[n]}, {y[n]}: {found[n]}, exact {wanted[n]}" for n in np.flatnonzero(failed)[:8]]
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("target", machines())
def test_exp_of_negative__has_the_bits_of_exp(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    machine, lanes = machines()[target]
    monkeypatch.setitem(FUNCTIONS, "exp_of_negative", Function(exp_of_negative, 1.2))
    x = -np.abs(np.concatenate([samples(1, 1 << 16), np.linspace(80, 110, 1 << 16, dtype=np.float32)]))
    usual, quick = (apply(name, x, x, machine, lanes).view(np.int32) for name in ("exp", "exp_of_negative"))
    denormal, is_least = (usual > 0) & (usual < 1 << 23), x < np.float32(-103.6)
    assert denormal.any() and np.array_equal(usual[~is_least], quick[~is_least])
    # Of e^x below the smallest float, nothing is left, or that float.
    assert is_least.any() and usual[is_least].max() <= 1 and quick[is_least].max() <= 1


def test_page__has_the_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "arithmetic.md").read_text(encoding="utf-8")
    assert all(f"| {name} | {function.ulp:g} |" in page for name, function in FUNCTIONS.items())


def test_errors__can_tell() -> None:
    one = np.array([1.0, 1.0000002, math.nan, math.inf, 0.0], np.float32)
    assert list(errors(one, np.array([1.0, 1.0, math.nan, math.inf, 0.0]))) == [0.0, 2.0, 0.0, 0.0, 0.0]
    assert list(errors(one[:1], np.array([math.nan]))) == [math.inf]
    assert list(errors(one[2:3], np.array([1.0]))) == [math.inf]
    assert list(errors(one[3:4], np.array([1.0]))) == [math.inf]
    assert errors(one[4:], np.array([2.0**-148]))[0] == 2.0
