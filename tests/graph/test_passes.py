"""What each pass makes of graphs that it is for."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core.datatype import DataType
from anydml.core.expression import load, operation
from anydml.core.steps import Access, Nest, Program, Store
from anydml.graph.graph import Graph
from anydml.graph.lower import lower
from anydml.graph.passes import PASSES, Passes
from anydml.graph.passes.prune import prune
from anydml.graph.plan import Plan, Slot, SlotKind


def chain(*operators: dml.Operator) -> Graph:
    """Operators one after another, each reading the one before through its first input."""
    edges = [(i, 0, i + 1, 0) for i in range(len(operators) - 1)]
    return Graph(operators, [(0, 0, 0)], [(len(operators) - 1, 0, 0)], edges)


def planned(graph: Graph, passes: Passes = Passes()) -> Plan:  # noqa: B008
    return passes.run(lower(graph))


def desc(data_type: str, sizes: list[int], strides: list[int] | None = None) -> dml.TensorDesc:
    return dml.TensorDesc(data_type, sizes, strides)


def preprocessing(height: int = 6, width: int = 8) -> Graph:
    """Crop, flip, NHWC to NCHW, scale and convert an image, as five operators."""
    nhwc = [height * width * 3, 1, width * 3, 3]
    image = desc("UINT8", [1, 3, height, width], nhwc)
    crop = [1, 3, height - 2, width - 2]
    strides = [(height - 2) * (width - 2) * 3, 1, (width - 2) * 3, 3]
    cropped, flipped = desc("UINT8", crop, strides), desc("UINT8", crop, strides)
    ones = [1, 1, 1, 1]
    return chain(
        dml.Slice1(
            input_tensor=image,
            output_tensor=cropped,
            input_window_offsets=[0, 0, 1, 1],
            input_window_sizes=crop,
            input_window_strides=ones,
        ),
        dml.Slice1(
            input_tensor=cropped,
            output_tensor=flipped,
            input_window_offsets=[0, 0, 0, 0],
            input_window_sizes=crop,
            input_window_strides=[1, 1, 1, -1],
        ),
        dml.ElementWiseIdentity(input_tensor=flipped, output_tensor=desc("UINT8", crop)),
        dml.Cast(input_tensor=desc("UINT8", crop), output_tensor=desc("FLOAT32", crop)),
        dml.ElementWiseIdentity(input_tensor=desc("FLOAT32", crop), scale_bias=(1 / 255, -0.5)),
        dml.Cast(input_tensor=desc("FLOAT32", crop), output_tensor=desc("FLOAT16", crop)),
    )


def test_preprocessing__is_one_step_and_one_pass_over_memory() -> None:
    plan = planned(preprocessing())
    (step,) = plan.steps
    assert isinstance(step, Nest) and len(step.loads) == 1 and len(step.stores) == 1
    assert plan.temporary_size_in_bytes == 0
    image = np.random.default_rng(1).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    result = dml.Device().compile_graph(preprocessing())(image)
    expected = image[1:-1, 1:-1][:, ::-1].transpose(2, 0, 1).astype(np.float32) * np.float32(1 / 255) + np.float32(-0.5)
    assert np.array_equal(result[0], expected.astype(np.float16))


def test_join__its_parts_are_computed_in_place() -> None:
    part, whole = desc("FLOAT32", [2, 3]), desc("FLOAT32", [4, 3])
    graph = Graph(
        [
            dml.ActivationRelu(input_tensor=part),
            dml.ElementWiseAbs(input_tensor=part),
            dml.Join(input_tensors=[part, part], output_tensor=whole, axis=0),
        ],
        [(0, 0, 0), (1, 1, 0)],
        [(2, 0, 0)],
        [(0, 0, 2, 0), (1, 0, 2, 1)],
    )
    assert len(planned(graph, Passes.none()).steps) == 4
    plan = planned(graph)
    assert len(plan.steps) == 2 and plan.temporary_size_in_bytes == 0
    x, y = np.float32([[-1, 2, 3], [4, -5, 6]]), np.float32([[0, -1, 2], [-3, 4, 5]])
    assert np.array_equal(dml.Device().compile_graph(graph)(x, y), np.concatenate([np.maximum(x, 0), np.abs(y)]))


def test_padding__its_inner_part_is_computed_in_place() -> None:
    graph = chain(
        dml.ActivationRelu(input_tensor=desc("FLOAT32", [3])),
        dml.Padding1(
            input_tensor=desc("FLOAT32", [3]),
            padding_mode="CONSTANT",
            padding_value_data_type="FLOAT32",
            padding_value=7,
            start_padding=[1],
            end_padding=[2],
        ),
    )
    plan = planned(graph)
    assert [step.is_fill for step in plan.steps if isinstance(step, Nest)] == [True, False]
    assert dml.Device().compile_graph(graph)(np.float32([-1, 2, 3])).tolist() == [7, 0, 2, 3, 7, 7]


def convolution(**fields: Any) -> dml.Operator:
    x, w = desc("FLOAT32", [1, 2, 5, 5]), desc("FLOAT32", [3, 2, 2, 2])
    return dml.Convolution(input_tensor=x, filter_tensor=w, **fields)


def test_epilogue__activation_and_sum_join_the_convolution() -> None:
    y = desc("FLOAT32", [1, 3, 4, 4])
    graph = Graph(
        [
            convolution(),
            dml.ElementWiseAdd(a_tensor=y, b_tensor=y),
            dml.ActivationRelu(input_tensor=y, output_tensor=desc("FLOAT32", [1, 3, 4, 4], [48, 1, 12, 3])),
        ],
        [(0, 0, 0), (1, 0, 1), (2, 1, 1)],
        [(2, 0, 0)],
        [(0, 0, 1, 0), (1, 0, 2, 0)],
    )
    (step,) = planned(graph).steps
    assert isinstance(step, Program)
    random = np.random.default_rng(3)
    x, w, r = (random.standard_normal(s).astype("f4") for s in ((1, 2, 5, 5), (3, 2, 2, 2), (1, 3, 4, 4)))
    fused = dml.Device().compile_graph(graph)(x, w, r)
    plain = dml.Device().compile(convolution())(x, w)
    assert np.array_equal(fused, np.maximum(plain + r, 0))


def test_epilogue__keeps_the_rounding_of_half_precision() -> None:
    """What lies between is rounded to float16, fused or not."""
    x, w, y = desc("FLOAT16", [1, 1, 4, 4]), desc("FLOAT16", [1, 1, 3, 3]), desc("FLOAT16", [1, 1, 2, 2])
    nodes = [dml.Convolution(input_tensor=x, filter_tensor=w), dml.ActivationLinear(input_tensor=y, alpha=3, beta=0.1)]
    graph = Graph(nodes, [(0, 0, 0), (1, 0, 1)], [(1, 0, 0)], [(0, 0, 1, 0)])
    random = np.random.default_rng(4)
    data = [random.standard_normal(s).astype(np.float16) for s in ((1, 1, 4, 4), (1, 1, 3, 3))]
    results = [dml.Device().compile_graph(graph, passes=p)(*data) for p in (Passes(), Passes.none())]
    assert np.array_equal(*results)


def test_hoist__what_depends_on_constants_alone_runs_once() -> None:
    y = desc("FLOAT32", [4])
    weights = dml.ConstantNode(np.float32([1, -2, 3, -4]))
    graph = Graph(
        [
            weights,
            dml.ActivationTanh(input_tensor=y),
            dml.Reduce(function="MAX", input_tensor=y, axes=[0]),
            dml.ElementWiseAdd(a_tensor=y, b_tensor=desc("FLOAT32", [4], [0]).replace(total_tensor_size_in_bytes=4)),
        ],
        [(0, 3, 0)],
        [(3, 0, 0)],
        [(0, 0, 1, 0), (1, 0, 2, 0), (2, 0, 3, 1)],
    )
    plan = planned(graph)
    assert len(plan.steps) == 1 and plan.initialize and plan.persistent_size_in_bytes >= 4
    run = dml.Device().compile_graph(graph)
    for _ in range(2):
        assert np.array_equal(run(np.zeros(4, "f4")), np.full(4, np.tanh(np.float32(3))))


def test_prune__what_leads_to_no_output_is_dropped() -> None:
    plan = lower(preprocessing())
    dead = Slot(SlotKind.TEMPORARY, 4, "dead")
    last = plan.steps[-1]
    assert isinstance(last, Nest)
    wasted = last.renamed(lambda slot: len(plan.slots) if plan.slots[slot].kind is SlotKind.OUTPUT else slot)
    longer = replace(plan, slots=(*plan.slots, dead), steps=(*plan.steps, wasted))
    assert prune(longer).steps == plan.steps


def test_alias__a_chain_of_pointwise_steps_takes_one_piece_of_memory() -> None:
    x = desc("FLOAT32", [1000])
    graph = chain(*(dml.ActivationTanh(input_tensor=x) for _ in range(6)))
    assert planned(graph, Passes.only("alias")).temporary_size_in_bytes == 4032  # rounded to a cache line
    assert planned(graph, Passes.none()).temporary_size_in_bytes == 2 * 4032
    assert planned(graph).temporary_size_in_bytes == 0


def test_temporary_memory__is_what_the_plan_says() -> None:
    """A chain that cannot be fused: the arena is the only large allocation of a run, and just as large as planned."""
    count = 1 << 20
    x = desc("FLOAT32", [1024, 1024])
    turned = dml.TensorDesc("FLOAT32", [1024, 1024], [1, 1024])
    graph = chain(
        dml.ElementWiseIdentity(input_tensor=x, output_tensor=turned),
        dml.CumulativeProduct(input_tensor=turned, axis=0, axis_direction="INCREASING", has_exclusive_product=False),
        dml.ElementWiseIdentity(input_tensor=x, output_tensor=turned),
    )
    run = dml.Device().compile_graph(graph, passes=Passes.none())
    plan = run.plan
    needed = sum(slot.size_in_bytes for slot in plan.slots if slot.kind is SlotKind.TEMPORARY)
    assert plan.temporary_size_in_bytes == needed == 2 * 4 * count
    source, result = np.ones((1024, 1024), "f4"), np.zeros((1024, 1024), "f4")
    properties = run.binding_properties
    tracemalloc.start()
    run(source, result)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert needed <= peak <= properties.temporary_resource_size + 4096


@pytest.mark.parametrize("each", PASSES, ids=lambda each: each.name)
def test_pass__can_be_switched_off(each: Any) -> None:
    assert each.name not in [name for name, _ in Passes.without(each.name).trace(lower(preprocessing()))]
    assert [name for name, _ in Passes.only(each.name).trace(lower(preprocessing()))] == [each.name, "memory"]


def test_unknown_pass__is_refused_with_the_nearest() -> None:
    with pytest.raises(dml.InvalidDescriptionError, match="'fuse'"):
        Passes.without("fuze")


# What passes must leave alone


def test_forward__leaves_reads_as_another_type() -> None:
    """The first 4 bytes of a reversed copy belong to the last float, not to the last 4 bytes."""
    floats = desc("FLOAT32", [4])
    reverse = dml.Slice1(
        input_tensor=floats,
        output_tensor=floats,
        input_window_offsets=[0],
        input_window_sizes=[4],
        input_window_strides=[-1],
    )
    first_bytes = dml.TensorDesc("UINT8", [4], total_tensor_size_in_bytes=16)
    graph = chain(reverse, dml.Cast(input_tensor=first_bytes, output_tensor=desc("UINT32", [4])))
    source = np.float32([1, 2, 3, 4.5])
    found = dml.Device().compile_graph(graph)(source)
    assert found.astype(np.uint8).tobytes() == source[3:].tobytes()


def test_forward__leaves_what_is_written_again() -> None:
    """A copy whose destination is overwritten before it is read is not what is read."""
    four = DataType.FLOAT32
    slots = (
        Slot(SlotKind.INPUT, 16, "x", index=0),
        Slot(SlotKind.TEMPORARY, 16, "between"),
        Slot(SlotKind.OUTPUT, 16, "y", index=0),
    )
    x, between, y = (Access(number, four, (1,)) for number in range(3))
    element = load(0, four.numpy_dtype)
    copy = Nest((4,), (x,), (Store(between, element),))
    again = Nest((4,), (x,), (Store(between, operation("add", element, element)),))
    read = Nest((4,), (between,), (Store(y, element),))
    plan = Passes.only("forward").run(Plan(slots, (copy, again, read)))
    assert plan.steps[-1] == read


@pytest.mark.parametrize(("sizes", "strides"), [([2, 2], [1, 1]), ([2, 3], [0, 1])])
def test_place__leaves_elements_that_are_copied_twice(sizes: list[int], strides: list[int]) -> None:
    """Overlapping and broadcast strides read elements twice; they cannot be written to both places at once."""
    twice = dml.TensorDesc("FLOAT32", sizes, strides)
    relu = dml.ActivationRelu(input_tensor=desc("FLOAT32", [3]))
    graph = chain(relu, dml.ElementWiseIdentity(input_tensor=twice, output_tensor=desc("FLOAT32", sizes)))
    found = dml.Device().compile_graph(graph, passes=Passes.only("place"))(np.float32([1, -2, 3]))
    assert np.array_equal(found, twice.view(np.float32([1, 0, 3])))


def test_epilogue__rounds_what_was_stored_between() -> None:
    """A product stored as half precision, then read as float32, is a number of half precision."""
    one, half = desc("FLOAT32", [1, 1, 1, 1]), desc("FLOAT16", [1, 1, 1, 1])
    nodes = [
        dml.Gemm(a_tensor=one, b_tensor=one),
        dml.Cast(input_tensor=one, output_tensor=half),
        dml.Cast(input_tensor=half, output_tensor=one),
    ]
    graph = Graph(nodes, [(0, 0, 0), (1, 0, 1)], [(2, 0, 0)], [(0, 0, 1, 0), (1, 0, 2, 0)])
    third = np.full((1, 1, 1, 1), 1 / 3, np.float32)
    compiled = dml.Device().compile_graph(graph, passes=Passes.only("epilogue"))
    assert len(compiled.plan.steps) == 1
    found = compiled(third, third)
    assert found == (third * third).astype(np.float16).astype(np.float32) and found != third * third
