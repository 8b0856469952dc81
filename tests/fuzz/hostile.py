"""Values that nobody means to give: each is made anew, and what reads one without end is told so."""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import anydml as dml

DEEP = 100_000
"""Lists in lists in lists: deeper than Python's own stack."""
_MOST_READ = 1 << 21


class Lost(Exception):
    """What methods of objects of somebody else raise; no caller of anydml is to see it."""


class ReadWithoutEnd(BaseException):
    """Something without an end was read as if it had one. No handler for errors keeps it."""


class Endless:
    """An iterator that never ends, but for those who read on and on."""

    def __init__(self, value: Any = 1) -> None:
        self.value, self.count = value, 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self.count += 1
        if self.count > _MOST_READ:
            raise ReadWithoutEnd(f"{self.count} values were read")
        return self.value


class LyingList:
    """Says that it has two values, and never ends."""

    def __len__(self) -> int:
        return 2

    def __contains__(self, value: object) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return Endless()


class VastList(LyingList):
    """Says that it has more values than anybody could read."""

    def __len__(self) -> int:
        return 1 << 60


class Short(list):  # type: ignore[type-arg]
    """A list that says it has one value more than it has."""

    def __len__(self) -> int:
        return super().__len__() + 1


def failing(*names: str, base: type = object, **more: Any) -> Any:
    """An object of a class whose methods of these names raise."""

    def fail(self: Any, *given: Any, **named: Any) -> Any:
        raise Lost("no answer")

    return type(f"Failing{''.join(names).title().replace('_', '')}", (base,), dict.fromkeys(names, fail) | more)()


def answering(**methods: Any) -> Any:
    """An object whose methods give these answers."""
    return type("Answering", (), {name: lambda self, *given, v=v: v for name, v in methods.items()})()


def deep(kind: Callable[[Any], Any], depth: int = DEEP) -> Any:
    """A value in so many others."""
    value: Any = 1
    for _ in range(depth):
        value = kind(value)
    return value


def own_list() -> Any:
    found: list[Any] = [2]
    found.append(found)
    return found


def own_dict() -> Any:
    found: dict[str, Any] = {}
    found["Sizes"] = found["desc"] = found
    return found


def object_array(*values: Any) -> Any:
    found = np.empty(len(values), object)
    for place, value in enumerate(values):
        found[place] = value
    return found


def released() -> memoryview:
    view = memoryview(bytearray(16))
    view.release()
    return view


