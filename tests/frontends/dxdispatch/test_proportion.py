"""Work and memory in proportion: four times as much of anything in a model costs about four times as much."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import anydml as dml
from anydml.core.naming import closest
from anydml.frontends.dxdispatch import parse_model
from anydml.runtime.binding import binder_of
from anydml.runtime.host import HostMemory
from tests.work import growth_of

RELU = {"type": "ACTIVATION_RELU", "desc": {}}


def tensor(*sizes: int, **more: Any) -> dict[str, Any]:
    return {"DataType": "FLOAT32", "Sizes": list(sizes), **more}


def floats(values: Any, kind: str = "FLOAT32") -> dict[str, Any]:
    return {"initialValuesDataType": kind, "initialValues": values}


def model(resources: Any = None, dispatchables: Any = None, commands: Any = None) -> dict[str, Any]:
    return {"resources": resources or {}, "dispatchables": dispatchables or {}, "commands": commands or []}


def operator(kind: str, **desc: Any) -> dict[str, Any]:
    return model({}, {"a": {"type": kind, "desc": desc}})


def listed(unit: str, kind: str = "FLOAT32", last: str = "1") -> Callable[[int], str]:
    """A resource with a list that repeats a text."""
    shell = json.dumps(model({"a": floats(["?"], kind)}))
    return lambda n: shell.replace('"?"', unit * n + last)


def relu() -> dict[str, Any]:
    return {"type": "ACTIVATION_RELU", "desc": {"InputTensor": tensor(4), "OutputTensor": tensor(4)}}


def split(n: int, targets: Any) -> dict[str, Any]:
    cut = {"InputTensor": tensor(n), "OutputTensors": [tensor(1)] * n, "Axis": 0}
    bindings = {"InputTensor": "a", "OutputTensors": targets}
    buffers = {name: floats({"valueCount": 4 * n, "value": 1}) for name in "ab"}
    dispatch = {"type": "dispatch", "dispatchable": "s", "bindings": bindings}
    return model(buffers, {"s": {"type": "SPLIT", "desc": cut}}, [dispatch])


def join(n: int, part: Any, **bindings: Any) -> dict[str, Any]:
    whole = {"OutputTensor": tensor(n), "InputTensors": [part] * n, "Axis": 0}
    buffers = {name: floats({"valueCount": 4 * n, "value": 1}) for name in "ab"}
    dispatch = {"type": "dispatch", "dispatchable": "j", "bindings": bindings}
    return model(buffers, {"j": {"type": "JOIN", "desc": whole}}, [dispatch])


def owned(n: int) -> dict[str, Any]:
    """Many dispatches of an operator with many inputs that only its initialization binds."""
    found = join(n, tensor(1, Flags="OWNED_BY_DML"), OutputTensor="a")
    found["dispatchables"]["j"]["bindings"] = {"InputTensors": ["b"] * n}
    found["commands"] *= n
    return found


def dispatches(n: int, bindings: Any) -> dict[str, Any]:
    command = {"type": "dispatch", "dispatchable": "relu", "bindings": bindings}
    return model({name: floats([0] * 4) for name in "ab"}, {"relu": relu()}, [command] * n)


def keys(n: int) -> dict[str, int]:
    return {f"key{i}": 1 for i in range(n)}


def writes(**command: Any) -> dict[str, Any]:
    return model({"a": floats([1])}, {}, [{"type": "writeFile", "resource": "a", **command}])


NAMES = {f"resource_number_{i}_of_many": floats([1]) for i in range(200)}
Make = Callable[[int], Any]
KINDS: dict[str, tuple[Make, int]] = {
    # Text
    "integers": (listed("1,"), 100_000),
    "floats": (listed("0.25,"), 100_000),
    "special numbers": (listed('1,"nan",'), 50_000),
    "long integers": (listed("1" * 300 + ","), 3000),
    "long floats": (lambda n: "[0." + "1" * n + "]", 1_000_000),
    "spaces": (listed("1" + " " * 50 + ","), 10_000),
    "block comments": (listed("1,/* c */"), 50_000),
    "line comments": (listed("1,// c\n"), 50_000),
    "comments alone": (lambda n: "/**/" * n + "{}", 100_000),
    "comments between lists": (listed("[1],/**/", last="[1]"), 5000),
    "comments in comments": (listed("1,/*" + " /*" * 3000 + "*/"), 20),
    "slashes in texts": (listed('1,"b/b",'), 8000),
    "slashes in comments": (listed("1,// a / b / c /\n"), 20_000),
    "an open comment": (lambda n: "[1, /*" + "/*" * n, 1_000_000),
    "half a comment": (lambda n: "[" + "1,/" * n, 200_000),
    "lines": (lambda n: "\n" * n + "x", 2_000_000),
    "escapes": (lambda n: '{"' + "\\n" * n + '":1}', 300_000),
    "a wrong escape": (lambda n: '{"' + "\\n" * n + "\\x", 50_000),
    "a long key": (lambda n: '{"' + "k" * n + '":1}', 3_000_000),
    "brackets": (lambda n: "[" * n, 1_000_000),
    "braces": (lambda n: '{"a":' * n, 300_000),
    # Lists that are wrong
    "wrong integers": (listed("9,", "INT4"), 100_000),
    "one wrong integer": (listed("1,", "UINT8", last="0.5"), 100_000),
    "one text": (listed("1,", last='"x"'), 100_000),
    "texts": (listed('"x",'), 15_000),
    "nulls": (listed("null,"), 15_000),
    "objects": (listed("{},"), 15_000),
    "lists": (listed("[],"), 15_000),
    "lists of numbers": (listed("[1],"), 8000),
    "typed values": (lambda n: model({"a": {"initialValues": [{"type": "UINT8", "value": 1}] * n}}), 3000),
    # Objects
    "keys twice": (lambda n: "{" + '"a":1,' * n + '"b":1}', 15_000),
    "unknown keys": (lambda n: model({"a": keys(n)}), 10_000),
    "keys of a command": (lambda n: model({"a": floats([1])}, {}, [{"type": "print", **keys(n)}]), 10_000),
    "resources": (lambda n: model({f"r{i}": floats([1]) for i in range(n)}), 1500),
    "wrong resources": (lambda n: model({f"r{i}": floats([1], "x") for i in range(n)}), 2000),
    "dispatchables": (lambda n: model({}, {f"d{i}": relu() for i in range(n)}), 400),
    "commands": (lambda n: model({"a": floats([1])}, {}, [{"type": "print", "resource": "a"}] * n), 2000),
    "dispatches": (lambda n: dispatches(n, {"InputTensor": "a", "OutputTensor": "b"}), 1500),
    "misspelt names": (
        lambda n: model(NAMES, {}, [{"type": "print", "resource": f"resorce_numbr_{i}"} for i in range(n)]),
        200,
    ),
    # Descriptions
    "outputs": (lambda n: split(n, [{"name": "b", "elementOffset": 4 * i} for i in range(n)]), 800),
    "outputs that meet": (lambda n: split(n, [{"name": "b", "elementOffset": i // 2 * 4} for i in range(n)]), 800),
    "outputs in one place": (lambda n: split(n, ["b"] * n), 800),
    "outputs without memory": (lambda n: split(n, []), 800),
    "inputs": (lambda n: join(n, tensor(1), OutputTensor="a", InputTensors=["b"] * n), 800),
    "inputs of other sizes": (lambda n: join(n, tensor(2)), 800),
    "inputs of another type": (lambda n: join(n, {"DataType": "INT8", "Sizes": [1]}), 800),
    "inputs that are wrong": (lambda n: join(n, {}), 3000),
    "owned inputs": (owned, 300),
    "dispatches without memory": (lambda n: {**join(n, tensor(1)), "commands": join(n, 1)["commands"] * n}, 500),
    "axes": (lambda n: operator("REDUCE", Function="SUM", Axes=[0] * n, InputTensor=tensor(4)), 50_000),
    "axes as texts": (lambda n: operator("REDUCE", Function="SUM", Axes=["0"] * n, InputTensor=tensor(4)), 20_000),
    "sizes": (lambda n: operator("ACTIVATION_RELU", InputTensor=tensor(*[1] * n)), 50_000),
    "keys of a tensor": (lambda n: operator("ACTIVATION_RELU", InputTensor=tensor(4, **keys(n))), 20_000),
    "keys of an activation": (lambda n: operator("GEMM", FusedActivation={"Type": "ELU", **keys(n)}), 20_000),
    "activations": (lambda n: operator("RNN", ActivationDescs=[{"Type": "ELU"}] * n), 3000),
    "flags": (lambda n: model({}, {"a": {**RELU, "executionFlags": ["NONE"] * n}}), 15_000),
    "flags of a tensor": (lambda n: operator("ACTIVATION_RELU", InputTensor=tensor(4, Flags="NONE|" * n)), 50_000),
    "bindings": (lambda n: dispatches(1, {f"Point{i}": "a" for i in range(n)}), 15_000),
    "a list of bindings": (lambda n: dispatches(1, {"InputTensor": ["a"] * n}), 15_000),
    # Names
    "a data type": (lambda n: model({"a": floats([1], "f4," * n)}), 300_000),
    "a data type of a tensor": (lambda n: operator("ACTIVATION_RELU", InputTensor={"DataType": "f4," * n}), 300_000),
    "an operator": (lambda n: operator("RELU" * n), 300_000),
    "an activation": (lambda n: operator("GEMM", FusedActivation="ELU" * n), 300_000),
    "an enumeration": (lambda n: operator("REDUCE", Function="S" * n), 500_000),
    "a field": (lambda n: operator("ACTIVATION_RELU", **{"X" * n: 1}), 500_000),
    "a resource": (lambda n: model({"a" * n: floats([1])}, {}, [{"type": "print", "resource": "b" * n}]), 500_000),
    # Files
    "folders to read from": (lambda n: model({"a": floats({"sourcePath": "a/" * n + "x.npy"})}), 500_000),
    "folders to write to": (lambda n: writes(targetPath="a/" * n + "x.npy"), 500_000),
    "dimensions": (lambda n: writes(targetPath="x.npy", dimensions=[1] * n), 50_000),
}
_SMALLER = 12
"""Less than for memory, of which small documents take little; squares show in work all the same."""
MOST_GROWTH = 1.1
"""Four times the input is four times the work; of a square, growth would be 4."""


def encoded(make: Make, n: int) -> bytes:
    made = make(n)
    return (made if isinstance(made, str) else json.dumps(made)).encode()


def check(data: bytes) -> None:
    try:
        parse_model(data, budget=1 << 30)
    except dml.DmlError as error:
        assert len(error.violations) <= 1001


@pytest.mark.parametrize("kind", KINDS)
def test_work__grows_with_the_input(kind: str) -> None:
    make, most = KINDS[kind]
    n = most // _SMALLER
    documents = {size: encoded(make, size) for size in (n, 4 * n)}
    assert growth_of(lambda size: check(documents[size]), n) < MOST_GROWTH


@pytest.mark.parametrize("kind", KINDS)
def test_memory__grows_with_the_input(kind: str) -> None:
    """A number takes a few bytes and any other value a few hundred, whatever is wrong with it."""
    make, most_of_it = KINDS[kind]
    data = encoded(make, most_of_it // 3)
    values = data.count(b",") + data.count(b":") + data.count(b"[")
    is_list_of_numbers = make.__code__ is listed("").__code__ and kind not in ("lists", "objects", "texts", "nulls")
    most = 12 * len(data) if is_list_of_numbers and kind != "lists of numbers" else 12 * len(data) + 1500 * values
    check(data)  # what is loaded once does not count
    tracemalloc.start()
    try:
        check(data)
        assert tracemalloc.get_traced_memory()[1] < most + (8 << 20)
    finally:
        tracemalloc.stop()


def test_growth__tells_powers_from_lines() -> None:
    assert growth_of(lambda n: [abs(i) for i in range(n)], 1000) < MOST_GROWTH
    assert growth_of(lambda n: [abs(i) for _ in range(n) for i in range(n)], 30) > MOST_GROWTH


def test_reduce__checks_each_axis_once() -> None:
    """From Python there is no limit to a list."""
    x = dml.TensorDesc("FLOAT32", [2] * 8)

    def reduce(n: int) -> None:
        with pytest.raises(dml.DmlError, match=r"attribute\.axis"):
            dml.Device().compile(dml.Reduce(function="SUM", input_tensor=x, output_tensor=x, axes=[*range(8)] * n))

    assert growth_of(reduce, 1000) < MOST_GROWTH


@pytest.mark.parametrize("step", [16, 8, 0], ids=["apart", "meeting", "in one place"])
def test_binding__compares_each_range_once(step: int) -> None:
    part = dml.TensorDesc("FLOAT32", [1])

    def bind(n: int) -> None:
        cut = dml.Split(input_tensor=dml.TensorDesc("FLOAT32", [n]), output_tensors=[part] * n, axis=0)
        memory = bytearray(16 * n)
        outputs = [dml.BufferBinding(memory, i * step // 16 * 16) for i in range(n)]
        try:
            binder_of(cut, HostMemory()).bind_call((bytes(4 * n),), {"output_tensors": outputs})
        except dml.BindingError as error:
            assert step < 16 and all(violation.rule == "binding.overlap" for violation in error.violations)
        else:
            assert step == 16

    assert growth_of(bind, 1000) < MOST_GROWTH


def test_suggest__compares_few_names_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing letter by letter is what takes time, so the number of comparisons must not grow with the names."""
    compared: list[str] = []
    monkeypatch.setattr("anydml.core.naming.is_near", lambda name, option: compared.append(option))
    for count in (10, 100, 1000):
        compared.clear()
        closest("resorce_numbr_5", [f"resource_number_{i}" for i in range(count)])
        assert 1 <= len(compared) <= 4


@pytest.mark.parametrize(("name", "near"), [("InputTenser", "InputTensor"), ("axs", "axes"), ("FLOAT23", "FLOAT32")])
def test_suggest__finds_the_nearest_of_many(name: str, near: str) -> None:
    others = [f"{word}{i}" for word in ("Window", "Stride", "padding", "UINT") for i in range(200)]
    assert closest(name, [*others, near]) == near


def test_many_problems__are_cut_short_where_they_are_found() -> None:
    """Not only in the list that is shown: each problem takes memory before anybody counts them."""
    wrong = dml.TensorDesc("INT8", [1])
    for make in (
        lambda: dml.Join(input_tensors=[7] * 50_000, axis=0),
        lambda: dml.Device().compile(dml.Join(input_tensors=[wrong] * 5000, output_tensor=wrong, axis=0)),
        lambda: dml.Device().compile(
            dml.Split(input_tensor=dml.TensorDesc("INT8", [2, 2]), output_tensors=[wrong.with_rank(2)] * 5000, axis=0)
        ),
        lambda: dml.Reduce(function="SUM", input_tensor=wrong, axes=[-1] * 50_000),
    ):
        with pytest.raises(dml.DmlError) as caught:
            make()
        assert len(caught.value.violations) <= 2010
