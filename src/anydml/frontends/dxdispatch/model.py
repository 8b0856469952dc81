"""A model in memory: what the JSON said, checked. Resources hold bytes, dispatchables run, commands say when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anydml.core.datatype import DataType
from anydml.core.enums import ExecutionFlags
from anydml.core.schema import Operator
from anydml.frontends.dxdispatch.initial_values import InitialValues


@dataclass(frozen=True)
class Place:
    """Where in the file something was written."""

    path: str
    line: int
    column: int


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

    def offset_in_bytes(self, resource: Resource) -> int:
        """Where the range starts; elements of a resource of mixed types count as bytes."""
        if self.element_size_in_bytes is not None or resource.data_type is None:
            return self.element_offset * (self.element_size_in_bytes or 1)
        return resource.data_type.bytes_for(self.element_offset)


Bindings = Mapping[str, tuple[Source, ...]]
"""Sources by the Python name of the tensor's field; a list of tensors has several."""


@dataclass(frozen=True)
class Dispatchable:
    """An operator to be compiled."""

    name: str
    operator: Operator
    flags: ExecutionFlags
    bindings: Bindings
    """Buffers of the OWNED_BY_DML inputs."""
    place: Place


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
