"""Reading the resources of a model: what each buffer holds at first, and how large it is."""

from __future__ import annotations

from dataclasses import dataclass

from anydml.core.datatype import DataType
from anydml.core.rules import rule
from anydml.core.tensor import round_up
from anydml.files import images, npy
from anydml.files.access import ARRAY_EXTENSION, IMAGE_EXTENSIONS, SourceFile, file_size
from anydml.files.elements import to_array, to_bytes
from anydml.files.json_tree import Node
from anydml.files.sources import Sources
from anydml.frontends.dxdispatch.fields import INT64_MAX, KIND, UINT32_MAX, Fields, Notes, quoted
from anydml.frontends.dxdispatch.initial_values import (
    Constant,
    ImageFile,
    InitialValues,
    Listed,
    Mixed,
    NpyFile,
    RawFile,
    Sequence,
)
from anydml.frontends.dxdispatch.model import Place, Resource
from anydml.frontends.dxdispatch.numbers import read_element, read_elements

FORM = rule(
    "initial-values.form", "Initial values are a list, or an object with one of value, valueStart and sourcePath."
)
EMPTY = rule("initial-values.empty", "A resource holds at least one value.")
DEFERRED = rule("initial-values.deferred", "Deferred values are for ONNX outputs, which have no sizes before they run.")
TYPE = rule("initial-values.type", "The data type of initial values is given, and a file's is the one given.")
SIZE = rule("resource.size", "A resource is large enough for its initial values.")
MEMORY = rule("resource.memory", "All resources together fit in half of the machine's memory.")
RESAMPLE = rule("resource.resample", "An image is resampled to [1, channels, height, width] with 1, 3 or 4 channels.")
UNKNOWN_TYPE = ("UNKNOWN", "DML_TENSOR_DATA_TYPE_UNKNOWN")


