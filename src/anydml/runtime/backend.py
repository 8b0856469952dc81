"""What a device is made of: its memory, and a way to run plans. One lazily imported module each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any, Protocol, cast

from anydml.core.enums import ExecutionFlags
from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.fixes import Use, suggest
from anydml.core.memory import Bytes
from anydml.core.outside import as_text
from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.core.tensor import TensorDesc
from anydml.graph.plan import Plan
from anydml.process.loading import load_module
from anydml.runtime.buffer import Buffer
from anydml.runtime.ports import Port

UNKNOWN_DEVICE = rule("device.known", "A device is one of those anydml has, and is there.")
BACKENDS = {
    "cpu": ("the processor, with fast kernels", "anydml.runtime.cpu"),
    "cuda": ("an NVIDIA GPU, with kernels compiled by NVRTC", "anydml.runtime.cuda"),
    "reference": ("the definitions alone, floats in float64: the answer to compare with", "anydml.runtime.reference"),
    "null": ("plans and prints, runs nothing", "anydml.runtime.null"),
}
"""What each device is, and the module whose `BACKEND` runs it."""
AUTO = "auto"
"""Stands for the fastest device that is there."""

Memory = Sequence[Buffer | None]
"""The buffer of each slot of a plan; None for those that the steps at hand do not use."""


class Run(Protocol):
    """Steps with their memory: call it as often as you like, from one thread at a time."""

    def __call__(self) -> None: ...


class Executable(Protocol):
    """A plan made ready. Immutable: any number of runs can be bound at once."""

    @property
    def scratch_size_in_bytes(self) -> int:
        """The most memory that steps take besides their slots."""
        ...

    def bind_initialize(self, memory: Memory) -> Run:
        """The steps that run once."""
        ...

    def bind(self, memory: Memory) -> Run:
        """The steps that run every time."""
        ...


class Space(Protocol):
    """A device's memory."""

    space: str
    """What its buffers name as theirs."""

    def adopt(self, value: Any, path: str, port: Port | None) -> Buffer:
        """A caller's object as a buffer, without a copy; an error if it is no memory of this device."""
        ...

    def allocate(self, size_in_bytes: int) -> Buffer:
        """New memory, aligned for every data type, its contents undefined."""
        ...

    def copy(self, source: Buffer, destination: Buffer) -> None:
        """Copies all bytes of the source to the start of the destination; they do not overlap."""
        ...

    def upload(self, data: Bytes) -> Buffer:
        """Bytes of the host in memory of the device; the host's own memory may serve."""
        ...

    def download(self, buffer: Buffer) -> Bytes:
        """A buffer's bytes on the host."""
        ...

    def array(self, buffer: Buffer, tensor: TensorDesc) -> Any:
        """A tensor in a buffer, as an array of the device's own array library, without a copy."""
        ...

    def synchronize(self) -> None:
        """Returns when all work that was started is done."""
        ...


class Backend(Space, Protocol):
    """A device's memory and its way to run plans."""

    uses_passes: bool
    """Whether plans are optimised for it."""
    shares_executables: bool
    """Whether what runs a plan holds nothing of one caller, so that equal operators may share it."""

    def claims(self, operator: Operator) -> bool:
        """Whether it runs this operator as a program, whatever form its meaning has."""
        ...

    def expand(self, plan: Plan) -> Plan:
        """Its own pass: programs may become steps of its own, with slots for the memory they need."""
        ...

    def plan_options(self) -> Hashable:
        """What its plans depend on besides the graph; plans for equal options may be shared."""
        ...

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> Executable:
        """A plan made ready to run."""
        ...


def device_names() -> tuple[str, ...]:
    """Every name that a device is asked for by."""
    return (*BACKENDS, AUTO)


def find_device(name: Any) -> str:
    """The name of a device that is known: itself, or the one that `auto` stands for."""
    names, text = device_names(), as_text(name)
    if text is None or text not in names:
        expected = f"one of {', '.join(names)}"
        raise InvalidDescriptionError(UNKNOWN_DEVICE("device", shown(name), expected, suggest(text or "", names)))
    return fastest() if text == AUTO else text


def find_backend(name: Any) -> Backend:
    """The backend of this name, imported now and not before."""
    return _load(find_device(name))


@cache
def _load(name: str) -> Backend:
    reason = why_missing(name)
    if reason is not None:
        raise InvalidDescriptionError(
            UNKNOWN_DEVICE("device", f"{name!r} ({reason})", "a device that is there", Use(AUTO))
        )
    return cast(Backend, load_module(BACKENDS[name][1]).BACKEND)


def why_missing(name: str) -> str | None:
    """Why a device cannot be used here; None where it can."""
    missing: Callable[[], str | None] | None = getattr(load_module(BACKENDS[name][1]), "missing", None)
    return None if missing is None else missing()


def fastest() -> str:
    """The name of the fastest device that is there."""
    return "cuda" if why_missing("cuda") is None else "cpu"
