# Written by scripts/stubs; change an operator where it is declared.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from anydml.core.datatype import DataType as DataType
from anydml.core.datatype import DataTypeLike
from anydml.core.enums import (
    AxisDirection as AxisDirection,
    BindingType as BindingType,
    ConvolutionDirection as ConvolutionDirection,
    ConvolutionMode as ConvolutionMode,
    DepthSpaceOrder as DepthSpaceOrder,
    InterpolationMode as InterpolationMode,
    IsInfinityMode as IsInfinityMode,
    MatrixTransform as MatrixTransform,
    MultiheadAttentionMaskType as MultiheadAttentionMaskType,
    PaddingMode as PaddingMode,
    QuantizationType as QuantizationType,
    RandomGeneratorType as RandomGeneratorType,
    RecurrentNetworkDirection as RecurrentNetworkDirection,
    ReduceFunction as ReduceFunction,
    RoundingMode as RoundingMode,
)
from anydml.core.policy import TensorPolicy
from anydml.core.schema import Operator
from anydml.core.tensor import TensorDesc

TensorLike: TypeAlias = TensorDesc | Mapping[str, Any]
OutputLike: TypeAlias = TensorDesc | Mapping[str, Any] | TensorPolicy | bool
Number: TypeAlias = float | np.floating[Any] | np.integer[Any] | Literal["nan", "inf", "-inf"]
Integers: TypeAlias = Sequence[SupportsIndex] | npt.NDArray[np.integer[Any]]
Numbers: TypeAlias = Sequence[Number] | npt.NDArray[np.floating[Any]] | npt.NDArray[np.integer[Any]]
ActivationLike: TypeAlias = Operator | type[Operator] | str | Mapping[str, Any]

AxisDirectionLike: TypeAlias = AxisDirection | int | Literal["INCREASING", "DML_AXIS_DIRECTION_INCREASING", "DECREASING", "DML_AXIS_DIRECTION_DECREASING"]
BindingTypeLike: TypeAlias = BindingType | int | Literal["NONE", "DML_BINDING_TYPE_NONE", "BUFFER", "DML_BINDING_TYPE_BUFFER", "BUFFER_ARRAY", "DML_BINDING_TYPE_BUFFER_ARRAY"]
ConvolutionDirectionLike: TypeAlias = ConvolutionDirection | int | Literal["FORWARD", "DML_CONVOLUTION_DIRECTION_FORWARD", "BACKWARD", "DML_CONVOLUTION_DIRECTION_BACKWARD"]
ConvolutionModeLike: TypeAlias = ConvolutionMode | int | Literal["CONVOLUTION", "DML_CONVOLUTION_MODE_CONVOLUTION", "CROSS_CORRELATION", "DML_CONVOLUTION_MODE_CROSS_CORRELATION"]
DepthSpaceOrderLike: TypeAlias = DepthSpaceOrder | int | Literal["DEPTH_COLUMN_ROW", "DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW", "COLUMN_ROW_DEPTH", "DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH"]
InterpolationModeLike: TypeAlias = InterpolationMode | int | Literal["NEAREST_NEIGHBOR", "DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR", "LINEAR", "DML_INTERPOLATION_MODE_LINEAR"]
IsInfinityModeLike: TypeAlias = IsInfinityMode | int | Literal["EITHER", "DML_IS_INFINITY_MODE_EITHER", "POSITIVE", "DML_IS_INFINITY_MODE_POSITIVE", "NEGATIVE", "DML_IS_INFINITY_MODE_NEGATIVE"]
MatrixTransformLike: TypeAlias = MatrixTransform | int | Literal["NONE", "DML_MATRIX_TRANSFORM_NONE", "TRANSPOSE", "DML_MATRIX_TRANSFORM_TRANSPOSE"]
MultiheadAttentionMaskTypeLike: TypeAlias = MultiheadAttentionMaskType | int | Literal["NONE", "DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE", "KEY_SEQUENCE_LENGTH", "DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_LENGTH", "KEY_SEQUENCE_END_START", "DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START", "KEY_QUERY_SEQUENCE_LENGTH_START_END", "DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_QUERY_SEQUENCE_LENGTH_START_END", "BOOLEAN", "DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN"]
PaddingModeLike: TypeAlias = PaddingMode | int | Literal["CONSTANT", "DML_PADDING_MODE_CONSTANT", "EDGE", "DML_PADDING_MODE_EDGE", "REFLECTION", "DML_PADDING_MODE_REFLECTION", "SYMMETRIC", "DML_PADDING_MODE_SYMMETRIC", "WRAP", "DML_PADDING_MODE_WRAP"]
QuantizationTypeLike: TypeAlias = QuantizationType | int | Literal["NONE", "DML_QUANTIZATION_TYPE_NONE", "SCALE", "DML_QUANTIZATION_TYPE_SCALE", "SCALE_ZERO_POINT", "DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT"]
RandomGeneratorTypeLike: TypeAlias = RandomGeneratorType | int | Literal["PHILOX_4X32_10", "DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10"]
RecurrentNetworkDirectionLike: TypeAlias = RecurrentNetworkDirection | int | Literal["FORWARD", "DML_RECURRENT_NETWORK_DIRECTION_FORWARD", "BACKWARD", "DML_RECURRENT_NETWORK_DIRECTION_BACKWARD", "BIDIRECTIONAL", "DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL"]
ReduceFunctionLike: TypeAlias = ReduceFunction | int | Literal["ARGMAX", "DML_REDUCE_FUNCTION_ARGMAX", "ARGMIN", "DML_REDUCE_FUNCTION_ARGMIN", "AVERAGE", "DML_REDUCE_FUNCTION_AVERAGE", "L1", "DML_REDUCE_FUNCTION_L1", "L2", "DML_REDUCE_FUNCTION_L2", "LOG_SUM", "DML_REDUCE_FUNCTION_LOG_SUM", "LOG_SUM_EXP", "DML_REDUCE_FUNCTION_LOG_SUM_EXP", "MAX", "DML_REDUCE_FUNCTION_MAX", "MIN", "DML_REDUCE_FUNCTION_MIN", "MULTIPLY", "DML_REDUCE_FUNCTION_MULTIPLY", "SUM", "DML_REDUCE_FUNCTION_SUM", "SUM_SQUARE", "DML_REDUCE_FUNCTION_SUM_SQUARE"]
RoundingModeLike: TypeAlias = RoundingMode | int | Literal["HALVES_TO_NEAREST_EVEN", "DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN", "TOWARD_ZERO", "DML_ROUNDING_MODE_TOWARD_ZERO", "TOWARD_INFINITY", "DML_ROUNDING_MODE_TOWARD_INFINITY"]

__all__ = [
    "ActivationCelu",
    "ActivationElu",
    "ActivationGelu",
    "ActivationHardSigmoid",
    "ActivationHardSwish",
    "ActivationHardmax",
    "ActivationHardmax1",
    "ActivationIdentity",
    "ActivationLeakyRelu",
    "ActivationLinear",
    "ActivationLogSoftmax",
    "ActivationLogSoftmax1",
    "ActivationParameterizedRelu",
    "ActivationParametricSoftplus",
    "ActivationRelu",
    "ActivationReluGrad",
    "ActivationScaledElu",
    "ActivationScaledTanh",
    "ActivationShrink",
    "ActivationSigmoid",
    "ActivationSoftmax",
    "ActivationSoftmax1",
    "ActivationSoftplus",
    "ActivationSoftsign",
    "ActivationSwish",
    "ActivationTanh",
    "ActivationThresholdedRelu",
    "AdamOptimizer",
    "Argmax",
    "Argmin",
    "AveragePooling",
    "AveragePooling1",
    "AveragePoolingGrad",
    "BatchNormalization",
    "BatchNormalizationGrad",
    "BatchNormalizationTraining",
    "BatchNormalizationTrainingGrad",
    "Cast",
    "Convolution",
    "ConvolutionInteger",
    "CumulativeProduct",
    "CumulativeSummation",
    "DepthToSpace",
    "DepthToSpace1",
    "Dequantize",
    "DiagonalMatrix",
    "DiagonalMatrix1",
    "DynamicQuantizeLinear",
    "ElementWiseAbs",
    "ElementWiseAcos",
    "ElementWiseAcosh",
    "ElementWiseAdd",
    "ElementWiseAdd1",
    "ElementWiseAsin",
    "ElementWiseAsinh",
    "ElementWiseAtan",
    "ElementWiseAtanYx",
    "ElementWiseAtanh",
    "ElementWiseBitAnd",
    "ElementWiseBitCount",
    "ElementWiseBitNot",
    "ElementWiseBitOr",
    "ElementWiseBitShiftLeft",
    "ElementWiseBitShiftRight",
    "ElementWiseBitXor",
    "ElementWiseCeil",
    "ElementWiseClip",
    "ElementWiseClip1",
    "ElementWiseClipGrad",
    "ElementWiseClipGrad1",
    "ElementWiseConstantPow",
    "ElementWiseCos",
    "ElementWiseCosh",
    "ElementWiseDequantizeLinear",
    "ElementWiseDifferenceSquare",
    "ElementWiseDivide",
    "ElementWiseErf",
    "ElementWiseExp",
    "ElementWiseFloor",
    "ElementWiseIdentity",
    "ElementWiseIf",
    "ElementWiseIsInfinity",
    "ElementWiseIsNan",
    "ElementWiseLog",
    "ElementWiseLogicalAnd",
    "ElementWiseLogicalEquals",
    "ElementWiseLogicalGreaterThan",
    "ElementWiseLogicalGreaterThanOrEqual",
    "ElementWiseLogicalLessThan",
    "ElementWiseLogicalLessThanOrEqual",
    "ElementWiseLogicalNot",
    "ElementWiseLogicalOr",
    "ElementWiseLogicalXor",
    "ElementWiseMax",
    "ElementWiseMean",
    "ElementWiseMin",
    "ElementWiseModulusFloor",
    "ElementWiseModulusTruncate",
    "ElementWiseMultiply",
    "ElementWiseNegate",
    "ElementWisePow",
    "ElementWiseQuantizeLinear",
    "ElementWiseQuantizedLinearAdd",
    "ElementWiseRecip",
    "ElementWiseRound",
    "ElementWiseSign",
    "ElementWiseSin",
    "ElementWiseSinh",
    "ElementWiseSqrt",
    "ElementWiseSubtract",
    "ElementWiseTan",
    "ElementWiseTanh",
    "ElementWiseThreshold",
    "FillValueConstant",
    "FillValueSequence",
    "Fold",
    "Gather",
    "GatherElements",
    "GatherNd",
    "GatherNd1",
    "Gemm",
    "Gru",
    "Join",
    "LocalResponseNormalization",
    "LocalResponseNormalizationGrad",
    "LpNormalization",
    "LpPooling",
    "LpPooling1",
    "Lstm",
    "MatrixMultiplyInteger",
    "MatrixMultiplyIntegerToFloat",
    "MaxPooling",
    "MaxPooling1",
    "MaxPooling2",
    "MaxPoolingGrad",
    "MaxUnpooling",
    "MeanVarianceNormalization",
    "MeanVarianceNormalization1",
    "MeanVarianceNormalization2",
    "MultiheadAttention",
    "MultiheadAttention1",
    "NonzeroCoordinates",
    "OneHot",
    "Padding",
    "Padding1",
    "Quantize",
    "QuantizedLinearAveragePooling",
    "QuantizedLinearConvolution",
    "QuantizedLinearMatrixMultiply",
    "RandomGenerator",
    "Reduce",
    "Resample",
    "Resample1",
    "Resample2",
    "Resample3",
    "ResampleGrad",
    "ResampleGrad1",
    "ReverseSubsequences",
    "Rnn",
    "RoiAlign",
    "RoiAlign1",
    "RoiAlignGrad",
    "RoiPooling",
    "Scatter",
    "ScatterElements",
    "ScatterNd",
    "Slice",
    "Slice1",
    "SliceGrad",
    "SpaceToDepth",
    "SpaceToDepth1",
    "Split",
    "Tile",
    "TopK",
    "TopK1",
    "Unfold",
    "Upsample2D",
    "ValueScale2D",
]

