"""Running without ceremony: one call compiles an operator or a graph on a device and runs it on arrays."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from anydml.core.errors import InvalidDescriptionError
from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.graph.graph import Graph
from anydml.runtime.compiled import CompiledOperator
from anydml.runtime.device import Device
from anydml.runtime.planning import identity

NOT_RUNNABLE = rule("run.kind", "What runs is an operator with its fields, a graph or something compiled.")
_KEPT_OPERATORS = 64


def run(
    what: Operator | Graph | CompiledOperator, /, *buffers: Any, device: Device | str | None = None, **named: Any
) -> Any:
    """Run an operator or a graph on arrays: inputs by position in DirectML's order or by name, outputs likewise.

    A name that is no word of Python, or is `device`, goes in a dictionary: `run(graph, {"layer/1": array})`. Outputs
    that are not given are allocated and returned: one array, or a named tuple of several, where `outputs["layer/1"]`
    works, too. An operator that is run again on the same device is compiled once. `device` is a `Device` or its name;
    the CPU when left out.
    """
    if isinstance(what, CompiledOperator):
        return what(*buffers, **named)
    where = device if isinstance(device, Device) else Device(device) if device is not None else Device()
    if isinstance(what, Graph):
        return _run_new(where.compile_graph(what), buffers, named)
    if not isinstance(what, Operator):
        found = f"the class {what.__name__}" if isinstance(what, type) else type(what).__name__
        fix = f"{what.__name__}(...) with its fields" if isinstance(what, type) else "run(Slice1(...), array)"
        raise InvalidDescriptionError(NOT_RUNNABLE("", found, "an operator, a graph or something compiled", fix), "run")
    compiled = _compiled(_Wanted(where, identity(what), what))
    if any(port.is_owned for port in compiled.inputs):
        # Initialization takes place once, so every run with weights of its own compiles anew.
        return _run_new(where.compile(what), buffers, named)
    return compiled(*buffers, **named)


@dataclass(frozen=True)
class _Wanted:
    """Equal for operators that do the same: those with 0.0 and with -0.0 are equal, and yet do not."""

    device: Device
    key: Hashable
    operator: Operator = field(compare=False)


@lru_cache(maxsize=_KEPT_OPERATORS)
def _compiled(wanted: _Wanted) -> CompiledOperator:
    return wanted.device.compile(wanted.operator)


def _run_new(compiled: CompiledOperator, buffers: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Initialize with the OWNED_BY_DML inputs, then run with the rest."""
    owned = [port for port in compiled.inputs if port.is_owned]
    if not owned:
        return compiled(*buffers, **named)
    values = compiled.binder.arrange(buffers, named)
    given = dict(zip((port.name for port in compiled.binder.ports), values, strict=True))
    compiled.initialize({port.name: given.pop(port.name) for port in owned if given[port.name] is not None})
    return compiled({name: value for name, value in given.items() if value is not None})
