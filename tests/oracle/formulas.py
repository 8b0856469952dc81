"""Pointwise operators on single numbers, in double precision, as their pages write them."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.oracle.pointwise import larger, smaller


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
    return larger(0.0, x) + smaller(0.0, alpha * _expm1(x / alpha))


def hard_sigmoid(x: float, alpha: float, beta: float) -> float:
    return larger(smaller(alpha * x + beta, 1.0), 0.0)


def softsign(x: float) -> float:
    """x / (1 + |x|), and its limit at infinity."""
    return math.copysign(1.0, x) if math.isinf(x) else x / (1 + abs(x))


def gated(x: float, gate: float) -> float:
    """x times a gate that closes faster than x grows: 0 where it is closed, also at infinity."""
    return 0.0 if gate == 0 else x * gate


def shrink(x: float, bias: float, threshold: float) -> float:
    if x > threshold:
        return x - bias
    return x + bias if x < -threshold else 0.0


def gelu(x: float) -> float:
    return gated(x, 0.5 * math.erfc(-x / math.sqrt(2)))


ACTIVATIONS: dict[str, Callable[..., float]] = {
    "ELU": elu,
    "HARD_SIGMOID": hard_sigmoid,
    "IDENTITY": lambda x: x,
    "LEAKY_RELU": lambda x, alpha: x if x >= 0 else alpha * x,
    "LINEAR": lambda x, alpha, beta: alpha * x + beta,
    "PARAMETRIC_SOFTPLUS": lambda x, alpha, beta: alpha * softplus(beta * x),
    "RELU": lambda x: larger(x, 0.0),
    "SCALED_ELU": lambda x, alpha, gamma: gamma * x if x > 0 else gamma * alpha * math.expm1(x),
    "SCALED_TANH": lambda x, alpha, beta: alpha * math.tanh(beta * x),
    "SIGMOID": sigmoid,
    "SOFTPLUS": lambda x, steepness: softplus(steepness * x) / steepness,
    "SOFTSIGN": softsign,
    "TANH": math.tanh,
    "THRESHOLDED_RELU": lambda x, alpha: x if x > alpha else 0.0,
    "SHRINK": shrink,
    "CELU": celu,
    "GELU": gelu,
    "SWISH": lambda x, sigmoid_input_scale: gated(x, sigmoid(sigmoid_input_scale * x)),
    "HARD_SWISH": lambda x, alpha, beta: gated(x, hard_sigmoid(x, alpha, beta)),
}