class ActivationCelu(Operator):
    """max(0, x) + min(0, alpha * (e^(x / alpha) - 1))."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number = 1.0,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
    ) -> ActivationCelu: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        alpha: Number = 1.0,
    ) -> ActivationCelu: ...

class ActivationElu(Operator):
    """x where x >= 0, else alpha * (e^x - 1)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number = 1.0,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
    ) -> ActivationElu: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        alpha: Number = 1.0,
    ) -> ActivationElu: ...

class ActivationGelu(Operator):
    """x times the standard normal distribution function of x: x / 2 * (1 + erf(x / sqrt(2)))."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationGelu: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
    ) -> ActivationGelu: ...

class ActivationHardSigmoid(Operator):
    """alpha * x + beta, clamped to 0 to 1."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number = 0.2,
        beta: Number = 0.5,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
        beta: Number | None = ...,
    ) -> ActivationHardSigmoid: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        alpha: Number = 0.2,
        beta: Number = 0.5,
    ) -> ActivationHardSigmoid: ...

class ActivationHardSwish(Operator):
    """x * (alpha * x + beta, clamped to 0 to 1)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number,
        beta: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
        beta: Number | None = ...,
    ) -> ActivationHardSwish: ...

class ActivationHardmax(Operator):
    """1 at the first largest element along the last dimension, 0 elsewhere."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationHardmax: ...

class ActivationHardmax1(Operator):
    """1 at the first largest element over some axes, 0 elsewhere."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axes(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axes: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axes: Integers | None = ...,
    ) -> ActivationHardmax1: ...

class ActivationIdentity(Operator):
    """x."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationIdentity: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
    ) -> ActivationIdentity: ...

class ActivationLeakyRelu(Operator):
    """x where x >= 0, else alpha * x."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number = 0.01,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
    ) -> ActivationLeakyRelu: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        alpha: Number = 0.01,
    ) -> ActivationLeakyRelu: ...

class ActivationLinear(Operator):
    """alpha * x + beta."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number,
        beta: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
        beta: Number | None = ...,
    ) -> ActivationLinear: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        alpha: Number,
        beta: Number,
    ) -> ActivationLinear: ...

class ActivationLogSoftmax(Operator):
    """The logarithm of SOFTMAX: x - ln(the sum of e^x along the last dimension)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationLogSoftmax: ...

class ActivationLogSoftmax1(Operator):
    """The logarithm of SOFTMAX1: x - ln(the sum of e^x over some axes)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axes(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axes: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axes: Integers | None = ...,
    ) -> ActivationLogSoftmax1: ...

class ActivationParameterizedRelu(Operator):
    """x where x >= 0, else slope * x, with a slope for each element."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def slope_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        slope_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        slope_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationParameterizedRelu: ...

class ActivationParametricSoftplus(Operator):
    """alpha * ln(1 + e^(beta * x))."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number,
        beta: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
        beta: Number | None = ...,
    ) -> ActivationParametricSoftplus: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        alpha: Number,
        beta: Number,
    ) -> ActivationParametricSoftplus: ...

class ActivationRelu(Operator):
    """max(0, x)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationRelu: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
    ) -> ActivationRelu: ...

class ActivationReluGrad(Operator):
    """The gradient where x > 0, else 0."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_gradient_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_gradient_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
    ) -> ActivationReluGrad: ...

class ActivationScaledElu(Operator):
    """gamma * x where x > 0, else gamma * alpha * (e^x - 1)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    @property
    def gamma(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number = 1.6732631921768188,
        gamma: Number = 1.0507010221481323,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
        gamma: Number | None = ...,
    ) -> ActivationScaledElu: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        alpha: Number = 1.6732631921768188,
        gamma: Number = 1.0507010221481323,
    ) -> ActivationScaledElu: ...

class ActivationScaledTanh(Operator):
    """alpha * tanh(beta * x)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number = 1.0,
        beta: Number = 0.5,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
        beta: Number | None = ...,
    ) -> ActivationScaledTanh: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        alpha: Number = 1.0,
        beta: Number = 0.5,
    ) -> ActivationScaledTanh: ...

class ActivationShrink(Operator):
    """x - bias above the threshold, x + bias below its negative, 0 between."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def bias(self) -> float: ...
    @property
    def threshold(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        bias: Number = 0.0,
        threshold: Number = 0.5,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        bias: Number | None = ...,
        threshold: Number | None = ...,
    ) -> ActivationShrink: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        bias: Number = 0.0,
        threshold: Number = 0.5,
    ) -> ActivationShrink: ...

class ActivationSigmoid(Operator):
    """1 / (1 + e^-x)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationSigmoid: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
    ) -> ActivationSigmoid: ...

class ActivationSoftmax(Operator):
    """e^x divided by the sum of e^x along the last dimension."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationSoftmax: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
    ) -> ActivationSoftmax: ...

class ActivationSoftmax1(Operator):
    """e^x divided by the sum of e^x over some axes."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axes(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axes: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axes: Integers | None = ...,
    ) -> ActivationSoftmax1: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        axes: Integers,
    ) -> ActivationSoftmax1: ...

class ActivationSoftplus(Operator):
    """ln(1 + e^(steepness * x)) / steepness."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def steepness(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        steepness: Number = 1.0,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        steepness: Number | None = ...,
    ) -> ActivationSoftplus: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        steepness: Number = 1.0,
    ) -> ActivationSoftplus: ...

class ActivationSoftsign(Operator):
    """x / (1 + |x|)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationSoftsign: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
    ) -> ActivationSoftsign: ...

class ActivationSwish(Operator):
    """x * sigmoid(scale * x)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def sigmoid_input_scale(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        sigmoid_input_scale: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        sigmoid_input_scale: Number | None = ...,
    ) -> ActivationSwish: ...

class ActivationTanh(Operator):
    """tanh(x)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ActivationTanh: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
    ) -> ActivationTanh: ...

class ActivationThresholdedRelu(Operator):
    """x where x > alpha, else 0."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def alpha(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        alpha: Number = 1.0,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        alpha: Number | None = ...,
    ) -> ActivationThresholdedRelu: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        alpha: Number = 1.0,
    ) -> ActivationThresholdedRelu: ...

class AdamOptimizer(Operator):
    """Moves parameters against their gradient, by running averages of the gradient and of its square. The training step counts from 1; at 0 the correction of the averages is 0 / 0, and all parameters become NaN."""

    @property
    def input_parameters_tensor(self) -> TensorDesc: ...
    @property
    def input_first_moment_tensor(self) -> TensorDesc: ...
    @property
    def input_second_moment_tensor(self) -> TensorDesc: ...
    @property
    def gradient_tensor(self) -> TensorDesc: ...
    @property
    def training_step_tensor(self) -> TensorDesc: ...
    @property
    def output_parameters_tensor(self) -> TensorDesc: ...
    @property
    def output_first_moment_tensor(self) -> TensorDesc: ...
    @property
    def output_second_moment_tensor(self) -> TensorDesc: ...
    @property
    def learning_rate(self) -> float: ...
    @property
    def beta1(self) -> float: ...
    @property
    def beta2(self) -> float: ...
    @property
    def epsilon(self) -> float: ...
    def __init__(
        self,
        *,
        input_parameters_tensor: TensorLike,
        input_first_moment_tensor: TensorLike,
        input_second_moment_tensor: TensorLike,
        gradient_tensor: TensorLike,
        training_step_tensor: TensorLike,
        output_parameters_tensor: OutputLike | None = None,
        output_first_moment_tensor: OutputLike | None = None,
        output_second_moment_tensor: OutputLike | None = None,
        learning_rate: Number,
        beta1: Number,
        beta2: Number,
        epsilon: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_parameters_tensor: TensorLike | None = ...,
        input_first_moment_tensor: TensorLike | None = ...,
        input_second_moment_tensor: TensorLike | None = ...,
        gradient_tensor: TensorLike | None = ...,
        training_step_tensor: TensorLike | None = ...,
        output_parameters_tensor: OutputLike | None = ...,
        output_first_moment_tensor: OutputLike | None = ...,
        output_second_moment_tensor: OutputLike | None = ...,
        learning_rate: Number | None = ...,
        beta1: Number | None = ...,
        beta2: Number | None = ...,
        epsilon: Number | None = ...,
    ) -> AdamOptimizer: ...

class Argmax(Operator):
    """The place of the largest element along some axes, as if they were one: the first of equal ones, or the last."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axes(self) -> tuple[int, ...]: ...
    @property
    def axis_direction(self) -> AxisDirection: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axes: Integers,
        axis_direction: AxisDirectionLike = 'INCREASING',
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axes: Integers | None = ...,
        axis_direction: AxisDirectionLike | None = ...,
    ) -> Argmax: ...

class Argmin(Operator):
    """The place of the smallest element along some axes, as if they were one: the first of equal ones, or the last."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axes(self) -> tuple[int, ...]: ...
    @property
    def axis_direction(self) -> AxisDirection: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axes: Integers,
        axis_direction: AxisDirectionLike = 'INCREASING',
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axes: Integers | None = ...,
        axis_direction: AxisDirectionLike | None = ...,
    ) -> Argmin: ...

class AveragePooling(Operator):
    """The mean of each window; padding counts as zeros, or not at all."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def include_padding(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        include_padding: bool | Literal[0, 1],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        include_padding: bool | Literal[0, 1] | None = ...,
    ) -> AveragePooling: ...

class AveragePooling1(Operator):
    """The mean of each dilated window; padding counts as zeros, or not at all."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    @property
    def include_padding(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        dilations: Integers = ...,
        include_padding: bool | Literal[0, 1],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        dilations: Integers | None = ...,
        include_padding: bool | Literal[0, 1] | None = ...,
    ) -> AveragePooling1: ...

class AveragePoolingGrad(Operator):
    """The gradient of AVERAGE_POOLING: each window hands its gradient to its elements in equal parts."""

    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def include_padding(self) -> bool: ...
    def __init__(
        self,
        *,
        input_gradient_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        include_padding: bool | Literal[0, 1],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_gradient_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        include_padding: bool | Literal[0, 1] | None = ...,
    ) -> AveragePoolingGrad: ...

class BatchNormalization(Operator):
    """activation(scale * (x - mean) / sqrt(variance + epsilon) + bias), with the given mean and variance."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def mean_tensor(self) -> TensorDesc: ...
    @property
    def variance_tensor(self) -> TensorDesc: ...
    @property
    def scale_tensor(self) -> TensorDesc: ...
    @property
    def bias_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def spatial(self) -> bool: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def fused_activation(self) -> Operator | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        mean_tensor: TensorLike,
        variance_tensor: TensorLike,
        scale_tensor: TensorLike,
        bias_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        spatial: bool | Literal[0, 1],
        epsilon: Number,
        fused_activation: ActivationLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        mean_tensor: TensorLike | None = ...,
        variance_tensor: TensorLike | None = ...,
        scale_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        spatial: bool | Literal[0, 1] | None = ...,
        epsilon: Number | None = ...,
        fused_activation: ActivationLike | None = ...,
    ) -> BatchNormalization: ...

