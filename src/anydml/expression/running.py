"""Running a graph again and again, with OWNED_BY_DML inputs that are taken once and may change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.enums import ExecutionFlags
from anydml.core.errors import BindingError, counted
from anydml.core.memory import as_bytes
from anydml.core.rules import rule
from anydml.core.tensor import TensorDesc
from anydml.graph.graph import Graph
from anydml.runtime.compiled import CompiledOperator
from anydml.runtime.device import Device

COUNT = rule(
    "expression.arrays", "A graph is called with an array for each of its inputs, in the order of their indices."
)


def _is_same(new: Any, old: Any) -> bool:
    """Whether an owned input need not be taken again: comparing numbers is far quicker than compiling anew."""
    both = isinstance(new, np.ndarray) and isinstance(old, np.ndarray)
    return new is old or (both and new.dtype == old.dtype and np.array_equal(new, old))


class Runner:
    """A compiled graph, its outputs' descriptions, and the OWNED_BY_DML inputs it has taken."""

    def __init__(self, device: Device, graph: Graph, outputs: Sequence[TensorDesc], flags: ExecutionFlags) -> None:
        self.device, self.graph, self.outputs, self.flags = device, graph, tuple(outputs), flags
        self.compiled: CompiledOperator = device.compile_graph(graph, flags)
        self._taken: tuple[Any, ...] | None = None

    def __call__(self, arrays: Sequence[Any]) -> list[npt.NDArray[Any]]:
        """The outputs. Owned inputs are taken anew when others are given than last time."""
        ports = self.compiled.inputs
        if len(arrays) != len(ports):
            expected = f"{len(ports)}, one for each input"
            raise BindingError(COUNT("", counted(len(arrays), "array"), expected), "graph")
        owned = tuple(array if port.is_owned else None for port, array in zip(ports, arrays, strict=True))
        if any(port.is_owned for port in ports):
            self._take(owned)
        # A binding to an input that nothing reads is of no use, and no error either.
        bound = [
            self._upload(a) if p.slot is not None and not p.is_owned else None
            for p, a in zip(ports, arrays, strict=True)
        ]
        return self._run(bound)

    def _take(self, owned: tuple[Any, ...]) -> None:
        taken = self._taken
        if taken is not None and all(map(_is_same, owned, taken)):
            return
        if taken is not None:  # an operator is initialized once
            self.compiled = self.device.compile_graph(self.graph, self.flags)
            self._taken = None
        self.compiled.initialize(*(None if each is None else self._upload(each) for each in owned))
        self._taken = owned

    def _upload(self, array: Any) -> Any:
        """The array itself where the device can read it, else a copy in the device's memory."""
        if array is None or self.device.backend.space == "host":
            return array
        return self.device.upload(as_bytes(np.ascontiguousarray(array), "array"))

    def _run(self, bound: list[Any]) -> list[npt.NDArray[Any]]:
        ports = self.compiled.outputs
        buffers = [self.device.allocate(port.total) for port in ports]
        self.compiled(*bound, *buffers)
        pairs = zip(self.outputs, buffers, strict=False)  # behind the outputs come those that nobody asked for
        return [desc.view(self.device.download(buffer)) for desc, buffer in pairs]
