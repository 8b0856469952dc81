"""Large descriptions of operators whose work is more than one element at a time, for measuring memory."""

from __future__ import annotations

from typing import Any

import anydml as dml


def tensor(*sizes: int, data_type: str = "FLOAT32") -> dml.TensorDesc:
    return dml.TensorDesc(data_type, sizes)


def half(*sizes: int) -> dml.TensorDesc:
    return tensor(*sizes, data_type="FLOAT16")


def bytes_(*sizes: int) -> dml.TensorDesc:
    return tensor(*sizes, data_type="UINT8")


def indices(*sizes: int) -> dml.TensorDesc:
    return tensor(*sizes, data_type="INT32")


def convolution(**changes: Any) -> dml.Operator:
    given = {"input_tensor": tensor(1, 16, 64, 64), "filter_tensor": tensor(32, 16, 3, 3), "start_padding": [1, 1]}
    return dml.Convolution(**{**given, "end_padding": [1, 1], **changes})


def recurrent(kind: Any, gates: int, **more: Any) -> dml.Operator:
    return kind(
        input_tensor=tensor(1, 24, 16, 64),
        weight_tensor=tensor(1, 1, gates * 96, 64),
        recurrence_tensor=tensor(1, 1, gates * 96, 96),
        output_sequence_tensor=tensor(24, 1, 16, 96),
        activation_descs=[{"Type": "TANH"}] * {1: 1, 3: 2, 4: 3}[gates],
        direction="FORWARD",
        **more,
    )


def attention(**more: Any) -> dml.Operator:
    return dml.MultiheadAttention(
        query_tensor=tensor(2, 96, 64),
        key_tensor=tensor(2, 96, 64),
        value_tensor=tensor(2, 96, 64),
        output_tensor=tensor(2, 96, 64),
        scale=0.1,
        mask_filter_value=-1e4,
        mask_type="NONE",
        head_count=4,
        **more,
    )


