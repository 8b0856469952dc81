"""From the text of a model to a Model, or to an error with everything that is wrong in the file."""

from __future__ import annotations

from pathlib import Path

from anydml.core.errors import ModelError, OutOfMemoryError, raise_if_any, shortened
from anydml.core.integers import require_integer
from anydml.core.levels import HIGHEST_LEVEL, FeatureLevel, FeatureLevelLike
from anydml.core.rules import rule
from anydml.core.text import printable
from anydml.files.access import as_path, is_regular, read_bytes, what_is
from anydml.files.json_reader import MAXIMUM_BYTES, read_json
from anydml.files.json_tree import Node
from anydml.files.sources import Sources
from anydml.frontends.dxdispatch.checks import check_dispatchable, check_dispatches, check_memory
from anydml.frontends.dxdispatch.commands import CommandReader
from anydml.frontends.dxdispatch.dispatchables import DispatchableReader
from anydml.frontends.dxdispatch.fields import KIND, Fields, Notes
from anydml.frontends.dxdispatch.model import Command, Dispatchable, Model, Resource
from anydml.frontends.dxdispatch.nearby import OTHER_FILES, nearby_model
from anydml.frontends.dxdispatch.resources import MEMORY, ResourceReader
from anydml.runtime.budget import guarded, memory_budget

FILE = rule("model.file", "A model is a file that can be read.")


def read_model(
    path: str | Path,
    input_path: str | Path | None = None,
    feature_level: FeatureLevelLike = HIGHEST_LEVEL,
    *,
    allow_outside: bool = False,
) -> Model:
    """The model in a file; what it reads lies beside it, or in `input_path`."""
    found = as_path(path, "path")
    inputs = None if input_path is None else as_path(input_path, "input_path")
    if not is_regular(found) and inputs is not None:
        found = inputs / found
    name = shortened(printable(str(path))).strip() or repr(str(path))
    if not is_regular(found):
        raise ModelError(FILE("", what_is(found), "a model file", nearby_model(found)), name)
    if found.suffix.lower() in OTHER_FILES:
        what = OTHER_FILES[found.suffix.lower()]
        raise ModelError(FILE("", what, "a model in DxDispatch's JSON", nearby_model(found)), name)
    if found.suffix.lower() == ".onnx":
        fix = "its operators as dispatchables of a model in JSON"
        raise ModelError(FILE("", "an ONNX model", "a model in DxDispatch's JSON", fix), name)
    try:
        data = guarded(lambda: read_bytes(found, MAXIMUM_BYTES + 1), lambda: _out_of_memory(name))
    except ModelError as error:
        raise ModelError(FILE("", error.violations[0].found, "a file that can be read"), name) from None
    return parse_model(
        data,
        name=str(path),
        folder=found.parent,
        input_path=inputs,
        feature_level=feature_level,
        allow_outside=allow_outside,
    )


def parse_model(
    source: str | bytes,
    *,
    name: str = "model",
    folder: str | Path = ".",
    input_path: str | Path | None = None,
    feature_level: FeatureLevelLike = HIGHEST_LEVEL,
    budget: int | None = None,
    allow_outside: bool = False,
) -> Model:
    """The model in a text. Nothing is allocated for it yet, and files are looked at no further than their headers.

    Files are looked for in `input_path`, or in the model's `folder` if there is none, then in the current folder; they
    lie inside one of these three, unless `allow_outside` lets a model read any file.
    """
    level = FeatureLevel.parse(feature_level)
    sources = Sources.of_model(folder, input_path, allow_outside=allow_outside)
    most = memory_budget() if budget is None else require_integer(budget, "budget")
    return guarded(lambda: _parse(source, name, sources, level, most), lambda: _out_of_memory(name))


def _parse(source: str | bytes, name: str, sources: Sources, level: FeatureLevel, budget: int) -> Model:
    notes = Notes(read_json(source, name))
    model = _read(notes, name, sources, level, budget)
    notes.violations.sort(key=lambda violation: (violation.line, violation.column))
    raise_if_any(notes.violations, ModelError)
    return model


def _out_of_memory(name: str) -> OutOfMemoryError:
    return OutOfMemoryError(MEMORY("", "too little memory", "room for the model", "large data in files"), name)


def _read(notes: Notes, name: str, sources: Sources, level: FeatureLevel, budget: int) -> Model:
    fields = Fields(notes.document.root, notes, "a model")
    fields.get("$schema")
    resources: dict[str, Resource | None] = {}
    for key, node in notes.until_full(_entries(fields, "resources")):
        resources[key] = ResourceReader(notes, sources).read(key, node)
    dispatchables: dict[str, Dispatchable | None] = {}
    for key, node in notes.until_full(_entries(fields, "dispatchables")):
        dispatchables[key] = found = DispatchableReader(notes, level, sources).read(key, node)
        if found is not None:
            check_dispatchable(node, found, notes, budget)
    commands = _commands(fields, CommandReader(notes, resources, dispatchables))
    fields.finish()
    known = {key: resource for key, resource in resources.items() if resource is not None}
    runnable = {key: dispatchable for key, dispatchable in dispatchables.items() if dispatchable is not None}
    if check_memory(fields.node, known, notes, budget):
        check_dispatches(notes, resources, runnable, commands)
    return Model(name, known, runnable, tuple(command for _, command in commands))


def _entries(fields: Fields, key: str) -> list[tuple[str, Node]]:
    node = fields.require(key, "an object with a name for each of them")
    if node is not None and not node.is_object:
        fields.notes.add(node, KIND, node.kind, "an object with a name for each of them")
    return [] if node is None else list(node.items())


def _commands(fields: Fields, reader: CommandReader) -> list[tuple[Node, Command]]:
    node = fields.require("commands", "a list of what to do")
    if node is None:
        return []
    if not node.is_list:
        fields.notes.add(node, KIND, node.kind, "a list of what to do", "[...]")
        return []
    read = [(entry, reader.read(entry)) for entry in fields.notes.until_full(node.entries())]
    return [(entry, command) for entry, command in read if command is not None]
