"""Names, and values shown in cells, of characters that nobody expects: they are run by, printed, drawn and written.

A law for most texts: whatever something is called, it is told in as many lines and elements as with a plain name.
"""

from __future__ import annotations

import json
import pickle
import random
import re
import tempfile
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from keyword import iskeyword
from pathlib import Path
from typing import Any

import numpy as np

import anydml as dml
import anydml.expression as dmlx
from anydml.frontends.dxdispatch.writing import write_model
from anydml.frontends.serialized import parse_graph, serialize_graph
from tests.fuzz.harness import CLEAN, Summary, call, run_cases

PIECES = [
    "a", "x1", "self", "cls", "what", "device", "buffers", "named", "flags", "out", "outputs", "count", "index",
    "_fields", "_replace", "_names", "__class__", "__dict__", "class", "None", "lambda", "main", "int", "new", "names",
    "\ufb01", "fi", "\u212b", "\u00c5", "a[0]", "a[1]", "a[", "]", "[", "input0", "input1", "output0", "output1", "1",
    "InputTensor", "a_tensor", "²", "½", "", " ", "\n", "\r\n", "\t", "\0", "\x1b[2J", "\x1b]0;x\7", "\x7f", "\x85",
    "\x9b", "\u00a0", "\u00ad", "\u061c", "\u200b", "\u200c", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e",
    "\u2066", "\u2069", "\u2060", "\ufeff", "\ufdd0", "\ufffe", "\uffff", "\U0001ffff", "\ud800", "\udfff",
    "\ud83d", "\U000e0041", "é", "e\u0301", "張", "שלום", "😀", "👩\u200d🚀", "<b>", "&amp;", "&", "]]>", "<!--", "-->",
    '"', "'", "\\", "\\\n", "\\x1b", "??/", "*/", "//", "}", "{", "/", ":", ".", "..", ",", "=", "->", "x" * 300,
]  # fmt: skip
HALVES = re.compile("[\ud800-\udfff]")
VOID = {"meta", "br"}
X = dml.TensorDesc("FLOAT32", [1, 1, 1, 4])
FIRST, SECOND = np.arange(4, dtype=np.float32), np.array([2, 3, 5, 7], np.float32)
RESULTS = [FIRST + SECOND, FIRST * SECOND]


def any_name(rng: random.Random) -> str:
    return "".join(rng.choices(PIECES, k=rng.choice([1, 1, 1, 2, 2, 3, 5])))


