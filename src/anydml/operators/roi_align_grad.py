"""ROI_ALIGN_GRAD: the gradients of resized regions, with respect to the images and to the regions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.enums import InterpolationMode, ReduceFunction
from anydml.core.errors import Violation
from anydml.core.fixes import Add, Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import (
    Boolean,
    Enumeration,
    Float,
    Integer,
    attribute,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.tensor import TensorDesc
from anydml.operators.roi_align import INDEX_SIZES, ROI_SIZES, RegionOperator
from anydml.operators.roi_sampling import Regions, Sample, pixels_of
from anydml.operators.types import FLOAT_16_32, UINT32

IMAGE = rule("roi-align.image", "A gradient has the sizes of what it is the gradient of.")
GRADIENTS = rule("roi-align.gradients", "At least one of the two gradients is asked for.")
NEEDS_INPUT = rule("roi-align.input", "The gradients of regions and of MAX depend on InputTensor.")
_FLOATS = {"4.1": FLOAT_16_32}
_ROI_RANK = {"4.1": (2, 4)}


class RoiAlignGrad(RegionOperator, since="4.1", id=150):
    """The gradients of ROI_ALIGN1 with respect to its images and to its regions."""

    rank = {"4.1": (4, 4)}
    input_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    input_gradient_tensor: TensorDesc = tensor_input(_FLOATS)
    roi_tensor: TensorDesc = tensor_input(_FLOATS, rank=_ROI_RANK)
    batch_indices_tensor: TensorDesc = tensor_input({"4.1": UINT32}, rank={"4.1": (1, 4)})
    output_gradient_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    output_roi_gradient_tensor: TensorDesc | None = tensor_output(_FLOATS, rank=_ROI_RANK, optional=True)
    reduction_function: ReduceFunction = attribute(Enumeration(ReduceFunction))
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    spatial_scale_x: float = attribute(Float())
    spatial_scale_y: float = attribute(Float())
    input_pixel_offset: float = attribute(Float())
    output_pixel_offset: float = attribute(Float())
    minimum_samples_per_output: int = attribute(Integer())
    maximum_samples_per_output: int = attribute(Integer())
    align_regions_to_corners: bool = attribute(Boolean())
    same = (
        same(
            "input_tensor input_gradient_tensor roi_tensor output_gradient_tensor output_roi_gradient_tensor",
            "DataType",
        ),
    )
    sizes_of = {
        "input_tensor": "batch channels height width",
        "input_gradient_tensor": "regions channels output_height output_width",
        "roi_tensor": ROI_SIZES,
        "batch_indices_tensor": INDEX_SIZES,
    }
    temporary_copies = 10

    @property
    def image_sizes(self) -> tuple[int, ...]:
        """The sizes of the images, told by their gradient or by themselves."""
        told = self.output_gradient_tensor or self.input_tensor
        assert told is not None
        return told.sizes

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        yield from self.check_sampling()
        image, regions = self.output_gradient_tensor, self.output_roi_gradient_tensor
        if self.input_tensor is None and (regions is not None or self.reduction_function is ReduceFunction.MAX):
            yield NEEDS_INPUT("InputTensor", "nothing", "the images of the forward operator", Add("input_tensor"))
        if image is None and regions is None:
            yield GRADIENTS("OutputGradientTensor", "no outputs", "OutputGradientTensor or OutputROIGradientTensor")
        yield from self._check_sizes()

    def _check_sizes(self) -> Iterator[Violation]:
        image, regions = self.output_gradient_tensor, self.output_roi_gradient_tensor
        if image is not None:
            channels = self.input_gradient_tensor.sizes[1]
            wanted = self.input_tensor.sizes if self.input_tensor else (image.sizes[0], channels, *image.sizes[2:])
            if image.sizes != wanted:
                yield IMAGE("OutputGradientTensor.Sizes", image.sizes, wanted, Use(wanted))
        if regions is not None and regions.sizes != self.roi_tensor.sizes:
            wanted = self.roi_tensor.sizes
            yield IMAGE("OutputROIGradientTensor.Sizes", regions.sizes, f"{wanted} as ROITensor has", Use(wanted))

    def infer(self) -> dict[str, tuple[int, ...]]:
        found = {"output_roi_gradient_tensor": self.roi_tensor.sizes}
        return found if self.input_tensor is None else found | {"output_gradient_tensor": self.input_tensor.sizes}

    def compute(
        self, xp: Any, input_tensor: Any, input_gradient_tensor: Any, roi_tensor: Any, batch_indices_tensor: Any
    ) -> dict[str, Any]:
        output = self.input_gradient_tensor.sizes
        regions = self.sampled_regions(xp, roi_tensor, batch_indices_tensor, output, self.image_sizes)
        gradient = xp.moveaxis(input_gradient_tensor, 1, 3)
        pixels = None if input_tensor is None else pixels_of(xp, input_tensor)
        batch, channels, height, width = self.image_sizes
        image = xp.zeros((batch, height, width, channels), gradient.dtype)
        corners = xp.zeros((self.region_count, 4), gradient.dtype)
        for sample, share in self._shares(xp, regions, pixels):
            part = xp.where(share != 0, gradient, gradient.dtype.type(0)) * share.astype(gradient.dtype)
            if self.output_gradient_tensor is not None:
                _add_to_image(xp, image, sample, part)
            if self.output_roi_gradient_tensor is not None:
                corners += _corner_gradients(xp, sample, part, pixels)
        return {
            "output_gradient_tensor": xp.moveaxis(image, 3, 1),
            "output_roi_gradient_tensor": corners.reshape(self.roi_tensor.sizes),
        }

    def _shares(self, xp: Any, regions: Regions, pixels: Any) -> Iterator[tuple[Sample, Any]]:
        """Every sample, and which part of the output element's gradient it gets."""
        if self.reduction_function is ReduceFunction.AVERAGE:
            for sample in regions:
                yield sample, sample.exists / regions.sample_count
            return
        winner = _winners(xp, regions, pixels, self.input_gradient_tensor.sizes)
        for number, sample in enumerate(regions):
            yield sample, winner == number


