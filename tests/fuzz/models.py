"""Mutated models, through `check` and `run`; and texts that are nearly JSON, beside the definition of the format."""

from __future__ import annotations

import json
import random
import re
import tempfile
from pathlib import Path
from unittest.mock import patch

import anydml as dml
from anydml.files import json_reader, json_tree
from tests.fuzz.harness import Summary, call_cleanly, leftovers, run_cases
from tests.fuzz.mutate import TEXT_PIECES, any_value, mutate, mutate_bytes
from tests.oracle.json_text import REFUSED, read_by_definition

EXAMPLES = Path(__file__).parents[2] / "examples"
INPUTS = {"numpy_files.json": "ramp.npy", "edges.json": "square.png"}
"""Models that read a file, which is mutated in their stead at times."""
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
MEMORY_BUDGET = 64 << 20
OPTIONS = [[], [], ["--verbose"], ["--json"], ["-i", "2"], ["--device", "reference"], ["--device", "null"],
           ["--dml_feature_level", "2.1"], ["--print_commands"]]  # fmt: skip


def fuzz_models(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Mutants of the examples: every one is checked and run, and `run` runs nothing that `check` refuses."""
    rng, summary = random.Random(seed), Summary("models", seed)
    sources = {path.name: path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.json"))}
    assert sources, "there are no examples to mutate"
    with (
        tempfile.TemporaryDirectory() as name,
        patch("anydml.frontends.dxdispatch.parse.memory_budget", lambda: MEMORY_BUDGET),
    ):
        folder = Path(name)
        for each in ("output", "input"):
            (folder / each).mkdir()

        def case() -> None:
            source = rng.choice(list(sources))
            data = _prepare(source, sources[source], rng, folder / "input")
            (folder / "model.json").write_bytes(data)
            _check_and_run(summary, folder, rng.choice(OPTIONS), f"{source}: {data!r}")

        return run_cases(summary, case, count, seconds)


def _prepare(name: str, source: str, rng: random.Random, inputs: Path) -> bytes:
    """A mutated model with sound inputs, or a sound model with a mutated input."""
    for file in INPUTS.values():
        (inputs / file).write_bytes((EXAMPLES / file).read_bytes())
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
