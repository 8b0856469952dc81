"""Reading at indices that are data: GATHER, GATHER_ELEMENTS, GATHER_ND and GATHER_ND1."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Axis, Integer, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.indexing import check_leading, flat_places, nearest_inside, steps_along
from anydml.operators.types import ALL, FLOAT_16_32, INTEGERS_32, INTEGERS_64, UINT32, UP_TO_32_BIT

DIMENSIONS = rule("gather.dimensions", "IndexDimensions is at most the rank of IndicesTensor.")
ROOM = rule("gather.room", "The dimensions of the result fit into the output's rank, leading sizes of 1 left out.")
BESIDE_AXIS = rule("gather.beside-axis", "But for the axis, indices and input have the same sizes.")
COUNTS = rule("gather.counts", "Dimension counts are from 1 to the tensor's rank.")
TUPLE = rule("gather.tuple", "The tuples of the indices' last dimension name no more dimensions than the input has.")
BATCH = rule("gather.batch", "Batch dimensions are fewer than both counts, and equal in input and indices.")

VALUES = {"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": ALL}
_NEWER = {"3.0": UP_TO_32_BIT, "4.1": ALL}
INDICES = {"1.0": UINT32, "3.0": INTEGERS_32 | INTEGERS_64}
RANK = {"1.0": (4, 4), "3.0": (1, 8)}
WITH_INDICES = (
    same("input_tensor indices_tensor output_tensor", "DimensionCount"),
    same("input_tensor output_tensor", "DataType"),
)


def check_beside_axis(indices: TensorDesc, other: TensorDesc, axis: int) -> Iterator[Violation]:
    for i, (found, wanted) in enumerate(zip(indices.sizes, other.sizes, strict=True)):
        if i != axis and found != wanted:
            yield BESIDE_AXIS(f"IndicesTensor.Sizes[{i}]", found, f"{wanted} as InputTensor has", Use(wanted))


class Gather(Operator, since="1.0", id=67):
    """Takes slices of the input along an axis, in the order that the indices say: y[i] = x[indices[i]].

    Negative indices count from the end; those outside take the nearest slice.
    """

    rank = RANK
    input_tensor: TensorDesc = tensor_input(VALUES)
    indices_tensor: TensorDesc = tensor_input(INDICES)
    output_tensor: TensorDesc = tensor_output(VALUES)
    axis: int = attribute(Axis())
    index_dimensions: int = attribute(Integer())
    same = WITH_INDICES
    only_moves = True

    @property
    def _result_sizes(self) -> tuple[int, ...]:
        """The input's sizes with those of the indices in place of the axis."""
        sizes, rank = self.input_tensor.sizes, self.indices_tensor.rank
        taken = self.indices_tensor.sizes[rank - self.index_dimensions :]
        return (*sizes[: self.axis], *taken, *sizes[self.axis + 1 :])

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        rank = self.indices_tensor.rank
        if self.index_dimensions > rank:
            yield DIMENSIONS("IndexDimensions", self.index_dimensions, f"0 to {rank}", Use(rank))
            return
        yield from check_leading("IndicesTensor", self.indices_tensor, self.index_dimensions)
        surplus = self._result_sizes[: max(self.index_dimensions - 1, 0)]
        if any(size != 1 for size in surplus):
            found = f"{self._result_sizes}, {len(self._result_sizes)} dimensions"
            fix = f"leading sizes of 1, or IndexDimensions {self.index_dimensions - len(surplus)}"
            yield ROOM("IndexDimensions", found, f"{rank} dimensions once leading 1s are left out", fix)

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": (1, *self._result_sizes)[-self.input_tensor.rank :]}

    def compute(self, xp: Any, input_tensor: Any, indices_tensor: Any) -> Any:
        places = nearest_inside(xp, indices_tensor, input_tensor.shape[self.axis])
        return xp.take(input_tensor, places.reshape(-1), axis=self.axis).reshape(self.output_tensor.sizes)


class GatherElements(Operator, since="2.1", id=107):
    """Takes one element of the input for each index; but for the axis, it stands where the index stands."""

    rank = RANK
    input_tensor: TensorDesc = tensor_input(VALUES)
    indices_tensor: TensorDesc = tensor_input(INDICES)
    output_tensor: TensorDesc = tensor_output(VALUES)
    axis: int = attribute(Axis())
    same = WITH_INDICES
    only_moves = True

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return check_beside_axis(self.indices_tensor, self.input_tensor, self.axis)

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": self.indices_tensor.sizes}

    def compute(self, xp: Any, input_tensor: Any, indices_tensor: Any) -> Any:
        places = nearest_inside(xp, indices_tensor, input_tensor.shape[self.axis])
        return xp.take_along_axis(input_tensor, places, axis=self.axis)


