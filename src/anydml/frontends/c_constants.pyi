# Written by scripts/stubs; change an operator where it is declared.
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, SupportsIndex

from anydml.core.datatype import DataType, DataTypeLike
from anydml.core.enums import (
    AxisDirection,
    BindingType,
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
    ExecutionFlags,
)
from anydml.core.levels import FeatureLevel
from anydml.core.tensor import TensorDesc, TensorFlags
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
    OutputLike,
    TensorLike,
    ActivationCelu,
    ActivationElu,
    ActivationGelu,
    ActivationHardSigmoid,
    ActivationHardSwish,
    ActivationHardmax,
    ActivationHardmax1,
    ActivationIdentity,
    ActivationLeakyRelu,
    ActivationLinear,
    ActivationLogSoftmax,
    ActivationLogSoftmax1,
    ActivationParameterizedRelu,
    ActivationParametricSoftplus,
    ActivationRelu,
    ActivationReluGrad,
    ActivationScaledElu,
    ActivationScaledTanh,
    ActivationShrink,
    ActivationSigmoid,
    ActivationSoftmax,
    ActivationSoftmax1,
    ActivationSoftplus,
    ActivationSoftsign,
    ActivationSwish,
    ActivationTanh,
    ActivationThresholdedRelu,
    AdamOptimizer,
    Argmax,
    Argmin,
    AveragePooling,
    AveragePooling1,
    AveragePoolingGrad,
    BatchNormalization,
    BatchNormalizationGrad,
    BatchNormalizationTraining,
    BatchNormalizationTrainingGrad,
    Cast,
    Convolution,
    ConvolutionInteger,
    CumulativeProduct,
    CumulativeSummation,
    DepthToSpace,
    DepthToSpace1,
    Dequantize,
    DiagonalMatrix,
    DiagonalMatrix1,
    DynamicQuantizeLinear,
    ElementWiseAbs,
    ElementWiseAcos,
    ElementWiseAcosh,
    ElementWiseAdd,
    ElementWiseAdd1,
    ElementWiseAsin,
    ElementWiseAsinh,
    ElementWiseAtan,
    ElementWiseAtanYx,
    ElementWiseAtanh,
    ElementWiseBitAnd,
    ElementWiseBitCount,
    ElementWiseBitNot,
    ElementWiseBitOr,
    ElementWiseBitShiftLeft,
    ElementWiseBitShiftRight,
    ElementWiseBitXor,
    ElementWiseCeil,
    ElementWiseClip,
    ElementWiseClip1,
    ElementWiseClipGrad,
    ElementWiseClipGrad1,
    ElementWiseConstantPow,
    ElementWiseCos,
    ElementWiseCosh,
    ElementWiseDequantizeLinear,
    ElementWiseDifferenceSquare,
    ElementWiseDivide,
    ElementWiseErf,
    ElementWiseExp,
    ElementWiseFloor,
    ElementWiseIdentity,
    ElementWiseIf,
    ElementWiseIsInfinity,
    ElementWiseIsNan,
    ElementWiseLog,
    ElementWiseLogicalAnd,
    ElementWiseLogicalEquals,
    ElementWiseLogicalGreaterThan,
    ElementWiseLogicalGreaterThanOrEqual,
    ElementWiseLogicalLessThan,
    ElementWiseLogicalLessThanOrEqual,
    ElementWiseLogicalNot,
    ElementWiseLogicalOr,
    ElementWiseLogicalXor,
    ElementWiseMax,
    ElementWiseMean,
    ElementWiseMin,
    ElementWiseModulusFloor,
    ElementWiseModulusTruncate,
    ElementWiseMultiply,
    ElementWiseNegate,
    ElementWisePow,
    ElementWiseQuantizeLinear,
    ElementWiseQuantizedLinearAdd,
    ElementWiseRecip,
    ElementWiseRound,
    ElementWiseSign,
    ElementWiseSin,
    ElementWiseSinh,
    ElementWiseSqrt,
    ElementWiseSubtract,
    ElementWiseTan,
    ElementWiseTanh,
    ElementWiseThreshold,
    FillValueConstant,
    FillValueSequence,
    Fold,
    Gather,
    GatherElements,
    GatherNd,
    GatherNd1,
    Gemm,
    Gru,
    Join,
    LocalResponseNormalization,
    LocalResponseNormalizationGrad,
    LpNormalization,
    LpPooling,
    LpPooling1,
    Lstm,
    MatrixMultiplyInteger,
    MatrixMultiplyIntegerToFloat,
    MaxPooling,
    MaxPooling1,
    MaxPooling2,
    MaxPoolingGrad,
    MaxUnpooling,
    MeanVarianceNormalization,
    MeanVarianceNormalization1,
    MeanVarianceNormalization2,
    MultiheadAttention,
    MultiheadAttention1,
    NonzeroCoordinates,
    OneHot,
    Padding,
    Padding1,
    Quantize,
    QuantizedLinearAveragePooling,
    QuantizedLinearConvolution,
    QuantizedLinearMatrixMultiply,
    RandomGenerator,
    Reduce,
    Resample,
    Resample1,
    Resample2,
    Resample3,
    ResampleGrad,
    ResampleGrad1,
    ReverseSubsequences,
    Rnn,
    RoiAlign,
    RoiAlign1,
    RoiAlignGrad,
    RoiPooling,
    ScatterElements,
    ScatterNd,
    Slice,
    Slice1,
    SliceGrad,
    SpaceToDepth,
    SpaceToDepth1,
    Split,
    Tile,
    TopK,
    TopK1,
    Unfold,
    Upsample2D,
    ValueScale2D,
)

