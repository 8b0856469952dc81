"""Elements that change their type, or are scaled, on the way."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from anydml.core.datatype import DataType
from anydml.runtime.moves.kernels.frame import Frame, Lowered, Shape
from anydml.runtime.moves.plan import MovePlan
from anydml.runtime.native.emit import Emitter, Value, vector

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
    return Lowered(shape, double_bits(scale_bias), (GRAIN,))


def written(lowered: Lowered, types: tuple[DataType, DataType], scale_bias: tuple[float, float] | None) -> Lowered:
    """The same, but what it stages is converted while it is written."""
    names = types[0].name, types[1].name, "scaled" if scale_bias else "plain"
    return replace(
        lowered, shape=replace(lowered.shape, written=names), extras=lowered.extras + double_bits(scale_bias)
    )


def double_bits(scale_bias: tuple[float, float] | None) -> tuple[int, ...]:
    """Two numbers as the words of parameters."""
    return tuple(struct.unpack("<2q", struct.pack("<2d", *scale_bias or (0.0, 0.0))))


@dataclass(frozen=True)
class _Conversion:
    source: DataType
    destination: DataType
    scale_bias: tuple[str, ...]
    """Names of the bits of two doubles; none if elements are not scaled."""


def emit(f: Frame) -> None:
    e, (row,) = f.e, f.inner
    source, destination, form, scaling = (str(detail) for detail in f.shape.details)
    conversion = _Conversion(DataType[source], DataType[destination], f.extras if scaling == "scaled" else ())
    whole: Value = 0
    if form == "packed":
        whole = e.mask(row.size, -LANES)
        with e.loop(0, whole, LANES) as i:
            _convert_at(f, conversion, i, LANES)
    with e.loop(whole, row.size) as i:
        _convert_at(f, conversion, i, 1)


def _convert_at(f: Frame, conversion: _Conversion, place: Value, lanes: int) -> None:
    source = f.from_source((place, f.inner[0].source_stride))
    _convert(f.e, conversion, source, f.from_destination((place, f.inner[0].destination_stride)), lanes)


def convert_row(f: Frame, destination: str, source: str, size: Value) -> None:
    """Writes a staged row of `size` bytes as elements of another type."""
    e, (from_name, to_name, scaling) = f.e, f.shape.written
    names = ("%scale", "%bias") if scaling == "scaled" else ()
    conversion = _Conversion(DataType[from_name], DataType[to_name], names)
    if not e.has_function("convert_row"):
        with e.function("convert_row", "ptr noalias %to, ptr noalias %from, i64 %count, i64 %scale, i64 %bias"):
            whole = e.mask("%count", -LANES)
            for first, last, lanes in ((0, whole, LANES), (whole, "%count", 1)):
                with e.loop(first, last, lanes) as i:
                    from_place = e.at("%from", e.multiply(i, conversion.source.element_bytes))
                    to_place = e.at("%to", e.multiply(i, conversion.destination.element_bytes))
                    _convert(e, conversion, from_place, to_place, lanes)
    count = e.value(f"udiv i64 {size}, {conversion.source.element_bytes}")
    bits = ", ".join(f"i64 {word}" for word in f.scale_bias)
    e.do(f"call void @convert_row(ptr {destination}, ptr {source}, i64 {count}, {bits})")


def _convert(e: Emitter, conversion: _Conversion, source: str, destination: str, lanes: int) -> None:
    from_type, to_type = conversion.source, conversion.destination
    value = e.load(_kind(from_type, lanes), source)
    kind = _scalar(from_type)
    if conversion.scale_bias:
        value, kind = _scaled(e, conversion, value, lanes)
    result = convert_value(e, value, kind, from_type, to_type, lanes)
    e.store(_kind(to_type, lanes), result, destination)


def _scalar(data_type: DataType) -> str:
    return _FLOATS.get(data_type, f"i{data_type.bits}")


def _kind(data_type: DataType, lanes: int) -> str:
    return _many(_scalar(data_type), lanes)


def _many(kind: str, lanes: int) -> str:
    return kind if lanes == 1 else vector(lanes, kind)


def _scaled(e: Emitter, conversion: _Conversion, value: str, lanes: int) -> tuple[str, str]:
    source_type = conversion.source
    kind = "float" if source_type in (DataType.FLOAT16, DataType.FLOAT32) else "double"
    value = _to_float(e, value, _scalar(source_type), source_type.is_signed, kind, lanes)
    many = _many(kind, lanes)
    scale, bias = (_spread(e, bits, kind, lanes) for bits in conversion.scale_bias)
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


def convert_value(e: Emitter, value: str, kind: str, source: DataType, destination: DataType, lanes: int) -> str:
    """A vector of LLVM's type `kind`, which holds elements of the source type, as elements of the destination type."""
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
    """Toward zero, kept inside the range, NaN as 0. LLVM's own saturating conversion takes elements one by one."""
    if kind == "half":
        value, kind = e.value(f"fpext {_many(kind, lanes)} {value} to {_many('float', lanes)}"), "float"
    low, high = destination.range
    target, many, truths = _scalar(destination), _many(kind, lanes), _many("i1", lanes)

    def compared(how: str, bound: int) -> str:
        # The lowest number and the first one too high are 0 or powers of two, which every float holds.
        return e.value(f"fcmp {how} {many} {value}, {_constant(kind, _float_text(bound), lanes)}")

    inside = e.value(f"and {truths} {compared('oge', low)}, {compared('olt', high + 1)}")
    safe = e.value(f"select {truths} {inside}, {many} {value}, {many} {_constant(kind, _float_text(0), lanes)}")
    # Narrow integers are converted as wider ones, which machines have instructions for.
    wide = "i32" if destination.bits < 32 else target
    step = "fptosi" if destination.is_signed or destination.bits < 32 else "fptoui"
    result = e.value(f"{step} {many} {safe} to {_many(wide, lanes)}")
    result = _to_width(e, result, wide, True, target, lanes)
    for how, bound, limit in (("oge", high + 1, high), ("olt", low, low)):
        whole = _many(target, lanes)
        limits = _constant(target, str(limit), lanes)
        result = e.value(f"select {truths} {compared(how, bound)}, {whole} {limits}, {whole} {result}")
    return result


def _float_text(number: int) -> str:
    """A number that every float holds, in LLVM's way to write one exactly: the bits of a double."""
    return f"0x{struct.pack('>d', number).hex().upper()}"


def _constant(kind: str, text: str, lanes: int) -> str:
    return text if lanes == 1 else f"<{', '.join([f'{kind} {text}'] * lanes)}>"