class BatchNormalizationGrad(Operator):
    """The gradients of BATCH_NORMALIZATION by its input, scale and bias, for given mean and variance."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def mean_tensor(self) -> TensorDesc: ...
    @property
    def variance_tensor(self) -> TensorDesc: ...
    @property
    def scale_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_scale_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_bias_gradient_tensor(self) -> TensorDesc: ...
    @property
    def epsilon(self) -> float | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_gradient_tensor: TensorLike,
        mean_tensor: TensorLike,
        variance_tensor: TensorLike,
        scale_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        output_scale_gradient_tensor: OutputLike | None = None,
        output_bias_gradient_tensor: OutputLike | None = None,
        epsilon: Number | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_gradient_tensor: TensorLike | None = ...,
        mean_tensor: TensorLike | None = ...,
        variance_tensor: TensorLike | None = ...,
        scale_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        output_scale_gradient_tensor: OutputLike | None = ...,
        output_bias_gradient_tensor: OutputLike | None = ...,
        epsilon: Number | None = ...,
    ) -> BatchNormalizationGrad: ...

class BatchNormalizationTraining(Operator):
    """BATCH_NORMALIZATION with the batch's own mean and variance, which are outputs too. They are taken over the dimensions in which the scale has a size of 1; the variance divides by the number of elements. A tensor may be added before the activation."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def scale_tensor(self) -> TensorDesc: ...
    @property
    def bias_tensor(self) -> TensorDesc: ...
    @property
    def fused_add_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def output_mean_tensor(self) -> TensorDesc: ...
    @property
    def output_variance_tensor(self) -> TensorDesc: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def fused_activation(self) -> Operator | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        scale_tensor: TensorLike,
        bias_tensor: TensorLike,
        fused_add_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        output_mean_tensor: OutputLike | None = None,
        output_variance_tensor: OutputLike | None = None,
        epsilon: Number,
        fused_activation: ActivationLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        scale_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        fused_add_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        output_mean_tensor: OutputLike | None = ...,
        output_variance_tensor: OutputLike | None = ...,
        epsilon: Number | None = ...,
        fused_activation: ActivationLike | None = ...,
    ) -> BatchNormalizationTraining: ...

class BatchNormalizationTrainingGrad(Operator):
    """The gradients of BATCH_NORMALIZATION_TRAINING by its input, scale and bias. Mean and variance of the batch depend on the input, and the gradient by the input sees that."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def mean_tensor(self) -> TensorDesc: ...
    @property
    def variance_tensor(self) -> TensorDesc: ...
    @property
    def scale_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_scale_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_bias_gradient_tensor(self) -> TensorDesc: ...
    @property
    def epsilon(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_gradient_tensor: TensorLike,
        mean_tensor: TensorLike,
        variance_tensor: TensorLike,
        scale_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        output_scale_gradient_tensor: OutputLike | None = None,
        output_bias_gradient_tensor: OutputLike | None = None,
        epsilon: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_gradient_tensor: TensorLike | None = ...,
        mean_tensor: TensorLike | None = ...,
        variance_tensor: TensorLike | None = ...,
        scale_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        output_scale_gradient_tensor: OutputLike | None = ...,
        output_bias_gradient_tensor: OutputLike | None = ...,
        epsilon: Number | None = ...,
    ) -> BatchNormalizationTrainingGrad: ...

class Cast(Operator):
    """Converts each element to the output's data type."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> Cast: ...

class Convolution(Operator):
    """Slides a filter over the input (FORWARD), or spreads the input through it (BACKWARD). FORWARD: y[o] = activation(bias + the sum over channels and k of x[o * stride + k * dilation - padding] * w[k]). BACKWARD adds x[i] * w[k] to y[i * stride + k * dilation - padding] instead. CONVOLUTION mirrors the filter."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def filter_tensor(self) -> TensorDesc: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def mode(self) -> ConvolutionMode: ...
    @property
    def direction(self) -> ConvolutionDirection: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def output_padding(self) -> tuple[int, ...]: ...
    @property
    def group_count(self) -> int: ...
    @property
    def fused_activation(self) -> Operator | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        filter_tensor: TensorLike,
        bias_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        mode: ConvolutionModeLike = 'CROSS_CORRELATION',
        direction: ConvolutionDirectionLike = 'FORWARD',
        strides: Integers = ...,
        dilations: Integers = ...,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        output_padding: Integers = ...,
        group_count: SupportsIndex = 1,
        fused_activation: ActivationLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        filter_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        mode: ConvolutionModeLike | None = ...,
        direction: ConvolutionDirectionLike | None = ...,
        strides: Integers | None = ...,
        dilations: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        output_padding: Integers | None = ...,
        group_count: SupportsIndex | None = ...,
        fused_activation: ActivationLike | None = ...,
    ) -> Convolution: ...

class ConvolutionInteger(Operator):
    """A convolution after both zero points are subtracted, as INT32; sums that are too large keep their low bits."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def filter_tensor(self) -> TensorDesc: ...
    @property
    def filter_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def group_count(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_zero_point_tensor: TensorLike | None = None,
        filter_tensor: TensorLike,
        filter_zero_point_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        strides: Integers = ...,
        dilations: Integers = ...,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        group_count: SupportsIndex = 1,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_zero_point_tensor: TensorLike | None = ...,
        filter_tensor: TensorLike | None = ...,
        filter_zero_point_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        dilations: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        group_count: SupportsIndex | None = ...,
    ) -> ConvolutionInteger: ...

class CumulativeProduct(Operator):
    """The running product along an axis, from either end, with or without the current element."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    @property
    def axis_direction(self) -> AxisDirection: ...
    @property
    def has_exclusive_product(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axis: SupportsIndex,
        axis_direction: AxisDirectionLike,
        has_exclusive_product: bool | Literal[0, 1],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
        axis_direction: AxisDirectionLike | None = ...,
        has_exclusive_product: bool | Literal[0, 1] | None = ...,
    ) -> CumulativeProduct: ...

class CumulativeSummation(Operator):
    """The running sum along an axis, from either end, with or without the current element."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    @property
    def axis_direction(self) -> AxisDirection: ...
    @property
    def has_exclusive_sum(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axis: SupportsIndex,
        axis_direction: AxisDirectionLike,
        has_exclusive_sum: bool | Literal[0, 1],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
        axis_direction: AxisDirectionLike | None = ...,
        has_exclusive_sum: bool | Literal[0, 1] | None = ...,
    ) -> CumulativeSummation: ...

class DepthToSpace(Operator):
    """Spreads groups of channels over blocks of pixels, blocks outermost in the depth. y[c, h * block + i, w * block + j] = x[(i * block + j) * channels + c, h, w]."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def block_size(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        block_size: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        block_size: SupportsIndex | None = ...,
    ) -> DepthToSpace: ...

class DepthToSpace1(Operator):
    """DEPTH_TO_SPACE with a choice of how blocks lie in the depth."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def block_size(self) -> int: ...
    @property
    def order(self) -> DepthSpaceOrder: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        block_size: SupportsIndex,
        order: DepthSpaceOrderLike = 'DEPTH_COLUMN_ROW',
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        block_size: SupportsIndex | None = ...,
        order: DepthSpaceOrderLike | None = ...,
    ) -> DepthToSpace1: ...

class Dequantize(Operator):
    """(x - zero point) * scale, with a scale and a zero point for each block. A block's size is the input's size divided by the scale's. Unsigned inputs without a zero point have it in the middle of their range."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def quantization_type(self) -> QuantizationType: ...
    @property
    def quantization_tensors(self) -> tuple[TensorDesc, ...]: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        quantization_type: QuantizationTypeLike,
        quantization_tensors: Sequence[TensorLike],
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        quantization_type: QuantizationTypeLike | None = ...,
        quantization_tensors: Sequence[TensorLike] | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> Dequantize: ...

class DiagonalMatrix(Operator):
    """Matrices with one value along a diagonal and 0 elsewhere."""

    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def offset(self) -> int: ...
    @property
    def value(self) -> float: ...
    def __init__(
        self,
        *,
        output_tensor: OutputLike | None = None,
        offset: SupportsIndex = 0,
        value: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        output_tensor: OutputLike | None = ...,
        offset: SupportsIndex | None = ...,
        value: Number | None = ...,
    ) -> DiagonalMatrix: ...

class DiagonalMatrix1(Operator):
    """Fills a band of diagonals, or all but a band that ends before it begins; the rest is the input's, or 0."""

    @property
    def input_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def value_data_type(self) -> DataType: ...
    @property
    def value(self) -> int | float: ...
    @property
    def diagonal_fill_begin(self) -> int: ...
    @property
    def diagonal_fill_end(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        value_data_type: DataTypeLike,
        value: Number | Mapping[str, Any] | str,
        diagonal_fill_begin: SupportsIndex,
        diagonal_fill_end: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        value_data_type: DataTypeLike | None = ...,
        value: Number | Mapping[str, Any] | str | None = ...,
        diagonal_fill_begin: SupportsIndex | None = ...,
        diagonal_fill_end: SupportsIndex | None = ...,
    ) -> DiagonalMatrix1: ...

class DynamicQuantizeLinear(Operator):
    """Quantizes by the scale and zero point that fit the range of the input, 0 included, and outputs both."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def output_scale_tensor(self) -> TensorDesc: ...
    @property
    def output_zero_point_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        output_scale_tensor: OutputLike | None = None,
        output_zero_point_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        output_scale_tensor: OutputLike | None = ...,
        output_zero_point_tensor: OutputLike | None = ...,
    ) -> DynamicQuantizeLinear: ...

class ElementWiseAbs(Operator):
    """The magnitude of x; the lowest integer, which has no positive counterpart, stays itself."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseAbs: ...

class ElementWiseAcos(Operator):
    """The angle from 0 to pi whose cosine is x; NaN outside -1 to 1."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseAcos: ...

class ElementWiseAcosh(Operator):
    """The number from 0 on whose hyperbolic cosine is x; NaN below 1."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseAcosh: ...

class ElementWiseAdd(Operator):
    """a + b; integers keep their low bits."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseAdd: ...

class ElementWiseAdd1(Operator):
    """a + b, then an activation."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def fused_activation(self) -> Operator | None: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        fused_activation: ActivationLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        fused_activation: ActivationLike | None = ...,
    ) -> ElementWiseAdd1: ...

class ElementWiseAsin(Operator):
    """The angle from -pi/2 to pi/2 whose sine is x; NaN outside -1 to 1."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseAsin: ...

class ElementWiseAsinh(Operator):
    """The number whose hyperbolic sine is x."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseAsinh: ...

class ElementWiseAtan(Operator):
    """The angle from -pi/2 to pi/2 whose tangent is x."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseAtan: ...

class ElementWiseAtanYx(Operator):
    """The angle from -pi to pi of the point with ordinate a and abscissa b."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseAtanYx: ...

class ElementWiseAtanh(Operator):
    """The number whose hyperbolic tangent is x; NaN outside -1 to 1."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseAtanh: ...

class ElementWiseBitAnd(Operator):
    """The bits that are 1 in both a and b."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseBitAnd: ...

class ElementWiseBitCount(Operator):
    """The number of bits that are 1."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseBitCount: ...

class ElementWiseBitNot(Operator):
    """Every bit inverted."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseBitNot: ...

class ElementWiseBitOr(Operator):
    """The bits that are 1 in a or b."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseBitOr: ...

class ElementWiseBitShiftLeft(Operator):
    """The bits of a, b places higher; 0 where b is the width of the type or more."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseBitShiftLeft: ...

class ElementWiseBitShiftRight(Operator):
    """The bits of a, b places lower; 0 where b is the width of the type or more."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseBitShiftRight: ...

class ElementWiseBitXor(Operator):
    """The bits that differ between a and b."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseBitXor: ...

class ElementWiseCeil(Operator):
    """The lowest whole number that is not below x."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseCeil: ...

class ElementWiseClip(Operator):
    """Clamps each element to a minimum and a maximum; NaN stays NaN."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    @property
    def min(self) -> float: ...
    @property
    def max(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
        min: Number,
        max: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
        min: Number | None = ...,
        max: Number | None = ...,
    ) -> ElementWiseClip: ...
    @classmethod
    def fused(  # type: ignore[override]
        cls,
        *,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
        min: Number,
        max: Number,
    ) -> ElementWiseClip: ...

