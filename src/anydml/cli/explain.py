"""`anydml explain`: what a tensor's sizes and strides mean, in words, figures and pictures."""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anydml.cli.graphs import add_graph_arguments, check_no_graph_arguments, run_graph
from anydml.cli.messages import UsageError, write
from anydml.cli.mistakes import EXAMPLES
from anydml.cli.terminal import Terminal
from anydml.core.errors import DmlError, Violation, raise_if_any
from anydml.core.geometry import OFFSET
from anydml.core.integers import INT64_MAX, all_integers, read_integer, read_integers
from anydml.core.layout import Layout
from anydml.core.tensor import TensorDesc
from anydml.core.text import printable
from anydml.files.access import resolved, write_files
from anydml.view.subject import Subject, Window

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_EXAMPLES = """\
examples:
  anydml explain FLOAT32 2,3 --strides 5,1            rows padded to 5 elements
  anydml explain FLOAT32 1x3x4x4 --order NHWC         channels last
  anydml explain FLOAT32 2,3 --strides 0,1 --html page.html
  anydml explain FLOAT32 2,2,3 --index 1,0,1           1·6 + 0·3 + 1·1 = 7
  anydml explain FLOAT32 4,4 --values 1:16 --window offsets=0,1 sizes=4,3 strides=-2,2
  anydml explain model.json --graph                   the plan of a model, before and after each pass

a window is what DML_SLICE1 takes: an offset, a size and a stride for every dimension, each list optional
(all of the tensor, stride 1); a negative stride starts at the window's end; output= takes fewer elements.
"""
_WINDOW_KEYS = ("offsets", "sizes", "strides", "output")
_LONGEST_QUOTE = 40
_BRACKETS = re.compile(r"[\[(]([^\[\]()]*?),?[\])]")
_BETWEEN = re.compile(r"\d\s*[xX×*]\s*\d")
_UNCLEAR = re.compile(r"\d\s+[-+−]?\d|^0[xX]\d")  # two numbers with nothing between them; hexadecimal or 0 by 10


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="show what sizes and strides mean, or how a model is planned",
        description="Explain a tensor description (its kind, its offsets, its bytes, drawn), or the graph of a model.",
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("data_type", metavar="TYPE", help="FLOAT32, UINT8, ... or a NumPy name; a model with --graph")
    parser.add_argument("sizes", metavar="SIZES", nargs="*", help="2,3 or 2x3")
    parser.add_argument("--strides", metavar="LIST", help="in elements, one for each size; packed when left out")
    parser.add_argument("--order", metavar="LETTERS", help="the order of axes in memory instead: NHWC, WH, ...")
    parser.add_argument("--offset", metavar="N", default="0", help="elements before the tensor's first one")
    parser.add_argument("--total-bytes", metavar="N", help="TotalTensorSizeInBytes; the least possible when left out")
    parser.add_argument("--alignment", metavar="N", help="GuaranteedBaseOffsetAlignment in bytes; none when left out")
    parser.add_argument("--window", metavar="KEY=LIST", nargs="+", help="draw what DML_SLICE1 takes (see below)")
    parser.add_argument(
        "--index",
        metavar="LIST",
        action="append",
        default=[],
        help="work out the offset of an index such as 1,0,1; with a window, of an element of its result",
    )
    parser.add_argument(
        "--values",
        metavar="VALUES",
        help="show values in cells: 1:16, A:L, 1,2,3 or an .npy file; one for each index, or for each place in memory",
    )
    parser.add_argument("--plan", action="store_true", help="also print how a copy to a packed tensor would run")
    parser.add_argument("--json", action="store_true", help="print everything for machines instead")
    parser.add_argument("--svg", metavar="FILE", type=_svg_file, help="write the picture, too")
    parser.add_argument("--html", metavar="FILE", type=_html_file, help="write a page in which cells light up, too")
    add_graph_arguments(parser)
    parser.set_defaults(run=run)


def _svg_file(text: str) -> Path:
    return _file(text, (".svg",), "picture.svg")


