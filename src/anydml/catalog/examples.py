"""One small example of each operator: as a description with data, as Python, as a model, and what comes out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

import anydml.operators  # noqa: F401 - declares them all
from anydml.core.schema import Operator, TensorField
from anydml.core.tensor import TensorDesc
from anydml.runtime.device import Device

_WIDEST_LINE = 100
_ALL_DIGITS, SHOWN_DIGITS = 17, 6


@dataclass(frozen=True)
class Example:
    """An operator with elements for its inputs."""

    operator: Operator
    given: Mapping[str, Any]
    """The fields that were written down; the rest has defaults, or is inferred."""
    inputs: Mapping[str, Any]
    """The elements of each input tensor; a list of arrays for a list of tensors."""

    def run(self, device: str = "reference") -> dict[str, np.ndarray]:
        """The elements of each output, by the name of its tensor."""
        outputs = Device(device).compile(self.operator)(**self.inputs)
        names = [point.name for point in self.operator.points("output") if point.tensor is not None]
        return dict(zip(names, outputs if len(names) > 1 else [outputs], strict=True))


@lru_cache(maxsize=1)
def _written() -> dict[str, dict[str, Any]]:
    """The examples as they are written down.

    A tensor is a list of FLOAT32 elements, `{"UINT8": [...]}` or, for an output, `"UINT8 [2, 3]"`; true asks for an
    optional output.
    """
    text = files("anydml.catalog").joinpath("examples.json").read_text("utf-8")
    return dict(json.loads(text))


def has_example(operator: type[Operator]) -> bool:
    """Whether there is one: every operator of DirectML has, one that a user declares has not."""
    return operator.dml_type in _written()


def example_of(operator: type[Operator]) -> Example:
    """The example of an operator."""
    fields: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    for name, value in _written()[operator.dml_type].items():
        field = operator.fields[name]
        if not isinstance(field, TensorField) or value is True:
            fields[name] = value
            continue
        tensors = [_tensor(each) for each in (value if field.is_list else [value])]
        descs, arrays = ([pair[i] for pair in tensors] for i in (0, 1))
        fields[name] = descs if field.is_list else descs[0]
        if field.is_input:
            inputs[name] = arrays if field.is_list else arrays[0]
    return Example(operator(**fields), fields, inputs)


def _tensor(value: Any) -> tuple[TensorDesc, np.ndarray | None]:
    """A description, and the elements if they are given."""
    if isinstance(value, str):
        kind, _, sizes = value.partition(" ")
        return TensorDesc(kind, json.loads(sizes)), None
    kind, elements = next(iter(value.items())) if isinstance(value, dict) else ("FLOAT32", value)
    array = np.array(elements, TensorDesc(kind, [1]).data_type.numpy_dtype)
    return TensorDesc(kind, array.shape), array


def plain(elements: np.ndarray, digits: int = _ALL_DIGITS) -> Any:
    """Nested lists of numbers of at most so many digits; what is no number of JSON is text."""
    if elements.ndim:
        return [plain(each, digits) for each in elements]
    if elements.dtype.kind != "f" or not np.isfinite(elements):
        return elements.item() if elements.dtype.kind != "f" else str(elements)
    short = float(f"{float(str(elements)):.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1 << 24 else short


# As Python


def as_python(example: Example) -> str:
    """A program that runs the example and prints what comes out."""
    lines = ["import anydml as dml", "import numpy as np", "", f"operator = dml.{type(example.operator).__name__}("]
    lines += [f"    {name}={_python(value)}," for name, value in example.given.items()]
    lines += [")", "run = dml.Device().compile(operator)"]
    arguments = [f"{name}={_python(value)}" for name, value in example.inputs.items()]
    call = f"print(run({', '.join(arguments)}))"
    if len(call) > _WIDEST_LINE:
        call = "print(\n    run(\n" + "".join(f"        {each},\n" for each in arguments) + "    )\n)"
    return "\n".join([*lines, call]) + "\n"


def _python(value: Any) -> str:
    if isinstance(value, TensorDesc):
        return f'dml.TensorDesc("{value.data_type.name}", {list(value.sizes)})'
    if isinstance(value, np.ndarray):
        elements = json.dumps(plain(value)).replace('"nan"', "np.nan").replace('inf"', "np.inf").replace('"', "")
        return f"np.array({elements}, np.{value.dtype.name})"
    if isinstance(value, list) and any(isinstance(each, (TensorDesc, np.ndarray)) for each in value):
        return f"[{', '.join(map(_python, value))}]"
    return json.dumps(value) if isinstance(value, (str, list)) else repr(value)


# As a model


def as_model(operator: Operator, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A model in DxDispatch's format that runs an operator and prints what comes out. Inputs left out are all 1."""
    resources: dict[str, Any] = {}
    once: dict[str, Any] = {}
    bindings: dict[str, Any] = {}
    outputs = []
    for point in operator.all_points():
        if point.tensor is None:
            continue
        name = point.name.replace("[", "_").rstrip("]")
        elements = _elements(inputs, point.name) if point.field.is_input else None
        resources[name] = _resource(point.tensor, elements, int(point.field.is_input))
        outputs += [] if point.field.is_input else [name]
        bound = once if point.tensor.is_owned_by_dml else bindings
        bound[point.field.dml_name] = [*bound.get(point.field.dml_name, []), name] if point.field.is_list else name
    dispatch = {"type": "dispatch", "dispatchable": "operator", "bindings": bindings}
    return {
        "resources": resources,
        "dispatchables": {"operator": {**operator.to_dict(), **({"bindings": once} if once else {})}},
        "commands": [dispatch, *({"type": "print", "resource": name} for name in outputs)],
    }


def _elements(inputs: Mapping[str, Any], point: str) -> np.ndarray | None:
    name, _, index = point.partition("[")
    value = inputs.get(name)
    found: np.ndarray | None = value[int(index[:-1])] if index and value is not None else value
    return found


def _resource(tensor: TensorDesc, elements: np.ndarray | None, value: int) -> dict[str, Any]:
    values: Any = {"valueCount": tensor.layout.span, "value": value}
    if elements is not None:
        values = plain(elements.ravel())
    size = tensor.total_tensor_size_in_bytes
    room = {} if size == tensor.least_total_size_in_bytes else {"sizeInBytes": size}
    return {"initialValuesDataType": tensor.data_type.name, "initialValues": values, **room}
