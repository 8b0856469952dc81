"""CONVOLUTION as steps: cuDNN where it takes the tensors as they are, else windows as a matrix and cuBLAS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import Any, ClassVar

from anydml.core.datatype import DataType
from anydml.core.enums import ConvolutionDirection, ConvolutionMode
from anydml.core.expression import FLOAT32, Node, cast, load, operation
from anydml.core.steps import Access, Nest, Program, Step, View
from anydml.runtime.backend import Memory, Run
from anydml.runtime.cuda.depthwise import depthwise_step, is_depthwise
from anydml.runtime.cuda.dnn import Convolution, Dnn, Window
from anydml.runtime.cuda.products import LARGEST, Product, activated, copied
from anydml.runtime.cuda.reductions import padded
from anydml.runtime.cuda.workspace import Workspace, packed_strides, with_value


@dataclass(frozen=True)
class Correlation:
    """A convolution by cuDNN, with the memory that its algorithm takes."""

    window: Window
    source: View
    weights: View
    bias: View | None
    target: View
    room: Access | None
    room_size: int

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        for view in (self.source, self.weights, self.bias):
            if view is not None:
                yield view.access, view.sizes

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        yield self.target.access, self.target.sizes
        if self.room is not None:
            yield self.room, (self.room_size,)

    def renamed(self, slot: Callable[[int], int]) -> Correlation:
        views = {
            name: replace(getattr(self, name), slot=slot(getattr(self, name).slot))
            for name in ("source", "weights", "target")
        }
        bias = None if self.bias is None else replace(self.bias, slot=slot(self.bias.slot))
        room = None if self.room is None else replace(self.room, slot=slot(self.room.slot))
        return replace(self, **views, bias=bias, room=room)

    def describe(self, names: Callable[[int], str]) -> str:
        sizes = f"{list(self.window.input_sizes)} * {list(self.window.filter_sizes)}"
        return f"cuDNN {names(self.source.slot)} * {names(self.weights.slot)} -> {names(self.target.slot)} {sizes}"

    def prepared(self, driver: Any, is_fast: bool) -> _Prepared:
        return _Prepared(self, driver.dnn.convolution(self.window))


@dataclass(frozen=True)
class _Prepared:
    step: Correlation
    convolution: Convolution
    is_replayable: ClassVar[bool] = True
    starts_slowly: ClassVar[bool] = True

    def bind(self, memory: Memory) -> Run:
        step = self.step
        source, weights, bias, target = (
            _address(memory, view) for view in (step.source, step.weights, step.bias, step.target)
        )
        room = memory[step.room.slot] if step.room is not None else None
        run: Run = self.convolution.bind(source, weights, bias, target, 0 if room is None else room.address)
        return run


def _address(memory: Memory, view: View | None) -> int:
    buffer = None if view is None else memory[view.slot]
    return 0 if buffer is None or view is None else buffer.address + view.offset * view.type.element_bytes


def expand_convolution(program: Program, workspace: Workspace, dnn: Dnn | None) -> list[Step] | None:
    """The steps of a forward convolution; None for the other direction, and for what no formula follows."""
    operator: Any = program.operator
    source, weights, bias = program.inputs
    (nest,) = program.outputs
    assert source is not None and weights is not None and nest is not None
    if operator.direction is not ConvolutionDirection.FORWARD or any(operator.output_padding):
        return None
    if max(*source.sizes, *nest.sizes, prod(nest.sizes)) > LARGEST:
        return None
    if operator.mode is ConvolutionMode.CONVOLUTION:
        weights = _flipped(weights)
    work = _Work(operator, source, weights, bias, nest, workspace, [])
    return work.by_channels() or work.by_library(dnn) or work.by_matrices()


@dataclass
class _Work:
    """A convolution on its way to steps."""

    operator: Any
    source: View
    weights: View
    bias: View | None
    nest: Nest
    workspace: Workspace
    steps: list[Step]

    # Depthwise

    def by_channels(self) -> list[Step] | None:
        if not is_depthwise(self.operator, self.source, self.weights):
            return None
        direct = self._direct()
        target = direct or self._temporary(self.nest.sizes, DataType.FLOAT32, "convolution")
        place = View(target.slot, target.type, self.nest.sizes, target.strides, target.offset)
        step = depthwise_step(self.operator, self.source, self.weights, self.bias, place, direct is not None)
        if step is None:
            return None
        self.steps.append(step)
        return self.steps if direct is not None else self._finished(target, is_done=False)

    # cuDNN

    def by_library(self, dnn: Dnn | None) -> list[Step] | None:
        operator, kind = self.operator, self.source.type
        if dnn is None or operator.start_padding != operator.end_padding or any(s < 0 for s in self.source.strides):
            return None
        activation = operator.fused_activation
        has_relu = activation is not None and activation.dml_type == "ACTIVATION_RELU"
        # Half precision is rounded once, after bias and activation.
        fuses = kind is DataType.FLOAT16 and (self.bias is not None or activation is not None)
        if fuses and (self.bias is None or not (has_relu or activation is None)):
            return None
        direct = self._direct()
        takes_all = direct is not None and (fuses or (self.bias is None and activation is None))
        target_strides = direct.strides if takes_all and direct is not None else packed_strides(self.nest.sizes)
        window = self._window(target_strides, fuses, has_relu and fuses)
        made = dnn.convolution(window)
        if made is None:
            return None
        weights = self._packed(self.weights, "filter")
        bias = self._packed(self.bias, "bias") if fuses and self.bias is not None else None
        target = direct if takes_all else self._temporary(self.nest.sizes, kind, "convolution")
        assert target is not None
        size = made.scratch_size_in_bytes
        room = Access(self.workspace.temporary(size, "cuDNN"), DataType.UINT8, (1,)) if size else None
        place = View(target.slot, kind, self.nest.sizes, target.strides, target.offset)
        self.steps.append(Correlation(window, self.source, weights, bias, place, room, size))
        return self.steps if takes_all else self._finished(target, is_done=fuses)

    def _window(self, target_strides: tuple[int, ...], has_bias: bool, has_relu: bool) -> Window:
        """Two spatial dimensions at least: cuDNN has none of one."""
        operator = self.operator
        flat = len(operator.strides) == 1

        def wide(numbers: Sequence[int], fill: int) -> tuple[int, ...]:
            return (*numbers[:-1], fill, numbers[-1]) if flat else tuple(numbers)

        def sized(sizes: Sequence[int], strides: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
            steps = [stride if size > 1 else 1 for size, stride in zip(sizes, strides, strict=True)]
            return wide(sizes, 1), wide(steps, sizes[-1] * max(steps[-1], 1))

        input_sizes, input_strides = sized(self.source.sizes, self.source.strides)
        output_sizes, output_strides = sized(self.nest.sizes, target_strides)
        return Window(
            self.source.type,
            input_sizes,
            input_strides,
            wide(self.weights.sizes, 1),
            output_sizes,
            output_strides,
            wide(operator.start_padding, 0),
            wide(operator.strides, 1),
            wide(operator.dilations, 1),
            operator.group_count,
            has_bias,
            has_relu,
        )

    def _direct(self) -> Access | None:
        """Where the result goes as it is, if nothing else is done with it."""
        stores = self.nest.stores
        if len(stores) != 1 or stores[0].value.op != "result" or stores[0].access.type is not self.source.type:
            return None
        return stores[0].access if all(stride > 0 for stride in stores[0].access.strides) else None

    # Matrices

    def by_matrices(self) -> list[Step] | None:
        groups, sizes = self.operator.group_count, self.nest.sizes
        batch, outputs, spatial = sizes[0], sizes[1], sizes[2:]
        depth = prod(self.weights.sizes[1:])
        columns = self._columns(groups, spatial, depth)
        weights = self._packed(self.weights, "filter")
        target = self._temporary(sizes, DataType.FLOAT32, "convolution")
        rows, count = outputs // groups, prod(spatial)
        left = Access(weights.slot, weights.type, (0, rows * depth, depth, 1), weights.offset)
        place = Access(target.slot, target.type, (outputs * count, rows * count, count, 1))
        self.steps.append(Product((batch, groups), rows, count, depth, left, columns, place))
        return self._finished(target, is_done=False)

    def _columns(self, groups: int, spatial: tuple[int, ...], depth: int) -> Access:
        """The windows of each group as the columns of a matrix: read where they lie, or copied once."""
        operator, view = self.operator, self._padded()
        batch, channels, count = view.sizes[0], view.sizes[1] // groups, prod(spatial)
        taps = self.weights.sizes[2:]
        sizes = (batch, groups, channels, *taps, *spatial)
        inner = [d * s for d, s in zip(operator.dilations, view.strides[2:], strict=True)]
        outer = [d * s for d, s in zip(operator.strides, view.strides[2:], strict=True)]
        strides = (view.strides[0], channels * view.strides[1], view.strides[1], *inner, *outer)
        windows = Access(view.slot, view.type, strides, view.offset)
        if prod(taps) == 1 and self._is_row(spatial, outer):
            step = outer[-1] if spatial[-1] > 1 else 1
            if step == 1 and view.strides[1] >= count:
                return Access(view.slot, view.type, (*strides[:2], view.strides[1], 1), view.offset)
        made = copied(windows, sizes, self.workspace, self.steps, "windows")
        return Access(made.slot, made.type, (groups * depth * count, depth * count, count, 1))

    @staticmethod
    def _is_row(sizes: Sequence[int], strides: Sequence[int]) -> bool:
        """Whether loops visit elements one step apart."""
        loops = [(size, stride) for size, stride in zip(sizes, strides, strict=True) if size > 1]
        return all(a[1] == b[0] * b[1] for a, b in pairwise(loops)) and (not loops or loops[-1][1] == 1)

    def _padded(self) -> View:
        operator = self.operator
        return padded(self.source, operator.start_padding, operator.end_padding, 0.0, self.workspace, self.steps)

    # Both

    def _finished(self, target: Access, is_done: bool) -> list[Step] | None:
        """Bias, activation and what follows, over the result in memory."""
        nest, kind = self.nest, self.source.type
        value: Node | None = load(len(nest.loads), target.type.numpy_dtype)
        assert value is not None
        loads = [target]
        if not is_done:
            value = cast(value, FLOAT32)
            if self.bias is not None:
                strides = tuple(0 if n == 1 else s for n, s in zip(self.bias.sizes, self.bias.strides, strict=True))
                loads.append(replace(self.bias.access, strides=strides))
                added = cast(load(len(nest.loads) + 1, self.bias.type.numpy_dtype), FLOAT32)
                value = operation("add", value, added)
            value = activated(value, self.operator.fused_activation)
            if value is None:
                return None
        return [*self.steps, with_value(nest, cast(value, kind.numpy_dtype), loads)]

    def _temporary(self, sizes: Sequence[int], kind: DataType, name: str) -> Access:
        slot = self.workspace.temporary(prod(sizes) * kind.element_bytes, name)
        return Access(slot, kind, packed_strides(sizes))

    def _packed(self, view: View, name: str) -> View:
        packed = packed_strides(view.sizes)
        if all(n == 1 or s == p for n, s, p in zip(view.sizes, view.strides, packed, strict=True)):
            return view
        made = copied(view.access, view.sizes, self.workspace, self.steps, name)
        return View(made.slot, made.type, view.sizes, made.strides)


def _flipped(view: View) -> View:
    """The filter turned around along every spatial dimension."""
    sizes, strides = view.sizes[2:], view.strides[2:]
    offset = view.offset + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    return replace(view, strides=(*view.strides[:2], *(-s for s in strides)), offset=offset)
