"""Pointwise operators and chains of them, packed, broadcast and in other layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import anydml as dml
from anydml.bench.compute.case import (
    NUMPY,
    ONNX,
    OURS,
    TORCH,
    Array,
    Case,
    Family,
    Goal,
    Problem,
    onnx,
    ours,
    problem,
    random,
    zeros,
)
from anydml.bench.compute.case import torch as torch_work
from anydml.bench.onnx_model import OnnxNode
from anydml.graph.graph import Graph

CHANNELS = 64


@dataclass(frozen=True)
class _Same:
    """The same function for each contender. `torch` gets the library, the output and the inputs."""

    operator: Callable[..., dml.Operator]
    inputs: int
    numpy: Callable[..., object] | None
    torch: Callable[..., object]
    onnx: str | None
    is_truth: bool = False


def _flat(same: _Same, size: int, threads: int) -> Problem:
    count = size // 4
    inputs = [random(count, seed) for seed in range(same.inputs)]
    outputs: list[Array] = [zeros(count, np.bool_ if same.is_truth else np.float32) for _ in range(4)]
    mine, by_numpy, by_torch, by_onnx = outputs
    floats, result = dml.TensorDesc("FLOAT32", (count,)), dml.TensorDesc("UINT8", (count,))
    operator = same.operator(floats, result) if same.is_truth else same.operator(floats)
    names = {f"x{n}": array for n, array in enumerate(inputs)}
    node = OnnxNode(same.onnx, tuple(names), ("y",)) if same.onnx else None
    return problem(
        {
            OURS: ours(operator, inputs, [mine], threads),
            NUMPY: partial(same.numpy, *inputs, by_numpy) if same.numpy else None,
            TORCH: torch_work(same.torch, by_torch, *inputs, threads=threads),
            ONNX: onnx([node], names, {"y": by_onnx}, threads) if node else None,
        },
        {OURS: mine, NUMPY: by_numpy, TORCH: by_torch, ONNX: by_onnx},
        touched_bytes=sum(array.nbytes for array in (*inputs, mine)),
    )


def _unary(name: str) -> Callable[..., dml.Operator]:
    return lambda desc: getattr(dml, name)(input_tensor=desc)


def _binary(name: str) -> Callable[..., dml.Operator]:
    return lambda desc: getattr(dml, name)(a_tensor=desc, b_tensor=desc)


def _compare(name: str) -> Callable[..., dml.Operator]:
    return lambda desc, out: getattr(dml, name)(a_tensor=desc, b_tensor=desc, output_tensor=out)


_FLAT = {
    "add": _Same(_binary("ElementWiseAdd"), 2, np.add, lambda t, o, a, b: t.add(a, b, out=o), "Add"),
    "multiply": _Same(_binary("ElementWiseMultiply"), 2, np.multiply, lambda t, o, a, b: t.mul(a, b, out=o), "Mul"),
    "sigmoid": _Same(_unary("ActivationSigmoid"), 1, None, lambda t, o, a: t.sigmoid(a, out=o), "Sigmoid"),
    "tanh": _Same(_unary("ActivationTanh"), 1, np.tanh, lambda t, o, a: t.tanh(a, out=o), "Tanh"),
    "exp": _Same(_unary("ElementWiseExp"), 1, np.exp, lambda t, o, a: t.exp(a, out=o), "Exp"),
    "log": _Same(_unary("ElementWiseLog"), 1, None, lambda t, o, a: t.log(a, out=o), "Log"),
    "erf": _Same(_unary("ElementWiseErf"), 1, None, lambda t, o, a: t.erf(a, out=o), "Erf"),
    "GELU": _Same(_unary("ActivationGelu"), 1, None, lambda t, o, a: t._C._nn.gelu(a, out=o), None),
    "clip": _Same(
        lambda desc: dml.ElementWiseClip(input_tensor=desc, min=-1.0, max=1.0),
        1,
        lambda x, out: np.clip(x, -1.0, 1.0, out=out),
        lambda t, o, a: t.clamp(a, -1.0, 1.0, out=o),
        None,
    ),
    "greater": _Same(
        _compare("ElementWiseLogicalGreaterThan"), 2, np.greater, lambda t, o, a, b: t.gt(a, b, out=o), "Greater", True
    ),
    "equal": _Same(
        _compare("ElementWiseLogicalEquals"), 2, np.equal, lambda t, o, a, b: t.eq(a, b, out=o), "Equal", True
    ),
}


def _halves(size: int, threads: int) -> Problem:
    """The sum of as many elements as for float32, in float16."""
    count = size // 4
    a, b = (zeros(count, np.float16) for _ in range(2))
    for seed, array in enumerate((a, b)):
        array[...] = random(count, seed)
    mine, by_numpy, by_torch, by_onnx = (zeros(count, np.float16) for _ in range(4))
    halves = dml.TensorDesc("FLOAT16", (count,))
    node = OnnxNode("Add", ("a", "b"), ("y",))
    return problem(
        {
            OURS: ours(dml.ElementWiseAdd(a_tensor=halves, b_tensor=halves), [a, b], [mine], threads),
            NUMPY: partial(np.add, a, b, by_numpy),
            TORCH: torch_work(lambda t, o, a, b: t.add(a, b, out=o), by_torch, a, b, threads=threads),
            ONNX: onnx([node], {"a": a, "b": b}, {"y": by_onnx}, threads),
        },
        {OURS: mine, NUMPY: by_numpy, TORCH: by_torch, ONNX: by_onnx},
        touched_bytes=sum(array.nbytes for array in (a, b, mine)),
        tolerance=1e-3,
    )


def _where(size: int, threads: int) -> Problem:
    count = size // 4
    a, b, condition = random(count), random(count, 1), random(count, 2) > 0
    mine, by_numpy, by_torch, by_onnx = (zeros(count) for _ in range(4))
    floats, truths = dml.TensorDesc("FLOAT32", (count,)), dml.TensorDesc("UINT8", (count,))
    operator = dml.ElementWiseIf(condition_tensor=truths, a_tensor=floats, b_tensor=floats)
    node = OnnxNode("Where", ("c", "a", "b"), ("y",))
    return problem(
        {
            OURS: ours(operator, [condition, a, b], [mine], threads),
            NUMPY: lambda: np.copyto(by_numpy, np.where(condition, a, b)),
            TORCH: torch_work(
                lambda t, o, c, a, b: t.where(c, a, b, out=o), by_torch, condition, a, b, threads=threads
            ),
            ONNX: onnx([node], {"c": condition, "a": a, "b": b}, {"y": by_onnx}, threads),
        },
        {OURS: mine, NUMPY: by_numpy, TORCH: by_torch, ONNX: by_onnx},
        touched_bytes=sum(array.nbytes for array in (a, b, condition, mine)),
    )


# Images: (batch, channels, height, width), some tensors in another layout


Sizes = tuple[int, int, int, int]


def _image(size: int) -> Sizes:
    """One image, whose channels share few places in caches: they are a power of two apart."""
    pixels = max(16, size // 4 // CHANNELS)
    height = 1 << (pixels.bit_length() // 2)
    return 1, CHANNELS, height, pixels // height


def _small_images(size: int) -> Sizes:
    """Images as in the first part of ResNet-50."""
    return max(1, size // (4 * CHANNELS * 56 * 56)), CHANNELS, 56, 56


ORDERS = {
    "all NHWC": ("NHWC", "NHWC", "NHWC"),
    "one NHWC": ("NCHW", "NHWC", "NCHW"),
    "one NCHW": ("NCHW", "NHWC", "NHWC"),
    "NHWC operands": ("NHWC", "NHWC", "NCHW"),
    "NHWC result": ("NCHW", "NCHW", "NHWC"),
}


def _add_bias(size: int, threads: int) -> Problem:
    """The second operand has one element for each channel."""
    _, channels, *_ = sizes = _image(size)
    a, stored = random(sizes), random(channels, 1)
    packed, spread = dml.TensorDesc("FLOAT32", sizes), dml.TensorDesc("FLOAT32", sizes, (0, 1, 0, 0))
    operator = dml.ElementWiseAdd(a_tensor=packed, b_tensor=spread, output_tensor=packed)
    mine, by_numpy, by_torch = (zeros(sizes) for _ in range(3))
    shown = stored.reshape(1, -1, 1, 1)
    return problem(
        {
            OURS: ours(operator, [a, stored], [mine], threads),
            NUMPY: partial(np.add, a, shown, by_numpy),
            TORCH: torch_work(lambda t, o, a, b: t.add(a, b, out=o), by_torch, a, shown, threads=threads),
        },
        {OURS: mine, NUMPY: by_numpy, TORCH: by_torch},
        touched_bytes=a.nbytes + stored.nbytes + mine.nbytes,
    )


def _add_images(shape: Callable[[int], Sizes], orders: Sequence[str], size: int, threads: int) -> Problem:
    """Each of the three tensors in an order of its own."""
    batch, channels, height, width = sizes = shape(size)
    stored = {"NCHW": sizes, "NHWC": (batch, height, width, channels)}

    def seen(array: Array, order: str) -> Array:
        return array.transpose(0, 3, 1, 2) if order == "NHWC" else array

    kept = [random(stored[order], seed) for seed, order in enumerate(orders[:2])]
    descs = [dml.TensorDesc("FLOAT32", sizes, order=order) for order in orders]
    operator = dml.ElementWiseAdd(a_tensor=descs[0], b_tensor=descs[1], output_tensor=descs[2])
    mine, *others = (zeros(stored[orders[2]]) for _ in range(3))
    a, b = (seen(array, order) for array, order in zip(kept, orders, strict=False))
    by_numpy, by_torch = (seen(array, orders[2]) for array in others)
    return problem(
        {
            OURS: ours(operator, kept, [mine], threads),
            NUMPY: partial(np.add, a, b, by_numpy),
            TORCH: torch_work(lambda t, o, a, b: t.add(a, b, out=o), by_torch, a, b, threads=threads),
        },
        {OURS: seen(mine, orders[2]), NUMPY: by_numpy, TORCH: by_torch},
        touched_bytes=a.nbytes + b.nbytes + mine.nbytes,
    )


IMAGES: dict[str, Callable[[int], Sizes]] = {"add images": _image, "add images of 56 x 56": _small_images}


def _image_cases(name: str, shape: Callable[[int], Sizes]) -> Iterator[Case]:
    packed = f"{name}, packed"
    yield Case(NAME, packed, partial(_add_images, shape, ("NCHW",) * 3))
    for which, orders in ORDERS.items():
        yield Case(NAME, f"{name}, {which}", partial(_add_images, shape, orders), beside=packed)


# Chains of four: the graph is one step of ours


def _chain(is_mixed: bool, size: int, threads: int) -> Problem:
    """sigmoid(x * s + b) * y + z, with a scale and a bias for each channel; mixed: z lies in another order."""
    sizes = _image(size)
    _, channels, height, width = sizes
    x, y, z = (random(sizes, seed) for seed in range(3))
    scale, bias = random(channels, 3), random(channels, 4)
    if is_mixed:
        z = np.ascontiguousarray(z.transpose(0, 2, 3, 1))
    packed = dml.TensorDesc("FLOAT32", sizes)
    spread = dml.TensorDesc("FLOAT32", sizes, (0, 1, 0, 0))
    turned = dml.TensorDesc("FLOAT32", sizes, (channels * height * width, 1, width * channels, channels))
    operators = [
        dml.ElementWiseMultiply(a_tensor=packed, b_tensor=spread, output_tensor=packed),
        dml.ElementWiseAdd(a_tensor=packed, b_tensor=spread, output_tensor=packed),
        dml.ActivationSigmoid(input_tensor=packed),
        dml.ElementWiseMultiply(a_tensor=packed, b_tensor=packed),
        dml.ElementWiseAdd(a_tensor=packed, b_tensor=turned if is_mixed else packed, output_tensor=packed),
    ]
    inputs = [(0, 0, 0), (1, 0, 1), (2, 1, 1), (3, 3, 1), (4, 4, 1)]
    graph = Graph(operators, inputs, [(4, 0, 0)], [(n, 0, n + 1, 0) for n in range(4)])
    mine, by_torch, by_onnx = (zeros(sizes) for _ in range(3))
    shown = z.transpose(0, 3, 1, 2) if is_mixed else z
    wide = [values.reshape(1, -1, 1, 1) for values in (scale, bias)]

    def in_torch(t: Any, o: Any, x: Any, s: Any, b: Any, y: Any, z: Any) -> None:
        t.add(t.mul(t.sigmoid(t.add(t.mul(x, s), b)), y), z, out=o)

    last = [OnnxNode("Transpose", ("z",), ("w",), {"perm": (0, 3, 1, 2)})] if is_mixed else []
    nodes = [
        OnnxNode("Mul", ("x", "s"), ("1",)),
        OnnxNode("Add", ("1", "b"), ("2",)),
        OnnxNode("Sigmoid", ("2",), ("3",)),
        OnnxNode("Mul", ("3", "y"), ("4",)),
        *last,
        OnnxNode("Add", ("4", "w" if is_mixed else "z"), ("o",)),
    ]
    named = {"x": x, "s": wide[0], "b": wide[1], "y": y, "z": z}
    return problem(
        {
            OURS: ours(graph, [x, scale, bias, y, z], [mine], threads),
            TORCH: torch_work(in_torch, by_torch, x, *wide, y, shown, threads=threads),
            ONNX: onnx(nodes, named, {"o": by_onnx}, threads),
        },
        {OURS: mine, TORCH: by_torch, ONNX: by_onnx},
        touched_bytes=4 * x.nbytes,
    )


NAME = "pointwise"
CASES = (
    *(Case(NAME, name, partial(_flat, same)) for name, same in _FLAT.items()),
    Case(NAME, "add, float16", _halves, beside="add"),
    Case(NAME, "where", _where),
    *(case for name, shape in IMAGES.items() for case in _image_cases(name, shape)),
    Case(NAME, "add images, a bias for each channel", _add_bias, beside="add images, packed"),
    Case(NAME, "chain sigmoid(x * s + b) * y + z", partial(_chain, False)),
    Case(NAME, "chain sigmoid(x * s + b) * y + z, z is NHWC", partial(_chain, True)),
)
FAMILY = Family(NAME, CASES, {"": Goal(0.95, 1.3), "chain": Goal(2.0)})
