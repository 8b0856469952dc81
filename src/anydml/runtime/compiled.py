"""CompiledOperator: an operator or a graph, checked, planned and ready to run, as often as wanted, on any thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from anydml.core.enums import ExecutionFlags
from anydml.core.errors import BindingError, DmlError, InvalidDescriptionError, OutOfMemoryError, shown
from anydml.core.fixes import ANOTHER_BUFFER
from anydml.core.naming import arguments
from anydml.core.rules import MEMORY, rule
from anydml.core.schema import Operator
from anydml.core.tensor import round_up
from anydml.graph.graph import Graph
from anydml.graph.passes import Passes
from anydml.graph.plan import SlotKind, reads, writes
from anydml.runtime.backend import Run
from anydml.runtime.binding import OVERLAP, Binder
from anydml.runtime.buffer import Buffer
from anydml.runtime.outputs import named_outputs
from anydml.runtime.planning import Planned, plan_graph, prepare

if TYPE_CHECKING:
    from anydml.runtime.device import Device

NOT_INITIALIZED = rule("initialize.first", "An operator with OWNED_BY_DML inputs is initialized before it runs.")
NOT_PLANNED = rule("compiled.plan", "A compiled operator is what a device has compiled.")
INITIALIZED_TWICE = rule("initialize.once", "An operator is initialized once.")
_KEPT_ARENAS = 2
"""Arenas that are kept for the next runs; more runs at once get memory of their own."""


@dataclass(frozen=True)
class BindingProperties:
    """What an operator needs besides its tensors."""

    required_descriptor_count: int
    temporary_resource_size: int
    persistent_resource_size: int


class CompiledOperator:
    """Call it with a buffer for each tensor, by position or by name; outputs are written in place.

    A name that is no word of Python goes in a dictionary: `compiled(source, {"layer/1": result})`. Outputs that are not
    given are allocated and returned: one array, or a named tuple of several, where `outputs["layer/1"]` works, too.
    """

    def __init__(self, device: Device, planned: Planned, flags: ExecutionFlags, passes: Passes) -> None:
        if not isinstance(planned, Planned):
            fix = "device.compile(...), or device.compile_graph(...)"
            raise InvalidDescriptionError(NOT_PLANNED("planned", shown(planned), "what a device has planned", fix))
        self.device, self.flags, self.passes = device, flags, passes
        self.graph, self.plan = planned.graph, planned.plan
        self.inputs, self.outputs = planned.inputs, planned.outputs
        self._backend = device.backend
        self._executable = prepare(planned, self._backend, flags)
        self.binder = Binder(self.subject, (*self.inputs, *self.outputs), self.plan, self._backend)
        self._constants = {n: self._upload(n) for n in self.plan.of_kind(SlotKind.CONSTANT)}
        self._owned = [port for port in self.inputs if port.is_owned]
        self._places = {n: self.plan.slots[n] for n in self.plan.of_kind(SlotKind.PERSISTENT, SlotKind.TEMPORARY)}
        self._copied_first = tuple(self.plan.aliases - self.plan.in_place)
        self._persistent: Buffer | None = None
        self._lock = Lock()
        self._arenas: deque[Buffer] = deque(maxlen=_KEPT_ARENAS)

    def _upload(self, number: int) -> Buffer:
        data = self.plan.slots[number].data
        assert data is not None
        return self._backend.upload(data)

    @property
    def operator(self) -> Operator | None:
        """The operator, where this is one and not a graph."""
        return self.graph.single_operator

    @property
    def subject(self) -> str:
        operator = self.operator
        return type(operator).__name__ if operator is not None else "Graph"

    @property
    def binding_properties(self) -> BindingProperties:
        """Descriptors for every tensor, and the memory for intermediate results and for what initialization keeps."""
        descriptors = sum(port.tensor is not None for port in self.binder.ports)
        temporary = self.plan.temporary_size_in_bytes + self._executable.scratch_size_in_bytes
        return BindingProperties(descriptors, round_up(temporary, 4), self.plan.persistent_size_in_bytes)

    # Initialization

    @property
    def is_initialized(self) -> bool:
        return self._persistent is not None or not self.plan.persistent_size_in_bytes

    @property
    def persistent(self) -> Buffer | None:
        """The memory that initialization filled."""
        return self._persistent

    def initialize(self, /, *buffers: Any, **named: Any) -> None:
        """Take the OWNED_BY_DML inputs; afterwards their buffers may go. Once, before the first run."""
        bound = self.binder.bind_call(buffers, named, initializing=True)
        self.require_new()
        self.keep(bound, self._allocate(self.plan.persistent_size_in_bytes, "PersistentResource"))

    def require_new(self) -> None:
        """An operator is initialized once."""
        if self._persistent is not None:
            found = f"a second initialization of {self.subject}"
            raise BindingError(INITIALIZED_TWICE("initialize", found, "one", "compiling it anew"))

    def keep(self, bound: Sequence[Buffer | None], persistent: Buffer) -> None:
        """Run the steps that run once, and keep the memory they filled."""
        with self._lock:
            self.require_new()
            self._fill(bound, persistent)

    def _fill(self, bound: Sequence[Buffer | None], persistent: Buffer) -> None:
        self._executable.bind_initialize(self._memory(bound, None, persistent))()
        self._persistent = persistent

    def _require_initialized(self) -> None:
        if self.is_initialized:
            return
        if self._owned:
            given = arguments((port.name for port in self._owned), "...")
            found, fix = "no initialization", f"initialize({given}) first"
            raise BindingError(NOT_INITIALIZED("initialize", found, "the OWNED_BY_DML inputs", fix), self.subject)
        with self._lock:
            # Constants alone need nobody's buffers. Of several threads, the first does it.
            if self._persistent is None:
                persistent = self._allocate(self.plan.persistent_size_in_bytes, "PersistentResource")
                self._fill([None] * len(self.binder.ports), persistent)

    # Running

    def __call__(self, /, *buffers: Any, **named: Any) -> Any:
        """Run on these buffers: `run(source, output_tensor=result)`, or `result = run(source)`."""
        created = self._run(buffers, named)
        return self._arrays(created, lambda port, buffer: port.tensor.view(self._backend.download(buffer)))

    def on_device(self, /, *buffers: Any, **named: Any) -> Any:
        """As a call, but outputs that are created stay in the device's memory: arrays of CuPy on a GPU."""
        created = self._run(buffers, named)
        return self._arrays(created, lambda port, buffer: self._backend.array(buffer, port.tensor))

    def _run(self, buffers: Sequence[Any], named: Mapping[str, Any]) -> dict[int, Buffer]:
        """Run, and return the outputs that were created."""
        bound = self.binder.bind_call(buffers, named, may_lack_outputs=True)
        created = self._create_outputs(bound)
        arena = self._lease()
        try:
            self.bind(bound, arena)()
        except MemoryError as error:
            arena = None  # given back, where memory is short
            if isinstance(error, DmlError):
                raise
            raise self._out_of_room() from None
        finally:
            if arena is not None:
                self._arenas.append(arena)
        return created

    def _allocate(self, size: int, path: str) -> Buffer:
        """Memory of the device, or an error that says what it was for."""
        try:
            return self._backend.allocate(size)
        except OutOfMemoryError as error:
            told = [violation.under(path) for violation in error.violations]
            raise OutOfMemoryError(told, error.subject or self.subject) from None

    def _out_of_room(self) -> OutOfMemoryError:
        """What is said where arrays of a program found no room."""
        found = f"{self._executable.scratch_size_in_bytes} bytes at most for what is computed"
        return OutOfMemoryError(
            MEMORY("", found, "less, since the system has no room", "smaller tensors"), self.subject
        )

    def _create_outputs(self, bound: list[Buffer | None]) -> dict[int, Buffer]:
        """Memory for the outputs that the caller gave none for."""
        created = {}
        first = len(self.inputs)
        for number, port in enumerate(self.outputs):
            if port.slot is not None and bound[first + number] is None:
                created[number] = bound[first + number] = self._allocate(port.total, port.dml_name)
        return created

    def _arrays(self, created: Mapping[int, Buffer], array: Callable[[Any, Buffer], Any]) -> Any:
        """The created outputs as arrays of their tensors' sizes; None where all were given."""
        arrays = [array(self.outputs[number], buffer) for number, buffer in created.items()]
        if not arrays:
            return None
        if len(arrays) == 1:
            return arrays[0]
        return named_outputs(tuple([self.outputs[number].name for number in created]), arrays)

    def bind(self, bound: Sequence[Buffer | None], arena: Buffer | None) -> Run:
        """The steps with their memory: buffers that `binder` checked, and an arena for temporary results."""
        self._require_initialized()
        self._check_persistent(bound)
        copied = self._copied_inputs(bound) if self._copied_first else {}
        apart = [copied[n][1] if n in copied else buffer for n, buffer in enumerate(bound)] if copied else bound
        run = self._executable.bind(self._memory(apart, arena, self._persistent))
        return partial(self._copy_and_run, tuple(copied.values()), run) if copied else run

    def _memory(
        self, bound: Sequence[Buffer | None], arena: Buffer | None, persistent: Buffer | None
    ) -> list[Buffer | None]:
        """The buffer of every slot."""
        memory: list[Buffer | None] = [None] * len(self.plan.slots)
        for port, buffer in zip(self.binder.ports, bound, strict=True):
            if port.slot is not None:
                memory[port.slot] = buffer
        for number, buffer in self._constants.items():
            memory[number] = buffer
        for number, slot in self._places.items():
            base = persistent if slot.kind is SlotKind.PERSISTENT else arena
            if base is not None and slot.offset + slot.size_in_bytes <= base.size_in_bytes:
                memory[number] = base.part(slot.offset, slot.size_in_bytes)
        return memory

    def _copied_inputs(self, bound: Sequence[Buffer | None]) -> dict[int, tuple[Buffer, Buffer]]:
        """Inputs that an output would overwrite before they are read, with memory that every run copies them to."""
        copied: dict[int, tuple[Buffer, Buffer]] = {}
        for source, destination in self._copied_first:
            first, second = self._port_of(source), self._port_of(destination)
            buffer = bound[first]
            if buffer is not None and self.binder.is_in_place(first, second, bound):
                copied[first] = buffer, self._allocate(buffer.size_in_bytes, self.binder.ports[first].dml_name)
        return copied

    def _copy_and_run(self, copies: Sequence[tuple[Buffer, Buffer]], run: Run) -> None:
        for source, destination in copies:
            self._backend.copy(source, destination)
        run()

    def _port_of(self, slot: int) -> int:
        return next(number for number, port in enumerate(self.binder.ports) if port.slot == slot)

    def _check_persistent(self, bound: Sequence[Buffer | None]) -> None:
        kept = self._persistent
        if kept is None:
            return
        for port, buffer in zip(self.binder.ports, bound, strict=True):
            if port.is_output and buffer is not None and buffer.overlaps(kept):
                found, expected = "memory of the OWNED_BY_DML inputs", "memory of its own"
                raise BindingError(OVERLAP(port.dml_name, found, expected, ANOTHER_BUFFER), self.subject)

    def _lease(self) -> Buffer | None:
        """An arena for one run: one that is free, or a new one."""
        size = self.plan.temporary_size_in_bytes
        if not size:
            return None
        try:
            return self._arenas.pop()
        except IndexError:
            return self._allocate(size, "TemporaryResource")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.device, self.graph, self.flags, self.passes, self._given_at_initialization())

    def _given_at_initialization(self) -> dict[str, bytes] | None:
        """The OWNED_BY_DML inputs as they were given: what is made of them differs from machine to machine."""
        if self._persistent is None or not self._owned:
            return None
        memory = self._backend.download(self._persistent)
        kept = {slot: min(writes(step)) for step in self.plan.initialize for slot in reads(step)}
        given = {}
        for port in self._owned:
            place = self.plan.slots[kept[port.slot]].offset if port.slot in kept else None
            # What no step keeps, none reads.
            given[port.name] = bytes(port.total) if place is None else bytes(memory[place : place + port.total])
        return given

    def __repr__(self) -> str:
        operator = self.operator
        name = operator.dml_type if operator is not None else f"graph of {len(self.graph.nodes)} nodes"
        return f"CompiledOperator({name} on {self.device!r})"


def _restore(
    device: Device, graph: Graph, flags: ExecutionFlags, passes: Passes, given: dict[str, bytes] | None
) -> CompiledOperator:
    compiled = CompiledOperator(device, plan_graph(graph, device.backend, passes), flags, passes)
    if given is not None:
        compiled.initialize({name: device.upload(data) for name, data in given.items()})
    return compiled
