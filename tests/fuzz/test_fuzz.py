"""Every target finds nothing in some cases of its own, and would find it. `scripts/fuzz` tries far more of them."""

from __future__ import annotations

import os
import random
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core import integers, outside, overlap
from anydml.core import text as core_text
from anydml.core.schema import OPERATORS
from anydml.files import images, json_reader, npy
from anydml.files import sources as sources_module
from anydml.files.access import SourceFile
from anydml.files.sources import Folder, Sources
from anydml.runtime import compiled
from tests.fuzz import arrays, calls, command_lines, harness, hostile, links, models, names, sources
from tests.fuzz.harness import Summary, run_cases
from tests.fuzz.hostile import VALUES, Endless, LyingList
from tests.fuzz.mutate import mutate
from tests.fuzz.sound import OPERATOR_CALLS, OWN_CALLS, UNSOUND, Call
from tests.fuzz.sound.surface import public_names
from tests.fuzz.targets import TARGETS

COUNTS = {
    "models": 500,
    "operators": 354,
    "texts": 2000,
    "arrays": 2500,
    "images": 1500,
    "command-lines": 300,
    "links": 250,
    "graphs": 800,
    "names": 400,
    "sources": 250,
    "calls": 10000,
}
REACHED = {
    "models": {"check 0", "check 1", "run 0", "run 1"},
    "operators": {"check 0", "check 1", "run 0", "run 1", "explain 0", "explain 2"},
    "texts": {"read", "json.syntax", "json.comment", "json.number"},
    "arrays": {"read", "npy.format", "npy.size", "npy.type", "npy.pickle"},
    "images": {"read", "image.format"},
    "command-lines": {"check 0", "check 1", "run 0", "run 1", "run 2", "explain 0", "explain 2", "ops 0", "ops 2"},
    "links": {"run 0", "run 1"},
    "graphs": {"read", "serialized.format", "serialized.missing", "check 1"},
    "names": {"graph", "graph.names", "values", "run 0", "check 0", "explain 0", "export 0"},
    "sources": {"check 0", "check 1", "run 0", "run 1", "run 1 outside", "explain 2 outside", "export 1 outside"},
    "calls": {"done", "refused", "signature"},
}
"""Every target must get to the ends that matter, or it would find nothing for the wrong reason."""


@pytest.mark.parametrize("name", TARGETS)
def test_target__finds_nothing(name: str) -> None:
    summary = TARGETS[name](20, COUNTS[name], None)
    assert summary.cases == COUNTS[name]
    assert not summary.failures, "\n\n".join(summary.failures[:3])
    assert summary.outcomes.keys() >= REACHED[name]


@pytest.mark.parametrize("name", TARGETS)
def test_target__stops_when_time_is_up(name: str) -> None:
    summary = TARGETS[name](1, None, 0.2)
    assert summary.cases >= 1 and summary.seconds < 20 and summary.target in str(summary)


def test_cases__are_the_same_for_the_same_seed() -> None:
    text = (models.EXAMPLES / "slice1_forward.json").read_text("utf-8")
    makers: list[Any] = [
        lambda rng: mutate(text, rng),
        models.nearly_json,
        models.any_text,
        command_lines.command_line,
        arrays._nearly_sound_header,
        names.any_name,
        lambda rng: calls.changed(rng.choice(list(OWN_CALLS)), rng)[0],
    ]
    for make in makers:
        first, second = ([make(rng) for _ in range(50)] for rng in (random.Random(3), random.Random(3)))
        assert first == second and len({str(each) for each in first}) > 30


# What goes wrong is noticed


def test_run_cases__counts_errors_and_slow_cases() -> None:
    def broken() -> None:
        raise ValueError("lost")

    assert "ValueError: lost" in run_cases(Summary("x", 7), broken, 2, None).failures[1]
    assert len(run_cases(Summary("x", 7), lambda: None, 3, None, limit_seconds=-1).failures) == 3
    assert len(run_cases(Summary("x", 7), broken, 500, None).failures) == 100
    with pytest.raises(ValueError, match="count or seconds"):
        run_cases(Summary("x", 7), broken, None, None)


