"""Tensors that lie badly for kernels are copied: results are those of NumPy, and nothing else is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.runtime.cpu.support import assert_threads_change_no_bit, normalized, softmax

Array = np.ndarray[Any, Any]
ROWS, IMAGE = (1, 3, 401, 7), (2, 3, 29, 31)
GUARD = 0xA5


def desc(sizes: tuple[int, ...], layout: str) -> dml.TensorDesc:
    """Packed, every second element, or channels innermost; the second with padding behind rows."""
    order = {"packed": (0, 1, 2, 3), "second": (0, 1, 2, 3), "NHWC": (0, 2, 3, 1)}[layout]
    strides, step = [0, 0, 0, 0], 2 if layout == "second" else 1
    for axis in reversed(order):
        strides[axis] = step
        step = step * sizes[axis] + (2 if layout == "second" else 0)
    return dml.TensorDesc("FLOAT32", sizes, strides)


def convolved(x: Array, weights: Array) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
    return np.einsum("nchwij,fcij->nfhw", windows, weights)


def reduce_of(axis: int) -> Callable[..., dml.Operator]:
    return lambda x, y: dml.Reduce(function="SUM", input_tensor=x, axes=[axis])


def softmax_of(axis: int) -> Callable[..., dml.Operator]:
    return lambda x, y: dml.ActivationSoftmax1(input_tensor=x, output_tensor=y, axes=[axis])


def normalization_of(*axes: int) -> Callable[..., dml.Operator]:
    return lambda x, y: dml.MeanVarianceNormalization2(
        input_tensor=x, output_tensor=y, axes=axes, use_mean=True, use_variance=True, epsilon=1e-3
    )


def running_sum(x: dml.TensorDesc, y: dml.TensorDesc) -> dml.Operator:
    return dml.CumulativeSummation(
        input_tensor=x, output_tensor=y, axis=3, axis_direction="DECREASING", has_exclusive_sum=False
    )


def maximum(x: dml.TensorDesc, y: dml.TensorDesc) -> dml.Operator:
    return dml.MaxPooling(input_tensor=x, window_size=[1, 1], strides=[1, 1], output_tensor=y)


CASES: dict[str, tuple[Callable[..., dml.Operator], tuple[int, ...], str, Callable[[Array], Array]]] = {
    "sums of short rows": (reduce_of(3), ROWS, "packed", lambda x: x.sum(3, keepdims=True)),
    "sums of columns apart": (reduce_of(2), IMAGE, "second", lambda x: x.sum(2, keepdims=True)),
    "sums of channels": (reduce_of(1), IMAGE, "NHWC", lambda x: x.sum(1, keepdims=True)),
    "softmax of short rows": (softmax_of(3), ROWS, "packed", lambda x: softmax(x, 3)),
    "softmax of channels": (softmax_of(1), IMAGE, "NHWC", lambda x: softmax(x, 1)),
    "softmax apart": (softmax_of(3), IMAGE, "second", lambda x: softmax(x, 3)),
    "planes of channels": (normalization_of(2, 3), IMAGE, "NHWC", lambda x: normalized(x, (2, 3))),
    "images": (normalization_of(1, 2, 3), IMAGE, "NHWC", lambda x: normalized(x, (1, 2, 3))),
    "running sums": (running_sum, ROWS, "packed", lambda x: x[..., ::-1].cumsum(3)[..., ::-1]),
    "pooling": (maximum, IMAGE, "second", lambda x: x),
}


def filled(tensor: dml.TensorDesc, values: Array | None = None) -> Array:
    memory = np.full(tensor.total_tensor_size_in_bytes, GUARD, np.uint8)
    if values is not None:
        tensor.view(memory)[...] = values
    return memory


def assert_guards_intact(tensor: dml.TensorDesc, memory: Array) -> None:
    """Bytes that belong to no element are as they were."""
    tensor.view(memory)[...] = np.full((), GUARD, np.uint8).repeat(4).view(np.float32)
    assert (memory == GUARD).all()


def copies(compiled: dml.CompiledOperator) -> int:
    return sum(slot.name == "rearranged" for slot in compiled.plan.slots)


@pytest.mark.parametrize("name", CASES)
def test_fold__is_right_whatever_the_layout(name: str) -> None:
    make, sizes, layout, expected = CASES[name]
    x = np.random.default_rng(3).standard_normal(sizes).astype(np.float32)
    source = desc(sizes, layout)
    operator = make(source, desc(sizes, layout))
    compiled = dml.Device("cpu").compile(operator)
    described = compiled.outputs[0].tensor
    assert described is not None
    if name != "images":  # all of an image is folded, in whatever order
        assert copies(compiled) == (1 if "sums of" in name else 2)
    output = filled(described)
    compiled(filled(source, x), output_tensor=output)
    found = described.view(output).astype(np.float64)
    np.testing.assert_allclose(found, expected(x.astype(np.float64)), rtol=2e-5, atol=2e-5)
    assert_guards_intact(described, output)


@pytest.mark.parametrize("which", ["a", "b", "c", "output", "all"])
def test_product__is_right_with_elements_apart(which: str) -> None:
    sizes = (1, 1, 70, 70)
    generator = np.random.default_rng(4)
    values = {name: generator.integers(-4, 5, sizes).astype(np.float32) for name in "abc"}
    layouts = {name: "second" if which in (name, "all") else "packed" for name in ("a", "b", "c", "output")}
    tensors = {name: desc(sizes, layout) for name, layout in layouts.items()}
    operator = dml.Gemm(**{f"{name}_tensor": tensor for name, tensor in tensors.items()}, alpha=2.0, beta=3.0)
    compiled = dml.Device("cpu").compile(operator)
    assert copies(compiled) == (4 if which == "all" else 1)
    output = filled(tensors["output"])
    compiled(*(filled(tensors[name], values[name]) for name in "abc"), output_tensor=output)
    expected = 2 * values["a"] @ values["b"] + 3 * values["c"]
    assert (tensors["output"].view(output) == expected).all()
    assert_guards_intact(tensors["output"], output)


def test_convolution__is_right_with_elements_apart() -> None:
    generator = np.random.default_rng(5)
    x, weights = (generator.integers(-4, 5, sizes).astype(np.float32) for sizes in ((1, 8, 26, 27), (16, 8, 3, 3)))
    source, target = desc(x.shape, "second"), desc((1, 16, 24, 25), "second")
    operator = dml.Convolution(
        input_tensor=source, filter_tensor=dml.TensorDesc("FLOAT32", weights.shape), output_tensor=target
    )
    output = filled(target)
    compiled = dml.Device("cpu").compile(operator)
    compiled(filled(source, x), weights, output_tensor=output)
    assert copies(compiled) == 2 and (target.view(output) == convolved(x, weights)).all()
    assert_guards_intact(target, output)


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "SUM": lambda x: x.sum(3, keepdims=True),
    "AVERAGE": lambda x: x.mean(3, keepdims=True),
    "MAX": lambda x: x.max(3, keepdims=True),
    "L2": lambda x: np.sqrt((x * x).sum(3, keepdims=True)),
    "LOG_SUM_EXP": lambda x: np.log(np.exp(x).sum(3, keepdims=True)),
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("sizes", [(1, 1, 70001, 3), (2, 3, 977, 8), (5, 7, 131, 16), (1, 40, 300, 20)])
def test_short_rows__need_no_copy(function: str, sizes: tuple[int, ...]) -> None:
    """They are folded as they lie, or block by block as they are moved; nothing of the operand's size lies between."""
    x = np.random.default_rng(9).standard_normal(sizes).astype(np.float32)
    for layout in ("packed", "second"):
        source = desc(sizes, layout)
        target = desc((*sizes[:3], 1), layout)
        operator = dml.Reduce(function=function, input_tensor=source, output_tensor=target, axes=[3])
        compiled = dml.Device("cpu").compile(operator)
        if layout == "packed":
            wanted_step = "MovedReduction" if function == "LOG_SUM_EXP" else "Reduction"
            assert [type(step).__name__ for step in compiled.plan.steps] == [wanted_step]
            assert compiled.binding_properties.temporary_resource_size == 0
        output = filled(target)
        compiled(filled(source, x), output_tensor=output)
        wanted = FUNCTIONS[function](x.astype(np.float64))
        np.testing.assert_allclose(target.view(output), wanted, rtol=2e-5, atol=2e-5)
        assert_guards_intact(target, output)


