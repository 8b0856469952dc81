"""How far a result may lie from the exact answer: the one table of tolerances.

A class follows the WebNN conformance tests or is stricter: nothing for data movement and exact mathematics, a few
units in the last place (ULP) for simple mathematics, more for transcendental functions, an absolute distance where
results cross zero, and ULP that grow with the number of accumulated elements for sums.

Tolerances are in ULP of FLOAT32, the precision in which FLOAT32 and FLOAT16 tensors are computed (FLOAT64 for
FLOAT64). The exact answer, moved down and up by the tolerance, is rounded once to the output's type; a result between
these two is right. So a FLOAT16 result is nearly always the correctly rounded one.

NaN matches NaN alone, an infinity itself alone. 0 and -0 are equal except in the class `sign`. Integers and `Bits`
have no tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tests.cases.framework.case import Accumulated, number_of
from tests.oracle.inexact import Inexact
from tests.oracle.numbers import round_float, spacing


@dataclass(frozen=True)
class Tolerance:
    """Whichever is larger: ULP of the answer (of the magnitude of a sum, plus one per term) or an absolute distance.

    An `Inexact` answer has an error of its own, which comes on top.
    """

    ulp: float
    absolute: float = 0.0
    signed_zero: bool = False

    def bounds(self, answer: Any, data_type: str) -> tuple[float, float]:
        """The lowest and the highest float of the type that is accepted for a finite answer."""
        number = number_of(answer)
        value, magnitude, terms = answer if isinstance(answer, Accumulated) else (number, abs(number), 0)
        computed = "FLOAT64" if data_type == "FLOAT64" else "FLOAT32"
        error = max((self.ulp + terms) * spacing(max(magnitude, abs(value)), computed), self.absolute)
        error += answer.error if isinstance(answer, Inexact) else 0.0
        return round_float(value - error, data_type), round_float(value + error, data_type)

    def accepts(self, actual: float, answer: Any, data_type: str) -> bool:
        value = number_of(answer)
        if math.isnan(value) or math.isnan(actual):
            return math.isnan(value) and math.isnan(actual)
        if math.isinf(value):
            return actual == value
        low, high = self.bounds(answer, data_type)
        if self.signed_zero and actual == 0 and value == 0:
            return math.copysign(1, actual) == math.copysign(1, value)
        return low <= actual <= high


EXACT = Tolerance(0)
CLASSES = {
    # Elements are moved, compared, counted or chosen; or one operation that IEEE 754 rounds correctly.
    "exact": EXACT,
    # The same, and the sign of a zero counts.
    "sign": Tolerance(0, signed_zero=True),
    # A few operations, each rounded.
    "simple": Tolerance(2),
    # Functions such as e^x and ln x, and activations made of one or two of them; numbers near the smallest ones on
    # the way have few digits.
    "transcendental": Tolerance(8, absolute=2.0**-120),
    # Functions that cross zero, where ULP of the answer say little.
    "trigonometric": Tolerance(8, absolute=2.0**-21),
    "power": Tolerance(16),
    # Answers are `Accumulated`: two ULP, and one more per term, of the sum of the terms' magnitudes.
    "sum": Tolerance(2),
    # Sums of exponentials, each with an error of its own.
    "softmax": Tolerance(8),
    # Answers are `Inexact`: formulas of several steps, such as networks, normalization and resampling.
    "steps": Tolerance(4, absolute=2.0**-120),
}

_NAMES = {
    "exact": """
        ELEMENT_WISE_IDENTITY ELEMENT_WISE_ADD ELEMENT_WISE_SUBTRACT ELEMENT_WISE_MULTIPLY ELEMENT_WISE_CEIL
        ELEMENT_WISE_FLOOR ELEMENT_WISE_ROUND ELEMENT_WISE_CLIP ELEMENT_WISE_CLIP1 ELEMENT_WISE_CLIP_GRAD
        ELEMENT_WISE_CLIP_GRAD1 ELEMENT_WISE_THRESHOLD ELEMENT_WISE_MAX ELEMENT_WISE_MIN ELEMENT_WISE_MEAN
        ELEMENT_WISE_SIGN ELEMENT_WISE_IF ELEMENT_WISE_IS_NAN ELEMENT_WISE_IS_INFINITY
        ELEMENT_WISE_MODULUS_TRUNCATE ELEMENT_WISE_MODULUS_FLOOR
        ELEMENT_WISE_LOGICAL_AND ELEMENT_WISE_LOGICAL_OR ELEMENT_WISE_LOGICAL_XOR ELEMENT_WISE_LOGICAL_NOT
        ELEMENT_WISE_LOGICAL_EQUALS ELEMENT_WISE_LOGICAL_GREATER_THAN ELEMENT_WISE_LOGICAL_LESS_THAN
        ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL
        ELEMENT_WISE_BIT_AND ELEMENT_WISE_BIT_OR ELEMENT_WISE_BIT_XOR ELEMENT_WISE_BIT_NOT ELEMENT_WISE_BIT_COUNT
        ELEMENT_WISE_BIT_SHIFT_LEFT ELEMENT_WISE_BIT_SHIFT_RIGHT
        ELEMENT_WISE_QUANTIZE_LINEAR ELEMENT_WISE_QUANTIZED_LINEAR_ADD
        ACTIVATION_IDENTITY ACTIVATION_RELU ACTIVATION_RELU_GRAD ACTIVATION_THRESHOLDED_RELU ACTIVATION_HARDMAX
        ACTIVATION_HARDMAX1
        ARGMIN ARGMAX TOP_K TOP_K1
        MAX_POOLING MAX_POOLING1 MAX_POOLING2 MAX_UNPOOLING ROI_POOLING QUANTIZED_LINEAR_AVERAGE_POOLING
        DIAGONAL_MATRIX DIAGONAL_MATRIX1 ONE_HOT FILL_VALUE_CONSTANT FILL_VALUE_SEQUENCE RANDOM_GENERATOR
        SLICE SLICE1 SLICE_GRAD CAST SPLIT JOIN PADDING PADDING1 TILE
        GATHER GATHER_ELEMENTS GATHER_ND GATHER_ND1 SCATTER_ELEMENTS SCATTER_ND
        SPACE_TO_DEPTH SPACE_TO_DEPTH1 DEPTH_TO_SPACE DEPTH_TO_SPACE1 REVERSE_SUBSEQUENCES NONZERO_COORDINATES UNFOLD
        CONVOLUTION_INTEGER MATRIX_MULTIPLY_INTEGER QUANTIZED_LINEAR_CONVOLUTION QUANTIZED_LINEAR_MATRIX_MULTIPLY
        QUANTIZE
    """,
    "sign": "ELEMENT_WISE_ABS ELEMENT_WISE_NEGATE",
    "simple": """
        ELEMENT_WISE_DIVIDE ELEMENT_WISE_RECIP ELEMENT_WISE_SQRT ELEMENT_WISE_DIFFERENCE_SQUARE
        ELEMENT_WISE_DEQUANTIZE_LINEAR DEQUANTIZE DYNAMIC_QUANTIZE_LINEAR
        ACTIVATION_HARD_SIGMOID ACTIVATION_HARD_SWISH ACTIVATION_LEAKY_RELU ACTIVATION_LINEAR
        ACTIVATION_PARAMETERIZED_RELU ACTIVATION_SHRINK ACTIVATION_SOFTSIGN
    """,
    "transcendental": """
        ELEMENT_WISE_EXP ELEMENT_WISE_LOG ELEMENT_WISE_ERF ELEMENT_WISE_TANH ELEMENT_WISE_ADD1
        ACTIVATION_ELU ACTIVATION_SCALED_ELU ACTIVATION_CELU ACTIVATION_SIGMOID ACTIVATION_TANH ACTIVATION_SCALED_TANH
        ACTIVATION_SOFTPLUS ACTIVATION_PARAMETRIC_SOFTPLUS ACTIVATION_GELU ACTIVATION_SWISH
    """,
    "trigonometric": """
        ELEMENT_WISE_SIN ELEMENT_WISE_COS ELEMENT_WISE_TAN ELEMENT_WISE_ASIN ELEMENT_WISE_ACOS ELEMENT_WISE_ATAN
        ELEMENT_WISE_SINH ELEMENT_WISE_COSH ELEMENT_WISE_ASINH ELEMENT_WISE_ACOSH ELEMENT_WISE_ATANH
        ELEMENT_WISE_ATAN_YX
    """,
    "power": "ELEMENT_WISE_POW ELEMENT_WISE_CONSTANT_POW",
    "sum": """
        REDUCE CUMULATIVE_SUMMATION CUMULATIVE_PRODUCT FOLD
        AVERAGE_POOLING AVERAGE_POOLING1 AVERAGE_POOLING_GRAD MAX_POOLING_GRAD VALUE_SCALE_2D
    """,
    "softmax": """
        ACTIVATION_SOFTMAX ACTIVATION_SOFTMAX1 ACTIVATION_LOG_SOFTMAX ACTIVATION_LOG_SOFTMAX1
        LP_POOLING LP_POOLING1
    """,
    "steps": """
        CONVOLUTION GEMM MATRIX_MULTIPLY_INTEGER_TO_FLOAT
        BATCH_NORMALIZATION BATCH_NORMALIZATION_GRAD BATCH_NORMALIZATION_TRAINING BATCH_NORMALIZATION_TRAINING_GRAD
        LOCAL_RESPONSE_NORMALIZATION LOCAL_RESPONSE_NORMALIZATION_GRAD LP_NORMALIZATION
        MEAN_VARIANCE_NORMALIZATION MEAN_VARIANCE_NORMALIZATION1 MEAN_VARIANCE_NORMALIZATION2
        RNN LSTM GRU MULTIHEAD_ATTENTION MULTIHEAD_ATTENTION1 ADAM_OPTIMIZER
        UPSAMPLE_2D RESAMPLE RESAMPLE1 RESAMPLE2 RESAMPLE3 RESAMPLE_GRAD RESAMPLE_GRAD1
        ROI_ALIGN ROI_ALIGN1 ROI_ALIGN_GRAD
    """,
}
CLASS_OF = {operator: name for name, operators in _NAMES.items() for operator in operators.split()}


def tolerance_of(operator: str) -> Tolerance:
    return CLASSES[CLASS_OF[operator]]
