"""NONZERO_COORDINATES: where a tensor's elements are not 0."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.orders import packed_strides
from anydml.core.rules import rule
from anydml.core.schema import Operator, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.indexing import write_rows
from anydml.operators.types import UINT32, UP_TO_32_BIT

COLUMNS = rule(
    "nonzero.columns", "A row has a coordinate for each dimension; leading dimensions of size 1 may be left out."
)


class NonzeroCoordinates(Operator, since="3.0", id=133):
    """How many elements are not 0, and their coordinates in row-major order; the rows after them are 0."""

    rank = {"3.0": (4, 5), "4.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"3.0": UP_TO_32_BIT})
    output_count_tensor: TensorDesc = tensor_output({"3.0": UINT32}, inferred_type=DataType.UINT32)
    output_coordinates_tensor: TensorDesc = tensor_output(
        {"3.0": UINT32}, rank={"3.0": (4, 5), "4.0": (2, 8)}, inferred_type=DataType.UINT32
    )
    only_moves = True

    @property
    def _effective_rank(self) -> int:
        """The dimensions from the first that is larger than 1; a row has at least one column all the same."""
        rank = self.input_tensor.rank
        return rank - next((axis for axis, size in enumerate(self.input_tensor.sizes) if size > 1), rank - 1)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        described = self.output_coordinates_tensor
        low, high = self._effective_rank, self.input_tensor.rank
        if described is not None and not low <= described.sizes[-1] <= high:
            expected = f"{low} to {high}, the dimensions of InputTensor with or without leading 1s"
            path = f"OutputCoordinatesTensor.Sizes[{described.rank - 1}]"
            yield COLUMNS(path, described.sizes[-1], expected, Use(high))

    def infer(self) -> dict[str, tuple[int, ...]]:
        """Outputs may have ranks of their own, and the coordinates as many columns as they like; see `check`."""
        rank = self.input_tensor.rank
        count, table = self.output_count_tensor, self.output_coordinates_tensor
        columns, table_rank = (rank, rank) if table is None else (table.sizes[-1], table.rank)
        return {
            "output_count_tensor": (1,) * (rank if count is None else count.rank),
            "output_coordinates_tensor": (*(1,) * (table_rank - 2), prod(self.input_tensor.sizes), columns),
        }

    def compute(self, xp: Any, input_tensor: Any) -> dict[str, Any]:
        is_found = (input_tensor != 0).reshape(-1)
        order = xp.cumsum(is_found, dtype=xp.int64)
        elements = xp.arange(is_found.size, dtype=xp.int64)
        found = write_rows(xp, xp.zeros_like(elements), xp.where(is_found, order - 1, -1), elements)
        wanted, sizes = self.output_coordinates_tensor.sizes, input_tensor.shape
        steps = list(zip(packed_strides(sizes), sizes, strict=True))[-wanted[-1] :]
        columns = [found // stride % size for stride, size in steps]
        return {
            "output_count_tensor": order[-1:].reshape(self.output_count_tensor.sizes),
            "output_coordinates_tensor": xp.stack(columns, axis=-1).reshape(wanted),
        }
