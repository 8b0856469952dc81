"""Nests through NumPy, in blocks that stay in the caches: what no kernel does, and where llvmlite is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.expression import Node, convert_array, walk
from anydml.core.memory import Bytes
from anydml.core.operations import OPERATIONS
from anydml.core.steps import Access, Nest
from anydml.runtime.programs import converted, read_elements, write_elements

Array = npt.NDArray[Any]
_MAY_WARN = ("floor_divide", "remainder", "fmod", "truncate_divide", "less", "less_equal", "greater", "greater_equal")
_DEFINITION_BYTES = 128
"""Of each element, what a definition in several steps holds at once: sixteen numbers of double precision."""
BLOCK_ELEMENTS = 1 << 14
"""Values of a block stay in the second-level cache while an expression uses them."""


@dataclass(frozen=True)
class _Operation:
    """One operation of an expression: where its arguments come from and its result goes."""

    call: Callable[..., Any]
    args: tuple[int, ...]
    result: int
    dtype: np.dtype[Any]
    writes_out: bool
    """Whether NumPy can write into memory that is there already."""
    may_warn: bool
    """Whether NumPy tells of overflow, division by zero or invalid values, which are results like any other here."""


class NumpyNest:
    """A nest made ready: its operations in order, over registers that hold a block of values each."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self._is_packed = any(a.type.is_packed_pair for a, _ in [*nest.reads(), *nest.writes()])
        self._values = [store.value for store in nest.stores]
        order = walk(*self._values)
        self._register = {node: number for number, node in enumerate(order)}
        self._loads = [(self._register[node], node.value) for node in order if node.op == "load"]
        self._constants = [(self._register[n], n.type.type(n.value)) for n in order if n.op == "constant"]
        self._operations = [self._operation(node) for node in order if node.args]
        self._is_silent = not any(operation.may_warn for operation in self._operations)
        blocks = list(_blocks(nest.sizes, BLOCK_ELEMENTS)) if nest.iterations > BLOCK_ELEMENTS else None
        self._blocks = blocks if blocks is None or len(blocks) > 1 else None
        self._load_views = [_view_of(access, nest.sizes) for access in nest.loads]
        self._store_views = [_view_of(store.access, nest.sizes) for store in nest.stores]
        value = self._values[0]
        is_direct = len(self._values) == 1 and value.args and value.type == nest.stores[0].access.type.numpy_dtype
        self._direct = self._register[value] if is_direct else -1
        """The register that can be written straight to where it is stored: nothing is read after it."""

    @property
    def scratch_size_in_bytes(self) -> int:
        """What the registers of a block take; 4-bit elements are worked on all at once."""
        count = self.nest.iterations if self._is_packed else min(self.nest.iterations, 2 * BLOCK_ELEMENTS)
        per_element = sum(operation.dtype.itemsize for operation in self._operations) + 8 * len(self._values)
        if not all(operation.writes_out for operation in self._operations):
            per_element += _DEFINITION_BYTES
        return count * (per_element + (32 if self._is_packed else 0))

    def _operation(self, node: Node) -> _Operation:
        args = tuple(self._register[arg] for arg in node.args)
        place = self._register[node]
        if node.op == "cast":
            kind = node.type
            return _Operation(lambda x: convert_array(np.asarray(x), kind), args, place, node.type, False, True)
        define = OPERATIONS[node.op].define
        return _Operation(
            define, args, place, node.type, isinstance(define, np.ufunc), node.type.kind == "f" or node.op in _MAY_WARN
        )

    def bind(self, memory: Sequence[Bytes | None]) -> Callable[[], None]:
        """The nest over this memory, ready to be run as often as wanted."""
        nest = self.nest
        if self._is_packed:
            return partial(self._run_whole, memory)
        loads = [np.ndarray(nest.sizes, d, memory[slot], o, s) for slot, d, o, s in self._load_views]
        stores = [np.ndarray(nest.sizes, d, memory[slot], o, s) for slot, d, o, s in self._store_views]
        if self._blocks is None:
            return partial(self._run_once, loads, stores)
        return partial(self._run_blocks, loads, stores)

    def _run_once(self, loads: Sequence[Array], stores: Sequence[Array]) -> None:
        if self._is_silent:
            self._compute(loads, stores)
            return
        with np.errstate(all="ignore"):
            self._compute(loads, stores)

    def _run_blocks(self, loads: Sequence[Array], stores: Sequence[Array]) -> None:
        assert self._blocks is not None
        with np.errstate(all="ignore"):
            for block in self._blocks:
                self._compute([load[block] for load in loads], [store[block] for store in stores])

    def _compute(self, loads: Sequence[Array], stores: Sequence[Array]) -> None:
        registers: list[Any] = [None] * len(self._register)
        for register, operand in self._loads:
            registers[register] = loads[operand]
        for register, value in self._constants:
            registers[register] = value
        for operation in self._operations:
            args = [registers[number] for number in operation.args]
            if operation.result == self._direct and operation.writes_out:
                registers[operation.result] = operation.call(*args, out=stores[0])
            else:
                registers[operation.result] = operation.call(*args)
        for value, store, target in zip(self._values, self.nest.stores, stores, strict=True):
            found = registers[self._register[value]]
            if found is not target:
                target[...] = converted(np.asarray(found), store.access.type)

    def _run_whole(self, memory: Sequence[Bytes | None]) -> None:
        nest = self.nest
        loads = [read_elements(_bytes(memory, access.slot), access, nest.sizes) for access in nest.loads]
        stores = [np.empty(nest.sizes, store.access.type.numpy_dtype) for store in nest.stores]
        with np.errstate(all="ignore"):
            self._compute(loads, stores)
        for store, values in zip(nest.stores, stores, strict=True):
            write_elements(_bytes(memory, store.access.slot), store.access, converted(values, store.access.type))


def _view_of(access: Access, sizes: tuple[int, ...]) -> tuple[int, np.dtype[Any], int, list[int]]:
    """What NumPy needs to see an access's elements in a slot: slot, type, offset and strides in bytes."""
    size = access.type.element_bytes
    steps = [stride * size if count > 1 else 0 for stride, count in zip(access.strides, sizes, strict=True)]
    return access.slot, access.type.numpy_dtype, access.offset * size, steps


def _bytes(memory: Sequence[Bytes | None], slot: int) -> Bytes:
    data = memory[slot]
    assert data is not None
    return data


def _blocks(sizes: tuple[int, ...], most: int) -> Iterator[tuple[slice | int, ...]]:
    """Index expressions that cut the loops into parts of at most `most` elements, innermost loops whole if they fit."""
    inner, axis = 1, len(sizes)
    while axis > 0 and inner * sizes[axis - 1] <= most:
        axis -= 1
        inner *= sizes[axis]
    if axis == 0:
        yield (slice(None),) * len(sizes)
        return
    step = max(1, most // inner)
    for outer in np.ndindex(*sizes[: axis - 1]):
        for start in range(0, sizes[axis - 1], step):
            cut = slice(start, start + step)
            yield (*(slice(i, i + 1) for i in outer), cut, *(slice(None),) * (len(sizes) - axis))
