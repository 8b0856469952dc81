"""Odd buffers, offsets and numbers: each is taken as what it is, or refused by name, without a warning."""

from __future__ import annotations

import array
import ctypes
import itertools
import mmap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.runtime import host, reference
from tests.cases.framework import Case, make_case, numbers_of, operators_with_cases, spec

FOUR = dml.TensorDesc("FLOAT32", [4])


class Structure(ctypes.Structure):
    _fields_ = [("number", ctypes.c_float), ("numbers", ctypes.c_int * 3)]


class Union(ctypes.Union):
    _fields_ = [("number", ctypes.c_double), ("numbers", ctypes.c_int * 4)]


class Bits(ctypes.Structure):
    _fields_ = [("low", ctypes.c_int, 3), ("high", ctypes.c_int, 5)]


class Tensor:
    """A tensor of another library: `__dlpack__` raises what it was given, or returns it."""

    def __init__(self, outcome: Any, device: Any = (1, 0)) -> None:
        self.outcome, self.device = outcome, device

    def __dlpack__(self, **options: Any) -> Any:
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    def __dlpack_device__(self) -> Any:
        return self.device


def released() -> memoryview:
    view = memoryview(bytearray(16))
    view.release()
    return view


def closed() -> mmap.mmap:
    memory = mmap.mmap(-1, 16)
    memory.close()
    return memory


FORMATS = "cbB?hHiIlLqQnNfdP"
ERRORS = [ValueError, TypeError, KeyError, AttributeError, OSError, AssertionError, BufferError, ArithmeticError]
DTYPES = [">f4", "c8", "M8[s]", "U1", "S1", "V16", "O", "?", "f4,i4", "f2", "f8", "i4", "u8", "longdouble"]
CTYPES = [
    *(each * 4 for each in (ctypes.c_float, ctypes.c_wchar, ctypes.c_int, ctypes.c_double, ctypes.c_bool)),
    *(each * 2 for each in (ctypes.c_void_p, ctypes.c_char_p, ctypes.py_object, ctypes.c_longdouble, Structure)),
    (ctypes.c_float * 2) * 2, ctypes.c_char * 16, Structure, Union, Bits, ctypes.c_float,
]  # fmt: skip
BUFFERS: dict[str, Callable[[], Any]] = {
    **{f"cast {each}": lambda each=each: memoryview(bytearray(16)).cast(each) for each in FORMATS},
    **{f"ctypes {each.__name__}": each for each in CTYPES},
    **{f"DLPack {each.__name__}": lambda each=each: Tensor(each("lost")) for each in ERRORS},
    **{f"array {each}": lambda each=each: np.zeros(4, each) for each in DTYPES},
    "DLPack number": lambda: Tensor(7),
    "DLPack nothing": lambda: Tensor(None),
    "DLPack elsewhere": lambda: Tensor(BufferError("in GPU memory"), (2, 0)),
    "DLPack strange": lambda: Tensor(7, "cpu"),
    "no dimensions": lambda: np.zeros((), np.float32),
    "nothing": lambda: np.zeros(0, np.float32),
    "every second": lambda: np.zeros(8, np.float32)[::2],
    "backwards": lambda: np.zeros(4, np.float32)[::-1],
    "masked": lambda: np.ma.zeros(4, np.float32),
    "array.array": lambda: array.array("f", [0] * 4),
    "array.array of doubles": lambda: array.array("d", [0] * 2),
    "array.array of letters": lambda: array.array("u", "abcd"),
    "released": released,
    "closed": closed,
    "none": lambda: None,
    "text": lambda: "text",
    "list": lambda: [1.0, 2.0, 3.0, 4.0],
    "class": lambda: np.ndarray,
    "number": lambda: 3,
}


class _Odd:
    def __repr__(self) -> str:
        return "<an odd object>"


ODD_OBJECT = _Odd()
OFFSETS = [1.5, "3", 2**70, -16, -1, True, ODD_OBJECT, [1], b"1", np.float32(0), 1j, 1 << 62, float("nan")]
PLACES: dict[str, Callable[[Any], object]] = {
    "input": lambda buffer: relu()(buffer, np.zeros(4, np.float32)),
    "output": lambda buffer: relu()(bytes(16), buffer),
    "binding": lambda buffer: relu()(dml.BufferBinding(buffer), np.zeros(4, np.float32)),
    "bound output": lambda buffer: relu()(bytes(16), dml.BufferBinding(buffer)),
    "owned input": lambda buffer: owner().initialize(buffer),
    "upload": lambda buffer: dml.Device().upload(buffer),
    "view": lambda buffer: FOUR.view(buffer),
    "table": lambda buffer: table().bind_inputs([buffer]),
    "temporary": lambda buffer: table().bind_temporary_resource(buffer),
    "persistent": lambda buffer: table().bind_persistent_resource(buffer),
}