def test_short_rows__are_the_same_for_any_number_of_threads() -> None:
    tensor = desc((1, 1, 50021, 9), "packed")
    x = np.random.default_rng(10).standard_normal(tensor.sizes).astype(np.float32)
    operator = dml.Reduce(function="SUM", input_tensor=tensor, axes=[3])
    assert_threads_change_no_bit(lambda: dml.Device("cpu").compile(operator)(x))


def test_input__that_repeats_is_copied_once() -> None:
    """Elements along a stride of 0 stay one."""
    source = dml.TensorDesc("FLOAT32", (64, 1, 100, 100), (0, 20000, 200, 2))
    compiled = dml.Device("cpu").compile(dml.Reduce(function="MAX", input_tensor=source, axes=[2]))
    (slot,) = (slot for slot in compiled.plan.slots if slot.name == "rearranged")
    assert slot.size_in_bytes == 40000
    x = np.random.default_rng(6).standard_normal((100, 100)).astype(np.float32)
    found = compiled(filled(source, np.broadcast_to(x, source.sizes)))
    assert (found == x.max(0)).all()


def test_in_place__reads_all_before_it_writes() -> None:
    tensor = desc(ROWS, "packed")
    compiled = dml.Device("cpu").compile(running_sum(tensor, tensor))
    x = np.random.default_rng(7).integers(-9, 10, ROWS).astype(np.float32)
    memory = x.copy()
    compiled(memory, output_tensor=memory)
    assert copies(compiled) == 2 and (memory == x[..., ::-1].cumsum(3)[..., ::-1]).all()


def test_small_or_constant_tensors__are_left_alone() -> None:
    small = desc((1, 1, 100, 7), "packed")
    assert copies(dml.Device("cpu").compile(softmax_of(3)(small, small))) == 0
    weights = dml.TensorDesc("FLOAT32", (1, 1, 70, 70), (9800, 9800, 140, 2), flags="OWNED_BY_DML")
    compiled = dml.Device("cpu").compile(dml.Gemm(a_tensor=desc((1, 1, 70, 70), "packed"), b_tensor=weights))
    assert copies(compiled) == 0


def test_threads__change_no_bit() -> None:
    sizes = (1, 1, 30011, 5)
    tensor = desc(sizes, "packed")
    x = np.random.default_rng(8).standard_normal(sizes).astype(np.float32)
    assert_threads_change_no_bit(lambda: dml.Device("cpu").compile(softmax_of(3)(tensor, tensor))(x))