@dataclass(frozen=True)
class ResourceReader:
    """Reads resources, and looks for the files that they name."""

    notes: Notes
    sources: Sources

    def read(self, name: str, node: Node) -> Resource | None:
        fields = Fields(node, self.notes, "a resource")
        kind = fields.text("type", "'buffer'")
        if kind is not None and kind.lower() != "buffer":
            self.notes.add(node, KIND, quoted(kind), "'buffer', the only kind there is", key="type")
        type_node = fields.get("initialValuesDataType")
        before = len(self.notes.violations)
        data_type = self._data_type(type_node)
        is_type_known = len(self.notes.violations) == before
        values = fields.require("initialValues", "the values the buffer holds at first")
        resample = self._resample(fields)
        given = fields.get("sizeInBytes")
        size = fields.integer("sizeInBytes", 0, 1)
        offset = fields.integer("initialValuesOffsetInBytes", 0)
        fields.finish()
        initial = self._initial(values, data_type, resample) if values is not None and is_type_known else None
        if initial is None or values is None:
            return None
        needed = offset + initial.size_in_bytes
        if given is not None and 0 < size < needed:
            self.notes.add(given, SIZE, f"{size} bytes", f"{needed} for the initial values", str(round_up(needed, 4)))
        place = Place(node.path, *self.notes.document.place(node.offset))
        return Resource(name, initial, offset, round_up(max(size, needed), 4), given is not None, place)

    def _data_type(self, node: Node | None) -> DataType | None:
        if node is None or node.value in UNKNOWN_TYPE:
            return None
        if not isinstance(node.value, str):
            self.notes.add(node, KIND, node.kind, "the name of a data type, such as 'FLOAT32'")
            return None
        name = node.value
        return self.notes.attempt(node, lambda: DataType.parse(name))

    def _resample(self, fields: Fields) -> tuple[int, int, int] | None:
        mode = fields.text("resampleMode", "'scale'")
        if mode is not None and mode != "scale":
            self.notes.add(fields.node, RESAMPLE, quoted(mode), "'scale'", key="resampleMode")
        sizes = fields.integers("resampleSize", 1)
        if sizes is None:
            return None
        if len(sizes) != 4 or sizes[0] != 1 or sizes[1] not in images.MODES:
            expected = "[1, channels, height, width] with 1, 3 or 4 channels"
            self.notes.add(fields.node, RESAMPLE, sizes, expected, key="resampleSize")
            return None
        channels, height, width = sizes[1:]
        self.notes.attempt(fields.node, lambda: images.check_pixels(width, height), "resampleSize")
        return channels, height, width

    # Initial values, by their form

    def _initial(
        self, node: Node, kind: DataType | None, resample: tuple[int, int, int] | None
    ) -> InitialValues | None:
        if node.is_list:
            return self._mixed(node) if kind is None else self._listed(node, kind)
        if not isinstance(node.value, dict):
            if node.value == "deferred":
                fix = '{"valueCount": ..., "value": 0}'
                self.notes.add(node, DEFERRED, "'deferred'", "values, since operators have known sizes", fix)
            else:
                self.notes.add(node, FORM, node.kind, "a list or an object")
            return None
        forms = [key for key in ("value", "valueStart", "sourcePath") if key in node.value]
        if len(forms) != 1:
            found = " and ".join(forms) or "none of them"
            self.notes.add(node, FORM, found, "one of value, valueStart and sourcePath")
            return None
        if forms == ["sourcePath"]:
            return self._file(node, kind, resample)
        return self._generated(node, kind, forms[0])

    def _listed(self, node: Node, kind: DataType) -> Listed | None:
        if not len(node):
            self.notes.add(node, EMPTY, "an empty list", "at least one value")
            return None
        values = read_elements(node, kind, self.notes)
        return None if values is None else Listed(kind, values)

    def _mixed(self, node: Node) -> Mixed | None:
        if not len(node):
            self.notes.add(node, EMPTY, "an empty list", "at least one value")
            return None
        if not any(isinstance(part, Node) and part.is_object for part in node.value.parts):
            expected = "initialValuesDataType for a list of numbers"
            self.notes.add(node, TYPE, "no data type", expected, 'adding "initialValuesDataType": "FLOAT32"')
            return None
        read = [self._typed(entry) for entry in self.notes.until_full(node.entries())]
        known = [pair for pair in read if pair is not None]
        if len(known) < len(node):
            return None
        return Mixed(tuple(kind for kind, _ in known), b"".join(data for _, data in known))

    def _typed(self, node: Node) -> tuple[DataType, bytes] | None:
        fields = Fields(node, self.notes, "a typed value")
        fields.text("name", "a name")
        type_node = fields.require("type", "the value's data type")
        value = fields.require("value", "a number")
        fields.finish()
        kind = self._data_type(type_node)
        if kind is None or value is None:
            if type_node is not None and type_node.value in UNKNOWN_TYPE:
                self.notes.add(type_node, TYPE, "'UNKNOWN'", "a data type")
            return None
        if kind.is_packed_pair:
            self.notes.add(node, TYPE, kind.name, "a type of whole bytes in a mixed list")
            return None
        number = read_element(value, kind, self.notes)
        return None if number is None else (kind, to_bytes(to_array([number], kind), kind).tobytes())

    def _generated(self, node: Node, kind: DataType | None, form: str) -> Constant | Sequence | None:
        fields = Fields(node, self.notes, "initial values")
        count = self._count(fields)
        parts = [
            fields.require(key, "a number") for key in (("value",) if form == "value" else ("valueStart", "valueDelta"))
        ]
        fields.finish()
        if kind is None:
            fix = 'adding "initialValuesDataType": "FLOAT32"'
            self.notes.add(node, TYPE, "no data type", "initialValuesDataType for generated values", fix)
            return None
        numbers = [read_element(part, kind, self.notes) for part in parts if part is not None]
        if count is None or None in numbers or len(numbers) < len(parts):
            return None
        known = [number for number in numbers if number is not None]
        return Constant(kind, count, known[0]) if form == "value" else Sequence(kind, count, known[0], known[1])

    def _count(self, fields: Fields) -> int | None:
        node = fields.require("valueCount", "how many values")
        return None if node is None else fields.number(node, 1, UINT32_MAX)

    def _file(self, node: Node, kind: DataType | None, resample: tuple[int, int, int] | None) -> InitialValues | None:
        fields = Fields(node, self.notes, "initial values")
        text = fields.text("sourcePath", "the name of a file", required=True)
        fields.finish()
        file = None if text is None else self.notes.attempt(node, lambda: self.sources.find(text), "sourcePath")
        if file is None or not self._is_type_of(file, kind, node):
            return None
        found = self.notes.attempt(node, lambda: _open(file, kind, resample), "sourcePath")
        if found is None:
            return None
        assert found.data_type is not None  # no file holds mixed types
        if kind is not None and found.data_type is not kind:
            expected = f"{kind.name}, as initialValuesDataType says"
            self.notes.add(node, TYPE, f"{found.data_type.name} in the file", expected, found.data_type.name)
            return None
        if not 0 < found.size_in_bytes <= INT64_MAX:
            self.notes.add(node, EMPTY, "a file without values", "at least one value")
            return None
        return found

    def _is_type_of(self, file: SourceFile, kind: DataType | None, node: Node) -> bool:
        """Whether a file of this name can hold the type; an .npy file tells its own."""
        extension = file.path.suffix.lower()
        if extension in IMAGE_EXTENSIONS and kind not in (DataType.FLOAT32, DataType.FLOAT16):
            found = "no data type" if kind is None else kind.name
            self.notes.add(node, TYPE, found, "FLOAT32 or FLOAT16 for an image")
            return False
        if kind is None and extension != ARRAY_EXTENSION:
            fix = 'adding "initialValuesDataType": "FLOAT32"'
            self.notes.add(node, TYPE, "no data type", "initialValuesDataType for a raw file", fix)
            return False
        return True


def _open(file: SourceFile, kind: DataType | None, resample: tuple[int, int, int] | None) -> InitialValues:
    """What a file holds, by its header."""
    extension = file.path.suffix.lower()
    if extension == ARRAY_EXTENSION:
        return NpyFile(file, npy.read_header(file))
    assert kind is not None
    if extension in IMAGE_EXTENSIONS:
        sizes = images.image_sizes(file)
        return ImageFile(kind, file, resample or sizes)
    return RawFile(kind, file, file_size(file))