DML_BUFFER_TENSOR_DESC = TensorDesc
DML_TENSOR_DATA_TYPE_FLOAT32: Final[DataType]
DML_TENSOR_DATA_TYPE_FLOAT16: Final[DataType]
DML_TENSOR_DATA_TYPE_UINT32: Final[DataType]
DML_TENSOR_DATA_TYPE_UINT16: Final[DataType]
DML_TENSOR_DATA_TYPE_UINT8: Final[DataType]
DML_TENSOR_DATA_TYPE_INT32: Final[DataType]
DML_TENSOR_DATA_TYPE_INT16: Final[DataType]
DML_TENSOR_DATA_TYPE_INT8: Final[DataType]
DML_TENSOR_DATA_TYPE_FLOAT64: Final[DataType]
DML_TENSOR_DATA_TYPE_UINT64: Final[DataType]
DML_TENSOR_DATA_TYPE_INT64: Final[DataType]
DML_TENSOR_DATA_TYPE_UINT4: Final[DataType]
DML_TENSOR_DATA_TYPE_INT4: Final[DataType]
DML_FEATURE_LEVEL_1_0: Final[FeatureLevel]
DML_FEATURE_LEVEL_2_0: Final[FeatureLevel]
DML_FEATURE_LEVEL_2_1: Final[FeatureLevel]
DML_FEATURE_LEVEL_3_0: Final[FeatureLevel]
DML_FEATURE_LEVEL_3_1: Final[FeatureLevel]
DML_FEATURE_LEVEL_4_0: Final[FeatureLevel]
DML_FEATURE_LEVEL_4_1: Final[FeatureLevel]
DML_FEATURE_LEVEL_5_0: Final[FeatureLevel]
DML_FEATURE_LEVEL_5_1: Final[FeatureLevel]
DML_FEATURE_LEVEL_5_2: Final[FeatureLevel]
DML_FEATURE_LEVEL_6_0: Final[FeatureLevel]
DML_FEATURE_LEVEL_6_1: Final[FeatureLevel]
DML_FEATURE_LEVEL_6_2: Final[FeatureLevel]
DML_FEATURE_LEVEL_6_3: Final[FeatureLevel]
DML_FEATURE_LEVEL_6_4: Final[FeatureLevel]
DML_TENSOR_FLAG_NONE: Final[TensorFlags]
DML_TENSOR_FLAG_OWNED_BY_DML: Final[TensorFlags]
DML_EXECUTION_FLAG_NONE: Final[ExecutionFlags]
DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION: Final[ExecutionFlags]
DML_EXECUTION_FLAG_DISABLE_META_COMMANDS: Final[ExecutionFlags]
DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE: Final[ExecutionFlags]
DML_REDUCE_FUNCTION_ARGMAX: Final[ReduceFunction]
DML_REDUCE_FUNCTION_ARGMIN: Final[ReduceFunction]
DML_REDUCE_FUNCTION_AVERAGE: Final[ReduceFunction]
DML_REDUCE_FUNCTION_L1: Final[ReduceFunction]
DML_REDUCE_FUNCTION_L2: Final[ReduceFunction]
DML_REDUCE_FUNCTION_LOG_SUM: Final[ReduceFunction]
DML_REDUCE_FUNCTION_LOG_SUM_EXP: Final[ReduceFunction]
DML_REDUCE_FUNCTION_MAX: Final[ReduceFunction]
DML_REDUCE_FUNCTION_MIN: Final[ReduceFunction]
DML_REDUCE_FUNCTION_MULTIPLY: Final[ReduceFunction]
DML_REDUCE_FUNCTION_SUM: Final[ReduceFunction]
DML_REDUCE_FUNCTION_SUM_SQUARE: Final[ReduceFunction]
DML_MATRIX_TRANSFORM_NONE: Final[MatrixTransform]
DML_MATRIX_TRANSFORM_TRANSPOSE: Final[MatrixTransform]
DML_CONVOLUTION_MODE_CONVOLUTION: Final[ConvolutionMode]
DML_CONVOLUTION_MODE_CROSS_CORRELATION: Final[ConvolutionMode]
DML_CONVOLUTION_DIRECTION_FORWARD: Final[ConvolutionDirection]
DML_CONVOLUTION_DIRECTION_BACKWARD: Final[ConvolutionDirection]
DML_PADDING_MODE_CONSTANT: Final[PaddingMode]
DML_PADDING_MODE_EDGE: Final[PaddingMode]
DML_PADDING_MODE_REFLECTION: Final[PaddingMode]
DML_PADDING_MODE_SYMMETRIC: Final[PaddingMode]
DML_PADDING_MODE_WRAP: Final[PaddingMode]
DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR: Final[InterpolationMode]
DML_INTERPOLATION_MODE_LINEAR: Final[InterpolationMode]
DML_RECURRENT_NETWORK_DIRECTION_FORWARD: Final[RecurrentNetworkDirection]
DML_RECURRENT_NETWORK_DIRECTION_BACKWARD: Final[RecurrentNetworkDirection]
DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL: Final[RecurrentNetworkDirection]
DML_ROUNDING_MODE_HALVES_TO_NEAREST_EVEN: Final[RoundingMode]
DML_ROUNDING_MODE_TOWARD_ZERO: Final[RoundingMode]
DML_ROUNDING_MODE_TOWARD_INFINITY: Final[RoundingMode]
DML_IS_INFINITY_MODE_EITHER: Final[IsInfinityMode]
DML_IS_INFINITY_MODE_POSITIVE: Final[IsInfinityMode]
DML_IS_INFINITY_MODE_NEGATIVE: Final[IsInfinityMode]
DML_AXIS_DIRECTION_INCREASING: Final[AxisDirection]
DML_AXIS_DIRECTION_DECREASING: Final[AxisDirection]
DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW: Final[DepthSpaceOrder]
DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH: Final[DepthSpaceOrder]
DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE: Final[MultiheadAttentionMaskType]
DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_LENGTH: Final[MultiheadAttentionMaskType]
DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START: Final[MultiheadAttentionMaskType]
DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_QUERY_SEQUENCE_LENGTH_START_END: Final[MultiheadAttentionMaskType]
DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN: Final[MultiheadAttentionMaskType]
DML_QUANTIZATION_TYPE_NONE: Final[QuantizationType]
DML_QUANTIZATION_TYPE_SCALE: Final[QuantizationType]
DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT: Final[QuantizationType]
DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10: Final[RandomGeneratorType]
DML_BINDING_TYPE_NONE: Final[BindingType]
DML_BINDING_TYPE_BUFFER: Final[BindingType]
DML_BINDING_TYPE_BUFFER_ARRAY: Final[BindingType]
DML_TENSOR_TYPE_BUFFER: Final[str]
DML_TENSOR_DIMENSION_COUNT_MAX: Final[int]
DML_TENSOR_DIMENSION_COUNT_MAX1: Final[int]
DML_TEMPORARY_BUFFER_ALIGNMENT: Final[int]
DML_PERSISTENT_BUFFER_ALIGNMENT: Final[int]
DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT: Final[int]
DML_OPERATOR_ACTIVATION_ELU: type[ActivationElu]
DML_OPERATOR_ACTIVATION_HARD_SIGMOID: type[ActivationHardSigmoid]
DML_OPERATOR_ACTIVATION_IDENTITY: type[ActivationIdentity]
DML_OPERATOR_ACTIVATION_LEAKY_RELU: type[ActivationLeakyRelu]
DML_OPERATOR_ACTIVATION_LINEAR: type[ActivationLinear]
DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU: type[ActivationParameterizedRelu]
DML_OPERATOR_ACTIVATION_PARAMETRIC_SOFTPLUS: type[ActivationParametricSoftplus]
DML_OPERATOR_ACTIVATION_RELU: type[ActivationRelu]
DML_OPERATOR_ACTIVATION_SCALED_ELU: type[ActivationScaledElu]
DML_OPERATOR_ACTIVATION_SCALED_TANH: type[ActivationScaledTanh]
DML_OPERATOR_ACTIVATION_SIGMOID: type[ActivationSigmoid]
DML_OPERATOR_ACTIVATION_SOFTPLUS: type[ActivationSoftplus]
DML_OPERATOR_ACTIVATION_SOFTSIGN: type[ActivationSoftsign]
DML_OPERATOR_ACTIVATION_TANH: type[ActivationTanh]
DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU: type[ActivationThresholdedRelu]
DML_OPERATOR_ACTIVATION_SHRINK: type[ActivationShrink]
DML_OPERATOR_ACTIVATION_CELU: type[ActivationCelu]
DML_OPERATOR_ACTIVATION_RELU_GRAD: type[ActivationReluGrad]
DML_OPERATOR_ACTIVATION_GELU: type[ActivationGelu]
DML_OPERATOR_ACTIVATION_SWISH: type[ActivationSwish]
DML_OPERATOR_ACTIVATION_HARD_SWISH: type[ActivationHardSwish]
DML_OPERATOR_ELEMENT_WISE_ADD: type[ElementWiseAdd]
DML_OPERATOR_ELEMENT_WISE_ADD1: type[ElementWiseAdd1]
DML_OPERATOR_ELEMENT_WISE_SUBTRACT: type[ElementWiseSubtract]
DML_OPERATOR_ELEMENT_WISE_MULTIPLY: type[ElementWiseMultiply]
DML_OPERATOR_ELEMENT_WISE_DIVIDE: type[ElementWiseDivide]
DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE: type[ElementWiseModulusTruncate]
DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR: type[ElementWiseModulusFloor]
DML_OPERATOR_ELEMENT_WISE_MAX: type[ElementWiseMax]
DML_OPERATOR_ELEMENT_WISE_MIN: type[ElementWiseMin]
DML_OPERATOR_ELEMENT_WISE_MEAN: type[ElementWiseMean]
DML_OPERATOR_ELEMENT_WISE_DIFFERENCE_SQUARE: type[ElementWiseDifferenceSquare]
DML_OPERATOR_ELEMENT_WISE_ABS: type[ElementWiseAbs]
DML_OPERATOR_ELEMENT_WISE_NEGATE: type[ElementWiseNegate]
DML_OPERATOR_ELEMENT_WISE_SIGN: type[ElementWiseSign]
DML_OPERATOR_MULTIHEAD_ATTENTION: type[MultiheadAttention]
DML_OPERATOR_MULTIHEAD_ATTENTION1: type[MultiheadAttention1]
DML_OPERATOR_BATCH_NORMALIZATION: type[BatchNormalization]
DML_OPERATOR_BATCH_NORMALIZATION_TRAINING: type[BatchNormalizationTraining]
DML_OPERATOR_BATCH_NORMALIZATION_GRAD: type[BatchNormalizationGrad]
DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD: type[BatchNormalizationTrainingGrad]
DML_OPERATOR_ELEMENT_WISE_BIT_AND: type[ElementWiseBitAnd]
DML_OPERATOR_ELEMENT_WISE_BIT_OR: type[ElementWiseBitOr]
DML_OPERATOR_ELEMENT_WISE_BIT_XOR: type[ElementWiseBitXor]
DML_OPERATOR_ELEMENT_WISE_BIT_NOT: type[ElementWiseBitNot]
DML_OPERATOR_ELEMENT_WISE_BIT_COUNT: type[ElementWiseBitCount]
DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_LEFT: type[ElementWiseBitShiftLeft]
DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT: type[ElementWiseBitShiftRight]
DML_OPERATOR_QUANTIZE: type[Quantize]
DML_OPERATOR_DEQUANTIZE: type[Dequantize]
DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR: type[DynamicQuantizeLinear]
DML_OPERATOR_CONVOLUTION: type[Convolution]
DML_OPERATOR_NONZERO_COORDINATES: type[NonzeroCoordinates]
DML_OPERATOR_FILL_VALUE_CONSTANT: type[FillValueConstant]
DML_OPERATOR_FILL_VALUE_SEQUENCE: type[FillValueSequence]
DML_OPERATOR_DIAGONAL_MATRIX: type[DiagonalMatrix]
DML_OPERATOR_DIAGONAL_MATRIX1: type[DiagonalMatrix1]
DML_OPERATOR_ONE_HOT: type[OneHot]
DML_OPERATOR_DEPTH_TO_SPACE: type[DepthToSpace]
DML_OPERATOR_DEPTH_TO_SPACE1: type[DepthToSpace1]
DML_OPERATOR_SPACE_TO_DEPTH: type[SpaceToDepth]
DML_OPERATOR_SPACE_TO_DEPTH1: type[SpaceToDepth1]
DML_OPERATOR_UNFOLD: type[Unfold]
DML_OPERATOR_FOLD: type[Fold]
DML_OPERATOR_GATHER: type[Gather]
DML_OPERATOR_GATHER_ELEMENTS: type[GatherElements]
DML_OPERATOR_GATHER_ND1: type[GatherNd1]
DML_OPERATOR_GATHER_ND: type[GatherNd]
DML_OPERATOR_UPSAMPLE_2D: type[Upsample2D]
DML_OPERATOR_VALUE_SCALE_2D: type[ValueScale2D]
DML_OPERATOR_MATRIX_MULTIPLY_INTEGER: type[MatrixMultiplyInteger]
DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT: type[MatrixMultiplyIntegerToFloat]
DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY: type[QuantizedLinearMatrixMultiply]
DML_OPERATOR_CONVOLUTION_INTEGER: type[ConvolutionInteger]
DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION: type[QuantizedLinearConvolution]
DML_OPERATOR_ELEMENT_WISE_CLIP: type[ElementWiseClip]
DML_OPERATOR_ELEMENT_WISE_CLIP1: type[ElementWiseClip1]
DML_OPERATOR_ELEMENT_WISE_THRESHOLD: type[ElementWiseThreshold]
DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD: type[ElementWiseClipGrad]
DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1: type[ElementWiseClipGrad1]
DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS: type[ElementWiseLogicalEquals]
DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN: type[ElementWiseLogicalGreaterThan]
DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN: type[ElementWiseLogicalLessThan]
DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL: type[ElementWiseLogicalGreaterThanOrEqual]
DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL: type[ElementWiseLogicalLessThanOrEqual]
DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND: type[ElementWiseLogicalAnd]
DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR: type[ElementWiseLogicalOr]
DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR: type[ElementWiseLogicalXor]
DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT: type[ElementWiseLogicalNot]
DML_OPERATOR_ELEMENT_WISE_IS_NAN: type[ElementWiseIsNan]
DML_OPERATOR_ELEMENT_WISE_IS_INFINITY: type[ElementWiseIsInfinity]
DML_OPERATOR_ELEMENT_WISE_IF: type[ElementWiseIf]
DML_OPERATOR_GEMM: type[Gemm]
DML_OPERATOR_ELEMENT_WISE_IDENTITY: type[ElementWiseIdentity]
DML_OPERATOR_CAST: type[Cast]
DML_OPERATOR_SPLIT: type[Split]
DML_OPERATOR_JOIN: type[Join]
DML_OPERATOR_TILE: type[Tile]
DML_OPERATOR_REVERSE_SUBSEQUENCES: type[ReverseSubsequences]
DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION: type[MeanVarianceNormalization]
DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1: type[MeanVarianceNormalization1]
DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2: type[MeanVarianceNormalization2]
DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION: type[LocalResponseNormalization]
DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD: type[LocalResponseNormalizationGrad]
DML_OPERATOR_LP_NORMALIZATION: type[LpNormalization]
DML_OPERATOR_ADAM_OPTIMIZER: type[AdamOptimizer]
DML_OPERATOR_PADDING: type[Padding]
DML_OPERATOR_PADDING1: type[Padding1]
DML_OPERATOR_AVERAGE_POOLING1: type[AveragePooling1]
DML_OPERATOR_AVERAGE_POOLING: type[AveragePooling]
DML_OPERATOR_LP_POOLING1: type[LpPooling1]
DML_OPERATOR_LP_POOLING: type[LpPooling]
DML_OPERATOR_MAX_POOLING2: type[MaxPooling2]
DML_OPERATOR_MAX_POOLING1: type[MaxPooling1]
DML_OPERATOR_MAX_POOLING: type[MaxPooling]
DML_OPERATOR_AVERAGE_POOLING_GRAD: type[AveragePoolingGrad]
DML_OPERATOR_MAX_POOLING_GRAD: type[MaxPoolingGrad]
DML_OPERATOR_MAX_UNPOOLING: type[MaxUnpooling]
DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING: type[QuantizedLinearAveragePooling]
DML_OPERATOR_ELEMENT_WISE_EXP: type[ElementWiseExp]
DML_OPERATOR_ELEMENT_WISE_LOG: type[ElementWiseLog]
DML_OPERATOR_ELEMENT_WISE_SQRT: type[ElementWiseSqrt]
DML_OPERATOR_ELEMENT_WISE_RECIP: type[ElementWiseRecip]
DML_OPERATOR_ELEMENT_WISE_ERF: type[ElementWiseErf]
DML_OPERATOR_ELEMENT_WISE_POW: type[ElementWisePow]
DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW: type[ElementWiseConstantPow]
DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR: type[ElementWiseQuantizeLinear]
DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR: type[ElementWiseDequantizeLinear]
DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD: type[ElementWiseQuantizedLinearAdd]
DML_OPERATOR_RANDOM_GENERATOR: type[RandomGenerator]
DML_OPERATOR_RNN: type[Rnn]
DML_OPERATOR_LSTM: type[Lstm]
DML_OPERATOR_GRU: type[Gru]
DML_OPERATOR_REDUCE: type[Reduce]
DML_OPERATOR_ARGMIN: type[Argmin]
DML_OPERATOR_ARGMAX: type[Argmax]
DML_OPERATOR_RESAMPLE3: type[Resample3]
DML_OPERATOR_RESAMPLE2: type[Resample2]
DML_OPERATOR_RESAMPLE1: type[Resample1]
DML_OPERATOR_RESAMPLE: type[Resample]
DML_OPERATOR_RESAMPLE_GRAD1: type[ResampleGrad1]
DML_OPERATOR_RESAMPLE_GRAD: type[ResampleGrad]
DML_OPERATOR_ROI_ALIGN1: type[RoiAlign1]
DML_OPERATOR_ROI_ALIGN: type[RoiAlign]
DML_OPERATOR_ROI_ALIGN_GRAD: type[RoiAlignGrad]
DML_OPERATOR_ROI_POOLING: type[RoiPooling]
DML_OPERATOR_ELEMENT_WISE_CEIL: type[ElementWiseCeil]
DML_OPERATOR_ELEMENT_WISE_FLOOR: type[ElementWiseFloor]
DML_OPERATOR_ELEMENT_WISE_ROUND: type[ElementWiseRound]
DML_OPERATOR_CUMULATIVE_SUMMATION: type[CumulativeSummation]
DML_OPERATOR_CUMULATIVE_PRODUCT: type[CumulativeProduct]
DML_OPERATOR_TOP_K1: type[TopK1]
DML_OPERATOR_TOP_K: type[TopK]
DML_OPERATOR_SCATTER_ELEMENTS: type[ScatterElements]
DML_OPERATOR_SCATTER_ND: type[ScatterNd]
DML_OPERATOR_SLICE: type[Slice]
DML_OPERATOR_SLICE1: type[Slice1]
DML_OPERATOR_SLICE_GRAD: type[SliceGrad]
DML_OPERATOR_ACTIVATION_SOFTMAX: type[ActivationSoftmax]
DML_OPERATOR_ACTIVATION_LOG_SOFTMAX: type[ActivationLogSoftmax]
DML_OPERATOR_ACTIVATION_HARDMAX: type[ActivationHardmax]
DML_OPERATOR_ACTIVATION_SOFTMAX1: type[ActivationSoftmax1]
DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1: type[ActivationLogSoftmax1]
DML_OPERATOR_ACTIVATION_HARDMAX1: type[ActivationHardmax1]
DML_OPERATOR_ELEMENT_WISE_SIN: type[ElementWiseSin]
DML_OPERATOR_ELEMENT_WISE_COS: type[ElementWiseCos]
DML_OPERATOR_ELEMENT_WISE_TAN: type[ElementWiseTan]
DML_OPERATOR_ELEMENT_WISE_ASIN: type[ElementWiseAsin]
DML_OPERATOR_ELEMENT_WISE_ACOS: type[ElementWiseAcos]
DML_OPERATOR_ELEMENT_WISE_ATAN: type[ElementWiseAtan]
DML_OPERATOR_ELEMENT_WISE_ATAN_YX: type[ElementWiseAtanYx]
DML_OPERATOR_ELEMENT_WISE_SINH: type[ElementWiseSinh]
DML_OPERATOR_ELEMENT_WISE_COSH: type[ElementWiseCosh]
DML_OPERATOR_ELEMENT_WISE_TANH: type[ElementWiseTanh]
DML_OPERATOR_ELEMENT_WISE_ASINH: type[ElementWiseAsinh]
DML_OPERATOR_ELEMENT_WISE_ACOSH: type[ElementWiseAcosh]
DML_OPERATOR_ELEMENT_WISE_ATANH: type[ElementWiseAtanh]

