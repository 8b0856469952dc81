"""TOP_K as machine code: the largest or smallest elements of each row, for a few of them.

Elements are compared as integers in the same order. Those held so far lie in memory of the thread, the best first; one
more is compared with the last of them, whole vectors at once, and few pass: after a thousand elements about one in a
hundred of the next when ten are held. Equal elements keep their order, because a later one does not pass. Parameters of
a chunk are those of a pointwise nest (see `pointwise`) over the input, the values and the places; the bounds are the
elements of a row, those that are held, and how far apart they are in each operand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import AxisDirection
from anydml.core.expression import load
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.formulas import into_nest
from anydml.runtime.cpu.loops import Loops, cut, in_order_of_store
from anydml.runtime.cpu.pointwise import Kernel, Shape, native_task, pieces_of
from anydml.runtime.native import llvm
from anydml.runtime.native.emit import Emitter, Value, pointers_to, vector
from anydml.runtime.native.math.values import scalar_name
from anydml.runtime.native.schedule import WORD
from anydml.runtime.native.tasks import Task

Numbers = tuple[int, ...]
MOST_HELD = 128
"""Of more, sorting whole rows takes less time where much has to move."""
FEW, LEAST_PART = 16, 8
"""More than a few are found by sorting, too, if they are more than one in so many."""
_INFINITY = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}
"""The bits of floats, by their width."""
_ROW_WORK = 4
"""Reading an element and comparing it, beside moving a byte."""


@dataclass(frozen=True)
class Selected:
    """The first elements of each row in falling or rising order, and their places."""

    source: View
    values: Access
    places: Access
    axis: int
    count: int
    direction: AxisDirection

    @property
    def _sizes(self) -> Numbers:
        return tuple(self.count if axis == self.axis else size for axis, size in enumerate(self.source.sizes))

    def reads(self) -> Iterator[tuple[Access, Numbers]]:
        yield self.source.access, self.source.sizes

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        yield self.values, self._sizes
        yield self.places, self._sizes

    def renamed(self, slot: Callable[[int], int]) -> Selected:
        source = replace(self.source, slot=slot(self.source.slot))
        values, places = (replace(each, slot=slot(each.slot)) for each in (self.values, self.places))
        return replace(self, source=source, values=values, places=places)

    def describe(self, names: Callable[[int], str]) -> str:
        order = self.direction.name.lower()
        written = f"{names(self.values.slot)}, {names(self.places.slot)}"
        return f"select {self.count} of {list(self.source.sizes)} {order} of {names(self.source.slot)}: {written}"

    def tasks(self) -> Sequence[Task]:
        loops = self._loops()
        shape = self._shape(loops)
        code = llvm.compiled(("select", shape), lambda: module_text(shape))
        steps = [access.strides[self.axis] * access.type.element_bytes for access in self._operands]
        bounds = [self.source.sizes[self.axis], self.count, *steps]
        pieces = pieces_of(loops.iterations * self.source.sizes[self.axis] * _ROW_WORK)
        order = range(len(loops.sizes))
        return (native_task(code, list(cut(loops, pieces, order, [1] * len(order))), [bounds]),)

    @property
    def _operands(self) -> tuple[Access, Access, Access]:
        return self.source.access, self.values, self.places

    def _loops(self) -> Loops:
        """One iteration for each row."""
        source, *results = (replace(each, strides=_without(each.strides, self.axis)) for each in self._operands)
        stores = tuple(Store(result, load(0, source.type.numpy_dtype)) for result in reversed(results))
        return in_order_of_store(Nest(_without(self.source.sizes, self.axis), (source,), stores))

    def _shape(self, loops: Loops) -> _Shape:
        data_type = self.source.type
        is_even = self.source.strides[self.axis] == 1
        halvings = (self.count - 1).bit_length()
        return _Shape(data_type, loops.sides[1].type, self.direction, is_even, halvings, llvm.vector_bytes())


def _without(numbers: Numbers, axis: int) -> Numbers:
    return numbers[:axis] + numbers[axis + 1 :]


def expand_top_k(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    (source,) = program.inputs
    assert source is not None
    if not _is_worth_it(operator.k, source.sizes[operator.axis]) or source.type.is_packed_pair:
        return None
    sizes = operator.output_value_tensor.sizes
    types = (operator.output_value_tensor.data_type, operator.output_index_tensor.data_type)
    targets = [into_nest(nest, sizes, type, workspace) for nest, type in zip(program.outputs, types, strict=True)]
    (values, one), (places, other) = targets
    return [Selected(source, values, places, operator.axis, operator.k, operator.axis_direction), *one, *other]


def _is_worth_it(count: int, size: int) -> bool:
    return count <= FEW or (count <= MOST_HELD and count * LEAST_PART <= size)


# Machine code


@dataclass(frozen=True)
class _Shape:
    """All that the machine code depends on."""

    type: DataType
    place_type: DataType
    direction: AxisDirection
    is_even: bool
    """Whether the elements of a row lie side by side."""
    halvings: int
    """Of those that are held, until one is left."""
    vector_bytes: int


def module_text(shape: _Shape) -> str:
    e = Emitter(shape.vector_bytes)
    _Selecting(e, shape).emit()
    return e.module()


class _Selecting(Kernel):
    """Writes the functions of a kernel whose operands are the input, the places and the values."""

    def __init__(self, e: Emitter, shape: _Shape) -> None:
        # Where operands lie is all that the loops need to know of them.
        sides = tuple((data_type, "") for data_type in (shape.type, shape.place_type, shape.type))
        moved = load(0, shape.type.numpy_dtype)
        super().__init__(e, Shape((moved,), sides[:1], sides[1:], shape.vector_bytes, False))
        self.form = shape
        self.bounds = self.rows_loop
        self.rows_loop += _BOUNDS
        self.columns_loop = self.rows_loop + self.loop_words
        self.bits = 8 * shape.type.element_bytes
        self.keys = _Keys(e, shape)

    def _emit_rows(self) -> None:
        e = self.e
        with e.function("insert", "ptr %held, i64 %key, i64 %place, i64 %last"):
            self._insert()
        with e.function("select", f"ptr %parameters, ptr %held, {self.arguments}"):
            self._select()

    def _call_row(self, size: Value, pointers: Sequence[str]) -> None:
        """Columns are rows of the operator."""
        e = self.e
        steps = [self._word("%parameters", self.columns_loop + 1 + side) for side in self.sides]
        with e.loop(0, size) as column:
            moved = self._moved(pointers, steps, column)
            e.do(f"call void @select({pointers_to('%parameters', '%staging', *moved)})")

    def _insert(self) -> None:
        """Puts an element among those held, of which the last is overwritten: behind all that are as good."""
        e = self.e
        first: Value = 0
        end: Value = "%last"
        for _ in range(self.form.halvings):
            middle = e.value(f"lshr i64 {e.add(first, end)}, 1")
            is_left = e.value(f"icmp slt i64 {first}, {end}")
            is_worse = e.value(f"icmp slt i64 {e.load('i64', self._entry(middle), WORD)}, %key")
            is_before = e.value(f"and i1 {is_left}, {is_worse}")
            is_behind = e.value(f"and i1 {is_left}, {e.value(f'xor i1 {is_worse}, true')}")
            end = e.value(f"select i1 {is_before}, i64 {middle}, i64 {end}")
            first = e.value(f"select i1 {is_behind}, i64 {e.add(middle, 1)}, i64 {first}")
        self._shift(first)
        e.store("i64", "%key", self._entry(first), WORD)
        e.store("i64", "%place", e.at(self._entry(first), _PLACES_AT), WORD)

    def _shift(self, first: Value) -> None:
        """Moves what is held from there on by one, the last first."""
        e, kind = self.e, vector(_SHIFTED, "i64")
        count = e.subtract("%last", first)
        whole = e.mask(count, -_SHIFTED)
        with e.loop(0, whole, _SHIFTED) as moved:
            self._move(kind, e.subtract(e.subtract("%last", moved), _SHIFTED))
        with e.loop(whole, count) as moved:
            self._move("i64", e.subtract(e.subtract("%last", moved), 1))

    def _move(self, kind: str, number: Value) -> None:
        """An entry, or several, one further."""
        for pointer in (self._entry(number), self.e.at(self._entry(number), _PLACES_AT)):
            self.e.store(kind, self.e.load(kind, pointer, WORD), self.e.at(pointer, WORD), WORD)

    def _entry(self, number: Value) -> str:
        return self.e.at("%held", self.e.multiply(number, WORD))

    def _select(self) -> None:
        e = self.e
        size, count, *steps = (self._word("%parameters", self.bounds + number) for number in range(_BOUNDS))
        with e.loop(0, count) as i:
            self._call_insert(self._key(i, steps[0]), i, i)
        last = e.subtract(count, 1)
        worst = self._entry(last)

        def compare(i: Value) -> None:
            key = self._key(i, steps[0])
            with e.when(e.value(f"icmp sgt i64 {key}, {e.load('i64', worst, WORD)}")):
                self._call_insert(key, i, last)

        start: Value = count
        if self.form.is_even:
            start = self._select_vectors(count, size, worst, compare)
        with e.loop(start, size) as i:
            compare(i)
        with e.loop(0, count) as i:
            self._store_held(i, steps)

    def _select_vectors(self, start: Value, size: Value, worst: str, compare: Callable[[Value], None]) -> Value:
        """Whole vectors from `start` on: elements of those that have a better one; where the rest begins."""
        e, lanes = self.e, self.keys.lanes
        end = e.add(start, e.mask(e.subtract(size, start), -lanes))
        with e.loop(start, end, lanes) as i:
            keys = self.keys.of_vector(e.at("%p0", e.multiply(i, self.bits // 8)))
            bound = e.load("i64", worst, WORD)
            narrow = bound if self.bits == 64 else e.value(f"trunc i64 {bound} to i{self.bits}")
            passes = self.keys.better(keys, narrow)
            with e.when(e.value(f"icmp ne i{lanes} {passes}, 0")), e.loop(i, e.add(i, lanes)) as j:
                compare(j)
        return end

    def _key(self, place: Value, step: str) -> str:
        return self.keys.of_element(self.e.at("%p0", self.e.multiply(place, step)))

    def _call_insert(self, key: str, place: Value, last: Value) -> None:
        self.e.do(f"call void @insert(ptr %held, i64 {key}, i64 {place}, i64 {last})")

    def _store_held(self, number: str, steps: Sequence[str]) -> None:
        e, kind = self.e, f"i{self.bits}"
        place = e.load("i64", e.at(self._entry(number), _PLACES_AT), WORD)
        value = e.load(kind, e.at("%p0", e.multiply(place, steps[0])))
        e.store(kind, value, e.at("%p2", e.multiply(number, steps[1])))
        places = scalar_name(self.form.place_type.numpy_dtype)
        if places != "i64":
            place = e.value(f"trunc i64 {place} to {places}")
        e.store(places, place, e.at("%p1", e.multiply(number, steps[2])))


_PLACES_AT = (MOST_HELD + 1) * WORD
"""Where places are, behind as many keys as are ever held."""
_SHIFTED = 8
"""Keys, or places, that are moved at once."""
_BOUNDS = 5


class _Keys:
    """Elements as integers that are greater the sooner an element is wanted: of a vector, or one with 64 bits."""

    def __init__(self, e: Emitter, shape: _Shape) -> None:
        self.e, self.shape = e, shape
        self.bits = 8 * shape.type.element_bytes
        self.lanes = shape.vector_bytes // shape.type.element_bytes

    def of_vector(self, pointer: str) -> str:
        return self._key(self.e.load(vector(self.lanes, f"i{self.bits}"), pointer), self.lanes)

    def of_element(self, pointer: str) -> str:
        key = self._key(self.e.load(f"i{self.bits}", pointer), 1)
        return key if self.bits == 64 else self.e.value(f"sext i{self.bits} {key} to i64")

    def better(self, keys: str, bound: str) -> str:
        """A bit for each lane that is greater than a number."""
        e, kind = self.e, vector(self.lanes, f"i{self.bits}")
        first = e.value(f"insertelement {kind} poison, i{self.bits} {bound}, i64 0")
        passes = e.value(f"icmp sgt {kind} {keys}, {e.shuffle(kind, first, None, [0] * self.lanes)}")
        return e.value(f"bitcast {vector(self.lanes, 'i1')} {passes} to i{self.lanes}")

    def _key(self, element: str, lanes: int) -> str:
        e, data_type = self.e, self.shape.type
        kind = f"i{self.bits}" if lanes == 1 else vector(lanes, f"i{self.bits}")
        truth = "i1" if lanes == 1 else vector(lanes, "i1")

        def known(number: int) -> str:
            return str(number) if lanes == 1 else f"<{', '.join([f'i{self.bits} {number}'] * lanes)}>"

        key = element
        if data_type.is_float:
            key = self._float_key(element, kind, truth, known)
        elif data_type.name.startswith("UINT"):
            key = e.value(f"xor {kind} {element}, {known(-(1 << (self.bits - 1)))}")
        if self.shape.direction is AxisDirection.INCREASING:
            key = e.value(f"xor {kind} {key}, {known(-1)}")
        return key

    def _float_key(self, element: str, kind: str, truth: str, known: Callable[[int], str]) -> str:
        """Both zeros are one number, and all that are none are one, the greatest."""
        e, largest = self.e, (1 << (self.bits - 1)) - 1
        size = e.value(f"and {kind} {element}, {known(largest)}")
        sign = e.value(f"ashr {kind} {element}, {known(self.bits - 1)}")
        turned = e.value(f"xor {kind} {element}, {e.value(f'and {kind} {sign}, {known(largest)}')}")
        is_zero = e.value(f"icmp eq {kind} {size}, {known(0)}")
        is_nan = e.value(f"icmp ugt {kind} {size}, {known(_INFINITY[self.bits])}")
        number = e.value(f"select {truth} {is_zero}, {kind} {known(0)}, {kind} {turned}")
        return e.value(f"select {truth} {is_nan}, {kind} {known(largest)}, {kind} {number}")
