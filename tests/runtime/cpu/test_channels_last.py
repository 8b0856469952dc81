"""Temporary images of graphs: in another order where that is faster, and nobody can tell by the results."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.graph.graph import Graph
from anydml.graph.plan import Plan, SlotKind
from anydml.runtime.native import llvm
from tests.runtime.cpu.machines import machine

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.skipif(not llvm.is_available(), reason="no llvmlite")


@pytest.fixture(autouse=True)
def few_registers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A processor for which convolutions gain from that order."""
    with machine(monkeypatch, "avx2"):
        yield


class Builder:
    """Operators one after the other; each result may be read by several."""

    def __init__(self, sizes: tuple[int, ...], seed: int = 1) -> None:
        self.generator = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.inputs: list[tuple[int, int, int]] = []
        self.edges: list[tuple[int, int, int, int]] = []
        self.sizes: dict[int | None, tuple[int, ...]] = {None: sizes}

    def add(self, operator: dml.Operator, *sources: int | None) -> int:
        number = len(self.nodes)
        self.nodes.append(operator)
        for place, source in enumerate(sources):
            if source is None:
                self.inputs.append((0, number, place))
            else:
                self.edges.append((source, 0, number, place))
        self.sizes[number] = operator.output_tensor.sizes  # type: ignore[attr-defined]
        return number

    def tensor(self, source: int | None) -> dml.TensorDesc:
        return dml.TensorDesc("FLOAT32", self.sizes[source])

    def convolution(self, source: int | None, filters: int, window: int = 3, stride: int = 1, groups: int = 1) -> int:
        channels = self.sizes[source][1] // groups
        weights = self.generator.standard_normal((filters, channels, window, window)).astype(np.float32)
        self.nodes.append(dml.ConstantNode(weights / np.float32(np.sqrt(channels) * window)))
        operator = dml.Convolution(
            input_tensor=self.tensor(source),
            filter_tensor=dml.TensorDesc("FLOAT32", weights.shape),
            strides=[stride, stride],
            start_padding=[window // 2] * 2,
            end_padding=[window // 2] * 2,
            group_count=groups,
            fused_activation={"Type": "RELU"},
        )
        constant = len(self.nodes) - 1
        return self.add(operator, source, constant)

    def graph(self, *outputs: int) -> Graph:
        return Graph(self.nodes, self.inputs, [(node, 0, n) for n, node in enumerate(outputs)], self.edges)


def check(builder: Builder, *outputs: int) -> Plan:
    """Results of the processor beside those by definition; the plan of the first."""
    graph = builder.graph(*outputs)
    x = builder.generator.standard_normal(builder.sizes[None]).astype(np.float32)
    found, wanted = (dml.Device(name).compile_graph(graph)(x) for name in ("cpu", "reference"))
    for mine, theirs in zip(
        *((each,) if isinstance(each, np.ndarray) else each for each in (found, wanted)), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-5 * np.abs(theirs).max())
    return dml.Device("cpu").compile_graph(graph).plan


def orders(plan: Plan) -> dict[str, str]:
    """How steps see each slot that is an image: with channels or with pixels side by side."""
    found: dict[str, str] = {}
    for step in plan.steps:
        for access, sizes in (*step.reads(), *step.writes()):
            slot = plan.slots[access.slot]
            if slot.tensor is None or slot.tensor.rank != 4 or len(sizes) != 4 or sizes[1:] != slot.tensor.sizes[1:]:
                continue
            found[plan.name_of(access.slot)] = "NHWC" if access.strides[1] == 1 else "NCHW"
    return found


def temporaries(plan: Plan) -> set[str]:
    return {plan.name_of(number) for number in plan.of_kind(SlotKind.TEMPORARY)}


def test_images_between_convolutions__have_their_channels_side_by_side() -> None:
    builder = Builder((1, 16, 9, 11))
    first = builder.convolution(None, 24)
    second = builder.convolution(first, 32)
    plan = check(builder, builder.convolution(second, 16))
    assert [slot.tensor.strides for slot in plan.slots if slot.kind is SlotKind.OUTPUT and slot.tensor] == [
        (16 * 99, 99, 11, 1)
    ]
    indirect = [step for step in plan.steps if getattr(getattr(step, "tile", None), "is_indirect", False)]
    assert len(indirect) >= 2


def test_images_between_others__follow_convolutions() -> None:
    """Pooling, sums and joined images are in the order of those that they are computed from."""
    builder = Builder((1, 16, 12, 12))
    first = builder.convolution(None, 32)
    pooled = builder.add(
        dml.MaxPooling(input_tensor=builder.tensor(first), window_size=[3, 3], strides=[2, 2], start_padding=[1, 1]),
        first,
    )
    left, right = builder.convolution(pooled, 24, 1), builder.convolution(pooled, 24)
    total = builder.add(dml.ElementWiseAdd1(a_tensor=builder.tensor(left), b_tensor=builder.tensor(right)), left, right)
    joined = builder.add(
        dml.Join(
            input_tensors=[builder.tensor(total), builder.tensor(pooled)],
            output_tensor=dml.TensorDesc("FLOAT32", (1, 56, *builder.sizes[total][2:])),
            axis=1,
        ),
        total,
        pooled,
    )
    plan = check(builder, builder.convolution(joined, 8))
    seen = {name: order for name, order in orders(plan).items() if name in temporaries(plan)}
    assert seen and set(seen.values()) == {"NHWC"}


def test_image__that_is_read_as_one_row_stays() -> None:
    builder = Builder((1, 16, 5, 5))
    first = builder.convolution(None, 16)
    second = builder.convolution(first, 16)
    count = 16 * 25
    row = dml.TensorDesc("FLOAT32", (1, 1, 1, count))
    clipped = dml.ElementWiseClip(input_tensor=row, output_tensor=row, min=-0.5, max=0.5)
    check(builder, builder.convolution(second, 16), builder.add(clipped, second))


def test_results__that_are_also_outputs_are_as_described() -> None:
    builder = Builder((2, 16, 7, 6))
    first = builder.convolution(None, 20)
    check(builder, first, builder.convolution(first, 16, 3, 2))


@pytest.mark.parametrize("seed", range(12))
def test_random_networks__agree_with_their_definition(seed: int) -> None:
    random = Random(f"network {seed}")
    builder = Builder(
        (random.randint(1, 2), random.choice((3, 16, 20)), random.randint(7, 15), random.randint(7, 15)), seed
    )
    made: list[int | None] = [None]
    for _ in range(random.randint(3, 7)):
        source = random.choice(made[-2:])
        kind = random.choice(("dense", "dense", "dense", "depthwise", "pool", "add", "slice"))
        batch, channels, height, width = builder.sizes[source]
        if kind == "depthwise":
            made.append(builder.convolution(source, channels, 3, 1, channels))
        elif kind == "pool" and min(height, width) > 2:
            x = builder.tensor(source)
            made.append(
                builder.add(
                    dml.AveragePooling(input_tensor=x, window_size=[2, 2], strides=[2, 2], include_padding=False),
                    source,
                )
            )
        elif kind == "add":
            alike = [other for other in made if builder.sizes[other] == builder.sizes[source]]
            x = builder.tensor(source)
            made.append(builder.add(dml.ElementWiseAdd1(a_tensor=x, b_tensor=x), source, random.choice(alike)))
        elif kind == "slice" and channels > 2:
            window = [batch, channels - 1, height, max(1, width - 1)]
            strides = [1, 1, 1, random.choice((1, -1))]
            made.append(
                builder.add(
                    dml.Slice1(
                        input_tensor=builder.tensor(source),
                        output_tensor=dml.TensorDesc("FLOAT32", window),
                        input_window_offsets=[0, 1, 0, 0],
                        input_window_sizes=window,
                        input_window_strides=strides,
                    ),
                    source,
                )
            )
        else:
            filters, window_size = random.choice((16, 17, 33)), random.choice((1, 3))
            made.append(builder.convolution(source, filters, window_size, random.choice((1, 1, 2))))
    read = {edge[0] for edge in builder.edges}
    outputs = [node for node in made if node is not None and (node not in read or random.random() < 0.2)]
    check(builder, *outputs)
