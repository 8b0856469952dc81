"""Everything public that takes arguments: found by looking, and called soundly in `tests.fuzz.sound`."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import anydml as dml
import pydirectml
from anydml import expression, slicing
from anydml.core.schema.operator import SHOWN_NAMES
from anydml.frontends import c_names, serialized
from anydml.frontends.dxdispatch import writing

ROOT = Path(__file__).parents[3]
OURS = ("anydml", "pydirectml")
SPECIAL = ("__call__", "__getitem__")
ARITHMETIC = (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "mod", "and", "or", "xor", "lshift"),
    *("rshift", "lt", "le", "gt", "ge", "eq", "ne", "pow", "matmul"),
)
FOR_ANYDML = {
    "expression.Expression": {"Expression"},
    "expression.Graph": {"add_step", "full_name", "full_name_of", "runner", "view"},
    "pydirectml.Expression": {"of"},
    "pydirectml.Model": {"Model", "compute"},
    "pydirectml.TensorDesc": {"of"},
}
"""What modules of anydml and pydirectml call among themselves, besides what `scripts/api` leaves out."""


@dataclass(frozen=True)
class Call:
    """A function, and arguments that it takes. Those that have no name come as `*0`, `*1`, ..."""

    function: Callable[..., Any]
    arguments: dict[str, Any]

    def with_argument(self, name: str, value: Any) -> Call:
        return Call(self.function, {**self.arguments, name: value})

    def split(self) -> tuple[list[Any], dict[str, Any]]:
        """By position, and by name."""
        positional = [value for name, value in self.arguments.items() if name.startswith("*")]
        return positional, {name: value for name, value in self.arguments.items() if not name.startswith("*")}

    def __call__(self) -> Any:
        positional, named = self.split()
        return self.function(*positional, **named)


def public_names() -> list[str]:
    """Qualified names of all public callables that take arguments, operators and what is made of them aside."""
    return [
        *_names("dml", {name: getattr(dml, name) for name in dml.__all__}),
        *_names("dml", c_names.FUNCTIONS),
        *_names("slicing", {name: getattr(slicing, name) for name in slicing.__all__}),
        *_names("expression", {name: getattr(expression, name) for name in _own_expressions()}),
        *_names("pydirectml", {name: getattr(pydirectml, name) for name in pydirectml.__all__}),
        *_names("frontends", {name: getattr(serialized, name) for name in serialized.__all__}),
        *_names("frontends", {"write_model": writing.write_model}),
    ]


def _own_expressions() -> Iterator[str]:
    """What is not made of an operator's declaration, and not told elsewhere."""
    for name in expression.__all__:
        is_own = name not in expression.functions.DERIVED or name in expression.composed.FUNCTIONS
        is_policy = isinstance(getattr(expression, name), dml.TensorPolicy)
        if is_own and not is_policy and (name == "Graph" or name not in dml.__all__):
            yield name


def _names(prefix: str, values: dict[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if inspect.isclass(value):
            yield from _of_class(f"{prefix}.{name}", value)
        elif callable(value) and takes_arguments(value):
            yield f"{prefix}.{name}"


def _of_class(name: str, cls: type) -> Iterator[str]:
    hidden = _internal().get(name.removeprefix("dml."), set()) | FOR_ANYDML.get(name, set())
    if name.rpartition(".")[2] not in hidden and takes_arguments(cls):
        yield name
    special = [f"__{each}__" for each in ARITHMETIC] if name.endswith(".Expression") else SPECIAL
    for member in sorted({key for base in cls.__mro__ if base.__module__.startswith(OURS) for key in vars(base)}):
        is_shown = member in special if member.startswith("_") else member not in hidden
        if issubclass(cls, dml.Operator):
            is_shown = member in SHOWN_NAMES
        value = inspect.getattr_static(cls, member)
        is_function = isinstance(value, (classmethod, staticmethod)) or inspect.isfunction(value)
        if is_shown and is_function and takes_arguments(value, in_class=True):
            yield f"{name}.{member}"


def takes_arguments(value: Any, in_class: bool = False) -> bool:
    if inspect.isclass(value) and issubclass(value, (enum.Enum, BaseException)):
        return True
    unbound = getattr(value, "__func__", value)
    skipped = in_class and not isinstance(value, staticmethod)
    return len(inspect.signature(unbound).parameters) > skipped


def _internal() -> dict[str, set[str]]:
    """Members that the page of the API does not promise."""
    loader = SourceFileLoader("api_script", str(ROOT / "scripts" / "api"))
    spec = spec_from_loader("api_script", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    internal: dict[str, set[str]] = module.INTERNAL
    return internal
