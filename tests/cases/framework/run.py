"""Runs a case on a device: buffers between guards, inputs that must not change, and a comparison."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

import anydml as dml
from tests.cases.framework.case import Case, Operand
from tests.cases.framework.compare import assert_elements, assert_unchanged, assert_untouched, is_nearly_constant
from tests.cases.framework.tolerance import Tolerance, tolerance_of
from tests.operators.memory import GUARD, Placed, place, snapshot


def rerun_line(case: Case) -> str:
    return f"scripts/test 'tests/cases/test_cases.py::test_case[{case.operator}-{case.number}]'"


def check(case: Case, answer: dict[str, Any], device: str, tolerance: Tolerance | None = None) -> None:
    """Run the case and raise an AssertionError unless exactly the answer was written."""
    random = Random(f"{case.operator} {case.number} {device}")
    inputs = {name: [_filled(each, random) for each in case.operands(name)] for name in case.inputs}
    outputs = {name: [place(each.desc(), random) for each in case.operands(name)] for name in case.outputs}
    outputs.update({output: inputs[taken] for output, taken in case.in_place.items()})
    before = {name: [snapshot(each) for each in placed] for name, placed in {**inputs, **outputs}.items()}
    elsewhere = Elsewhere(dml.Device(device))
    buffers = {name: _bound(case, name, placed, elsewhere) for name, placed in {**inputs, **outputs}.items()}
    run = elsewhere.device.compile(case.build())
    if case.owned:
        run.initialize(**{case.owned: buffers.pop(case.owned)})
        elsewhere.fetch()
        _forget(inputs[case.owned], before[case.owned], random)
    run(**buffers)
    elsewhere.fetch()
    for name, placed in inputs.items():
        for each, old in zip(placed, before[name], strict=True):
            if name not in (*case.in_place.values(), case.owned):
                assert_unchanged(name, each, old)
    for name, placed in outputs.items():
        answers = answer[name] if isinstance(case[name], list) else [answer[name]]
        for operand, each, old, wanted in zip(case.operands(name), placed, before[name], answers, strict=True):
            assert_elements(each.codes(), wanted, operand, tolerance or tolerance_of(case.operator))
            assert_untouched(each, old)


class Elsewhere:
    """Memory of devices that the host cannot touch: uploaded whole, guards included, and fetched after a run."""

    def __init__(self, device: dml.Device) -> None:
        self.device, self.is_host = device, device.backend.space == "host"
        self.copies: dict[int, tuple[Placed, Any]] = {}

    def buffer(self, placed: Placed) -> Any:
        if self.is_host:
            return placed.buffer
        _, copy = self.copies.setdefault(id(placed.memory), (placed, self.device.upload(placed.memory)))
        return dml.BufferBinding(copy, GUARD, placed.buffer.size)

    def fetch(self) -> None:
        for placed, copy in self.copies.values():
            placed.memory[:] = self.device.download(copy)


def _filled(operand: Operand, random: Random) -> Placed:
    placed = place(operand.desc(), random)
    placed.memory[:] = placed.with_codes(operand.bits)
    return placed


def _forget(placed: list[Placed], before: list[Placed], random: Random) -> None:
    """An operator keeps what it owns: initialization left the buffer alone, and afterwards it may hold anything."""
    for each, old in zip(placed, before, strict=True):
        assert_unchanged("an owned input", each, old)
        each.memory[:] = np.frombuffer(random.randbytes(each.memory.size), np.uint8)


def _bound(case: Case, name: str, placed: list[Placed], elsewhere: Elsewhere) -> Any:
    buffers = [elsewhere.buffer(each) for each in placed]
    return buffers if isinstance(case[name], list) else buffers[0]


def is_untrustworthy(case: Case, answer: dict[str, Any]) -> bool:
    """Whether all outputs are nearly constant."""
    found = []
    for name in case.outputs:
        answers = answer[name] if isinstance(case[name], list) else [answer[name]]
        found += [is_nearly_constant(each, o) for o, each in zip(case.operands(name), answers, strict=True)]
    return all(found)
