# Written by scripts/stubs; change an operator where it is declared.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex

from anydml.core.datatype import DataTypeLike
from anydml.core.policy import DEFAULT as DEFAULT
from anydml.core.policy import INTERLEAVED_CHANNEL as INTERLEAVED_CHANNEL
from anydml.core.policy import TensorPolicy as TensorPolicy
from anydml.core.tensor import TensorDesc as TensorDesc
from anydml.expression.composed import activation_hardmax as activation_hardmax
from anydml.expression.composed import activation_log_softmax as activation_log_softmax
from anydml.expression.composed import activation_softmax as activation_softmax
from anydml.expression.composed import add as add
from anydml.expression.composed import broadcast as broadcast
from anydml.expression.composed import cast as cast
from anydml.expression.composed import clip as clip
from anydml.expression.composed import clip_grad as clip_grad
from anydml.expression.composed import fill_value_constant as fill_value_constant
from anydml.expression.composed import fill_value_sequence as fill_value_sequence
from anydml.expression.composed import mean_variance_normalization as mean_variance_normalization
from anydml.expression.composed import one_hot as one_hot
from anydml.expression.composed import padding as padding
from anydml.expression.composed import pow as pow
from anydml.expression.composed import reduce as reduce
from anydml.expression.composed import reinterpret as reinterpret
from anydml.expression.composed import resample as resample
from anydml.expression.composed import split as split
from anydml.expression.functions import apply as apply
from anydml.expression.functions import constant as constant
from anydml.expression.functions import input_tensor as input_tensor
from anydml.expression.fused import FusedActivation as FusedActivation
from anydml.expression.graph import Expression as Expression
from anydml.expression.graph import Graph as Graph
from anydml.operators import (
    AxisDirectionLike,
    BindingTypeLike,
    ConvolutionDirectionLike,
    ConvolutionModeLike,
    DepthSpaceOrderLike,
    InterpolationModeLike,
    IsInfinityModeLike,
    MatrixTransformLike,
    MultiheadAttentionMaskTypeLike,
    PaddingModeLike,
    QuantizationTypeLike,
    RandomGeneratorTypeLike,
    RecurrentNetworkDirectionLike,
    ReduceFunctionLike,
    RoundingModeLike,
    ActivationLike,
    Integers,
    Number,
    Numbers,
)

class AdamOptimizerOutputs(NamedTuple):
    output_parameters: Expression
    output_first_moment: Expression
    output_second_moment: Expression

class BatchNormalizationGradOutputs(NamedTuple):
    output_gradient: Expression
    output_scale_gradient: Expression
    output_bias_gradient: Expression

class BatchNormalizationTrainingOutputs(NamedTuple):
    output: Expression
    output_mean: Expression
    output_variance: Expression

class BatchNormalizationTrainingGradOutputs(NamedTuple):
    output_gradient: Expression
    output_scale_gradient: Expression
    output_bias_gradient: Expression

class DynamicQuantizeLinearOutputs(NamedTuple):
    output: Expression
    output_scale: Expression
    output_zero_point: Expression

class GruOutputs(NamedTuple):
    output_sequence: Expression | None
    output_single: Expression | None

class LstmOutputs(NamedTuple):
    output_sequence: Expression | None
    output_single: Expression | None
    output_cell_single: Expression | None

class MaxPooling1Outputs(NamedTuple):
    output: Expression
    output_indices: Expression | None

class MaxPooling2Outputs(NamedTuple):
    output: Expression
    output_indices: Expression | None

class MultiheadAttentionOutputs(NamedTuple):
    output: Expression
    output_present_key: Expression | None
    output_present_value: Expression | None

class MultiheadAttention1Outputs(NamedTuple):
    output: Expression
    output_present_key: Expression | None
    output_present_value: Expression | None

class NonzeroCoordinatesOutputs(NamedTuple):
    output_count: Expression
    output_coordinates: Expression

class RandomGeneratorOutputs(NamedTuple):
    output: Expression
    output_state: Expression | None