class Tuples(Operator, abstract=True):
    """What GATHER_ND and SCATTER_ND have in common: the indices' last dimension holds tuples, one number per dimension.

    `sizes` and `index_sizes` are those of the input and the indices without the dimensions that only fill up the rank.
    """

    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    input_dimension_count: int
    indices_dimension_count: int
    batch_dimension_count = 0

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.input_tensor.sizes[self.input_tensor.rank - self.input_dimension_count :]

    @property
    def index_sizes(self) -> tuple[int, ...]:
        return self.indices_tensor.sizes[self.indices_tensor.rank - self.indices_dimension_count :]

    @property
    def indexed(self) -> int:
        """How many of the input's dimensions are indexed, by their own index or by that of the batch."""
        return self.batch_dimension_count + self.index_sizes[-1]

    @property
    def slice_sizes(self) -> tuple[int, ...]:
        """The sizes of one slice for each tuple, filled up to the rank of the tensors."""
        sizes = (*self.index_sizes[:-1], *self.sizes[self.indexed :])
        return (*(1,) * (self.input_tensor.rank - len(sizes)), *sizes)

    def check_tuples(self) -> Iterator[Violation]:
        """Counts inside the ranks, and tuples and slices that fit."""
        rank = self.input_tensor.rank
        for name in ("input_dimension_count", "indices_dimension_count"):
            count = getattr(self, name)
            if not 1 <= count <= rank:
                yield COUNTS(self.fields[name].dml_name, count, f"1 to {rank}", Use(rank))
        if all(1 <= count <= rank for count in (self.input_dimension_count, self.indices_dimension_count)):
            yield from check_leading("InputTensor", self.input_tensor, self.input_dimension_count)
            yield from check_leading("IndicesTensor", self.indices_tensor, self.indices_dimension_count)
            yield from self._check_tuple()

    def _check_tuple(self) -> Iterator[Violation]:
        batch, most = self.batch_dimension_count, self.input_dimension_count - self.batch_dimension_count
        if batch >= min(self.input_dimension_count, self.indices_dimension_count):
            limit = min(self.input_dimension_count, self.indices_dimension_count) - 1
            yield BATCH("BatchDimensionCount", batch, f"0 to {limit}", Use(limit))
        elif self.index_sizes[:batch] != self.sizes[:batch]:
            yield BATCH("IndicesTensor.Sizes", self.index_sizes[:batch], f"{self.sizes[:batch]} for the batch")
        elif self.index_sizes[-1] > most:
            last = self.indices_tensor.rank - 1
            yield TUPLE(f"IndicesTensor.Sizes[{last}]", self.index_sizes[-1], f"1 to {most}", Use(most))
        elif len(self.slice_sizes) > self.input_tensor.rank:
            found = f"{self.slice_sizes}, {len(self.slice_sizes)} dimensions"
            yield ROOM("IndicesDimensionCount", found, f"at most {self.input_tensor.rank} dimensions")

    def slice_places(self, xp: Any, indices: Any, locate: Any) -> Any:
        """The number of the slice that each tuple names; `locate` says what becomes of indices outside."""
        batch, tuples = self.batch_dimension_count, indices.reshape(self.index_sizes)
        rank = len(self.index_sizes) - 1
        coordinates = [steps_along(xp, axis, rank, self.sizes[axis]) for axis in range(batch)]
        for k in range(self.index_sizes[-1]):
            coordinates.append(locate(xp, tuples[..., k], self.sizes[batch + k]))
        return flat_places(xp, coordinates, self.sizes[: self.indexed]).reshape(-1)

    def as_slices(self, array: Any) -> Any:
        """The input as rows, one for each slice that a tuple can name."""
        return array.reshape(prod(self.sizes[: self.indexed]), -1)


class _GatherNd(Tuples, abstract=True):
    rank = RANK
    same = WITH_INDICES
    only_moves = True

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return self.check_tuples()

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": self.slice_sizes}


class GatherNd1(_GatherNd, since="3.0", id=140):
    """Takes one slice of the input for each tuple of indices; the first dimensions of both may be a common batch."""

    rank = {"3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_NEWER)
    indices_tensor: TensorDesc = tensor_input({"3.0": INTEGERS_32 | INTEGERS_64})
    output_tensor: TensorDesc = tensor_output(_NEWER)
    input_dimension_count: int = attribute(Integer())
    indices_dimension_count: int = attribute(Integer())
    batch_dimension_count: int = attribute(Integer())

    def compute(self, xp: Any, input_tensor: Any, indices_tensor: Any) -> Any:
        places = self.slice_places(xp, indices_tensor, nearest_inside)
        return xp.take(self.as_slices(input_tensor), places, axis=0).reshape(self.output_tensor.sizes)


class GatherNd(_GatherNd, since="2.1", id=108):
    """Takes one slice of the input for each tuple of indices."""

    input_tensor: TensorDesc = tensor_input(VALUES)
    indices_tensor: TensorDesc = tensor_input(INDICES)
    output_tensor: TensorDesc = tensor_output(VALUES)
    input_dimension_count: int = attribute(Integer())
    indices_dimension_count: int = attribute(Integer())

    def equivalent(self) -> Operator:
        return GatherNd1(**self.values(), batch_dimension_count=0)