def relu() -> dml.CompiledOperator:
    return dml.Device().compile(dml.ActivationRelu(input_tensor=FOUR))


def owner() -> dml.CompiledOperator:
    tensor = FOUR.replace(flags="OWNED_BY_DML")
    return dml.Device().compile(dml.ActivationRelu(input_tensor=tensor, output_tensor=FOUR))


def table() -> dml.BindingTable:
    return dml.Device().create_binding_table(relu())


def refused(action: Callable[[], object]) -> bool:
    """Whether an action is refused as it must be; a warning is an error here."""
    try:
        action()
    except dml.DmlError as error:
        assert error.violations and all(each.found and each.expected for each in error.violations)
        return True
    return False


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", BUFFERS)
def test_buffer__is_taken_or_refused_by_name(name: str, place: str) -> None:
    refused(lambda: PLACES[place](BUFFERS[name]()))


@pytest.mark.parametrize("name", [name for name in BUFFERS if name.startswith("DLPack")])
def test_failing_dlpack__tells_why(name: str) -> None:
    with pytest.raises(dml.BindingError, match=r"buffer\.kind"):
        relu()(BUFFERS[name](), np.zeros(4, np.float32))


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, SystemExit])
def test_failing_dlpack__does_not_hide_what_concerns_the_program(error: type[BaseException]) -> None:
    with pytest.raises(error):
        relu()(Tensor(error()), np.zeros(4, np.float32))


def test_pointers__are_no_numbers() -> None:
    for buffer in (memoryview(bytes(16)).cast("P"), (ctypes.c_void_p * 2)(), Union()):
        with pytest.raises(dml.BindingError, match=r"expected numbers or bytes; try np\.frombuffer"):
            relu()(buffer, np.zeros(4, np.float32))
        data = np.frombuffer(buffer, np.uint8)
        relu()(data, np.zeros(4, np.float32))


OFFSET_PLACES: dict[str, Callable[[Any], object]] = {
    "input": lambda offset: relu()(dml.BufferBinding(bytes(64), offset), np.zeros(4, np.float32)),
    "output": lambda offset: relu()(bytes(16), dml.BufferBinding(bytearray(64), offset)),
    "owned input": lambda offset: owner().initialize(dml.BufferBinding(bytes(64), offset)),
    "temporary": lambda offset: table().bind_temporary_resource(dml.BufferBinding(bytearray(64), offset)),
    "persistent": lambda offset: table().bind_persistent_resource(dml.BufferBinding(bytearray(64), offset)),
}


@pytest.mark.parametrize("place", OFFSET_PLACES)
@pytest.mark.parametrize("offset", [*OFFSETS, 1, 8, 64], ids=repr)
def test_offset__is_refused_by_name(offset: Any, place: str) -> None:
    assert refused(lambda: OFFSET_PLACES[place](offset))


@pytest.mark.parametrize("number", OFFSETS, ids=repr)
def test_size_and_offset_of_a_view__are_refused_by_name(number: Any) -> None:
    assert refused(lambda: relu()(dml.BufferBinding(bytes(64), 0, number), np.zeros(4, np.float32)))
    assert refused(lambda: FOUR.view(bytearray(64), number))


class Once:
    """An integer that may be read once; then it is another."""

    def __init__(self, value: int) -> None:
        self.value, self.reads = value, 0

    def __index__(self) -> int:
        self.reads += 1
        return self.value if self.reads == 1 else 1 << 40


def with_once(value: Any, made: list[Once]) -> Any:
    """A description with every whole number in it replaced."""
    if type(value) is int:
        made.append(Once(value))
        return made[-1]
    if isinstance(value, (list, tuple)):
        return [with_once(each, made) for each in value]
    if isinstance(value, dict):
        return {key: with_once(each, made) for key, each in value.items()}
    return value


def integer_fields(name: str) -> set[str]:
    kinds = ("INT", "UINT", "INT_ARRAY", "UINT_ARRAY", "SIZE_2D")
    return {field.name for field in spec.class_of(name).attribute_fields() if field.type_name in kinds}


@pytest.mark.parametrize("name", [name for name in operators_with_cases() if integer_fields(name)])
def test_numbers__are_read_once(name: str) -> None:
    found = 0
    for number in list(numbers_of(name))[:8]:
        case, made, integers = make_case(name, number), list[Once](), integer_fields(name)
        fields = {key: with_once(value, made) if key in integers else value for key, value in case.fields.items()}
        built = Case(name, fields).build()
        assert all(each.reads == 1 for each in made), case
        assert built == Case(name, case.fields).build()
        found += len(made)
    assert found


