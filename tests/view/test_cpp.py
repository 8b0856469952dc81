"""Operators and graphs as C++: what is printed compiles, and says what the description says."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import anydml as dml
from anydml.cli.main import main
from anydml.core.schema import OPERATORS
from anydml.view.cpp import comment, identifier
from tests.cases.framework import make_case, numbers_of
from tests.view.declarations import declarations

COMPILER = next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None)
NEEDS_COMPILER = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler here")
EXAMPLES = Path(__file__).parents[2] / "examples"


def compile_cpp(text: str, folder: Path, run: bool = False) -> str:
    """What a compiler, or the program, prints of this text behind our declarations."""
    source = folder / "program.cpp"
    source.write_text(f"{declarations()}\n{text}", "utf-8")
    target = ["-o", str(folder / "program")] if run else ["-fsyntax-only"]
    command = [str(COMPILER), "-std=c++14", "-Wall", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable"]
    done = subprocess.run([*command, *target, str(source)], capture_output=True, text=True)
    if done.returncode or not run:
        return done.stderr
    return subprocess.run([str(folder / "program")], capture_output=True, text=True, check=True).stdout


def functions() -> str:
    """A function for cases of every operator."""
    found = []
    for name in sorted(OPERATORS):
        for number in list(numbers_of(name))[:3]:
            body = make_case(name, number).build().to_cpp()
            found.append(f"void {name.lower()}_{number}()\n{{\n{body}\n}}\n")
    return "".join(found)


@NEEDS_COMPILER
def test_every_operator__compiles(tmp_path: Path) -> None:
    assert compile_cpp(functions(), tmp_path) == ""


@NEEDS_COMPILER
def test_wrong_members__do_not_compile(tmp_path: Path) -> None:
    text = dml.ActivationElu(input_tensor=dml.TensorDesc("FLOAT32", [4])).to_cpp().replace("desc.Alpha", "desc.Alfa")
    assert "Alfa" in compile_cpp(f"void f() {{ {text} }}", tmp_path)


@NEEDS_COMPILER
def test_program__holds_the_description(tmp_path: Path) -> None:
    tensor = dml.TensorDesc("FLOAT16", [1, 1, 4, 4], [32, 32, 8, 1], flags="OWNED_BY_DML")
    pad = dml.Padding1(
        input_tensor=tensor,
        padding_mode="EDGE",
        padding_value_data_type="FLOAT16",
        padding_value=1.5,
        start_padding=[0, 0, 1, 2],
        end_padding=[0, 0, 3, 4],
    )
    body = pad.to_cpp("pad")
    lines = [
        "#include <cstdio>",
        f"int main() {{ {body}",
        "auto b = (const DML_BUFFER_TENSOR_DESC*)padDesc.InputTensor->Desc;",
        "auto total = (unsigned long long)b->TotalTensorSizeInBytes;",
        'printf("%u %u %u %llu %d ", b->Sizes[2], b->Strides[2], b->Flags, total, (int)b->DataType);',
        'printf("%d %x %u %u %d", (int)padDesc.PaddingMode, padDesc.PaddingValue.UInt16, padDesc.StartPadding[3],'
        " padDesc.DimensionCount, (int)padOperatorDesc.Type); }",
    ]
    found = compile_cpp("\n".join(lines), tmp_path, run=True)
    half = int(np.array(1.5, np.float16).view(np.uint16))
    names = ["FLOAT32", "FLOAT16"]
    assert found == f"4 8 1 56 {names.index('FLOAT16')} 1 {half:x} 2 4 {dml.Padding1.dml_id}"


@NEEDS_COMPILER
def test_graph__compiles_with_its_edges(tmp_path: Path) -> None:
    tensor = dml.TensorDesc("FLOAT32", [1, 1, 4, 4])
    gemm = dml.Gemm(a_tensor=tensor, b_tensor=tensor, fused_activation=dml.ActivationRelu)
    constant = dml.ConstantNode(np.arange(16, dtype=np.float32))
    relu = dml.OperatorNode(dml.ActivationRelu(input_tensor=tensor), "gate\n} // */")
    graph = dml.Graph([constant, gemm, relu], [(0, 1, 0)], [(2, 0, 0)], [(0, 0, 1, 1), (1, 0, 2, 0)])
    text = graph.to_cpp()
    assert compile_cpp(f"void f() {{\n{text}\n}}", tmp_path) == ""
    assert "{ 0, 0, 1, 1, nullptr }" in text and "{ 1, 0, 2, 0, nullptr }" in text


@NEEDS_COMPILER
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_example__is_exported(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(path)]) == 0, "C++ is the default"
    default = capsys.readouterr().out
    assert main(["export", str(path), "--cpp"]) == 0
    text = capsys.readouterr().out
    assert text.count("const DML_OPERATOR_DESC operatorDesc") >= 1
    assert text == default and compile_cpp(text, tmp_path) == ""


def test_export__says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.json"
    path.write_text("{", "utf-8")
    assert main(["export", str(path), "--cpp"]) == 1
    assert "json.syntax" in capsys.readouterr().err
    assert main(["export", str(path), "--cpp", "--dml_feature_level", "9"]) == 2


@pytest.mark.parametrize(
    ("text", "name"),
    [("conv 1", "conv1"), ("block/gate", "blockGate"), ("3x", "_3x"), ("int", "_int"), ("é", "unnamed")],
)
def test_identifier__is_one_of_cpp(text: str, name: str) -> None:
    assert identifier(text) == name


@pytest.mark.parametrize("word", ["class", "main", "new", "template", "co_await", "xor", "return"])
def test_identifier__is_no_word_that_cpp_keeps(word: str) -> None:
    assert identifier(word) != word


ODD = ["a", "a2", "A", "a 2", "main", "class", "x\\", "??/", "*/", "é張\u202e", "\n}", "a\\\n", "a?", "3"]


@NEEDS_COMPILER
def test_export__has_functions_of_their_own_for_any_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    relu = dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [4])).to_dict()
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"resources": {}, "dispatchables": dict.fromkeys(ODD, relu), "commands": []}), "utf-8")
    assert main(["export", str(path)]) == 0
    text = capsys.readouterr().out
    assert text.isascii() and text.count("\nvoid ") == len(ODD) and "\\xe9\\u5f35\\u202e" in text
    assert compile_cpp(text, tmp_path) == ""


@NEEDS_COMPILER
@pytest.mark.parametrize("name", ODD)
def test_comment__ends_with_its_line(name: str, tmp_path: Path) -> None:
    """What follows a comment that went on would be lost: the function would have no name."""
    assert compile_cpp(f"// {comment(name)}\nvoid f() {{}}\nvoid g() {{ f(); }}", tmp_path) == ""


@NEEDS_COMPILER
def test_comment__would_go_on(tmp_path: Path) -> None:
    assert compile_cpp("// x\\\nvoid f() {}\nvoid g() { f(); }", tmp_path)
