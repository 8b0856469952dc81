"""Array programs on the GPU: operators' definitions on CuPy arrays, their results stored by kernels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import cast, constant, load, operation
from anydml.core.functions import ArrayFunctions
from anydml.core.schema import Operator
from anydml.core.steps import Access, Nest, Program, Store, View
from anydml.runtime.backend import Memory, Run
from anydml.runtime.buffer import Buffer
from anydml.runtime.cuda.driver import Driver
from anydml.runtime.cuda.text.pointwise import PointwiseKernel
from anydml.runtime.cuda.workspace import packed_strides, with_value
from anydml.runtime.programs import named_inputs, results_of, run_program

RESULT = -1
"""The slot that stands for a program's result."""


class CudaProgram:
    """A program made ready. What CuPy cannot do runs on the host, and a warning says so, once."""

    is_replayable = False

    def __init__(self, driver: Driver, program: Program, is_on_host: bool = False) -> None:
        self.driver, self.program, self.is_on_host = driver, program, is_on_host
        self._stores: dict[tuple[int, DataType], PointwiseKernel] = {}
        operator = program.operator
        self._loads = [None if view is None else _Load(driver, operator, view) for view in program.inputs]
        self._functions = CudaFunctions(driver.arrays)

    def bind(self, memory: Memory) -> Run:
        return lambda: self._run(memory)

    def _run(self, memory: Memory) -> None:
        if self.is_on_host:
            run_on_host(self.driver, self.program, memory)
            return
        operator = self.program.operator
        try:
            results = results_of(operator, self._evaluate(operator, memory))
        except (AttributeError, NotImplementedError) as error:
            if not is_lacking(error, self.driver.arrays):
                raise
            self.is_on_host = True
            warnings.warn(f"{operator.dml_type} runs on the host: {error}", RuntimeWarning, stacklevel=2)
            run_on_host(self.driver, self.program, memory)
            return
        stores = []
        for number, (point, nest) in enumerate(zip(operator.points("output"), self.program.outputs, strict=True)):
            if nest is not None:
                assert point.tensor is not None
                stores.append((number, point.tensor.data_type, nest, results[point.name]))
        for number, data_type, nest, value in stores:
            self._store(number, data_type, nest, value, memory)

    def _evaluate(self, operator: Any, memory: Memory) -> Any:
        arrays = [None if each is None else each.array(memory) for each in self._loads]
        if operator.form == "formula":
            return operator.formula(self._functions, *arrays)
        return operator.compute(self._functions, **named_inputs(operator, arrays))

    def _store(self, number: int, data_type: DataType, nest: Nest, value: Any, memory: Memory) -> None:
        library = self.driver.arrays
        spread = library.ascontiguousarray(library.broadcast_to(library.asarray(value), nest.sizes))
        if spread.dtype == np.bool_:
            spread = spread.view(np.uint8)
        kind = DataType.parse(spread.dtype)
        kernel = self._stores.get((number, kind))
        if kernel is None:
            kernel = self._stores[number, kind] = PointwiseKernel(with_result(nest, kind, data_type))
        addresses = [spread.data.ptr if a.slot == RESULT else _address(memory, a.slot) for a in kernel.accesses]
        self.driver.launcher(kernel.launch(addresses))()


class CudaFunctions(ArrayFunctions):
    """Functions of CuPy, where these differ from NumPy's."""

    def matmul(self, a: Any, b: Any) -> Any:
        """CuPy's takes no negative strides, not even of dimensions that have one element."""
        return self._library.matmul(*(self._rising(x) if min(x.strides, default=0) < 0 else x for x in (a, b)))

    def _rising(self, x: Any) -> Any:
        made = self._library.empty(x.shape, x.dtype)
        made[...] = x
        return made

    def write_at(self, target: Any, places: Any, values: Any) -> None:
        """CuPy writes in any order: rows that another one follows at the same place are left out."""
        library, flat = self._library, places.reshape(-1)
        numbers = library.arange(1, flat.size + 1, dtype=np.uint64)
        last = library.zeros(target.shape[0], np.uint64)
        library.maximum.at(last, flat, numbers)
        kept = last[flat] == numbers
        rows = library.broadcast_to(values, (*places.shape, *target.shape[1:]))
        target[flat[kept]] = rows.reshape(flat.size, *target.shape[1:])[kept]


