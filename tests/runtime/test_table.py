"""The object model as DirectML has it: initializer, binding table, dispatch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml

PLAIN = dml.TensorDesc("FLOAT32", [2, 2])
OWNED = dml.TensorDesc("FLOAT32", [2, 2], flags="OWNED_BY_DML")


def gemm() -> dml.CompiledOperator:
    operator = dml.Gemm(a_tensor=PLAIN, b_tensor=OWNED, output_tensor=PLAIN, trans_a=0, trans_b=0, alpha=2, beta=0)
    return dml.Device().compile(operator)


def test_flow__initialize_bind_dispatch() -> None:
    device, compiled = dml.Device(), gemm()
    properties = compiled.binding_properties
    assert properties.required_descriptor_count == 3
    assert properties.persistent_resource_size >= 16  # the weights, perhaps packed as a kernel wants them
    persistent = bytearray(properties.persistent_resource_size)
    weights = np.float32([[1, 2], [3, 4]])

    setup = device.create_binding_table(device.create_operator_initializer([compiled]))
    setup.bind_inputs([[None, weights, None]])
    setup.bind_outputs([dml.BufferBinding(persistent)])
    setup.dispatch()
    assert compiled.is_initialized

    result = np.zeros((2, 2), np.float32)
    table = device.create_binding_table(compiled)
    table.bind_inputs([np.eye(2, dtype=np.float32), None, None])
    table.bind_outputs([result])
    table.bind_persistent_resource(dml.BufferBinding(persistent))
    table.dispatch()
    assert result.tolist() == [[2, 4], [6, 8]]


def test_array_program__counts_the_copies_of_its_tensors() -> None:
    compiled = dml.Device("reference").compile(dml.Gemm(a_tensor=PLAIN, b_tensor=PLAIN))
    assert compiled.binding_properties.temporary_resource_size > 0


def test_initializer__without_operators_does_nothing() -> None:
    device = dml.Device()
    device.create_binding_table(device.create_operator_initializer()).dispatch()


def test_initializer__tells_its_binding_properties() -> None:
    """One descriptor for each OWNED_BY_DML input and for each operator's persistent memory; none of its own."""
    device = dml.Device()
    x, owned = dml.TensorDesc("FLOAT32", [4]), dml.TensorDesc("FLOAT32", [4], flags="OWNED_BY_DML")
    weighted = device.compile(dml.ElementWiseAdd(a_tensor=x, b_tensor=owned))
    plain = device.compile(dml.ActivationRelu(input_tensor=x))
    initializer = device.create_operator_initializer([weighted, plain])
    assert initializer.binding_properties == dml.BindingProperties(2, 0, 0)
    initializer.reset([plain])
    assert initializer.binding_properties == dml.BindingProperties(0, 0, 0)


def test_initializer__serves_several_operators() -> None:
    device, first, second = dml.Device(), gemm(), gemm()
    setup = device.create_binding_table(device.create_operator_initializer([first, second]))
    setup.bind_inputs([[None, bytes(16)], [None, bytes(16)]])
    setup.dispatch()
    assert first.is_initialized and second.is_initialized


def test_initializer__persistent_memory_is_not_an_input() -> None:
    device, compiled = dml.Device(), gemm()
    memory = bytearray(max(16, compiled.binding_properties.persistent_resource_size))
    setup = device.create_binding_table(device.create_operator_initializer([compiled]))
    setup.bind_inputs([[None, dml.BufferBinding(memory, 0, 16)]])
    setup.bind_outputs([memory])
    with pytest.raises(dml.BindingError, match=r"binding\.overlap"):
        setup.dispatch()


def test_table__counts_optional_tensors_too() -> None:
    table = dml.Device().create_binding_table(gemm())
    with pytest.raises(dml.BindingError, match="3, one for each input"):
        table.bind_inputs([bytes(16)])


def test_table__none_only_for_optional() -> None:
    table = dml.Device().create_binding_table(gemm())
    table.bind_inputs([None, None, None])
    table.bind_outputs([bytearray(16)])
    with pytest.raises(dml.BindingError, match=r"table\.none"):
        table.dispatch()


def test_table__resources_lie_apart() -> None:
    compiled = gemm()
    compiled.initialize(b_tensor=bytes(16))
    result = bytearray(512)
    table = dml.Device().create_binding_table(compiled)
    table.bind_inputs([bytes(16), None, None])
    table.bind_outputs([dml.BufferBinding(result, 0, 16)])
    table.bind_temporary_resource(dml.BufferBinding(result, 0))
    with pytest.raises(dml.BindingError, match="TemporaryResource"):
        table.dispatch()
    with pytest.raises(dml.BindingError, match=r"table\.resource-offset"):
        table.bind_temporary_resource(dml.BufferBinding(result, 16))


def test_temporary_memory__is_not_what_initialization_filled() -> None:
    """Also where the table was not told of that memory a second time."""
    compiled = gemm()
    device, shared = dml.Device(), bytearray(4096)
    setup = device.create_binding_table(device.create_operator_initializer([compiled]))
    setup.bind_inputs([[None, bytes(16), None]])
    setup.bind_outputs([shared])
    setup.dispatch()
    table = device.create_binding_table(compiled)
    table.bind_inputs([bytes(16), None, None])
    table.bind_outputs([bytearray(16)])
    table.bind_temporary_resource(shared)
    with pytest.raises(dml.BindingError, match="TemporaryResource"):
        table.dispatch()


