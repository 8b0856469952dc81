"""A model in memory: what the JSON said, checked. Resources hold bytes, dispatchables run, commands say when."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from anydml.core.datatype import DataType
from anydml.core.enums import ExecutionFlags
from anydml.core.schema import Operator
from anydml.frontends.dxdispatch.initial_values import InitialValues
from anydml.graph.graph import Graph


@dataclass(frozen=True)
class Place:
    """Where in the file something was written."""

    path: str
    line: int
    column: int
    entries: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Line and column of each entry, for what only a run finds wrong with it."""

    def of(self, path: str) -> tuple[int, int]:
        """The place of the entry that a path starts with, or of the whole."""
        return self.entries.get(re.split(r"[.\[]", path)[0], (self.line, self.column))


@dataclass(frozen=True)
class Resource:
    """A buffer with its initial bytes."""

    name: str
    initial: InitialValues
    initial_offset_in_bytes: int
    size_in_bytes: int
    has_given_size: bool
    place: Place

    @property
    def data_type(self) -> DataType | None:
        """The type of the initial values; None for a list of mixed types."""
        return self.initial.data_type

    @property
    def shown_bytes(self) -> int:
        """What `print` shows: everything up to the end of the initial values, no padding."""
        return self.initial_offset_in_bytes + self.initial.size_in_bytes


@dataclass(frozen=True)
class Source:
    """A range of a resource, bound to a tensor."""

    resource: str
    element_offset: int
    element_size_in_bytes: int | None
    """None for the size of the resource's own elements."""

    def element_bits(self, resource: Resource) -> int:
        """The unit of the offset; elements of a resource of mixed types count as bytes."""
        if self.element_size_in_bytes is not None or resource.data_type is None:
            return (self.element_size_in_bytes or 1) * 8
        return resource.data_type.bits

    def offset_in_bytes(self, resource: Resource) -> int:
        """Where the range starts, rounded up to a whole byte."""
        return -(-self.element_offset * self.element_bits(resource) // 8)


Bindings = Mapping[str, tuple[Source, ...]]
"""Sources by the Python name of the tensor's field; a list of tensors has several."""


@dataclass(frozen=True)
class Dispatchable:
    """An operator or a graph to be compiled."""

    name: str
    graph: Graph
    flags: ExecutionFlags
    bindings: Bindings
    """Buffers of the OWNED_BY_DML inputs."""
    place: Place

    @property
    def operator(self) -> Operator | None:
        """The operator, where this is one and not a graph."""
        return self.graph.single_operator


@dataclass(frozen=True)
class Dispatch:
    dispatchable: str
    bindings: Bindings
    text: str
    place: Place


@dataclass(frozen=True)
class Print:
    resource: str
    verbose: bool
    text: str
    place: Place


@dataclass(frozen=True)
class WriteFile:
    resource: str
    target: str
    dimensions: tuple[int, ...]
    """Sizes of the array or image; empty for all elements in a row."""
    text: str
    place: Place


Command = Dispatch | Print | WriteFile
"""`text` is the command as JSON, for `--print_commands`."""


@dataclass(frozen=True)
class Model:
    name: str
    resources: Mapping[str, Resource]
    dispatchables: Mapping[str, Dispatchable]
    commands: tuple[Command, ...]