class DML_ACTIVATION_ELU_OPERATOR_DESC(ActivationElu):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number = 1.0,
    ) -> None: ...
class DML_ACTIVATION_HARD_SIGMOID_OPERATOR_DESC(ActivationHardSigmoid):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number = 0.2,
        Beta: Number = 0.5,
    ) -> None: ...
class DML_ACTIVATION_IDENTITY_OPERATOR_DESC(ActivationIdentity):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_LEAKY_RELU_OPERATOR_DESC(ActivationLeakyRelu):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number = 0.01,
    ) -> None: ...
class DML_ACTIVATION_LINEAR_OPERATOR_DESC(ActivationLinear):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number,
        Beta: Number,
    ) -> None: ...
class DML_ACTIVATION_PARAMETERIZED_RELU_OPERATOR_DESC(ActivationParameterizedRelu):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        SlopeTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_PARAMETRIC_SOFTPLUS_OPERATOR_DESC(ActivationParametricSoftplus):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number,
        Beta: Number,
    ) -> None: ...
class DML_ACTIVATION_RELU_OPERATOR_DESC(ActivationRelu):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_SCALED_ELU_OPERATOR_DESC(ActivationScaledElu):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number = 1.6732631921768188,
        Gamma: Number = 1.0507010221481323,
    ) -> None: ...
