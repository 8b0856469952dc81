"""A transformer block: multi-head attention and a small network, each with a residual and a normalization.

    python examples/transformer.py

The weights are random; the result is compared with the same block in NumPy.
"""

from __future__ import annotations

import sys
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

import anydml as dml
import anydml.expression as dmlx

Floats = npt.NDArray[np.float32]
BATCH, LENGTH, WIDTH, HEADS, HIDDEN = 2, 16, 64, 4, 256
EPSILON = 1e-5


def random_weights(seed: int = 1) -> dict[str, Floats]:
    random = np.random.default_rng(seed)
    sizes = {"query": WIDTH, "key": WIDTH, "value": WIDTH, "out": WIDTH, "up": HIDDEN}
    made = {name: (random.standard_normal((WIDTH, n)) / sqrt(WIDTH)).astype(np.float32) for name, n in sizes.items()}
    made["down"] = (random.standard_normal((HIDDEN, WIDTH)) / sqrt(HIDDEN)).astype(np.float32)
    return made


class Block:
    """The block as a graph; weights are constants of it."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        self.graph = dmlx.Graph()
        self.weights = weights
        x = dmlx.input_tensor(self.graph, 0, dml.TensorDesc("FLOAT32", [BATCH, LENGTH, WIDTH]), "tokens")
        with self.graph.name_scope("attention"):
            x = x + self.attention(self.normalized(x))
        with self.graph.name_scope("network"):
            hidden = dmlx.activation_gelu(self.linear(self.normalized(x), "up"))
            x = x + self.linear(hidden, "down")
        self.graph.compile(x)

    def linear(self, x: dmlx.Expression, name: str) -> dmlx.Expression:
        """x times a matrix: all tokens of all sequences are rows of one product."""
        matrix = self.weights[name]
        rows = dmlx.reinterpret(x, None, [1, 1, BATCH * LENGTH, matrix.shape[0]])
        product = dmlx.gemm(rows, dmlx.constant(self.graph, matrix[None, None], name=name), name=f"{name} product")
        return dmlx.reinterpret(product, None, [BATCH, LENGTH, matrix.shape[1]])

    def normalized(self, x: dmlx.Expression) -> dmlx.Expression:
        return dmlx.mean_variance_normalization(x, None, None, [2], True, True, EPSILON)

    def attention(self, x: dmlx.Expression) -> dmlx.Expression:
        heads = dmlx.multihead_attention(
            1 / sqrt(WIDTH // HEADS),
            -10000.0,
            HEADS,
            dml.MultiheadAttentionMaskType.NONE,
            query=self.linear(x, "query"),
            key=self.linear(x, "key"),
            value=self.linear(x, "value"),
        )
        return self.linear(heads.output, "out")

    def __call__(self, tokens: Floats) -> Floats:
        result: Any = self.graph(tokens)
        return np.asarray(result, np.float32)


def with_numpy(tokens: Floats, weights: dict[str, Floats]) -> Floats:
    """The same block, written down plainly."""

    def normalized(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON))

    def split(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return x.reshape(BATCH, LENGTH, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    def gelu(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        from math import erf

        return np.asarray(x * 0.5 * (1 + np.vectorize(erf)(x / sqrt(2))))

    x = tokens.astype(np.float64)
    inner = normalized(x)
    query, key, value = (split(inner @ weights[name]) for name in ("query", "key", "value"))
    scores = query @ key.swapaxes(-1, -2) / sqrt(WIDTH // HEADS)
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    chances /= chances.sum(-1, keepdims=True)
    x = x + (chances @ value).transpose(0, 2, 1, 3).reshape(BATCH, LENGTH, WIDTH) @ weights["out"]
    return np.asarray(x + gelu(normalized(x) @ weights["up"]) @ weights["down"], np.float32)


def main() -> int:
    weights = random_weights()
    tokens = np.random.default_rng(2).standard_normal((BATCH, LENGTH, WIDTH)).astype(np.float32)
    block = Block(weights)
    difference = float(np.abs(block(tokens) - with_numpy(tokens, weights)).max())
    print(block.graph.describe().describe())
    print(f"largest difference from NumPy {difference:.1e}")
    return 0 if difference < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
