"""Whatever inputs and outputs are called, they are bound by their names, and found by them."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.runtime.outputs import named_outputs
from tests.fuzz.names import FIRST, RESULTS, SECOND, X, check_outputs, check_owned, check_run, make_graph

REFERENCE = dml.Device("reference")
LIGATURE = "\ufb01"
"""One character, which Python reads as `fi` where it is part of a word in a program."""
ODD = [
    ["self", "device", LIGATURE, "fi"],
    ["buffers", "named", "fi", LIGATURE],
    ["what", "cls", "count", "index"],
    ["class", "None", "_fields", "_names"],
    ["__call__", "__dict__", "__class__", "__getitem__"],
    ["a[0]", "a[1]", "b[0]", "b_0"],
    ["a[", "]", "1", "²"],
    ["layer/1", "layer 2", "\x1b\n", "\ud800"],
    ["InputTensor", "input_tensor", "OutputTensor", "output_tensor"],
    ["\u212b", "\u00c5", "A\u030a", "x"],
]


@pytest.mark.parametrize("names", ODD, ids=ascii)
def test_graph__runs_by_its_names(names: list[str]) -> None:
    assert check_run(make_graph([*names, "", ""])) == ""
    assert check_owned(make_graph([*names, "", ""], "OWNED_BY_DML")) == ""


def test_keywords__of_the_call_are_names_as_well() -> None:
    compiled = REFERENCE.compile_graph(make_graph(["self", "buffers", "r", "s", "", ""]))
    assert check_outputs(("r", "s"), compiled(self=FIRST, buffers=SECOND)) == ""
    assert check_outputs(("r", "s"), compiled.on_device(self=FIRST, buffers=SECOND)) == ""
    owned = REFERENCE.compile_graph(make_graph(["x", "self", "r", "s", "", ""], "OWNED_BY_DML"))
    owned.initialize(self=SECOND)
    assert check_outputs(("r", "s"), owned(x=FIRST)) == ""


def test_device__is_named_in_a_dictionary() -> None:
    graph = make_graph(["device", "y", "r", "s", "", ""])
    assert check_outputs(("r", "s"), dml.run(graph, {"device": FIRST}, y=SECOND, device="reference")) == ""


def test_words_of_programs__are_read_as_python_reads_them() -> None:
    compiled = REFERENCE.compile_graph(make_graph([LIGATURE, "y", "r", "s", "", ""]))
    call: Callable[..., Any] = eval(f"lambda run, x, y: run({LIGATURE}=x, y=y)")
    assert check_outputs(("r", "s"), call(compiled, FIRST, SECOND)) == ""
    both = REFERENCE.compile_graph(make_graph([LIGATURE, "fi", "r", "s", "", ""]))
    assert check_outputs(("r", "s"), both({LIGATURE: FIRST}, fi=SECOND)) == ""
    with pytest.raises(dml.BindingError, match=r"binding\.missing"):
        both(fi=FIRST)


@pytest.mark.parametrize(
    ("arguments", "named", "rule"),
    [
        (({"x": FIRST},), {"x": FIRST, "y": SECOND}, "binding.twice"),
        (({"x": FIRST}, {"x": FIRST, "y": SECOND}), {}, "binding.twice"),
        ((FIRST, {"x": FIRST, "y": SECOND}), {}, "binding.twice"),
        (({"z": FIRST, "x": FIRST, "y": SECOND},), {}, "binding.unknown"),
        (({0: FIRST, "x": FIRST, "y": SECOND},), {}, "binding.unknown"),
        (({},), {}, "binding.missing"),
    ],
)
def test_dictionary__is_checked_as_names_are(arguments: Any, named: Any, rule: str) -> None:
    compiled = REFERENCE.compile_graph(make_graph(["x", "y", "r", "s", "", ""]))
    with pytest.raises(dml.BindingError) as raised:
        compiled(*arguments, **named)
    assert rule in [violation.rule for violation in raised.value.violations]


@pytest.mark.parametrize("name", ["x", "class", "layer/1", LIGATURE, "it's", "\x1b\n", '"'])
def test_missing_buffer__is_given_as_the_message_says(name: str) -> None:
    """The fix is a piece of a program: with a buffer in its place, it works."""
    compiled = REFERENCE.compile_graph(make_graph([name, "y", "r", "s", "", ""]))
    with pytest.raises(dml.BindingError) as raised:
        compiled(y=SECOND)
    [violation] = raised.value.violations
    assert violation.path == name
    fix = str(violation).partition("; try ")[2].partition(" [binding")[0]
    program = f"compiled({fix.replace('a buffer', 'FIRST')}, y=SECOND)"
    ast.parse(program)
    assert check_outputs(("r", "s"), eval(program, {**globals(), "compiled": compiled})) == ""


def test_missing_initialization__is_told_as_it_works() -> None:
    compiled = REFERENCE.compile_graph(make_graph(["x", "layer/1", "r", "s", "", ""], "OWNED_BY_DML"))
    with pytest.raises(dml.BindingError) as raised:
        compiled(FIRST)
    [call] = re.findall(r"try (initialize\(.*\)) first", str(raised.value))
    eval(f"compiled.{call}".replace("...", "SECOND"), {**globals(), "compiled": compiled})
    assert check_outputs(("r", "s"), compiled(FIRST)) == ""


def test_messages__call_inputs_of_graphs_by_their_names() -> None:
    compiled = REFERENCE.compile_graph(make_graph(["input_a", "y", "r", "s", "", ""]))
    with pytest.raises(dml.BindingError, match=r"input_a: found no buffer"):
        compiled(y=SECOND)


def test_operator__takes_a_dictionary_too() -> None:
    operator = dml.ElementWiseAdd(a_tensor=X, b_tensor=X)
    assert np.array_equal(operator({"a_tensor": FIRST}, BTensor=SECOND).reshape(-1), RESULTS[0])


# The outputs


def test_outputs__are_a_named_tuple() -> None:
    outputs = named_outputs(("b", "a[0]", "a[1]", LIGATURE, "class", "layer/1"), range(6))
    assert isinstance(outputs, tuple) and outputs == tuple(range(6)) and outputs[1:3] == (1, 2) and outputs[-1] == 5
    assert (outputs.b, outputs.a_0, outputs.a_1, outputs.fi) == (0, 1, 2, 3)
    assert [outputs[name] for name in ("b", "a[0]", "a[1]", LIGATURE, "class", "layer/1")] == list(range(6))
    assert outputs._fields == ("b", "a_0", "a_1", "fi", "_4", "_5")
    assert outputs._replace(b=9)["b"] == 9 and outputs._asdict()["_5"] == 5
    assert not any(char in repr(named_outputs(("\x1b", "\n"), [0, 1])) for char in "\x1b\n")


@pytest.mark.parametrize("names", [(LIGATURE, "fi"), ("fi", LIGATURE), ("a[0]", "a_0"), ("a_0", "a[0]")])
def test_outputs__that_are_one_word_are_told_apart(names: tuple[str, str]) -> None:
    outputs = named_outputs(names, [0, 1])
    plain = next(name for name in names if name in ("fi", "a_0"))
    assert getattr(outputs, plain) == names.index(plain) == outputs[plain]
    assert [outputs[name] for name in names] == [0, 1]


def test_outputs__are_copied_and_pickled() -> None:
    outputs = named_outputs(("x", "layer/1"), [1, 2])
    for again in (copy.copy(outputs), copy.deepcopy(outputs), pickle.loads(pickle.dumps(outputs))):
        assert again == outputs and again["layer/1"] == 2 and again.x == 1 and type(again) is type(outputs)


def test_outputs__of_another_name_are_refused() -> None:
    with pytest.raises(dml.BindingError, match=r"found 'layer1', .* try 'layer/1' \[outputs\.name\]"):
        named_outputs(("x", "layer/1"), [1, 2])["layer1"]
    with pytest.raises(IndexError):
        named_outputs(("x", "layer/1"), [1, 2])[2]


def test_outputs__may_be_very_many() -> None:
    names = tuple(f"out[{i}]" for i in range(3000))
    outputs = named_outputs(names, range(3000))
    assert outputs["out[2999]"] == outputs.out_2999 == 2999
