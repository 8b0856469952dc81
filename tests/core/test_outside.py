"""What comes from outside is asked with care: whatever its methods do, the answer is a value or an error by name."""

from __future__ import annotations

import collections
import copy
import itertools
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import anydml as dml
import pydirectml
from anydml.core.integers import read_list, require_integers
from anydml.core.outside import MOST_VALUES, as_entries, as_integer, as_number, as_text, as_values, told
from tests.core.checks import error_of, violations_of


class Lost(Exception):
    pass


class ReadOnAndOnError(BaseException):
    """No handler for errors keeps it."""


class Failing:
    """Nothing can be asked of it."""

    def _fail(self, *given: Any) -> Any:
        raise Lost("no answer")

    __index__ = __float__ = __len__ = __iter__ = __getitem__ = __contains__ = _fail
    __eq__ = __str__ = __repr__ = __bool__ = __getattr__ = _fail  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class Lying:
    """A list of two values that gives more and more."""

    def __init__(self, length: int = 2) -> None:
        self.length, self.given = length, 0

    def __len__(self) -> int:
        return self.length

    def __contains__(self, value: object) -> bool:
        return True

    def __iter__(self) -> Iterator[int]:
        for self.given in itertools.count(1):
            if self.given > MOST_VALUES + 1:
                raise ReadOnAndOnError
            yield 1


def deep(depth: int = 100_000) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def own_list() -> Any:
    found: list[Any] = [2]
    found.append(found)
    return found


# The questions themselves