def is_lacking(error: Exception, library: Any) -> bool:
    """Whether an error says that the array library has no such function, or none for these arguments."""
    if isinstance(error, NotImplementedError):
        return True
    owner = getattr(error, "obj", None)
    return owner is library or "module 'cupy" in str(error)


class _Load:
    """An input of a program as an array: a view, or a copy where elements are packed or of half precision."""

    def __init__(self, driver: Driver, operator: Operator, view: View) -> None:
        self.driver, self.view = driver, view
        is_half = view.type is DataType.FLOAT16 and not operator.only_moves
        self.kind = DataType.FLOAT32 if is_half else DataType.parse(view.type.numpy_dtype)
        self.kernel: PointwiseKernel | None = None
        if view.type is not self.kind:
            store = Store(Access(RESULT, self.kind, packed_strides(view.sizes)), load(0, view.type.numpy_dtype))
            self.kernel = PointwiseKernel(Nest(view.sizes, (view.access,), (store,)))

    def array(self, memory: Memory) -> Any:
        view, buffer = self.view, memory[self.view.slot]
        assert buffer is not None
        if self.kernel is None:
            return strided_array(self.driver, buffer, view)
        made = self.driver.arrays.empty(view.sizes, self.kind.numpy_dtype)
        addresses = [made.data.ptr if a.slot == RESULT else buffer.address for a in self.kernel.accesses]
        self.driver.launcher(self.kernel.launch(addresses))()
        return made


def strided_array(driver: Driver, buffer: Buffer, view: View) -> Any:
    """A view as an array over the buffer's memory."""
    size = view.type.element_bytes
    steps = tuple(stride * size if count > 1 else 0 for stride, count in zip(view.strides, view.sizes, strict=True))
    start = view.offset * size
    room = buffer.size_in_bytes - start
    return driver.array(buffer.address + start, room, buffer.owner, view.sizes, view.type.numpy_dtype, steps)


def with_result(nest: Nest, kind: DataType, data_type: DataType) -> Nest:
    """An output's nest that reads the result, of some type, from memory; rounded to the output's type first."""
    value = load(len(nest.loads), kind.numpy_dtype)
    if data_type.is_packed_pair and kind.is_float:
        low, high = (constant(float(limit), value.type) for limit in data_type.range)
        value = operation("minimum", operation("maximum", value, low), high)
    value = cast(value, data_type.numpy_dtype)
    return with_value(nest, value, (Access(RESULT, kind, packed_strides(nest.sizes)),))


def _address(memory: Memory, slot: int) -> int:
    buffer = memory[slot]
    assert buffer is not None
    return buffer.address


def run_on_host(driver: Driver, program: Program, memory: Memory) -> None:
    """Every slot that the program uses goes to the host, and what it wrote comes back."""
    read = {access.slot for access, _ in program.reads()}
    written = {access.slot for access, _ in program.writes()}
    arrays: list[Any] = [None] * len(memory)
    for slot in read | written:
        buffer = memory[slot]
        assert buffer is not None
        arrays[slot] = np.empty(buffer.size_in_bytes, np.uint8)
        driver.download(arrays[slot], buffer.address)
    run_program(program, arrays, widest=False)
    for slot in written:
        buffer = memory[slot]
        assert buffer is not None
        driver.upload(buffer.address, arrays[slot])


@dataclass(frozen=True)
class HostProgram(Program):
    """A program that the GPU has no way to run."""

    reason: str = ""

    def describe(self, names: Callable[[int], str]) -> str:
        return f"{super().describe(names)} (on the host: {self.reason})"

    def renamed(self, slot: Callable[[int], int]) -> HostProgram:
        moved = super().renamed(slot)
        return HostProgram(moved.operator, moved.inputs, moved.outputs, self.reason)