class ElementWiseClip1(Operator):
    """CLIP with limits of the tensor's own data type."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    @property
    def min_max_data_type(self) -> DataType: ...
    @property
    def min(self) -> int | float: ...
    @property
    def max(self) -> int | float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
        min_max_data_type: DataTypeLike,
        min: Number | Mapping[str, Any] | str,
        max: Number | Mapping[str, Any] | str,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
        min_max_data_type: DataTypeLike | None = ...,
        min: Number | Mapping[str, Any] | str | None = ...,
        max: Number | Mapping[str, Any] | str | None = ...,
    ) -> ElementWiseClip1: ...

class ElementWiseClipGrad(Operator):
    """The gradient where min < x < max, else 0."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def min(self) -> float: ...
    @property
    def max(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_gradient_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        min: Number,
        max: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_gradient_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        min: Number | None = ...,
        max: Number | None = ...,
    ) -> ElementWiseClipGrad: ...

class ElementWiseClipGrad1(Operator):
    """CLIP_GRAD with limits of the tensor's own data type."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def min_max_data_type(self) -> DataType: ...
    @property
    def min(self) -> int | float: ...
    @property
    def max(self) -> int | float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_gradient_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        min_max_data_type: DataTypeLike,
        min: Number | Mapping[str, Any] | str,
        max: Number | Mapping[str, Any] | str,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_gradient_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        min_max_data_type: DataTypeLike | None = ...,
        min: Number | Mapping[str, Any] | str | None = ...,
        max: Number | Mapping[str, Any] | str | None = ...,
    ) -> ElementWiseClipGrad1: ...

class ElementWiseConstantPow(Operator):
    """x to the power of one exponent; NaN for a fractional power of a negative number."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    @property
    def exponent(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
        exponent: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
        exponent: Number | None = ...,
    ) -> ElementWiseConstantPow: ...

class ElementWiseCos(Operator):
    """cos(x)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseCos: ...

class ElementWiseCosh(Operator):
    """cosh(x) = (e^x + e^-x) / 2."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseCosh: ...

class ElementWiseDequantizeLinear(Operator):
    """(x - zero point) * scale; the difference is exact."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def scale_tensor(self) -> TensorDesc: ...
    @property
    def zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        scale_tensor: TensorLike,
        zero_point_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        scale_tensor: TensorLike | None = ...,
        zero_point_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseDequantizeLinear: ...

class ElementWiseDifferenceSquare(Operator):
    """(a - b) squared; integers keep their low bits."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseDifferenceSquare: ...

class ElementWiseDivide(Operator):
    """a / b; of integers the quotient is cut off toward zero, and it is 0 for a divisor of 0."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseDivide: ...

class ElementWiseErf(Operator):
    """The error function of x: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseErf: ...

class ElementWiseExp(Operator):
    """e to the power x."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseExp: ...

class ElementWiseFloor(Operator):
    """The highest whole number that is not above x."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseFloor: ...

class ElementWiseIdentity(Operator):
    """Copies each element, scaled and biased if asked; with other strides it changes the layout."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseIdentity: ...

class ElementWiseIf(Operator):
    """a where the condition is not 0, else b; elements keep their bits."""

    @property
    def condition_tensor(self) -> TensorDesc: ...
    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        condition_tensor: TensorLike,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        condition_tensor: TensorLike | None = ...,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseIf: ...

class ElementWiseIsInfinity(Operator):
    """1 where x is infinite, of one sign or of either, else 0."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def infinity_mode(self) -> IsInfinityMode: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        infinity_mode: IsInfinityModeLike = 'EITHER',
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        infinity_mode: IsInfinityModeLike | None = ...,
    ) -> ElementWiseIsInfinity: ...

class ElementWiseIsNan(Operator):
    """1 where x is NaN, else 0."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseIsNan: ...

class ElementWiseLog(Operator):
    """The natural logarithm of x: minus infinity for 0, NaN below it."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseLog: ...

class ElementWiseLogicalAnd(Operator):
    """1 where neither a nor b is 0, else 0."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseLogicalAnd: ...

class ElementWiseLogicalEquals(Operator):
    """1 where a equals b, else 0."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseLogicalEquals: ...

class ElementWiseLogicalGreaterThan(Operator):
    """1 where a > b, else 0."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseLogicalGreaterThan: ...

class ElementWiseLogicalGreaterThanOrEqual(Operator):
    """1 where a >= b, else 0."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseLogicalGreaterThanOrEqual: ...

class ElementWiseLogicalLessThan(Operator):
    """1 where a < b, else 0."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseLogicalLessThan: ...

class ElementWiseLogicalLessThanOrEqual(Operator):
    """1 where a <= b, else 0."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseLogicalLessThanOrEqual: ...

class ElementWiseLogicalNot(Operator):
    """1 where x is 0, else 0."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseLogicalNot: ...

class ElementWiseLogicalOr(Operator):
    """1 where a or b is not 0, else 0."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseLogicalOr: ...

class ElementWiseLogicalXor(Operator):
    """1 where exactly one of a and b is 0, else 0."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseLogicalXor: ...

class ElementWiseMax(Operator):
    """The larger of a and b; NaN if one of them is NaN."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseMax: ...

class ElementWiseMean(Operator):
    """(a + b) / 2, also where the sum would overflow; of integers cut off toward zero."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseMean: ...

class ElementWiseMin(Operator):
    """The smaller of a and b; NaN if one of them is NaN."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseMin: ...

class ElementWiseModulusFloor(Operator):
    """The remainder of a divided by b, with the sign of b, as Python's %."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseModulusFloor: ...

class ElementWiseModulusTruncate(Operator):
    """The remainder of a divided by b, with the sign of a, as C's fmod."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseModulusTruncate: ...

class ElementWiseMultiply(Operator):
    """a * b; integers keep their low bits."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseMultiply: ...

class ElementWiseNegate(Operator):
    """-x; 0 becomes -0, and the lowest integer stays itself."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseNegate: ...

class ElementWisePow(Operator):
    """x to the power of an exponent: NaN for a fractional power of a negative number; exact for two integers."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def exponent_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        exponent_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        exponent_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWisePow: ...

class ElementWiseQuantizeLinear(Operator):
    """round(x / scale) + zero point, clamped to the output's range; halves round to even."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def scale_tensor(self) -> TensorDesc: ...
    @property
    def zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        scale_tensor: TensorLike,
        zero_point_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        scale_tensor: TensorLike | None = ...,
        zero_point_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseQuantizeLinear: ...

class ElementWiseQuantizedLinearAdd(Operator):
    """The sum of two quantized tensors, quantized again; each tensor has one scale and one zero point."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def a_scale_tensor(self) -> TensorDesc: ...
    @property
    def a_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def b_scale_tensor(self) -> TensorDesc: ...
    @property
    def b_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_scale_tensor(self) -> TensorDesc: ...
    @property
    def output_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        a_scale_tensor: TensorLike,
        a_zero_point_tensor: TensorLike | None = None,
        b_tensor: TensorLike,
        b_scale_tensor: TensorLike,
        b_zero_point_tensor: TensorLike | None = None,
        output_scale_tensor: TensorLike,
        output_zero_point_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        a_scale_tensor: TensorLike | None = ...,
        a_zero_point_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        b_scale_tensor: TensorLike | None = ...,
        b_zero_point_tensor: TensorLike | None = ...,
        output_scale_tensor: TensorLike | None = ...,
        output_zero_point_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseQuantizedLinearAdd: ...

class ElementWiseRecip(Operator):
    """1 / x."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseRecip: ...

class ElementWiseRound(Operator):
    """The nearest whole number, halves to even or away from zero (TOWARD_INFINITY), or the next one toward zero."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def rounding_mode(self) -> RoundingMode: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        rounding_mode: RoundingModeLike = 'HALVES_TO_NEAREST_EVEN',
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        rounding_mode: RoundingModeLike | None = ...,
    ) -> ElementWiseRound: ...

class ElementWiseSign(Operator):
    """1 where x > 0, -1 where x < 0, else 0, also for NaN."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseSign: ...

class ElementWiseSin(Operator):
    """sin(x)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseSin: ...

class ElementWiseSinh(Operator):
    """sinh(x) = (e^x - e^-x) / 2."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseSinh: ...

class ElementWiseSqrt(Operator):
    """The square root of x; NaN below 0."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseSqrt: ...

class ElementWiseSubtract(Operator):
    """a - b; integers keep their low bits."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> ElementWiseSubtract: ...

class ElementWiseTan(Operator):
    """tan(x)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseTan: ...

class ElementWiseTanh(Operator):
    """tanh(x) = sinh(x) / cosh(x)."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
    ) -> ElementWiseTanh: ...

class ElementWiseThreshold(Operator):
    """The larger of x and a minimum; NaN stays NaN."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_bias(self) -> tuple[float, float] | None: ...
    @property
    def min(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = None,
        min: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_bias: Sequence[Number] | Mapping[str, float] | None = ...,
        min: Number | None = ...,
    ) -> ElementWiseThreshold: ...

class FillValueConstant(Operator):
    """Writes one value to every element."""

    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def value_data_type(self) -> DataType: ...
    @property
    def value(self) -> int | float: ...
    def __init__(
        self,
        *,
        output_tensor: OutputLike | None = None,
        value_data_type: DataTypeLike,
        value: Number | Mapping[str, Any] | str,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        output_tensor: OutputLike | None = ...,
        value_data_type: DataTypeLike | None = ...,
        value: Number | Mapping[str, Any] | str | None = ...,
    ) -> FillValueConstant: ...

class FillValueSequence(Operator):
    """Counts from a start in equal steps, the last dimension fastest; integers wrap."""

    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def value_data_type(self) -> DataType: ...
    @property
    def value_start(self) -> int | float: ...
    @property
    def value_delta(self) -> int | float: ...
    def __init__(
        self,
        *,
        output_tensor: OutputLike | None = None,
        value_data_type: DataTypeLike,
        value_start: Number | Mapping[str, Any] | str,
        value_delta: Number | Mapping[str, Any] | str,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        output_tensor: OutputLike | None = ...,
        value_data_type: DataTypeLike | None = ...,
        value_start: Number | Mapping[str, Any] | str | None = ...,
        value_delta: Number | Mapping[str, Any] | str | None = ...,
    ) -> FillValueSequence: ...

class Fold(Operator):
    """Puts columns back where UNFOLD took them from; where windows overlap, their elements add up."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def window_sizes(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        window_sizes: Integers,
        strides: Integers = ...,
        dilations: Integers = ...,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        window_sizes: Integers | None = ...,
        strides: Integers | None = ...,
        dilations: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
    ) -> Fold: ...

class Gather(Operator):
    """Takes slices of the input along an axis, in the order that the indices say: y[i] = x[indices[i]]. Negative indices count from the end; those outside take the nearest slice."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def indices_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    @property
    def index_dimensions(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        indices_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axis: SupportsIndex,
        index_dimensions: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        indices_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
        index_dimensions: SupportsIndex | None = ...,
    ) -> Gather: ...

class GatherElements(Operator):
    """Takes one element of the input for each index; but for the axis, it stands where the index stands."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def indices_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        indices_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axis: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        indices_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
    ) -> GatherElements: ...

