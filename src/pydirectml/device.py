"""Device, GraphBuilder and Model: where expressions are compiled and computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import anydml
from anydml.core.errors import BindingError, DmlError, InvalidDescriptionError, Violation, counted, raise_if_any, shown
from anydml.core.integers import require_list
from anydml.core.outside import as_integer
from anydml.core.rules import rule
from anydml.core.schema.attributes import BOOLEAN
from anydml.expression.graph import Graph, Input
from anydml.expression.places import blamed_on
from anydml.expression.running import Runner
from anydml.runtime.backend import BACKENDS
from pydirectml.enumerations import ExecutionFlags
from pydirectml.types import Binding, Expression, TensorData

MODEL = rule("pydirectml.model", "A device computes a model that one of its builders has built.")
INPUTS = rule("pydirectml.inputs", "Bindings come in the order of the inputs' indices, one for each input.")
OUTPUTS = rule("pydirectml.outputs", "Outputs are asked for in the order in which the model was built with them.")
_GPU, _CPU = "cuda", "cpu"


class Device:
    """The best device there is: a GPU if one is asked for and can be used, else the processor. `name` says which.

    Everything is checked at every call, with or without the debug layer.
    """

    def __init__(self, use_gpu: bool = True, use_debug_layer: bool = False) -> None:
        wants_gpu, self.use_debug_layer = _flag(use_gpu, "use_gpu"), _flag(use_debug_layer, "use_debug_layer")
        self.device = (_try_gpu() if wants_gpu else None) or anydml.Device(_CPU)

    @property
    def name(self) -> str:
        """The device that was chosen."""
        return self.device.name

    def compute(
        self, model: Model, inputs: Sequence[Binding | None], outputs: Sequence[Expression | None]
    ) -> list[TensorData]:
        """The outputs of a model, from bindings for its inputs in the order of their indices."""
        with blamed_on("compute"):
            if not isinstance(model, Model) or model.device is not self:
                found = "a model of another device" if isinstance(model, Model) else shown(model)
                raise InvalidDescriptionError(MODEL("model", found, "a model of this device", "GraphBuilder.build"))
            given = require_list(inputs, "inputs", "bindings", fix="[Binding(...)]")
            return model.compute(given, require_list(outputs, "outputs", "expressions", fix="[...]"))

    def __repr__(self) -> str:
        kind = "GPU" if self.name == _GPU else "CPU"
        return f"dml.Device on {kind} (anydml device {self.name!r}: {self.device.description})"


def _flag(value: Any, path: str) -> bool:
    """True or false; numbers are, as Python has it."""
    number = 0 if value is None else int(value) if isinstance(value, (bool, np.bool_)) else as_integer(value)
    if number is None:
        raise InvalidDescriptionError(BOOLEAN(path, shown(value), "true or false", "True"), "Device")
    return number != 0


def _try_gpu() -> anydml.Device | None:
    """The GPU, if there is one that memory can be had from."""
    if _GPU not in BACKENDS:
        return None
    try:
        device = anydml.Device(_GPU)
        device.allocate(4)
    except (DmlError, ImportError, OSError):
        return None
    return device


class GraphBuilder:
    """Collects expressions, and builds models of them."""

    def __init__(self, device: Device) -> None:
        if not isinstance(device, Device):
            fix = "Device()"
            raise InvalidDescriptionError(MODEL("device", shown(device), "a Device of pydirectml", fix), "GraphBuilder")
        self.device = device
        self.graph = Graph(device.device)

    def build(self, flags: ExecutionFlags | int, outputs: Sequence[Expression]) -> Model:
        """Compile the expressions."""
        with blamed_on("build"):
            given = require_list(outputs, "outputs", "expressions", fix="[...]")
            made = [each.made if isinstance(each, Expression) else each for each in given]
            how = anydml.ExecutionFlags.parse(flags, "flags")
            return Model(self.device, given, self.graph.runner(made, how), self.graph)


class Model:
    """A graph, compiled for some outputs."""

    def __init__(self, device: Device, outputs: list[Expression], runner: Runner, graph: Graph) -> None:
        self.device, self.outputs, self.runner, self.graph = device, outputs, runner, graph

    def compute(self, inputs: list[Any], outputs: list[Any]) -> list[TensorData]:
        """The results of a run; OWNED_BY_DML inputs are taken anew when other bindings are given than last time."""
        self._check(inputs, outputs)
        results = self.runner([None if binding is None else binding.data for binding in inputs])
        return [result.view(TensorData) for result in results]

    def _check(self, inputs: list[Any], outputs: list[Any]) -> None:
        ports = self.runner.compiled.inputs
        violations: list[Violation] = []
        if len(inputs) != len(ports):
            violations.append(INPUTS("inputs", counted(len(inputs), "binding"), f"{len(ports)}, one for each input"))
        for i, binding in enumerate(inputs[: len(ports)]):
            violations += self._check_input(i, binding)
        if len(outputs) != len(self.outputs):
            found, expected = counted(len(outputs), "output"), f"{len(self.outputs)} as the model was built with"
            violations.append(OUTPUTS("outputs", found, expected))
        for i, (asked, built) in enumerate(zip(outputs, self.outputs, strict=False)):
            if not isinstance(asked, Expression) or asked.made.source is not built.made.source:
                violations.append(OUTPUTS(f"outputs[{i}]", shown(asked), f"{built.made.name!r}, which was built"))
        raise_if_any(violations, BindingError)

    def _check_input(self, i: int, binding: Any) -> list[Violation]:
        wanted = self.graph.inputs.get(i)
        name = wanted.name if wanted is not None else f"input {i}, which nothing reads"
        if binding is None:
            is_read = self.runner.compiled.inputs[i].slot is not None
            return [INPUTS(f"inputs[{i}]", "no binding", f"one of {name!r}")] if is_read else []
        if not isinstance(binding, Binding):
            return [INPUTS(f"inputs[{i}]", shown(binding), f"a Binding of {name!r}", f"Binding({name}, data)")]
        source = binding.expression.source
        if binding.expression.graph is not self.graph:
            return [INPUTS(f"inputs[{i}]", f"{binding.expression.name!r} of another graph", f"{name!r}")]
        if not isinstance(source, Input) or source.index != i:
            found = f"input {source.index}" if isinstance(source, Input) else repr(binding.expression.name)
            fix = "bindings in the order of the indices given to input_tensor"
            return [INPUTS(f"inputs[{i}]", f"a binding of {found}", f"one of {name!r}", fix)]
        return []