def test_table__every_dispatch_in_place_reads_what_is_there() -> None:
    """A transpose within one buffer needs a copy of its input, which is of no use for the next dispatch."""
    columns = dml.TensorDesc("FLOAT32", [2, 2], [1, 2])
    compiled = dml.Device().compile(dml.ElementWiseIdentity(input_tensor=PLAIN, output_tensor=columns))
    memory = np.float32([1, 2, 3, 4])
    table = dml.Device().create_binding_table(compiled)
    table.bind_inputs([memory])
    table.bind_outputs([memory])
    table.dispatch()
    assert memory.tolist() == [1, 3, 2, 4]
    memory[:] = [5, 6, 7, 8]
    table.dispatch()
    assert memory.tolist() == [5, 7, 6, 8]


def test_table__reset_unbinds() -> None:
    compiled = gemm()
    compiled.initialize(b_tensor=bytes(16))
    table = dml.Device().create_binding_table(compiled)
    table.bind_inputs([bytes(16), None, None])
    table.bind_outputs([bytearray(16)])
    table.dispatch()
    table.reset()
    with pytest.raises(dml.BindingError):
        table.dispatch()


def relu(**flags: Any) -> dml.CompiledOperator:
    return dml.Device().compile(dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [4], **flags)))


def owned() -> dml.CompiledOperator:
    return relu(flags="OWNED_BY_DML")


def setup_of(*operators: dml.CompiledOperator) -> dml.BindingTable:
    device = dml.Device()
    return device.create_binding_table(device.create_operator_initializer(operators))


def refused(action: Callable[[], Any], rule: str) -> None:
    with pytest.raises(dml.DmlError) as raised:
        action()
    assert rule in [violation.rule for violation in raised.value.violations], raised.value


def test_persistent_memory__is_never_an_output() -> None:
    compiled, memory = owned(), bytearray(512)
    table = setup_of(compiled)
    table.bind_inputs([[np.arange(4, dtype=np.float32)]])
    table.bind_outputs([dml.BufferBinding(memory, 256, 16)])
    table.dispatch()
    refused(lambda: compiled(output_tensor=dml.BufferBinding(memory, 256)), "binding.overlap")
    compiled(output_tensor=dml.BufferBinding(memory, 0, 16))


def test_persistent_memory__stays_where_it_was_filled() -> None:
    compiled = owned()
    compiled.initialize(input_tensor=bytes(16))
    table = dml.Device().create_binding_table(compiled)
    table.bind_inputs([None])
    table.bind_outputs([bytearray(16)])
    table.bind_persistent_resource(dml.BufferBinding(bytearray(16)))
    refused(table.dispatch, "table.persistent-moved")


def test_persistent_memory__does_not_stand_for_initialization() -> None:
    table = dml.Device().create_binding_table(owned())
    table.bind_inputs([None])
    table.bind_outputs([bytearray(16)])
    table.bind_persistent_resource(dml.BufferBinding(bytearray(16)))
    refused(table.dispatch, "initialize.first")


def test_initializer__operators_share_no_memory() -> None:
    table, memory = setup_of(owned(), owned()), bytearray(16)
    table.bind_inputs([[bytes(16)], [bytes(16)]])
    table.bind_outputs([memory, memory])
    refused(table.dispatch, "binding.overlap")


def test_initializer__reads_and_writes_other_resources() -> None:
    """At initialization even two ranges of one buffer that lie apart are refused, as documented."""
    table, memory = setup_of(owned()), bytearray(1024)
    table.bind_inputs([[dml.BufferBinding(memory, 0, 16)]])
    table.bind_outputs([dml.BufferBinding(memory, 256, 16)])
    refused(table.dispatch, "binding.overlap")


def test_initializer__all_or_none() -> None:
    first, second = owned(), owned()
    table = setup_of(first, second)
    table.bind_inputs([[bytes(16)], [bytes(3)]])
    refused(table.dispatch, "binding.size")
    assert not first.is_initialized and not second.is_initialized
    table.bind_inputs([[bytes(16)], [bytes(16)]])
    table.dispatch()
    assert first.is_initialized and second.is_initialized


def test_initializer__temporary_memory_lies_apart() -> None:
    table, memory = setup_of(owned()), bytearray(512)
    table.bind_inputs([[dml.BufferBinding(memory, 0, 16)]])
    table.bind_temporary_resource(dml.BufferBinding(memory))
    refused(table.dispatch, "binding.overlap")


def test_temporary_memory__is_checked_whenever_it_is_bound() -> None:
    table, memory = dml.Device().create_binding_table(relu()), bytearray(256)
    table.bind_inputs([bytes(16)])
    table.bind_outputs([memory])
    table.dispatch()
    table.bind_temporary_resource(dml.BufferBinding(memory))
    refused(table.dispatch, "binding.overlap")


@pytest.mark.parametrize(
    ("rule", "action"),
    [
        ("binding.read-only", lambda t: (t.bind_inputs([[bytes(16)]]), t.bind_outputs([bytes(16)]), t.dispatch())),
        ("initializer.inputs", lambda t: (t.bind_inputs([[bytes(16), bytes(16)]]), t.dispatch())),
        ("initializer.inputs", lambda t: (t.bind_inputs([bytes(16)]), t.dispatch())),
        (
            "binding.missing",
            lambda t: (t.bind_inputs([[bytes(16)]]), t.dispatchable.reset([owned(), owned()]), t.dispatch()),
        ),
        ("list", lambda t: t.bind_inputs(5)),
        ("operator.kind", lambda t: dml.Device().compile(dml.ActivationRelu)),
        ("table.dispatchable", lambda t: dml.Device().create_binding_table(None)),
        ("initializer.operators", lambda t: dml.Device().create_operator_initializer([1, 2])),
        ("initializer.operators", lambda t: dml.Device().create_operator_initializer([owned()] * 2)),
        ("device.mixed", lambda t: dml.Device("reference").create_binding_table(relu())),
    ],
)
def test_misuse__has_a_rule(rule: str, action: Callable[[Any], Any]) -> None:
    refused(lambda: action(setup_of(owned())), rule)
