"""The object model as DirectML has it: initializer, binding table, dispatch."""

from __future__ import annotations

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
    assert (properties.required_descriptor_count, properties.temporary_resource_size) == (3, 0)
    assert properties.persistent_resource_size == 16
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


def test_initializer__without_operators_does_nothing() -> None:
    device = dml.Device()
    device.create_binding_table(device.create_operator_initializer()).dispatch()


def test_initializer__serves_several_operators() -> None:
    device, first, second = dml.Device(), gemm(), gemm()
    setup = device.create_binding_table(device.create_operator_initializer([first, second]))
    setup.bind_inputs([[None, bytes(16)], [None, bytes(16)]])
    setup.dispatch()
    assert first.is_initialized and second.is_initialized


def test_initializer__persistent_memory_is_not_an_input() -> None:
    device, compiled = dml.Device(), gemm()
    memory = bytearray(16)
    setup = device.create_binding_table(device.create_operator_initializer([compiled]))
    setup.bind_inputs([[None, memory]])
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
