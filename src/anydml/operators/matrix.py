"""GEMM: products of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.enums import MatrixTransform
from anydml.core.errors import Violation
from anydml.core.fixes import Fix, Set, Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Enumeration, Float, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.schema.fusion import Activation
from anydml.core.tensor import TensorDesc
from anydml.operators.fused import apply_activation
from anydml.operators.types import FLOAT_16_32

INNER = rule("gemm.inner-size", "A's columns are as many as B's rows, after the transforms, and leading sizes agree.")
_ACTIVATION = Activation({"ELEMENT_WISE_CLIP": "6.0", "ACTIVATION_SOFTMAX": "6.1", "ACTIVATION_SOFTMAX1": "6.1"})
_FLOATS = {"1.0": FLOAT_16_32}


class Gemm(Operator, since="1.0", id=54):
    """activation(alpha * A x B + beta * C), for each leading index."""

    rank = {"1.0": (4, 4), "4.0": (2, 4)}
    a_tensor: TensorDesc = tensor_input(_FLOATS)
    b_tensor: TensorDesc = tensor_input(_FLOATS)
    c_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    trans_a: MatrixTransform = attribute(Enumeration(MatrixTransform), default=MatrixTransform.NONE)
    trans_b: MatrixTransform = attribute(Enumeration(MatrixTransform), default=MatrixTransform.NONE)
    alpha: float = attribute(Float(), default=1.0)
    beta: float = attribute(Float(), default=1.0)
    fused_activation: Operator | None = attribute(_ACTIVATION, optional=True)
    same = (
        same("a_tensor b_tensor c_tensor output_tensor", "DataType DimensionCount"),
        same("c_tensor output_tensor", "Sizes"),
    )

    def _matrix_sizes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """(M, K) and (K, N) as multiplied."""
        a, b = self.a_tensor.sizes[-2:], self.b_tensor.sizes[-2:]
        rows = a[::-1] if self.trans_a is MatrixTransform.TRANSPOSE else a
        columns = b[::-1] if self.trans_b is MatrixTransform.TRANSPOSE else b
        return (rows[0], rows[1]), (columns[0], columns[1])

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        (_, inner), (other, _) = self._matrix_sizes()
        if inner != other:
            found, expected = f"{other} rows as multiplied", f"{inner}, the columns of ATensor"
            yield INNER("BTensor.Sizes", found, expected, self._inner_fix())
        if self.a_tensor.sizes[:-2] != self.b_tensor.sizes[:-2]:
            expected = f"leading sizes {self.a_tensor.sizes[:-2]} as ATensor has"
            yield INNER("BTensor.Sizes", self.b_tensor.sizes[:-2], expected, "strides of 0 to broadcast")

    def _inner_fix(self) -> Fix:
        """Another transform, where one makes the sizes fit; else other sizes."""
        (rows, inner), (other, columns) = self._matrix_sizes()
        if columns == inner:
            return Set("trans_b", _other(self.trans_b).name)
        if rows == other:
            return Set("trans_a", _other(self.trans_a).name)
        sizes = (inner, columns) if self.trans_b is MatrixTransform.NONE else (columns, inner)
        return Use((*self.b_tensor.sizes[:-2], *sizes))

    def infer(self) -> dict[str, tuple[int, ...]]:
        (rows, _), (_, columns) = self._matrix_sizes()
        return {"output_tensor": (*self.a_tensor.sizes[:-2], rows, columns)}

    def compute(self, xp: Any, a_tensor: Any, b_tensor: Any, c_tensor: Any = None) -> Any:
        a = a_tensor.swapaxes(-1, -2) if self.trans_a is MatrixTransform.TRANSPOSE else a_tensor
        b = b_tensor.swapaxes(-1, -2) if self.trans_b is MatrixTransform.TRANSPOSE else b_tensor
        result = xp.matmul(a, b) * a.dtype.type(self.alpha)
        if c_tensor is not None:
            result = result + a.dtype.type(self.beta) * c_tensor
        return apply_activation(xp, result, self.fused_activation)


def _other(transform: MatrixTransform) -> MatrixTransform:
    return MatrixTransform.NONE if transform is MatrixTransform.TRANSPOSE else MatrixTransform.TRANSPOSE