def test_numbers_of_tensors__are_read_once() -> None:
    for make in (
        lambda n: dml.TensorDesc("FLOAT32", [n(2), n(3)]).sizes == (2, 3),
        lambda n: dml.TensorDesc("FLOAT32", [2, 3], strides=[n(5), n(1)]).strides == (5, 1),
        lambda n: dml.TensorDesc("FLOAT32", [4], total_tensor_size_in_bytes=n(32)).total_tensor_size_in_bytes == 32,
        lambda n: dml.TensorDesc("FLOAT32", [4], guaranteed_base_offset_alignment=n(64)).sizes == (4,),
        lambda n: dml.Layout([n(2)], [n(3)], n(7))((1,)) == 10,
        lambda n: dml.Layout([9]).window([n(1)], [n(4)], [n(2)]).sizes == (2,),
        lambda n: dml.TensorDesc("FLOAT32", [4]).with_rank(n(2)).sizes == (1, 4),
        lambda n: dml.calc_buffer_tensor_size("FLOAT32", [n(2)], [n(3)]) == 16,
        lambda n: dml.Device().allocate(n(16)).size_in_bytes == 16,
        lambda n: relu()(dml.BufferBinding(bytes(64), n(16), n(16))).sum() == 0,
        lambda n: table().bind_temporary_resource(dml.BufferBinding(bytearray(1024), n(256), n(256))) is None,
    ):
        made: list[Once] = []

        def once(value: int, made: list[Once] = made) -> Once:
            made.append(Once(value))
            return made[-1]

        assert make(once)
        assert made and all(each.reads == 1 for each in made)


def test_initializer__with_an_operator_twice_initializes_none() -> None:
    compiled = owner()
    with pytest.raises(dml.DmlError, match=r"initializer\.operators"):
        dml.OperatorInitializer([compiled, compiled])
    initializer = dml.OperatorInitializer([compiled])
    with pytest.raises(dml.DmlError, match=r"initializer\.operators"):
        initializer.reset([compiled, owner(), compiled])
    assert not compiled.is_initialized and initializer.operators == [compiled]
    bindings = dml.Device().create_binding_table(initializer)
    bindings.bind_inputs([[np.ones(4, np.float32)]])
    bindings.dispatch()
    assert compiled.is_initialized and compiled().tolist() == [1] * 4


# Memory that there is not