def fuzz_names(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Graphs most often; values of pictures, and models through the command line, at times."""
    rng, summary = random.Random(seed), Summary("names", seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases: list[Callable[[], None]] = [
            lambda: check_graph(summary, [any_name(rng) for _ in range(6)], folder),
            lambda: check_values(summary, [any_name(rng) for _ in range(6)]),
            lambda: check_command(summary, [any_name(rng) for _ in range(3)], rng, folder),
        ]

        def case() -> None:
            rng.choices(cases, [6, 3, 1])[0]()

        return run_cases(summary, case, count, seconds)


# What must not be in a text


def unprintable(text: str) -> str:
    """What is wrong with a text that is printed: characters that steer, turn, hide or are none."""
    wrong = {char for char in text if char != "\n" and _is_wrong(char)}
    return f"{', '.join(map(ascii, sorted(wrong)))} in {text!r}" if wrong else ""


def _is_wrong(char: str) -> bool:
    if char in "\u200c\u200d":
        return False
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") or ord(char) & 0xFFFE == 0xFFFE


def compare(text: str, plain: str, parts: Callable[[str], int] = lambda text: text.count("\n")) -> str:
    """What is wrong with a text that should be made like another one."""
    if parts(text) != parts(plain):
        return f"{parts(text)} parts, expected {parts(plain)}: {text!r}"
    return unprintable(text)


def elements(document: str) -> int:
    """The elements of an XML document."""
    return sum(1 for _ in ElementTree.fromstring(document).iter())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.count, self.open = 0, list[str]()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.count += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open.pop() != tag:
            raise AssertionError(f"</{tag}> closes another element")


def tags(page: str) -> int:
    """The elements of a page, each of them closed."""
    reader = _Reader()
    reader.feed(page)
    if reader.open:
        raise AssertionError(f"{reader.open} are not closed")
    return reader.count


def joined(name: str) -> str:
    """A name as JSON has it, which cannot tell both halves of a surrogate pair from the pair."""
    return name.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


# Graphs


def make_graph(names: list[str], flags: str = "NONE") -> dml.Graph:
    """x + y and x * y, where y may be OWNED_BY_DML; the names of two inputs, two outputs and two nodes."""
    second = X.replace(flags=flags)
    add = dml.OperatorNode(dml.ElementWiseAdd(a_tensor=X, b_tensor=second, output_tensor=X), names[4])
    multiply = dml.OperatorNode(dml.ElementWiseMultiply(a_tensor=X, b_tensor=second, output_tensor=X), names[5])
    edges = [(0, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 1)]
    return dml.Graph([add, multiply], edges, [(0, 0, 0), (1, 0, 1)], input_names=names[:2], output_names=names[2:4])


PLAIN = make_graph(["p", "q", "r", "s", "t", "u"])


def check_graph(summary: Summary, names: list[str], folder: Path) -> None:
    try:
        graph = make_graph(names)
    except dml.DmlError as error:
        summary.count(error.violations[0].rule)
        _note(summary, names, unprintable(str(error)))
        return
    _note(summary, names, compare(graph.describe(), PLAIN.describe()))
    _note(summary, names, compare(graph.to_svg(), PLAIN.to_svg(), elements))
    _note(summary, names, compare(graph.to_cpp(), PLAIN.to_cpp()) or ("" if graph.to_cpp().isascii() else "not ASCII"))
    if dml.Graph.from_json(graph.to_json()) != make_graph([joined(name) for name in names]):
        summary.fail(f"{names} are others in JSON")
    _note(summary, names, check_run(graph))
    _note(summary, names, check_owned(make_graph(names, "OWNED_BY_DML")))
    _note(summary, names, check_expressions(names))
    _note(summary, names, check_model(graph, folder))
    _note(summary, names, check_serialized(graph))
    summary.count("graph")


def _note(summary: Summary, names: list[str], problem: str) -> None:
    if problem:
        summary.fail(f"{names}: {problem}")


def check_run(graph: dml.Graph) -> str:
    """What is wrong with running by name: a buffer for every input, and every output found again."""
    device = dml.Device("reference")
    compiled, given = device.compile_graph(graph), dict(zip(graph.input_names, (FIRST, SECOND), strict=True))
    plain = device.compile_graph(PLAIN).plan.describe()
    problem = compare(compiled.plan.describe(), plain) or unprintable(repr(compiled))
    runs = [compiled(FIRST, SECOND), compiled(given), compiled(**given), dml.run(graph, given, device=device)]
    for outputs in runs:
        problem = problem or check_outputs(graph.output_names, outputs)
    target = np.zeros(4, np.float32)
    rest = compiled(given, {graph.output_names[0]: target})
    if not np.array_equal(target, RESULTS[0]) or not np.array_equal(rest.reshape(-1), RESULTS[1]):
        problem = problem or f"{target} and {rest}"
    try:
        compiled({graph.input_names[0]: FIRST})
    except dml.BindingError as error:
        return problem or unprintable(str(error))
    return problem or "ran with one input of two"


def check_owned(graph: dml.Graph) -> str:
    """What is wrong with an input that is taken once, by its name: in runs of its own, and of a pickled copy."""
    device, (first, second) = dml.Device("reference"), graph.input_names
    compiled = device.compile_graph(graph)
    try:
        compiled(FIRST)
    except dml.BindingError as error:
        problem = unprintable(str(error))
    compiled.initialize({second: SECOND})
    again = pickle.loads(pickle.dumps(compiled))
    for outputs in (compiled({first: FIRST}), again({first: FIRST}), dml.run(graph, {first: FIRST, second: SECOND})):
        problem = problem or check_outputs(graph.output_names, pickle.loads(pickle.dumps(outputs)))
    return problem


def check_expressions(names: list[str]) -> str:
    """What is wrong with names of expressions: they are those of the inputs, all different, or refused."""
    graph = dmlx.Graph(dml.Device("reference"))
    try:
        x, y = (dmlx.input_tensor(graph, number, X, name) for number, name in enumerate(names[:2]))
        with graph.name_scope(names[2]):
            outputs = [dmlx.add(x, y, name=names[3]), dmlx.multiply(x, y, name=names[3])]
    except dml.DmlError as error:
        is_refused = error.violations[0].rule == "expression.name" and _has_no_expression(names)
        return unprintable(str(error)) or ("" if is_refused else str(error))
    compiled = graph.compile(outputs)
    given = dict(zip((port.name for port in compiled.inputs), (FIRST, SECOND), strict=True))
    names = [port.name for port in compiled.outputs]
    return unprintable(repr(outputs)) or check_outputs(tuple(names), compiled(given))


def _has_no_expression(names: list[str]) -> bool:
    """Whether a name is blank or too long for one."""
    return any(not name.strip() or len(name) > 200 for name in names)


def check_outputs(names: tuple[str, ...], outputs: Any) -> str:
    """What is wrong with outputs: each is found by its index and its name, and as an attribute where it can be one."""
    for number, (name, expected) in enumerate(zip(names, RESULTS, strict=True)):
        found = [outputs[number], outputs[name]]
        is_word = name.isidentifier() and not iskeyword(name) and not name.startswith("_")
        if is_word and unicodedata.normalize("NFKC", name) == name:
            found.append(getattr(outputs, name))
        if not all(np.array_equal(each.reshape(-1), expected) for each in found):
            return f"{name!r} is {found}, expected {expected}"
    return unprintable(repr(outputs))


def check_model(graph: dml.Graph, folder: Path) -> str:
    """What is wrong with the graph as a model: it gives the same, or has names that no model can have."""
    try:
        write_model(graph, folder / "written.json", [FIRST, SECOND])
    except dml.DmlError as error:
        return unprintable(str(error)) or ("" if _has_halves(graph) else str(error))
    texts: list[str] = []
    found = dml.run_model(folder / "written.json", write=texts.append)
    same = [
        np.array_equal(found[f"output_{n}"].reshape(-1), e) for n, e in zip(graph.output_names, RESULTS, strict=True)
    ]
    if "".join(texts).count("\n") != 2 or not all(same):
        return f"the model gives {found} and prints {texts}"
    return unprintable("".join(texts))


def check_serialized(graph: dml.Graph) -> str:
    """What is wrong with the graph in a file: the same graph is read, or names are too long for it, or no text."""
    try:
        data = serialize_graph(graph)[0]
    except dml.DmlError as error:
        sizes = [len(name.encode("utf-8", "replace")) for name in _names_of(graph)]
        return unprintable(str(error)) or ("" if _has_halves(graph) or max(sizes) > 4096 else str(error))
    again = parse_graph(data)
    wanted = [each.name or f"{each.operator.dml_type.lower()}_{i}" for i, each in enumerate(graph.nodes)]  # type: ignore[union-attr]
    same = (again.input_names, again.output_names) == (graph.input_names, graph.output_names)
    return "" if same and [each.name for each in again.nodes] == wanted else f"is read as {again}"


def _names_of(graph: dml.Graph) -> list[str]:
    return [*graph.input_names, *graph.output_names, *(node.name for node in graph.nodes)]


def _has_halves(graph: dml.Graph) -> bool:
    return any(HALVES.search(name) for name in _names_of(graph))


# Pictures


def check_values(summary: Summary, values: list[str]) -> None:
    """Values in cells: the same lines and elements as with plain ones, and in JSON the values themselves."""
    kind = dml.TensorDesc("FLOAT32", [2, 3])
    shown, plain = (dml.explain(kind, values=np.array(each)) for each in (values, list("pqrstu")))
    # How many lines words take depends on their lengths; a picture has an element for each line, a page has not.
    _note(summary, values, unprintable(str(shown)))
    _note(summary, values, unprintable(shown.to_svg()) or ("" if elements(shown.to_svg()) > 20 else "no picture"))
    _note(summary, values, compare(shown.to_html(), plain.to_html(), tags))
    _note(summary, values, uneven(str(shown)))
    told = json.loads(json.dumps(shown.to_dict()))
    labels = [cell["label"] for cell in told["logical"]]
    # NumPy ends texts before zeros at their end; long texts are cut.
    if any(len(v) <= 8 and label != joined(v).rstrip("\0") for label, v in zip(labels, values, strict=True)):
        summary.fail(f"{values} are {labels} in JSON")
    summary.count("values")


def uneven(text: str) -> str:
    """What is wrong with the columns of a drawing: a side of a cell goes on above and below it."""
    lines = [sides(line) for line in text.split("\n")]
    for above, line, under in zip(lines, lines[1:], lines[2:], strict=False):
        if not {place for place, side in line.items() if side == "│"} <= above.keys() & under.keys():
            return f"a line in other columns than those beside it: {text!r}"
    return "" if any("│" in line.values() for line in lines) else f"no cells in {text!r}"


def sides(line: str) -> dict[int, str]:
    """The lines of boxes in a line of text, by the columns of a terminal."""
    found, place = {}, 0
    for char in line:
        if char in "│┌┬┐├┼┤└┴┘":
            found[place] = char
        is_mark = unicodedata.category(char) in ("Mn", "Me", "Cf")
        place += 0 if is_mark else 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return found


# Through the command line


def check_command(summary: Summary, names: list[str], rng: random.Random, folder: Path) -> None:
    """A model with such names, in a file with such a name."""
    path = folder / f"{file_name(names[0])}.json"
    path.write_text(json.dumps(make_model(names)), "utf-8")
    words = rng.choice(
        [["run", "--verbose"], ["run"], ["run", "--device", "null"], ["check"], ["explain", "--graph"], ["export"]]
    )
    status, printed = call([*words, str(path)])
    if status not in CLEAN or "Traceback" in printed:
        summary.fail(f"{words} ended with {status} for {names}: {printed[-400:]}")
    _note(summary, names, unprintable(printed))
    summary.count(f"{words[0]} {status}")
    path.unlink()


def file_name(name: str) -> str:
    """What is left of a name that a file can have."""
    return HALVES.sub("", re.sub(r"[/\0]", "", name))[:50]


def make_model(names: list[str]) -> Mapping[str, Any]:
    """A model of one operator, with a resource for its input and one for its output."""
    source, target, operator = names
    tensor = {"DataType": "FLOAT32", "Sizes": [1, 1, 1, 4]}
    desc = {"InputTensor": tensor, "OutputTensor": tensor}
    values = {"initialValuesDataType": "FLOAT32", "initialValues": [1, -2, 3, -4]}
    dispatch = {
        "type": "dispatch",
        "dispatchable": operator,
        "bindings": {"InputTensor": source, "OutputTensor": target},
    }
    return {
        "resources": {source: values, target: values},
        "dispatchables": {operator: {"type": "ACTIVATION_RELU", "desc": desc}},
        "commands": [
            dispatch,
            {"type": "print", "resource": target},
            {"type": "print", "resource": source, "verbose": True},
        ],
    }