@pytest.mark.parametrize(
    ("value", "integer", "number"),
    [
        (3, 3, 3.0),
        (np.uint8(3), 3, 3.0),
        (np.array(3), 3, None),
        (True, None, 1.0),
        (2.5, None, 2.5),
        (10**400, 10**400, float("inf")),
        (-(10**400), -(10**400), -float("inf")),
        ("3", None, None),
        (b"3", None, None),
        (np.array([3]), None, None),
        (1j, None, None),
        (None, None, None),
        (Failing(), None, None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numbers__are_told_from_all_else(value: Any, integer: int | None, number: float | None) -> None:
    assert as_integer(value) == integer and type(as_integer(value)) in (int, type(None))
    assert as_number(value) == number


def test_texts__are_told_from_what_only_can_be_written() -> None:
    class Loud(str):
        def __str__(self) -> str:
            raise Lost

    assert as_text("a") == as_text(np.str_("a")) == as_text(Loud("a")) == "a"
    assert type(as_text(Loud("a"))) is str
    assert as_text(b"a") is as_text(7) is as_text(Failing()) is None


def test_objects__are_read_once_or_not_at_all() -> None:
    class Broken(dict):  # type: ignore[type-arg]
        def items(self) -> Any:
            raise Lost

    assert as_entries({"a": 1}) == as_entries(collections.ChainMap({"a": 1})) == {"a": 1}
    assert as_entries(Broken(a=1)) is as_entries([("a", 1)]) is as_entries(Failing()) is None


def test_exceptions__are_told_in_one_line_whatever_they_say() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise Lost

    assert told(ValueError("a\n  b")) == "ValueError: a b" and told(ValueError()) == "ValueError"
    assert told(Silent()) == "Silent" and len(told(ValueError("x" * 10**6))) < 200


# Lists

LISTS: list[Callable[[], Any]] = [
    lambda: [2, 3],
    lambda: (2, 3),
    lambda: np.array([2, 3]),
    lambda: range(2, 4),
    lambda: collections.deque([2, 3]),
    lambda: np.array([2, 3], object),
    lambda: memoryview(bytes([2, 3])),
]
NO_LISTS: dict[str, Callable[[], Any]] = {
    "number": lambda: 7,
    "text": lambda: "23",
    "bytes": lambda: b"23",
    "set": lambda: {2, 3},
    "dict": lambda: {2: 3},
    "nothing": lambda: None,
    "0-d": lambda: np.array(2),
    "2-d": lambda: np.ones((2, 2), int),
    "vast": lambda: np.broadcast_to(np.int64(3), (1 << 20, 1 << 30)),
    "generator": lambda: (each for each in (2, 3)),
    "endless": itertools.count,
    "long": lambda: range(10**12),
    "lying": Lying,
    "lying of many": lambda: Lying(1 << 60),
    "lying of none": lambda: Lying(-1),
    "failing": Failing,
}


@pytest.mark.parametrize("make", LISTS)
def test_list__is_any_collection_in_order(make: Callable[[], Any]) -> None:
    assert list(as_values(make())) == [2, 3] and require_integers(make(), "sizes") == (2, 3)
    assert dml.Layout(make()).sizes == (2, 3)


@pytest.mark.parametrize("name", NO_LISTS)
def test_what_is_no_list__is_refused_by_name(name: str) -> None:
    make = NO_LISTS[name]
    (violation,) = error_of(lambda: require_integers(make(), "sizes")).violations
    assert (violation.rule, violation.path) == ("list", "sizes") and violation.fix is not None
    for ask, path in (
        (lambda: dml.Layout(make()), "Sizes"),
        (lambda: dml.Layout([2, 3]).broadcast_to(make()), "sizes"),
        (lambda: dml.TensorDesc("FLOAT32", make(), [1]), "Sizes"),
        (lambda: dml.TensorDesc(DataType=1, Sizes=make(), DimensionCount=2), "Sizes"),
        (lambda: dml.DMLCalcBufferTensorSize("FLOAT32", 2, make()), "Sizes"),
    ):
        if make() is not None:
            assert violations_of(ask) == [("list", path)]


def test_lists__that_may_come_one_by_one_have_an_end() -> None:
    violations: list[dml.Violation] = []
    assert read_list(iter([2, 3]), "nodes", violations, may_be_endless=True) == [2, 3] and not violations
    assert read_list(itertools.count(), "nodes", violations, may_be_endless=True) is None
    assert f"more than {MOST_VALUES} values" in str(violations[0]) and "at most" in violations[0].expected
    for ask in (
        lambda: dml.Graph(itertools.repeat(None), [], []),
        lambda: dml.Device().highest_feature_level(itertools.repeat("1.0")),
        lambda: dml.OperatorInitializer(itertools.repeat(None)),  # type: ignore[arg-type]
        lambda: dml.DmlError(itertools.repeat(None)),  # type: ignore[arg-type]
    ):
        error_of(ask)


def test_failing_generator__tells_its_error() -> None:
    error = error_of(lambda: dml.Graph((1 // each for each in (1, 0)), [], []))
    assert "ZeroDivisionError" in str(error) and error.violations[0].path == "nodes"


# Names, flags and enumerations

PARSERS: dict[str, Callable[[Any], Any]] = {
    "data type": dml.DataType.parse,
    "level": dml.FeatureLevel.parse,
    "release": dml.FeatureLevel.of_directml,
    "flags": dml.TensorFlags.parse,
    "execution flags": dml.ExecutionFlags.parse,
    "enumeration": dml.PaddingMode.parse,
    "passes": lambda value: dml.Passes.without(value),
    "all passes": lambda value: dml.Passes(value),
    "passes of a device": lambda value: dml.Device().compile(_relu(), passes=value),
    "flags of a device": lambda value: dml.Device().compile(_relu(), flags=value),
    "device": dml.Device,
    "order": lambda value: dml.Layout.from_order((2, 3), value),
    "axes": lambda value: dml.Layout.from_order((2, 3), "HW", value),
    "support": lambda value: dml.supports(value),
    "called enumeration": dml.PaddingMode,
    "called type": dml.DataType,
    "called level": dml.FeatureLevel,
    "called number": dml.HResult,
    "called operator type": pydirectml.OperatorType,
}
NONSENSE: dict[str, Callable[[], Any]] = {
    "array": lambda: np.array(["FLOAT33", "fusion"]),
    "numbers": lambda: np.array([40, 41]),
    "deep": deep,
    "deep inside": lambda: [deep(), "x"],
    "own": own_list,
    "failing": Failing,
    "failing inside": lambda: [Failing()],
    "huge": lambda: 10**400,
    "nan": lambda: float("nan"),
    "released": lambda: _released(),
    "letters": lambda: "x" * 10**6,
}


def _relu() -> dml.Operator:
    return dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [2, 3]))


def _released() -> memoryview:
    view = memoryview(bytearray(8))
    view.release()
    return view


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("name", NONSENSE)
def test_names__that_are_nonsense_are_refused_by_name(name: str, parser: str) -> None:
    error_of(lambda: PARSERS[parser](NONSENSE[name]()))


def test_enumerations__called_tell_what_to_write() -> None:
    (violation,) = error_of(lambda: dml.PaddingMode("DML_PADDING_MODE_WRAP")).violations
    assert (violation.rule, violation.path, str(violation.fix)) == ("enum.known", "PaddingMode", "PaddingMode.WRAP")
    assert "FeatureLevel.LEVEL_6_4" in str(error_of(lambda: dml.FeatureLevel("6.4")))
    assert "(0, 'x')" in str(error_of(lambda: dml.PaddingMode(0, "x")))  # type: ignore[call-arg]
    assert dml.PaddingMode(4) is dml.PaddingMode.WRAP and dml.TensorFlags(1) == dml.TensorFlags.OWNED_BY_DML
    for member in (dml.PaddingMode.WRAP, dml.ExecutionFlags(3), pydirectml.OperatorType.ACTIVATION_RELU):
        assert pickle.loads(pickle.dumps(member)) == member == copy.deepcopy(member)


def test_flags__are_read_alike() -> None:
    for kind, first in ((dml.TensorFlags, "OWNED_BY_DML"), (dml.ExecutionFlags, "DISABLE_META_COMMANDS")):
        wanted = kind[first]
        for value in (
            wanted,
            int(wanted),
            np.int64(int(wanted)),
            first,
            first.lower(),
            f"NONE | {first}",
            [first],
            (first,),
        ):
            assert kind.parse(value) is wanted or kind.parse(value) == wanted
        assert kind.parse(None) == kind.parse([]) == kind.parse(0) == kind.NONE


def test_errors__are_made_of_violations_and_violations_of_texts() -> None:
    for ask, path in (
        (lambda: dml.DmlError("something"), "violations"),  # type: ignore[arg-type]
        (lambda: dml.BindingError([7]), "violations"),  # type: ignore[list-item]
        (lambda: dml.Violation(1, "a", "b", "c"), "rule"),  # type: ignore[arg-type]
        (lambda: dml.Violation("a", "b", "c", "d", 5), "fix"),  # type: ignore[arg-type]
    ):
        assert violations_of(ask) == [("error.parts", path)]
    assert str(dml.Violation("list", "a", "b", "c", "words").fix) == "words"  # type: ignore[arg-type]
