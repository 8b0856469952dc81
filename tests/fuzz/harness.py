"""Runs mutated models through the command line, in this process, and watches how it ends."""

from __future__ import annotations

import faulthandler
import io
import os
import random
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from unittest.mock import patch

from anydml.cli.main import main
from tests.fuzz.mutate import mutate, mutate_bytes

EXAMPLES = Path(__file__).parents[2] / "examples"
CLEAN = (0, 1, 2)
INPUTS = {"numpy_files.json": "ramp.npy", "edges.json": "square.png"}
"""Models that read a file, which is mutated in their stead at times."""
MEMORY_BUDGET = 64 << 20
HANG_SECONDS = 60
OPTIONS = [[], [], ["--verbose"], ["--json"], ["-i", "2"], ["--device", "reference"], ["--device", "null"],
           ["--dml_feature_level", "2.1"], ["--print_commands"]]  # fmt: skip


@dataclass
class Tally:
    """What came of the cases."""

    cases: int = 0
    calls: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    slowest_seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


def call(words: list[str]) -> tuple[int | str, str]:
    """Exit status, and all that was printed; an exception that gets out is a finding, not an end."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        try:
            status: int | str = main(words)
        except BaseException as error:
            status = f"{type(error).__name__}: {error}"
    return status, out.getvalue()


def fuzz(cases: int, seed: int, folder: Path, limit_seconds: float, tell: bool = False) -> Tally:
    """Mutate the examples `cases` times; every mutant goes through check and run."""
    rng = random.Random(seed)
    sources = {path.name: path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.json"))}
    assert sources, "there are no examples to mutate"
    tally = Tally()
    output, model = folder / "output", folder / "model.json"
    for each in (output, folder / "input"):
        each.mkdir(exist_ok=True)
    with patch("anydml.frontends.dxdispatch.parse.memory_budget", lambda: MEMORY_BUDGET):
        for case in range(cases):
            name = rng.choice(list(sources))
            data = _prepare(name, sources[name], rng, folder / "input")
            model.write_bytes(data)
            _one(tally, model, output, rng.choice(OPTIONS), f"case {case} of {name}", data, limit_seconds)
            if tell and case % 500 == 499:
                print(f"{case + 1} models, {tally.statuses}, {len(tally.failures)} failures", flush=True)
    return tally


def _prepare(name: str, source: str, rng: random.Random, inputs: Path) -> bytes:
    """A mutated model with sound inputs, or a sound model with a mutated input."""
    for file in INPUTS.values():
        (inputs / file).write_bytes((EXAMPLES / file).read_bytes())
    if name not in INPUTS or rng.random() < 0.4:
        return mutate(source, rng)
    file = INPUTS[name]
    (inputs / file).write_bytes(mutate_bytes((EXAMPLES / file).read_bytes(), rng))
    return source.encode()


def _one(
    tally: Tally, model: Path, output: Path, options: list[str], label: str, data: bytes, limit_seconds: float
) -> None:
    tally.cases += 1
    common = [str(model), "--input_path", str(model.parent / "input")]
    outcomes = []
    for words in (["check", *common], ["run", *common, "--output_path", str(output), *options]):
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True, file=sys.__stderr__)
        start = perf_counter()
        status, printed = call(words)
        seconds = perf_counter() - start
        faulthandler.cancel_dump_traceback_later()
        tally.calls += 1
        tally.slowest_seconds = max(tally.slowest_seconds, seconds)
        key = f"{words[0]} {status if status in CLEAN else 'failed'}"
        tally.statuses[key] = tally.statuses.get(key, 0) + 1
        outcomes.append(status)
        if status not in CLEAN or "Traceback" in printed or seconds > limit_seconds:
            tally.failures.append(
                f"{label}, {words[0]} {options}: {status}, {seconds:.1f} s\n{printed[-400:]}\n{data!r}"
            )
    if outcomes[0] == 1 and outcomes[1] == 0 and "--dml_feature_level" not in options:
        tally.failures.append(f"{label}: check refused what run ran\n{data!r}")
    _inside(tally, output, label)


def _inside(tally: Tally, output: Path, label: str) -> None:
    """Nothing half-written is left, and nothing was written beside the output folder."""
    strange = [name for _, _, names in os.walk(output) for name in names if name.endswith(".part")]
    strange += [path.name for path in output.parent.iterdir() if path.name not in ("output", "input", "model.json")]
    if strange:
        tally.failures.append(f"{label}: left {strange}")