class GatherNd(Operator):
    """Takes one slice of the input for each tuple of indices."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def indices_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def input_dimension_count(self) -> int: ...
    @property
    def indices_dimension_count(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        indices_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        input_dimension_count: SupportsIndex,
        indices_dimension_count: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        indices_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        input_dimension_count: SupportsIndex | None = ...,
        indices_dimension_count: SupportsIndex | None = ...,
    ) -> GatherNd: ...

class GatherNd1(Operator):
    """Takes one slice of the input for each tuple of indices; the first dimensions of both may be a common batch."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def indices_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def input_dimension_count(self) -> int: ...
    @property
    def indices_dimension_count(self) -> int: ...
    @property
    def batch_dimension_count(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        indices_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        input_dimension_count: SupportsIndex,
        indices_dimension_count: SupportsIndex,
        batch_dimension_count: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        indices_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        input_dimension_count: SupportsIndex | None = ...,
        indices_dimension_count: SupportsIndex | None = ...,
        batch_dimension_count: SupportsIndex | None = ...,
    ) -> GatherNd1: ...

class Gemm(Operator):
    """activation(alpha * A x B + beta * C), for each leading index."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def c_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def trans_a(self) -> MatrixTransform: ...
    @property
    def trans_b(self) -> MatrixTransform: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    @property
    def fused_activation(self) -> Operator | None: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        b_tensor: TensorLike,
        c_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        trans_a: MatrixTransformLike = 'NONE',
        trans_b: MatrixTransformLike = 'NONE',
        alpha: Number = 1.0,
        beta: Number = 1.0,
        fused_activation: ActivationLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        c_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        trans_a: MatrixTransformLike | None = ...,
        trans_b: MatrixTransformLike | None = ...,
        alpha: Number | None = ...,
        beta: Number | None = ...,
        fused_activation: ActivationLike | None = ...,
    ) -> Gemm: ...

class Gru(Operator):
    """A network with an update gate z and a reset gate r, along a sequence: H[t] = (1 - z) h + z H[t-1]. Gates apply the first activation. The candidates h apply the second, to the input and to what r lets through of H[t-1], before the recurrence's weights or, with LinearBeforeReset, after them."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def weight_tensor(self) -> TensorDesc: ...
    @property
    def recurrence_tensor(self) -> TensorDesc: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def hidden_init_tensor(self) -> TensorDesc | None: ...
    @property
    def sequence_lengths_tensor(self) -> TensorDesc | None: ...
    @property
    def output_sequence_tensor(self) -> TensorDesc | None: ...
    @property
    def output_single_tensor(self) -> TensorDesc | None: ...
    @property
    def activation_descs(self) -> tuple[Operator, ...]: ...
    @property
    def direction(self) -> RecurrentNetworkDirection: ...
    @property
    def linear_before_reset(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        weight_tensor: TensorLike,
        recurrence_tensor: TensorLike,
        bias_tensor: TensorLike | None = None,
        hidden_init_tensor: TensorLike | None = None,
        sequence_lengths_tensor: TensorLike | None = None,
        output_sequence_tensor: OutputLike | None = None,
        output_single_tensor: OutputLike | None = None,
        activation_descs: Sequence[ActivationLike],
        direction: RecurrentNetworkDirectionLike,
        linear_before_reset: bool | Literal[0, 1],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        weight_tensor: TensorLike | None = ...,
        recurrence_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        hidden_init_tensor: TensorLike | None = ...,
        sequence_lengths_tensor: TensorLike | None = ...,
        output_sequence_tensor: OutputLike | None = ...,
        output_single_tensor: OutputLike | None = ...,
        activation_descs: Sequence[ActivationLike] | None = ...,
        direction: RecurrentNetworkDirectionLike | None = ...,
        linear_before_reset: bool | Literal[0, 1] | None = ...,
    ) -> Gru: ...

class Join(Operator):
    """Puts tensors one after another along an axis."""

    @property
    def input_tensors(self) -> tuple[TensorDesc, ...]: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensors: Sequence[TensorLike],
        output_tensor: OutputLike | None = None,
        axis: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensors: Sequence[TensorLike] | None = ...,
        output_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
    ) -> Join: ...

class LocalResponseNormalization(Operator):
    """x / (bias + alpha / size * (sum of squares around x))^beta; the sum is over channels, or height and width."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def cross_channel(self) -> bool: ...
    @property
    def local_size(self) -> int: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    @property
    def bias(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        cross_channel: bool | Literal[0, 1],
        local_size: SupportsIndex,
        alpha: Number,
        beta: Number,
        bias: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        cross_channel: bool | Literal[0, 1] | None = ...,
        local_size: SupportsIndex | None = ...,
        alpha: Number | None = ...,
        beta: Number | None = ...,
        bias: Number | None = ...,
    ) -> LocalResponseNormalization: ...

class LocalResponseNormalizationGrad(Operator):
    """The gradient of LOCAL_RESPONSE_NORMALIZATION by its input."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def cross_channel(self) -> bool: ...
    @property
    def local_size(self) -> int: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...
    @property
    def bias(self) -> float: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_gradient_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        cross_channel: bool | Literal[0, 1],
        local_size: SupportsIndex,
        alpha: Number,
        beta: Number,
        bias: Number,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_gradient_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        cross_channel: bool | Literal[0, 1] | None = ...,
        local_size: SupportsIndex | None = ...,
        alpha: Number | None = ...,
        beta: Number | None = ...,
        bias: Number | None = ...,
    ) -> LocalResponseNormalizationGrad: ...

class LpNormalization(Operator):
    """x divided by the L1 or L2 norm along an axis, but by no less than epsilon."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def p(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axis: SupportsIndex,
        epsilon: Number,
        p: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
        epsilon: Number | None = ...,
        p: SupportsIndex | None = ...,
    ) -> LpNormalization: ...

class LpPooling(Operator):
    """The Lp norm of each window: the P-th root of the sum of the P-th powers of magnitudes."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def p(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        p: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        p: SupportsIndex | None = ...,
    ) -> LpPooling: ...

class LpPooling1(Operator):
    """The Lp norm of each dilated window: the P-th root of the sum of the P-th powers of magnitudes."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    @property
    def p(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        dilations: Integers = ...,
        p: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        dilations: Integers | None = ...,
        p: SupportsIndex | None = ...,
    ) -> LpPooling1: ...

class Lstm(Operator):
    """A network with a memory cell behind an input, an output and a forget gate, along a sequence. With gates i, o, f and candidates c: C[t] = f C[t-1] + i c, and H[t] = o h(C[t]). Gates apply the first activation, candidates the second; peepholes let i and f see C[t-1], and o see C[t]."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def weight_tensor(self) -> TensorDesc: ...
    @property
    def recurrence_tensor(self) -> TensorDesc: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def hidden_init_tensor(self) -> TensorDesc | None: ...
    @property
    def cell_mem_init_tensor(self) -> TensorDesc | None: ...
    @property
    def sequence_lengths_tensor(self) -> TensorDesc | None: ...
    @property
    def peephole_tensor(self) -> TensorDesc | None: ...
    @property
    def output_sequence_tensor(self) -> TensorDesc | None: ...
    @property
    def output_single_tensor(self) -> TensorDesc | None: ...
    @property
    def output_cell_single_tensor(self) -> TensorDesc | None: ...
    @property
    def activation_descs(self) -> tuple[Operator, ...]: ...
    @property
    def direction(self) -> RecurrentNetworkDirection: ...
    @property
    def clip_threshold(self) -> float: ...
    @property
    def use_clip_threshold(self) -> bool: ...
    @property
    def couple_input_forget(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        weight_tensor: TensorLike,
        recurrence_tensor: TensorLike,
        bias_tensor: TensorLike | None = None,
        hidden_init_tensor: TensorLike | None = None,
        cell_mem_init_tensor: TensorLike | None = None,
        sequence_lengths_tensor: TensorLike | None = None,
        peephole_tensor: TensorLike | None = None,
        output_sequence_tensor: OutputLike | None = None,
        output_single_tensor: OutputLike | None = None,
        output_cell_single_tensor: OutputLike | None = None,
        activation_descs: Sequence[ActivationLike],
        direction: RecurrentNetworkDirectionLike,
        clip_threshold: Number,
        use_clip_threshold: bool | Literal[0, 1],
        couple_input_forget: bool | Literal[0, 1],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        weight_tensor: TensorLike | None = ...,
        recurrence_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        hidden_init_tensor: TensorLike | None = ...,
        cell_mem_init_tensor: TensorLike | None = ...,
        sequence_lengths_tensor: TensorLike | None = ...,
        peephole_tensor: TensorLike | None = ...,
        output_sequence_tensor: OutputLike | None = ...,
        output_single_tensor: OutputLike | None = ...,
        output_cell_single_tensor: OutputLike | None = ...,
        activation_descs: Sequence[ActivationLike] | None = ...,
        direction: RecurrentNetworkDirectionLike | None = ...,
        clip_threshold: Number | None = ...,
        use_clip_threshold: bool | Literal[0, 1] | None = ...,
        couple_input_forget: bool | Literal[0, 1] | None = ...,
    ) -> Lstm: ...

class MatrixMultiplyInteger(Operator):
    """(A - zero point of A) x (B - zero point of B), as INT32; sums that are too large keep their low bits."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def a_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def b_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        a_zero_point_tensor: TensorLike | None = None,
        b_tensor: TensorLike,
        b_zero_point_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        a_zero_point_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        b_zero_point_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> MatrixMultiplyInteger: ...

class MatrixMultiplyIntegerToFloat(Operator):
    """((A - zero point of A) * scale of A) x ((B - zero point of B) * scale of B) + bias."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def a_scale_tensor(self) -> TensorDesc: ...
    @property
    def a_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def b_scale_tensor(self) -> TensorDesc: ...
    @property
    def b_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        a_scale_tensor: TensorLike,
        a_zero_point_tensor: TensorLike | None = None,
        b_tensor: TensorLike,
        b_scale_tensor: TensorLike,
        b_zero_point_tensor: TensorLike | None = None,
        bias_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        a_scale_tensor: TensorLike | None = ...,
        a_zero_point_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        b_scale_tensor: TensorLike | None = ...,
        b_zero_point_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> MatrixMultiplyIntegerToFloat: ...

class MaxPooling(Operator):
    """The largest element of each window."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
    ) -> MaxPooling: ...

class MaxPooling1(Operator):
    """The largest element of each window, and optionally its index in the flattened input."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def output_indices_tensor(self) -> TensorDesc | None: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        output_indices_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        output_indices_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
    ) -> MaxPooling1: ...

class MaxPooling2(Operator):
    """The largest element of each dilated window, and optionally its index in the flattened input."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def output_indices_tensor(self) -> TensorDesc | None: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        output_indices_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        dilations: Integers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        output_indices_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        dilations: Integers | None = ...,
    ) -> MaxPooling2: ...

class MaxPoolingGrad(Operator):
    """The gradient of MAX_POOLING2: each window hands its gradient to its largest element, the first of equal ones."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_gradient_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        dilations: Integers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_gradient_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        dilations: Integers | None = ...,
    ) -> MaxPoolingGrad: ...

class MaxUnpooling(Operator):
    """Puts each element at its index in the flattened output, as MAX_POOLING1 gives it, and 0 everywhere else."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def indices_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        indices_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        indices_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> MaxUnpooling: ...

class MeanVarianceNormalization(Operator):
    """Moves each image's mean to 0 and its variance to 1, per channel or across channels; then scale and bias."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def scale_tensor(self) -> TensorDesc | None: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def cross_channel(self) -> bool: ...
    @property
    def normalize_variance(self) -> bool: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def fused_activation(self) -> Operator | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        scale_tensor: TensorLike | None = None,
        bias_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        cross_channel: bool | Literal[0, 1],
        normalize_variance: bool | Literal[0, 1],
        epsilon: Number,
        fused_activation: ActivationLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        scale_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        cross_channel: bool | Literal[0, 1] | None = ...,
        normalize_variance: bool | Literal[0, 1] | None = ...,
        epsilon: Number | None = ...,
        fused_activation: ActivationLike | None = ...,
    ) -> MeanVarianceNormalization: ...

