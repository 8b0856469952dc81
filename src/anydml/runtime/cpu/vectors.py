"""Vectors to and from memory: whole ones or the first lanes, of neighbours or of elements that lie apart."""

from __future__ import annotations

from anydml.core.datatype import DataType
from anydml.runtime.native.emit import Emitter, Value, known_lanes, vector
from anydml.runtime.native.math.values import ElementType, Lanes, Vector, scalar_name


def spread(lanes: Lanes, type: ElementType, value: Value) -> Vector:
    """One value in every lane."""
    return lanes.named(spread_name(lanes.e, lanes.count, scalar_name(type), value), type)


def spread_name(e: Emitter, count: int, kind: str, value: Value) -> str:
    many = vector(count, kind)
    first = e.value(f"insertelement {many} poison, {kind} {value}, i64 0")
    return e.shuffle(many, first, None, [0] * count)


def first_lanes(e: Emitter, count: int, wanted: Value) -> str:
    """A mask of the first lanes; no more are wanted than there are."""
    if isinstance(wanted, int):
        return known_lanes(count, wanted)
    kind = f"i{min(64, max(8, 8 * e.vector_bytes // count))}"
    narrow = wanted if kind == "i64" else e.value(f"trunc i64 {wanted} to {kind}")
    limit = spread_name(e, count, kind, narrow)
    numbers = ", ".join(f"{kind} {lane}" for lane in range(count))
    return e.value(f"icmp slt {vector(count, kind)} <{numbers}>, {limit}")


def load(
    lanes: Lanes, data_type: DataType, pointer: str, mask: str | None = None, others: Vector | None = None
) -> Vector:
    """Neighbours; lanes that the mask leaves out are those of another vector, or 0."""
    kind, count = scalar_name(data_type.numpy_dtype), lanes.count
    many, rest = vector(count, kind), "zeroinitializer" if others is None else others.name
    name = lanes.e.load(many, pointer) if mask is None else masked_load(lanes.e, kind, count, pointer, mask, rest)
    return lanes.named(name, data_type.numpy_dtype)


def masked_load(e: Emitter, kind: str, count: int, pointer: str, mask: str, rest: str = "zeroinitializer") -> str:
    many, flags = vector(count, kind), vector(count, "i1")
    name = f"llvm.masked.load.v{count}{_suffix(kind)}.p0"
    e.declare(f"{many} @{name}(ptr, i32, {flags}, {many})")
    return e.value(f"call {many} @{name}(ptr {pointer}, i32 1, {flags} {mask}, {many} {rest})")


def store(x: Vector, pointer: str, mask: str | None = None, stream: bool = False) -> None:
    """To neighbours; lanes that the mask leaves out are not written. What is streamed is aligned."""
    e, count = x.lanes.e, x.lanes.count
    if mask is None:
        e.store(x.type_name, x.name, pointer, count * x.type.itemsize if stream else 1, stream)
        return
    if mask == known_lanes(count, 1):
        e.store(x.scalar_name, e.value(f"extractelement {x.typed}, i64 0"), pointer)
        return
    flags, name = vector(count, "i1"), f"llvm.masked.store.v{count}{_suffix(x.scalar_name)}.p0"
    e.declare(f"void @{name}({x.type_name}, ptr, i32, {flags})")
    e.do(f"call void @{name}({x.typed}, ptr {pointer}, i32 1, {flags} {mask})")


def gather(lanes: Lanes, data_type: DataType, start: str, step: Value, mask: str | None = None) -> Vector:
    """Elements that lie a step apart."""
    e, count, kind = lanes.e, lanes.count, scalar_name(data_type.numpy_dtype)
    many, flags = vector(count, kind), vector(count, "i1")
    name = f"llvm.masked.gather.v{count}{_suffix(kind)}.v{count}p0"
    e.declare(f"{many} @{name}({vector(count, 'ptr')}, i32, {flags}, {many})")
    chosen = f"{_places(e, count, start, step)}, i32 1, {flags} {mask or all_lanes(count)}"
    return lanes.named(e.value(f"call {many} @{name}({chosen}, {many} zeroinitializer)"), data_type.numpy_dtype)


def every_second(lanes: Lanes, data_type: DataType, start: str) -> Vector:
    """Elements with one between each two; nothing beyond the last is read."""
    e, count, kind = lanes.e, lanes.count, scalar_name(data_type.numpy_dtype)
    many = vector(count, kind)
    first = e.load(many, start)
    second = e.load(many, e.at(start, (count - 1) * data_type.element_bytes))
    chosen = [*range(0, count, 2), *range(count + 1, 2 * count, 2)]
    return lanes.named(e.shuffle(many, first, second, chosen), data_type.numpy_dtype)


def scatter(x: Vector, start: str, step: Value, mask: str | None = None) -> None:
    e, count = x.lanes.e, x.lanes.count
    flags, name = vector(count, "i1"), f"llvm.masked.scatter.v{count}{_suffix(x.scalar_name)}.v{count}p0"
    e.declare(f"void @{name}({x.type_name}, {vector(count, 'ptr')}, i32, {flags})")
    e.do(f"call void @{name}({x.typed}, {_places(e, count, start, step)}, i32 1, {flags} {mask or all_lanes(count)})")


def _places(e: Emitter, count: int, start: str, step: Value) -> str:
    """The addresses of elements that lie apart."""
    many = vector(count, "i64")
    numbers = ", ".join(f"i64 {lane}" for lane in range(count))
    steps = e.value(f"mul {many} {spread_name(e, count, 'i64', step)}, <{numbers}>")
    return f"{vector(count, 'ptr')} {e.value(f'getelementptr i8, ptr {start}, {many} {steps}')}"


def _suffix(kind: str) -> str:
    """LLVM's name for a type in the names of its functions."""
    return {"half": "f16", "float": "f32", "double": "f64"}.get(kind, kind)


def all_lanes(lanes: int) -> str:
    return f"<{', '.join(['i1 true'] * lanes)}>"
