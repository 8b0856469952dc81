"""Sound calls of devices, and of what runs on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anydml as dml
from tests.fuzz.models import EXAMPLES
from tests.fuzz.sound.shared import RELU, Sound, call, compiled, folder, numbers, owner, table

DEVICE: Sound = {
    "dml.Device": lambda: call(dml.Device, name="cpu", feature_level="5.0"),
    "dml.Device.allocate": lambda: call(dml.Device().allocate, size_in_bytes=16),
    "dml.Device.upload": lambda: call(dml.Device().upload, data=bytes(16)),
    "dml.Device.download": lambda: call(dml.Device().download, buffer=dml.Device().allocate(16)),
    "dml.Device.supports_data_type": lambda: call(dml.Device().supports_data_type, data_type="INT4"),
    "dml.Device.highest_feature_level": lambda: call(dml.Device().highest_feature_level, requested=["1.0", "5.0"]),
    "dml.Device.create_operator": lambda: call(dml.Device().create_operator, operator=RELU),
    "dml.Device.compile": lambda: call(
        dml.Device().compile, operator=RELU, flags=["NONE"], passes=dml.Passes.without("fuse")
    ),
    "dml.Device.compile_graph": lambda: call(
        dml.Device().compile_graph, graph=dml.Graph.of(RELU), flags=0, passes=dml.Passes.none()
    ),
    "dml.Device.create_operator_initializer": lambda: call(
        dml.Device().create_operator_initializer, operators=[owner()]
    ),
    "dml.Device.create_binding_table": lambda: call(dml.Device().create_binding_table, dispatchable=compiled()),
    "dml.BindingTable": lambda: call(dml.BindingTable, dispatchable=compiled(), space=dml.Device().backend),
    "dml.BindingTable.bind_inputs": lambda: call(_dispatched("bind_inputs"), bindings=[numbers(2, 3)]),
    "dml.BindingTable.bind_outputs": lambda: call(_dispatched("bind_outputs"), bindings=[numbers(2, 3)]),
    "dml.BindingTable.bind_temporary_resource": lambda: call(
        _dispatched("bind_temporary_resource"), binding=bytearray(1024)
    ),
    "dml.BindingTable.bind_persistent_resource": lambda: call(
        _dispatched("bind_persistent_resource"), binding=bytearray(1024)
    ),
    "dml.BindingTable.reset": lambda: call(table().reset, dispatchable=compiled()),
    "dml.CompiledOperator": lambda: call(
        dml.CompiledOperator, device=None, planned=None, flags=0, passes=dml.Passes.none()
    ),
    "dml.CompiledOperator.__call__": lambda: call(compiled(), numbers(2, 3), output_tensor=numbers(2, 3)),
    "dml.CompiledOperator.initialize": lambda: call(owner().initialize, input_tensor=numbers(2, 3)),
    "dml.CompiledOperator.on_device": lambda: call(
        compiled().on_device, input_tensor=dml.BufferBinding(bytearray(64), 16, 24)
    ),
    "dml.OperatorInitializer": lambda: call(dml.OperatorInitializer, operators=[owner()]),
    "dml.OperatorInitializer.reset": lambda: call(dml.OperatorInitializer().reset, operators=[owner()]),
    "dml.run": lambda: call(dml.run, RELU, numbers(2, 3), device="cpu"),
    "dml.run_model": lambda: call(
        dml.run_model,
        path=EXAMPLES / "slice1_reversed.json",
        device="cpu",
        input_path=EXAMPLES,
        output_path=folder(),
        write=lambda text: None,
    ),
    "dml.BufferBinding": lambda: call(_bound, buffer=bytearray(64), offset=16, size_in_bytes=32),
    "dml.DMLCreateDevice": lambda: call(dml.DMLCreateDevice, name="cpu"),
    "dml.DMLCreateDevice1": lambda: call(dml.DMLCreateDevice1, minimum_feature_level="2.0", name="cpu"),
}


def _bound(buffer: Any, offset: Any, size_in_bytes: Any) -> None:
    """What a binding holds is looked at when it is used."""
    compiled()(dml.BufferBinding(buffer, offset, size_in_bytes))


def _dispatched(method: str) -> Callable[..., None]:
    """A binding, and a dispatch with it."""

    def bind(**given: Any) -> None:
        bindings = table()
        bindings.bind_inputs([numbers(2, 3)])
        bindings.bind_outputs([numbers(2, 3)])
        getattr(bindings, method)(**given)
        bindings.dispatch()

    return bind