_SPECIAL = (
    *("__index__", "__len__", "__iter__", "__eq__", "__str__", "__repr__", "__hash__", "__bool__", "__float__"),
    *("__int__", "__array__", "__fspath__", "__getattr__", "__contains__", "__getitem__", "__call__", "__buffer__"),
)
NUMBERS: dict[str, Callable[[], Any]] = {
    repr(number): lambda number=number: number
    for number in (
        *(None, True, False, 0, 1, -1, 2, 7, 2**31, 2**32, 2**63, 2**64, -(2**63) - 1),
        *(-0.0, 0.5, 2.0, 2.5, 1e39, 1e300, math.nan, math.inf, -math.inf, 2j, complex(math.nan, 1)),
    )
} | {
    "10**400": lambda: 10**400,
    "-10**400": lambda: -(10**400),
    "Decimal(NaN)": lambda: decimal.Decimal("NaN"),
    "Decimal(sNaN)": lambda: decimal.Decimal("sNaN"),
    "Decimal(1e999999)": lambda: decimal.Decimal("1e999999"),
    "Fraction(1, 3)": lambda: fractions.Fraction(1, 3),
    "Fraction(10**400)": lambda: fractions.Fraction(10**400),
    "float32 nan": lambda: np.float32(math.nan),
    "float16 inf": lambda: np.float16(math.inf),
    "longdouble": lambda: np.longdouble(10) ** 4000,
    "int8 -1": lambda: np.int8(-1),
    "uint64 max": lambda: np.uint64(2**64 - 1),
    "bool_": lambda: np.bool_(True),
    "datetime64": lambda: np.datetime64("NaT"),
    "timedelta": lambda: datetime.timedelta(1),
}
ARRAYS: dict[str, Callable[[], Any]] = {
    "array 0-d": lambda: np.array(2),
    "array 0-d nan": lambda: np.array(math.nan),
    "array 1-d": lambda: np.array([2, 3]),
    "array of floats": lambda: np.array([2.0, 3.5]),
    "array of nan": lambda: np.array([math.nan, math.inf], np.float32),
    "array of uint64": lambda: np.array([2**64 - 1, 1], np.uint64),
    "array of bools": lambda: np.array([True, False]),
    "array of complex": lambda: np.array([1j, 2]),
    "array of text": lambda: np.array(["a", "fuse"]),
    "array of bytes": lambda: np.array([b"a", b"bc"]),
    "array of times": lambda: np.array(["2020-01-01"], "M8[s]"),
    "array of records": lambda: np.zeros(2, [("a", "f4"), ("b", "i4")]),
    "array of objects": lambda: object_array(None, 10**400),
    "array of numbers": lambda: object_array(10**400, 1.5),
    "array of failing": lambda: object_array(failing(*_SPECIAL), 1),
    "array 2-d": lambda: np.ones((2, 3), np.float32),
    "array 3-d": lambda: np.ones((1, 2, 3), np.int64)[..., ::-1],
    "array empty": lambda: np.zeros((0, 3), np.float32),
    "array of many": lambda: np.zeros(100_000, np.int64),
    "array of 20 dimensions": lambda: np.zeros((1,) * 20, np.int8),
    "array swapped": lambda: np.arange(2, dtype=">i4"),
    "array masked": lambda: np.ma.masked_array([2, 3], [True, False]),
    "array broadcast": lambda: np.broadcast_to(np.int64(3), (1 << 20, 1 << 30)),
    "matrix": lambda: np.ones((2, 2), int).view(np.matrix),
    "array.array": lambda: array.array("d", [1, 2]),
    "memoryview": lambda: memoryview(bytearray(8)).cast("I"),
    "memoryview released": released,
}
TEXTS: dict[str, Callable[[], Any]] = {
    repr(text): lambda text=text: text
    for text in (
        *("", " ", "x", "2", "nan", "FLOAT32", "NHWC", "fuse", "NONE|", "|", "SLICE1", "input_tensor", "cpu", "6.4"),
        *("\0", "\ud800", "\u202e", "\n", "²", "ß", "İ", "{", "[1", '{"sizes": [2]}', "null", "é" * 40, "NaN"),
        *(b"", b"\xff\x00", b"FLOAT32", b"[" * 2000),
    )
} | {
    "digits": lambda: "9" * 5000,
    "a million letters": lambda: "x" * 1_000_000,
    "a million brackets": lambda: "[" * 1_000_000,
    "a million commas": lambda: "," * 1_000_000,
    "bytearray": lambda: bytearray(b"\xff" * 16),
    "str_": lambda: np.str_("fuse"),
    "path": lambda: Path("nowhere"),
}
CONTAINERS: dict[str, Callable[[], Any]] = {
    repr(value): lambda value=value: value
    for value in (
        *([], (), [None], [math.nan], [10**400], [2, "3"], [2, 2.5], [[2], [3, 4]], [[]], [-1, -1], [True]),
        *([0], [1] * 9, [2**63], ["fuse"], ["OWNED_BY_DML"], [b"x"], [1, 2, 3, 4], (2, 3), [2, 3], [3, 2]),
        *({}, {"sizes": [2]}, {1: 2}, {"DataType": 1, "Sizes": math.nan}, {"Type": {}}, {None: None}, {(1,): []}),
        *({2, 3}, frozenset("ab"), range(3), range(10**12), slice(None), slice("a", 1.5, 0), ..., NotImplemented),
    )
} | {
    "a deep list": lambda: deep(lambda value: [value]),
    "a deep tuple": lambda: deep(lambda value: (value,)),
    "a deep dict": lambda: deep(lambda value: {"desc": value}),
    "a list 500 deep": lambda: deep(lambda value: [value], 500),
    "a list of deep lists": lambda: [deep(lambda value: [value]), 1],
    "a list of itself": own_list,
    "a dict of itself": own_dict,
    "a long list": lambda: [1] * 100_000,
    "deque": lambda: collections.deque([2, 3]),
    "generator": lambda: (each for each in (2, 3)),
    "failing generator": lambda: (1 // each for each in (1, 0)),
    "endless": Endless,
    "endless texts": lambda: Endless("fuse"),
    "endless map": lambda: map(str, Endless()),
    "lying": LyingList,
    "vast": VastList,
    "short": lambda: Short([2, 3]),
    "dict view": lambda: {2: 3}.keys(),
    "bytes iterator": lambda: iter(b"ab"),
}
OBJECTS: dict[str, Callable[[], Any]] = {
    **{f"failing {name}": lambda name=name: failing(name) for name in _SPECIAL},
    **{f"[failing {name}]": lambda name=name: [failing(name), failing(name)] for name in _SPECIAL},
    "failing everywhere": lambda: failing(*_SPECIAL),
    "failing list": lambda: failing("__iter__", "__len__", "__getitem__", "__eq__", base=list),
    "failing dict": lambda: failing("__iter__", "__len__", "__getitem__", "keys", "items", "values", "get", base=dict),
    "failing int": lambda: failing("__eq__", "__index__", "__repr__", "__hash__", "__lt__", "__le__", base=int),
    "failing text": lambda: failing("__eq__", "__repr__", "__hash__", "__str__", "__len__", base=str),
    "length of -1": lambda: answering(__len__=-1, __iter__=iter([2]), __contains__=False),
    "length of 2**80": lambda: answering(__len__=1 << 80, __iter__=iter([2]), __contains__=False),
    "length of text": lambda: answering(__len__="2", __iter__=iter([2]), __contains__=False),
    "index of 10**400": lambda: answering(__index__=10**400),
    "index of text": lambda: answering(__index__="2"),
    "float of text": lambda: answering(__float__="2"),
    "repr of a number": lambda: answering(__repr__=7, __str__=7),
    "a million letters of repr": lambda: answering(__repr__="x" * 1_000_000, __str__="x" * 1_000_000),
    "array of text": lambda: answering(__array__="2"),
    "path of a number": lambda: answering(__fspath__=7),
    "object": object,
    "class": lambda: int,
    "metaclass": lambda: type,
    "dtype class": lambda: np.float32,
    "dtype of records": lambda: np.dtype([("a", "f4")]),
    "function": lambda: lambda *given, **named: 7,
    "module": lambda: math,
    "error": lambda: ValueError("lost"),
    "method": lambda: "x".join,
}
_TWO = dml.TensorDesc("FLOAT32", [2, 3])


def _bent(kind: Any, *values: Any) -> Callable[[], Any]:
    """One of our own records with nonsense in it; where it refuses that, the record's class."""

    def make() -> Any:
        try:
            return kind(*values)
        except dml.DmlError:
            return kind

    return make


OWN: dict[str, Callable[[], Any]] = {
    "a Layout": lambda: dml.Layout((2, 3), (5, 1), 7),
    "a TensorDesc": lambda: _TWO,
    "a list of TensorDescs": lambda: [_TWO, _TWO],
    "an owned TensorDesc": lambda: _TWO.replace(flags=1),
    "an INT4 TensorDesc": lambda: dml.TensorDesc("INT4", [2, 3]),
    "a vast TensorDesc": lambda: dml.TensorDesc("FLOAT64", [1 << 16, (1 << 16) - 1]),
    "a Device": dml.Device,
    "a DataType": lambda: dml.DataType.FLOAT16,
    "a FeatureLevel": lambda: dml.FeatureLevel.LEVEL_2_0,
    "a PaddingMode": lambda: dml.PaddingMode.WRAP,
    "an operator class": lambda: dml.Slice1,
    "the Operator class": lambda: dml.Operator,
    "an operator": lambda: dml.ActivationRelu(input_tensor=_TWO),
    "a fused operator": lambda: dml.ActivationElu.fused(),
    "a Graph": lambda: dml.Graph.of(dml.ActivationRelu(input_tensor=_TWO)),
    "a CompiledOperator": lambda: dml.Device().compile(dml.ActivationRelu(input_tensor=_TWO)),
    "an initializer": dml.OperatorInitializer,
    "a buffer of a device": lambda: dml.Device().allocate(24),
    "Passes": lambda: dml.Passes.without("fuse"),
    "bent Passes": _bent(dml.Passes, [failing("__hash__")]),
    "bent Window": _bent(dml.Window, "abc", 2.5, None, [[]]),
    "Window of another rank": _bent(dml.Window, (0,), (1,), (1,), (1,)),
    "bent BufferBinding": _bent(dml.BufferBinding, None, math.nan, "2"),
    "failing BufferBinding": _bent(dml.BufferBinding, bytearray(64), failing(*_SPECIAL), 10**400),
    "bent OperatorNode": _bent(dml.OperatorNode, 7, failing(*_SPECIAL)),
    "bent ConstantNode": _bent(dml.ConstantNode, bytes(4), failing(*_SPECIAL)),
    "bent InputEdge": _bent(dml.InputEdge, failing(*_SPECIAL), None, 10**400),
    "bent TensorPolicy": _bent(dml.TensorPolicy, 7, lambda sizes: "layout"),
    "uncallable TensorPolicy": _bent(dml.TensorPolicy, "x", 7),
    "bent Violation": _bent(dml.Violation, 1, 2, 3, 4, 5, 6),
    "a DmlError": lambda: dml.InvalidDescriptionError(dml.Violation("list", "", "x", "y")),
}
KINDS = {
    "numbers": NUMBERS, "arrays": ARRAYS, "texts": TEXTS, "containers": CONTAINERS, "objects": OBJECTS, "own": OWN,
}  # fmt: skip
VALUES: dict[str, Callable[[], Any]] = {f"{kind}: {n}": make for kind, all in KINDS.items() for n, make in all.items()}