class MeanVarianceNormalization1(Operator):
    """Moves the mean along some axes to 0 and, if asked, the variance to 1; then scale and bias."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def scale_tensor(self) -> TensorDesc | None: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axes(self) -> tuple[int, ...]: ...
    @property
    def normalize_variance(self) -> bool: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def fused_activation(self) -> Operator | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        scale_tensor: TensorLike | None = None,
        bias_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        axes: Integers,
        normalize_variance: bool | Literal[0, 1],
        epsilon: Number,
        fused_activation: ActivationLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        scale_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axes: Integers | None = ...,
        normalize_variance: bool | Literal[0, 1] | None = ...,
        epsilon: Number | None = ...,
        fused_activation: ActivationLike | None = ...,
    ) -> MeanVarianceNormalization1: ...

class MeanVarianceNormalization2(Operator):
    """Subtracts the mean along some axes and divides by the standard deviation, each if asked; then scale and bias. Without the mean, the deviation is taken about 0: the root of the mean square."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def scale_tensor(self) -> TensorDesc | None: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axes(self) -> tuple[int, ...]: ...
    @property
    def use_mean(self) -> bool: ...
    @property
    def use_variance(self) -> bool: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def fused_activation(self) -> Operator | None: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        scale_tensor: TensorLike | None = None,
        bias_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        axes: Integers,
        use_mean: bool | Literal[0, 1],
        use_variance: bool | Literal[0, 1],
        epsilon: Number,
        fused_activation: ActivationLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        scale_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axes: Integers | None = ...,
        use_mean: bool | Literal[0, 1] | None = ...,
        use_variance: bool | Literal[0, 1] | None = ...,
        epsilon: Number | None = ...,
        fused_activation: ActivationLike | None = ...,
    ) -> MeanVarianceNormalization2: ...

class MultiheadAttention(Operator):
    """softmax(Q K^T * scale + position bias, masked) V for each head, with an optional bias of Q, K and V before. Queries, keys and values are tensors of their own or stacked ones. Past keys and values come before the new ones; the present outputs hold both, for the next step."""

    @property
    def query_tensor(self) -> TensorDesc | None: ...
    @property
    def key_tensor(self) -> TensorDesc | None: ...
    @property
    def value_tensor(self) -> TensorDesc | None: ...
    @property
    def stacked_query_key_tensor(self) -> TensorDesc | None: ...
    @property
    def stacked_key_value_tensor(self) -> TensorDesc | None: ...
    @property
    def stacked_query_key_value_tensor(self) -> TensorDesc | None: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def mask_tensor(self) -> TensorDesc | None: ...
    @property
    def relative_position_bias_tensor(self) -> TensorDesc | None: ...
    @property
    def past_key_tensor(self) -> TensorDesc | None: ...
    @property
    def past_value_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def output_present_key_tensor(self) -> TensorDesc | None: ...
    @property
    def output_present_value_tensor(self) -> TensorDesc | None: ...
    @property
    def scale(self) -> float: ...
    @property
    def mask_filter_value(self) -> float: ...
    @property
    def head_count(self) -> int: ...
    @property
    def mask_type(self) -> MultiheadAttentionMaskType: ...
    def __init__(
        self,
        *,
        query_tensor: TensorLike | None = None,
        key_tensor: TensorLike | None = None,
        value_tensor: TensorLike | None = None,
        stacked_query_key_tensor: TensorLike | None = None,
        stacked_key_value_tensor: TensorLike | None = None,
        stacked_query_key_value_tensor: TensorLike | None = None,
        bias_tensor: TensorLike | None = None,
        mask_tensor: TensorLike | None = None,
        relative_position_bias_tensor: TensorLike | None = None,
        past_key_tensor: TensorLike | None = None,
        past_value_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        output_present_key_tensor: OutputLike | None = None,
        output_present_value_tensor: OutputLike | None = None,
        scale: Number,
        mask_filter_value: Number,
        head_count: SupportsIndex,
        mask_type: MultiheadAttentionMaskTypeLike,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        query_tensor: TensorLike | None = ...,
        key_tensor: TensorLike | None = ...,
        value_tensor: TensorLike | None = ...,
        stacked_query_key_tensor: TensorLike | None = ...,
        stacked_key_value_tensor: TensorLike | None = ...,
        stacked_query_key_value_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        mask_tensor: TensorLike | None = ...,
        relative_position_bias_tensor: TensorLike | None = ...,
        past_key_tensor: TensorLike | None = ...,
        past_value_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        output_present_key_tensor: OutputLike | None = ...,
        output_present_value_tensor: OutputLike | None = ...,
        scale: Number | None = ...,
        mask_filter_value: Number | None = ...,
        head_count: SupportsIndex | None = ...,
        mask_type: MultiheadAttentionMaskTypeLike | None = ...,
    ) -> MultiheadAttention: ...

class MultiheadAttention1(Operator):
    """MULTIHEAD_ATTENTION in which several heads of queries may share one head of keys and values. Lengths of the past tell how much of the past keys and values is valid, for each batch; new ones follow right after that, and a query then sees no key that comes after its own."""

    @property
    def query_tensor(self) -> TensorDesc | None: ...
    @property
    def key_tensor(self) -> TensorDesc | None: ...
    @property
    def value_tensor(self) -> TensorDesc | None: ...
    @property
    def stacked_query_key_tensor(self) -> TensorDesc | None: ...
    @property
    def stacked_key_value_tensor(self) -> TensorDesc | None: ...
    @property
    def stacked_query_key_value_tensor(self) -> TensorDesc | None: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def mask_tensor(self) -> TensorDesc | None: ...
    @property
    def relative_position_bias_tensor(self) -> TensorDesc | None: ...
    @property
    def past_key_tensor(self) -> TensorDesc | None: ...
    @property
    def past_value_tensor(self) -> TensorDesc | None: ...
    @property
    def past_sequence_lengths_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def output_present_key_tensor(self) -> TensorDesc | None: ...
    @property
    def output_present_value_tensor(self) -> TensorDesc | None: ...
    @property
    def scale(self) -> float: ...
    @property
    def mask_filter_value(self) -> float: ...
    @property
    def query_head_count(self) -> int: ...
    @property
    def key_value_head_count(self) -> int: ...
    @property
    def mask_type(self) -> MultiheadAttentionMaskType: ...
    def __init__(
        self,
        *,
        query_tensor: TensorLike | None = None,
        key_tensor: TensorLike | None = None,
        value_tensor: TensorLike | None = None,
        stacked_query_key_tensor: TensorLike | None = None,
        stacked_key_value_tensor: TensorLike | None = None,
        stacked_query_key_value_tensor: TensorLike | None = None,
        bias_tensor: TensorLike | None = None,
        mask_tensor: TensorLike | None = None,
        relative_position_bias_tensor: TensorLike | None = None,
        past_key_tensor: TensorLike | None = None,
        past_value_tensor: TensorLike | None = None,
        past_sequence_lengths_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        output_present_key_tensor: OutputLike | None = None,
        output_present_value_tensor: OutputLike | None = None,
        scale: Number,
        mask_filter_value: Number,
        query_head_count: SupportsIndex,
        key_value_head_count: SupportsIndex,
        mask_type: MultiheadAttentionMaskTypeLike,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        query_tensor: TensorLike | None = ...,
        key_tensor: TensorLike | None = ...,
        value_tensor: TensorLike | None = ...,
        stacked_query_key_tensor: TensorLike | None = ...,
        stacked_key_value_tensor: TensorLike | None = ...,
        stacked_query_key_value_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        mask_tensor: TensorLike | None = ...,
        relative_position_bias_tensor: TensorLike | None = ...,
        past_key_tensor: TensorLike | None = ...,
        past_value_tensor: TensorLike | None = ...,
        past_sequence_lengths_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        output_present_key_tensor: OutputLike | None = ...,
        output_present_value_tensor: OutputLike | None = ...,
        scale: Number | None = ...,
        mask_filter_value: Number | None = ...,
        query_head_count: SupportsIndex | None = ...,
        key_value_head_count: SupportsIndex | None = ...,
        mask_type: MultiheadAttentionMaskTypeLike | None = ...,
    ) -> MultiheadAttention1: ...

class NonzeroCoordinates(Operator):
    """How many elements are not 0, and their coordinates in row-major order; the rows after them are 0."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_count_tensor(self) -> TensorDesc: ...
    @property
    def output_coordinates_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_count_tensor: OutputLike | None = None,
        output_coordinates_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_count_tensor: OutputLike | None = ...,
        output_coordinates_tensor: OutputLike | None = ...,
    ) -> NonzeroCoordinates: ...

class OneHot(Operator):
    """One value along the axis where the index says, another everywhere else; indices outside give no place."""

    @property
    def indices_tensor(self) -> TensorDesc: ...
    @property
    def values_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    def __init__(
        self,
        *,
        indices_tensor: TensorLike,
        values_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axis: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        indices_tensor: TensorLike | None = ...,
        values_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
    ) -> OneHot: ...

class Padding(Operator):
    """Surrounds a tensor with a value, its edge, its mirror image or itself."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def padding_mode(self) -> PaddingMode: ...
    @property
    def padding_value(self) -> float: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        padding_mode: PaddingModeLike,
        padding_value: Number,
        start_padding: Integers,
        end_padding: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        padding_mode: PaddingModeLike | None = ...,
        padding_value: Number | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
    ) -> Padding: ...

class Padding1(Operator):
    """PADDING with a padding value of the tensor's own data type."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def padding_mode(self) -> PaddingMode: ...
    @property
    def padding_value_data_type(self) -> DataType: ...
    @property
    def padding_value(self) -> int | float: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        padding_mode: PaddingModeLike,
        padding_value_data_type: DataTypeLike,
        padding_value: Number | Mapping[str, Any] | str,
        start_padding: Integers,
        end_padding: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        padding_mode: PaddingModeLike | None = ...,
        padding_value_data_type: DataTypeLike | None = ...,
        padding_value: Number | Mapping[str, Any] | str | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
    ) -> Padding1: ...

class Quantize(Operator):
    """round(x / scale) + zero point, clamped to the output's range, with a scale and a zero point for each block. A block's size is the input's size divided by the scale's. Halves round to even. Unsigned outputs without a zero point have it in the middle of their range."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def quantization_type(self) -> QuantizationType: ...
    @property
    def quantization_tensors(self) -> tuple[TensorDesc, ...]: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        quantization_type: QuantizationTypeLike,
        quantization_tensors: Sequence[TensorLike],
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        quantization_type: QuantizationTypeLike | None = ...,
        quantization_tensors: Sequence[TensorLike] | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> Quantize: ...