class DML_ACTIVATION_SCALED_TANH_OPERATOR_DESC(ActivationScaledTanh):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number = 1.0,
        Beta: Number = 0.5,
    ) -> None: ...
class DML_ACTIVATION_SIGMOID_OPERATOR_DESC(ActivationSigmoid):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_SOFTPLUS_OPERATOR_DESC(ActivationSoftplus):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Steepness: Number = 1.0,
    ) -> None: ...
class DML_ACTIVATION_SOFTSIGN_OPERATOR_DESC(ActivationSoftsign):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_TANH_OPERATOR_DESC(ActivationTanh):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_THRESHOLDED_RELU_OPERATOR_DESC(ActivationThresholdedRelu):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number = 1.0,
    ) -> None: ...
class DML_ACTIVATION_SHRINK_OPERATOR_DESC(ActivationShrink):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Bias: Number = 0.0,
        Threshold: Number = 0.5,
    ) -> None: ...
class DML_ACTIVATION_CELU_OPERATOR_DESC(ActivationCelu):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number = 1.0,
    ) -> None: ...
class DML_ACTIVATION_RELU_GRAD_OPERATOR_DESC(ActivationReluGrad):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputGradientTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_GELU_OPERATOR_DESC(ActivationGelu):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_SWISH_OPERATOR_DESC(ActivationSwish):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        SigmoidInputScale: Number,
    ) -> None: ...
class DML_ACTIVATION_HARD_SWISH_OPERATOR_DESC(ActivationHardSwish):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Alpha: Number,
        Beta: Number,
    ) -> None: ...
class DML_ELEMENT_WISE_ADD_OPERATOR_DESC(ElementWiseAdd):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ADD1_OPERATOR_DESC(ElementWiseAdd1):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        FusedActivation: ActivationLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_SUBTRACT_OPERATOR_DESC(ElementWiseSubtract):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_MULTIPLY_OPERATOR_DESC(ElementWiseMultiply):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_DIVIDE_OPERATOR_DESC(ElementWiseDivide):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_MODULUS_TRUNCATE_OPERATOR_DESC(ElementWiseModulusTruncate):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_MODULUS_FLOOR_OPERATOR_DESC(ElementWiseModulusFloor):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_MAX_OPERATOR_DESC(ElementWiseMax):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_MIN_OPERATOR_DESC(ElementWiseMin):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_MEAN_OPERATOR_DESC(ElementWiseMean):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_DIFFERENCE_SQUARE_OPERATOR_DESC(ElementWiseDifferenceSquare):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ABS_OPERATOR_DESC(ElementWiseAbs):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_NEGATE_OPERATOR_DESC(ElementWiseNegate):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_SIGN_OPERATOR_DESC(ElementWiseSign):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_MULTIHEAD_ATTENTION_OPERATOR_DESC(MultiheadAttention):
    def __init__(
        self,
        *,
        QueryTensor: TensorLike | None = None,
        KeyTensor: TensorLike | None = None,
        ValueTensor: TensorLike | None = None,
        StackedQueryKeyTensor: TensorLike | None = None,
        StackedKeyValueTensor: TensorLike | None = None,
        StackedQueryKeyValueTensor: TensorLike | None = None,
        BiasTensor: TensorLike | None = None,
        MaskTensor: TensorLike | None = None,
        RelativePositionBiasTensor: TensorLike | None = None,
        PastKeyTensor: TensorLike | None = None,
        PastValueTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        OutputPresentKeyTensor: OutputLike | None = None,
        OutputPresentValueTensor: OutputLike | None = None,
        Scale: Number,
        MaskFilterValue: Number,
        HeadCount: SupportsIndex,
        MaskType: MultiheadAttentionMaskTypeLike,
    ) -> None: ...
class DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC(MultiheadAttention1):
    def __init__(
        self,
        *,
        QueryTensor: TensorLike | None = None,
        KeyTensor: TensorLike | None = None,
        ValueTensor: TensorLike | None = None,
        StackedQueryKeyTensor: TensorLike | None = None,
        StackedKeyValueTensor: TensorLike | None = None,
        StackedQueryKeyValueTensor: TensorLike | None = None,
        BiasTensor: TensorLike | None = None,
        MaskTensor: TensorLike | None = None,
        RelativePositionBiasTensor: TensorLike | None = None,
        PastKeyTensor: TensorLike | None = None,
        PastValueTensor: TensorLike | None = None,
        PastSequenceLengthsTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        OutputPresentKeyTensor: OutputLike | None = None,
        OutputPresentValueTensor: OutputLike | None = None,
        Scale: Number,
        MaskFilterValue: Number,
        QueryHeadCount: SupportsIndex,
        KeyValueHeadCount: SupportsIndex,
        MaskType: MultiheadAttentionMaskTypeLike,
    ) -> None: ...
class DML_BATCH_NORMALIZATION_OPERATOR_DESC(BatchNormalization):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        MeanTensor: TensorLike,
        VarianceTensor: TensorLike,
        ScaleTensor: TensorLike,
        BiasTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Spatial: bool | Literal[0, 1],
        Epsilon: Number,
        FusedActivation: ActivationLike | None = None,
    ) -> None: ...
class DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC(BatchNormalizationTraining):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ScaleTensor: TensorLike,
        BiasTensor: TensorLike,
        FusedAddTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        OutputMeanTensor: OutputLike | None = None,
        OutputVarianceTensor: OutputLike | None = None,
        Epsilon: Number,
        FusedActivation: ActivationLike | None = None,
    ) -> None: ...
class DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC(BatchNormalizationGrad):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputGradientTensor: TensorLike,
        MeanTensor: TensorLike,
        VarianceTensor: TensorLike,
        ScaleTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        OutputScaleGradientTensor: OutputLike | None = None,
        OutputBiasGradientTensor: OutputLike | None = None,
        Epsilon: Number | None = None,
    ) -> None: ...
class DML_BATCH_NORMALIZATION_TRAINING_GRAD_OPERATOR_DESC(BatchNormalizationTrainingGrad):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputGradientTensor: TensorLike,
        MeanTensor: TensorLike,
        VarianceTensor: TensorLike,
        ScaleTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        OutputScaleGradientTensor: OutputLike | None = None,
        OutputBiasGradientTensor: OutputLike | None = None,
        Epsilon: Number,
    ) -> None: ...
class DML_ELEMENT_WISE_BIT_AND_OPERATOR_DESC(ElementWiseBitAnd):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_BIT_OR_OPERATOR_DESC(ElementWiseBitOr):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_BIT_XOR_OPERATOR_DESC(ElementWiseBitXor):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_BIT_NOT_OPERATOR_DESC(ElementWiseBitNot):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_BIT_COUNT_OPERATOR_DESC(ElementWiseBitCount):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_BIT_SHIFT_LEFT_OPERATOR_DESC(ElementWiseBitShiftLeft):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_BIT_SHIFT_RIGHT_OPERATOR_DESC(ElementWiseBitShiftRight):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_QUANTIZE_OPERATOR_DESC(Quantize):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        QuantizationType: QuantizationTypeLike,
        QuantizationTensors: Sequence[TensorLike],
        OutputTensor: OutputLike | None = None,
        QuantizationTensorCount: SupportsIndex = ...,
    ) -> None: ...
class DML_DEQUANTIZE_OPERATOR_DESC(Dequantize):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        QuantizationType: QuantizationTypeLike,
        QuantizationTensors: Sequence[TensorLike],
        OutputTensor: OutputLike | None = None,
        QuantizationTensorCount: SupportsIndex = ...,
    ) -> None: ...
class DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC(DynamicQuantizeLinear):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        OutputScaleTensor: OutputLike | None = None,
        OutputZeroPointTensor: OutputLike | None = None,
    ) -> None: ...
class DML_CONVOLUTION_OPERATOR_DESC(Convolution):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        FilterTensor: TensorLike,
        BiasTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        Mode: ConvolutionModeLike = 'CROSS_CORRELATION',
        Direction: ConvolutionDirectionLike = 'FORWARD',
        Strides: Integers = ...,
        Dilations: Integers = ...,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        OutputPadding: Integers = ...,
        GroupCount: SupportsIndex = 1,
        FusedActivation: ActivationLike | None = None,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_NONZERO_COORDINATES_OPERATOR_DESC(NonzeroCoordinates):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputCountTensor: OutputLike | None = None,
        OutputCoordinatesTensor: OutputLike | None = None,
    ) -> None: ...
class DML_FILL_VALUE_CONSTANT_OPERATOR_DESC(FillValueConstant):
    def __init__(
        self,
        *,
        OutputTensor: OutputLike | None = None,
        ValueDataType: DataTypeLike,
        Value: Number | Mapping[str, Any] | str,
    ) -> None: ...
class DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC(FillValueSequence):
    def __init__(
        self,
        *,
        OutputTensor: OutputLike | None = None,
        ValueDataType: DataTypeLike,
        ValueStart: Number | Mapping[str, Any] | str,
        ValueDelta: Number | Mapping[str, Any] | str,
    ) -> None: ...
class DML_DIAGONAL_MATRIX_OPERATOR_DESC(DiagonalMatrix):
    def __init__(
        self,
        *,
        OutputTensor: OutputLike | None = None,
        Offset: SupportsIndex = 0,
        Value: Number,
    ) -> None: ...
class DML_DIAGONAL_MATRIX1_OPERATOR_DESC(DiagonalMatrix1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        ValueDataType: DataTypeLike,
        Value: Number | Mapping[str, Any] | str,
        DiagonalFillBegin: SupportsIndex,
        DiagonalFillEnd: SupportsIndex,
    ) -> None: ...
class DML_ONE_HOT_OPERATOR_DESC(OneHot):
    def __init__(
        self,
        *,
        IndicesTensor: TensorLike,
        ValuesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axis: SupportsIndex,
    ) -> None: ...
class DML_DEPTH_TO_SPACE_OPERATOR_DESC(DepthToSpace):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        BlockSize: SupportsIndex,
    ) -> None: ...
class DML_DEPTH_TO_SPACE1_OPERATOR_DESC(DepthToSpace1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        BlockSize: SupportsIndex,
        Order: DepthSpaceOrderLike = 'DEPTH_COLUMN_ROW',
    ) -> None: ...
class DML_SPACE_TO_DEPTH_OPERATOR_DESC(SpaceToDepth):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        BlockSize: SupportsIndex,
    ) -> None: ...
class DML_SPACE_TO_DEPTH1_OPERATOR_DESC(SpaceToDepth1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        BlockSize: SupportsIndex,
        Order: DepthSpaceOrderLike = 'DEPTH_COLUMN_ROW',
    ) -> None: ...
class DML_UNFOLD_OPERATOR_DESC(Unfold):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        WindowSizes: Integers,
        Strides: Integers = ...,
        Dilations: Integers = ...,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_FOLD_OPERATOR_DESC(Fold):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        WindowSizes: Integers,
        Strides: Integers = ...,
        Dilations: Integers = ...,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_GATHER_OPERATOR_DESC(Gather):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        IndicesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axis: SupportsIndex,
        IndexDimensions: SupportsIndex,
    ) -> None: ...
class DML_GATHER_ELEMENTS_OPERATOR_DESC(GatherElements):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        IndicesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axis: SupportsIndex,
    ) -> None: ...
