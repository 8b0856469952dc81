"""Programs that a strict type checker accepts; each is a function, and each runs."""

from __future__ import annotations

from typing import Any

import numpy as np

import anydml as dml

SQUARE = dml.TensorDesc("FLOAT32", [1, 1, 4, 4])


def describes_a_tensor() -> int:
    desc = dml.TensorDesc("FLOAT32", [2, 3], strides=[5, 1], total_tensor_size_in_bytes=40)
    return desc.total_tensor_size_in_bytes


def describes_a_tensor_in_the_spelling_of_c() -> tuple[int, ...]:
    desc = dml.TensorDesc(DataType=dml.DML_TENSOR_DATA_TYPE_FLOAT32, DimensionCount=2, Sizes=[2, 3], Strides=None)
    return desc.strides


def describes_an_array() -> dml.TensorDesc:
    return dml.TensorDesc.from_array(np.zeros((2, 3), np.float32))


def lets_a_layout_flow_into_a_description() -> bool:
    return dml.TensorDesc(np.float32, dml.Layout((2, 3), (5, 1))).is_padded


def indexes_a_layout() -> int:
    layout = dml.Layout((2, 3), (5, 1))
    offset: int = layout[1, 2]
    part: dml.Layout = layout[:, ::2]
    return offset + part.rank


def slices_with_lists() -> dml.Slice1:
    return dml.Slice1(
        input_tensor=SQUARE,
        input_window_offsets=[0, 0, 0, 1],
        input_window_sizes=[1, 1, 4, 3],
        input_window_strides=[1, 1, -2, 2],
    )


def slices_with_tuples_and_arrays() -> tuple[int, ...]:
    operator = dml.Slice1(
        input_tensor=SQUARE,
        output_tensor=dml.TensorDesc("FLOAT32", [1, 1, 2, 2]),
        input_window_offsets=(0, 0, 0, 1),
        input_window_sizes=np.array([1, 1, 4, 3]),
        input_window_strides=(1, 1, 2, 2),
    )
    return operator.input_window_strides


def slices_in_the_spelling_of_c() -> dml.Slice1:
    return dml.DML_SLICE1_OPERATOR_DESC(
        InputTensor=SQUARE,
        OutputTensor=None,
        DimensionCount=4,
        InputWindowOffsets=[0, 0, 0, 1],
        InputWindowSizes=[1, 1, 4, 3],
        InputWindowStrides=[1, 1, 2, 2],
    )


def multiplies_with_defaults() -> float:
    matrix = dml.TensorDesc("FLOAT32", [1, 1, 2, 2])
    return dml.Gemm(a_tensor=matrix, b_tensor=matrix).alpha


def multiplies_with_everything() -> dml.MatrixTransform:
    matrix = dml.TensorDesc("FLOAT32", [1, 1, 2, 2])
    operator = dml.Gemm(
        a_tensor=matrix,
        b_tensor=matrix,
        c_tensor=matrix,
        trans_a="TRANSPOSE",
        trans_b=dml.MatrixTransform.NONE,
        alpha=np.float32(2),
        beta=1,
        fused_activation=dml.ActivationRelu.fused(),
    )
    return operator.trans_a


def convolves_with_defaults() -> tuple[int, ...]:
    operator = dml.Convolution(input_tensor=SQUARE, filter_tensor=dml.TensorDesc("FLOAT32", [1, 1, 3, 3]))
    return operator.strides


def reduces_by_name() -> dml.ReduceFunction:
    return dml.Reduce(input_tensor=SQUARE, function="SUM", axes=[2, 3]).function


def reduces_by_the_name_of_c() -> dml.ReduceFunction:
    return dml.Reduce(input_tensor=SQUARE, function="DML_REDUCE_FUNCTION_AVERAGE", axes=[3]).function


def reduces_by_constant() -> dml.ReduceFunction:
    return dml.Reduce(input_tensor=SQUARE, function=dml.DML_REDUCE_FUNCTION_MAX, axes=[3]).function


def replaces_a_field() -> dml.Gemm:
    matrix = dml.TensorDesc("FLOAT32", [1, 1, 2, 2])
    return dml.Gemm(a_tensor=matrix, b_tensor=matrix).replace(alpha=2.0)


def runs_at_once() -> Any:
    operator = slices_with_lists()
    return dml.run(operator, np.arange(16, dtype=np.float32), device="reference")


def compiles_and_runs() -> Any:
    compiled: dml.CompiledOperator = dml.Device(feature_level="5.0").compile(slices_with_lists())
    return compiled(np.arange(16, dtype=np.float32))


def joins_a_list_of_tensors() -> tuple[dml.TensorDesc, ...]:
    return dml.Join(input_tensors=[SQUARE, SQUARE], axis=3).input_tensors


def explains() -> str:
    return dml.explain(SQUARE, index=(0, 0, 1, 2), values=np.arange(16)).to_svg()


def writes_and_reads() -> bool:
    operator = slices_with_lists()
    return dml.Operator.from_json(operator.to_json()) == operator


PROGRAMS = [
    describes_a_tensor,
    describes_a_tensor_in_the_spelling_of_c,
    describes_an_array,
    lets_a_layout_flow_into_a_description,
    indexes_a_layout,
    slices_with_lists,
    slices_with_tuples_and_arrays,
    slices_in_the_spelling_of_c,
    multiplies_with_defaults,
    multiplies_with_everything,
    convolves_with_defaults,
    reduces_by_name,
    reduces_by_the_name_of_c,
    reduces_by_constant,
    replaces_a_field,
    runs_at_once,
    compiles_and_runs,
    joins_a_list_of_tensors,
    explains,
    writes_and_reads,
]
