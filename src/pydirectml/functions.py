"""The functions of PyDirectML, with its names, its order of parameters and its defaults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anydml import expression as dmlx
from anydml.core.calling import answering
from anydml.core.errors import InvalidDescriptionError
from anydml.core.outside import answer, as_integer, as_values
from anydml.core.rules import rule
from anydml.expression.places import blamed_on
from pydirectml.device import GraphBuilder
from pydirectml.enumerations import (
    ConvolutionDirection,
    ConvolutionMode,
    InterpolationMode,
    MatrixTransform,
    OutputOptions,
    PaddingMode,
    RecurrentNetworkDirection,
    TensorDataType,
)
from pydirectml.types import Expression, FusedActivation, GRUOutputs, MaxPoolingOutputs, Size2D, TensorDesc

REQUIRED_ARGUMENT = rule("pydirectml.argument", "Parameters without a default are given, wherever they stand.")
_MISSING: Any = None
"""The default of parameters that must be given although others before them may be left out."""
Sizes = Sequence[int]


def _in(value: Any) -> Any:
    """An operand, or none."""
    return value.made if isinstance(value, Expression) else value


def _all(values: Any, read: Callable[[Any], Any]) -> Any:
    """Each of a list; what is no list is for others to refuse."""
    given = answer(lambda: as_values(values), None)
    return values if given is None else [read(each) for each in given]


def _flag(value: Any) -> Any:
    """True or false of a number, as Python has it; what is neither is for others to refuse."""
    number = 0 if value is None else as_integer(value)
    return value if number is None else bool(number)


def _fused(activation: FusedActivation | None) -> Any:
    return activation.operator if isinstance(activation, FusedActivation) else activation


def _out(made: Any) -> Expression:
    return Expression.of(made)


def _require(function: str, **arguments: Any) -> None:
    missing = [name for name, value in arguments.items() if value is _MISSING]
    if missing:
        with blamed_on(function):
            raise InvalidDescriptionError([REQUIRED_ARGUMENT(name, "nothing", "a value") for name in missing])


@answering(blame=blamed_on)
def input_tensor(scope: GraphBuilder, input_index: int, tensor_desc: TensorDesc) -> Expression:
    """The graph input of this index."""
    graph = scope.graph if isinstance(scope, GraphBuilder) else scope
    described = tensor_desc.described if isinstance(tensor_desc, TensorDesc) else tensor_desc
    return _out(dmlx.input_tensor(graph, input_index, described))


@answering(blame=blamed_on)
def convolution(
    input: Expression,
    filter: Expression,
    bias: Expression | None = None,
    mode: ConvolutionMode = ConvolutionMode.CROSS_CORRELATION,
    direction: ConvolutionDirection = ConvolutionDirection.FORWARD,
    strides: Sizes = (),
    dilations: Sizes = (),
    start_padding: Sizes = (),
    end_padding: Sizes = (),
    output_padding: Sizes = (),
    group_count: int = 1,
    fused_activation: FusedActivation | None = None,
    output_sizes: Sizes = (),
) -> Expression:
    """Filters moved over the input; BACKWARD is the transpose, whose output sizes may be given."""
    return _out(
        dmlx.convolution(
            _in(input),
            _in(filter),
            _in(bias),
            mode,
            direction,
            strides=strides,
            dilations=dilations,
            start_padding=start_padding,
            end_padding=end_padding,
            output_padding=output_padding,
            group_count=group_count,
            fused_activation=_fused(fused_activation),
            output_sizes=output_sizes,
        )
    )


@answering(blame=blamed_on)
def up_sample_2d(input: Expression, scale_size: Size2D, interpolation_mode: InterpolationMode) -> Expression:
    """The input with width and height multiplied."""
    size = (scale_size.width, scale_size.height) if isinstance(scale_size, Size2D) else scale_size
    return _out(dmlx.upsample_2d(_in(input), size, interpolation_mode))


@answering(blame=blamed_on)
def activation_relu(input: Expression) -> Expression:
    """max(0, x)."""
    return _out(dmlx.activation_relu(_in(input)))


@answering(blame=blamed_on)
def activation_sigmoid(input: Expression) -> Expression:
    """1 / (1 + e^-x)."""
    return _out(dmlx.activation_sigmoid(_in(input)))


@answering(blame=blamed_on)
def activation_identity(input: Expression) -> Expression:
    """The input itself."""
    return _out(dmlx.activation_identity(_in(input)))


@answering(blame=blamed_on)
def activation_tanh(input: Expression) -> Expression:
    """The hyperbolic tangent."""
    return _out(dmlx.activation_tanh(_in(input)))


@answering(blame=blamed_on)
def activation_linear(input: Expression, alpha: float, beta: float) -> Expression:
    """alpha * x + beta."""
    return _out(dmlx.activation_linear(_in(input), alpha, beta))


@answering(blame=blamed_on)
def activation_soft_max(input: Expression) -> Expression:
    """e^x, divided by the sum of each batch."""
    return _out(dmlx.activation_softmax(_in(input)))


@answering(blame=blamed_on)
def add(a: Expression, b: Expression, fused_activation: FusedActivation | None = None) -> Expression:
    """a + b, then an activation."""
    return _out(dmlx.add(_in(a), _in(b), _fused(fused_activation)))


@answering(blame=blamed_on)
def subtract(a: Expression, b: Expression) -> Expression:
    """a - b."""
    return _out(dmlx.subtract(_in(a), _in(b)))


@answering(blame=blamed_on)
def multiply(a: Expression, b: Expression) -> Expression:
    """a * b."""
    return _out(dmlx.multiply(_in(a), _in(b)))


@answering(blame=blamed_on)
def divide(a: Expression, b: Expression) -> Expression:
    """a / b."""
    return _out(dmlx.divide(_in(a), _in(b)))


@answering(blame=blamed_on)
def padding(
    input: Expression, padding_mode: PaddingMode, padding_value: float, start_padding: Sizes, end_padding: Sizes
) -> Expression:
    """The input with elements added before and after it."""
    return _out(dmlx.padding(_in(input), padding_mode, padding_value, start_padding, end_padding))


@answering(blame=blamed_on)
def mean_variance_normalization(
    input: Expression,
    scale: Expression | None = None,
    bias: Expression | None = None,
    axes: Sizes = (),
    normalize_variance: bool = _MISSING,
    epsilon: float = _MISSING,
    fused_activation: FusedActivation | float | None = None,
    *more: FusedActivation | None,
    normalize_mean: bool = True,
) -> Expression:
    """scale * (x - mean) / sqrt(variance + epsilon) + bias, mean and variance taken over the axes.

    Programs for newer builds of PyDirectML have `normalize_mean` before `epsilon`: a bool there is taken for it.
    """
    if isinstance(epsilon, bool):
        normalize_mean, epsilon, fused_activation = epsilon, fused_activation, (more[0] if more else None)  # type: ignore[assignment]
    _require("mean_variance_normalization", normalize_variance=normalize_variance, epsilon=epsilon)
    given = _all(axes, lambda axis: axis)
    operands = (_in(input), _in(scale), _in(bias), [0, 2, 3] if type(given) is list and not given else given)
    flags = (_flag(normalize_variance), normalize_mean)
    return _out(dmlx.mean_variance_normalization(*operands, *flags, epsilon, _fused(fused_activation)))  # type: ignore[arg-type]


@answering(blame=blamed_on)
def slice(
    input: Expression, input_window_offsets: Sizes, input_window_sizes: Sizes, input_window_strides: Sizes
) -> Expression:
    """A window of the input; negative strides run backwards."""
    return _out(dmlx.slice(_in(input), input_window_offsets, input_window_sizes, input_window_strides))


@answering(blame=blamed_on)
def value_scale_2d(input: Expression, scale: float, bias: Sequence[float]) -> Expression:
    """x * scale + bias of its channel."""
    return _out(dmlx.value_scale_2d(_in(input), scale, bias))


@answering(blame=blamed_on)
def batch_normalization(
    input: Expression,
    mean: Expression,
    variance: Expression,
    scale: Expression,
    bias: Expression,
    spatial: bool,
    epsilon: float,
    fused_activation: FusedActivation | None = None,
) -> Expression:
    """scale * (x - mean) / sqrt(variance + epsilon) + bias."""
    operands = (_in(input), _in(mean), _in(variance), _in(scale), _in(bias))
    fused = _fused(fused_activation)
    return _out(dmlx.batch_normalization(*operands, _flag(spatial), epsilon, fused_activation=fused))


@answering(blame=blamed_on)
def local_response_normalization(
    input: Expression, cross_channel: bool, local_size: int, alpha: float, beta: float, bias: float
) -> Expression:
    """x divided by a power of the squares around it."""
    return _out(dmlx.local_response_normalization(_in(input), _flag(cross_channel), local_size, alpha, beta, bias))


@answering(blame=blamed_on)
def gemm(
    a: Expression,
    b: Expression,
    c: Expression | None = None,
    trans_a: MatrixTransform = MatrixTransform.NONE,
    trans_b: MatrixTransform = MatrixTransform.NONE,
    alpha: float = 1.0,
    beta: float = 1.0,
    fused_activation: FusedActivation | None = None,
) -> Expression:
    """alpha * a x b + beta * c."""
    fused = _fused(fused_activation)
    return _out(dmlx.gemm(_in(a), _in(b), _in(c), trans_a, trans_b, alpha, beta, fused))


@answering(blame=blamed_on)
def average_pooling(
    input: Expression,
    strides: Sizes,
    window_sizes: Sizes,
    start_padding: Sizes,
    end_padding: Sizes,
    include_padding: bool,
) -> Expression:
    """The mean of each window."""
    return _out(
        dmlx.average_pooling(
            _in(input),
            window_sizes,
            _flag(include_padding),
            strides=strides,
            start_padding=start_padding,
            end_padding=end_padding,
        )
    )


@answering(blame=blamed_on)
def max_pooling(
    input: Expression,
    window_sizes: Sizes,
    strides: Sizes = (),
    start_padding: Sizes = (),
    end_padding: Sizes = (),
    dilations: Sizes = (),
    output_indices: bool = False,
) -> MaxPoolingOutputs:
    """The largest element of each window, and where it is."""
    made = dmlx.max_pooling(
        _in(input),
        window_sizes,
        strides=strides,
        start_padding=start_padding,
        end_padding=end_padding,
        dilations=dilations,
        output_indices=_flag(output_indices),
    )
    return MaxPoolingOutputs(_out(made.output), _out(made.output_indices))


@answering(blame=blamed_on)
def reinterpret(input: Expression, new_type: TensorDataType, new_size: Sizes, new_strides: Sizes | None) -> Expression:
    """The same memory as a tensor of another type, sizes and strides."""
    return _out(dmlx.reinterpret(_in(input), new_type, new_size, new_strides))


@answering(blame=blamed_on)
def join(input: Sequence[Expression], axis: int) -> Expression:
    """Tensors side by side along an axis."""
    return _out(dmlx.join(_all(input, _in), axis))


@answering(blame=blamed_on)
def gru(
    input: Expression,
    weight: Expression,
    recurrence: Expression,
    bias: Expression | None = None,
    hidden_init: Expression | None = None,
    sequence_lengths: Expression | None = None,
    activation_descs: Sequence[FusedActivation] = _MISSING,
    direction: RecurrentNetworkDirection = _MISSING,
    linear_before_reset: bool = True,
    output_options: OutputOptions = _MISSING,
) -> GRUOutputs:
    """One layer of gated recurrent units."""
    _require("gru", activation_descs=activation_descs, direction=direction, output_options=output_options)
    with blamed_on("gru"):
        wanted = OutputOptions(output_options)
    made = dmlx.gru(
        _in(input),
        _in(weight),
        _in(recurrence),
        _all(activation_descs, _fused),
        direction,
        _flag(linear_before_reset),
        bias=_in(bias),
        hidden_init=_in(hidden_init),
        sequence_lengths=_in(sequence_lengths),
        output_sequence=wanted in (OutputOptions.Both, OutputOptions.Sequence),
        output_single=wanted in (OutputOptions.Both, OutputOptions.Single),
    )
    return GRUOutputs(_out(made.output_sequence), _out(made.output_single))


@answering(blame=blamed_on)
def gather(input: Expression, indices: Expression, axis: int, index_dimensions: int) -> Expression:
    """Elements of the input along an axis, chosen by indices."""
    return _out(dmlx.gather(_in(input), _in(indices), axis, index_dimensions))
