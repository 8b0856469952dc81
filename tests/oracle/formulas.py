"""Pointwise operators on single numbers, in double precision, as their pages write them."""

from __future__ import annotations

import math
from collections.abc import Callable


def _expm1(x: float) -> float:
    try:
        return math.expm1(x)
    except OverflowError:
        return math.inf


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def softplus(x: float) -> float:
    """ln(1 + e^x)."""
    return x + math.log1p(math.exp(-x)) if x > 0 else math.log1p(math.exp(x))


def elu(x: float, alpha: float) -> float:
    return x if x >= 0 else alpha * math.expm1(x)


def celu(x: float, alpha: float) -> float:
    return max(0.0, x) + min(0.0, alpha * _expm1(x / alpha))


def shrink(x: float, bias: float, threshold: float) -> float:
    if x > threshold:
        return x - bias
    return x + bias if x < -threshold else 0.0


def gelu(x: float) -> float:
    return 0.5 * x * math.erfc(-x / math.sqrt(2))


ACTIVATIONS: dict[str, Callable[..., float]] = {
    "ELU": elu,
    "HARD_SIGMOID": lambda x, alpha, beta: max(0.0, min(alpha * x + beta, 1.0)),
    "IDENTITY": lambda x: x,
    "LEAKY_RELU": lambda x, alpha: x if x >= 0 else alpha * x,
    "LINEAR": lambda x, alpha, beta: alpha * x + beta,
    "PARAMETRIC_SOFTPLUS": lambda x, alpha, beta: alpha * softplus(beta * x),
    "RELU": lambda x: max(0.0, x),
    "SCALED_ELU": lambda x, alpha, gamma: gamma * x if x > 0 else gamma * alpha * math.expm1(x),
    "SCALED_TANH": lambda x, alpha, beta: alpha * math.tanh(beta * x),
    "SIGMOID": sigmoid,
    "SOFTPLUS": lambda x, steepness: softplus(steepness * x) / steepness,
    "SOFTSIGN": lambda x: x / (1 + abs(x)),
    "TANH": math.tanh,
    "THRESHOLDED_RELU": lambda x, alpha: x if x > alpha else 0.0,
    "SHRINK": shrink,
    "CELU": celu,
    "GELU": gelu,
    "SWISH": lambda x, sigmoid_input_scale: x * sigmoid(sigmoid_input_scale * x),
    "HARD_SWISH": lambda x, alpha, beta: x * max(0.0, min(alpha * x + beta, 1.0)),
}


def quantize(x: float, scale: float, zero_point: int, low: int, high: int) -> int:
    return min(max(round(x / scale) + zero_point, low), high)  # Python's round takes halves to even