def _html_file(text: str) -> Path:
    return _file(text, (".html", ".htm"), "page.html")


def _file(text: str, endings: tuple[str, ...], example: str) -> Path:
    """A file to write, whose name says what is in it."""
    if not text.strip():
        raise ArgumentTypeError(f"found {text!r}, expected the name of a file; try {example}")
    if Path(text).suffix.lower() not in endings and not Path(text).is_dir():
        fix = Path(text).with_suffix(endings[0]).as_posix() if Path(text).name else example
        raise ArgumentTypeError(f"found {text!r}, expected a name that ends in {endings[0]}; try {fix}")
    return Path(text)


def run(args: Namespace) -> int:
    if args.graph:
        return run_graph(args)
    check_no_graph_arguments(args)
    if not args.sizes:
        is_model = args.data_type.lower().endswith(".json")
        fix = f"anydml explain --graph {printable(args.data_type)}" if is_model else EXAMPLES["explain"]
        raise UsageError(f"found no SIZES, expected a data type and sizes; try {fix}")
    subject = read_subject(args)
    plan = _plan(subject) if args.plan else None
    # Rendered before anything is written or printed, so that a failure leaves nothing behind.
    output = _json(subject, plan) if args.json else _text(subject, plan)
    files = _files(args, subject)
    write_files({path: [text.encode()] for path, text in files.items()})
    write(output)
    sys.stdout.flush()
    for path in files:
        write(f"wrote {printable(str(path))}\n", sys.stderr)
    return 0


# Reading


def read_subject(args: Namespace) -> Subject:
    """What the arguments describe, or one error with everything that is wrong with them."""
    violations: list[Violation] = []
    # Words that are no numbers go in as they are: the description names each by its field.
    sizes: Any = read_sizes(args.sizes)
    strides: Any = None if args.strides is None else read_numbers(args.strides, "--strides")
    total: Any = None if args.total_bytes is None else _number(args.total_bytes)
    alignment: Any = 0 if args.alignment is None else _number(args.alignment)
    desc = None
    try:
        desc = TensorDesc(
            args.data_type,
            sizes,
            strides,
            order=args.order,
            total_tensor_size_in_bytes=total,
            guaranteed_base_offset_alignment=alignment,
        )
    except DmlError as error:
        violations += error.violations
    offset = read_integer(_number(args.offset), "Offset", violations)
    if offset is not None and not 0 <= offset <= INT64_MAX:
        violations.append(OFFSET("Offset", offset, "0 to 2^63 - 1", "0"))
    raise_if_any(violations, subject="TensorDesc")
    assert desc is not None and offset is not None
    window = _window(args.window, desc.sizes) if args.window else None
    subject = Subject.of(desc, offset=offset, order=args.order, window=window)
    indices = [_index(text, violations) for text in args.index]
    raise_if_any(violations, subject="--index")
    subject = subject.with_indices([index for index in indices if index is not None])
    if args.values is None:
        return subject
    from anydml.view.values import parse_values

    return subject.with_values(parse_values(args.values))


def _index(text: str, violations: list[Violation]) -> tuple[int, ...] | None:
    return all_integers(read_integers(read_numbers(text, "--index"), "index", violations))


def read_sizes(words: list[str]) -> list[int | str]:
    """Sizes as one list, or as several numbers: `2,3` or `2 3`."""
    if len(words) > 1 and all(word.isascii() and word.isdecimal() for word in words):
        return read_numbers(",".join(words), "SIZES")
    return read_numbers(" ".join(words), "SIZES")


