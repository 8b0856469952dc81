"""Running a model file from Python: one call, the resources as arrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.calling import answering
from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.memory import Bytes
from anydml.files.access import ARGUMENT, as_path
from anydml.frontends.dxdispatch.executor import Executor, Options, Outcome
from anydml.frontends.dxdispatch.model import Model
from anydml.frontends.dxdispatch.parse import read_model
from anydml.frontends.dxdispatch.printing import shown_values
from anydml.runtime.device import Device


@answering()
def run_model(
    path: str | Path,
    *,
    device: Device | str | None = None,
    input_path: str | Path | None = None,
    output_path: str | Path = ".",
    allow_outside: bool = False,
    write: Callable[[str], Any] | None = None,
) -> dict[str, npt.NDArray[Any]]:
    """Run a model file and return its resources as arrays, by name.

    A resource has the sizes of the tensor it was last bound to; one that was bound to none is flat, and one of mixed
    types comes as bytes. What the model prints goes to `write`, such as `sys.stdout.write`, and is dropped otherwise.
    A model reads files inside its folder, `input_path` and the current folder only; `allow_outside` lets it read any.
    """
    where = device if isinstance(device, Device) else Device(device) if device is not None else Device()
    if write is not None and not callable(write):
        fix = "sys.stdout.write"
        raise InvalidDescriptionError(ARGUMENT("write", shown(write), "a function of a text", fix), "run_model")
    options = Options(output_folder=as_path(output_path, "output_path"))
    model = read_model(path, input_path, where.feature_level, allow_outside=allow_outside)
    outcome = Executor(model, where, options, (lambda text: None) if write is None else write).run()
    return {name: _array(model, outcome, name, data) for name, data in outcome.resources.items()}


def _array(model: Model, outcome: Outcome, name: str, data: Bytes) -> npt.NDArray[Any]:
    if name in outcome.views:
        tensor, offset = outcome.views[name]
        return tensor.view(data, offset)
    resource = model.resources[name]
    return np.asarray(data) if resource.data_type is None else shown_values(resource, data)