@pytest.mark.parametrize("status", [70, 139, -9, RuntimeError("lost")])
@pytest.mark.parametrize("name", ["models", "operators", "command-lines", "links", "sources"])
def test_command__that_ends_otherwise_is_a_failure(name: str, status: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(words: list[str]) -> Any:
        if isinstance(status, Exception):
            raise status
        return status

    monkeypatch.setattr(harness, "main", end)
    summary = TARGETS[name](1, 3, None)
    assert len(summary.failures) >= 3 and "ended with" in summary.failures[0]


def test_models__notices_files_left_behind_and_what_check_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def untidy(words: list[str]) -> int:
        (Path(words[1]).parent / "output" / "x.part").touch()
        return 1 if words[0] == "check" else 0

    monkeypatch.setattr(harness, "main", untidy)
    failures = models.fuzz_models(1, 3).failures
    assert any("x.part" in failure for failure in failures)
    assert any("check refused what run ran" in failure for failure in failures)


def test_texts__notices_another_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reader, "_COMMENT", json_reader.re.compile("[,]"))  # commas are taken for comments
    monkeypatch.setattr(json_reader, "_numbers", lambda written: [0])
    assert models.fuzz_texts(1, 300).failures


def test_arrays__notices_other_values_and_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    read = npy.read_array
    monkeypatch.setattr(
        npy, "read_array", lambda *given: read(*given) ^ 1 if read(*given).dtype.kind in "iu" else read(*given)
    )
    assert "NumPy reads" in arrays.fuzz_arrays(1, 300).failures[0]
    monkeypatch.undo()
    monkeypatch.setattr(npy, "file_size", lambda path: 1 << 60)
    assert "elements" in arrays.fuzz_arrays(1, 300).failures[0]


def test_images__notices_what_is_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    read = images.read_image
    monkeypatch.setattr(images, "read_image", lambda *given: read(*given) * np.float32(2))
    assert TARGETS["images"](1, 100, None).failures


def test_links__notices_every_change() -> None:
    before: dict[str, object] = {"root": "a folder", "root/x.npy": b"old", "outside/secret.npy": b"secret"}
    good = {**before, "root/x.npy": b"\x93NUMPY..."}
    assert links.judge(before, good, "x.npy", 0) == ""
    assert links.judge(before, before, "../x.npy", 1) == ""
    assert links.judge(before, {**before, "root/a": "a folder"}, "a/x.npy", 1) == ""
    for after, status in (
        ({**good, "outside/secret.npy": b"new"}, 0),
        (good, 1),
        (before, 0),
        ({**good, "root/x.npy": b"old2"}, 0),
        ({**good, "root/.1234.part": b""}, 0),
        ({key: value for key, value in good.items() if "secret" not in key}, 0),
        ({**before, "root/x.npy": "a link to y.npy"}, 0),
    ):
        assert links.judge(before, after, "x.npy", status), after


def test_names__notices_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    never = core_text.re.compile("(?!)")
    monkeypatch.setattr(core_text, "_UNSAFE", never)
    failures = names.fuzz_names(3, 60).failures
    assert any("'\\x1b'" in each for each in failures) and any("parts, expected" in each for each in failures)


def test_names__notices_columns_that_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_text, "_width_of", lambda char: 1)
    assert any("other columns" in each for each in names.fuzz_names(3, 60).failures)


def test_names__notices_outputs_that_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    named = compiled.named_outputs
    monkeypatch.setattr(compiled, "named_outputs", lambda names, arrays: named(names[::-1], arrays))
    assert any("is [array(" in each for each in names.fuzz_names(3, 60).failures)


def test_names__notices_pages_that_do_not_close() -> None:
    assert names.tags("<p><b>1</b><br></p>") == 3
    for page in ("<p><b>", "<p></b>"):
        with pytest.raises(AssertionError, match="close"):
            names.tags(page)
    assert names.unprintable("a\u202eb") and names.unprintable("\ufffe") and not names.unprintable("é 張\n👩\u200d🚀")
    assert names.uneven("┌─┐\n│ │\n│ │\n└─┘") == "" != names.uneven("┌─┐\n│張│\n└─┘") and names.uneven("none")


def _anywhere(self: Sources, name: str, folder: Folder) -> SourceFile:
    """A name that is followed as it was before anything was refused."""
    return SourceFile(folder.named / name)


def _by_words(self: Sources, name: str, folder: Folder) -> Any:
    """A name that is looked at for .. and roots, but not for links."""
    place = Path(os.path.normpath(Path(*folder.place) / name.replace("\\", "/")))
    return SourceFile(place) if self._is_inside(place.parts) else _LEAD(self, name, folder)


def _never(self: Sources, name: str, folder: Folder) -> None:
    """No file is found at all."""


def _telling(self: Sources, text: str, end: Any) -> Any:
    """An error that says whether there is such a file."""
    return sources_module.SOURCE("", "a file" if Path(*end.place).exists() else "nothing", "a file inside")


_LEAD = Sources._lead


