"""`anydml explain`, as its user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import anydml as dml
from anydml.cli.main import main

Captured = pytest.CaptureFixture[str]


def explain(line: str) -> int:
    return main(["explain", *line.split()])


def explained(line: str, capsys: Captured) -> dict[str, Any]:
    assert explain(f"{line} --json") == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("FLOAT32 2,3 --strides 5,1", ["Padded", "2 of the 8", "1·5 + 2·1 = 7", "byte 28", "░░░"]),
        ("FLOAT32 2x3 --strides 0,1", ["Broadcast along H", "read by 2 indices", "A*"]),
        ("FLOAT32 2,3 --strides 1,2", ["Packed", "WH (column-major)"]),
        ("FLOAT32 2,2,3 --order DHW", ["Packed", "order DHW", "d=0", "d=1"]),
        ("FLOAT32 1,1,3,5 --order NHWC", ["ambiguous", "those of NHWC"]),
        ("float16 3", ["tail", "up to a multiple of 4 bytes"]),
        ("UINT4 9 --offset 2", ["It starts 2 elements into its memory", "low half of byte"]),
        ("UINT8 4,3 --strides 1,1", ["Overlapping", "12 indices reach 6 elements"]),
        ("FLOAT32 2,3 --total-bytes 40", ["room after the last element"]),
        ("DML_TENSOR_DATA_TYPE_INT64 2×3", ["INT64 2×3"]),
        ("FLOAT32 2X3 --strides [5,1]", ["FLOAT32 2×3, strides 5, 1"]),
        ("FLOAT32 2*3 --strides (5,1)", ["FLOAT32 2×3, strides 5, 1"]),
        ("FLOAT32 [2,]", ["FLOAT32 2,"]),
    ],
)
def test_explain__says_what_the_layout_is(line: str, words: list[str], capsys: Captured) -> None:
    assert explain(line) == 0
    printed = capsys.readouterr().out
    for word in words:
        assert word in printed
    assert "\033" not in printed  # piped: no colours


def test_row_major__is_what_the_reference_strides_are_called(capsys: Captured) -> None:
    assert explain("FLOAT32 2,3 --strides 1,2") == 0  # packed, so that nothing else may claim to be the packed one
    assert "row-major  3  1   packed with the last axis fastest\n" in capsys.readouterr().out
    assert explain("FLOAT32 2,3") == 0
    assert "row-major  3  1   the same\n" in capsys.readouterr().out


def test_numbers__in_cells_are_explained_where_letters_run_out(capsys: Captured) -> None:
    for line, is_told in {"UINT8 26": False, "UINT8 27": True, "UINT8 3,9 --order WH": True}.items():
        assert explain(line) == 0
        assert ("the number of an element, counted in row-major order" in capsys.readouterr().out) == is_told


def test_small_planes__are_all_shown_while_they_fit(capsys: Captured) -> None:
    assert explain("FLOAT32 6,2,2") == 0
    printed = capsys.readouterr().out
    assert all(f"d={i}" in printed for i in range(6)) and "left out" not in printed
    assert explain("FLOAT32 6,8,8") == 0
    assert "planes" in capsys.readouterr().out


def test_planes_left_out__are_told_on_a_line_of_their_own_when_lines_break(capsys: Captured) -> None:
    assert explain("FLOAT32 64,4,4") == 0
    assert "\n\n  … 62 planes\n\n" in capsys.readouterr().out
    assert explain("FLOAT32 64,2,2") == 0
    assert "… 62 planes   d=63" in capsys.readouterr().out


BAD = {
    "FLOAT32 2,0": "Sizes[1]",
    "FLOAT32 -2,3": "Sizes[0]",
    "FLOAT32 -2": "Sizes[0]",
    "FLOAT32 1,1,1,1,1,1,1,1,1": "9 sizes",
    "FLOAT32 2,3 --strides 1": "1 stride",
    "FLOAT32 2,3 --strides -3,1": "Strides[0]: found -3",
    "FLOAT32 2,3 --strides=-3,1": "Strides[0]: found -3",
    "FLOAT32 65536,65536": "4294967296 elements",
    "FLOAT32 2,2 --strides 4294967295,1": "span",
    "FLOAT32 2 --strides 4294967296": "Strides",
    "FLOAT32 2,3 --total-bytes 20": "at least 24",
    "FLOAT32 2,3 --total-bytes 25": "multiple of 4",
    "FLOAT32 2,3 --total-bytes 9223372036854775808": "2^63",
    "FLOAT32 2,3 --total-bytes many": "TotalTensorSizeInBytes",
    "FLOAT32 2,3 --alignment 24": "power of two",
    "FLOAT32 2,3 --alignment 2": "an element of FLOAT32",
    "FLOAT33 2,3": "'FLOAT32'",
    "FLOAT32 1,3,4,4 --order NHHC": "H repeated",
    "FLOAT32 1,3,4,4 --order NHW": "3 letters",
    "FLOAT32 1,3,4,4 --order N2WC": "one letter for each axis",
    "FLOAT32 2,3 --strides 3,1 --order HW": "one of the two",
    "FLOAT32 2,x": "Sizes[1]: found 'x'",
    "FLOAT32 2,,3": "Sizes[1]: found ''",
    "FLOAT32 2.5,3": "Sizes[0]: found '2.5'",
    "FLOAT32 2x3,4": "SIZES: found '2x3,4', expected decimal numbers and one separator; write 2,3 or 2x3",
    "FLOAT32 0x10": "write 2,3 or 2x3",
    "FLOAT32 2,3 --strides 3x1,1": "--strides: found '3x1,1'",
    "FLOAT32 4,4 --window sizes=2x3,4": "sizes: found '2x3,4'",
    "FLOAT32 2,3 --strides a,b": "Strides[1]: found 'b'",
    "FLOAT32 2,3 --offset -1": "Offset: found -1",
    "FLOAT32 2,3 --offset x": "Offset: found 'x'",
    "FLOAT32 2,3 --offset 9223372036854775808": "Offset",
    f"FLOAT32 {'9' * 5000}": "99999...",
    "FLOAT32 4,4 --window offsets=0": "one for each dimension",
    "FLOAT32 4,4 --window offsets=0,2 sizes=4,3": "a window inside 0 to 3",
    "FLOAT32 4,4 --window strides=0,1": "a stride other than 0",
    "FLOAT32 4,4 --window strides=-2,2 output=3,2": "1 to 2",
    "FLOAT32 4,4 --window sizes=4,q": "sizes[1]: found 'q'",
    "FLOAT32 4,4 --window size=4,4": "try 'sizes'",
    "FLOAT32 4,4 --window sizes=4,4 sizes=4,4": "twice",
    "FLOAT32 4,4 --window 0,1": "expected KEY=LIST",
    "FLOAT32": "SIZES",
    "FLOAT32 2,3 --colour": "--colour",
}


@pytest.mark.parametrize("line", BAD, ids=lambda line: line[:60])
def test_bad_input__is_refused_with_status_2_and_nothing_written(
    line: str, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explain", *line.split(), "--svg", "picture.svg", "--html", "page.html"]) == 2
    printed = capsys.readouterr()
    assert BAD[line] in printed.err
    assert printed.err.startswith("error: ")
    assert "Traceback" not in printed.err and len(printed.err) < 1500
    assert printed.out == ""
    assert list(tmp_path.iterdir()) == []


def test_bad_sizes__with_a_space_are_told_how_to_be_written(capsys: Captured) -> None:
    for text in ("2 3", "2, 3 4", "2 -3"):
        assert main(["explain", "FLOAT32", text]) == 2
        assert f"found {text!r}" in (told := capsys.readouterr().err) and "write 2,3 or 2x3" in told
    assert main(["explain", "FLOAT32", " 2, 3 "]) == 0


def test_bad_window__tells_only_what_was_written(capsys: Captured) -> None:
    for words, path in {"offsets=0": "offsets", "offsets=9,0": "offsets[0]", "strides=1": "strides"}.items():
        assert explain(f"FLOAT32 4,4 --window {words} --json") == 2
        violations = json.loads(capsys.readouterr().out)["violations"]
        assert [violation["path"] for violation in violations] == [path]


def test_bad_input__tells_everything_at_once(capsys: Captured) -> None:
    assert explain("FLOAT33 0,x --strides -1,2 --total-bytes 3 --offset -1 --json") == 2
    printed = capsys.readouterr()
    told = json.loads(printed.out)
    rules = {violation["rule"] for violation in told["violations"]}
    assert rules >= {"data-type.known", "sizes.positive", "integer", "strides.negative", "total-size.multiple"}
    assert told["error"] in printed.err


def test_json__describes_usage_errors_too(capsys: Captured) -> None:
    assert explain("FLOAT32 --json") == 2
    told = json.loads(capsys.readouterr().out)
    assert "SIZES" in told["error"] and told["violations"] == []


def test_json__has_every_figure_and_cell(capsys: Captured) -> None:
    data = explained("FLOAT32 2,3 --strides 5,1 --total-bytes 40", capsys)
    layout = dml.Layout((2, 3), (5, 1))
    assert data["sizes"] == [2, 3] and data["strides"] == [5, 1] and data["packed_strides"] == [3, 1]
    assert data["kinds"] == ["padded"] and data["axes"] == "HW" and data["data_type"] == "FLOAT32"
    assert data["order"] == {"names": ["HW"], "exact": [], "total": 1, "is_ambiguous": False}
    assert {name: amount["bytes"] for name, amount in data["amounts"].items()} == {
        "logical": 24,
        "span": 32,
        "tail": 8,
        "total": 40,
    }
    assert [cell["offset"] for cell in data["logical"]] == [layout(index) for index in layout.indices()]
    kinds = [cell["kind"] for cell in data["memory"]]
    assert kinds == ["element"] * 3 + ["padding"] * 2 + ["element"] * 3 + ["padding"] * 2
    assert data["example"] == {"index": [1, 2], "offset": 7, "computed": "1·5 + 2·1 = 7"}
    assert data["window"] is None and data["result"] is None and not data["is_elided"]


@pytest.mark.parametrize(
    ("stride", "letters"), [("2", ["B", "D", "J", "L"]), ("-2", ["N", "P", "F", "H"])], ids=["forward", "backward"]
)
def test_window__gives_the_documented_results(stride: str, letters: list[str], capsys: Captured) -> None:
    # Elements A to P stand for the values 1 to 16 of DML_SLICE1's two examples: 2 4 10 12 and 14 16 6 8.
    data = explained(f"FLOAT32 1,1,4,4 --window offsets=0,0,0,1 sizes=1,1,4,3 strides=1,1,{stride},2", capsys)
    assert [cell["label"] for cell in data["result"]] == letters
    assert [cell["step"] for cell in data["result"]] == [1, 2, 3, 4]
    assert data["window"]["output_sizes"] == [1, 1, 2, 2]
    taken = sorted((cell["step"], cell["label"]) for cell in data["memory"] if cell.get("reach") == "taken")
    assert [label for _, label in taken] == letters


def test_window__may_be_quoted_and_leaves_out_what_is_all(capsys: Captured) -> None:
    assert main(["explain", "FLOAT32", "6", "--window", "strides=-1 output=2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [cell["label"] for cell in data["result"]] == ["F", "E"]


def test_plan__is_printed_and_part_of_json(capsys: Captured) -> None:
    assert explain("FLOAT32 2,3 --strides 5,1 --plan") == 0
    assert "copy to a packed tensor" in capsys.readouterr().out
    assert "6 elements" in explained("FLOAT32 2,3 --strides 5,1 --plan", capsys)["plan"]
    assert "4-bit" in explained("UINT4 2,3 --plan", capsys)["plan"]
    assert "NumPy moves" in explained("FLOAT32 2,3 --plan", capsys)["plan"]
    assert "NumPy moves" not in explained("FLOAT32 64,64 --plan", capsys)["plan"]


def test_files__are_written_beside_the_text(capsys: Captured, tmp_path: Path) -> None:
    picture, page = tmp_path / "picture.svg", tmp_path / "page.html"
    page.write_text("old")
    assert main(["explain", "FLOAT32", "2,3", "--svg", str(picture), "--html", str(page)]) == 0
    assert picture.read_text("utf-8").startswith("<svg")
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert sorted(tmp_path.iterdir()) == [page, picture]
    assert "Packed" in capsys.readouterr().out


def test_files__are_all_written_or_none(capsys: Captured, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    for page in (tmp_path / "missing" / "page.html", tmp_path, picture):
        assert main(["explain", "FLOAT32", "2,3", "--svg", str(picture), "--html", str(page)]) == 2
        assert str(page) in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []


def test_files__that_lead_nowhere_are_told(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "loop.svg").symlink_to("loop.svg")
    for name in ("loop.svg", "a\0b.svg", "x" * 5000 + ".svg"):
        for words in (["--svg", str(tmp_path / name)], ["--svg", str(tmp_path / name), "--html", "page.html"]):
            assert main(["explain", "FLOAT32", "2,3", *words]) == 2
            assert "[file.write]" in capsys.readouterr().err


def test_files__that_cannot_be_are_told_with_what_to_try(capsys: Captured, tmp_path: Path) -> None:
    folder = tmp_path / "none"
    for file, told in {
        "": "--svg: found '', expected the name of a file; try",
        str(folder / "a.svg"): f"a.svg: found no folder {str(folder)!r}, expected one that exists; try",
        str(tmp_path): "found a folder, expected a file; try",
    }.items():
        assert main(["explain", "FLOAT32", "2,3", "--svg", file]) == 2
        assert told in capsys.readouterr().err


def test_large__is_explained(capsys: Captured) -> None:
    data = explained("UINT8 65535,65535 --strides 65536,1 --total-bytes 8589934592", capsys)
    assert data["is_elided"] and data["distinct_elements"] == 65535 * 65535
    assert len(data["logical"]) + len(data["memory"]) < 1000
