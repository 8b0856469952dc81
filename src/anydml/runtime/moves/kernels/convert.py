"""Elements that change their type, or are scaled, on the way."""

from __future__ import annotations

import struct

from anydml.core.datatype import DataType
from anydml.runtime.moves.emit import Emitter, Value, vector
from anydml.runtime.moves.kernels.frame import Frame, Lowered, Shape
from anydml.runtime.moves.plan import MovePlan

GRAIN = 4096
LANES = 16

_FLOATS = {DataType.FLOAT16: "half", DataType.FLOAT32: "float", DataType.FLOAT64: "double"}
_RANK = {"half": 0, "float": 1, "double": 2}


def is_supported(source_type: DataType, destination_type: DataType, scale_bias: object) -> bool:
    """Doubles become halves in NumPy: machines round in two steps, which can end one off."""
    halves = destination_type is DataType.FLOAT16
    doubles = source_type is DataType.FLOAT64 or (scale_bias is not None and not source_type.is_float)
    four_bit = source_type.is_packed_pair or destination_type.is_packed_pair
    return not four_bit and not (halves and doubles)


def lower(
    plan: MovePlan,
    vector_bytes: int,
    types: tuple[DataType, DataType],
    scale_bias: tuple[float, float] | None,
) -> Lowered:
    (row,) = plan.inner
    packed = row.source_stride == plan.element_bytes and row.destination_stride == plan.destination_bytes
    form = ("packed" if packed else "strided", "scaled" if scale_bias else "plain")
    details = (types[0].name, types[1].name, *form)
    shape = Shape("convert", plan.element_bytes, vector_bytes, False, details)
    return Lowered(shape, tuple(_double_bits(number) for number in scale_bias or ()), (GRAIN,))


def _double_bits(number: float) -> int:
    bits: int = struct.unpack("<q", struct.pack("<d", number))[0]
    return bits


def emit(f: Frame) -> None:
    e, (row,) = f.e, f.inner
    whole: Value = 0
    if f.shape.details[2] == "packed":
        whole = e.mask(row.size, -LANES)
        with e.loop(0, whole, LANES) as i:
            _convert_at(f, i, LANES)
    with e.loop(whole, row.size) as i:
        _convert_at(f, i, 1)


def _convert_at(f: Frame, place: Value, lanes: int) -> None:
    e, (row,) = f.e, f.inner
    from_type, to_type = (DataType[str(name)] for name in f.shape.details[:2])
    value = e.load(_kind(from_type, lanes), f.from_source((place, row.source_stride)))
    kind = _scalar(from_type)
    if f.shape.details[3] == "scaled":
        value, kind = _scaled(f, value, from_type, lanes)
    result = _converted(e, value, kind, from_type, to_type, lanes)
    e.store(_kind(to_type, lanes), result, f.from_destination((place, row.destination_stride)))


def _scalar(data_type: DataType) -> str:
    return _FLOATS.get(data_type, f"i{data_type.bits}")


def _kind(data_type: DataType, lanes: int) -> str:
    return _many(_scalar(data_type), lanes)


def _many(kind: str, lanes: int) -> str:
    return kind if lanes == 1 else vector(lanes, kind)


def _scaled(f: Frame, value: str, source_type: DataType, lanes: int) -> tuple[str, str]:
    e = f.e
    kind = "float" if source_type in (DataType.FLOAT16, DataType.FLOAT32) else "double"
    value = _to_float(e, value, _scalar(source_type), source_type.is_signed, kind, lanes)
    many = _many(kind, lanes)
    scale, bias = (_spread(e, bits, kind, lanes) for bits in f.extras)
    product = e.value(f"fmul {many} {value}, {scale}")
    return e.value(f"fadd {many} {product}, {bias}"), kind


def _spread(e: Emitter, bits: str, kind: str, lanes: int) -> str:
    value = e.value(f"bitcast i64 {bits} to double")
    if kind == "float":
        value = e.value(f"fptrunc double {value} to float")
    if lanes == 1:
        return value
    first = e.value(f"insertelement {vector(lanes, kind)} poison, {kind} {value}, i64 0")
    return e.shuffle(vector(lanes, kind), first, None, [0] * lanes)


def _converted(e: Emitter, value: str, kind: str, source: DataType, destination: DataType, lanes: int) -> str:
    target = _scalar(destination)
    if destination.is_float:
        return _to_float(e, value, kind, source.is_signed, target, lanes)
    if kind in _RANK:
        return _to_integer(e, value, kind, destination, lanes)
    return _to_width(e, value, kind, source.is_signed, target, lanes)


def _to_width(e: Emitter, value: str, kind: str, signed: bool, target: str, lanes: int) -> str:
    narrower = int(target[1:]) - int(kind[1:])
    if narrower == 0:
        return value
    extend = "sext" if signed else "zext"
    step = "trunc" if narrower < 0 else extend
    return e.value(f"{step} {_many(kind, lanes)} {value} to {_many(target, lanes)}")


def _to_float(e: Emitter, value: str, kind: str, signed: bool, target: str, lanes: int) -> str:
    if kind not in _RANK:
        # A half holds no integer that a float would round: going through float rounds once.
        between = "float" if target == "half" else target
        step = "sitofp" if signed else "uitofp"
        value = e.value(f"{step} {_many(kind, lanes)} {value} to {_many(between, lanes)}")
        kind = between
    if kind == target:
        return value
    step = "fpext" if _RANK[kind] < _RANK[target] else "fptrunc"
    return e.value(f"{step} {_many(kind, lanes)} {value} to {_many(target, lanes)}")


def _to_integer(e: Emitter, value: str, kind: str, destination: DataType, lanes: int) -> str:
    if kind == "half":
        value, kind = e.value(f"fpext {_many(kind, lanes)} {value} to {_many('float', lanes)}"), "float"
    target = _scalar(destination)
    operation = "fptosi" if destination.is_signed else "fptoui"
    into, out_of = _many(target, lanes), _many(kind, lanes)
    suffix = f"{_mangled(target, lanes)}.{_mangled(kind, lanes)}"
    e.declare(f"{into} @llvm.{operation}.sat.{suffix}({out_of})")
    return e.value(f"call {into} @llvm.{operation}.sat.{suffix}({out_of} {value})")


def _mangled(kind: str, lanes: int) -> str:
    short = {"half": "f16", "float": "f32", "double": "f64"}.get(kind, kind)
    return short if lanes == 1 else f"v{lanes}{short}"