class DML_GATHER_ND1_OPERATOR_DESC(GatherNd1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        IndicesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        InputDimensionCount: SupportsIndex,
        IndicesDimensionCount: SupportsIndex,
        BatchDimensionCount: SupportsIndex,
    ) -> None: ...
class DML_GATHER_ND_OPERATOR_DESC(GatherNd):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        IndicesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        InputDimensionCount: SupportsIndex,
        IndicesDimensionCount: SupportsIndex,
    ) -> None: ...
class DML_UPSAMPLE_2D_OPERATOR_DESC(Upsample2D):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleSize: Sequence[SupportsIndex] | Mapping[str, int],
        InterpolationMode: InterpolationModeLike,
    ) -> None: ...
class DML_VALUE_SCALE_2D_OPERATOR_DESC(ValueScale2D):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Scale: Number,
        Bias: Numbers,
        ChannelCount: SupportsIndex = ...,
    ) -> None: ...
class DML_MATRIX_MULTIPLY_INTEGER_OPERATOR_DESC(MatrixMultiplyInteger):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        AZeroPointTensor: TensorLike | None = None,
        BTensor: TensorLike,
        BZeroPointTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT_OPERATOR_DESC(MatrixMultiplyIntegerToFloat):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        AScaleTensor: TensorLike,
        AZeroPointTensor: TensorLike | None = None,
        BTensor: TensorLike,
        BScaleTensor: TensorLike,
        BZeroPointTensor: TensorLike | None = None,
        BiasTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC(QuantizedLinearMatrixMultiply):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        AScaleTensor: TensorLike,
        AZeroPointTensor: TensorLike | None = None,
        BTensor: TensorLike,
        BScaleTensor: TensorLike,
        BZeroPointTensor: TensorLike | None = None,
        OutputScaleTensor: TensorLike,
        OutputZeroPointTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_CONVOLUTION_INTEGER_OPERATOR_DESC(ConvolutionInteger):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputZeroPointTensor: TensorLike | None = None,
        FilterTensor: TensorLike,
        FilterZeroPointTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        Strides: Integers = ...,
        Dilations: Integers = ...,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        GroupCount: SupportsIndex = 1,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_QUANTIZED_LINEAR_CONVOLUTION_OPERATOR_DESC(QuantizedLinearConvolution):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputScaleTensor: TensorLike,
        InputZeroPointTensor: TensorLike | None = None,
        FilterTensor: TensorLike,
        FilterScaleTensor: TensorLike,
        FilterZeroPointTensor: TensorLike | None = None,
        BiasTensor: TensorLike | None = None,
        OutputScaleTensor: TensorLike,
        OutputZeroPointTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        Strides: Integers = ...,
        Dilations: Integers = ...,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        GroupCount: SupportsIndex = 1,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_ELEMENT_WISE_CLIP_OPERATOR_DESC(ElementWiseClip):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
        Min: Number,
        Max: Number,
    ) -> None: ...
class DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC(ElementWiseClip1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
        MinMaxDataType: DataTypeLike,
        Min: Number | Mapping[str, Any] | str,
        Max: Number | Mapping[str, Any] | str,
    ) -> None: ...
class DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC(ElementWiseThreshold):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
        Min: Number,
    ) -> None: ...
class DML_ELEMENT_WISE_CLIP_GRAD_OPERATOR_DESC(ElementWiseClipGrad):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputGradientTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        Min: Number,
        Max: Number,
    ) -> None: ...
class DML_ELEMENT_WISE_CLIP_GRAD1_OPERATOR_DESC(ElementWiseClipGrad1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputGradientTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        MinMaxDataType: DataTypeLike,
        Min: Number | Mapping[str, Any] | str,
        Max: Number | Mapping[str, Any] | str,
    ) -> None: ...
class DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC(ElementWiseLogicalEquals):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OPERATOR_DESC(ElementWiseLogicalGreaterThan):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OPERATOR_DESC(ElementWiseLogicalLessThan):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL_OPERATOR_DESC(ElementWiseLogicalGreaterThanOrEqual):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL_OPERATOR_DESC(ElementWiseLogicalLessThanOrEqual):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_LOGICAL_AND_OPERATOR_DESC(ElementWiseLogicalAnd):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_LOGICAL_OR_OPERATOR_DESC(ElementWiseLogicalOr):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_LOGICAL_XOR_OPERATOR_DESC(ElementWiseLogicalXor):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_LOGICAL_NOT_OPERATOR_DESC(ElementWiseLogicalNot):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC(ElementWiseIsNan):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC(ElementWiseIsInfinity):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        InfinityMode: IsInfinityModeLike = 'EITHER',
    ) -> None: ...
class DML_ELEMENT_WISE_IF_OPERATOR_DESC(ElementWiseIf):
    def __init__(
        self,
        *,
        ConditionTensor: TensorLike,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_GEMM_OPERATOR_DESC(Gemm):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        CTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        TransA: MatrixTransformLike = 'NONE',
        TransB: MatrixTransformLike = 'NONE',
        Alpha: Number = 1.0,
        Beta: Number = 1.0,
        FusedActivation: ActivationLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC(ElementWiseIdentity):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_CAST_OPERATOR_DESC(Cast):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_SPLIT_OPERATOR_DESC(Split):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensors: Sequence[OutputLike] | None = None,
        Axis: SupportsIndex,
        OutputCount: SupportsIndex = ...,
    ) -> None: ...
class DML_JOIN_OPERATOR_DESC(Join):
    def __init__(
        self,
        *,
        InputTensors: Sequence[TensorLike],
        OutputTensor: OutputLike | None = None,
        Axis: SupportsIndex,
        InputCount: SupportsIndex = ...,
    ) -> None: ...
class DML_TILE_OPERATOR_DESC(Tile):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Repeats: Integers,
        RepeatsCount: SupportsIndex = ...,
    ) -> None: ...
class DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC(ReverseSubsequences):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        SequenceLengthsTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axis: SupportsIndex,
    ) -> None: ...
class DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC(MeanVarianceNormalization):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ScaleTensor: TensorLike | None = None,
        BiasTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        CrossChannel: bool | Literal[0, 1],
        NormalizeVariance: bool | Literal[0, 1],
        Epsilon: Number,
        FusedActivation: ActivationLike | None = None,
    ) -> None: ...
class DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC(MeanVarianceNormalization1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ScaleTensor: TensorLike | None = None,
        BiasTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        Axes: Integers,
        NormalizeVariance: bool | Literal[0, 1],
        Epsilon: Number,
        FusedActivation: ActivationLike | None = None,
        AxisCount: SupportsIndex = ...,
    ) -> None: ...
class DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC(MeanVarianceNormalization2):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ScaleTensor: TensorLike | None = None,
        BiasTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        Axes: Integers,
        UseMean: bool | Literal[0, 1],
        UseVariance: bool | Literal[0, 1],
        Epsilon: Number,
        FusedActivation: ActivationLike | None = None,
        AxisCount: SupportsIndex = ...,
    ) -> None: ...
class DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC(LocalResponseNormalization):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        CrossChannel: bool | Literal[0, 1],
        LocalSize: SupportsIndex,
        Alpha: Number,
        Beta: Number,
        Bias: Number,
    ) -> None: ...
class DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC(LocalResponseNormalizationGrad):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputGradientTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        CrossChannel: bool | Literal[0, 1],
        LocalSize: SupportsIndex,
        Alpha: Number,
        Beta: Number,
        Bias: Number,
    ) -> None: ...
class DML_LP_NORMALIZATION_OPERATOR_DESC(LpNormalization):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axis: SupportsIndex,
        Epsilon: Number,
        P: SupportsIndex,
    ) -> None: ...
