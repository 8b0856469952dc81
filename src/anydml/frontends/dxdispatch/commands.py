"""Reading the commands of a model: dispatch, print and writeFile."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

from anydml.core.datatype import DataType
from anydml.core.rules import rule
from anydml.core.text import printable_json
from anydml.files import images
from anydml.files.access import ARRAY_EXTENSION, IMAGE_EXTENSIONS, check_target
from anydml.files.json_tree import Node
from anydml.files.npy import MAXIMUM_DIMENSIONS
from anydml.frontends.dxdispatch.bindings import Points, read_bindings
from anydml.frontends.dxdispatch.fields import Fields, Notes, nearest, quoted
from anydml.frontends.dxdispatch.model import Command, Dispatch, Dispatchable, Place, Print, Resource, WriteFile

UNKNOWN = rule("command.type", "A command is dispatch, print or writeFile.")
NAME = rule("model.name", "Commands and bindings name resources and dispatchables of the model.")
DIMENSIONS = rule(
    "command.dimensions", "The dimensions of a file fit the resource; an image has [1, channels, height, width]."
)
FILE_TYPE = rule("command.file-type", "An .npy file holds one data type of whole bytes, an image floats.")


@dataclass(frozen=True)
class CommandReader:
    """Reads commands against the resources and dispatchables that exist; None stands for one that is wrong itself."""

    notes: Notes
    resources: Mapping[str, Resource | None]
    dispatchables: Mapping[str, Dispatchable | None]

    def read(self, node: Node) -> Command | None:
        fields = Fields(node, self.notes, "a command")
        kind = fields.text("type", "'dispatch', 'print' or 'writeFile'", required=True)
        readers = {"dispatch": self._dispatch, "print": self._print, "writefile": self._write}
        reader = readers.get(kind.lower()) if kind is not None else None
        if reader is not None:
            return reader(fields)
        if kind is not None:
            known = ("dispatch", "print", "writeFile")
            self.notes.add(node, UNKNOWN, quoted(kind), "a command", nearest(kind, known), "type")
        return None

    def _name(self, fields: Fields, key: str, known: Mapping[str, object]) -> str | None:
        name = fields.text(key, f"the name of a {key}", required=True)
        if name is None or name in known:
            return name
        node = fields.node.get(key)
        assert node is not None
        self.notes.add(node, NAME, quoted(name), f"a {key} of the model", nearest(name, known))
        return None

    def _common(self, fields: Fields) -> tuple[str, Place]:
        node = fields.node
        text = printable_json(json.dumps(node.plain(), ensure_ascii=False, separators=(",", ":")))
        place = self.notes.document.place
        entries = {key: place(entry.offset) for key, entry in node.items()}
        return text, Place(node.path, *place(node.offset), entries)

    def _dispatch(self, fields: Fields) -> Dispatch | None:
        name = self._name(fields, "dispatchable", self.dispatchables)
        bindings_node = fields.require("bindings", "an object with a resource for each tensor")
        fields.integers("threadGroupCount", 1)  # for shaders; operators know their own
        fields.finish()
        dispatchable = self.dispatchables.get(name) if name is not None else None
        points = Points.of(dispatchable.graph) if dispatchable is not None else None
        bindings = read_bindings(bindings_node, points, self.notes)
        return None if dispatchable is None or name is None else Dispatch(name, bindings, *self._common(fields))

    def _print(self, fields: Fields) -> Print | None:
        name = self._name(fields, "resource", self.resources)
        verbose = fields.boolean("verbose")
        fields.finish()
        return None if name is None else Print(name, verbose, *self._common(fields))

    def _write(self, fields: Fields) -> WriteFile | None:
        name = self._name(fields, "resource", self.resources)
        target = fields.text("targetPath", "the name of a file", required=True)
        dimensions = fields.integers("dimensions", 1)
        fields.finish()
        if target is not None:
            self.notes.attempt(fields.node, lambda: check_target(target), "targetPath")
        resource = self.resources.get(name) if name is not None else None
        if name is None or target is None or resource is None:
            return None
        command = WriteFile(name, target, tuple(dimensions or ()), *self._common(fields))
        self._check_file(fields.node, command, resource)
        return command

    def _check_file(self, node: Node, command: WriteFile, resource: Resource) -> None:
        """Whether the resource can become this file."""
        extension, kind = Path(command.target).suffix.lower(), resource.data_type
        if extension in IMAGE_EXTENSIONS:
            self.notes.attempt(node, images.find_pillow)
            if kind not in (DataType.FLOAT32, DataType.FLOAT16):
                found = kind.name if kind is not None else "mixed types"
                self.notes.add(node, FILE_TYPE, found, "FLOAT32 or FLOAT16 for an image", key="resource")
            sizes = command.dimensions
            if len(sizes) != 4 or sizes[0] != 1 or sizes[1] not in images.MODES:
                expected = "[1, channels, height, width] with 1, 3 or 4 channels"
                self.notes.add(node, DIMENSIONS, list(sizes), expected, key="dimensions")
            else:
                self.notes.attempt(node, lambda: images.check_pixels(sizes[3], sizes[2]), "dimensions")
        elif extension == ARRAY_EXTENSION and (kind is None or kind.is_packed_pair):
            found = kind.name if kind is not None else "mixed types"
            self.notes.add(node, FILE_TYPE, found, "one type of whole bytes for .npy", "a .bin file", "resource")
        if len(command.dimensions) > MAXIMUM_DIMENSIONS:
            expected = f"at most {MAXIMUM_DIMENSIONS} dimensions"
            self.notes.add(node, DIMENSIONS, len(command.dimensions), expected, key="dimensions")
        elif kind is not None and kind.bytes_for(prod(command.dimensions or (0,))) > resource.size_in_bytes:
            found = f"{prod(command.dimensions)} elements of {kind.name}"
            self.notes.add(node, DIMENSIONS, found, f"at most {resource.size_in_bytes} bytes", key="dimensions")
