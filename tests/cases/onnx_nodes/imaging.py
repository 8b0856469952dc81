"""Translations of ONNX nodes that normalize, resample, quantize and optimize."""

from __future__ import annotations

import numpy as np

from tests.cases.framework import Case
from tests.cases.onnx_nodes import arithmetic
from tests.cases.onnx_nodes.arithmetic import Translation, unary
from tests.cases.onnx_nodes.nodes import Array, Node, data_type, empty, operand, require

NO_EPSILON = 2.0**-60
"""Where ONNX adds nothing, or next to nothing."""

# Normalization


def along(array: Array, rank: int, axis: int) -> tuple[int, ...]:
    """Sizes that hold a vector along one axis."""
    return tuple(array.size if k == axis else 1 for k in range(rank))


def batch(node: Node) -> Case:
    """In training, the statistics are found in the averages that ONNX updates with them."""
    x, scale, bias, mean, variance = (node.input(place) for place in range(5))
    sizes = along(scale, x.ndim, 1)
    node.fields.update(input_tensor=operand(x), scale_tensor=operand(scale, sizes), bias_tensor=operand(bias, sizes))
    node.fields["epsilon"] = float(node.get("epsilon", 1e-5))
    node.output("output_tensor")
    if node.get("training_mode", 0):
        momentum = node.get("momentum", 0.9)
        for name, old, place in (("mean", mean, 1), ("variance", variance, 2)):
            new = ((node.outputs[place] - old * momentum) / (1 - momentum)).astype(x.dtype)
            node.fields[f"output_{name}_tensor"] = empty(new, sizes)
            node.answers[f"output_{name}_tensor"] = new
        return node.case("BATCH_NORMALIZATION_TRAINING")
    node.fields.update(mean_tensor=operand(mean, sizes), variance_tensor=operand(variance, sizes), spatial=True)
    return node.case("BATCH_NORMALIZATION")


def local_response(node: Node) -> Case:
    node.fields.update(cross_channel=True, local_size=node.get("size"), bias=float(node.get("bias", 1.0)))
    node.fields.update(alpha=float(node.get("alpha", 1e-4)), beta=float(node.get("beta", 0.75)))
    return unary("LOCAL_RESPONSE_NORMALIZATION")(node)


def norm(node: Node) -> Case:
    node.fields.update(axis=node.axis(node.input(0).ndim), p=node.get("p", 2), epsilon=NO_EPSILON)
    return unary("LP_NORMALIZATION")(node)


def mean_variance(node: Node) -> Case:
    axes = [axis % node.input(0).ndim for axis in node.get("axes", [0, 2, 3])]
    node.fields.update(axes=axes, normalize_variance=True, epsilon=NO_EPSILON)
    return unary("MEAN_VARIANCE_NORMALIZATION1")(node)


def instance(node: Node) -> Case:
    x = node.input(0)
    for name, place in (("scale_tensor", 1), ("bias_tensor", 2)):
        node.fields[name] = operand(node.input(place), along(node.input(place), x.ndim, 1))
    node.fields.update(axes=list(range(2, x.ndim)), normalize_variance=True, epsilon=float(node.get("epsilon", 1e-5)))
    return unary("MEAN_VARIANCE_NORMALIZATION1")(node)


