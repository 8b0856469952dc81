"""Planning: a graph becomes a plan with ports. Equal operators share theirs: models repeat the same few many times."""

from __future__ import annotations

import struct
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from anydml.core.enums import ExecutionFlags
from anydml.core.levels import FeatureLevel
from anydml.core.schema import Operator
from anydml.core.schema.validate import require_valid
from anydml.graph.graph import Graph
from anydml.graph.lower import lower
from anydml.graph.passes import Passes
from anydml.graph.plan import Plan
from anydml.runtime.backend import Backend, Executable
from anydml.runtime.ports import Port, ports_of

_KEPT_PLANS, _KEPT_EXECUTABLES = 512, 64
"""Of operators alone: graphs have constants, which must go with them. Executables keep kernels in memory."""


@dataclass(frozen=True)
class Planned:
    """A graph with its plan for one device, and what its caller binds."""

    graph: Graph
    plan: Plan
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    is_shared: bool = False
    """Whether other operators that are equal have the same plan."""


def plan_graph(graph: Graph, backend: Backend, passes: Passes, is_shared: bool = False) -> Planned:
    """The plan of a valid graph."""
    chosen = passes if backend.uses_passes else Passes.none()
    plan = chosen.run(lower(graph, backend.claims), backend.expand)
    return Planned(graph, plan, *ports_of(graph, plan), is_shared)


def plan_operator(operator: Operator, level: FeatureLevel, backend: Backend, passes: Passes) -> Planned:
    """The plan of an operator that is valid at the level, or an error with everything that is wrong."""
    key = identity(operator), level, id(backend), backend.plan_options(), passes
    return _plan_request(_Request(key, operator, level, backend, passes))


def identity(operator: Operator) -> Hashable:
    """What equal operators have in common and no others: 0.0 and -0.0 differ here, and NaN is itself."""
    return type(operator), tuple(map(_exact, operator.values().values()))


def _exact(value: Any) -> Hashable:
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, tuple):
        return tuple(map(_exact, value))
    return identity(value) if isinstance(value, Operator) else value


@dataclass(frozen=True)
class _Request:
    key: Hashable
    operator: Operator = field(compare=False)
    level: FeatureLevel = field(compare=False)
    backend: Backend = field(compare=False)
    passes: Passes = field(compare=False)


@lru_cache(_KEPT_PLANS)
def _plan_request(request: _Request) -> Planned:
    require_valid(request.operator, request.level)
    return plan_graph(Graph.of(request.operator), request.backend, request.passes, is_shared=True)


def prepare(planned: Planned, backend: Backend, flags: ExecutionFlags) -> Executable:
    """What runs a plan on a device; that of equal operators is one where the device allows it."""
    if not (planned.is_shared and backend.shares_executables):
        return backend.prepare(planned.plan, flags)
    return _prepare_shared(_Preparation(id(planned.plan), id(backend), flags, planned.plan, backend))


@dataclass(frozen=True)
class _Preparation:
    """Equal for the very same plan: whether two plans say the same would take longer to find out."""

    plan_id: int
    backend_id: int
    flags: ExecutionFlags
    plan: Plan = field(compare=False)
    backend: Backend = field(compare=False)


@lru_cache(_KEPT_EXECUTABLES)
def _prepare_shared(wanted: _Preparation) -> Executable:
    return wanted.backend.prepare(wanted.plan, wanted.flags)