class QuantizedLinearAveragePooling(Operator):
    """The mean of each dilated window of dequantized numbers, quantized again; halves round to even."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_scale_tensor(self) -> TensorDesc: ...
    @property
    def input_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_scale_tensor(self) -> TensorDesc: ...
    @property
    def output_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def window_size(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    @property
    def include_padding(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_scale_tensor: TensorLike,
        input_zero_point_tensor: TensorLike | None = None,
        output_scale_tensor: TensorLike,
        output_zero_point_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        strides: Integers = ...,
        window_size: Integers,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        dilations: Integers = ...,
        include_padding: bool | Literal[0, 1],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_scale_tensor: TensorLike | None = ...,
        input_zero_point_tensor: TensorLike | None = ...,
        output_scale_tensor: TensorLike | None = ...,
        output_zero_point_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        window_size: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        dilations: Integers | None = ...,
        include_padding: bool | Literal[0, 1] | None = ...,
    ) -> QuantizedLinearAveragePooling: ...

class QuantizedLinearConvolution(Operator):
    """A convolution of quantized numbers, quantized again; rounded once, halves to even. The bias counts in steps of the input's scale times the filter's."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def input_scale_tensor(self) -> TensorDesc: ...
    @property
    def input_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def filter_tensor(self) -> TensorDesc: ...
    @property
    def filter_scale_tensor(self) -> TensorDesc: ...
    @property
    def filter_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def output_scale_tensor(self) -> TensorDesc: ...
    @property
    def output_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    @property
    def group_count(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        input_scale_tensor: TensorLike,
        input_zero_point_tensor: TensorLike | None = None,
        filter_tensor: TensorLike,
        filter_scale_tensor: TensorLike,
        filter_zero_point_tensor: TensorLike | None = None,
        bias_tensor: TensorLike | None = None,
        output_scale_tensor: TensorLike,
        output_zero_point_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
        strides: Integers = ...,
        dilations: Integers = ...,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
        group_count: SupportsIndex = 1,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_scale_tensor: TensorLike | None = ...,
        input_zero_point_tensor: TensorLike | None = ...,
        filter_tensor: TensorLike | None = ...,
        filter_scale_tensor: TensorLike | None = ...,
        filter_zero_point_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        output_scale_tensor: TensorLike | None = ...,
        output_zero_point_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        strides: Integers | None = ...,
        dilations: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
        group_count: SupportsIndex | None = ...,
    ) -> QuantizedLinearConvolution: ...

class QuantizedLinearMatrixMultiply(Operator):
    """The product of two matrices of quantized numbers, quantized again; rounded once, halves to even."""

    @property
    def a_tensor(self) -> TensorDesc: ...
    @property
    def a_scale_tensor(self) -> TensorDesc: ...
    @property
    def a_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def b_tensor(self) -> TensorDesc: ...
    @property
    def b_scale_tensor(self) -> TensorDesc: ...
    @property
    def b_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_scale_tensor(self) -> TensorDesc: ...
    @property
    def output_zero_point_tensor(self) -> TensorDesc | None: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    def __init__(
        self,
        *,
        a_tensor: TensorLike,
        a_scale_tensor: TensorLike,
        a_zero_point_tensor: TensorLike | None = None,
        b_tensor: TensorLike,
        b_scale_tensor: TensorLike,
        b_zero_point_tensor: TensorLike | None = None,
        output_scale_tensor: TensorLike,
        output_zero_point_tensor: TensorLike | None = None,
        output_tensor: OutputLike | None = None,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        a_tensor: TensorLike | None = ...,
        a_scale_tensor: TensorLike | None = ...,
        a_zero_point_tensor: TensorLike | None = ...,
        b_tensor: TensorLike | None = ...,
        b_scale_tensor: TensorLike | None = ...,
        b_zero_point_tensor: TensorLike | None = ...,
        output_scale_tensor: TensorLike | None = ...,
        output_zero_point_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
    ) -> QuantizedLinearMatrixMultiply: ...

class RandomGenerator(Operator):
    """Random bits by Philox 4x32-10: four words for each value of a 128-bit counter, and the state after them."""

    @property
    def input_state_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def output_state_tensor(self) -> TensorDesc | None: ...
    @property
    def type(self) -> RandomGeneratorType: ...
    def __init__(
        self,
        *,
        input_state_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        output_state_tensor: OutputLike | None = None,
        type: RandomGeneratorTypeLike = 'PHILOX_4X32_10',
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_state_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        output_state_tensor: OutputLike | None = ...,
        type: RandomGeneratorTypeLike | None = ...,
    ) -> RandomGenerator: ...

class Reduce(Operator):
    """Applies a function over some axes; those keep a size of 1. L1 is the sum of |x|, L2 the root of the sum of x^2, LOG_SUM the logarithm of the sum, LOG_SUM_EXP that of the sum of e^x, MULTIPLY the product, SUM_SQUARE the sum of x^2. ARGMIN and ARGMAX tell the place of the first extreme."""

    @property
    def function(self) -> ReduceFunction: ...
    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axes(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        function: ReduceFunctionLike,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axes: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        function: ReduceFunctionLike | None = ...,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axes: Integers | None = ...,
    ) -> Reduce: ...

class Resample(Operator):
    """Another size of each dimension, seen from the centres of pixels."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    @property
    def scales(self) -> tuple[float, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        interpolation_mode: InterpolationModeLike,
        scales: Numbers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
        scales: Numbers | None = ...,
    ) -> Resample: ...

class Resample1(Operator):
    """Another size of each dimension by interpolation between elements, or by the nearest of them. Output element o lies at (o - output offset) / scale - input offset of the input; edges are held."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    @property
    def scales(self) -> tuple[float, ...]: ...
    @property
    def input_pixel_offsets(self) -> tuple[float, ...]: ...
    @property
    def output_pixel_offsets(self) -> tuple[float, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        interpolation_mode: InterpolationModeLike,
        scales: Numbers,
        input_pixel_offsets: Numbers = ...,
        output_pixel_offsets: Numbers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
        scales: Numbers | None = ...,
        input_pixel_offsets: Numbers | None = ...,
        output_pixel_offsets: Numbers | None = ...,
    ) -> Resample1: ...

class Resample2(Operator):
    """Another size of each dimension by interpolation between elements, or by rounding to one of them up or down."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    @property
    def rounding_direction(self) -> AxisDirection: ...
    @property
    def scales(self) -> tuple[float, ...]: ...
    @property
    def input_pixel_offsets(self) -> tuple[float, ...]: ...
    @property
    def output_pixel_offsets(self) -> tuple[float, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        interpolation_mode: InterpolationModeLike,
        rounding_direction: AxisDirectionLike = 'INCREASING',
        scales: Numbers,
        input_pixel_offsets: Numbers = ...,
        output_pixel_offsets: Numbers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
        rounding_direction: AxisDirectionLike | None = ...,
        scales: Numbers | None = ...,
        input_pixel_offsets: Numbers | None = ...,
        output_pixel_offsets: Numbers | None = ...,
    ) -> Resample2: ...

class Resample3(Operator):
    """RESAMPLE2 with a filter against aliasing: where an axis shrinks, all its elements count."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    @property
    def rounding_direction(self) -> AxisDirection: ...
    @property
    def scales(self) -> tuple[float, ...]: ...
    @property
    def input_pixel_offsets(self) -> tuple[float, ...]: ...
    @property
    def output_pixel_offsets(self) -> tuple[float, ...]: ...
    @property
    def antialiased(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        interpolation_mode: InterpolationModeLike,
        rounding_direction: AxisDirectionLike = 'INCREASING',
        scales: Numbers,
        input_pixel_offsets: Numbers = ...,
        output_pixel_offsets: Numbers = ...,
        antialiased: bool | Literal[0, 1] = False,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
        rounding_direction: AxisDirectionLike | None = ...,
        scales: Numbers | None = ...,
        input_pixel_offsets: Numbers | None = ...,
        output_pixel_offsets: Numbers | None = ...,
        antialiased: bool | Literal[0, 1] | None = ...,
    ) -> Resample3: ...

class ResampleGrad(Operator):
    """The gradient of RESAMPLE1: each element's gradient goes to those it was made of, by their weights."""

    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    @property
    def scales(self) -> tuple[float, ...]: ...
    @property
    def input_pixel_offsets(self) -> tuple[float, ...]: ...
    @property
    def output_pixel_offsets(self) -> tuple[float, ...]: ...
    def __init__(
        self,
        *,
        input_gradient_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        interpolation_mode: InterpolationModeLike,
        scales: Numbers,
        input_pixel_offsets: Numbers = ...,
        output_pixel_offsets: Numbers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_gradient_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
        scales: Numbers | None = ...,
        input_pixel_offsets: Numbers | None = ...,
        output_pixel_offsets: Numbers | None = ...,
    ) -> ResampleGrad: ...

class ResampleGrad1(Operator):
    """The gradient of RESAMPLE2: each element's gradient goes to those it was made of, by their weights."""

    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    @property
    def rounding_direction(self) -> AxisDirection: ...
    @property
    def scales(self) -> tuple[float, ...]: ...
    @property
    def input_pixel_offsets(self) -> tuple[float, ...]: ...
    @property
    def output_pixel_offsets(self) -> tuple[float, ...]: ...
    def __init__(
        self,
        *,
        input_gradient_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        interpolation_mode: InterpolationModeLike,
        rounding_direction: AxisDirectionLike = 'INCREASING',
        scales: Numbers,
        input_pixel_offsets: Numbers = ...,
        output_pixel_offsets: Numbers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_gradient_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
        rounding_direction: AxisDirectionLike | None = ...,
        scales: Numbers | None = ...,
        input_pixel_offsets: Numbers | None = ...,
        output_pixel_offsets: Numbers | None = ...,
    ) -> ResampleGrad1: ...

class ReverseSubsequences(Operator):
    """Reverses the first elements of each sequence along an axis, as many as its length says."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def sequence_lengths_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        sequence_lengths_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axis: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        sequence_lengths_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
    ) -> ReverseSubsequences: ...

class Rnn(Operator):
    """H[t] = f(X[t] W^T + H[t-1] R^T + bias), along a sequence."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def weight_tensor(self) -> TensorDesc: ...
    @property
    def recurrence_tensor(self) -> TensorDesc: ...
    @property
    def bias_tensor(self) -> TensorDesc | None: ...
    @property
    def hidden_init_tensor(self) -> TensorDesc | None: ...
    @property
    def sequence_lengths_tensor(self) -> TensorDesc | None: ...
    @property
    def output_sequence_tensor(self) -> TensorDesc | None: ...
    @property
    def output_single_tensor(self) -> TensorDesc | None: ...
    @property
    def activation_descs(self) -> tuple[Operator, ...]: ...
    @property
    def direction(self) -> RecurrentNetworkDirection: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        weight_tensor: TensorLike,
        recurrence_tensor: TensorLike,
        bias_tensor: TensorLike | None = None,
        hidden_init_tensor: TensorLike | None = None,
        sequence_lengths_tensor: TensorLike | None = None,
        output_sequence_tensor: OutputLike | None = None,
        output_single_tensor: OutputLike | None = None,
        activation_descs: Sequence[ActivationLike],
        direction: RecurrentNetworkDirectionLike,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        weight_tensor: TensorLike | None = ...,
        recurrence_tensor: TensorLike | None = ...,
        bias_tensor: TensorLike | None = ...,
        hidden_init_tensor: TensorLike | None = ...,
        sequence_lengths_tensor: TensorLike | None = ...,
        output_sequence_tensor: OutputLike | None = ...,
        output_single_tensor: OutputLike | None = ...,
        activation_descs: Sequence[ActivationLike] | None = ...,
        direction: RecurrentNetworkDirectionLike | None = ...,
    ) -> Rnn: ...