class DML_ADAM_OPTIMIZER_OPERATOR_DESC(AdamOptimizer):
    def __init__(
        self,
        *,
        InputParametersTensor: TensorLike,
        InputFirstMomentTensor: TensorLike,
        InputSecondMomentTensor: TensorLike,
        GradientTensor: TensorLike,
        TrainingStepTensor: TensorLike,
        OutputParametersTensor: OutputLike | None = None,
        OutputFirstMomentTensor: OutputLike | None = None,
        OutputSecondMomentTensor: OutputLike | None = None,
        LearningRate: Number,
        Beta1: Number,
        Beta2: Number,
        Epsilon: Number,
    ) -> None: ...
class DML_PADDING_OPERATOR_DESC(Padding):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        PaddingMode: PaddingModeLike,
        PaddingValue: Number,
        StartPadding: Integers,
        EndPadding: Integers,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_PADDING1_OPERATOR_DESC(Padding1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        PaddingMode: PaddingModeLike,
        PaddingValueDataType: DataTypeLike,
        PaddingValue: Number | Mapping[str, Any] | str,
        StartPadding: Integers,
        EndPadding: Integers,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_AVERAGE_POOLING1_OPERATOR_DESC(AveragePooling1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        Dilations: Integers = ...,
        IncludePadding: bool | Literal[0, 1],
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_AVERAGE_POOLING_OPERATOR_DESC(AveragePooling):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        IncludePadding: bool | Literal[0, 1],
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_LP_POOLING1_OPERATOR_DESC(LpPooling1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        Dilations: Integers = ...,
        P: SupportsIndex,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_LP_POOLING_OPERATOR_DESC(LpPooling):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        P: SupportsIndex,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_MAX_POOLING2_OPERATOR_DESC(MaxPooling2):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        OutputIndicesTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        Dilations: Integers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_MAX_POOLING1_OPERATOR_DESC(MaxPooling1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        OutputIndicesTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_MAX_POOLING_OPERATOR_DESC(MaxPooling):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_AVERAGE_POOLING_GRAD_OPERATOR_DESC(AveragePoolingGrad):
    def __init__(
        self,
        *,
        InputGradientTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        IncludePadding: bool | Literal[0, 1],
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_MAX_POOLING_GRAD_OPERATOR_DESC(MaxPoolingGrad):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputGradientTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        Dilations: Integers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_MAX_UNPOOLING_OPERATOR_DESC(MaxUnpooling):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        IndicesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_QUANTIZED_LINEAR_AVERAGE_POOLING_OPERATOR_DESC(QuantizedLinearAveragePooling):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        InputScaleTensor: TensorLike,
        InputZeroPointTensor: TensorLike | None = None,
        OutputScaleTensor: TensorLike,
        OutputZeroPointTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
        Strides: Integers = ...,
        WindowSize: Integers,
        StartPadding: Integers = ...,
        EndPadding: Integers = ...,
        Dilations: Integers = ...,
        IncludePadding: bool | Literal[0, 1],
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_ELEMENT_WISE_EXP_OPERATOR_DESC(ElementWiseExp):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_LOG_OPERATOR_DESC(ElementWiseLog):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_SQRT_OPERATOR_DESC(ElementWiseSqrt):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_RECIP_OPERATOR_DESC(ElementWiseRecip):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ERF_OPERATOR_DESC(ElementWiseErf):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_POW_OPERATOR_DESC(ElementWisePow):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ExponentTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC(ElementWiseConstantPow):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
        Exponent: Number,
    ) -> None: ...
class DML_ELEMENT_WISE_QUANTIZE_LINEAR_OPERATOR_DESC(ElementWiseQuantizeLinear):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ScaleTensor: TensorLike,
        ZeroPointTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_DEQUANTIZE_LINEAR_OPERATOR_DESC(ElementWiseDequantizeLinear):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ScaleTensor: TensorLike,
        ZeroPointTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC(ElementWiseQuantizedLinearAdd):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        AScaleTensor: TensorLike,
        AZeroPointTensor: TensorLike | None = None,
        BTensor: TensorLike,
        BScaleTensor: TensorLike,
        BZeroPointTensor: TensorLike | None = None,
        OutputScaleTensor: TensorLike,
        OutputZeroPointTensor: TensorLike | None = None,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_RANDOM_GENERATOR_OPERATOR_DESC(RandomGenerator):
    def __init__(
        self,
        *,
        InputStateTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        OutputStateTensor: OutputLike | None = None,
        Type: RandomGeneratorTypeLike = 'PHILOX_4X32_10',
    ) -> None: ...
class DML_RNN_OPERATOR_DESC(Rnn):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        WeightTensor: TensorLike,
        RecurrenceTensor: TensorLike,
        BiasTensor: TensorLike | None = None,
        HiddenInitTensor: TensorLike | None = None,
        SequenceLengthsTensor: TensorLike | None = None,
        OutputSequenceTensor: OutputLike | None = None,
        OutputSingleTensor: OutputLike | None = None,
        ActivationDescs: Sequence[ActivationLike],
        Direction: RecurrentNetworkDirectionLike,
        ActivationDescCount: SupportsIndex = ...,
    ) -> None: ...
class DML_LSTM_OPERATOR_DESC(Lstm):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        WeightTensor: TensorLike,
        RecurrenceTensor: TensorLike,
        BiasTensor: TensorLike | None = None,
        HiddenInitTensor: TensorLike | None = None,
        CellMemInitTensor: TensorLike | None = None,
        SequenceLengthsTensor: TensorLike | None = None,
        PeepholeTensor: TensorLike | None = None,
        OutputSequenceTensor: OutputLike | None = None,
        OutputSingleTensor: OutputLike | None = None,
        OutputCellSingleTensor: OutputLike | None = None,
        ActivationDescs: Sequence[ActivationLike],
        Direction: RecurrentNetworkDirectionLike,
        ClipThreshold: Number,
        UseClipThreshold: bool | Literal[0, 1],
        CoupleInputForget: bool | Literal[0, 1],
        ActivationDescCount: SupportsIndex = ...,
    ) -> None: ...
class DML_GRU_OPERATOR_DESC(Gru):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        WeightTensor: TensorLike,
        RecurrenceTensor: TensorLike,
        BiasTensor: TensorLike | None = None,
        HiddenInitTensor: TensorLike | None = None,
        SequenceLengthsTensor: TensorLike | None = None,
        OutputSequenceTensor: OutputLike | None = None,
        OutputSingleTensor: OutputLike | None = None,
        ActivationDescs: Sequence[ActivationLike],
        Direction: RecurrentNetworkDirectionLike,
        LinearBeforeReset: bool | Literal[0, 1],
        ActivationDescCount: SupportsIndex = ...,
    ) -> None: ...
class DML_REDUCE_OPERATOR_DESC(Reduce):
    def __init__(
        self,
        *,
        Function: ReduceFunctionLike,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axes: Integers,
        AxisCount: SupportsIndex = ...,
    ) -> None: ...
class DML_ARGMIN_OPERATOR_DESC(Argmin):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axes: Integers,
        AxisDirection: AxisDirectionLike = 'INCREASING',
        AxisCount: SupportsIndex = ...,
    ) -> None: ...
class DML_ARGMAX_OPERATOR_DESC(Argmax):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axes: Integers,
        AxisDirection: AxisDirectionLike = 'INCREASING',
        AxisCount: SupportsIndex = ...,
    ) -> None: ...
class DML_RESAMPLE3_OPERATOR_DESC(Resample3):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        InterpolationMode: InterpolationModeLike,
        RoundingDirection: AxisDirectionLike = 'INCREASING',
        Scales: Numbers,
        InputPixelOffsets: Numbers = ...,
        OutputPixelOffsets: Numbers = ...,
        Antialiased: bool | Literal[0, 1] = False,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_RESAMPLE2_OPERATOR_DESC(Resample2):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        InterpolationMode: InterpolationModeLike,
        RoundingDirection: AxisDirectionLike = 'INCREASING',
        Scales: Numbers,
        InputPixelOffsets: Numbers = ...,
        OutputPixelOffsets: Numbers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_RESAMPLE1_OPERATOR_DESC(Resample1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        InterpolationMode: InterpolationModeLike,
        Scales: Numbers,
        InputPixelOffsets: Numbers = ...,
        OutputPixelOffsets: Numbers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_RESAMPLE_OPERATOR_DESC(Resample):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        InterpolationMode: InterpolationModeLike,
        Scales: Numbers,
        ScaleCount: SupportsIndex = ...,
    ) -> None: ...