def group(node: Node) -> Case:
    """Channels are cut into groups, each with a dimension of its own."""
    x, groups = node.input(0), node.get("num_groups")
    sizes = (x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    for name, place in (("scale_tensor", 1), ("bias_tensor", 2)):
        array = node.input(place)
        require(array.size == x.shape[1], "a scale per group")
        node.fields[name] = operand(array, (1, *sizes[1:3], *(1,) * (x.ndim - 2)))
    node.fields.update(input_tensor=operand(x, sizes), axes=list(range(2, len(sizes))), normalize_variance=True)
    node.fields["epsilon"] = float(node.get("epsilon", 1e-5))
    node.output("output_tensor", sizes=sizes)
    return node.case("MEAN_VARIANCE_NORMALIZATION1")


def layer(operator: str) -> Translation:
    """Statistics over the last axes; mean and deviation, further outputs of ONNX, are none of DirectML."""

    def translate(node: Node) -> Case:
        x = node.input(0)
        node.fields.update(
            axes=list(range(node.axis(x.ndim), x.ndim)),
            epsilon=float(node.get("epsilon", 1e-5)),
        )
        for name, place in (("scale_tensor", 1), ("bias_tensor", 2)):
            array = node.optional(place)
            if array is not None:
                node.fields[name] = operand(array, (1,) * (x.ndim - array.ndim) + array.shape)
        if operator == "MEAN_VARIANCE_NORMALIZATION2":
            node.fields.update(use_mean=node.op_type != "RMSNormalization", use_variance=True)
        else:
            node.fields["normalize_variance"] = True
        return unary(operator)(node)

    return translate


# Resampling

ROUNDING = {
    b"round_prefer_floor": ("INCREASING", 0.5),
    b"round_prefer_ceil": ("DECREASING", -0.5),
    b"floor": ("DECREASING", 0.0),
    b"ceil": ("INCREASING", 0.0),
}
HUGE = float(np.finfo(np.float32).max)
"""A scale that takes every output element to the first input element."""


def scales_of(node: Node, x: Array) -> list[float]:
    """Given as such, or as sizes that may have to keep the ratio of the sides."""
    axes = [axis % x.ndim for axis in node.get("axes", range(x.ndim))]
    scales, given, sizes = [1.0] * x.ndim, node.optional(2), node.optional(3)
    if given is not None and given.size:
        for axis, scale in zip(axes, given, strict=True):
            scales[axis] = float(scale)
        return scales
    require(sizes is not None, "neither scales nor sizes")
    assert sizes is not None
    found = {axis: int(n) / x.shape[axis] for axis, n in zip(axes, sizes, strict=True)}
    policy = node.get("keep_aspect_ratio_policy", b"stretch")
    for axis, scale in found.items():
        chosen = {b"not_larger": min, b"not_smaller": max}.get(policy, lambda values, own=scale: own)
        scales[axis] = float(chosen(found.values()))
    return scales


def mapped(mode: str, length: int, output: int, scale: float, start: float, end: float) -> tuple[float, float, float]:
    """Scale, input offset and output offset of one axis."""
    if mode == "half_pixel" or (mode == "pytorch_half_pixel" and output > 1):
        return scale, 0.5, -0.5
    if mode == "half_pixel_symmetric":
        return scale, 0.5 - length / 2 * (1 - output / (scale * length)), -0.5
    if mode == "asymmetric":
        return scale, 0.0, 0.0
    if mode == "align_corners" and min(length, output) > 1:
        return (scale * length - 1) / (length - 1), 0.0, 0.0
    if mode == "tf_crop_and_resize":
        require(start >= 0 and end <= 1, "a region outside")
        region = (end - start) * (length - 1)
        if output > 1 and region:
            return (output - 1) / region, -start * (length - 1), 0.0
        return HUGE, -(start + end) / 2 * (length - 1), 0.0
    require(mode in ("align_corners", "pytorch_half_pixel"), f"coordinates by {mode}")
    return HUGE, 0.0, 0.0


def resize(node: Node) -> Case:
    x, output = node.input(0), node.outputs[0].shape
    mode, region = node.get("mode", b"nearest"), node.optional(1)
    require(mode != b"cubic" and not node.get("exclude_outside", 0), "cubic, or weights outside left out")
    axes = [axis % x.ndim for axis in node.get("axes", range(x.ndim))]
    coordinates = node.get("coordinate_transformation_mode", b"half_pixel").decode()
    rows = []
    for axis, scale in enumerate(scales_of(node, x)):
        place, count = axes.index(axis) if axis in axes else -1, len(axes)
        inside = region is not None and region.size and place >= 0
        start, end = (float(region[place]), float(region[count + place])) if inside else (0.0, 1.0)  # type: ignore[index]
        rows.append(mapped(coordinates, x.shape[axis], output[axis], scale, start, end))
    direction, shift = ROUNDING[node.get("nearest_mode", b"round_prefer_floor")]
    nearest = mode == b"nearest"
    node.fields.update(
        interpolation_mode="NEAREST_NEIGHBOR" if nearest else "LINEAR",
        rounding_direction=direction,
        scales=[float(np.float32(scale)) for scale, _, _ in rows],
        input_pixel_offsets=[float(np.float32(offset + (shift if nearest else 0.0))) for _, offset, _ in rows],
        output_pixel_offsets=[offset for _, _, offset in rows],
        antialiased=bool(node.get("antialias", 0)),
    )
    return unary("RESAMPLE3")(node)


def upsample(node: Node) -> Case:
    scales = [float(scale) for scale in (node.get("scales") or node.input(1))]
    require(scales[:2] == [1, 1] and all(scale == int(scale) for scale in scales), "not whole, or not an image")
    mode = "LINEAR" if node.get("mode", b"nearest") == b"linear" else "NEAREST_NEIGHBOR"
    node.fields.update(
        scale_size={"Height": int(scales[2]), "Width": int(scales[3])},
        interpolation_mode=mode,
    )
    return unary("UPSAMPLE_2D")(node)


def roi_align(node: Node) -> Case:
    ratio, scale = node.get("sampling_ratio", 0), float(node.get("spatial_scale", 1.0))
    half = node.get("coordinate_transformation_mode", b"half_pixel") == b"half_pixel"
    require(node.get("mode", b"avg") == b"avg", "the largest weighted neighbour instead of the largest sample")
    node.fields.update(
        roi_tensor=operand(node.input(1)),
        batch_indices_tensor=operand(node.input(2).astype(np.uint64)),
        reduction_function="AVERAGE",
        interpolation_mode="LINEAR",
        spatial_scale_x=scale,
        spatial_scale_y=scale,
        input_pixel_offset=0.5 if half else 0.0,
        output_pixel_offset=-0.5,
        out_of_bounds_input_value=0.0,
        minimum_samples_per_output=ratio or 1,
        maximum_samples_per_output=ratio or 2**32 - 1,
        align_regions_to_corners=False,
    )
    return unary("ROI_ALIGN1")(node)


# Quantization


def quantized(operator: str) -> Translation:
    """Blocks and 4-bit types have operators of their own."""
    plain = arithmetic.quantized(f"ELEMENT_WISE_{operator}_LINEAR")

    def translate(node: Node) -> Case:
        x, zero = node.input(0), node.optional(2)
        small = data_type(node.outputs[0] if operator == "QUANTIZE" else x).endswith("INT4")
        if not small and not node.get("block_size", 0):
            return plain(node)
        scale, size = node.input(1), node.get("block_size", 0)
        axis = node.axis(x.ndim, 1)
        shape = scale.shape if size else along(scale, x.ndim, axis if scale.size > 1 else -1)
        require(not size or scale.shape[axis] * size == x.shape[axis], "a block that is cut short")
        whole = (
            zero
            if zero is not None
            else np.zeros(scale.shape, (node.outputs[0] if operator == "QUANTIZE" else x).dtype)
        )
        node.fields.update(
            quantization_type="SCALE_ZERO_POINT",
            quantization_tensors=[operand(scale, shape), operand(whole, shape)],
        )
        return unary(operator)(node)

    return translate


def dynamic(node: Node) -> Case:
    x = node.input(0)
    node.fields["input_tensor"] = operand(x)
    node.output("output_tensor")
    for name, place in (("output_scale_tensor", 1), ("output_zero_point_tensor", 2)):
        node.output(name, place, (1,) * x.ndim)
    return node.case("DYNAMIC_QUANTIZE_LINEAR")


# Optimizers


def adam(node: Node) -> Case:
    """At step 0 ONNX corrects nothing, DirectML divides by 0: only the moments can be compared."""
    rate, step, *tensors = (node.input(place) for place in range(len(node.inputs)))
    require(len(tensors) == 4 and node.get("norm_coefficient_post", 0.0) == 0, "several tensors, or another norm")
    x, gradient, first, second = tensors
    gradient = (node.get("norm_coefficient", 0.0) * x + gradient).astype(x.dtype)
    sizes = (*(1,) * (4 - x.ndim), *x.shape)
    names = ("input_parameters", "gradient", "input_first_moment", "input_second_moment")
    for name, array in zip(names, (x, gradient, first, second), strict=True):
        node.fields[f"{name}_tensor"] = operand(array, sizes)
    node.fields["training_step_tensor"] = operand(step.astype(x.dtype).reshape(1), (1, 1, 1, 1))
    node.fields.update(learning_rate=float(rate), epsilon=float(node.get("epsilon", 0.0)))
    node.fields.update(beta1=float(node.get("alpha", 0.9)), beta2=float(node.get("beta", 0.999)))
    outputs = ("output_parameters_tensor", "output_first_moment_tensor", "output_second_moment_tensor")
    for place, name in enumerate(outputs):
        node.output(name, place, sizes)
    if not int(step):
        node.unknown.add("output_parameters_tensor")
    return node.case("ADAM_OPTIMIZER")