class RoiAlign(Operator):
    """Resizes regions of images to one size, seen from the centres of pixels."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def roi_tensor(self) -> TensorDesc: ...
    @property
    def batch_indices_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def reduction_function(self) -> ReduceFunction: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    @property
    def spatial_scale_x(self) -> float: ...
    @property
    def spatial_scale_y(self) -> float: ...
    @property
    def out_of_bounds_input_value(self) -> float: ...
    @property
    def minimum_samples_per_output(self) -> int: ...
    @property
    def maximum_samples_per_output(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        roi_tensor: TensorLike,
        batch_indices_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        reduction_function: ReduceFunctionLike,
        interpolation_mode: InterpolationModeLike,
        spatial_scale_x: Number,
        spatial_scale_y: Number,
        out_of_bounds_input_value: Number,
        minimum_samples_per_output: SupportsIndex,
        maximum_samples_per_output: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        roi_tensor: TensorLike | None = ...,
        batch_indices_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        reduction_function: ReduceFunctionLike | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
        spatial_scale_x: Number | None = ...,
        spatial_scale_y: Number | None = ...,
        out_of_bounds_input_value: Number | None = ...,
        minimum_samples_per_output: SupportsIndex | None = ...,
        maximum_samples_per_output: SupportsIndex | None = ...,
    ) -> RoiAlign: ...

class RoiAlign1(Operator):
    """Resizes regions of images to one size: each output element reduces samples that lie evenly in its part."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def roi_tensor(self) -> TensorDesc: ...
    @property
    def batch_indices_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def reduction_function(self) -> ReduceFunction: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    @property
    def spatial_scale_x(self) -> float: ...
    @property
    def spatial_scale_y(self) -> float: ...
    @property
    def input_pixel_offset(self) -> float: ...
    @property
    def output_pixel_offset(self) -> float: ...
    @property
    def out_of_bounds_input_value(self) -> float: ...
    @property
    def minimum_samples_per_output(self) -> int: ...
    @property
    def maximum_samples_per_output(self) -> int: ...
    @property
    def align_regions_to_corners(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        roi_tensor: TensorLike,
        batch_indices_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
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
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        roi_tensor: TensorLike | None = ...,
        batch_indices_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        reduction_function: ReduceFunctionLike | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
        spatial_scale_x: Number | None = ...,
        spatial_scale_y: Number | None = ...,
        input_pixel_offset: Number | None = ...,
        output_pixel_offset: Number | None = ...,
        out_of_bounds_input_value: Number | None = ...,
        minimum_samples_per_output: SupportsIndex | None = ...,
        maximum_samples_per_output: SupportsIndex | None = ...,
        align_regions_to_corners: bool | Literal[0, 1] | None = ...,
    ) -> RoiAlign1: ...

class RoiAlignGrad(Operator):
    """The gradients of ROI_ALIGN1 with respect to its images and to its regions."""

    @property
    def input_tensor(self) -> TensorDesc | None: ...
    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def roi_tensor(self) -> TensorDesc: ...
    @property
    def batch_indices_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc | None: ...
    @property
    def output_roi_gradient_tensor(self) -> TensorDesc | None: ...
    @property
    def reduction_function(self) -> ReduceFunction: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    @property
    def spatial_scale_x(self) -> float: ...
    @property
    def spatial_scale_y(self) -> float: ...
    @property
    def input_pixel_offset(self) -> float: ...
    @property
    def output_pixel_offset(self) -> float: ...
    @property
    def minimum_samples_per_output(self) -> int: ...
    @property
    def maximum_samples_per_output(self) -> int: ...
    @property
    def align_regions_to_corners(self) -> bool: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike | None = None,
        input_gradient_tensor: TensorLike,
        roi_tensor: TensorLike,
        batch_indices_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        output_roi_gradient_tensor: OutputLike | None = None,
        reduction_function: ReduceFunctionLike,
        interpolation_mode: InterpolationModeLike,
        spatial_scale_x: Number,
        spatial_scale_y: Number,
        input_pixel_offset: Number,
        output_pixel_offset: Number,
        minimum_samples_per_output: SupportsIndex,
        maximum_samples_per_output: SupportsIndex,
        align_regions_to_corners: bool | Literal[0, 1],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        input_gradient_tensor: TensorLike | None = ...,
        roi_tensor: TensorLike | None = ...,
        batch_indices_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        output_roi_gradient_tensor: OutputLike | None = ...,
        reduction_function: ReduceFunctionLike | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
        spatial_scale_x: Number | None = ...,
        spatial_scale_y: Number | None = ...,
        input_pixel_offset: Number | None = ...,
        output_pixel_offset: Number | None = ...,
        minimum_samples_per_output: SupportsIndex | None = ...,
        maximum_samples_per_output: SupportsIndex | None = ...,
        align_regions_to_corners: bool | Literal[0, 1] | None = ...,
    ) -> RoiAlignGrad: ...

class RoiPooling(Operator):
    """Cuts each region of interest into bins, rounded to whole pixels, and takes the largest pixel of each."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def roi_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def spatial_scale(self) -> float: ...
    @property
    def pooled_size(self) -> tuple[int, int]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        roi_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        spatial_scale: Number = 1.0,
        pooled_size: Sequence[SupportsIndex] | Mapping[str, int],
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        roi_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        spatial_scale: Number | None = ...,
        pooled_size: Sequence[SupportsIndex] | Mapping[str, int] | None = ...,
    ) -> RoiPooling: ...

class ScatterElements(Operator):
    """A copy of the input with an element replaced for each update, where its index says along the axis."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def indices_tensor(self) -> TensorDesc: ...
    @property
    def updates_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        indices_tensor: TensorLike,
        updates_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        axis: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        indices_tensor: TensorLike | None = ...,
        updates_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
    ) -> ScatterElements: ...

class ScatterNd(Operator):
    """A copy of the input with a slice replaced for each tuple of indices."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def indices_tensor(self) -> TensorDesc: ...
    @property
    def updates_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def input_dimension_count(self) -> int: ...
    @property
    def indices_dimension_count(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        indices_tensor: TensorLike,
        updates_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        input_dimension_count: SupportsIndex,
        indices_dimension_count: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        indices_tensor: TensorLike | None = ...,
        updates_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        input_dimension_count: SupportsIndex | None = ...,
        indices_dimension_count: SupportsIndex | None = ...,
    ) -> ScatterNd: ...

class Slice(Operator):
    """Copies every `strides`-th element of a box that starts at `offsets`: y[i] = x[offset + i * stride]."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def offsets(self) -> tuple[int, ...]: ...
    @property
    def sizes(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        offsets: Integers,
        sizes: Integers,
        strides: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        offsets: Integers | None = ...,
        sizes: Integers | None = ...,
        strides: Integers | None = ...,
    ) -> Slice: ...

class Slice1(Operator):
    """Copies a window, forwards from its start or, with a negative stride, backwards from its end. y[i] = x[start + i * stride], where start is the offset, or offset + size - 1 for a negative stride. The output may take fewer elements than the window reaches."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def input_window_offsets(self) -> tuple[int, ...]: ...
    @property
    def input_window_sizes(self) -> tuple[int, ...]: ...
    @property
    def input_window_strides(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        input_window_offsets: Integers,
        input_window_sizes: Integers,
        input_window_strides: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        input_window_offsets: Integers | None = ...,
        input_window_sizes: Integers | None = ...,
        input_window_strides: Integers | None = ...,
    ) -> Slice1: ...

class SliceGrad(Operator):
    """Puts each gradient element back where SLICE1 took it from; everything else is 0."""

    @property
    def input_gradient_tensor(self) -> TensorDesc: ...
    @property
    def output_gradient_tensor(self) -> TensorDesc: ...
    @property
    def input_window_offsets(self) -> tuple[int, ...]: ...
    @property
    def input_window_sizes(self) -> tuple[int, ...]: ...
    @property
    def input_window_strides(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_gradient_tensor: TensorLike,
        output_gradient_tensor: OutputLike | None = None,
        input_window_offsets: Integers,
        input_window_sizes: Integers,
        input_window_strides: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_gradient_tensor: TensorLike | None = ...,
        output_gradient_tensor: OutputLike | None = ...,
        input_window_offsets: Integers | None = ...,
        input_window_sizes: Integers | None = ...,
        input_window_strides: Integers | None = ...,
    ) -> SliceGrad: ...

class SpaceToDepth(Operator):
    """Gathers blocks of pixels into groups of channels, blocks outermost in the depth."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def block_size(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        block_size: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        block_size: SupportsIndex | None = ...,
    ) -> SpaceToDepth: ...

class SpaceToDepth1(Operator):
    """SPACE_TO_DEPTH with a choice of how blocks lie in the depth."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def block_size(self) -> int: ...
    @property
    def order(self) -> DepthSpaceOrder: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        block_size: SupportsIndex,
        order: DepthSpaceOrderLike = 'DEPTH_COLUMN_ROW',
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        block_size: SupportsIndex | None = ...,
        order: DepthSpaceOrderLike | None = ...,
    ) -> SpaceToDepth1: ...

class Split(Operator):
    """Cuts a tensor into several along an axis."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensors(self) -> tuple[TensorDesc, ...]: ...
    @property
    def axis(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensors: Sequence[OutputLike] | None = None,
        axis: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensors: Sequence[OutputLike] | None = ...,
        axis: SupportsIndex | None = ...,
    ) -> Split: ...

class Tile(Operator):
    """Repeats the whole tensor along its dimensions."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def repeats(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        repeats: Integers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        repeats: Integers | None = ...,
    ) -> Tile: ...

class TopK(Operator):
    """The K largest elements along an axis, the largest first, and their places."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_value_tensor(self) -> TensorDesc: ...
    @property
    def output_index_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    @property
    def k(self) -> int: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_value_tensor: OutputLike | None = None,
        output_index_tensor: OutputLike | None = None,
        axis: SupportsIndex,
        k: SupportsIndex,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_value_tensor: OutputLike | None = ...,
        output_index_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
        k: SupportsIndex | None = ...,
    ) -> TopK: ...

class TopK1(Operator):
    """The K largest elements along an axis, the largest first, or the K smallest, the smallest first, and their places; equal elements stand in the order of their places. NaN is larger than every number."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_value_tensor(self) -> TensorDesc: ...
    @property
    def output_index_tensor(self) -> TensorDesc: ...
    @property
    def axis(self) -> int: ...
    @property
    def k(self) -> int: ...
    @property
    def axis_direction(self) -> AxisDirection: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_value_tensor: OutputLike | None = None,
        output_index_tensor: OutputLike | None = None,
        axis: SupportsIndex,
        k: SupportsIndex,
        axis_direction: AxisDirectionLike,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_value_tensor: OutputLike | None = ...,
        output_index_tensor: OutputLike | None = ...,
        axis: SupportsIndex | None = ...,
        k: SupportsIndex | None = ...,
        axis_direction: AxisDirectionLike | None = ...,
    ) -> TopK1: ...

class Unfold(Operator):
    """Lays each window out as a column, channel by channel; padding is 0."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def window_sizes(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dilations(self) -> tuple[int, ...]: ...
    @property
    def start_padding(self) -> tuple[int, ...]: ...
    @property
    def end_padding(self) -> tuple[int, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        window_sizes: Integers,
        strides: Integers = ...,
        dilations: Integers = ...,
        start_padding: Integers = ...,
        end_padding: Integers = ...,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        window_sizes: Integers | None = ...,
        strides: Integers | None = ...,
        dilations: Integers | None = ...,
        start_padding: Integers | None = ...,
        end_padding: Integers | None = ...,
    ) -> Unfold: ...

class Upsample2D(Operator):
    """Repeats or blends pixels so that height and width grow by whole factors."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale_size(self) -> tuple[int, int]: ...
    @property
    def interpolation_mode(self) -> InterpolationMode: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale_size: Sequence[SupportsIndex] | Mapping[str, int],
        interpolation_mode: InterpolationModeLike,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale_size: Sequence[SupportsIndex] | Mapping[str, int] | None = ...,
        interpolation_mode: InterpolationModeLike | None = ...,
    ) -> Upsample2D: ...

class ValueScale2D(Operator):
    """Multiplies pixels by a scale and adds a bias for their channel."""

    @property
    def input_tensor(self) -> TensorDesc: ...
    @property
    def output_tensor(self) -> TensorDesc: ...
    @property
    def scale(self) -> float: ...
    @property
    def bias(self) -> tuple[float, ...]: ...
    def __init__(
        self,
        *,
        input_tensor: TensorLike,
        output_tensor: OutputLike | None = None,
        scale: Number,
        bias: Numbers,
    ) -> None: ...
    def replace(  # type: ignore[override]
        self,
        *,
        input_tensor: TensorLike | None = ...,
        output_tensor: OutputLike | None = ...,
        scale: Number | None = ...,
        bias: Numbers | None = ...,
    ) -> ValueScale2D: ...

Scatter = ScatterElements
