"""Writing at indices that are data: SCATTER_ELEMENTS and SCATTER_ND."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Axis, Integer, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.gathering import INDICES, RANK, VALUES, Tuples, check_beside_axis
from anydml.operators.indexing import flat_places, from_start, steps_along, write_rows

UPDATES = rule("scatter.updates", "There is one update for each element that the indices name.")
_SAME = (
    same("input_tensor indices_tensor updates_tensor output_tensor", "DimensionCount"),
    same("input_tensor updates_tensor output_tensor", "DataType"),
)


class ScatterElements(Operator, since="2.0", id=94):
    """A copy of the input with an element replaced for each update, where its index says along the axis."""

    rank = RANK
    input_tensor: TensorDesc = tensor_input(VALUES)
    indices_tensor: TensorDesc = tensor_input(INDICES)
    updates_tensor: TensorDesc = tensor_input(VALUES)
    output_tensor: TensorDesc = tensor_output(VALUES)
    axis: int = attribute(Axis())
    same = _SAME
    only_moves = True

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        yield from check_beside_axis(self.indices_tensor, self.input_tensor, self.axis)
        yield from _check_updates(self.updates_tensor, self.indices_tensor.sizes)

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": self.input_tensor.sizes}

    def compute(self, xp: Any, input_tensor: Any, indices_tensor: Any, updates_tensor: Any) -> Any:
        shape, rank = input_tensor.shape, input_tensor.ndim
        coordinates = [steps_along(xp, axis, rank, size) for axis, size in enumerate(shape)]
        coordinates[self.axis] = from_start(xp, indices_tensor, shape[self.axis])
        places = flat_places(xp, coordinates, shape).reshape(-1)
        return write_rows(xp, input_tensor.reshape(-1), places, updates_tensor.reshape(-1)).reshape(shape)


class ScatterNd(Tuples, since="2.1", id=109):
    """A copy of the input with a slice replaced for each tuple of indices."""

    rank = RANK
    input_tensor: TensorDesc = tensor_input(VALUES)
    indices_tensor: TensorDesc = tensor_input(INDICES)
    updates_tensor: TensorDesc = tensor_input(VALUES)
    output_tensor: TensorDesc = tensor_output(VALUES)
    input_dimension_count: int = attribute(Integer())
    indices_dimension_count: int = attribute(Integer())
    same = _SAME
    only_moves = True

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        found = list(self.check_tuples())
        yield from found
        if not found:
            yield from _check_updates(self.updates_tensor, self.slice_sizes)

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": self.input_tensor.sizes}

    def compute(self, xp: Any, input_tensor: Any, indices_tensor: Any, updates_tensor: Any) -> Any:
        places, rows = self.slice_places(xp, indices_tensor, from_start), self.as_slices(input_tensor)
        updates = updates_tensor.reshape(places.size, -1)
        return write_rows(xp, rows, places, updates).reshape(input_tensor.shape)


def _check_updates(updates: TensorDesc, sizes: tuple[int, ...]) -> Iterator[Violation]:
    if updates.sizes != sizes:
        yield UPDATES("UpdatesTensor.Sizes", updates.sizes, sizes, Use(sizes))
