"""`anydml explain`: indices worked out, values in cells, windows in words, strides as jumps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anydml.cli.main import main

Captured = pytest.CaptureFixture[str]
WINDOW = "--window offsets=0,0,0,1 sizes=1,1,4,3 strides=1,1,-2,2"


def out_of(line: str, capsys: Captured) -> str:
    assert main(["explain", *line.split()]) == 0
    return capsys.readouterr().out


def data_of(line: str, capsys: Captured) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(out_of(f"{line} --json", capsys))
    return data


def error_of(line: str, capsys: Captured) -> str:
    assert main(["explain", *line.split()]) == 2
    return capsys.readouterr().err


def test_index__is_worked_out_and_marked(capsys: Captured) -> None:
    printed = out_of("FLOAT32 2,2,3 --index 1,0,1 --index 0,1,2", capsys)
    assert "H at (1, 0, 1): 1·6 + 0·3 + 1·1 = 7, byte 28" in printed
    assert "F at (0, 1, 2): 0·6 + 1·3 + 2·1 = 5, byte 20" in printed
    assert printed.count("›H‹") == 2 == printed.count("›F‹")
    told = data_of("FLOAT32 2,2,3 --index 1,0,1", capsys)
    assert told["indices"] == [
        {"index": [1, 0, 1], "offset": 7, "computed": "1·6 + 0·3 + 1·1 = 7", "label": "H", "input": [1, 0, 1]}
    ]
    assert [cell["label"] for cell in told["memory"] if cell.get("chosen")] == ["H"]


def test_index__of_a_large_tensor_is_shown(capsys: Captured) -> None:
    assert "500·1000 + 77·1 = 500077" in (printed := out_of("UINT8 1000,1000 --index 500,77", capsys))
    assert printed.count("›500077‹") == 2


@pytest.mark.parametrize(
    ("index", "told"),
    [
        ("2,0,0", "try [1, 0, 0]"),
        ("-1,0,1", "try [1, 0, 1]"),
        ("1,0", "3 numbers: 0 to 1, 0 to 1, 0 to 2"),
        ("1,x,0", "index[1]: found 'x'"),
    ],
)
def test_bad_index__is_told_with_one_that_is_right(index: str, told: str, capsys: Captured) -> None:
    assert told in error_of(f"FLOAT32 2,2,3 --index={index}", capsys)


def test_values__are_shown_in_cells(capsys: Captured, tmp_path: Path) -> None:
    for values in ("1:6", "1,2,3,4,5,6", "1:6:1"):
        assert "│ 4 │ 5 │ 6 │" in out_of(f"FLOAT32 2,3 --values {values}", capsys)
    assert "│ A │ D │ B │ E │ C │ F │" in out_of("FLOAT32 2,3 --strides 1,2 --values A:F", capsys)
    np.save(tmp_path / "six.npy", np.arange(6, dtype=np.float32).reshape(2, 3) / 4)
    assert "0.75" in out_of(f"FLOAT32 2,3 --values {tmp_path / 'six.npy'}", capsys)


def test_values__may_be_those_of_memory(capsys: Captured) -> None:
    printed = out_of("FLOAT32 2,3 --strides 5,1 --total-bytes 40 --values A,B,C,x,x,D,E,F,x,x", capsys)
    assert "│ A │ B │ C │░x░│░x░│ D │ E │ F │░x░│░x░│" in printed and "0 │ A │ B │ C │" in printed
    assert "3" in out_of("FLOAT32 2,3 --strides 0,1 --values 1:3", capsys)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("FLOAT32 2,3 --values 1:5", "found 5 values, expected 6, one for each index"),
        ("FLOAT32 2,3 --strides 5,1 --values 1:7", "6, one for each index, or 8, one for each place in memory"),
        ("FLOAT32 2,3 --strides 0,1 --values 1:6", "found 4 at (1, 0) and 1 at (0, 0), expected one value"),
        ("FLOAT32 2,3 --values 6:1", "try 1:16"),
        ("FLOAT32 2,3 --values none.npy", "no file 'none.npy'"),
        ("FLOAT32 2,3 --values 0:1e30", "at most"),
    ],
)
def test_bad_values__are_told(line: str, told: str, capsys: Captured) -> None:
    assert told in error_of(line, capsys)


def test_values__that_are_no_array_are_refused(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "bad.npy").write_bytes(b"no array")
    assert "a file that np.save wrote [npy.format]" in error_of(f"FLOAT32 2 --values {tmp_path / 'bad.npy'}", capsys)


def test_window__tells_where_each_element_comes_from(capsys: Captured) -> None:
    told = data_of(f"FLOAT32 1,1,4,4 --values 1:16 {WINDOW}", capsys)["window"]
    assert [(tuple(row["input"]), row["label"]) for row in told["elements"]] == [
        ((0, 0, 3, 1), "14"),
        ((0, 0, 3, 3), "16"),
        ((0, 0, 1, 1), "6"),
        ((0, 0, 1, 3), "8"),
    ]
    assert told["elements"][2]["text"] == (
        "output[0, 0, 1, 0] = {0, 0, 3, 1} + {1, 1, -2, 2} · {0, 0, 1, 0} = input[0, 0, 1, 1] = 6"
    )


def test_window__is_told_in_words_in_every_picture(capsys: Captured, tmp_path: Path) -> None:
    files = [tmp_path / "picture.svg", tmp_path / "page.html"]
    printed = out_of(f"FLOAT32 1,1,4,4 {WINDOW} --svg {files[0]} --html {files[1]}", capsys)
    for text in (printed, *(file.read_text("utf-8") for file in files)):
        plain = " ".join(text.replace("</text>", " ").split())
        assert plain.count("offsets {0, 0, 0, 1}, sizes {1, 1, 4, 3}, strides {1, 1, -2, 2}") >= 2  # title and legend
        assert "at its end, 0 + 4 - 1 = 3, and takes 3, 1." in plain or "0 + 4 - 1 = 3" in plain


def test_index__with_a_window_is_one_of_its_result(capsys: Captured) -> None:
    told = data_of(f"FLOAT32 1,1,4,4 --values 1:16 {WINDOW} --index 0,0,1,0", capsys)
    assert [row["label"] for row in told["window"]["elements"]] == ["6"]
    assert told["indices"][0]["input"] == [0, 0, 1, 1]
    assert "try [0, 0, 1, 0]" in error_of(f"FLOAT32 1,1,4,4 {WINDOW} --index 0,0,2,0", capsys)


def test_strides__are_drawn_as_jumps(capsys: Captured, tmp_path: Path) -> None:
    printed = out_of(f"FLOAT32 2,2,3 --svg {tmp_path / 'p.svg'} --html {tmp_path / 'p.html'}", capsys)
    for axis, stride, end in (("W", 1, "B"), ("H", 3, "D"), ("D", 6, "G")):
        line = next(line for line in printed.splitlines() if f"{axis}-stride {stride}: A to {end}" in line)
        assert line.count("─") == 4 * stride - 1 and "→" in line  # four characters for each cell
    drawn = (tmp_path / "p.svg").read_text("utf-8")
    assert drawn.count('<path class="jump"') == 3 and "D-stride 6: A to G" in drawn
    assert 'data-from="0" data-to="6"' in (tmp_path / "p.html").read_text("utf-8")
    told = data_of("FLOAT32 2,3 --strides 0,1", capsys)["jumps"]
    assert told == [
        {"axis": "H", "stride": 0, "from": 0, "to": 0},
        {"axis": "W", "stride": 1, "from": 0, "to": 1},
    ]


def test_sizes__may_be_several_words(capsys: Captured) -> None:
    assert out_of("FLOAT32 2 3", capsys) == out_of("FLOAT32 2,3", capsys)


def test_files__are_named_when_they_are_written(capsys: Captured, tmp_path: Path) -> None:
    assert main(["explain", "FLOAT32", "2,3", "--svg", str(tmp_path / "a.svg")]) == 0
    assert capsys.readouterr().err == f"wrote {tmp_path / 'a.svg'}\n"
    assert "try x.svg" in error_of("FLOAT32 2,3 --svg x.png", capsys)
    assert "try page.html" in error_of("FLOAT32 2,3 --html page.txt", capsys)