class DML_RESAMPLE_GRAD1_OPERATOR_DESC(ResampleGrad1):
    def __init__(
        self,
        *,
        InputGradientTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        InterpolationMode: InterpolationModeLike,
        RoundingDirection: AxisDirectionLike = 'INCREASING',
        Scales: Numbers,
        InputPixelOffsets: Numbers = ...,
        OutputPixelOffsets: Numbers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_RESAMPLE_GRAD_OPERATOR_DESC(ResampleGrad):
    def __init__(
        self,
        *,
        InputGradientTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        InterpolationMode: InterpolationModeLike,
        Scales: Numbers,
        InputPixelOffsets: Numbers = ...,
        OutputPixelOffsets: Numbers = ...,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_ROI_ALIGN1_OPERATOR_DESC(RoiAlign1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ROITensor: TensorLike,
        BatchIndicesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ReductionFunction: ReduceFunctionLike,
        InterpolationMode: InterpolationModeLike,
        SpatialScaleX: Number,
        SpatialScaleY: Number,
        InputPixelOffset: Number,
        OutputPixelOffset: Number,
        OutOfBoundsInputValue: Number,
        MinimumSamplesPerOutput: SupportsIndex,
        MaximumSamplesPerOutput: SupportsIndex,
        AlignRegionsToCorners: bool | Literal[0, 1],
    ) -> None: ...
class DML_ROI_ALIGN_OPERATOR_DESC(RoiAlign):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ROITensor: TensorLike,
        BatchIndicesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ReductionFunction: ReduceFunctionLike,
        InterpolationMode: InterpolationModeLike,
        SpatialScaleX: Number,
        SpatialScaleY: Number,
        OutOfBoundsInputValue: Number,
        MinimumSamplesPerOutput: SupportsIndex,
        MaximumSamplesPerOutput: SupportsIndex,
    ) -> None: ...
class DML_ROI_ALIGN_GRAD_OPERATOR_DESC(RoiAlignGrad):
    def __init__(
        self,
        *,
        InputTensor: TensorLike | None = None,
        InputGradientTensor: TensorLike,
        ROITensor: TensorLike,
        BatchIndicesTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        OutputROIGradientTensor: OutputLike | None = None,
        ReductionFunction: ReduceFunctionLike,
        InterpolationMode: InterpolationModeLike,
        SpatialScaleX: Number,
        SpatialScaleY: Number,
        InputPixelOffset: Number,
        OutputPixelOffset: Number,
        MinimumSamplesPerOutput: SupportsIndex,
        MaximumSamplesPerOutput: SupportsIndex,
        AlignRegionsToCorners: bool | Literal[0, 1],
    ) -> None: ...
class DML_ROI_POOLING_OPERATOR_DESC(RoiPooling):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        ROITensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        SpatialScale: Number = 1.0,
        PooledSize: Sequence[SupportsIndex] | Mapping[str, int],
    ) -> None: ...
class DML_ELEMENT_WISE_CEIL_OPERATOR_DESC(ElementWiseCeil):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_FLOOR_OPERATOR_DESC(ElementWiseFloor):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ROUND_OPERATOR_DESC(ElementWiseRound):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        RoundingMode: RoundingModeLike = 'HALVES_TO_NEAREST_EVEN',
    ) -> None: ...
class DML_CUMULATIVE_SUMMATION_OPERATOR_DESC(CumulativeSummation):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axis: SupportsIndex,
        AxisDirection: AxisDirectionLike,
        HasExclusiveSum: bool | Literal[0, 1],
    ) -> None: ...
class DML_CUMULATIVE_PRODUCT_OPERATOR_DESC(CumulativeProduct):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axis: SupportsIndex,
        AxisDirection: AxisDirectionLike,
        HasExclusiveProduct: bool | Literal[0, 1],
    ) -> None: ...
class DML_TOP_K1_OPERATOR_DESC(TopK1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputValueTensor: OutputLike | None = None,
        OutputIndexTensor: OutputLike | None = None,
        Axis: SupportsIndex,
        K: SupportsIndex,
        AxisDirection: AxisDirectionLike,
    ) -> None: ...
class DML_TOP_K_OPERATOR_DESC(TopK):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputValueTensor: OutputLike | None = None,
        OutputIndexTensor: OutputLike | None = None,
        Axis: SupportsIndex,
        K: SupportsIndex,
    ) -> None: ...
class DML_SCATTER_ELEMENTS_OPERATOR_DESC(ScatterElements):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        IndicesTensor: TensorLike,
        UpdatesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axis: SupportsIndex,
    ) -> None: ...
class DML_SCATTER_ND_OPERATOR_DESC(ScatterNd):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        IndicesTensor: TensorLike,
        UpdatesTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        InputDimensionCount: SupportsIndex,
        IndicesDimensionCount: SupportsIndex,
    ) -> None: ...
class DML_SLICE_OPERATOR_DESC(Slice):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Offsets: Integers,
        Sizes: Integers,
        Strides: Integers,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_SLICE1_OPERATOR_DESC(Slice1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        InputWindowOffsets: Integers,
        InputWindowSizes: Integers,
        InputWindowStrides: Integers,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_SLICE_GRAD_OPERATOR_DESC(SliceGrad):
    def __init__(
        self,
        *,
        InputGradientTensor: TensorLike,
        OutputGradientTensor: OutputLike | None = None,
        InputWindowOffsets: Integers,
        InputWindowSizes: Integers,
        InputWindowStrides: Integers,
        DimensionCount: SupportsIndex = ...,
    ) -> None: ...
class DML_ACTIVATION_SOFTMAX_OPERATOR_DESC(ActivationSoftmax):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_LOG_SOFTMAX_OPERATOR_DESC(ActivationLogSoftmax):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_HARDMAX_OPERATOR_DESC(ActivationHardmax):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC(ActivationSoftmax1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axes: Integers,
        AxisCount: SupportsIndex = ...,
    ) -> None: ...
class DML_ACTIVATION_LOG_SOFTMAX1_OPERATOR_DESC(ActivationLogSoftmax1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axes: Integers,
        AxisCount: SupportsIndex = ...,
    ) -> None: ...
class DML_ACTIVATION_HARDMAX1_OPERATOR_DESC(ActivationHardmax1):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        Axes: Integers,
        AxisCount: SupportsIndex = ...,
    ) -> None: ...
class DML_ELEMENT_WISE_SIN_OPERATOR_DESC(ElementWiseSin):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_COS_OPERATOR_DESC(ElementWiseCos):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_TAN_OPERATOR_DESC(ElementWiseTan):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ASIN_OPERATOR_DESC(ElementWiseAsin):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ACOS_OPERATOR_DESC(ElementWiseAcos):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ATAN_OPERATOR_DESC(ElementWiseAtan):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ATAN_YX_OPERATOR_DESC(ElementWiseAtanYx):
    def __init__(
        self,
        *,
        ATensor: TensorLike,
        BTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_SINH_OPERATOR_DESC(ElementWiseSinh):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_COSH_OPERATOR_DESC(ElementWiseCosh):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_TANH_OPERATOR_DESC(ElementWiseTanh):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ASINH_OPERATOR_DESC(ElementWiseAsinh):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ACOSH_OPERATOR_DESC(ElementWiseAcosh):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
class DML_ELEMENT_WISE_ATANH_OPERATOR_DESC(ElementWiseAtanh):
    def __init__(
        self,
        *,
        InputTensor: TensorLike,
        OutputTensor: OutputLike | None = None,
        ScaleBias: Sequence[Number] | Mapping[str, float] | None = None,
    ) -> None: ...