@pytest.mark.parametrize(
    ("function", "mistake", "told"),
    [
        ("_lead", _anywhere, "opened ["),
        ("_lead", _by_words, "opened ["),
        ("_lead", _never, "did not read what is inside"),
        ("_outside", _telling, "told whether a file is outside"),
    ],
)
def test_sources__notices_what_is_read_and_told(
    function: str, mistake: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sources, function, mistake)
    assert any(told in failure for failure in sources.fuzz_sources(1, 150).failures)


def test_sources__notices_secrets_in_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sources, "_lead", _anywhere)
    monkeypatch.setattr(sources, "watched", lambda paths: nullcontext([]))
    failures = sources.fuzz_sources(1, 60).failures
    assert any("told a secret" in failure for failure in failures)
    assert any("read what is not inside" in failure for failure in failures)


# Calls


def test_calls__are_of_everything_public() -> None:
    """What is new among public names has no sound call yet: it is written in `tests/fuzz/sound`."""
    assert not [name for name in public_names() if name not in OWN_CALLS]
    assert {f"dml.{cls.__name__}" for cls in OPERATORS.values()} <= OPERATOR_CALLS.keys()


@pytest.mark.parametrize(
    "name", ["dml.", "slicing.", "expression.", "pydirectml.", "frontends.", "model ", "expression of"]
)
def test_sound_calls__succeed(name: str) -> None:
    """What is refused as it stands would be refused with anything in it, for the wrong reason."""
    tried = [each for each in calls.CALLS if each.startswith(name) and each not in UNSOUND]
    with calls.elsewhere():
        ends = {each: calls.judge(calls.CALLS[each]()) for each in tried}
    assert {each: end for each, end in ends.items() if end != ("done", "")} == {} and tried


def test_values__are_made_anew_and_hold_what_is_meant() -> None:
    assert len(VALUES) > 240 and VALUES["containers: endless"]() is not VALUES["containers: endless"]()
    for value in (Endless(), LyingList()):
        with pytest.raises(hostile.ReadWithoutEnd):
            list(value)


def _warn() -> None:
    np.array([300.0], np.float32).astype(np.int8)
    np.array([1e300]).astype(np.float32)


@pytest.mark.parametrize(
    ("function", "arguments", "outcome", "wrong"),
    [
        (lambda: 7, {}, "done", ""),
        (dml.Layout, {"sizes": "x"}, "refused", ""),
        (dml.Layout, {}, "signature", ""),
        (dml.Layout, {"sizes": [2], "size": 3}, "signature", ""),
        (int, {"*0": "x"}, "failed", "ValueError: invalid literal"),
        (overlap.has_collision, {"*0": 5, "*1": 5}, "signature", "TypeError: 'int' object is not iterable"),
        (list, {"*0": LyingList()}, "failed", "ReadWithoutEnd"),
        (_warn, {}, "failed", "RuntimeWarning"),
        (np.array, {"*0": "x", "*1": "int"}, "failed", "ValueError"),
    ],
    ids=[f"{outcome}-{number}" for number, outcome in enumerate("drssfsfff")],
)
def test_judge__knows_how_calls_may_end(function: Any, arguments: Any, outcome: str, wrong: str) -> None:
    found = calls.judge(Call(function, arguments))
    assert found[0] == outcome and found[1].startswith(wrong) and bool(found[1]) == bool(wrong)


@pytest.mark.parametrize(
    "error",
    [
        dml.DmlError([]),
        dml.DmlError(dml.Violation("list", "", "x", "y")),
        dml.DmlError(dml.Violation("list", "a", "", "y")),
        dml.DmlError(dml.Violation("list", "a", "x", "")),
        dml.DmlError(dml.Violation("no.rule", "a", "x", "y")),
        dml.DmlError(dml.Violation("list", "a", "x" * 5000, "y")),
    ],
)
def test_judge__sees_what_an_error_does_not_say(error: dml.DmlError) -> None:
    def refuse() -> None:
        raise error

    assert calls.judge(Call(refuse, {}))[0] == "refused" and calls.judge(Call(refuse, {}))[1]


@pytest.mark.parametrize(
    ("module", "name", "broken"),
    [
        (integers, "as_integer", lambda value: value.__index__()),
        (integers, "as_values", lambda values, may_be_endless=False: list(values)),
        (outside, "answer", lambda ask, otherwise: ask()),
    ],
)
def test_calls__notice_what_is_asked_without_care(
    module: Any, name: str, broken: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, broken)
    assert calls.fuzz_calls(1, 600).failures