class RnnOutputs(NamedTuple):
    output_sequence: Expression | None
    output_single: Expression | None

class RoiAlignGradOutputs(NamedTuple):
    output_gradient: Expression | None
    output_roi_gradient: Expression | None

class TopKOutputs(NamedTuple):
    output_value: Expression
    output_index: Expression

class TopK1Outputs(NamedTuple):
    output_value: Expression
    output_index: Expression

def abs(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def acos(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def acosh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_celu(
    input: Expression,
    alpha: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_elu(
    input: Expression,
    alpha: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_gelu(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_hard_sigmoid(
    input: Expression,
    alpha: Number | None = ...,
    beta: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_hard_swish(
    input: Expression,
    alpha: Number,
    beta: Number,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_hardmax1(
    input: Expression,
    axes: Integers,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_identity(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_leaky_relu(
    input: Expression,
    alpha: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_linear(
    input: Expression,
    alpha: Number,
    beta: Number,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_log_softmax1(
    input: Expression,
    axes: Integers,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_parameterized_relu(
    input: Expression,
    slope: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_parametric_softplus(
    input: Expression,
    alpha: Number,
    beta: Number,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_relu(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_relu_grad(
    input: Expression,
    input_gradient: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_scaled_elu(
    input: Expression,
    alpha: Number | None = ...,
    gamma: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_scaled_tanh(
    input: Expression,
    alpha: Number | None = ...,
    beta: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_shrink(
    input: Expression,
    bias: Number | None = ...,
    threshold: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_sigmoid(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_softmax1(
    input: Expression,
    axes: Integers,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_softplus(
    input: Expression,
    steepness: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_softsign(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_swish(
    input: Expression,
    sigmoid_input_scale: Number,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_tanh(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def activation_thresholded_relu(
    input: Expression,
    alpha: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def adam_optimizer(
    input_parameters: Expression,
    input_first_moment: Expression,
    input_second_moment: Expression,
    gradient: Expression,
    training_step: Expression,
    learning_rate: Number,
    beta1: Number,
    beta2: Number,
    epsilon: Number,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> AdamOptimizerOutputs: ...
def add1(
    a: Expression,
    b: Expression,
    fused_activation: ActivationLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def argmax(
    input: Expression,
    axes: Integers,
    axis_direction: AxisDirectionLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def argmin(
    input: Expression,
    axes: Integers,
    axis_direction: AxisDirectionLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def asin(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def asinh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def atan(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def atan_yx(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def atanh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def average_pooling(
    input: Expression,
    window_size: Integers,
    include_padding: bool | Literal[0, 1],
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    dilations: Integers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def average_pooling1(
    input: Expression,
    window_size: Integers,
    include_padding: bool | Literal[0, 1],
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    dilations: Integers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def average_pooling_grad(
    input_gradient: Expression,
    window_size: Integers,
    include_padding: bool | Literal[0, 1],
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def batch_normalization(
    input: Expression,
    mean: Expression,
    variance: Expression,
    scale: Expression,
    bias: Expression,
    spatial: bool | Literal[0, 1],
    epsilon: Number,
    fused_activation: ActivationLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def batch_normalization_grad(
    input: Expression,
    input_gradient: Expression,
    mean: Expression,
    variance: Expression,
    scale: Expression,
    epsilon: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> BatchNormalizationGradOutputs: ...
def batch_normalization_training(
    input: Expression,
    scale: Expression,
    bias: Expression,
    epsilon: Number,
    fused_add: Expression | None = ...,
    fused_activation: ActivationLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> BatchNormalizationTrainingOutputs: ...
def batch_normalization_training_grad(
    input: Expression,
    input_gradient: Expression,
    mean: Expression,
    variance: Expression,
    scale: Expression,
    epsilon: Number,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> BatchNormalizationTrainingGradOutputs: ...
def bit_and(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def bit_count(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def bit_not(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def bit_or(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def bit_shift_left(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def bit_shift_right(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def bit_xor(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def ceil(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def clip1(
    input: Expression,
    min_max_data_type: DataTypeLike,
    min: Number | Mapping[str, Any] | str,
    max: Number | Mapping[str, Any] | str,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def clip_grad1(
    input: Expression,
    input_gradient: Expression,
    min_max_data_type: DataTypeLike,
    min: Number | Mapping[str, Any] | str,
    max: Number | Mapping[str, Any] | str,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def constant_pow(
    input: Expression,
    exponent: Number,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def convolution(
    input: Expression,
    filter: Expression,
    bias: Expression | None = ...,
    mode: ConvolutionModeLike | None = ...,
    direction: ConvolutionDirectionLike | None = ...,
    strides: Integers | None = ...,
    dilations: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    output_padding: Integers | None = ...,
    group_count: SupportsIndex | None = ...,
    fused_activation: ActivationLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def convolution_integer(
    input: Expression,
    filter: Expression,
    input_zero_point: Expression | None = ...,
    filter_zero_point: Expression | None = ...,
    strides: Integers | None = ...,
    dilations: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    group_count: SupportsIndex | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def cos(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def cosh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def cumulative_product(
    input: Expression,
    axis: SupportsIndex,
    axis_direction: AxisDirectionLike,
    has_exclusive_product: bool | Literal[0, 1],
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def cumulative_summation(
    input: Expression,
    axis: SupportsIndex,
    axis_direction: AxisDirectionLike,
    has_exclusive_sum: bool | Literal[0, 1],
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def depth_to_space(
    input: Expression,
    block_size: SupportsIndex,
    order: DepthSpaceOrderLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def depth_to_space1(
    input: Expression,
    block_size: SupportsIndex,
    order: DepthSpaceOrderLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def dequantize(
    input: Expression,
    quantization_type: QuantizationTypeLike,
    quantization_tensors: Sequence[Expression],
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def dequantize_linear(
    input: Expression,
    scale: Expression,
    zero_point: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def diagonal_matrix(
    graph: Graph,
    value: Number,
    offset: SupportsIndex | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def diagonal_matrix1(
    value_data_type: DataTypeLike,
    value: Number | Mapping[str, Any] | str,
    diagonal_fill_begin: SupportsIndex,
    diagonal_fill_end: SupportsIndex,
    input: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def difference_square(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def divide(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def dynamic_quantize_linear(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> DynamicQuantizeLinearOutputs: ...
def element_wise_abs(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_acos(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_acosh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_add(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_add1(
    a: Expression,
    b: Expression,
    fused_activation: ActivationLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_asin(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_asinh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_atan(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_atan_yx(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_atanh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_bit_and(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_bit_count(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_bit_not(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_bit_or(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_bit_shift_left(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_bit_shift_right(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_bit_xor(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_ceil(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_clip(
    input: Expression,
    min: Number,
    max: Number,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_clip1(
    input: Expression,
    min_max_data_type: DataTypeLike,
    min: Number | Mapping[str, Any] | str,
    max: Number | Mapping[str, Any] | str,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_clip_grad(
    input: Expression,
    input_gradient: Expression,
    min: Number,
    max: Number,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_clip_grad1(
    input: Expression,
    input_gradient: Expression,
    min_max_data_type: DataTypeLike,
    min: Number | Mapping[str, Any] | str,
    max: Number | Mapping[str, Any] | str,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_constant_pow(
    input: Expression,
    exponent: Number,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_cos(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_cosh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_dequantize_linear(
    input: Expression,
    scale: Expression,
    zero_point: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_difference_square(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_divide(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_erf(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_exp(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_floor(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_identity(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_if(
    condition: Expression,
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_is_infinity(
    input: Expression,
    infinity_mode: IsInfinityModeLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_is_nan(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_log(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_logical_and(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_logical_equals(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_logical_greater_than(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_logical_greater_than_or_equal(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_logical_less_than(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_logical_less_than_or_equal(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_logical_not(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_logical_or(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_logical_xor(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_max(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_mean(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_min(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_modulus_floor(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_modulus_truncate(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_multiply(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_negate(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_pow(
    input: Expression,
    exponent: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_quantize_linear(
    input: Expression,
    scale: Expression,
    zero_point: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_quantized_linear_add(
    a: Expression,
    a_scale: Expression,
    b: Expression,
    b_scale: Expression,
    output_scale: Expression,
    a_zero_point: Expression | None = ...,
    b_zero_point: Expression | None = ...,
    output_zero_point: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_recip(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_round(
    input: Expression,
    rounding_mode: RoundingModeLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_sign(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_sin(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_sinh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_sqrt(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_subtract(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_tan(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_tanh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def element_wise_threshold(
    input: Expression,
    min: Number,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def equals(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def erf(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def exp(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def floor(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def fold(
    input: Expression,
    window_sizes: Integers,
    strides: Integers | None = ...,
    dilations: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def gather(
    input: Expression,
    indices: Expression,
    axis: SupportsIndex,
    index_dimensions: SupportsIndex,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def gather_elements(
    input: Expression,
    indices: Expression,
    axis: SupportsIndex,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def gather_nd(
    input: Expression,
    indices: Expression,
    input_dimension_count: SupportsIndex,
    indices_dimension_count: SupportsIndex,
    batch_dimension_count: SupportsIndex,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def gather_nd1(
    input: Expression,
    indices: Expression,
    input_dimension_count: SupportsIndex,
    indices_dimension_count: SupportsIndex,
    batch_dimension_count: SupportsIndex,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def gemm(
    a: Expression,
    b: Expression,
    c: Expression | None = ...,
    trans_a: MatrixTransformLike | None = ...,
    trans_b: MatrixTransformLike | None = ...,
    alpha: Number | None = ...,
    beta: Number | None = ...,
    fused_activation: ActivationLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def greater_than(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def greater_than_or_equal(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def gru(
    input: Expression,
    weight: Expression,
    recurrence: Expression,
    activation_descs: Sequence[ActivationLike],
    direction: RecurrentNetworkDirectionLike,
    linear_before_reset: bool | Literal[0, 1],
    bias: Expression | None = ...,
    hidden_init: Expression | None = ...,
    sequence_lengths: Expression | None = ...,
    output_sequence: bool | TensorDesc = ...,
    output_single: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> GruOutputs: ...
def identity(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def if_(
    condition: Expression,
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def is_infinity(
    input: Expression,
    infinity_mode: IsInfinityModeLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def is_nan(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def join(
    input_tensors: Sequence[Expression],
    axis: SupportsIndex,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def less_than(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def less_than_or_equal(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def local_response_normalization(
    input: Expression,
    cross_channel: bool | Literal[0, 1],
    local_size: SupportsIndex,
    alpha: Number,
    beta: Number,
    bias: Number,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def local_response_normalization_grad(
    input: Expression,
    input_gradient: Expression,
    cross_channel: bool | Literal[0, 1],
    local_size: SupportsIndex,
    alpha: Number,
    beta: Number,
    bias: Number,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def log(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def logical_and(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def logical_equals(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def logical_greater_than(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def logical_greater_than_or_equal(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def logical_less_than(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def logical_less_than_or_equal(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def logical_not(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def logical_or(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def logical_xor(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def lp_normalization(
    input: Expression,
    axis: SupportsIndex,
    epsilon: Number,
    p: SupportsIndex,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def lp_pooling(
    input: Expression,
    window_size: Integers,
    p: SupportsIndex,
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    dilations: Integers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def lp_pooling1(
    input: Expression,
    window_size: Integers,
    p: SupportsIndex,
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    dilations: Integers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def lstm(
    input: Expression,
    weight: Expression,
    recurrence: Expression,
    activation_descs: Sequence[ActivationLike],
    direction: RecurrentNetworkDirectionLike,
    clip_threshold: Number,
    use_clip_threshold: bool | Literal[0, 1],
    couple_input_forget: bool | Literal[0, 1],
    bias: Expression | None = ...,
    hidden_init: Expression | None = ...,
    cell_mem_init: Expression | None = ...,
    sequence_lengths: Expression | None = ...,
    peephole: Expression | None = ...,
    output_sequence: bool | TensorDesc = ...,
    output_single: bool | TensorDesc = ...,
    output_cell_single: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> LstmOutputs: ...
def matrix_multiply_integer(
    a: Expression,
    b: Expression,
    a_zero_point: Expression | None = ...,
    b_zero_point: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def matrix_multiply_integer_to_float(
    a: Expression,
    a_scale: Expression,
    b: Expression,
    b_scale: Expression,
    a_zero_point: Expression | None = ...,
    b_zero_point: Expression | None = ...,
    bias: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def max(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def max_pooling(
    input: Expression,
    window_size: Integers,
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    dilations: Integers | None = ...,
    output_indices: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> MaxPooling2Outputs: ...
def max_pooling1(
    input: Expression,
    window_size: Integers,
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    output_indices: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> MaxPooling1Outputs: ...
def max_pooling2(
    input: Expression,
    window_size: Integers,
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    dilations: Integers | None = ...,
    output_indices: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> MaxPooling2Outputs: ...
def max_pooling_grad(
    input: Expression,
    input_gradient: Expression,
    window_size: Integers,
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    dilations: Integers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def max_unpooling(
    input: Expression,
    indices: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def mean(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def mean_variance_normalization1(
    input: Expression,
    axes: Integers,
    normalize_variance: bool | Literal[0, 1],
    epsilon: Number,
    scale: Expression | None = ...,
    bias: Expression | None = ...,
    fused_activation: ActivationLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def mean_variance_normalization2(
    input: Expression,
    axes: Integers,
    use_mean: bool | Literal[0, 1],
    use_variance: bool | Literal[0, 1],
    epsilon: Number,
    scale: Expression | None = ...,
    bias: Expression | None = ...,
    fused_activation: ActivationLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def min(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def modulus_floor(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def modulus_truncate(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def multihead_attention(
    scale: Number,
    mask_filter_value: Number,
    head_count: SupportsIndex,
    mask_type: MultiheadAttentionMaskTypeLike,
    query: Expression | None = ...,
    key: Expression | None = ...,
    value: Expression | None = ...,
    stacked_query_key: Expression | None = ...,
    stacked_key_value: Expression | None = ...,
    stacked_query_key_value: Expression | None = ...,
    bias: Expression | None = ...,
    mask: Expression | None = ...,
    relative_position_bias: Expression | None = ...,
    past_key: Expression | None = ...,
    past_value: Expression | None = ...,
    output_present_key: bool | TensorDesc = ...,
    output_present_value: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> MultiheadAttentionOutputs: ...
def multihead_attention1(
    scale: Number,
    mask_filter_value: Number,
    query_head_count: SupportsIndex,
    key_value_head_count: SupportsIndex,
    mask_type: MultiheadAttentionMaskTypeLike,
    query: Expression | None = ...,
    key: Expression | None = ...,
    value: Expression | None = ...,
    stacked_query_key: Expression | None = ...,
    stacked_key_value: Expression | None = ...,
    stacked_query_key_value: Expression | None = ...,
    bias: Expression | None = ...,
    mask: Expression | None = ...,
    relative_position_bias: Expression | None = ...,
    past_key: Expression | None = ...,
    past_value: Expression | None = ...,
    past_sequence_lengths: Expression | None = ...,
    output_present_key: bool | TensorDesc = ...,
    output_present_value: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> MultiheadAttention1Outputs: ...
def multiply(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def negate(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def nonzero_coordinates(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> NonzeroCoordinatesOutputs: ...
def padding1(
    input: Expression,
    padding_mode: PaddingModeLike,
    padding_value_data_type: DataTypeLike,
    padding_value: Number | Mapping[str, Any] | str,
    start_padding: Integers,
    end_padding: Integers,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def quantize(
    input: Expression,
    quantization_type: QuantizationTypeLike,
    quantization_tensors: Sequence[Expression],
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def quantize_linear(
    input: Expression,
    scale: Expression,
    zero_point: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def quantized_linear_add(
    a: Expression,
    a_scale: Expression,
    b: Expression,
    b_scale: Expression,
    output_scale: Expression,
    a_zero_point: Expression | None = ...,
    b_zero_point: Expression | None = ...,
    output_zero_point: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def quantized_linear_average_pooling(
    input: Expression,
    input_scale: Expression,
    output_scale: Expression,
    window_size: Integers,
    include_padding: bool | Literal[0, 1],
    input_zero_point: Expression | None = ...,
    output_zero_point: Expression | None = ...,
    strides: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    dilations: Integers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def quantized_linear_convolution(
    input: Expression,
    input_scale: Expression,
    filter: Expression,
    filter_scale: Expression,
    output_scale: Expression,
    input_zero_point: Expression | None = ...,
    filter_zero_point: Expression | None = ...,
    bias: Expression | None = ...,
    output_zero_point: Expression | None = ...,
    strides: Integers | None = ...,
    dilations: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    group_count: SupportsIndex | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def quantized_linear_matrix_multiply(
    a: Expression,
    a_scale: Expression,
    b: Expression,
    b_scale: Expression,
    output_scale: Expression,
    a_zero_point: Expression | None = ...,
    b_zero_point: Expression | None = ...,
    output_zero_point: Expression | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def random_generator(
    input_state: Expression,
    type: RandomGeneratorTypeLike | None = ...,
    output_state: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> RandomGeneratorOutputs: ...
def recip(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def resample1(
    input: Expression,
    interpolation_mode: InterpolationModeLike,
    scales: Numbers,
    input_pixel_offsets: Numbers | None = ...,
    output_pixel_offsets: Numbers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def resample2(
    input: Expression,
    interpolation_mode: InterpolationModeLike,
    scales: Numbers,
    rounding_direction: AxisDirectionLike | None = ...,
    input_pixel_offsets: Numbers | None = ...,
    output_pixel_offsets: Numbers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def resample3(
    input: Expression,
    interpolation_mode: InterpolationModeLike,
    scales: Numbers,
    rounding_direction: AxisDirectionLike | None = ...,
    input_pixel_offsets: Numbers | None = ...,
    output_pixel_offsets: Numbers | None = ...,
    antialiased: bool | Literal[0, 1] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def resample_grad(
    input_gradient: Expression,
    interpolation_mode: InterpolationModeLike,
    scales: Numbers,
    rounding_direction: AxisDirectionLike | None = ...,
    input_pixel_offsets: Numbers | None = ...,
    output_pixel_offsets: Numbers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def resample_grad1(
    input_gradient: Expression,
    interpolation_mode: InterpolationModeLike,
    scales: Numbers,
    rounding_direction: AxisDirectionLike | None = ...,
    input_pixel_offsets: Numbers | None = ...,
    output_pixel_offsets: Numbers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def reverse_subsequences(
    input: Expression,
    sequence_lengths: Expression,
    axis: SupportsIndex,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def rnn(
    input: Expression,
    weight: Expression,
    recurrence: Expression,
    activation_descs: Sequence[ActivationLike],
    direction: RecurrentNetworkDirectionLike,
    bias: Expression | None = ...,
    hidden_init: Expression | None = ...,
    sequence_lengths: Expression | None = ...,
    output_sequence: bool | TensorDesc = ...,
    output_single: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> RnnOutputs: ...
def roi_align(
    input: Expression,
    roi: Expression,
    batch_indices: Expression,
    reduction_function: ReduceFunctionLike,
    interpolation_mode: InterpolationModeLike,
    spatial_scale_x: Number,
    spatial_scale_y: Number,
    input_pixel_offset: Number,
    output_pixel_offset: Number,
    out_of_bounds_input_value: Number,
    minimum_samples_per_output: SupportsIndex,
    maximum_samples_per_output: SupportsIndex,
    align_regions_to_corners: bool | Literal[0, 1],
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def roi_align1(
    input: Expression,
    roi: Expression,
    batch_indices: Expression,
    reduction_function: ReduceFunctionLike,
    interpolation_mode: InterpolationModeLike,
    spatial_scale_x: Number,
    spatial_scale_y: Number,
    input_pixel_offset: Number,
    output_pixel_offset: Number,
    out_of_bounds_input_value: Number,
    minimum_samples_per_output: SupportsIndex,
    maximum_samples_per_output: SupportsIndex,
    align_regions_to_corners: bool | Literal[0, 1],
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def roi_align_grad(
    input_gradient: Expression,
    roi: Expression,
    batch_indices: Expression,
    reduction_function: ReduceFunctionLike,
    interpolation_mode: InterpolationModeLike,
    spatial_scale_x: Number,
    spatial_scale_y: Number,
    input_pixel_offset: Number,
    output_pixel_offset: Number,
    minimum_samples_per_output: SupportsIndex,
    maximum_samples_per_output: SupportsIndex,
    align_regions_to_corners: bool | Literal[0, 1],
    input: Expression | None = ...,
    output_gradient: bool | TensorDesc = ...,
    output_roi_gradient: bool | TensorDesc = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> RoiAlignGradOutputs: ...
def roi_pooling(
    input: Expression,
    roi: Expression,
    pooled_size: Sequence[SupportsIndex] | Mapping[str, int],
    spatial_scale: Number | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def round(
    input: Expression,
    rounding_mode: RoundingModeLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def scatter_elements(
    input: Expression,
    indices: Expression,
    updates: Expression,
    axis: SupportsIndex,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def scatter_nd(
    input: Expression,
    indices: Expression,
    updates: Expression,
    input_dimension_count: SupportsIndex,
    indices_dimension_count: SupportsIndex,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def sign(
    input: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def sin(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def sinh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def slice(
    input: Expression,
    input_window_offsets: Integers,
    input_window_sizes: Integers,
    input_window_strides: Integers,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def slice1(
    input: Expression,
    input_window_offsets: Integers,
    input_window_sizes: Integers,
    input_window_strides: Integers,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def slice_grad(
    input_gradient: Expression,
    input_window_offsets: Integers,
    input_window_sizes: Integers,
    input_window_strides: Integers,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def space_to_depth(
    input: Expression,
    block_size: SupportsIndex,
    order: DepthSpaceOrderLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def space_to_depth1(
    input: Expression,
    block_size: SupportsIndex,
    order: DepthSpaceOrderLike | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def sqrt(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def subtract(
    a: Expression,
    b: Expression,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def tan(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def tanh(
    input: Expression,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def threshold(
    input: Expression,
    min: Number,
    scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def tile(
    input: Expression,
    repeats: Integers,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def top_k(
    input: Expression,
    axis: SupportsIndex,
    k: SupportsIndex,
    axis_direction: AxisDirectionLike,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> TopK1Outputs: ...
def top_k1(
    input: Expression,
    axis: SupportsIndex,
    k: SupportsIndex,
    axis_direction: AxisDirectionLike,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> TopK1Outputs: ...
def unfold(
    input: Expression,
    window_sizes: Integers,
    strides: Integers | None = ...,
    dilations: Integers | None = ...,
    start_padding: Integers | None = ...,
    end_padding: Integers | None = ...,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def upsample_2d(
    input: Expression,
    scale_size: Sequence[SupportsIndex] | Mapping[str, int],
    interpolation_mode: InterpolationModeLike,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
def value_scale_2d(
    input: Expression,
    scale: Number,
    bias: Numbers,
    *,
    name: str | None = ...,
    output_sizes: Integers | None = ...,
    output_data_type: DataTypeLike | None = ...,
) -> Expression: ...
