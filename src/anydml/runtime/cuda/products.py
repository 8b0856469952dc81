"""Products of matrices as steps: what cuBLAS takes, and what has to be copied first so that it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import MatrixTransform
from anydml.core.expression import FLOAT32, Node, cast, constant, load, operation
from anydml.core.steps import Access, Nest, Program, Step, View
from anydml.core.tracing import trace
from anydml.runtime.backend import Memory, Run
from anydml.runtime.cuda.workspace import Workspace, packed_strides, with_value

LARGEST = (1 << 31) - 1


@dataclass(frozen=True)
class Shape:
    """One call of cuBLAS: sizes, pitches and steps in elements."""

    types: tuple[DataType, DataType, DataType]
    """Of the left and the right factor, and of the product."""
    rows: int
    columns: int
    depth: int
    count: int
    left_transposed: bool
    left_pitch: int
    left_step: int
    right_transposed: bool
    right_pitch: int
    right_step: int
    target_pitch: int
    target_step: int
    alpha: float


@dataclass(frozen=True)
class Product:
    """left x right, for each leading index; the last two loops of each access are rows and columns."""

    leading: tuple[int, ...]
    rows: int
    columns: int
    depth: int
    left: Access
    right: Access
    target: Access
    alpha: float = 1.0

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        yield self.left, (*self.leading, self.rows, self.depth)
        yield self.right, (*self.leading, self.depth, self.columns)

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        yield self.target, (*self.leading, self.rows, self.columns)

    def renamed(self, slot: Callable[[int], int]) -> Product:
        left, right, target = (replace(a, slot=slot(a.slot)) for a in (self.left, self.right, self.target))
        return replace(self, left=left, right=right, target=target)

    def describe(self, names: Callable[[int], str]) -> str:
        sizes = f"{list(self.leading)} {self.rows} x {self.depth} x {self.columns}"
        return f"cuBLAS {names(self.left.slot)} x {names(self.right.slot)} -> {names(self.target.slot)} {sizes}"

    # Calls

    def prepared(self, driver: Any, is_fast: bool) -> _Prepared:
        return _Prepared(self, driver, is_fast)

    def calls(self) -> Iterator[tuple[Shape, tuple[int, int, int]]]:
        """Each call, with where its matrices start, in elements. The innermost leading loop is part of a call."""
        leading, steps = merged(self.leading, [a.strides[:-2] for a in (self.left, self.right, self.target)])
        inner = leading[-1] if leading else 1
        last = [strides[-1] if strides else 0 for strides in steps]
        shape = self._shape(inner, last)
        for index in product(*(range(size) for size in leading[:-1])):
            starts = [
                access.offset + sum(i * s for i, s in zip(index, strides[:-1], strict=True))
                for access, strides in zip((self.left, self.right, self.target), steps, strict=True)
            ]
            yield shape, (starts[0], starts[1], starts[2])

    def _shape(self, count: int, steps: Sequence[int]) -> Shape:
        left, right = matrix(self.left, self.rows, self.depth), matrix(self.right, self.depth, self.columns)
        target = matrix(self.target, self.rows, self.columns)
        assert left is not None and right is not None and target is not None
        types = self.left.type, self.right.type, self.target.type
        return Shape(
            types,
            self.rows,
            self.columns,
            self.depth,
            count,
            *left,
            steps[0],
            *right,
            steps[1],
            target[1],
            steps[2],
            self.alpha,
        )


def _run_all(runs: Sequence[Run]) -> None:
    for run in runs:
        run()


class _Prepared:
    is_replayable = True
    starts_slowly = True

    def __init__(self, step: Product, driver: Any, is_fast: bool) -> None:
        self.step, self.driver, self.is_fast = step, driver, is_fast

    def bind(self, memory: Memory) -> Run:
        runs: list[Run] = []
        accesses = (self.step.left, self.step.right, self.step.target)
        for shape, starts in self.step.calls():
            addresses = []
            for access, start in zip(accesses, starts, strict=True):
                buffer = memory[access.slot]
                assert buffer is not None
                addresses.append(buffer.address + start * access.type.element_bytes)
            runs.append(self.driver.blas.product(shape, (addresses[0], addresses[1], addresses[2]), self.is_fast))
        return runs[0] if len(runs) == 1 else partial(_run_all, runs)


def merged(sizes: Sequence[int], strides: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """Loops without those that run once, and with those joined that run on evenly for all."""
    result: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, size in enumerate(sizes):
        if size == 1:
            continue
        own = [each[axis] for each in strides]
        if result and all(step[-1] == stride * size for step, stride in zip(steps, own, strict=True)):
            result[-1] *= size
            for step, stride in zip(steps, own, strict=True):
                step[-1] = stride
        else:
            result.append(size)
            for step, stride in zip(steps, own, strict=True):
                step.append(stride)
    return result, steps


def matrix(access: Access, rows: int, columns: int) -> tuple[bool, int] | None:
    """Whether the last two loops are a matrix column by column, and its pitch; None for what cuBLAS does not take."""
    down, across = access.strides[-2:]
    if (across == 1 or columns == 1) and (down >= columns or rows == 1):
        return False, max(down, columns) if rows > 1 else columns
    if (down == 1 or rows == 1) and (across >= rows or columns == 1):
        return True, max(across, rows) if columns > 1 else rows
    return None


def may_write(access: Access, rows: int, columns: int) -> bool:
    found = matrix(access, rows, columns)
    return (
        found is not None
        and not found[0]
        and (columns == 1 or access.strides[-1] == 1)
        and all(s >= 0 for s in access.strides)
    )


def readable(
    view: Access, leading: Sequence[int], rows: int, columns: int, workspace: Workspace, steps: list[Step]
) -> Access:
    """The access itself, or a packed copy of it, which one more step makes."""
    if matrix(view, rows, columns) is not None and all(stride >= 0 for stride in view.strides):
        return view
    sizes = (*leading, rows, columns)
    return copied(view, sizes, workspace, steps, "matrix")


def copied(view: Access, sizes: tuple[int, ...], workspace: Workspace, steps: list[Step], name: str) -> Access:
    """A packed copy, which one more step makes."""
    slot = workspace.temporary(prod(sizes) * view.type.element_bytes, name)
    made = Access(slot, view.type, packed_strides(sizes))
    steps.append(Nest.copy(sizes, view, made))
    return made


def activated(value: Node, activation: Any) -> Node | None:
    """The value after a fused activation; None for those that are no formula."""
    if activation is None:
        return value
    return trace(activation.formula, [value]) if activation.form == "formula" else None


def expand_gemm(program: Program, workspace: Workspace) -> list[Step] | None:
    """alpha * A x B by cuBLAS; C, the activation and what follows in one kernel, where there is any of it."""
    operator: Any = program.operator
    a, b, c = program.inputs
    (nest,) = program.outputs
    assert a is not None and b is not None and nest is not None
    if max(*a.sizes, *b.sizes) > LARGEST:
        return None
    left = transposed(a) if operator.trans_a is MatrixTransform.TRANSPOSE else a
    right = transposed(b) if operator.trans_b is MatrixTransform.TRANSPOSE else b
    sizes, kind = nest.sizes, a.type
    product_value = load(len(nest.loads), FLOAT32)
    value = product_value
    if c is not None:
        scaled = operation(
            "multiply", constant(operator.beta, FLOAT32), cast(load(len(nest.loads) + 1, c.type.numpy_dtype), FLOAT32)
        )
        value = operation("add", product_value, scaled)
    last = activated(value, operator.fused_activation)
    if last is None:
        return None
    steps: list[Step] = []
    leading, (rows, columns), depth = sizes[:-2], sizes[-2:], left.sizes[-1]
    first = readable(left.access, leading, rows, depth, workspace, steps)
    second = readable(right.access, leading, depth, columns, workspace, steps)
    plain = nest.stores[0].access if len(nest.stores) == 1 and nest.stores[0].value.op == "result" else None
    if last is product_value and plain is not None and plain.type is kind and may_write(plain, rows, columns):
        return [*steps, Product(leading, rows, columns, depth, first, second, plain, operator.alpha)]
    slot = workspace.temporary(prod(sizes) * 4, "product")
    target = Access(slot, DataType.FLOAT32, packed_strides(sizes))
    steps.append(Product(leading, rows, columns, depth, first, second, target, operator.alpha))
    loads = (target,) if c is None else (target, c.access)
    return [*steps, with_value(nest, cast(last, kind.numpy_dtype), loads)]


def transposed(view: View) -> View:
    sizes, strides = (
        (*view.sizes[:-2], view.sizes[-1], view.sizes[-2]),
        (*view.strides[:-2], view.strides[-1], view.strides[-2]),
    )
    return replace(view, sizes=sizes, strides=strides)