def _window(words: list[str], whole: tuple[int, ...]) -> Window:
    """A window from `offsets=0,1 sizes=4,3 strides=-2,2 output=2,2`; lists left out mean all of the tensor."""
    from anydml.core.fixes import suggest

    given: dict[str, str] = {}
    for word in " ".join(words).split():
        key, equals, values = word.partition("=")
        if not equals:
            raise UsageError(f"--window: found {word!r}, expected KEY=LIST such as offsets=0,1; write it after SIZES")
        if key not in _WINDOW_KEYS:
            raise UsageError(
                f"--window: found {key!r}, expected {', '.join(_WINDOW_KEYS)}; try {suggest(key, _WINDOW_KEYS)}"
            )
        if key in given:
            raise UsageError(f"--window: found {key} twice, expected it once")
        given[key] = values
    violations: list[Violation] = []
    lists = {key: all_integers(read_integers(read_numbers(text, key), key, violations)) for key, text in given.items()}
    raise_if_any(violations, subject="window")
    offsets = lists.get("offsets") or (0,) * len(whole)
    # Offsets that are too few are told by themselves, not with sizes nobody gave.
    fits = len(offsets) == len(whole)
    rest = tuple(size - offset for size, offset in zip(whole, offsets, strict=True)) if fits else whole
    sizes, strides = lists.get("sizes") or rest, lists.get("strides") or (1,) * len(whole)
    return Window.of(whole, offsets, sizes, strides, lists.get("output"))


def read_numbers(text: str, name: str) -> list[int | str]:
    """`2,3`, `2x3`, `2×3`, `2*3` or `[2,3]` as numbers; what is none stays text, for the description to refuse."""
    bracketed = _BRACKETS.fullmatch(text.strip())
    plain = bracketed[1] if bracketed else text.strip()
    if _UNCLEAR.search(plain) or ("," in plain and _BETWEEN.search(plain)):
        found = plain if len(plain) <= _LONGEST_QUOTE else plain[:_LONGEST_QUOTE] + "..."
        raise UsageError(f"{name}: found {found!r}, expected decimal numbers and one separator; write 2,3 or 2x3")
    return [_number(word) for word in re.split("," if "," in plain else "[xX×*]", plain)]


def _number(text: str) -> int | str:
    plain = text.strip().replace("−", "-")
    if re.fullmatch(r"[+-]?[0-9]{1,40}", plain):
        return int(plain)
    return plain if len(plain) <= _LONGEST_QUOTE else plain[:_LONGEST_QUOTE] + "..."


# Writing


def _text(subject: Subject, plan: str | None) -> str:
    from anydml.view.text import Canvas, render

    terminal = Terminal.of(sys.stdout)
    text = render(subject, Canvas(terminal.width, terminal.color, terminal.unicode, terminal.encoding))
    if plan is None:
        return text
    indented = "".join(f"    {line}\n" for line in plan.splitlines())
    return f"{text}\n  {terminal.paint('copy to a packed tensor', '1')}\n{indented}"


def _json(subject: Subject, plan: str | None) -> str:
    from anydml.view.data import as_data

    data: dict[str, Any] = as_data(subject)
    if plan is not None:
        data["plan"] = plan
    return json.dumps(data, indent=2) + "\n"


def _files(args: Namespace, subject: Subject) -> dict[Path, str]:
    if args.svg and args.html and resolved(args.svg) == resolved(args.html):
        raise UsageError(f"--svg and --html: found {str(args.svg)!r} twice, expected two different files")
    files = {}
    if args.svg:
        from anydml.view import svg

        files[args.svg] = svg.render(subject)
    if args.html:
        from anydml.view import html

        files[args.html] = html.render(subject)
    return files


def _plan(subject: Subject) -> str:
    """How the copy engine would pack this tensor, or the window's part of it."""
    from anydml.runtime.moves.engine import SMALL_BYTES
    from anydml.runtime.moves.plan import plan_move

    source = subject.window.result(subject.layout) if subject.window else subject.layout
    if subject.data_type is None or subject.data_type.is_packed_pair:
        return "4-bit elements share bytes and are moved one by one"
    plan = plan_move(source, Layout(source.sizes), subject.data_type.element_bytes)
    small = f"\n  so few bytes (below {SMALL_BYTES}) NumPy moves" if plan.payload_bytes < SMALL_BYTES else ""
    return plan.describe() + small
