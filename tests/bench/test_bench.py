"""The benchmark measures what it says and judges by what it measured."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from anydml.bench import contenders, measure, report
from anydml.bench.chart import LABEL, Bar, Group, _step, chart
from anydml.bench.first_use import FirstUse
from anydml.bench.measure import Lead, Result, Run, Timing
from anydml.bench.onnx_model import model
from anydml.bench.patterns import PATTERNS, Case
from anydml.cli.bench import _chosen
from anydml.cli.main import main
from anydml.core.datatype import DataType

Captured = pytest.CaptureFixture[str]
FAST = FirstUse(0.05, 0.03, 0.003)


def result(pattern: str, ours: float, type_name: str = "float32", **others: float) -> Result:
    """One where the copy takes a second and each contender is so many times as fast."""
    ratios = {"copy": 1.0, "fastest copy": 1.0, "anydml": ours, "anydml, 1 thread": ours * 0.8, "NumPy": 0.3, **others}
    timings = {name: Timing(1 / ratio, 0.9 / ratio, 1.1 / ratio) for name, ratio in ratios.items()}
    leads = {name: Lead(ours / ratio, 0.02) for name, ratio in ratios.items()}
    return Result(pattern, type_name, 10**9, "tile", timings, ratios, leads)


def whole_run(ours: float, **others: float) -> Run:
    results = [result(pattern.name, ours, **others) for pattern in PATTERNS]
    return Run({"processor": "one"}, 64 << 20, 2, FAST, 2e-6, results)


def test_timing__is_median_and_quartiles() -> None:
    timing = Timing.of([1.0, 2.0, 3.0, 4.0, 100.0])
    assert (timing.median, timing.low, timing.high) == (3.0, 2.0, 4.0)
    assert timing.spread == pytest.approx(2 / 3)


def test_lead__is_the_median_ratio_and_its_notch() -> None:
    lead = Lead.of([2.0, 4.0, 6.0, 8.0], [2.0, 2.0, 2.0, 2.0])
    assert lead.median == 2.5
    assert lead.noise == pytest.approx(1.57 * 1.5 / 2)


@pytest.mark.parametrize(("ratio", "noise", "verdict"), [(0.96, 0, "PASS"), (0.94, 0, "MISS"), (0.94, 0.1, "PASS")])
def test_goals__tell_a_faster_peer_from_noise(ratio: float, noise: float, verdict: str) -> None:
    run = whole_run(1.2)
    run.results[3].leads["NumPy"] = Lead(ratio, noise)
    line = next(line for line in report.goals(run) if "fastest peer" in line)
    assert line.startswith(verdict)
    assert f"{ratio:.2f} +- {noise:.2f}" in line


def test_goals__pass_when_met() -> None:
    lines = report.goals(whole_run(1.2))
    assert all(line.startswith("PASS") for line in lines), lines
    assert any("geometric mean 1.20" in line for line in lines)


def test_goals__miss_when_not_met() -> None:
    lines = report.goals(whole_run(0.4, PyTorch=0.6))
    assert [line[:4] for line in lines] == ["MISS"] * 5 + ["PASS"] * 3
    slow = replace(whole_run(1.0), first_use=FirstUse(0.1, 0.07, 0.01), dispatch_seconds=20e-6)
    assert [line[:4] for line in report.goals(slow)][-2:] == ["MISS", "MISS"]


def test_goals__compare_with_the_fastest_copy() -> None:
    lines = [line for line in report.goals(whole_run(1.0, **{"fastest copy": 1.25})) if "of the limit" in line]
    assert [line[:4] for line in lines] == ["MISS", "PASS"]
    assert "0.80 of the limit" in lines[0]


def test_goals__tell_negative_strides_from_positive() -> None:
    lines = report.goals(whole_run(1.0, **{"anydml, positive strides": 1.2}))
    assert sum(line.startswith("MISS") and "positive strides" in line for line in lines) == len(PATTERNS)


@pytest.mark.parametrize(("torch", "passes"), [(0.2, "PASS"), (0.3, "MISS")])
def test_goals__of_bytes_compare_with_pytorch(torch: float, passes: str) -> None:
    results = [result(pattern.name, 1.0, "uint8", PyTorch=torch) for pattern in PATTERNS]
    run = Run({}, 64 << 20, 2, FAST, 2e-6, results)
    assert next(line for line in report.goals(run) if "PyTorch" in line).startswith(passes)


def test_goals__need_all_patterns() -> None:
    few = replace(whole_run(0.1), results=whole_run(0.1).results[:3])
    assert not any("float32" in line for line in report.goals(few))


def test_goals__need_more_than_the_caches_hold() -> None:
    assert not any("float32" in line for line in report.goals(replace(whole_run(0.1), size_bytes=1 << 20)))


def test_table__shows_rates_and_gaps() -> None:
    text = report.table([result("one", 0.5, PyTorch=0.25), result("another", 2.0)])
    lines = text.splitlines()
    assert lines[2].split() == ["one", "tile", "1.00", "0.50", "20%", "0.50", "0.50", "0.40", "0.30", "0.25"]
    assert lines[3].split()[-1] == "-"
    assert "anydml 1.00" in lines[-1]


def test_chart__is_a_picture_of_every_group() -> None:
    groups = [
        Group("heading", {}),
        Group("a < b", {"anydml": Bar.exact(0.5), "PyTorch": Bar.rate(1.0, Timing(4.0, 2.0, 5.0))}),
        Group("c", {"anydml": Bar.exact(2.0)}),
    ]
    root = ElementTree.fromstring(chart("title & more", groups))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"heading", "a < b", "c", "title & more", "anydml", "PyTorch", "1", "2"} <= set(texts)
    assert "NumPy" not in texts
    widths = sorted(float(bar.get("width", 0)) for bar in root.iter("{http://www.w3.org/2000/svg}rect"))
    assert widths[2:5] == pytest.approx([65, 130, 520], abs=1)
    (spread,) = [line for line in root.iter("{http://www.w3.org/2000/svg}line") if line.get("y1") == line.get("y2")]
    ends = [float(spread.get(end, 0)) - LABEL for end in ("x1", "x2")]
    assert ends == pytest.approx([0.2 * 260, 0.5 * 260], abs=1)


@pytest.mark.parametrize(("largest", "step"), [(0.03, 0.005), (1.9, 0.5), (4.0, 0.5), (8.0, 1.0), (233.0, 50.0)])
def test_chart__has_a_few_lines_at_round_numbers(largest: float, step: float) -> None:
    assert _step(largest) == pytest.approx(step)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_contenders__all_move_the_same(pattern: object) -> None:
    """Also PyTorch and ONNX Runtime, where installed: a peer that did less would look fast."""
    case: Case = pattern.build(3000, 4)  # type: ignore[attr-defined]
    source = measure._buffer(case.source, DataType.FLOAT32)
    source[:] = np.random.default_rng(1).random(source.size)
    results = {}
    for name in ("anydml", *contenders.PEERS):
        destination = measure._buffer(case.destination, DataType.FLOAT32)
        move = contenders.CONTENDERS[name](case, contenders.Buffers(source, destination), 2)
        if move is not None:
            move()
            results[name] = destination
    assert "anydml" in results
    for name, destination in results.items():
        assert np.array_equal(destination, results["NumPy"]), name


def test_onnx_model__holds_its_fields() -> None:
    """A reader of protobuf finds the operator, its attribute and the sizes; ONNX Runtime reads it above."""
    case = PATTERNS[1].build(4096, 4)
    fields = read_message(model(case, "float32"))
    graph = read_message(fields[7][0])
    node = read_message(graph[1][0])
    assert node[1] == [b"x"]
    assert node[2] == [b"y"]
    assert node[4] == [b"Transpose"]
    assert read_message(node[5][0])[8] == [0, 2, 1]
    assert fields[1] == [8]


def read_message(data: bytes) -> dict[int, list[bytes | int]]:
    """The numbers and byte strings of a protobuf message, by field."""
    fields: dict[int, list[bytes | int]] = {}
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        value: bytes | int = varint()
        if tag & 7 == 2:
            size = int(value)
            value, at = data[at : at + size], at + size
        fields.setdefault(tag >> 3, []).append(value)
    return fields  # type: ignore[return-value]


def test_command__prints_a_table_and_writes_a_chart(tmp_path: Path, capsys: Captured) -> None:
    svg = tmp_path / "chart.svg"
    words = ["bench", "moves", "--size", "64K", "--repeat", "2", "--patterns", "broadcast", "--svg", str(svg)]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "broadcast row" in printed
    assert "transpose" not in printed
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")


def test_patterns__can_be_named_with_their_commas() -> None:
    assert [pattern.name for pattern in _chosen("transpose, odd sizes")] == ["transpose, odd sizes"]
    assert len(_chosen("transpose")) == 3
    assert {pattern.name for pattern in _chosen("odd sizes, broadcast")} >= {"transpose, odd sizes", "broadcast row"}
    assert len(_chosen(None)) == len(PATTERNS)


def test_command__tells_which_peers_are_missing(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr(measure, "describe_machine", lambda: {"processor": "one"})
    assert main(["bench", "moves", "--size", "16K", "--repeat", "1", "--patterns", "broadcast", "--peers"]) == 0
    assert "not installed: PyTorch, ONNX Runtime" in capsys.readouterr().out


def test_command__prints_json(capsys: Captured) -> None:
    words = "bench moves --size 16K --repeat 2 --patterns transpose --types uint8,float64 --threads 1 --json"
    assert main(words.split()) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {entry["type_name"] for entry in printed["results"]} == {"uint8", "float64"}
    assert printed["results"][0]["timings"]["NumPy"]["median"] > 0
    assert printed["threads"] == 1


def test_command__measures_passes(capsys: Captured) -> None:
    words = "bench moves --size 2M --repeat 1 --patterns contiguous,broadcast --threads 1 --passes"
    assert main([*words.split(), "--json"]) == 0
    copy, row, _ = json.loads(capsys.readouterr().out)["results"]
    assert {"read pass", "write pass"} <= set(copy["timings"]) and copy["read_bytes"] == copy["payload_bytes"]
    assert "write pass" in row["timings"] and "read pass" not in row["timings"], "one row stays in a cache"
    assert main(words.split()) == 0
    assert "of the bound; the contiguous copy takes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--device cuda --passes", "--passes"),
        ("--size 3", "expected bytes from 4K to 4G"),
        ("--size many", "expected bytes from 4K to 4G"),
        ("--types float33", "a DirectML data type"),
        ("--types int4", "expected types of whole bytes"),
        ("--patterns nothing", "expected texts out of these names"),
        ("--patterns transpose,nothing", "found 'nothing', expected texts"),
        ("--patterns ,", "found ',', expected texts"),
        ("--repeat 0", "expected a whole number from 1"),
        ("--threads x", "expected a whole number from 1"),
    ],
)
def test_command__says_what_it_expected(capsys: Captured, words: str, message: str) -> None:
    assert main(["bench", "moves", *words.split()]) == 2
    assert message in capsys.readouterr().err