def test_outputs__that_the_machine_cannot_hold_are_refused_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the system is asked: what it gives on credit would end the process when it is used."""
    sizes = [1 << 16, 1 << 10]
    tensor = dml.TensorDesc("FLOAT32", sizes, strides=[0, 1])
    run = dml.Device().compile(dml.ActivationRelu(input_tensor=tensor, output_tensor=dml.TensorDesc("FLOAT32", sizes)))
    monkeypatch.setattr(host, "physical_memory", lambda: 1 << 27)
    monkeypatch.setattr(host.np, "empty", None)
    with pytest.raises(dml.OutOfMemoryError, match=rf"OutputTensor: found {1 << 28} bytes, expected at most {1 << 27}"):
        run(np.zeros(1 << 10, np.float32))


def test_memory__that_the_system_does_not_give_is_no_error_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    run = relu()

    def nothing(*given: Any, **named: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(host.np, "empty", nothing)
    with pytest.raises(dml.OutOfMemoryError, match=r"ActivationRelu: OutputTensor: found 16 bytes"):
        run(bytes(16))
    with pytest.raises(dml.OutOfMemoryError, match=r"size_in_bytes: found 48 bytes"):
        dml.Device().allocate(48)


def test_arrays_of_a_run__that_find_no_room_are_no_error_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    run = dml.Device("reference").compile(dml.ActivationRelu(input_tensor=FOUR))

    def nothing(*given: Any, **named: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(reference, "store_nest", nothing)
    monkeypatch.setattr(reference, "run_program", nothing)
    with pytest.raises(dml.OutOfMemoryError, match=r"ActivationRelu: found \d+ bytes at most for what is computed"):
        run(bytes(16))


@pytest.mark.parametrize("size", [-1, -(2**62), 1.5, "16", None, 10**400, float("nan"), ODD_OBJECT], ids=repr)
def test_size_of_memory__is_refused_by_name(size: Any) -> None:
    assert refused(lambda: dml.Device().allocate(size))


# What is compiled, and how


def graph() -> dml.Graph:
    return dml.Graph.of(dml.ActivationRelu(input_tensor=FOUR))


PASSES = [None, "fuse", ["fuse"], np.array(["fuse"]), 7, ODD_OBJECT, dml.Passes, [[[]]], {"fuse"}, float("nan")]


@pytest.mark.parametrize("passes", PASSES, ids=lambda each: str(each)[:20])
def test_passes__are_refused_by_name(passes: Any) -> None:
    operator = dml.ActivationRelu(input_tensor=FOUR)
    for ask in (
        lambda: dml.Device().compile(operator, passes=passes),
        lambda: dml.Device().compile_graph(graph(), passes=passes),
    ):
        with pytest.raises(dml.InvalidDescriptionError, match=r"passes: found .*try Passes\.without\('fuse'\)"):
            ask()


def test_names_of_passes__are_lists_of_names() -> None:
    for given in (["fuse", "place"], ("fuse", "place"), {"fuse", "place"}, frozenset({"fuse", "place"})):
        assert dml.Passes(given) == dml.Passes.without("fuse", "place")  # type: ignore[arg-type]
    for wrong in ("fuse", 7, None, ["fusion"], [["fuse"]], np.array([["fuse"]]), itertools.count()):
        assert refused(lambda wrong=wrong: dml.Passes(wrong))
    with pytest.raises(dml.DmlError) as caught:
        dml.Passes.only("fuse", "fusion", None)  # type: ignore[arg-type]
    assert [violation.path for violation in caught.value.violations] == ["names[1]", "names[2]"]


FUSED = dml.ActivationElu.fused()
NO_OPERATORS = [None, FUSED, dml.ActivationRelu, "RELU", 7, ODD_OBJECT, FOUR, np.zeros(4)]


@pytest.mark.parametrize("operator", NO_OPERATORS, ids=lambda each: str(each)[:20])
def test_what_is_no_operator__is_refused_wherever_it_is_given(operator: Any) -> None:
    for ask in (
        lambda: dml.Device().compile(operator),
        lambda: dml.Device().create_operator(operator),
        lambda: dml.Graph.of(operator),
        lambda: dml.OperatorNode(operator),
        lambda: dml.Graph([operator], [(0, 0, 0)], [(0, 0, 0)]),
        lambda: dml.run(operator, bytes(16)),
    ):
        assert refused(ask)


@pytest.mark.parametrize("name", [None, 7, b"a", ["a"], ODD_OBJECT], ids=repr)
def test_names_of_nodes__are_texts(name: Any) -> None:
    assert refused(lambda: dml.OperatorNode(dml.ActivationRelu(input_tensor=FOUR), name))
    assert refused(lambda: dml.ConstantNode(bytes(4), name))
    assert refused(lambda: dml.OperatorNode(dml.ActivationRelu(input_tensor=FOUR)).points(name))


def test_edges__hold_anything_until_a_graph_reads_them() -> None:
    relu_of_four = dml.ActivationRelu(input_tensor=FOUR)
    for index in (ODD_OBJECT, None, 1.5, 10**400, [0], np.zeros(2)):
        assert refused(lambda index=index: dml.Graph([relu_of_four], [dml.InputEdge(index, 0, 0)], [(0, 0, 0)]))
        assert refused(lambda index=index: dml.Graph([relu_of_four], [(0, 0, 0)], [dml.OutputEdge(0, index, 0)]))


def test_parts_of_the_runtime__are_made_by_a_device() -> None:
    for wrong in (None, 7, ODD_OBJECT, relu()):
        assert refused(lambda wrong=wrong: dml.CompiledOperator(dml.Device(), wrong, 0, dml.Passes()))  # type: ignore[arg-type]
        assert refused(lambda wrong=wrong: dml.BindingTable(relu(), wrong))
        assert refused(
            lambda wrong=wrong: dml.OperatorInitializer(wrong) if wrong is not None else dml.BindingTable(wrong, wrong)
        )


def test_policies__give_layouts_of_the_sizes() -> None:
    for wrong in (lambda sizes: sizes, lambda sizes: dml.Layout((1, *sizes)), lambda sizes: None):
        policy = dml.TensorPolicy("own", wrong)
        assert refused(lambda policy=policy: policy([2, 3]))
        assert refused(lambda policy=policy: dml.ActivationRelu(input_tensor=FOUR, output_tensor=policy))
    assert refused(lambda: dml.TensorPolicy("own", 7)) and refused(lambda: dml.TensorPolicy(7, dml.Layout))  # type: ignore[arg-type]
