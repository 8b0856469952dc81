"""Small models to start from."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import anydml as dml
from anydml.core.errors import Violation
from anydml.frontends.dxdispatch import Model, parse_model
from anydml.frontends.dxdispatch.executor import Executor, Options, Outcome
from anydml.runtime.device import Device

RELU: dict[str, Any] = {
    "resources": {
        "in": {"initialValuesDataType": "FLOAT32", "initialValues": [-1, 2, -3, 4]},
        "out": {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": 4, "value": 9}},
    },
    "dispatchables": {
        "relu": {
            "type": "ACTIVATION_RELU",
            "desc": {
                "InputTensor": {"DataType": "FLOAT32", "Sizes": [4]},
                "OutputTensor": {"DataType": "FLOAT32", "Sizes": [4]},
            },
        }
    },
    "commands": [
        {"type": "dispatch", "dispatchable": "relu", "bindings": {"InputTensor": "in", "OutputTensor": "out"}},
        {"type": "print", "resource": "out"},
    ],
}


def changed(*path: Any, to: Any) -> dict[str, Any]:
    """The model above with one entry changed, added, or removed (`to=...`)."""
    model = copy.deepcopy(RELU)
    place: Any = model
    for step in path[:-1]:
        place = place[step]
    if to is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return model


def parse(model: Any, **options: Any) -> Model:
    return parse_model(model if isinstance(model, (str, bytes)) else json.dumps(model, indent=1), **options)


def violations(model: Any, **options: Any) -> tuple[Violation, ...]:
    """What is wrong with a model; nothing if it is fine."""
    try:
        parse(model, **options)
    except dml.DmlError as error:
        return error.violations
    return ()


def resource(entry: dict[str, Any]) -> dict[str, Any]:
    """A model of one resource that is printed."""
    return {"resources": {"a": entry}, "dispatchables": {}, "commands": [{"type": "print", "resource": "a"}]}


def run(model: Any, folder: Path = Path(), verbose: bool = False, device: str = "cpu") -> tuple[str, Outcome]:
    """What a model prints, and what it leaves."""
    text = io.StringIO()
    outcome = Executor(parse(model), Device(device), Options(folder, verbose=verbose), text.write).run()
    return text.getvalue(), outcome


def printed(entry: dict[str, Any], verbose: bool = False) -> str:
    """The values a resource starts with, as printed."""
    return run(resource(entry), verbose=verbose)[0].removeprefix("Resource 'a': ").removesuffix("\n")
