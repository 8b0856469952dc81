"""From the text of a model to a Model, or to an error with everything that is wrong in the file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import TypeVar

from anydml.core.errors import ModelError, OutOfMemoryError, raise_if_any, shortened
from anydml.core.levels import HIGHEST_LEVEL, FeatureLevel, FeatureLevelLike
from anydml.core.rules import rule
from anydml.frontends.dxdispatch.checks import check_dispatchable, check_dispatches, check_memory
from anydml.frontends.dxdispatch.commands import CommandReader
from anydml.frontends.dxdispatch.dispatchables import DispatchableReader
from anydml.frontends.dxdispatch.fields import KIND, Fields, Notes
from anydml.frontends.dxdispatch.files import is_regular
from anydml.frontends.dxdispatch.json_reader import MAXIMUM_BYTES, Document, Node, decode
from anydml.frontends.dxdispatch.model import Command, Dispatchable, Model, Resource
from anydml.frontends.dxdispatch.resources import MEMORY, ResourceReader
from anydml.runtime.budget import memory_budget

FILE = rule(
    "model.file", "A model is a file that can be read.", "dml.frontends.dxdispatch.read_model('no such model.json')"
)
Entry = TypeVar("Entry")


def read_model(
    path: str | Path, input_path: str | Path | None = None, feature_level: FeatureLevelLike = HIGHEST_LEVEL
) -> Model:
    """The model in a file; what it reads lies beside it, or in `input_path`."""
    found = Path(path)
    if not is_regular(found) and input_path is not None:
        found = Path(input_path) / path
    if not is_regular(found):
        what = "a folder" if found.is_dir() else "no such file"
        raise ModelError(FILE("", what, "a model file", "another path"), shortened(str(path)))
    if found.suffix.lower() == ".onnx":
        fix = "its operators as dispatchables of a model in JSON"
        raise ModelError(FILE("", "an ONNX model", "a model in DxDispatch's JSON", fix), shortened(str(path)))
    try:
        with found.open("rb") as file:
            data = file.read(MAXIMUM_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ModelError(FILE("", reason, "a file that can be read"), shortened(str(path))) from None
    folder = Path(input_path) if input_path is not None else found.parent
    return parse_model(data, name=str(path), folder=folder, feature_level=feature_level)


def parse_model(
    source: str | bytes,
    *,
    name: str = "model",
    folder: str | Path = ".",
    feature_level: FeatureLevelLike = HIGHEST_LEVEL,
    budget: int | None = None,
) -> Model:
    """The model in a text. Nothing is allocated for it yet, and files are looked at no further than their headers."""
    level = FeatureLevel.parse(feature_level)
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    try:
        notes = Notes(Document(decode(data, name), name))
        model = _read(notes, name, Path(folder), level, memory_budget() if budget is None else budget)
    except MemoryError:
        violation = MEMORY("", "too little memory", "room for the model", "large data in files")
        raise OutOfMemoryError(violation, name) from None
    notes.violations.sort(key=lambda violation: (violation.line, violation.column))
    raise_if_any(notes.violations, ModelError)
    return model


def _read(notes: Notes, name: str, folder: Path, level: FeatureLevel, budget: int) -> Model:
    fields = Fields(notes.document.root, notes, "a model")
    fields.get("$schema")
    resources: dict[str, Resource | None] = {}
    for key, node in _until_full(notes, _entries(fields, "resources")):
        resources[key] = ResourceReader(notes, folder).read(key, node)
    dispatchables: dict[str, Dispatchable | None] = {}
    for key, node in _until_full(notes, _entries(fields, "dispatchables")):
        dispatchables[key] = found = DispatchableReader(notes, level).read(key, node)
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
    if node is not None and not isinstance(node.value, dict):
        fields.notes.add(node, KIND, node.kind, "an object with a name for each of them")
    return [] if node is None else list(node.items())


def _until_full(notes: Notes, entries: list[Entry]) -> Iterator[Entry]:
    """The entries, as long as anybody would read what is wrong with them."""
    return takewhile(lambda _: not notes.document.is_full, entries)


def _commands(fields: Fields, reader: CommandReader) -> list[tuple[Node, Command]]:
    node = fields.require("commands", "a list of what to do")
    if node is None:
        return []
    if not isinstance(node.value, list):
        fields.notes.add(node, KIND, node.kind, "a list of what to do", "[...]")
        return []
    read = [(entry, reader.read(entry)) for entry in _until_full(fields.notes, node.value)]
    return [(entry, command) for entry, command in read if command is not None]
