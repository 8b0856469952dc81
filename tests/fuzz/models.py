"""Mutated models, through `check` and `run`; and texts that are nearly JSON, beside the definition of the format."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Callable
from itertools import count as count_from
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anydml as dml
from anydml.catalog.examples import as_model, example_of
from anydml.core.schema import OPERATORS
from anydml.files import json_reader, json_tree
from tests.cases.framework import make_case, numbers_of, operators_with_cases
from tests.fuzz.harness import Summary, call_cleanly, leftovers, run_cases
from tests.fuzz.mutate import TEXT_PIECES, any_value, mutate, mutate_bytes, mutate_lightly
from tests.oracle.json_text import REFUSED, read_by_definition

EXAMPLES = Path(__file__).parents[2] / "examples"
INPUTS = {"numpy_files.json": "ramp.npy", "edges.json": "square.png"}
"""Models that read a file, which is mutated in their stead at times."""
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
MEMORY_BUDGET = 64 << 20
OPTIONS = [[], [], ["--verbose"], ["--json"], ["-i", "2"], ["--device", "reference"], ["--device", "null"],
           ["--dml_feature_level", "2.1"], ["--print_commands"]]  # fmt: skip


def _plain(text: str) -> str:
    """A model without comments, as plain JSON."""
    return json.dumps(json_reader.read_json(text).root.plain(), indent=2) if "//" in text else text


def fuzz_models(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Mutants of the examples: every one is checked and run, and `run` runs nothing that `check` refuses."""
    rng = random.Random(seed)
    sources = {path.name: _plain(path.read_text("utf-8")) for path in sorted(EXAMPLES.glob("*.json"))}
    assert sources, "there are no examples to mutate"

    def draw() -> tuple[str, str]:
        name = rng.choice(list(sources))
        return name, sources[name]

    return _fuzz(Summary("models", seed), rng, draw, count, seconds)


def fuzz_operators(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Mutants of models of one operator each: all operators in turn, with their examples and their random cases."""
    rng, turn = random.Random(seed), count_from(0)
    names = sorted(operators_with_cases())

    def draw() -> tuple[str, str]:
        name = names[next(turn) % len(names)]
        return name, json.dumps(operator_model(name, rng))

    return _fuzz(Summary("operators", seed), rng, draw, count, seconds)


def operator_model(name: str, rng: random.Random) -> Any:
    """A sound model of an operator: its example, or one of its cases with inputs that are all 1."""
    if rng.random() < 0.4:
        example = example_of(OPERATORS[name])
        return as_model(example.operator, example.inputs)
    return as_model(make_case(name, rng.choice(numbers_of(name))).build(), {})


Draw = Callable[[], tuple[str, str]]


def _fuzz(summary: Summary, rng: random.Random, draw: Draw, count: int | None, seconds: float | None) -> Summary:
    with (
        tempfile.TemporaryDirectory() as name,
        patch("anydml.frontends.dxdispatch.parse.memory_budget", lambda: MEMORY_BUDGET),
    ):
        folder = Path(name)
        for each in ("output", "input"):
            (folder / each).mkdir()

        def case() -> None:
            source, text = draw()
            data = _prepare(source, text, rng, folder / "input")
            (folder / "model.json").write_bytes(data)
            told = f"{source}: {data!r}"
            _check_and_run(summary, folder, rng.choice(OPTIONS), told)
            if rng.random() < 0.1:
                call_cleanly(summary, ["explain", str(folder / "model.json"), "--graph"], told)

        return run_cases(summary, case, count, seconds)


def _prepare(name: str, source: str, rng: random.Random, inputs: Path) -> bytes:
    """A mutated model with sound inputs, or a sound model with a mutated input."""
    for file in INPUTS.values():
        (inputs / file).write_bytes((EXAMPLES / file).read_bytes())
    if name in OPERATORS and rng.random() < 0.6:
        return mutate_lightly(source, rng)
    if name not in INPUTS or rng.random() < 0.4:
        return mutate(source, rng)
    file = INPUTS[name]
    (inputs / file).write_bytes(mutate_bytes((EXAMPLES / file).read_bytes(), rng))
    return source.encode()


def _check_and_run(summary: Summary, folder: Path, options: list[str], told: str) -> None:
    common = [str(folder / "model.json"), "--input_path", str(folder / "input")]
    checked = call_cleanly(summary, ["check", *common], told)
    ran = call_cleanly(summary, ["run", *common, "--output_path", str(folder / "output"), *options], told)
    if checked == 1 and ran == 0 and "--dml_feature_level" not in options:
        summary.fail(f"check refused what run ran\n{told}")
    strange = leftovers(str(folder))
    strange += [path.name for path in folder.iterdir() if path.name not in ("output", "input", "model.json")]
    if strange:
        summary.fail(f"left {strange}\n{told}")


def fuzz_texts(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Texts put together from pieces of JSON: each is read as its definition says, or refused with a place."""
    rng, summary = random.Random(seed), Summary("texts", seed)

    def case() -> None:
        text = any_text(rng) if rng.random() < 0.3 else nearly_json(rng)
        is_short = rng.random() < 0.5
        with (
            patch.multiple(json_reader, _SHORTEST_RUN=4 if is_short else 64, _LONGEST_RUN=16 if is_short else 1 << 16),
            patch.object(json_tree, "_FLUSHED", 3 if is_short else 1 << 16),
        ):
            _compare_text(summary, text)

    return run_cases(summary, case, count, seconds)


def any_text(rng: random.Random) -> str:
    return "".join(rng.choice(TEXT_PIECES) for _ in range(rng.randrange(1, 16)))


def nearly_json(rng: random.Random) -> str:
    """A text of JSON with comments and commas put in, and one token more or less at times."""
    tokens = TOKEN.findall(json.dumps(any_value(rng), ensure_ascii=rng.random() < 0.5))
    if rng.random() < 0.4:
        at = rng.randrange(len(tokens) + 1)
        tokens[at : at + rng.randrange(2)] = rng.choices(TEXT_PIECES, k=rng.randrange(3))
    gaps = rng.choice([[""], ["", " "], ["", "\n", "/**/", "// x\n", "/* , */", "//\r"]])
    commas = rng.random() < 0.3
    return "".join(("," if commas and token in "]}" else "") + token + rng.choice(gaps) for token in tokens)


def _compare_text(summary: Summary, text: str) -> None:
    try:
        found = json_reader.read_json(text).root.plain()
        summary.count("read")
    except dml.ModelError as error:
        found = REFUSED
        summary.count(error.violations[0].rule)
        if not all(violation.line and violation.column for violation in error.violations):  # type: ignore[attr-defined]
            summary.fail(f"no place: {text!r}")
    expected = read_by_definition(text)
    if json.dumps(found) != json.dumps(expected):
        summary.fail(f"{text!r} is {found!r}, expected {expected!r}")
