"""All kinds by name, those that share this process among them: threads, layouts in place, operators and files."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import anydml as dml
from anydml.core.schema import OPERATORS
from tests.cases.framework import answer_of, make_case, numbers_of, operators_with_cases
from tests.cases.framework.run import check
from tests.fuzz.harness import Summary, run_cases
from tests.fuzz.targets import TARGETS
from tests.operators.memory import DEVICES
from tests.operators.test_hostile_bits import run as run_hostile
from tests.operators.test_in_place import IN_PLACE, described, layouts, run_pair, type_of
from tests.soak.first_use import soak_first_uses
from tests.soak.processes import soak_caches, soak_exits, soak_forks, soak_interrupts

THREADS = 4
RUNS = 6
Kind = Callable[[int, float], Summary]


def soak_operators(seed: int, seconds: float) -> Summary:
    """Random cases on random devices, compared with their answers; then with nonsense in every input."""
    summary, dice = Summary("operator cases", seed), random.Random(seed)
    names = operators_with_cases()

    def case() -> None:
        name, device = dice.choice(names), dice.choice(DEVICES)
        made = make_case(name, dice.choice(list(numbers_of(name))))
        check(made, answer_of(made), device)
        run_hostile(made, device, only_signalling=dice.random() < 0.3)
        summary.count(device)

    return run_cases(summary, case, None, seconds)


def soak_in_place(seed: int, seconds: float) -> Summary:
    """Operators in place with layouts of larger sizes than the exhaustive test has."""
    summary, dice = Summary("in place", seed), random.Random(seed)

    def case() -> None:
        cls = OPERATORS[dice.choice(IN_PLACE)]
        pair, device = dice.choice(cls.in_place), dice.choice(DEVICES)
        data_type = type_of(cls, pair[0])
        assert data_type is not None
        lowest = cls.ranks.steps[-1][1][0]
        inner = tuple(dice.randint(1, 9) for _ in range(dice.randint(1, 3)))
        lead = max(lowest - len(inner), 0)
        sizes = (1,) * lead + inner
        chosen = [(0,) * lead + dice.choice(layouts(inner)) for _ in pair]
        total = max(dml.calc_buffer_tensor_size(data_type, sizes, strides) for strides in chosen)
        first, second = (
            dml.TensorDesc(data_type, sizes, strides, total_tensor_size_in_bytes=total) for strides in chosen
        )
        operator = described(cls, data_type, {pair[0]: first, pair[1]: second})
        values = np.arange(1, 1 + np.prod(sizes)).reshape(sizes)
        summary.count(f"{run_pair(operator, pair, device, values)} on {device}")

    return run_cases(summary, case, None, seconds)


def soak_threads(seed: int, seconds: float) -> Summary:
    """One compiled operator in many threads at once: every run gives what a run alone gives."""
    summary, dice = Summary("threads", seed), random.Random(seed)

    def case() -> None:
        device = dml.Device(dice.choice(DEVICES))
        runs = [_Alone(device, dice) for _ in range(2)]
        wrong: list[str] = []
        threads = [threading.Thread(target=_repeat, args=(runs, wrong)) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for each in wrong:
            summary.fail(each)
        summary.count(device.name)

    return run_cases(summary, case, None, seconds, limit_seconds=60.0)


class _Alone:
    """A compiled operator, its inputs, and what came out of it when nothing else ran."""

    def __init__(self, device: dml.Device, dice: random.Random) -> None:
        rows, columns = dice.randint(2, 300), dice.randint(2, 300)
        source = dml.TensorDesc("FLOAT32", [rows, columns], dice.choice([None, [1, rows]]))
        target = dml.TensorDesc("FLOAT32", [rows, columns])
        make = dice.choice(
            [
                dml.ElementWiseIdentity,
                dml.ActivationGelu,
                dml.ElementWiseSin,
                partial(dml.ActivationSoftmax1, axes=[1]),
                partial(dml.CumulativeSummation, axis=0, axis_direction="INCREASING", has_exclusive_sum=False),
            ]
        )
        self.compiled = device.compile(make(input_tensor=source, output_tensor=target))
        self.values = np.frombuffer(dice.randbytes(rows * columns), np.uint8).astype(np.float32)
        self.expected = self.run()

    def run(self) -> bytes:
        found: Any = self.compiled(self.values)
        return bytes(found.tobytes())


def _repeat(runs: list[_Alone], wrong: list[str]) -> None:
    try:
        for _, each in product(range(RUNS), runs):
            if each.run() != each.expected:
                wrong.append(f"{each.compiled!r} differs")
    except Exception as error:
        wrong.append(f"{type(error).__name__}: {error}")


def _target(name: str) -> Kind:
    return lambda seed, seconds: TARGETS[name](seed, None, seconds)


KINDS: dict[str, Kind] = {
    "first-uses": soak_first_uses,
    "interrupts": soak_interrupts,
    "forks": soak_forks,
    "exits": soak_exits,
    "caches": soak_caches,
    "threads": soak_threads,
    "in-place": soak_in_place,
    "operator-cases": soak_operators,
    **{name: _target(name) for name in TARGETS},
}