def _winners(xp: Any, regions: Regions, pixels: Any, output: tuple[int, ...]) -> Any:
    """The number of the largest sample of each output element, the first of equal ones; samples outside count as 0."""
    count, channels, height, width = output
    shape = (count, height, width, channels)
    best, winner = xp.full(shape, -xp.inf, pixels.dtype), xp.full(shape, -1, xp.int64)
    for number, sample in enumerate(regions):
        value = sample.value(pixels, 0)
        is_larger = (value > best) | (winner < 0) | ((value != value) & (best == best))
        is_larger = is_larger & sample.exists
        best, winner = xp.where(is_larger, value, best), xp.where(is_larger, number, winner)
    return winner


def _add_to_image(xp: Any, image: Any, sample: Sample, part: Any) -> None:
    """Add a sample's part of the gradient to the four pixels around it; samples outside have none."""
    _, height, width, channels = image.shape
    channel = xp.arange(channels, dtype=xp.int64)
    flat = image.reshape(-1)
    for pixel, down, right in sample.corners(height, width):
        weight = xp.where(sample.is_inside, down * right, 0).astype(part.dtype)
        values = xp.where(weight != 0, part, part.dtype.type(0)) * weight
        xp.add.at(flat, (pixel[..., None] * channels + channel).reshape(-1), values.reshape(-1))


def _corner_gradients(xp: Any, sample: Sample, part: Any, pixels: Any) -> Any:
    """A sample's part of the gradient of x1, y1, x2 and y2 of each region."""
    inside = xp.where(sample.is_inside, part, part.dtype.type(0))
    by_column, by_row = sample.slopes(pixels)
    across = (
        (sample.x.slope, xp.sum(by_column * inside, axis=(1, 3))),
        (
            sample.y.slope,
            xp.sum(by_row * inside, axis=(2, 3)),
        ),
    )
    found = []
    for end in (0, 1):
        for slope, total in across:
            followed = xp.where(slope[end] != 0, total, 0) * slope[end]
            found.append(xp.sum(followed, axis=1))
    return xp.stack(found, axis=-1).astype(part.dtype)
