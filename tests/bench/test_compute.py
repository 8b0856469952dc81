"""`anydml bench compute` compares results before it times them, and judges by what it measured."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from time import sleep

import numpy as np
import onnx
import pytest

from anydml.bench.compute import report, run
from anydml.bench.compute.case import NUMPY, ONNX, OURS, TORCH, Case, Family, Problem, Work
from anydml.bench.compute.families import FAMILIES, family
from anydml.bench.compute.run import Result, is_near, measure
from anydml.bench.measure import Lead, Timing
from anydml.bench.onnx_model import OnnxNode, write_model
from anydml.cli.main import main

CASES = [case for name in FAMILIES for case in family(name).cases if case.is_sized]
SIZE = 64 << 10


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case__everybody_computes_the_same(case: object) -> None:
    result = measure(case, SIZE, [OURS, NUMPY], 1, 2)  # type: ignore[arg-type]
    assert not result.differs and result.timings[OURS].median > 0


def result(name: str, **leads: float) -> Result:
    timings = {OURS: Timing(1.0, 1.0, 1.0)}
    timings |= {peer: Timing(lead, lead, lead) for peer, lead in leads.items()}
    return Result(
        "pointwise", name, 64 << 20, 10**9, 0, timings, {peer: Lead(lead, 0.01) for peer, lead in leads.items()}, []
    )


def test_goals__look_at_the_best_peer() -> None:
    slow = result("add", **{NUMPY: 3.0, TORCH: 0.5})
    assert slow.best_peer == TORCH and slow.lead is not None and slow.lead.median == 0.5
    lines = report.goals([slow, result("exp", **{NUMPY: 8.0})])
    assert lines[0].startswith("MISS") and "slower: add 0.50" in lines[0]
    assert lines[1].startswith("PASS") and "geometric mean 2.00" in lines[1]
    (fast, _) = report.goals([result("add", **{NUMPY: 1.5})])
    assert fast.startswith("PASS")


@pytest.mark.parametrize(("lead", "line"), [(1.2, "PASS"), (0.7, "MISS")])
def test_goals__look_at_the_peer_they_name(lead: float, line: str) -> None:
    """However fast another one is."""
    network = replace(result("LSTM", **{TORCH: lead, ONNX: 0.9}), family="recurrent")
    (said,) = report.goals([network])
    assert said.startswith(f"{line}  each at least 1.00 of PyTorch")


def test_goals__say_where_noise_hides_a_miss() -> None:
    (line, _) = report.goals([result("add", **{NUMPY: 0.945})])
    assert line.startswith("PASS") and "lowest 0.94 +- 0.01, which this run cannot tell from 0.95" in line


@pytest.mark.parametrize(("lead", "line"), [(0.8, "PASS"), (0.76, "MISS"), (0.7, "MISS")])
def test_goals__beside_the_packed_case(lead: float, line: str) -> None:
    turned = replace(result("add images, one NHWC", **{NUMPY: 2.0}), beside=Lead(lead, 0.02))
    said = report.goals([turned])[-1]
    assert said.startswith(f"{line}  add images, one NHWC: {lead:.2f}") and ("+-" in said) == (lead < 0.77)


def test_measure__compares_what_was_computed() -> None:
    results = {OURS: np.zeros(2), NUMPY: np.zeros(2)}

    def work(name: str, value: float) -> Work:
        return lambda: results[name].fill(value)

    for value, differs in ((1.0, []), (2.0, [NUMPY])):
        contenders = {OURS: work(OURS, 1.0), NUMPY: work(NUMPY, value)}
        found = Problem(contenders, {name: results[name].copy for name in results})
        case = Case("pointwise", "fill", lambda *_, found=found: found)  # type: ignore[misc]
        assert measure(case, SIZE, [OURS, NUMPY], 1, 1).differs == differs


def test_measure__lets_the_case_that_one_is_compared_with_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def case(name: str, seconds: float, beside: str | None = None) -> Case:
        def work() -> None:
            order.append(name)
            sleep(seconds)

        return Case("sleep", name, lambda *_: Problem({OURS: work}, {}), beside=beside)

    cases = case("short", 0.002), case("long", 0.004, "short")
    monkeypatch.setattr(run, "family", lambda _: Family("sleep", cases))
    measured = measure(cases[1], SIZE, [OURS], 3, 1)
    assert measured.beside is not None and 0.3 < measured.beside.median < 0.8
    assert list(measured.timings) == [OURS] and not set(measured.leads) - {OURS}
    turns = [name for name, _ in groupby(order)]
    assert turns[-6:] == ["long", "short"] * 3
    assert measure(cases[0], SIZE, [OURS], 1, 1).beside is None


def test_is_near__can_fail() -> None:
    one = np.array([1.0, np.nan, np.inf], np.float32)
    assert is_near(one, one.copy(), 1e-6)
    for other in ([1.001, np.nan, np.inf], [1.0, 0.0, np.inf], [1.0, np.nan, -np.inf], [1.0, np.nan]):
        assert not is_near(one, np.array(other, np.float32), 1e-6)


def test_write_model__is_a_model() -> None:
    nodes = [
        OnnxNode("ReduceSum", ("x", "axes"), ("s",), {"keepdims": 1}),
        OnnxNode("LeakyRelu", ("s",), ("r",), {"alpha": 0.5}),
        OnnxNode("Transpose", ("r",), ("y",), {"perm": (1, 0)}),
    ]
    data = write_model(nodes, [("x", "float32", (2, 3))], [("y", "float32", (1, 2))], [("axes", (1,))])
    model = onnx.load_from_string(data)
    onnx.checker.check_model(model, full_check=True)
    assert [node.op_type for node in model.graph.node] == ["ReduceSum", "LeakyRelu", "Transpose"]
    assert model.graph.node[1].attribute[0].f == 0.5


def test_command__prints_json_and_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    chosen = ["bench", "compute", "--sizes", "64K", "--repeat", "1", "--no-peers", "--cases", "clip"]
    assert main([*chosen, "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in done["results"]] == ["clip"] and done["limits"]["copy_rate"] > 0
    assert main([*chosen, "--svg", str(tmp_path / "chart.svg")]) == 0
    assert "pointwise, 64 KiB" in capsys.readouterr().out
    assert ">clip</text>" in (tmp_path / "chart.svg").read_text()


@pytest.mark.parametrize(
    "wrong", [["--family", "none"], ["--cases", "nothing like this"], ["--device", "cuda", "--svg", "chart.svg"]]
)
def test_command__names_what_is_there(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "compute", *wrong]) == 2
    assert "expected" in capsys.readouterr().err
