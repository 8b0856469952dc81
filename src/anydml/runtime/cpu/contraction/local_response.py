"""LOCAL_RESPONSE_NORMALIZATION: sums of squares in windows by the kernel of pooling, then a nest."""

from __future__ import annotations

from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, load, operation, result
from anydml.core.orders import packed_strides
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.core.tracing import TRACED, Traced
from anydml.operators.sliding import Slide
from anydml.runtime.cpu.contraction.depthwise import Fold
from anydml.runtime.cpu.contraction.pools import has_kernel, pooled
from anydml.runtime.cpu.contraction.results import Finish, sums_of_floats
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.formulas import element_of, with_result

Order = tuple[int, int, int, int]
_CHANNELS, _HEIGHT, _WIDTH = 1, 2, 3


def expand_local_response(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    source, nest = program.inputs[0], program.outputs[0]
    assert source is not None and nest is not None
    order = _order(operator, source)
    if order is None:
        return None
    slot = workspace.temporary(prod(source.sizes) * FLOAT32.itemsize, "sums of squares")
    strides = _packed(source.sizes, order)
    summed = _sums(operator, source, Access(slot, DataType.FLOAT32, strides), order, workspace)
    if summed is None:
        return None
    m: Any = TRACED
    x, around = element_of(source, 0), Traced(load(1, FLOAT32))
    base = around * (operator.alpha / operator.local_size) + operator.bias
    loads = [source.access, Access(slot, DataType.FLOAT32, strides)]
    return [*summed, with_result(nest, loads, (x / m.power(base, operator.beta)).node)]


def _order(operator: Any, source: View) -> Order | None:
    """The order of dimensions in which windows lie in the last two, and neighbours in the last."""
    if not operator.cross_channel:
        return (0, _CHANNELS, _HEIGHT, _WIDTH)
    if source.strides[_WIDTH] == 1:
        return (0, _HEIGHT, _CHANNELS, _WIDTH)
    return (0, _HEIGHT, _WIDTH, _CHANNELS) if source.strides[_CHANNELS] == 1 else None


def _packed(sizes: tuple[int, ...], order: Order) -> tuple[int, ...]:
    """Strides of memory between: channels go around height and width, as long as neighbours stay so."""
    inner = (0, _CHANNELS, _HEIGHT, _WIDTH) if order[-1] == _WIDTH else (0, _HEIGHT, _WIDTH, _CHANNELS)
    found = dict(zip(inner, packed_strides(tuple(sizes[axis] for axis in inner)), strict=True))
    return tuple(found[axis] for axis in range(len(sizes)))


def _sums(operator: Any, source: View, target: Access, order: Order, workspace: Workspace) -> list[Step] | None:
    """The steps that write the sum of the squares around each element."""
    size, summed = operator.local_size, (_CHANNELS,) if operator.cross_channel else (_HEIGHT, _WIDTH)
    slides = [
        Slide(source.sizes[axis], size, before=(size - 1) // 2, after=size // 2)
        if axis in summed
        else Slide(source.sizes[axis], 1)
        for axis in order[2:]
    ]
    sizes = tuple(source.sizes[axis] for axis in order)
    read, written = (tuple(access.strides[axis] for axis in order) for access in (source.access, target))
    view = View(source.slot, source.type, sizes, read, source.offset)
    if not has_kernel(slides, view):
        return None
    nest = Nest(sizes, (), (Store(Access(target.slot, target.type, written), result(FLOAT32)),))
    x = result(FLOAT32)
    squares, how = Fold("add", operation("multiply", x, x)), Finish(sums_of_floats())
    return pooled(view, slides, squares, nest, target.type, how, workspace)
