"""Running a model: allocate and fill the resources, compile and initialize the operators, obey the commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import prod
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from anydml.core.errors import DmlError, ModelError, OutOfMemoryError, Violation, counted, shown
from anydml.core.integers import require_integer
from anydml.core.memory import Bytes
from anydml.core.rules import rule
from anydml.core.tensor import TensorDesc
from anydml.core.text import printable
from anydml.files import images, npy
from anydml.files.access import ARGUMENT, ARRAY_EXTENSION, IMAGE_EXTENSIONS, as_path, find_target, write_file
from anydml.files.elements import from_bytes
from anydml.files.places import LocatedViolation, at_key
from anydml.frontends.dxdispatch.checks import buffer_bindings, working_memory
from anydml.frontends.dxdispatch.model import (
    Bindings,
    Command,
    Dispatch,
    Dispatchable,
    Model,
    Place,
    Print,
    Resource,
    WriteFile,
)
from anydml.frontends.dxdispatch.printing import print_indexed, print_plain, print_shaped
from anydml.runtime.budget import guarded, memory_budget
from anydml.runtime.compiled import CompiledOperator
from anydml.runtime.device import Device

MEMORY = rule("run.memory", "There is memory for the resources and for what is computed.")


@dataclass(frozen=True)
class Options:
    """How to run a model."""

    output_folder: Path = Path()
    iterations: int = 1
    times: bool = False
    """Whether to print how long dispatches took."""
    verbose: bool = False
    print_commands: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "output_folder", as_path(self.output_folder, "output_folder"))
        if require_integer(self.iterations, "iterations") < 1:
            raise ModelError(ARGUMENT("iterations", self.iterations, "a whole number from 1"))


@dataclass
class Outcome:
    """What a run left behind, for `--json` and `--compare`."""

    resources: dict[str, Bytes] = field(default_factory=dict)
    views: dict[str, tuple[TensorDesc, int]] = field(default_factory=dict)
    """The tensor last bound to each resource, and its offset in bytes."""
    commands: list[dict[str, Any]] = field(default_factory=list)
    last_shown: str | None = None
    """The resource that was printed or written last."""


class Executor:
    """One run of one model. `write` gets the text, `tick` is called after every iteration."""

    def __init__(
        self,
        model: Model,
        device: Device,
        options: Options,
        write: Callable[[str], None],
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        expected = (("model", model, Model), ("device", device, Device), ("options", options, Options))
        for name, value, kind in expected:
            if not isinstance(value, kind):
                raise ModelError(ARGUMENT(name, shown(value), f"a {kind.__name__}"))
        for name, function in (("write", write), ("tick", tick)):
            if not callable(function):
                raise ModelError(ARGUMENT(name, shown(function), "a function"))
        self.model, self.device, self.options = model, device, options
        self.write, self.tick = write, tick
        self.outcome = Outcome()
        self.buffers = self.outcome.resources
        self.compiled: dict[str, CompiledOperator] = {}

    def run(self) -> Outcome:
        for dispatchable in self.model.dispatchables.values():
            self._at(dispatchable.place, partial(self._compile, dispatchable))
        for resource in self.model.resources.values():
            self._at(resource.place, partial(self._create, resource))
        for dispatchable in self.model.dispatchables.values():
            self._at(dispatchable.place, partial(self._initialize, dispatchable))
        for index, command in enumerate(self.model.commands):
            if self.options.print_commands:
                self.write(f"[StartCmd][{index:04}]\t: {command.text}\n")
            self._at(command.place, partial(self._obey, command))
            if self.options.print_commands:
                self.write(f"[EndCmd][{index:04}]\t: hr=0x00000000 \n")
        return self.outcome

    def _create(self, resource: Resource) -> None:
        data = allocate(resource.size_in_bytes)
        start = resource.initial_offset_in_bytes
        resource.initial.fill(data[start : start + resource.initial.size_in_bytes])
        self.buffers[resource.name] = data

    def _compile(self, dispatchable: Dispatchable) -> None:
        """Compile an operator; before anything is allocated it is known what the device takes for it."""
        compiled = self.device.compile_graph(dispatchable.graph, dispatchable.flags)
        properties = compiled.binding_properties
        needed = properties.temporary_resource_size + properties.persistent_resource_size
        if needed > memory_budget():
            raise OutOfMemoryError(working_memory(needed, memory_budget()))
        self.compiled[dispatchable.name] = compiled

    def _initialize(self, dispatchable: Dispatchable) -> None:
        compiled = self.compiled[dispatchable.name]
        if not compiled.is_initialized:
            compiled.initialize(self._bound(dispatchable.bindings))

    def _bound(self, bindings: Bindings) -> dict[str, Any]:
        return buffer_bindings(bindings, self.model.resources, self.buffers)

    def _obey(self, command: Command) -> None:
        if isinstance(command, Dispatch):
            self._dispatch(command)
        elif isinstance(command, Print):
            self._print(command)
        else:
            self._write_file(command)

    def _dispatch(self, command: Dispatch) -> None:
        compiled, bound = self.compiled[command.dispatchable], self._bound(command.bindings)
        samples = []
        for _ in range(self.options.iterations):
            start = perf_counter()
            compiled(bound)
            samples.append((perf_counter() - start) * 1000)
            self.tick()
        self._remember(compiled, command.bindings)
        # The first run pays for cold caches, so it counts only when there is no other.
        middle = median(samples[1:] or samples)
        if self.options.times:
            count = counted(len(samples), "iteration")
            self.write(f"Dispatch '{printable(command.dispatchable)}': {count}, {middle:.4f} ms median (CPU)\n")
        times = {"iterations": len(samples), "median_ms": middle, "min_ms": min(samples), "max_ms": max(samples)}
        self.outcome.commands.append({"type": "dispatch", "dispatchable": command.dispatchable, **times})

    def _remember(self, compiled: CompiledOperator, bindings: Bindings) -> None:
        tensors = {port.name: port.tensor for port in (*compiled.inputs, *compiled.outputs)}
        for name, sources in bindings.items():
            for i, source in enumerate(sources):
                tensor = tensors.get(name) or tensors.get(f"{name}[{i}]")
                if tensor is not None:
                    offset = source.offset_in_bytes(self.model.resources[source.resource])
                    self.outcome.views[source.resource] = tensor, offset

    def _print(self, command: Print) -> None:
        resource, data = self.model.resources[command.resource], self.buffers[command.resource]
        if command.verbose:
            print_indexed(resource, data, self.write)
        elif self.options.verbose:
            tensor, offset = self.outcome.views.get(resource.name, (None, 0))
            print_shaped(resource, data, tensor, offset, self.write)
        else:
            print_plain(resource, data, self.write)
        self.outcome.last_shown = command.resource
        self.outcome.commands.append({"type": "print", "resource": command.resource})

    def _write_file(self, command: WriteFile) -> None:
        resource, data = self.model.resources[command.resource], self.buffers[command.resource]
        with at_key("targetPath"):
            target = find_target(command.target, self.options.output_folder)
            write_file(target, *_contents(command, resource, data, target.suffix.lower()))
        self.write(f"Resource '{printable(command.resource)}' written to '{printable(str(target))}'\n")
        self.outcome.last_shown = command.resource
        self.outcome.commands.append({"type": "writeFile", "resource": command.resource, "path": str(target)})

    def _at(self, place: Place, action: Callable[[], None]) -> None:
        """Whatever fails in the action is told with this place in the model."""
        try:
            guarded(action, out_of_memory)
        except DmlError as error:
            told = [self._located(violation, place) for violation in error.violations]
            raise (OutOfMemoryError if isinstance(error, MemoryError) else ModelError)(told) from None

    def _located(self, violation: Violation, place: Place) -> LocatedViolation:
        told = violation.under(place.path)
        return LocatedViolation.at(told, self.model.name, *place.of(violation.path))


def out_of_memory(name: str = "") -> OutOfMemoryError:
    """What is told of a model that needs more memory than there is."""
    violation = MEMORY("", "too little memory", "room for the resources and results", "smaller sizes")
    return OutOfMemoryError(violation, name)


def allocate(size_in_bytes: int) -> Bytes:
    """Zeros, or an error where even the address space is too small."""
    try:
        return np.zeros(size_in_bytes, np.uint8)
    except (MemoryError, ValueError):
        raise out_of_memory() from None


def _contents(command: WriteFile, resource: Resource, data: Bytes, extension: str) -> tuple[bytes | memoryview, ...]:
    """The file a resource becomes, in parts."""
    kind, sizes = resource.data_type, command.dimensions
    if extension in IMAGE_EXTENSIONS:
        assert kind is not None  # `check` has seen to it
        values = from_bytes(data, kind)[: prod(sizes)].reshape(sizes[1:])
        return (images.to_image(values, extension),)
    if extension != ARRAY_EXTENSION:
        return (data.data,)
    assert kind is not None
    shown = data if resource.has_given_size else data[: resource.shown_bytes]
    values = from_bytes(data, kind)[: prod(sizes)].reshape(sizes) if sizes else from_bytes(shown, kind)
    return npy.to_npy(values)
