"""Random products and convolutions, run on the processor and by definition, compared within what rounding explains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

import anydml as dml
from anydml.core.steps import Step
from anydml.graph.graph import Graph

Array = npt.NDArray[Any]
GUARD = 512
SINGLE = float(np.finfo(np.float32).eps)
ACTIVATIONS: tuple[dict[str, Any], ...] = (
    {"Type": "RELU"},
    {"Type": "LEAKY_RELU", "Alpha": 0.1},
    {"Type": "LINEAR", "Alpha": 0.75, "Beta": 0.25},
    {"Type": "SIGMOID"},
    {"Type": "TANH"},
)


@dataclass(frozen=True)
class Trial:
    """An operator, the values of its inputs, and the bytes its memory begins with."""

    operator: Any
    inputs: dict[str, Array]
    terms: int
    """Products that are added up for one element."""
    owned: tuple[str, ...] = ()
    shift: int = 0
    """Bytes between a buffer and the next multiple of 64."""


def layout(random: Random, sizes: tuple[int, ...], data_type: str, flags: str | None = None) -> dml.TensorDesc:
    """Packed, in another order of dimensions, or with gaps, at times between all elements."""
    order = list(range(len(sizes)))
    if random.random() < 0.6:
        random.shuffle(order)
    strides, step = [1] * len(sizes), random.choice((1, 1, 1, 1, 1, 1, 1, 2, 3))
    for axis in reversed(order):
        strides[axis] = step
        step *= sizes[axis] + random.choice((0, 0, 0, 1, 5))
    more: dict[str, Any] = {} if flags is None else {"flags": flags}
    return dml.TensorDesc(data_type, sizes, strides, **more)


def buffer(desc: dml.TensorDesc, shift: int, fill: int) -> tuple[Array, Array]:
    """Memory of a tensor with guards around it, and all of it."""
    size = desc.total_tensor_size_in_bytes
    memory = np.full(size + 2 * GUARD + 128, fill, np.uint8)
    start = GUARD + -(memory.ctypes.data + GUARD) % 64 + shift
    return memory[start : start + size], memory


def run(trial: Trial, device: str, threads_fill: int = 0xCD) -> Array:
    """The result; no byte but its elements may change."""
    operator = trial.operator
    run = dml.Device(device).compile(operator)
    buffers = {}
    for name, values in trial.inputs.items():
        buffers[name], _ = buffer(getattr(operator, name), trial.shift, 0)
        getattr(operator, name).view(buffers[name])[...] = values
    if trial.owned:
        run.initialize(**{name: buffers.pop(name) for name in trial.owned})
    output = operator.output_tensor
    data, memory = buffer(output, trial.shift, threads_fill)
    run(**buffers, output_tensor=data)
    return elements_alone(output, data, memory, threads_fill)


def elements_alone(desc: dml.TensorDesc, data: Array, memory: Array, fill: int) -> Array:
    """The elements that were written to a buffer; all else is still what it was filled with."""
    found = desc.view(data).copy()
    desc.view(data)[...] = 0
    before = np.full_like(memory, fill)
    start = data.ctypes.data - memory.ctypes.data
    desc.view(before[start : start + data.size])[...] = 0
    assert np.array_equal(memory, before), "bytes outside of the result were written"
    return found


def magnitude(trial: Trial) -> Array:
    """The sums of the magnitudes of what is added up: what errors of rounding are measured by."""
    inputs = {name: np.abs(values) for name, values in trial.inputs.items()}
    changed = {"fused_activation": None}
    changed |= {name: abs(getattr(trial.operator, name)) for name in ("alpha", "beta") if hasattr(trial.operator, name)}
    plain = trial.operator.replace(**changed)
    return run(Trial(plain, inputs, trial.terms, trial.owned), "reference")


def differences(found: Array, wanted: Array, magnitudes: Array, terms: int) -> Array:
    """Where a result lies further from the definition than rounding of every product and sum explains."""
    wide, right = found.astype(np.float64), wanted.astype(np.float64)
    spacing = np.finfo(found.dtype).eps * np.abs(right) if found.dtype.kind == "f" else 0
    bound = (terms + 8) * SINGLE * magnitudes.astype(np.float64) + spacing + 1e-30
    return np.argwhere(~(np.abs(wide - right) <= bound))


def check(trial: Trial) -> None:
    found, wanted = run(trial, "cpu"), run(trial, "reference")
    wrong = differences(found, wanted, magnitude(trial), trial.terms)
    assert not len(wrong), f"{trial.operator}: {len(wrong)} of {found.size} differ, first at {wrong[0]}"


def steps_of(operator: dml.Operator) -> Sequence[Step]:
    """The plan of an operator on the processor."""
    return dml.Device().compile_graph(Graph.of(operator)).plan.steps


def values(random: Random, sizes: tuple[int, ...], data_type: str) -> Array:
    generator = np.random.default_rng(random.getrandbits(32))
    return generator.standard_normal(sizes).astype(dml.DataType.parse(data_type).numpy_dtype)


def _some_activation(random: Random) -> dict[str, Any] | None:
    return random.choice(ACTIVATIONS) if random.random() < 0.4 else None


def gemm(random: Random, data_type: str = "FLOAT32", largest: int = 90) -> Trial:
    depth = random.choice((1, 3, 17, 64, random.randint(1, 90), random.randint(300, 700)))
    return _gemm(random, data_type, random.randint(1, largest), random.randint(1, largest), depth)


def vector_product(random: Random, data_type: str = "FLOAT32") -> Trial:
    """A row times a matrix, or a matrix times a column, which no near cache has room for."""
    long, depth = random.randint(80, 300), random.randint(410, 1300)
    rows, columns = random.choice(((1, long), (1, long), (long, 1), (1, 4097)))
    return _gemm(random, data_type, rows, columns, depth if columns < 4097 else random.randint(8, 40))


def thin_product(random: Random, data_type: str = "FLOAT32") -> Trial:
    """A few rows times a matrix, or a matrix times a few columns."""
    few, long, depth = random.randint(2, 20), random.randint(64, 200), random.randint(60, 500)
    rows, columns = random.choice(((few, long), (long, few)))
    return _gemm(random, data_type, rows, columns, depth)


def narrow_product(random: Random, data_type: str = "FLOAT32") -> Trial:
    """Columns that end in the first half of a vector, also of the widest."""
    columns = 16 * random.randint(0, 3) + random.randint(1, 8)
    return _gemm(random, data_type, random.randint(1, 150), columns, random.choice((random.randint(1, 400), 1600)))


def _gemm(random: Random, data_type: str, rows: int, columns: int, depth: int) -> Trial:
    rank = random.randint(2, 4)
    lead = tuple(random.randint(1, 3) for _ in range(rank - 2))
    turns = [random.random() < 0.5 for _ in range(2)]
    sizes = {
        "a_tensor": (*lead, *((depth, rows) if turns[0] else (rows, depth))),
        "b_tensor": (*lead, *((columns, depth) if turns[1] else (depth, columns))),
    }
    if random.random() < 0.5:
        sizes["c_tensor"] = (*lead, rows, columns)
    owned = tuple(name for name in sizes if random.random() < 0.25)
    tensors = {
        name: layout(random, size, data_type, "OWNED_BY_DML" if name in owned else None) for name, size in sizes.items()
    }
    operator = dml.Gemm(
        **tensors,
        output_tensor=layout(random, (*lead, rows, columns), data_type),
        trans_a="TRANSPOSE" if turns[0] else "NONE",
        trans_b="TRANSPOSE" if turns[1] else "NONE",
        alpha=random.choice((1.0, 0.5, -2.0)),
        beta=random.choice((1.0, 0.25)),
        fused_activation=_some_activation(random),
    )
    given = {name: values(random, size, data_type) for name, size in sizes.items()}
    return Trial(operator, given, depth, owned, _shift(random, data_type))


def _shift(random: Random, data_type: str) -> int:
    size = dml.DataType.parse(data_type).element_bytes
    return random.randrange(0, 64, size)


def convolution(random: Random, data_type: str = "FLOAT32", is_depthwise: bool = False) -> Trial:
    spatial = random.randint(1, 3) if not is_depthwise else random.randint(1, 2)
    groups = random.randint(2, 20) if is_depthwise else random.choice((1, 1, 1, 2, 3))
    channels = 1 if is_depthwise else random.choice((1, 3, 5, 16, 33))
    filters = random.choice((1, 1, 2)) if is_depthwise else random.choice((1, 4, 17, 24, 40))
    sizes_of_windows = (1, 2, 3, 3, 5, 7, 9) if is_depthwise else (1, 2, 3, 3, 5) if spatial < 3 else (1, 2, 3)
    window = [random.choice(sizes_of_windows) for _ in range(spatial)]
    dilations = [random.choice((1, 1, 2)) for _ in window]
    strides = [random.choice((1, 1, 2, 3)) for _ in window]
    reach = [(size - 1) * dilation + 1 for size, dilation in zip(window, dilations, strict=True)]
    image = [random.randint(1, 40 if spatial < 3 else 9) for _ in window]
    paddings = [[random.randint(0, max(2, size // 2)) for size in window] for _ in range(2)]
    for axis in range(spatial):
        lack = reach[axis] - image[axis] - paddings[0][axis] - paddings[1][axis]
        image[axis] += max(0, lack)
    batch = random.randint(1, 3)
    sizes: dict[str, tuple[int, ...]] = {
        "input_tensor": (batch, groups * channels, *image),
        "filter_tensor": (groups * filters, channels, *window),
    }
    if random.random() < 0.5:
        sizes["bias_tensor"] = (1, groups * filters, *(1 for _ in window))
    owned = tuple(name for name in sizes if name != "input_tensor" and random.random() < 0.4)
    tensors = {
        name: layout(random, size, data_type, "OWNED_BY_DML" if name in owned else None) for name, size in sizes.items()
    }
    options: dict[str, Any] = {
        "mode": random.choice(("CROSS_CORRELATION", "CONVOLUTION")),
        "strides": strides,
        "dilations": dilations,
        "start_padding": paddings[0],
        "end_padding": paddings[1],
        "group_count": groups,
        "fused_activation": _some_activation(random),
    }
    inferred = dml.Convolution(**tensors, **options).output_tensor.sizes
    operator = dml.Convolution(**tensors, output_tensor=layout(random, inferred, data_type), **options)
    given = {name: values(random, size, data_type) for name, size in sizes.items()}
    return Trial(operator, given, channels * math.prod(window), owned, _shift(random, data_type))


def wide_images(random: Random, data_type: str = "FLOAT32") -> Trial:
    """Few channels in lines of many vectors, as first layers of networks read them: most windows meet no padding."""
    window = [random.choice((1, 2, 3, 5, 7)) for _ in range(2)]
    image = [random.randint(14, 24), random.randint(40, 130)]
    channels, filters = random.choice((1, 2, 3, 4, 7, 8)), random.choice((3, 17, 32))
    sizes = {
        "input_tensor": (random.randint(1, 2), channels, *image),
        "filter_tensor": (filters, channels, *window),
    }
    operator = dml.Convolution(
        **{name: dml.TensorDesc(data_type, size) for name, size in sizes.items()},
        mode=random.choice(("CROSS_CORRELATION", "CONVOLUTION")),
        strides=[random.choice((1, 2)) for _ in window],
        dilations=[random.choice((1, 1, 2)) for _ in window],
        start_padding=[random.randint(0, 3) for _ in window],
        end_padding=[random.randint(0, 3) for _ in window],
    )
    given = {name: values(random, size, data_type) for name, size in sizes.items()}
    return Trial(operator, given, channels * math.prod(window), shift=_shift(random, data_type))


def pixelwise(random: Random, data_type: str = "FLOAT32") -> Trial:
    """Windows of one pixel, whose channels lie side by side, at times with gaps between pixels."""
    channels, filters = random.choice((1, 5, 32, random.randint(2, 330))), random.choice((8, 24, random.randint(1, 70)))
    batch, groups = random.randint(1, 2), random.choice((1, 1, 2))
    image = (random.randint(1, 20), random.randint(1, 20))
    gap = random.choice((0, 0, 3))

    def side_by_side(count: int) -> dml.TensorDesc:
        pixel = count + gap
        return dml.TensorDesc(
            data_type, (batch, count, *image), (image[0] * image[1] * pixel, 1, image[1] * pixel, pixel)
        )

    weights = dml.TensorDesc(data_type, (groups * filters, channels, 1, 1))
    operator = dml.Convolution(
        input_tensor=side_by_side(groups * channels),
        filter_tensor=weights,
        output_tensor=side_by_side(groups * filters),
        group_count=groups,
        fused_activation=_some_activation(random),
    )
    given = {
        name: values(random, getattr(operator, name).sizes, data_type) for name in ("input_tensor", "filter_tensor")
    }
    return Trial(operator, given, channels, shift=_shift(random, data_type))


def channels_last(random: Random, data_type: str = "FLOAT32") -> Trial:
    """Windows of pixels whose channels lie side by side; some lie on padding with some of their taps, some with all."""
    spatial, groups = random.choice((1, 2, 2, 2, 3)), random.choice((1, 1, 1, 2))
    channels, filters = (
        random.choice((16, 17, random.randint(16, 80), 400)),
        random.choice((8, 16, random.randint(1, 70))),
    )
    window = [random.choice((1, 2, 3, 3, 5) if channels < 100 else (1, 2)) for _ in range(spatial)]
    image = [random.randint(5, 12) for _ in window]
    sizes: dict[str, tuple[int, ...]] = {
        "input_tensor": (random.randint(1, 2), groups * channels, *image),
        "filter_tensor": (groups * filters, channels, *window),
    }
    if random.random() < 0.5:
        sizes["bias_tensor"] = (1, groups * filters, *(1 for _ in window))
    options: dict[str, Any] = {
        "mode": random.choice(("CROSS_CORRELATION", "CONVOLUTION")),
        "strides": [random.choice((1, 1, 2, 3)) for _ in window],
        "dilations": [random.choice((1, 1, 2)) if size < 5 else 1 for size in window],
        "start_padding": [random.choice((0, size // 2, random.randint(0, 7))) for size in window],
        "end_padding": [random.choice((0, size // 2, random.randint(0, 7))) for size in window],
        "group_count": groups,
        "fused_activation": _some_activation(random),
    }

    def side_by_side(size: tuple[int, ...]) -> dml.TensorDesc:
        strides, step = [1] * len(size), size[1] + random.choice((0, 0, 3))
        for axis in (*reversed(range(2, len(size))), 0):
            strides[axis] = step
            step *= size[axis] + random.choice((0, 0, 1))
        return dml.TensorDesc(data_type, size, strides)

    tensors = {name: dml.TensorDesc(data_type, size) for name, size in sizes.items()}
    tensors["input_tensor"] = side_by_side(sizes["input_tensor"])
    result = dml.Convolution(**tensors, **options).output_tensor.sizes
    output = random.choice((dml.TensorDesc(data_type, result), side_by_side(result), layout(random, result, data_type)))
    operator = dml.Convolution(**tensors, **options, output_tensor=output)
    given = {name: values(random, size, data_type) for name, size in sizes.items()}
    return Trial(operator, given, channels * math.prod(window), shift=_shift(random, data_type))


def turned_results(random: Random) -> Trial:
    """Pixels whose channels lie side by side become planes: packed, with gaps between planes, or between rows."""
    channels, filters, groups = (
        random.choice((16, 20, 33)),
        random.choice((16, 40, 64, 70, 130)),
        random.choice((1, 1, 2)),
    )
    window, image = (tuple(random.randint(*ends) for _ in range(2)) for ends in ((1, 3), (4, 20)))
    sizes = {
        "input_tensor": (random.randint(1, 3), groups * channels, *image),
        "filter_tensor": (groups * filters, channels, *window),
        "bias_tensor": (1, groups * filters, 1, 1),
    }
    tensors = {name: dml.TensorDesc("FLOAT32", size) for name, size in sizes.items()}
    tensors["input_tensor"] = dml.TensorDesc("FLOAT32", sizes["input_tensor"], order="NHWC")
    options: dict[str, Any] = {
        "start_padding": [random.choice((0, 1)) for _ in window],
        "group_count": groups,
        "fused_activation": _some_activation(random),
    }
    result = dml.Convolution(**tensors, **options).output_tensor.sizes
    strides, rows = [1] * 4, result[3] + random.choice((0, 0, 3))
    plane = rows * result[2]
    strides[2], strides[1] = rows, plane + random.choice((0, 0, 5, -plane % 16))
    strides[0] = strides[1] * result[1] + 7
    operator = dml.Convolution(**tensors, **options, output_tensor=dml.TensorDesc("FLOAT32", result, strides))
    given = {name: values(random, size, "FLOAT32") for name, size in sizes.items()}
    return Trial(operator, given, channels * math.prod(window), shift=random.choice((0, 0, 4, 36)))


def narrow_panel(random: Random, columns: int) -> Trial:
    """A right operand of so many columns and no gaps, maybe one for each index of the batch, beside long rows."""
    batch, rows, depth = random.randint(1, 3), random.randint(17, 150), random.choice((331, 700, 1601))
    sizes = {"a_tensor": (batch, 1, rows, depth), "b_tensor": (batch, 1, depth, columns)}
    strides = (random.choice((0, depth * columns, depth * columns + 5)), 0, columns, 1)
    tensors = {"a_tensor": layout(random, sizes["a_tensor"], "FLOAT32")}
    owned = random.choice(((), ("b_tensor",)))
    tensors["b_tensor"] = dml.TensorDesc(
        "FLOAT32", sizes["b_tensor"], strides, flags="OWNED_BY_DML" if owned else "NONE"
    )
    given = {name: values(random, size, "FLOAT32") for name, size in sizes.items()}
    if strides[0] == 0:
        given["b_tensor"][:] = given["b_tensor"][:1]
    return Trial(dml.Gemm(**tensors), given, depth, owned, shift=random.choice((0, 4, 16)))


BYTES = ("INT8", "UINT8")
Given = dict[str, tuple[str, tuple[int, ...]]]
"""Types and sizes of inputs."""


def _integers(random: Random, sizes: tuple[int, ...], data_type: str) -> Array:
    """Numbers of the whole range of a type; scales between 0.01 and 1; biases of 16 bits."""
    generator = np.random.default_rng(random.getrandbits(32))
    kind = dml.DataType.parse(data_type)
    if data_type == "FLOAT32":
        return generator.uniform(0.01, 1, sizes).astype(np.float32)
    low, high = (dml.DataType.INT16 if data_type == "INT32" else kind).range
    return generator.integers(low, high, sizes, endpoint=True).astype(kind.numpy_dtype)


def _integer_trial(random: Random, cls: Any, given: Given, output: str, **options: Any) -> Trial:
    owned = tuple(name for name in given if random.random() < 0.2)
    tensors = {
        name: layout(random, size, kind, "OWNED_BY_DML" if name in owned else None)
        for name, (kind, size) in given.items()
    }
    inferred = options.pop("sizes", None) or cls(**tensors, **options).output_tensor.sizes
    operator = cls(**tensors, output_tensor=layout(random, inferred, output), **options)
    numbers = {name: _integers(random, size, kind) for name, (kind, size) in given.items()}
    return Trial(operator, numbers, 0, owned, random.randrange(0, 64, 4))


def integer_gemm(random: Random) -> Trial:
    rows, columns = random.randint(1, 90), random.randint(1, 90)
    depth = random.choice((1, 3, 17, 64, random.randint(1, 90), random.randint(300, 700)))
    first, second, output = (random.choice(BYTES) for _ in range(3))
    per_row, per_column = random.choice([((rows, 1), (1, columns)), ((1, 1), (1, 1))])
    given: Given = {"a_tensor": (first, (rows, depth)), "b_tensor": (second, (depth, columns))}
    if random.random() < 0.6:
        given |= {"a_zero_point_tensor": (first, per_row), "b_zero_point_tensor": (second, per_column)}
    if random.random() < 0.5:
        return _integer_trial(random, dml.MatrixMultiplyInteger, given, "INT32", sizes=(rows, columns))
    given |= {"a_scale_tensor": ("FLOAT32", per_row), "b_scale_tensor": ("FLOAT32", per_column)}
    given |= {"output_scale_tensor": ("FLOAT32", (1, 1)), "output_zero_point_tensor": (output, (1, 1))}
    return _integer_trial(random, dml.QuantizedLinearMatrixMultiply, given, output, sizes=(rows, columns))


def integer_convolution(random: Random) -> Trial:
    groups, channels, filters = random.choice((1, 1, 3)), random.choice((1, 3, 5, 18)), random.choice((1, 4, 17))
    first, second, output = (random.choice(BYTES) for _ in range(3))
    window = (random.randint(1, 3), random.randint(1, 3))
    per_filter = (groups * filters,) if random.random() < 0.5 else (1,)
    given: Given = {
        "input_tensor": (
            first,
            (random.randint(1, 2), groups * channels, random.randint(5, 20), random.randint(5, 20)),
        ),
        "filter_tensor": (second, (groups * filters, channels, *window)),
    }
    if random.random() < 0.6:
        given |= {"input_zero_point_tensor": (first, (1,)), "filter_zero_point_tensor": (second, per_filter)}
    options = {
        "strides": [random.choice((1, 2)) for _ in range(2)],
        "start_padding": [random.randint(0, 2) for _ in range(2)],
        "end_padding": [random.randint(0, 2) for _ in range(2)],
        "group_count": groups,
    }
    if random.random() < 0.5:
        return _integer_trial(random, dml.ConvolutionInteger, given, "INT32", **options)
    given |= {"input_scale_tensor": ("FLOAT32", (1,)), "filter_scale_tensor": ("FLOAT32", per_filter)}
    given |= {"output_scale_tensor": ("FLOAT32", (1,)), "output_zero_point_tensor": (output, (1,))}
    if random.random() < 0.5:
        given["bias_tensor"] = ("INT32", (1, groups * filters, 1, 1))
    return _integer_trial(random, dml.QuantizedLinearConvolution, given, output, **options)


def backward_convolution(random: Random, data_type: str = "FLOAT32", is_channels_last: bool = False) -> Trial:
    spatial = random.randint(1, 3)
    groups, channels, filters = random.choice((1, 1, 2)), random.choice((1, 3, 17, 33)), random.choice((1, 4, 17, 24))
    if is_channels_last:
        channels, filters = random.choice((16, 33)), random.choice((17, 32))
    window = [random.randint(1, 4) for _ in range(spatial)]
    image = [random.randint(2, 14 if spatial < 3 else 5) for _ in window]
    given: dict[str, tuple[int, ...]] = {
        "input_tensor": (random.randint(1, 2), groups * channels, *image),
        "filter_tensor": (groups * channels, filters, *window),
    }
    if random.random() < 0.5:
        given["bias_tensor"] = (1, groups * filters, *(1 for _ in window))
    strides = [random.choice((1, 2, 2, 3)) for _ in window]
    options: dict[str, Any] = {
        "direction": "BACKWARD",
        "mode": random.choice(("CROSS_CORRELATION", "CONVOLUTION")),
        "strides": strides,
        "dilations": [random.choice((1, 1, 2, 3)) for _ in window],
        "start_padding": [random.randint(0, min(1, size - 1)) for size in window],
        "end_padding": [random.randint(0, min(1, size - 1)) for size in window],
        "output_padding": [random.randrange(stride) for stride in strides],
        "group_count": groups,
        "fused_activation": _some_activation(random),
    }
    tensors = {name: layout(random, size, data_type) for name, size in given.items()}
    if is_channels_last:
        sizes = given["input_tensor"]
        strides = (math.prod(sizes[1:]), 1, *(sizes[1] * math.prod(sizes[axis + 1 :]) for axis in range(2, len(sizes))))
        tensors["input_tensor"] = dml.TensorDesc(data_type, sizes, strides)
    inferred = dml.Convolution(**tensors, **options).output_tensor.sizes
    operator = dml.Convolution(**tensors, output_tensor=layout(random, inferred, data_type), **options)
    numbers = {name: values(random, size, data_type) for name, size in given.items()}
    return Trial(operator, numbers, channels * math.prod(window), (), _shift(random, data_type))


def small_planes(random: Random) -> Trial:
    """A depthwise convolution of small images, which mostly stay as large as they are."""
    height, width, channels = random.randint(1, 9), random.randint(1, 9), random.choice((1, 2, 5, 17))
    window, dilations = ([random.choice(options) for _ in range(2)] for options in ((1, 2, 3, 5, 7), (1, 1, 2)))
    reach = [(taps - 1) * step for taps, step in zip(window, dilations, strict=True)]
    start = [random.randint(0, most) for most in reach]
    end = [most - before for most, before in zip(reach, start, strict=True)]
    if random.random() < 0.2 and min(height, width) > 1:
        end = [after + 1 for after in end]
    data_type, filters = random.choice(("FLOAT32", "FLOAT32", "FLOAT16")), channels * random.choice((1, 1, 2))
    given = {
        "input_tensor": (random.choice((1, 2, 3)), channels, height, width),
        "filter_tensor": (filters, 1, *window),
    }
    if random.random() < 0.5:
        given["bias_tensor"] = (1, filters, 1, 1)
    options = {"start_padding": start, "end_padding": end, "dilations": dilations, "group_count": channels}
    tensors = {name: dml.TensorDesc(data_type, sizes) for name, sizes in given.items()}
    operator = dml.Convolution(**tensors, **options, fused_activation=_some_activation(random))
    numbers = {name: values(random, sizes, data_type) for name, sizes in given.items()}
    return Trial(operator, numbers, math.prod(window), (), _shift(random, data_type))


def first_layer(random: Random) -> Trial:
    """Windows of images whose few channels are neighbours, with padding that lines of windows begin or end on, or lie
    on altogether."""
    channels = random.choice((2, 3))
    window = (random.randint(1, 4), random.choice((6, 7, 11, 16)) if channels == 3 else random.choice((8, 9, 17)))
    start, end = ([random.randint(0, most) for most in (4, window[1] + 2)] for _ in range(2))
    strides = [random.randint(1, 3) for _ in range(2)]
    sizes = tuple(max(1, size + random.randint(-2, 12) - pad) for size, pad in zip(window, start, strict=True))
    sizes = tuple(max(size, reach - s - e) for size, reach, s, e in zip(sizes, window, start, end, strict=True))
    batch, filters = random.choice((1, 3)), random.choice((5, 16, 33, 64))
    x = dml.TensorDesc("FLOAT32", (batch, channels, *sizes), order="NHWC")
    weights = dml.TensorDesc("FLOAT32", (filters, channels, *window))
    results = [
        (size + s + e - reach) // step + 1
        for size, s, e, reach, step in zip(sizes, start, end, window, strides, strict=True)
    ]
    y = dml.TensorDesc("FLOAT32", (batch, filters, *results), order=random.choice(("NHWC", "NHWC", "NCHW")))
    options = {"start_padding": start, "end_padding": end, "strides": strides}
    operator = dml.Convolution(input_tensor=x, filter_tensor=weights, output_tensor=y, **options)
    given = {"input_tensor": x, "filter_tensor": weights}
    numbers = {name: values(random, desc.sizes, "FLOAT32") for name, desc in given.items()}
    return Trial(operator, numbers, channels * math.prod(window))
