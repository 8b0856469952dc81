"""The functions that DirectMLX shapes in another way than the operators are declared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anydml.core.calling import answering
from anydml.core.datatype import DataType, DataTypeLike
from anydml.core.enums import AxisDirection, InterpolationMode, PaddingMode, ReduceFunction
from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.integers import require_integer, require_integers, require_list
from anydml.core.rules import rule
from anydml.core.schema import OPERATORS, Operator
from anydml.core.tensor import TensorDesc
from anydml.expression.functions import OPERAND, apply
from anydml.expression.graph import Expression, Graph, name_or
from anydml.expression.places import blamed_on

REINTERPRET = rule(
    "expression.reinterpret", "A reinterpreted tensor has no more bytes than the one whose memory it is."
)
SPLIT = rule("expression.split", "The sizes of the parts add up to the size of what is split.")
ScaleBias = tuple[float, float] | None


def _require(value: Any, path: str) -> Expression:
    if not isinstance(value, Expression):
        raise InvalidDescriptionError(OPERAND(path, shown(value), "an expression"))
    return value


def _of(name: str) -> type[Operator]:
    return OPERATORS[name]


def add(a: Expression, b: Expression, fused_activation: Any = None, name: str | None = None) -> Expression:
    """a + b, and an activation if one is given."""
    if fused_activation is None:
        return _one(apply(_of("ELEMENT_WISE_ADD"), a, b, name=name))
    return _one(apply(_of("ELEMENT_WISE_ADD1"), a, b, fused_activation, name=name))


def _one(made: Any) -> Expression:
    expression: Expression = made
    return expression


def pow(
    input: Expression, exponent: Expression | float, scale_bias: ScaleBias = None, name: str | None = None
) -> Expression:
    """Powers: of one exponent, or of an exponent for each element."""
    kind = "ELEMENT_WISE_POW" if isinstance(exponent, Expression) else "ELEMENT_WISE_CONSTANT_POW"
    return _one(apply(_of(kind), input, exponent, scale_bias, name=name))


def clip(
    input: Expression, min: float, max: float, scale_bias: ScaleBias = None, name: str | None = None
) -> Expression:
    """Each element held between a minimum and a maximum."""
    with blamed_on("clip"):
        graph = _require(input, "input").graph
    if graph.feature_level < _of("ELEMENT_WISE_CLIP1").since:
        return _one(apply(_of("ELEMENT_WISE_CLIP"), input, min, max, scale_bias, name=name))
    return _one(apply(_of("ELEMENT_WISE_CLIP1"), input, input.data_type, min, max, scale_bias, name=name))


def clip_grad(
    input: Expression, input_gradient: Expression, min: float, max: float, name: str | None = None
) -> Expression:
    """The gradient of `clip`."""
    with blamed_on("clip_grad"):
        graph = _require(input, "input").graph
    if graph.feature_level < _of("ELEMENT_WISE_CLIP_GRAD1").since:
        return _one(apply(_of("ELEMENT_WISE_CLIP_GRAD"), input, input_gradient, min, max, name=name))
    kind = input.data_type
    return _one(apply(_of("ELEMENT_WISE_CLIP_GRAD1"), input, input_gradient, kind, min, max, name=name))


def padding(
    input: Expression,
    padding_mode: PaddingMode | str | int,
    padding_value: float,
    start_padding: Sequence[int],
    end_padding: Sequence[int],
    name: str | None = None,
) -> Expression:
    """The tensor with elements added before and after it."""
    with blamed_on("padding"):
        graph = _require(input, "input").graph
    rest = (start_padding, end_padding)
    if graph.feature_level < _of("PADDING1").since:
        return _one(apply(_of("PADDING"), input, padding_mode, padding_value, *rest, name=name))
    return _one(apply(_of("PADDING1"), input, padding_mode, input.data_type, padding_value, *rest, name=name))


def cast(input: Expression, target_data_type: DataTypeLike, name: str | None = None) -> Expression:
    """The elements as numbers of another type."""
    return _one(apply(_of("CAST"), input, output_data_type=target_data_type, name=name))


def activation_softmax(input: Expression, axes: Sequence[int] | None = None, name: str | None = None) -> Expression:
    """Softmax over the given axes; without axes, over all but the first two as the first version has it."""
    return _over_axes("ACTIVATION_SOFTMAX", input, axes, name)


def activation_log_softmax(input: Expression, axes: Sequence[int] | None = None, name: str | None = None) -> Expression:
    """The logarithm of softmax."""
    return _over_axes("ACTIVATION_LOG_SOFTMAX", input, axes, name)


def activation_hardmax(input: Expression, axes: Sequence[int] | None = None, name: str | None = None) -> Expression:
    """1 for the first of the largest elements, 0 elsewhere."""
    return _over_axes("ACTIVATION_HARDMAX", input, axes, name)


def _over_axes(kind: str, input: Expression, axes: Sequence[int] | None, name: str | None) -> Expression:
    made = apply(_of(kind), input, name=name) if axes is None else apply(_of(f"{kind}1"), input, axes, name=name)
    return _one(made)


def reduce(
    input: Expression,
    function: ReduceFunction | str,
    axes: Sequence[int] = (),
    output_data_type: DataTypeLike | None = None,
    name: str | None = None,
) -> Expression:
    """The elements along the axes, or all of them, made one."""
    with blamed_on("reduce"):
        every = range(_require(input, "input").desc.rank)
        chosen = require_list(axes, "axes", "integers", fix="[0, 1]") or list(every)
    return _one(apply(_of("REDUCE"), function, input, chosen, output_data_type=output_data_type, name=name))


def mean_variance_normalization(
    input: Expression,
    scale: Expression | None,
    bias: Expression | None,
    axes: Sequence[int],
    normalize_variance: bool,
    normalize_mean: bool,
    epsilon: float,
    fused_activation: Any = None,
    name: str | None = None,
) -> Expression:
    """Elements less their mean, divided by their deviation, over the given axes."""
    with blamed_on("mean_variance_normalization"):
        graph = _require(input, "input").graph
    given = {"scale": scale, "bias": bias, "axes": axes, "epsilon": epsilon, "fused_activation": fused_activation}
    newest = _of("MEAN_VARIANCE_NORMALIZATION2")
    if graph.feature_level >= newest.since:
        return _one(apply(newest, input, use_mean=normalize_mean, use_variance=normalize_variance, name=name, **given))
    older = _of("MEAN_VARIANCE_NORMALIZATION1")
    return _one(apply(older, input, normalize_variance=normalize_variance, name=name, **given))


def split(input: Expression, axis: int, output_axis_sizes: Sequence[int], name: str | None = None) -> list[Expression]:
    """The tensor in parts of these sizes along an axis."""
    with blamed_on("split"):
        whole = _require(input, "input").desc
        number = require_integer(axis, "axis")
        sizes = require_integers(output_axis_sizes, "output_axis_sizes")
        if not 0 <= number < whole.rank or sum(sizes) != whole.sizes[number]:
            found = f"parts of {list(sizes)} along axis {number} of {whole.sizes}"
            raise InvalidDescriptionError(SPLIT("output_axis_sizes", found, "an axis, and parts that add up to it"))
        policy = input.graph.policy
        parts = []
        for size in sizes:
            shape = (*whole.sizes[:number], size, *whole.sizes[number + 1 :])
            parts.append(
                TensorDesc(whole.data_type, shape, policy(shape).strides if policy.name != "default" else None)
            )
        operator = _of("SPLIT")(input_tensor=whole, output_tensors=parts, axis=number)
        made = input.graph.add_step(operator, [input], name_or(name, "split"))
    return list(made.values())


def resample(
    input: Expression,
    output_sizes: Sequence[int],
    mode: InterpolationMode | str,
    rounding_direction: AxisDirection | str = AxisDirection.INCREASING,
    scales: Sequence[float] = (),
    input_pixel_offsets: Sequence[float] = (),
    output_pixel_offsets: Sequence[float] = (),
    antialiased: bool = False,
    name: str | None = None,
) -> Expression:
    """The tensor at another resolution; the scales are those of the sizes."""
    with blamed_on("resample"):
        desc = _require(input, "input").desc
        wanted = require_integers(output_sizes, "output_sizes")
        given = {"scales": scales, "input_pixel_offsets": input_pixel_offsets}
        given["output_pixel_offsets"] = output_pixel_offsets
        lists = {key: require_list(each, key, "numbers", fix="()") or None for key, each in given.items()}
    newest = _of("RESAMPLE3" if input.graph.feature_level >= _of("RESAMPLE3").since else "RESAMPLE2")
    extra = {"antialiased": antialiased} if newest.dml_type == "RESAMPLE3" else {}
    return _one(
        apply(
            newest,
            input,
            mode,
            rounding_direction=rounding_direction,
            output_sizes=wanted,
            name=name,
            **lists | {"scales": lists["scales"] or _scales(wanted, desc.sizes)},
            **extra,
        )
    )


def _scales(output_sizes: Sequence[int], input_sizes: Sequence[int]) -> list[float]:
    return [out / size for out, size in zip(output_sizes, input_sizes, strict=False)]


def one_hot(
    indices: Expression, values: Expression, output_length: int, axis: int, name: str | None = None
) -> Expression:
    """values[1] at the index along an axis, values[0] elsewhere."""
    with blamed_on("one_hot"):
        sizes = list(_require(indices, "indices").sizes)
        number = require_integer(axis, "axis")
        if 0 <= number < len(sizes):
            sizes[number] = require_integer(output_length, "output_length")
    return _one(apply(_of("ONE_HOT"), indices, values, number, output_sizes=sizes, name=name))


def fill_value_constant(
    graph: Graph, output_sizes: Sequence[int], value_data_type: DataTypeLike, value: float, name: str | None = None
) -> Expression:
    """A tensor of one value."""
    return _fill("FILL_VALUE_CONSTANT", graph, output_sizes, value_data_type, (value,), name)


def fill_value_sequence(
    graph: Graph,
    output_sizes: Sequence[int],
    value_data_type: DataTypeLike,
    value_start: float,
    value_delta: float,
    name: str | None = None,
) -> Expression:
    """A tensor of values in equal steps."""
    return _fill("FILL_VALUE_SEQUENCE", graph, output_sizes, value_data_type, (value_start, value_delta), name)


def _fill(kind: str, graph: Graph, sizes: Any, data_type: Any, values: tuple[float, ...], name: Any) -> Expression:
    with blamed_on(kind.lower()):
        read = DataType.parse(data_type, "value_data_type")
    return _one(apply(_of(kind), graph, read, *values, output_sizes=sizes, output_data_type=read, name=name))


def reinterpret(
    input: Expression,
    new_type: DataTypeLike | None = None,
    new_sizes: Sequence[int] | None = None,
    new_strides: Sequence[int] | None = None,
    name: str | None = None,
) -> Expression:
    """The same memory, as a tensor of another type, sizes or strides; nothing is computed."""
    with blamed_on("reinterpret"):
        old = _require(input, "input").desc
        kind = old.data_type if new_type is None else DataType.parse(new_type, "new_type")
        sizes = old.sizes if new_sizes is None else require_integers(new_sizes, "new_sizes")
        strides = None if new_strides is None else require_integers(new_strides, "new_strides")
        if new_sizes is None and not strides and not old.has_implicit_strides:
            strides = old.strides
        total = old.total_tensor_size_in_bytes
        least = TensorDesc(kind, sizes, strides)
        if least.total_tensor_size_in_bytes > total:
            found, expected = f"{least.total_tensor_size_in_bytes} bytes", f"at most {total}, those of {input.name!r}"
            raise InvalidDescriptionError(REINTERPRET("new_sizes", found, expected))
        return input.graph.view(
            input, TensorDesc(kind, sizes, strides, flags=old.flags, total_tensor_size_in_bytes=total)
        )


def broadcast(input: Expression, sizes: Sequence[int]) -> Expression:
    """The tensor repeated, without a copy: strides of 0 where it has a size of 1."""
    with blamed_on("broadcast"):
        old = _require(input, "input").desc
        wanted = require_integers(sizes, "sizes")
        if len(wanted) > old.rank:
            old = old.with_rank(len(wanted))
        fits = len(wanted) == old.rank and all(a in (1, b) for a, b in zip(old.sizes, wanted, strict=True))
        if not fits:
            found, expected = f"{wanted}", f"sizes that {old.sizes} can be repeated to"
            raise InvalidDescriptionError(REINTERPRET("sizes", found, expected))
        pairs = zip(old.sizes, wanted, old.strides, strict=True)
        strides = [0 if size == 1 and size != want else stride for size, want, stride in pairs]
    return reinterpret(input, old.data_type, wanted, strides)


_HINTS = {"shape": "'new_sizes'", "dtype": "'new_type'", "data_type": "'new_type'"}
"""What NumPy and descriptions call the parameters of `reinterpret`."""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: answering(_HINTS if each is reinterpret else None, blamed_on)(each)
    for each in (
        add,
        pow,
        clip,
        clip_grad,
        padding,
        cast,
        activation_softmax,
        activation_log_softmax,
        activation_hardmax,
        reduce,
        mean_variance_normalization,
        split,
        resample,
        one_hot,
        fill_value_constant,
        fill_value_sequence,
        reinterpret,
        broadcast,
    )
}
