"""Written by scripts/stubs; the classes and functions themselves are made from the declarations."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from anydml.core.datatype import DataTypeLike
from anydml.core.enums import (
    AxisDirection,
    ConvolutionDirection,
    ConvolutionMode,
    DepthSpaceOrder,
    InterpolationMode,
    IsInfinityMode,
    MatrixTransform,
    MultiheadAttentionMaskType,
    PaddingMode,
    QuantizationType,
    RandomGeneratorType,
    RecurrentNetworkDirection,
    ReduceFunction,
    RoundingMode,
)
from anydml.core.policy import TensorPolicy
from anydml.core.schema import Operator
from anydml.core.tensor import TensorDesc
from anydml.operators.activation import ActivationCelu as _ActivationCelu
from anydml.operators.activation import ActivationElu as _ActivationElu
from anydml.operators.activation import ActivationGelu as _ActivationGelu
from anydml.operators.activation import ActivationHardSigmoid as _ActivationHardSigmoid
from anydml.operators.activation import ActivationHardSwish as _ActivationHardSwish
from anydml.operators.activation import ActivationIdentity as _ActivationIdentity
from anydml.operators.activation import ActivationLeakyRelu as _ActivationLeakyRelu
from anydml.operators.activation import ActivationLinear as _ActivationLinear
from anydml.operators.activation import ActivationParameterizedRelu as _ActivationParameterizedRelu
from anydml.operators.activation import ActivationParametricSoftplus as _ActivationParametricSoftplus
from anydml.operators.activation import ActivationRelu as _ActivationRelu
from anydml.operators.activation import ActivationReluGrad as _ActivationReluGrad
from anydml.operators.activation import ActivationScaledElu as _ActivationScaledElu
from anydml.operators.activation import ActivationScaledTanh as _ActivationScaledTanh
from anydml.operators.activation import ActivationShrink as _ActivationShrink
from anydml.operators.activation import ActivationSigmoid as _ActivationSigmoid
from anydml.operators.activation import ActivationSoftplus as _ActivationSoftplus
from anydml.operators.activation import ActivationSoftsign as _ActivationSoftsign
from anydml.operators.activation import ActivationSwish as _ActivationSwish
from anydml.operators.activation import ActivationTanh as _ActivationTanh
from anydml.operators.activation import ActivationThresholdedRelu as _ActivationThresholdedRelu
from anydml.operators.arithmetic import ElementWiseAbs as _ElementWiseAbs
from anydml.operators.arithmetic import ElementWiseAdd as _ElementWiseAdd
from anydml.operators.arithmetic import ElementWiseAdd1 as _ElementWiseAdd1
from anydml.operators.arithmetic import ElementWiseDifferenceSquare as _ElementWiseDifferenceSquare
from anydml.operators.arithmetic import ElementWiseDivide as _ElementWiseDivide
from anydml.operators.arithmetic import ElementWiseMax as _ElementWiseMax
from anydml.operators.arithmetic import ElementWiseMean as _ElementWiseMean
from anydml.operators.arithmetic import ElementWiseMin as _ElementWiseMin
from anydml.operators.arithmetic import ElementWiseModulusFloor as _ElementWiseModulusFloor
from anydml.operators.arithmetic import ElementWiseModulusTruncate as _ElementWiseModulusTruncate
from anydml.operators.arithmetic import ElementWiseMultiply as _ElementWiseMultiply
from anydml.operators.arithmetic import ElementWiseNegate as _ElementWiseNegate
from anydml.operators.arithmetic import ElementWiseSign as _ElementWiseSign
from anydml.operators.arithmetic import ElementWiseSubtract as _ElementWiseSubtract
from anydml.operators.attention import MultiheadAttention as _MultiheadAttention
from anydml.operators.attention import MultiheadAttention1 as _MultiheadAttention1
from anydml.operators.batch_normalization import BatchNormalization as _BatchNormalization
from anydml.operators.batch_normalization import BatchNormalizationGrad as _BatchNormalizationGrad
from anydml.operators.batch_normalization import BatchNormalizationTraining as _BatchNormalizationTraining
from anydml.operators.batch_normalization import BatchNormalizationTrainingGrad as _BatchNormalizationTrainingGrad
from anydml.operators.bits import ElementWiseBitAnd as _ElementWiseBitAnd
from anydml.operators.bits import ElementWiseBitCount as _ElementWiseBitCount
from anydml.operators.bits import ElementWiseBitNot as _ElementWiseBitNot
from anydml.operators.bits import ElementWiseBitOr as _ElementWiseBitOr
from anydml.operators.bits import ElementWiseBitShiftLeft as _ElementWiseBitShiftLeft
from anydml.operators.bits import ElementWiseBitShiftRight as _ElementWiseBitShiftRight
from anydml.operators.bits import ElementWiseBitXor as _ElementWiseBitXor
from anydml.operators.block_quantization import Dequantize as _Dequantize
from anydml.operators.block_quantization import DynamicQuantizeLinear as _DynamicQuantizeLinear
from anydml.operators.block_quantization import Quantize as _Quantize
from anydml.operators.convolution import Convolution as _Convolution
from anydml.operators.coordinates import NonzeroCoordinates as _NonzeroCoordinates
from anydml.operators.creation import DiagonalMatrix as _DiagonalMatrix
from anydml.operators.creation import DiagonalMatrix1 as _DiagonalMatrix1
from anydml.operators.creation import FillValueConstant as _FillValueConstant
from anydml.operators.creation import FillValueSequence as _FillValueSequence
from anydml.operators.creation import OneHot as _OneHot
from anydml.operators.depth_space import DepthToSpace as _DepthToSpace
from anydml.operators.depth_space import DepthToSpace1 as _DepthToSpace1
from anydml.operators.depth_space import SpaceToDepth as _SpaceToDepth
from anydml.operators.depth_space import SpaceToDepth1 as _SpaceToDepth1
from anydml.operators.folding import Fold as _Fold
from anydml.operators.folding import Unfold as _Unfold
from anydml.operators.gathering import Gather as _Gather
from anydml.operators.gathering import GatherElements as _GatherElements
from anydml.operators.gathering import GatherNd as _GatherNd
from anydml.operators.gathering import GatherNd1 as _GatherNd1
from anydml.operators.imaging import Upsample2D as _Upsample2D
from anydml.operators.imaging import ValueScale2D as _ValueScale2D
from anydml.operators.integer_products import ConvolutionInteger as _ConvolutionInteger
from anydml.operators.integer_products import MatrixMultiplyInteger as _MatrixMultiplyInteger
from anydml.operators.integer_products import MatrixMultiplyIntegerToFloat as _MatrixMultiplyIntegerToFloat
from anydml.operators.integer_products import QuantizedLinearConvolution as _QuantizedLinearConvolution
from anydml.operators.integer_products import QuantizedLinearMatrixMultiply as _QuantizedLinearMatrixMultiply
from anydml.operators.limits import ElementWiseClip as _ElementWiseClip
from anydml.operators.limits import ElementWiseClip1 as _ElementWiseClip1
from anydml.operators.limits import ElementWiseClipGrad as _ElementWiseClipGrad
from anydml.operators.limits import ElementWiseClipGrad1 as _ElementWiseClipGrad1
from anydml.operators.limits import ElementWiseThreshold as _ElementWiseThreshold
from anydml.operators.logic import ElementWiseIf as _ElementWiseIf
from anydml.operators.logic import ElementWiseIsInfinity as _ElementWiseIsInfinity
from anydml.operators.logic import ElementWiseIsNan as _ElementWiseIsNan
from anydml.operators.logic import ElementWiseLogicalAnd as _ElementWiseLogicalAnd
from anydml.operators.logic import ElementWiseLogicalEquals as _ElementWiseLogicalEquals
from anydml.operators.logic import ElementWiseLogicalGreaterThan as _ElementWiseLogicalGreaterThan
from anydml.operators.logic import ElementWiseLogicalGreaterThanOrEqual as _ElementWiseLogicalGreaterThanOrEqual
from anydml.operators.logic import ElementWiseLogicalLessThan as _ElementWiseLogicalLessThan
from anydml.operators.logic import ElementWiseLogicalLessThanOrEqual as _ElementWiseLogicalLessThanOrEqual
from anydml.operators.logic import ElementWiseLogicalNot as _ElementWiseLogicalNot
from anydml.operators.logic import ElementWiseLogicalOr as _ElementWiseLogicalOr
from anydml.operators.logic import ElementWiseLogicalXor as _ElementWiseLogicalXor
from anydml.operators.matrix import Gemm as _Gemm
from anydml.operators.movement import Cast as _Cast
from anydml.operators.movement import ElementWiseIdentity as _ElementWiseIdentity
from anydml.operators.movement import Join as _Join
from anydml.operators.movement import ReverseSubsequences as _ReverseSubsequences
from anydml.operators.movement import Split as _Split
from anydml.operators.movement import Tile as _Tile
from anydml.operators.normalization import LocalResponseNormalization as _LocalResponseNormalization
from anydml.operators.normalization import LocalResponseNormalizationGrad as _LocalResponseNormalizationGrad
from anydml.operators.normalization import LpNormalization as _LpNormalization
from anydml.operators.normalization import MeanVarianceNormalization as _MeanVarianceNormalization
from anydml.operators.normalization import MeanVarianceNormalization1 as _MeanVarianceNormalization1
from anydml.operators.normalization import MeanVarianceNormalization2 as _MeanVarianceNormalization2
from anydml.operators.optimizer import AdamOptimizer as _AdamOptimizer
from anydml.operators.padding import Padding as _Padding
from anydml.operators.padding import Padding1 as _Padding1
from anydml.operators.pooling import AveragePooling as _AveragePooling
from anydml.operators.pooling import AveragePooling1 as _AveragePooling1
from anydml.operators.pooling import LpPooling as _LpPooling
from anydml.operators.pooling import LpPooling1 as _LpPooling1
from anydml.operators.pooling import MaxPooling as _MaxPooling
from anydml.operators.pooling import MaxPooling1 as _MaxPooling1
from anydml.operators.pooling import MaxPooling2 as _MaxPooling2
from anydml.operators.pooling_gradients import AveragePoolingGrad as _AveragePoolingGrad
from anydml.operators.pooling_gradients import MaxPoolingGrad as _MaxPoolingGrad
from anydml.operators.pooling_gradients import MaxUnpooling as _MaxUnpooling
from anydml.operators.pooling_quantized import QuantizedLinearAveragePooling as _QuantizedLinearAveragePooling
from anydml.operators.powers import ElementWiseConstantPow as _ElementWiseConstantPow
from anydml.operators.powers import ElementWiseErf as _ElementWiseErf
from anydml.operators.powers import ElementWiseExp as _ElementWiseExp
from anydml.operators.powers import ElementWiseLog as _ElementWiseLog
from anydml.operators.powers import ElementWisePow as _ElementWisePow
from anydml.operators.powers import ElementWiseRecip as _ElementWiseRecip
from anydml.operators.powers import ElementWiseSqrt as _ElementWiseSqrt
from anydml.operators.quantization import ElementWiseDequantizeLinear as _ElementWiseDequantizeLinear
from anydml.operators.quantization import ElementWiseQuantizedLinearAdd as _ElementWiseQuantizedLinearAdd
from anydml.operators.quantization import ElementWiseQuantizeLinear as _ElementWiseQuantizeLinear
from anydml.operators.random_bits import RandomGenerator as _RandomGenerator
from anydml.operators.recurrent import Gru as _Gru
from anydml.operators.recurrent import Lstm as _Lstm
from anydml.operators.recurrent import Rnn as _Rnn
from anydml.operators.reduction import Argmax as _Argmax
from anydml.operators.reduction import Argmin as _Argmin
from anydml.operators.reduction import Reduce as _Reduce
from anydml.operators.resample import Resample as _Resample
from anydml.operators.resample import Resample1 as _Resample1
from anydml.operators.resample import Resample2 as _Resample2
from anydml.operators.resample import Resample3 as _Resample3
from anydml.operators.resample import ResampleGrad as _ResampleGrad
from anydml.operators.resample import ResampleGrad1 as _ResampleGrad1
from anydml.operators.roi_align import RoiAlign as _RoiAlign
from anydml.operators.roi_align import RoiAlign1 as _RoiAlign1
from anydml.operators.roi_align_grad import RoiAlignGrad as _RoiAlignGrad
from anydml.operators.roi_pooling import RoiPooling as _RoiPooling
from anydml.operators.rounding import ElementWiseCeil as _ElementWiseCeil
from anydml.operators.rounding import ElementWiseFloor as _ElementWiseFloor
from anydml.operators.rounding import ElementWiseRound as _ElementWiseRound
from anydml.operators.scanning import CumulativeProduct as _CumulativeProduct
from anydml.operators.scanning import CumulativeSummation as _CumulativeSummation
from anydml.operators.scanning import TopK as _TopK
from anydml.operators.scanning import TopK1 as _TopK1
from anydml.operators.scattering import ScatterElements as _ScatterElements
from anydml.operators.scattering import ScatterNd as _ScatterNd
from anydml.operators.slices import Slice as _Slice
from anydml.operators.slices import Slice1 as _Slice1
from anydml.operators.slices import SliceGrad as _SliceGrad
from anydml.operators.softmax import ActivationHardmax as _ActivationHardmax
from anydml.operators.softmax import ActivationHardmax1 as _ActivationHardmax1
from anydml.operators.softmax import ActivationLogSoftmax as _ActivationLogSoftmax
from anydml.operators.softmax import ActivationLogSoftmax1 as _ActivationLogSoftmax1
from anydml.operators.softmax import ActivationSoftmax as _ActivationSoftmax
from anydml.operators.softmax import ActivationSoftmax1 as _ActivationSoftmax1
from anydml.operators.trigonometry import ElementWiseAcos as _ElementWiseAcos
from anydml.operators.trigonometry import ElementWiseAcosh as _ElementWiseAcosh
from anydml.operators.trigonometry import ElementWiseAsin as _ElementWiseAsin
from anydml.operators.trigonometry import ElementWiseAsinh as _ElementWiseAsinh
from anydml.operators.trigonometry import ElementWiseAtan as _ElementWiseAtan
from anydml.operators.trigonometry import ElementWiseAtanh as _ElementWiseAtanh
from anydml.operators.trigonometry import ElementWiseAtanYx as _ElementWiseAtanYx
from anydml.operators.trigonometry import ElementWiseCos as _ElementWiseCos
from anydml.operators.trigonometry import ElementWiseCosh as _ElementWiseCosh
from anydml.operators.trigonometry import ElementWiseSin as _ElementWiseSin
from anydml.operators.trigonometry import ElementWiseSinh as _ElementWiseSinh
from anydml.operators.trigonometry import ElementWiseTan as _ElementWiseTan
from anydml.operators.trigonometry import ElementWiseTanh as _ElementWiseTanh

Number = TypeVar("Number")
Pair: TypeAlias = tuple[Number, Number] | list[Number] | Mapping[str, Number]
Activation: TypeAlias = Operator | type[Operator] | str | Mapping[str, Any]

Tensor: TypeAlias = TensorDesc | Mapping[str, Any]

class ActivationCelu(_ActivationCelu):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., alpha: float = ...
    ) -> None: ...

class ActivationElu(_ActivationElu):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., alpha: float = ...
    ) -> None: ...

class ActivationGelu(_ActivationGelu):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ActivationHardSigmoid(_ActivationHardSigmoid):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        alpha: float = ...,
        beta: float = ...,
    ) -> None: ...

class ActivationHardSwish(_ActivationHardSwish):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        alpha: float,
        beta: float,
    ) -> None: ...

class ActivationHardmax(_ActivationHardmax):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ActivationHardmax1(_ActivationHardmax1):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., axes: Sequence[int]
    ) -> None: ...

class ActivationIdentity(_ActivationIdentity):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ActivationLeakyRelu(_ActivationLeakyRelu):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., alpha: float = ...
    ) -> None: ...

class ActivationLinear(_ActivationLinear):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        alpha: float,
        beta: float,
    ) -> None: ...

class ActivationLogSoftmax(_ActivationLogSoftmax):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ActivationLogSoftmax1(_ActivationLogSoftmax1):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., axes: Sequence[int]
    ) -> None: ...

class ActivationParameterizedRelu(_ActivationParameterizedRelu):
    def __init__(
        self, *, input_tensor: Tensor, slope_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ActivationParametricSoftplus(_ActivationParametricSoftplus):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        alpha: float,
        beta: float,
    ) -> None: ...

class ActivationRelu(_ActivationRelu):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ActivationReluGrad(_ActivationReluGrad):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_gradient_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class ActivationScaledElu(_ActivationScaledElu):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        alpha: float = ...,
        gamma: float = ...,
    ) -> None: ...

class ActivationScaledTanh(_ActivationScaledTanh):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        alpha: float = ...,
        beta: float = ...,
    ) -> None: ...

class ActivationShrink(_ActivationShrink):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        bias: float = ...,
        threshold: float = ...,
    ) -> None: ...

class ActivationSigmoid(_ActivationSigmoid):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ActivationSoftmax(_ActivationSoftmax):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ActivationSoftmax1(_ActivationSoftmax1):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., axes: Sequence[int]
    ) -> None: ...

class ActivationSoftplus(_ActivationSoftplus):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., steepness: float = ...
    ) -> None: ...

class ActivationSoftsign(_ActivationSoftsign):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ActivationSwish(_ActivationSwish):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        sigmoid_input_scale: float,
    ) -> None: ...

class ActivationTanh(_ActivationTanh):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ActivationThresholdedRelu(_ActivationThresholdedRelu):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., alpha: float = ...
    ) -> None: ...

class AdamOptimizer(_AdamOptimizer):
    def __init__(
        self,
        *,
        input_parameters_tensor: Tensor,
        input_first_moment_tensor: Tensor,
        input_second_moment_tensor: Tensor,
        gradient_tensor: Tensor,
        training_step_tensor: Tensor,
        output_parameters_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_first_moment_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_second_moment_tensor: Tensor | TensorPolicy | bool | None = ...,
        learning_rate: float,
        beta1: float,
        beta2: float,
        epsilon: float,
    ) -> None: ...

class Argmax(_Argmax):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axes: Sequence[int],
        axis_direction: AxisDirection | str | int = ...,
    ) -> None: ...

class Argmin(_Argmin):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axes: Sequence[int],
        axis_direction: AxisDirection | str | int = ...,
    ) -> None: ...

class AveragePooling(_AveragePooling):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        include_padding: bool,
    ) -> None: ...

class AveragePooling1(_AveragePooling1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        include_padding: bool,
    ) -> None: ...

class AveragePoolingGrad(_AveragePoolingGrad):
    def __init__(
        self,
        *,
        input_gradient_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        include_padding: bool,
    ) -> None: ...

class BatchNormalization(_BatchNormalization):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        mean_tensor: Tensor,
        variance_tensor: Tensor,
        scale_tensor: Tensor,
        bias_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        spatial: bool,
        epsilon: float,
        fused_activation: Activation | None = ...,
    ) -> None: ...

class BatchNormalizationGrad(_BatchNormalizationGrad):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_gradient_tensor: Tensor,
        mean_tensor: Tensor,
        variance_tensor: Tensor,
        scale_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_scale_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_bias_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        epsilon: float | None = ...,
    ) -> None: ...

class BatchNormalizationTraining(_BatchNormalizationTraining):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        scale_tensor: Tensor,
        bias_tensor: Tensor,
        fused_add_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_mean_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_variance_tensor: Tensor | TensorPolicy | bool | None = ...,
        epsilon: float,
        fused_activation: Activation | None = ...,
    ) -> None: ...

class BatchNormalizationTrainingGrad(_BatchNormalizationTrainingGrad):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_gradient_tensor: Tensor,
        mean_tensor: Tensor,
        variance_tensor: Tensor,
        scale_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_scale_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_bias_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        epsilon: float,
    ) -> None: ...

class Cast(_Cast):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class Convolution(_Convolution):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        filter_tensor: Tensor,
        bias_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        mode: ConvolutionMode | str | int = ...,
        direction: ConvolutionDirection | str | int = ...,
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        output_padding: Sequence[int] = ...,
        group_count: int = ...,
        fused_activation: Activation | None = ...,
    ) -> None: ...

class ConvolutionInteger(_ConvolutionInteger):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_zero_point_tensor: Tensor | None = ...,
        filter_tensor: Tensor,
        filter_zero_point_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        group_count: int = ...,
    ) -> None: ...

class CumulativeProduct(_CumulativeProduct):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
        axis_direction: AxisDirection | str | int,
        has_exclusive_product: bool,
    ) -> None: ...

class CumulativeSummation(_CumulativeSummation):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
        axis_direction: AxisDirection | str | int,
        has_exclusive_sum: bool,
    ) -> None: ...

class DepthToSpace(_DepthToSpace):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., block_size: int
    ) -> None: ...

class DepthToSpace1(_DepthToSpace1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        block_size: int,
        order: DepthSpaceOrder | str | int = ...,
    ) -> None: ...

class Dequantize(_Dequantize):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        quantization_type: QuantizationType | str | int,
        quantization_tensors: Sequence[Tensor],
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class DiagonalMatrix(_DiagonalMatrix):
    def __init__(
        self, *, output_tensor: Tensor | TensorPolicy | bool | None = ..., offset: int = ..., value: float
    ) -> None: ...

class DiagonalMatrix1(_DiagonalMatrix1):
    def __init__(
        self,
        *,
        input_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        value_data_type: DataTypeLike,
        value: float,
        diagonal_fill_begin: int,
        diagonal_fill_end: int,
    ) -> None: ...

class DynamicQuantizeLinear(_DynamicQuantizeLinear):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_scale_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_zero_point_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class ElementWiseAbs(_ElementWiseAbs):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseAcos(_ElementWiseAcos):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseAcosh(_ElementWiseAcosh):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseAdd(_ElementWiseAdd):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseAdd1(_ElementWiseAdd1):
    def __init__(
        self,
        *,
        a_tensor: Tensor,
        b_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        fused_activation: Activation | None = ...,
    ) -> None: ...

class ElementWiseAsin(_ElementWiseAsin):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseAsinh(_ElementWiseAsinh):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseAtan(_ElementWiseAtan):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseAtanYx(_ElementWiseAtanYx):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseAtanh(_ElementWiseAtanh):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseBitAnd(_ElementWiseBitAnd):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseBitCount(_ElementWiseBitCount):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ElementWiseBitNot(_ElementWiseBitNot):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ElementWiseBitOr(_ElementWiseBitOr):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseBitShiftLeft(_ElementWiseBitShiftLeft):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseBitShiftRight(_ElementWiseBitShiftRight):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseBitXor(_ElementWiseBitXor):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseCeil(_ElementWiseCeil):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseClip(_ElementWiseClip):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
        min: float,
        max: float,
    ) -> None: ...

class ElementWiseClip1(_ElementWiseClip1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
        min_max_data_type: DataTypeLike,
        min: float,
        max: float,
    ) -> None: ...

class ElementWiseClipGrad(_ElementWiseClipGrad):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_gradient_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        min: float,
        max: float,
    ) -> None: ...

class ElementWiseClipGrad1(_ElementWiseClipGrad1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_gradient_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        min_max_data_type: DataTypeLike,
        min: float,
        max: float,
    ) -> None: ...

class ElementWiseConstantPow(_ElementWiseConstantPow):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
        exponent: float,
    ) -> None: ...

class ElementWiseCos(_ElementWiseCos):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseCosh(_ElementWiseCosh):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseDequantizeLinear(_ElementWiseDequantizeLinear):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        scale_tensor: Tensor,
        zero_point_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class ElementWiseDifferenceSquare(_ElementWiseDifferenceSquare):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseDivide(_ElementWiseDivide):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseErf(_ElementWiseErf):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseExp(_ElementWiseExp):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseFloor(_ElementWiseFloor):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseIdentity(_ElementWiseIdentity):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseIf(_ElementWiseIf):
    def __init__(
        self,
        *,
        condition_tensor: Tensor,
        a_tensor: Tensor,
        b_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class ElementWiseIsInfinity(_ElementWiseIsInfinity):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        infinity_mode: IsInfinityMode | str | int = ...,
    ) -> None: ...

class ElementWiseIsNan(_ElementWiseIsNan):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ElementWiseLog(_ElementWiseLog):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseLogicalAnd(_ElementWiseLogicalAnd):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseLogicalEquals(_ElementWiseLogicalEquals):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseLogicalGreaterThan(_ElementWiseLogicalGreaterThan):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseLogicalGreaterThanOrEqual(_ElementWiseLogicalGreaterThanOrEqual):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseLogicalLessThan(_ElementWiseLogicalLessThan):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseLogicalLessThanOrEqual(_ElementWiseLogicalLessThanOrEqual):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseLogicalNot(_ElementWiseLogicalNot):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ElementWiseLogicalOr(_ElementWiseLogicalOr):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseLogicalXor(_ElementWiseLogicalXor):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseMax(_ElementWiseMax):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseMean(_ElementWiseMean):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseMin(_ElementWiseMin):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseModulusFloor(_ElementWiseModulusFloor):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseModulusTruncate(_ElementWiseModulusTruncate):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseMultiply(_ElementWiseMultiply):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseNegate(_ElementWiseNegate):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ElementWisePow(_ElementWisePow):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        exponent_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseQuantizeLinear(_ElementWiseQuantizeLinear):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        scale_tensor: Tensor,
        zero_point_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class ElementWiseQuantizedLinearAdd(_ElementWiseQuantizedLinearAdd):
    def __init__(
        self,
        *,
        a_tensor: Tensor,
        a_scale_tensor: Tensor,
        a_zero_point_tensor: Tensor | None = ...,
        b_tensor: Tensor,
        b_scale_tensor: Tensor,
        b_zero_point_tensor: Tensor | None = ...,
        output_scale_tensor: Tensor,
        output_zero_point_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class ElementWiseRecip(_ElementWiseRecip):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseRound(_ElementWiseRound):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        rounding_mode: RoundingMode | str | int = ...,
    ) -> None: ...

class ElementWiseSign(_ElementWiseSign):
    def __init__(self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...) -> None: ...

class ElementWiseSin(_ElementWiseSin):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseSinh(_ElementWiseSinh):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseSqrt(_ElementWiseSqrt):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseSubtract(_ElementWiseSubtract):
    def __init__(
        self, *, a_tensor: Tensor, b_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class ElementWiseTan(_ElementWiseTan):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseTanh(_ElementWiseTanh):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
    ) -> None: ...

class ElementWiseThreshold(_ElementWiseThreshold):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_bias: Pair[float] | None = ...,
        min: float,
    ) -> None: ...

class FillValueConstant(_FillValueConstant):
    def __init__(
        self, *, output_tensor: Tensor | TensorPolicy | bool | None = ..., value_data_type: DataTypeLike, value: float
    ) -> None: ...

class FillValueSequence(_FillValueSequence):
    def __init__(
        self,
        *,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        value_data_type: DataTypeLike,
        value_start: float,
        value_delta: float,
    ) -> None: ...

class Fold(_Fold):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        window_sizes: Sequence[int],
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
    ) -> None: ...

class Gather(_Gather):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        indices_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
        index_dimensions: int,
    ) -> None: ...

class GatherElements(_GatherElements):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        indices_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
    ) -> None: ...

class GatherNd(_GatherNd):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        indices_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        input_dimension_count: int,
        indices_dimension_count: int,
    ) -> None: ...

class GatherNd1(_GatherNd1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        indices_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        input_dimension_count: int,
        indices_dimension_count: int,
        batch_dimension_count: int,
    ) -> None: ...

class Gemm(_Gemm):
    def __init__(
        self,
        *,
        a_tensor: Tensor,
        b_tensor: Tensor,
        c_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        trans_a: MatrixTransform | str | int = ...,
        trans_b: MatrixTransform | str | int = ...,
        alpha: float = ...,
        beta: float = ...,
        fused_activation: Activation | None = ...,
    ) -> None: ...

class Gru(_Gru):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        weight_tensor: Tensor,
        recurrence_tensor: Tensor,
        bias_tensor: Tensor | None = ...,
        hidden_init_tensor: Tensor | None = ...,
        sequence_lengths_tensor: Tensor | None = ...,
        output_sequence_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_single_tensor: Tensor | TensorPolicy | bool | None = ...,
        activation_descs: Sequence[Activation],
        direction: RecurrentNetworkDirection | str | int,
        linear_before_reset: bool,
    ) -> None: ...

class Join(_Join):
    def __init__(
        self, *, input_tensors: Sequence[Tensor], output_tensor: Tensor | TensorPolicy | bool | None = ..., axis: int
    ) -> None: ...

class LocalResponseNormalization(_LocalResponseNormalization):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        cross_channel: bool,
        local_size: int,
        alpha: float,
        beta: float,
        bias: float,
    ) -> None: ...

class LocalResponseNormalizationGrad(_LocalResponseNormalizationGrad):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_gradient_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        cross_channel: bool,
        local_size: int,
        alpha: float,
        beta: float,
        bias: float,
    ) -> None: ...

class LpNormalization(_LpNormalization):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
        epsilon: float,
        p: int,
    ) -> None: ...

class LpPooling(_LpPooling):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        p: int,
    ) -> None: ...

class LpPooling1(_LpPooling1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        p: int,
    ) -> None: ...

class Lstm(_Lstm):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        weight_tensor: Tensor,
        recurrence_tensor: Tensor,
        bias_tensor: Tensor | None = ...,
        hidden_init_tensor: Tensor | None = ...,
        cell_mem_init_tensor: Tensor | None = ...,
        sequence_lengths_tensor: Tensor | None = ...,
        peephole_tensor: Tensor | None = ...,
        output_sequence_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_single_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_cell_single_tensor: Tensor | TensorPolicy | bool | None = ...,
        activation_descs: Sequence[Activation],
        direction: RecurrentNetworkDirection | str | int,
        clip_threshold: float,
        use_clip_threshold: bool,
        couple_input_forget: bool,
    ) -> None: ...

class MatrixMultiplyInteger(_MatrixMultiplyInteger):
    def __init__(
        self,
        *,
        a_tensor: Tensor,
        a_zero_point_tensor: Tensor | None = ...,
        b_tensor: Tensor,
        b_zero_point_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class MatrixMultiplyIntegerToFloat(_MatrixMultiplyIntegerToFloat):
    def __init__(
        self,
        *,
        a_tensor: Tensor,
        a_scale_tensor: Tensor,
        a_zero_point_tensor: Tensor | None = ...,
        b_tensor: Tensor,
        b_scale_tensor: Tensor,
        b_zero_point_tensor: Tensor | None = ...,
        bias_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class MaxPooling(_MaxPooling):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
    ) -> None: ...

class MaxPooling1(_MaxPooling1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_indices_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
    ) -> None: ...

class MaxPooling2(_MaxPooling2):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_indices_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
    ) -> None: ...

class MaxPoolingGrad(_MaxPoolingGrad):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_gradient_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
    ) -> None: ...

class MaxUnpooling(_MaxUnpooling):
    def __init__(
        self, *, input_tensor: Tensor, indices_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ...
    ) -> None: ...

class MeanVarianceNormalization(_MeanVarianceNormalization):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        scale_tensor: Tensor | None = ...,
        bias_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        cross_channel: bool,
        normalize_variance: bool,
        epsilon: float,
        fused_activation: Activation | None = ...,
    ) -> None: ...

class MeanVarianceNormalization1(_MeanVarianceNormalization1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        scale_tensor: Tensor | None = ...,
        bias_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axes: Sequence[int],
        normalize_variance: bool,
        epsilon: float,
        fused_activation: Activation | None = ...,
    ) -> None: ...

class MeanVarianceNormalization2(_MeanVarianceNormalization2):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        scale_tensor: Tensor | None = ...,
        bias_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axes: Sequence[int],
        use_mean: bool,
        use_variance: bool,
        epsilon: float,
        fused_activation: Activation | None = ...,
    ) -> None: ...

class MultiheadAttention(_MultiheadAttention):
    def __init__(
        self,
        *,
        query_tensor: Tensor | None = ...,
        key_tensor: Tensor | None = ...,
        value_tensor: Tensor | None = ...,
        stacked_query_key_tensor: Tensor | None = ...,
        stacked_key_value_tensor: Tensor | None = ...,
        stacked_query_key_value_tensor: Tensor | None = ...,
        bias_tensor: Tensor | None = ...,
        mask_tensor: Tensor | None = ...,
        relative_position_bias_tensor: Tensor | None = ...,
        past_key_tensor: Tensor | None = ...,
        past_value_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_present_key_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_present_value_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale: float,
        mask_filter_value: float,
        head_count: int,
        mask_type: MultiheadAttentionMaskType | str | int,
    ) -> None: ...

class MultiheadAttention1(_MultiheadAttention1):
    def __init__(
        self,
        *,
        query_tensor: Tensor | None = ...,
        key_tensor: Tensor | None = ...,
        value_tensor: Tensor | None = ...,
        stacked_query_key_tensor: Tensor | None = ...,
        stacked_key_value_tensor: Tensor | None = ...,
        stacked_query_key_value_tensor: Tensor | None = ...,
        bias_tensor: Tensor | None = ...,
        mask_tensor: Tensor | None = ...,
        relative_position_bias_tensor: Tensor | None = ...,
        past_key_tensor: Tensor | None = ...,
        past_value_tensor: Tensor | None = ...,
        past_sequence_lengths_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_present_key_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_present_value_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale: float,
        mask_filter_value: float,
        query_head_count: int,
        key_value_head_count: int,
        mask_type: MultiheadAttentionMaskType | str | int,
    ) -> None: ...

class NonzeroCoordinates(_NonzeroCoordinates):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_count_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_coordinates_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class OneHot(_OneHot):
    def __init__(
        self,
        *,
        indices_tensor: Tensor,
        values_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
    ) -> None: ...

class Padding(_Padding):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        padding_mode: PaddingMode | str | int,
        padding_value: float,
        start_padding: Sequence[int],
        end_padding: Sequence[int],
    ) -> None: ...

class Padding1(_Padding1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        padding_mode: PaddingMode | str | int,
        padding_value_data_type: DataTypeLike,
        padding_value: float,
        start_padding: Sequence[int],
        end_padding: Sequence[int],
    ) -> None: ...

class Quantize(_Quantize):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        quantization_type: QuantizationType | str | int,
        quantization_tensors: Sequence[Tensor],
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class QuantizedLinearAveragePooling(_QuantizedLinearAveragePooling):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_scale_tensor: Tensor,
        input_zero_point_tensor: Tensor | None = ...,
        output_scale_tensor: Tensor,
        output_zero_point_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        window_size: Sequence[int],
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        include_padding: bool,
    ) -> None: ...

class QuantizedLinearConvolution(_QuantizedLinearConvolution):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        input_scale_tensor: Tensor,
        input_zero_point_tensor: Tensor | None = ...,
        filter_tensor: Tensor,
        filter_scale_tensor: Tensor,
        filter_zero_point_tensor: Tensor | None = ...,
        bias_tensor: Tensor | None = ...,
        output_scale_tensor: Tensor,
        output_zero_point_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
        group_count: int = ...,
    ) -> None: ...

class QuantizedLinearMatrixMultiply(_QuantizedLinearMatrixMultiply):
    def __init__(
        self,
        *,
        a_tensor: Tensor,
        a_scale_tensor: Tensor,
        a_zero_point_tensor: Tensor | None = ...,
        b_tensor: Tensor,
        b_scale_tensor: Tensor,
        b_zero_point_tensor: Tensor | None = ...,
        output_scale_tensor: Tensor,
        output_zero_point_tensor: Tensor | None = ...,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
    ) -> None: ...

class RandomGenerator(_RandomGenerator):
    def __init__(
        self,
        *,
        input_state_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_state_tensor: Tensor | TensorPolicy | bool | None = ...,
        type: RandomGeneratorType | str | int = ...,
    ) -> None: ...

class Reduce(_Reduce):
    def __init__(
        self,
        *,
        function: ReduceFunction | str | int,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axes: Sequence[int],
    ) -> None: ...

class Resample(_Resample):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        interpolation_mode: InterpolationMode | str | int,
        scales: Sequence[float],
    ) -> None: ...

class Resample1(_Resample1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        interpolation_mode: InterpolationMode | str | int,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float] = ...,
        output_pixel_offsets: Sequence[float] = ...,
    ) -> None: ...

class Resample2(_Resample2):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        interpolation_mode: InterpolationMode | str | int,
        rounding_direction: AxisDirection | str | int = ...,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float] = ...,
        output_pixel_offsets: Sequence[float] = ...,
    ) -> None: ...

class Resample3(_Resample3):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        interpolation_mode: InterpolationMode | str | int,
        rounding_direction: AxisDirection | str | int = ...,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float] = ...,
        output_pixel_offsets: Sequence[float] = ...,
        antialiased: bool = ...,
    ) -> None: ...

class ResampleGrad(_ResampleGrad):
    def __init__(
        self,
        *,
        input_gradient_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        interpolation_mode: InterpolationMode | str | int,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float] = ...,
        output_pixel_offsets: Sequence[float] = ...,
    ) -> None: ...

class ResampleGrad1(_ResampleGrad1):
    def __init__(
        self,
        *,
        input_gradient_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        interpolation_mode: InterpolationMode | str | int,
        rounding_direction: AxisDirection | str | int = ...,
        scales: Sequence[float],
        input_pixel_offsets: Sequence[float] = ...,
        output_pixel_offsets: Sequence[float] = ...,
    ) -> None: ...

class ReverseSubsequences(_ReverseSubsequences):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        sequence_lengths_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
    ) -> None: ...

class Rnn(_Rnn):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        weight_tensor: Tensor,
        recurrence_tensor: Tensor,
        bias_tensor: Tensor | None = ...,
        hidden_init_tensor: Tensor | None = ...,
        sequence_lengths_tensor: Tensor | None = ...,
        output_sequence_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_single_tensor: Tensor | TensorPolicy | bool | None = ...,
        activation_descs: Sequence[Activation],
        direction: RecurrentNetworkDirection | str | int,
    ) -> None: ...

class RoiAlign(_RoiAlign):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        roi_tensor: Tensor,
        batch_indices_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        reduction_function: ReduceFunction | str | int,
        interpolation_mode: InterpolationMode | str | int,
        spatial_scale_x: float,
        spatial_scale_y: float,
        out_of_bounds_input_value: float,
        minimum_samples_per_output: int,
        maximum_samples_per_output: int,
    ) -> None: ...

class RoiAlign1(_RoiAlign1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        roi_tensor: Tensor,
        batch_indices_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        reduction_function: ReduceFunction | str | int,
        interpolation_mode: InterpolationMode | str | int,
        spatial_scale_x: float,
        spatial_scale_y: float,
        input_pixel_offset: float,
        output_pixel_offset: float,
        out_of_bounds_input_value: float,
        minimum_samples_per_output: int,
        maximum_samples_per_output: int,
        align_regions_to_corners: bool,
    ) -> None: ...

class RoiAlignGrad(_RoiAlignGrad):
    def __init__(
        self,
        *,
        input_tensor: Tensor | None = ...,
        input_gradient_tensor: Tensor,
        roi_tensor: Tensor,
        batch_indices_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_roi_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        reduction_function: ReduceFunction | str | int,
        interpolation_mode: InterpolationMode | str | int,
        spatial_scale_x: float,
        spatial_scale_y: float,
        input_pixel_offset: float,
        output_pixel_offset: float,
        minimum_samples_per_output: int,
        maximum_samples_per_output: int,
        align_regions_to_corners: bool,
    ) -> None: ...

class RoiPooling(_RoiPooling):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        roi_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        spatial_scale: float = ...,
        pooled_size: Pair[int],
    ) -> None: ...

class ScatterElements(_ScatterElements):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        indices_tensor: Tensor,
        updates_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
    ) -> None: ...

class ScatterNd(_ScatterNd):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        indices_tensor: Tensor,
        updates_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        input_dimension_count: int,
        indices_dimension_count: int,
    ) -> None: ...

class Slice(_Slice):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        offsets: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
    ) -> None: ...

class Slice1(_Slice1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        input_window_offsets: Sequence[int],
        input_window_sizes: Sequence[int],
        input_window_strides: Sequence[int],
    ) -> None: ...

class SliceGrad(_SliceGrad):
    def __init__(
        self,
        *,
        input_gradient_tensor: Tensor,
        output_gradient_tensor: Tensor | TensorPolicy | bool | None = ...,
        input_window_offsets: Sequence[int],
        input_window_sizes: Sequence[int],
        input_window_strides: Sequence[int],
    ) -> None: ...

class SpaceToDepth(_SpaceToDepth):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., block_size: int
    ) -> None: ...

class SpaceToDepth1(_SpaceToDepth1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        block_size: int,
        order: DepthSpaceOrder | str | int = ...,
    ) -> None: ...

class Split(_Split):
    def __init__(
        self, *, input_tensor: Tensor, output_tensors: Sequence[Tensor] | TensorPolicy | bool | None = ..., axis: int
    ) -> None: ...

class Tile(_Tile):
    def __init__(
        self, *, input_tensor: Tensor, output_tensor: Tensor | TensorPolicy | bool | None = ..., repeats: Sequence[int]
    ) -> None: ...

class TopK(_TopK):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_value_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_index_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
        k: int,
    ) -> None: ...

class TopK1(_TopK1):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_value_tensor: Tensor | TensorPolicy | bool | None = ...,
        output_index_tensor: Tensor | TensorPolicy | bool | None = ...,
        axis: int,
        k: int,
        axis_direction: AxisDirection | str | int,
    ) -> None: ...

class Unfold(_Unfold):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        window_sizes: Sequence[int],
        strides: Sequence[int] = ...,
        dilations: Sequence[int] = ...,
        start_padding: Sequence[int] = ...,
        end_padding: Sequence[int] = ...,
    ) -> None: ...

class Upsample2D(_Upsample2D):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale_size: Pair[int],
        interpolation_mode: InterpolationMode | str | int,
    ) -> None: ...

class ValueScale2D(_ValueScale2D):
    def __init__(
        self,
        *,
        input_tensor: Tensor,
        output_tensor: Tensor | TensorPolicy | bool | None = ...,
        scale: float,
        bias: Sequence[float],
    ) -> None: ...
