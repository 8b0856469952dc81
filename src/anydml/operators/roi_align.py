"""ROI_ALIGN and ROI_ALIGN1: regions of images, resized to one size by interpolation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.enums import InterpolationMode, ReduceFunction
from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import (
    Boolean,
    Enumeration,
    Float,
    Integer,
    Operator,
    attribute,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.tensor import TensorDesc
from anydml.operators.indexing import nearest_inside
from anydml.operators.roi_sampling import Grid, Regions, pixels_of
from anydml.operators.types import FLOAT_16_32, UINT32, UINT64

REDUCTION = rule("roi-align.reduction", "Samples are reduced by AVERAGE or MAX.")
SAMPLES = rule("roi-align.samples", "MinimumSamplesPerOutput is at most MaximumSamplesPerOutput, and at most 256.")
OUTPUT = rule("roi-align.output", "The output has as many images as there are regions, with the input's channels.")
_MOST_LEAST_SAMPLES = 256
_FLOATS = {"3.0": FLOAT_16_32}
_INDICES = {"3.0": UINT32, "5.0": UINT32 | UINT64}
_ROI_RANK = {"3.0": (2, 4)}
_INDEX_RANK = {"3.0": (1, 4)}
ROI_SIZES = "[1] [1] regions 4"
INDEX_SIZES = "[1] [1] [1] regions"


class RegionOperator(Operator, abstract=True):
    """What the three have in common: regions of images, and how they are sampled."""

    rank = {"3.0": (4, 4)}
    roi_tensor: TensorDesc
    batch_indices_tensor: TensorDesc
    reduction_function: ReduceFunction
    interpolation_mode: InterpolationMode
    spatial_scale_x: float
    spatial_scale_y: float
    input_pixel_offset: float
    output_pixel_offset: float
    minimum_samples_per_output: int
    maximum_samples_per_output: int
    align_regions_to_corners: bool

    @property
    def region_count(self) -> int:
        return self.roi_tensor.sizes[-2]

    def check_sampling(self) -> Iterator[Violation]:
        if self.reduction_function not in (ReduceFunction.AVERAGE, ReduceFunction.MAX):
            yield REDUCTION("ReductionFunction", self.reduction_function.name, "AVERAGE or MAX", Use("AVERAGE"))
        most = min(self.maximum_samples_per_output, _MOST_LEAST_SAMPLES)
        if self.minimum_samples_per_output > most:
            yield SAMPLES("MinimumSamplesPerOutput", self.minimum_samples_per_output, f"at most {most}", Use(most))

    def sampled_regions(
        self, xp: Any, rois: Any, batch_indices: Any, output: tuple[int, ...], image: tuple[int, ...]
    ) -> Regions:
        """The samples of all regions, between images and outputs of these sizes."""
        sampling = (
            self.input_pixel_offset,
            self.output_pixel_offset,
            self.minimum_samples_per_output,
            self.maximum_samples_per_output,
            self.align_regions_to_corners,
        )
        rows = Grid(output[2], image[2], self.spatial_scale_y, *sampling)
        columns = Grid(output[3], image[3], self.spatial_scale_x, *sampling)
        images = nearest_inside(xp, batch_indices.reshape(-1), image[0])
        return Regions(xp, rois, images, rows, columns, self.interpolation_mode)


class RoiAlign1(RegionOperator, since="4.0", id=149):
    """Resizes regions of images to one size: each output element reduces samples that lie evenly in its part."""

    rank = {"4.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input({"4.0": FLOAT_16_32})
    roi_tensor: TensorDesc = tensor_input({"4.0": FLOAT_16_32}, rank={"4.0": (2, 4)})
    batch_indices_tensor: TensorDesc = tensor_input({"4.0": UINT32, "5.0": UINT32 | UINT64}, rank={"4.0": (1, 4)})
    output_tensor: TensorDesc = tensor_output({"4.0": FLOAT_16_32})
    reduction_function: ReduceFunction = attribute(Enumeration(ReduceFunction))
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    spatial_scale_x: float = attribute(Float())
    spatial_scale_y: float = attribute(Float())
    input_pixel_offset: float = attribute(Float())
    output_pixel_offset: float = attribute(Float())
    out_of_bounds_input_value: float = attribute(Float())
    minimum_samples_per_output: int = attribute(Integer())
    maximum_samples_per_output: int = attribute(Integer())
    align_regions_to_corners: bool = attribute(Boolean())
    same = (same("input_tensor roi_tensor output_tensor", "DataType"),)
    sizes_of = {"roi_tensor": ROI_SIZES, "batch_indices_tensor": INDEX_SIZES}
    temporary_copies = 10

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        yield from self.check_sampling()
        yield from _check_output(self)

    def compute(self, xp: Any, input_tensor: Any, roi_tensor: Any, batch_indices_tensor: Any) -> Any:
        output, image = self.output_tensor.sizes, self.input_tensor.sizes
        regions = self.sampled_regions(xp, roi_tensor, batch_indices_tensor, output, image)
        pixels, kind = pixels_of(xp, input_tensor), input_tensor.dtype
        is_average = self.reduction_function is ReduceFunction.AVERAGE
        start = 0 if is_average else -xp.inf
        total = xp.full((output[0], *output[2:], output[1]), start, kind)
        for sample in regions:
            value = sample.value(pixels, self.out_of_bounds_input_value)
            reduced = total + value if is_average else xp.fold_maximum(total, value)
            total = xp.where(sample.exists, reduced, total)
        if is_average:
            total = total / regions.sample_count.astype(kind)
        return xp.moveaxis(total, 3, 1)


class RoiAlign(RegionOperator, since="3.0", id=139):
    """Resizes regions of images to one size, seen from the centres of pixels."""

    input_tensor: TensorDesc = tensor_input(_FLOATS)
    roi_tensor: TensorDesc = tensor_input(_FLOATS, rank=_ROI_RANK)
    batch_indices_tensor: TensorDesc = tensor_input(_INDICES, rank=_INDEX_RANK)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    reduction_function: ReduceFunction = attribute(Enumeration(ReduceFunction))
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    spatial_scale_x: float = attribute(Float())
    spatial_scale_y: float = attribute(Float())
    out_of_bounds_input_value: float = attribute(Float())
    minimum_samples_per_output: int = attribute(Integer())
    maximum_samples_per_output: int = attribute(Integer())
    same = (same("input_tensor roi_tensor output_tensor", "DataType"),)
    sizes_of = {"roi_tensor": ROI_SIZES, "batch_indices_tensor": INDEX_SIZES}

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        yield from self.check_sampling()
        yield from _check_output(self)

    def equivalent(self) -> Operator:
        centres = {"input_pixel_offset": 0.5, "output_pixel_offset": -0.5}
        return RoiAlign1(**self.values(), **centres, align_regions_to_corners=False)


def _check_output(operator: RoiAlign | RoiAlign1) -> Iterator[Violation]:
    if operator.output_tensor is None:  # its height and width are the caller's choice
        return
    wanted = (operator.region_count, operator.input_tensor.sizes[1])
    if operator.output_tensor.sizes[:2] != wanted:
        expected = f"{wanted}, the regions and channels, before height and width"
        yield OUTPUT("OutputTensor.Sizes", operator.output_tensor.sizes, expected)
