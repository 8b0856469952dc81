"""In place, with any two layouts: an operator that may share a buffer is right, or refuses; on every device.

Exhaustive over small layouts: sizes (7,) and (2, 3) with every pair of a few dozen stride combinations.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import anydml as dml
import anydml.operators
from anydml.core.schema import OPERATORS, AttributeField, Operator
from anydml.core.schema.attributes import Axis, Boolean, Enumeration, Float, Integer, Scalar, TypeOf
from tests.operators.memory import DEVICES

IN_PLACE = sorted(name for name, operator in OPERATORS.items() if operator.in_place)


def layouts(sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Strides without overlap: every order of the axes, with steps of 1 and 2 and gaps between rows."""
    found = set()
    for order in permutations(range(len(sizes))):
        for steps in product((1, 2), repeat=len(sizes)):
            strides, reach = [0] * len(sizes), 1
            for axis, step in zip(order, steps, strict=True):
                strides[axis] = reach * step
                reach = strides[axis] * sizes[axis]
            found.add(tuple(strides))
    return sorted(found)


def attribute_value(field: AttributeField, data_type: dml.DataType) -> Any:
    """Any legal value."""
    if isinstance(field.type, TypeOf):
        return data_type
    if isinstance(field.type, Enumeration):
        return next(iter(field.type.of))
    for kind, value in ((Axis, 0), (Integer, 1), (Float, 0.75), (Scalar, 1), (Boolean, False)):
        if isinstance(field.type, kind):
            return value
    raise AssertionError(f"no value for {field.type}")


def described(cls: type[Operator], data_type: dml.DataType, tensors: dict[str, dml.TensorDesc]) -> Operator:
    plain = next(iter(tensors.values())).sizes
    fields: dict[str, Any] = {
        f.name: attribute_value(f, data_type) for f in cls.attribute_fields() if not f.optional and not f.length
    }
    for field in cls.tensor_fields():
        if field.name in tensors or not field.optional:
            sizes = (1,) * len(plain) if cls.sizes_of.get(field.name) == "1*" else plain
            fields[field.name] = tensors.get(field.name) or dml.TensorDesc(data_type, sizes)
    return cls(**fields)


def type_of(cls: type[Operator], name: str) -> dml.DataType | None:
    """A type that input and output share: FLOAT32 where that is allowed."""
    fields = [f for f in cls.tensor_fields() if f.name == name]
    allowed: Any = fields[0].types
    types = allowed.steps[-1][1]
    return dml.DataType.FLOAT32 if dml.DataType.FLOAT32 in types else sorted(types, key=lambda t: t.name)[0]


def run_pair(operator: Operator, pair: tuple[str, str], device: str, values: np.ndarray[Any, Any]) -> str:
    """Runs apart and in place, and says whether the second was refused; results are compared."""
    source, target = (operator.tensor(name) for name in pair)
    compiled = dml.Device(device).compile(operator)
    others = {
        point.name: np.ones(
            point.tensor.total_tensor_size_in_bytes // point.tensor.data_type.element_bytes,
            point.tensor.data_type.numpy_dtype,
        )
        for point in operator.all_points()
        if point.tensor is not None and point.name not in pair
    }
    shared = np.zeros(source.total_tensor_size_in_bytes, np.uint8)
    source.store(shared, values)
    before, apart = shared.copy(), shared.copy()
    compiled(**others, **{pair[0]: before, pair[1]: apart})
    try:
        compiled(**others, **{pair[0]: shared, pair[1]: shared})
    except dml.BindingError:
        return "refused"
    in_place, beside = (np.array(target.view(memory)).tobytes() for memory in (shared, apart))
    assert in_place == beside, (operator, pair, device)
    outside = np.ones(shared.size, bool)
    offsets = (target.layout.offsets() * target.data_type.element_bytes).reshape(-1, 1)
    outside[(offsets + np.arange(target.data_type.element_bytes)).reshape(-1)] = False
    assert np.array_equal(shared[outside], before[outside]), "a byte between elements changed"
    return "right"


def cases(cls: type[Operator], pair: tuple[str, str]) -> list[Operator]:
    data_type = type_of(cls, pair[0])
    assert data_type is not None
    operators = []
    lowest = cls.ranks.steps[-1][1][0]
    for inner in ((7,), (2, 3)):
        lead = max(lowest - len(inner), 0)
        sizes, every = (1,) * lead + inner, [(0,) * lead + strides for strides in layouts(inner)]
        total = max(dml.calc_buffer_tensor_size(data_type, sizes, strides) for strides in every)
        descs = [dml.TensorDesc(data_type, sizes, strides, total_tensor_size_in_bytes=total) for strides in every]
        operators += [described(cls, data_type, {pair[0]: a, pair[1]: b}) for a, b in product(descs, descs)]
    return operators


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place__is_right_whatever_the_layouts(name: str) -> None:
    cls, counts = OPERATORS[name], {"right": 0, "refused": 0}
    for pair in cls.in_place:
        for number, operator in enumerate(cases(cls, pair)):
            values = np.arange(1, 1 + np.prod(operator.tensor(pair[0]).sizes)).reshape(operator.tensor(pair[0]).sizes)
            # All pairs where strides decide what kernels do; some of them by definition.
            for device in DEVICES if number % 4 == 0 else ["cpu"]:
                counts[run_pair(operator, pair, device, values)] += 1
    assert counts["right"] >= 80 and not counts["refused"]


def test_documented_defect__seven_elements_from_stride_1_to_2() -> None:
    source = dml.TensorDesc("FLOAT32", [7], [1], total_tensor_size_in_bytes=52)
    operator = dml.ActivationIdentity(input_tensor=source, output_tensor=dml.TensorDesc("FLOAT32", [7], [2]))
    memory = np.zeros(13, "f4")
    memory[:7] = range(1, 8)
    dml.Device().compile(operator)(memory, memory)
    assert memory[::2].tolist() == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("count", [7, 16, 17, 24, 40, 56, 100, 129])
def test_rest_of_a_row__is_computed_once(count: int, step: int) -> None:
    """Rows that are not a whole number of vectors: what is computed again would read its own result."""
    tensor = dml.TensorDesc("FLOAT32", [count], [step])
    operator = dml.ElementWiseConstantPow(input_tensor=tensor, output_tensor=tensor, exponent=0.75)
    for device in DEVICES:
        run_pair(operator, ("input_tensor", "output_tensor"), device, np.arange(1, count + 1, dtype=np.float32))


def test_comparison__can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the copy that keeps elements from being overwritten before they are read, this test fails."""
    from anydml.runtime.compiled import CompiledOperator

    monkeypatch.setattr(CompiledOperator, "_copied_inputs", lambda self, bound: {})
    strides = [(1,), (2,)]
    descs = [dml.TensorDesc("FLOAT32", [7], s, total_tensor_size_in_bytes=52) for s in strides]
    operator = dml.ActivationLinear(input_tensor=descs[0], output_tensor=descs[1], alpha=2, beta=0)
    monkeypatch.setattr("anydml.runtime.cpu.pointwise.tasks_of", lambda nest: ())
    monkeypatch.setattr("anydml.runtime.cpu.arrays.BLOCK_ELEMENTS", 1)
    with pytest.raises(AssertionError):
        run_pair(operator, ("input_tensor", "output_tensor"), "cpu", np.arange(1, 8))
