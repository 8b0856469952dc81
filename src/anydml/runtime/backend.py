"""What a device is made of: something that turns a plan into a program. One lazily imported file each."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, cast

from anydml.core.enums import ExecutionFlags
from anydml.core.errors import InvalidDescriptionError
from anydml.core.fixes import suggest
from anydml.core.rules import rule
from anydml.graph.plan import Plan
from anydml.runtime.definitions import Memory

UNKNOWN_DEVICE = rule("device.known", "A device is one of those anydml has.")
BACKENDS = {
    "cpu": "the processor, with fast kernels",
    "reference": "the definitions alone, floats in float64: the answer to compare with",
    "null": "plans and prints, runs nothing",
}


class Program(Protocol):
    """A plan made ready: run it as often as you like, from any thread."""

    def run(self, memory: Memory) -> None: ...


class Backend(Protocol):
    """Makes programs of plans."""

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> Program: ...


def find_backend(name: Any) -> Backend:
    """The backend of this name, imported now and not before."""
    if name not in BACKENDS:
        expected = f"one of {', '.join(BACKENDS)}"
        raise InvalidDescriptionError(UNKNOWN_DEVICE("device", repr(name), expected, suggest(str(name), BACKENDS)))
    return cast(Backend, import_module(f"anydml.runtime.{name}").BACKEND)