def make() -> dict[str, dml.Operator]:
    """Each a few hundred kilobytes."""
    x, image = tensor(256, 512), tensor(1, 16, 96, 96)
    return {
        "a long convolution": dml.Convolution(input_tensor=tensor(1, 1, 1, 8000), filter_tensor=tensor(1, 1, 1, 4000)),
        "convolution": convolution(),
        "convolution backward": convolution(filter_tensor=tensor(16, 8, 3, 3), direction="BACKWARD"),
        "convolution of one channel each": convolution(filter_tensor=tensor(16, 1, 3, 3), group_count=16),
        "convolution in 3-D": dml.Convolution(
            input_tensor=tensor(1, 4, 16, 32, 32), filter_tensor=tensor(8, 4, 3, 3, 3)
        ),
        "convolution of halves": convolution(input_tensor=half(1, 16, 64, 64), filter_tensor=half(32, 16, 3, 3)),
        "GELU of halves": dml.ActivationGelu(input_tensor=half(512, 512)),
        "error function": dml.ElementWiseErf(input_tensor=half(512, 512)),
        "softmax": dml.ActivationSoftmax1(input_tensor=x, axes=[1]),
        "log softmax of halves": dml.ActivationLogSoftmax1(input_tensor=half(256, 512), axes=[1]),
        "hardmax": dml.ActivationHardmax1(input_tensor=x, axes=[1]),
        "product": dml.Gemm(a_tensor=tensor(1, 1, 256, 256), b_tensor=tensor(1, 1, 256, 256)),
        "product of halves": dml.Gemm(a_tensor=half(1, 1, 256, 256), b_tensor=half(1, 1, 256, 256), trans_b=1),
        "product of bytes": dml.MatrixMultiplyInteger(a_tensor=bytes_(1, 1, 256, 256), b_tensor=bytes_(1, 1, 256, 256)),
        "sum": dml.Reduce(function="SUM", input_tensor=x, axes=[1]),
        "log of sums": dml.Reduce(function="LOG_SUM_EXP", input_tensor=x, axes=[0]),
        "index of the largest": dml.Reduce(
            function="ARGMAX", input_tensor=x, output_tensor=tensor(256, 1, data_type="UINT32"), axes=[1]
        ),
        "largest first": dml.TopK1(
            input_tensor=x,
            output_value_tensor=tensor(256, 64),
            output_index_tensor=tensor(256, 64, data_type="UINT32"),
            axis=1,
            k=64,
            axis_direction="DECREASING",
        ),
        "running sum": dml.CumulativeSummation(
            input_tensor=x, axis=1, axis_direction="INCREASING", has_exclusive_sum=False
        ),
        "pooling": dml.MaxPooling2(
            input_tensor=image,
            output_tensor=tensor(1, 16, 94, 94),
            output_indices_tensor=tensor(1, 16, 94, 94, data_type="UINT32"),
            window_size=[3, 3],
            strides=[1, 1],
            start_padding=[0, 0],
            end_padding=[0, 0],
            dilations=[1, 1],
        ),
        "mean of windows": dml.AveragePooling(
            input_tensor=image,
            window_size=[5, 5],
            strides=[1, 1],
            start_padding=[0, 0],
            end_padding=[0, 0],
            include_padding=False,
        ),
        "normalization": dml.MeanVarianceNormalization2(
            input_tensor=image, axes=[1, 2, 3], use_mean=True, use_variance=True, epsilon=1e-5
        ),
        "local response": dml.LocalResponseNormalization(
            input_tensor=image, cross_channel=True, local_size=5, alpha=1e-4, beta=0.75, bias=1
        ),
        "gather": dml.GatherElements(input_tensor=x, indices_tensor=indices(256, 512), output_tensor=x, axis=0),
        "scatter": dml.ScatterElements(
            input_tensor=x, indices_tensor=indices(256, 512), updates_tensor=x, output_tensor=x, axis=0
        ),
        "coordinates": dml.NonzeroCoordinates(
            input_tensor=bytes_(256, 512),
            output_count_tensor=tensor(1, 1, data_type="UINT32"),
            output_coordinates_tensor=tensor(256 * 512, 2, data_type="UINT32"),
        ),
        "one hot": dml.OneHot(
            indices_tensor=tensor(512, 1, data_type="UINT32"),
            values_tensor=tensor(1, 2),
            output_tensor=tensor(512, 256),
            axis=1,
        ),
        "resampled": dml.Resample2(
            input_tensor=image,
            output_tensor=tensor(1, 16, 160, 160),
            interpolation_mode="LINEAR",
            rounding_direction="DECREASING",
            scales=[1, 1, 160 / 96, 160 / 96],
            input_pixel_offsets=[0.5] * 4,
            output_pixel_offsets=[-0.5] * 4,
        ),
        "regions": dml.RoiAlign1(
            input_tensor=tensor(1, 8, 64, 64),
            roi_tensor=tensor(32, 4),
            batch_indices_tensor=tensor(32, data_type="UINT32"),
            output_tensor=tensor(32, 8, 14, 14),
            reduction_function="AVERAGE",
            interpolation_mode="LINEAR",
            spatial_scale_x=1.0,
            spatial_scale_y=1.0,
            input_pixel_offset=0.5,
            output_pixel_offset=-0.5,
            out_of_bounds_input_value=0.0,
            minimum_samples_per_output=1,
            maximum_samples_per_output=4,
            align_regions_to_corners=False,
        ),
        "recurrent": recurrent(dml.Rnn, 1),
        "long short-term memory": recurrent(
            dml.Lstm, 4, use_clip_threshold=False, clip_threshold=0.0, couple_input_forget=False
        ),
        "gated": recurrent(dml.Gru, 3, linear_before_reset=False),
        "attention": attention(),
        "random numbers": dml.RandomGenerator(
            input_state_tensor=tensor(1, 1, 1, 6, data_type="UINT32"),
            output_tensor=tensor(1, 1, 256, 512, data_type="UINT32"),
            type="PHILOX_4X32_10",
        ),
        "quantized": dml.ElementWiseQuantizeLinear(
            input_tensor=x,
            scale_tensor=x,
            zero_point_tensor=bytes_(256, 512),
            output_tensor=bytes_(256, 512),
        ),
        "quantized convolution": dml.ConvolutionInteger(
            input_tensor=bytes_(1, 16, 64, 64),
            filter_tensor=bytes_(32, 16, 3, 3),
            output_tensor=indices(1, 32, 62, 62),
        ),
        "4-bit elements": dml.Dequantize(
            input_tensor=dml.TensorDesc("UINT4", [512, 512]),
            quantization_tensors=[tensor(512, 16)],
            output_tensor=tensor(512, 512),
            quantization_type="SCALE",
        ),
        "unfolded": dml.Unfold(
            input_tensor=tensor(1, 4, 48, 48),
            output_tensor=tensor(1, 36, 46 * 46),
            window_sizes=[3, 3],
            strides=[1, 1],
            dilations=[1, 1],
            start_padding=[0, 0],
            end_padding=[0, 0],
        ),
        "transposed": dml.ElementWiseIdentity(
            input_tensor=dml.TensorDesc("FLOAT32", [512, 512], [1, 512]), output_tensor=tensor(512, 512)
        ),
        "converted": dml.Cast(input_tensor=half(512, 512), output_tensor=tensor(512, 512, data_type="INT64")),
    }
