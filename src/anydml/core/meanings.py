"""Names that mean the same elsewhere: what NumPy, PyTorch, ONNX or TensorFlow call a thing.

A name is looked up here before spelling is compared, because the nearest spelling is often another thing: `mean` is
spelt more like `MAX` than like `AVERAGE`.
"""

from __future__ import annotations

from collections.abc import Iterable

_SAME = """
average: mean avg reduce_mean
multiply: prod product mul reduce_prod
sum: add total reduce_sum
l2: norm norm2 euclidean
l1: norm1 abs_sum sum_abs
sum_square: sumsq sum_of_squares sum_squares squared_sum
log_sum_exp: logsumexp
max: amax maximum highest
min: amin minimum lowest
argmax: arg_max
argmin: arg_min
constant: zero zeros fill const
edge: replicate border clamp nearest_edge
reflection: reflect mirror
wrap: circular periodic wrap_around tile
nearest_neighbor: nearest nn
linear: bilinear trilinear
transpose: true trans t transposed yes adjoint
none: false no n identity nothing
backward: reverse reversed transposed deconvolution gradient
bidirectional: both two_way
increasing: ascending asc up
decreasing: descending desc down
cross_correlation: correlation xcorr crosscorrelation
float32: float f32 fp32 single real bfloat16 bf16
float16: half f16 fp16
float64: double f64 fp64
uint8: byte u8 uchar bool boolean
int8: i8 char sbyte
int16: i16 short
uint16: u16 ushort
int32: int i32 integer
uint32: u32 uint
int64: i64 long
uint64: u64 ulong
int4: i4 nibble
uint4: u4
owned_by_dml: owned constant_data weights
sizes: shape size dims dimensions lengths extent
strides: stride steps step
data_type: dtype type datatype tensor_data_type
order: layout format memory_format channels_last data_format
total_tensor_size_in_bytes: total_size size_in_bytes nbytes total_bytes
guaranteed_base_offset_alignment: alignment align
start_padding+end_padding: padding pads pad paddings padding_size
input_window_offsets: starts start begin begins offsets offset
input_window_sizes: sizes lengths window_sizes window_size
input_window_strides: strides steps step stride
offsets: starts start begin begins
output_padding: output_pad
dilations: dilation dilation_rate rate
window_size: kernel_size kernel_shape kernel ksize pool_size filter_size
group_count: groups group num_groups feature_group_count
trans_a: transpose_a transa
trans_b: transpose_b transb
axes: axis dim dims dimension reduction_axes
axis: axes dim dimension
input_tensor: x input data inputs tensor source src self a_tensor input_array
input_tensors: inputs tensors xs
output_tensor: y output out result destination dst
a_tensor: a x input lhs left first input_tensor
b_tensor: b y other rhs right second
c_tensor: c bias
filter_tensor: filter weight weights w kernel
weight_tensor: weight weights w
bias_tensor: bias b
scale_tensor: scale gamma weight
mean_tensor: mean running_mean
variance_tensor: variance var running_var
indices_tensor: indices index idx
updates_tensor: updates update values
condition_tensor: condition cond mask
exponent_tensor: exponent power
function: reduction op reduce_function method operation
epsilon: eps
alpha: slope negative_slope
fused_activation: activation act
repeats: repeat reps tiles multiples
k: top_k count
min: minimum low lower min_value clip_min a_min
max: maximum high upper max_value clip_max a_max
padding_value: value constant_value fill_value pad_value
padding_value_type: value_type
interpolation_mode: interpolation mode resize_mode
scales: scale scale_factor scale_factors
window: windows
cpu: processor host
auto: gpu nvidia automatic fastest best any
fuse: fusion fused
"""


def _read() -> dict[str, list[str]]:
    meanings: dict[str, list[str]] = {}
    for line in _SAME.strip().splitlines():
        name, _, others = line.partition(":")
        for other in others.split():
            meanings.setdefault(_folded(other), []).append(name)
    return meanings


def _folded(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


_MEANINGS = _read()


def meant(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names that say what this one says elsewhere: none, one, or several that only together do."""
    options = {_folded(option): option for option in reversed(list(known))}
    exact = options.get(_folded(name))
    if exact is not None:
        return (exact,)
    for candidate in _MEANINGS.get(_folded(name), ()):
        parts = [options.get(_folded(part)) for part in candidate.split("+")]
        if all(parts):
            return tuple(part for part in parts if part)
    return ()
