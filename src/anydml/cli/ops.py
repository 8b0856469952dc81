"""`anydml ops`: the operators, what they take at each feature level, and an example of each."""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from anydml.cli.messages import UsageError, write
from anydml.cli.models import find_level
from anydml.cli.terminal import BOLD, Terminal
from anydml.core.errors import counted
from anydml.core.levels import FeatureLevel
from anydml.core.text import printable

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from anydml.core.schema import Operator

_EXAMPLES = """\
examples:
  anydml ops                        all operators: level, ranks, data types
  anydml ops pool                   those that have to do with pooling
  anydml ops SLICE1                 one in full, with an example that runs
  anydml ops SLICE1 --model         the example as a model for `anydml run`
  anydml ops Conv                   the name that another library has for it
  anydml ops --level 2.0            those of a feature level
  anydml ops --levels               feature levels, and the releases of DirectML that brought them
"""
_BITS = (4, 8, 16, 32, 64)
_WIDEST = 100


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "ops",
        help="list, search and explain operators: fields, data types by feature level, rules, an example",
        description="List operators, search them by words, or show one in full.",
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("words", metavar="WORD", nargs="*", help="the name of an operator, or words to search for")
    parser.add_argument("--level", metavar="LEVEL", default="6.4", help="what this feature level has; 6.4 if left out")
    parser.add_argument("--levels", action="store_true", help="list feature levels and releases of DirectML instead")
    parser.add_argument("--model", action="store_true", help="print the example of an operator as a model instead")
    parser.add_argument("--json", action="store_true", help="print everything for machines instead")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    if args.levels:
        _require(not (args.words or args.model), "--levels", "words or --model beside it", "--levels alone")
        write(_levels(args.json))
        return 0
    level = find_level(args.level, "--level")
    import anydml.operators  # noqa: F401 - declares them all
    from anydml.core.schema.names import find_operator

    exact = find_operator(args.words[0]) if len(args.words) == 1 else None
    if args.model:
        _require(exact is not None, "--model", " ".join(args.words) or "no operator", "the name of one operator")
    if exact is not None:
        found = f"{level.text}, which has no {exact.dml_type}"
        _require(exact.since <= level, "--level", found, f"{exact.since.text} or above")
        write(_one(exact, args))
    else:
        write(_list(args, level))
    return 0


def _require(holds: bool, option: str, found: str, expected: str) -> None:
    if not holds:
        raise UsageError(f"{option}: found {printable(found)}, expected {expected}")


# Lists


def _list(args: Namespace, level: FeatureLevel) -> str:
    from anydml.catalog.facts import summary
    from anydml.catalog.search import search

    word = " ".join(args.words)
    found = search(args.words, level) or _translated(word, level)
    known = _foreign(word)
    if not found and known is None:
        raise UsageError(f"found no operator about {word!r} at feature level {level.text}{_near(args.words)}")
    summaries = [summary(operator) for operator in found]
    if args.json:
        return json.dumps({"level": level.text, "suggestion": known, "operators": summaries}, indent=2) + "\n"
    heading = f"{printable(word)}: in DirectML {known}\n" if known else ""
    return heading + ("\n" if known and found else "") + (_table(summaries, bool(args.words)) if found else "")


def _foreign(word: str) -> str | None:
    """What DirectML has for a name of another library."""
    from anydml.core.fixes import Spelling
    from anydml.core.foreign import fold, needless_names, translate
    from anydml.core.schema.names import suggest_operator

    is_known = bool(word) and bool(translate(word) or fold(word) in needless_names())
    return suggest_operator(word).text(Spelling.MODEL) if is_known else None


def _translated(word: str, level: FeatureLevel) -> list[type[Operator]]:
    """The operators that another library's name stands for."""
    from anydml.core.foreign import translate
    from anydml.core.schema import OPERATORS

    names = dict.fromkeys(entry.split()[0] for entry in translate(word)) if word else {}
    return [OPERATORS[name] for name in names if name in OPERATORS and OPERATORS[name].since <= level]


def _near(words: list[str]) -> str:
    from anydml.core.fixes import OneOf, Spelling
    from anydml.core.schema.names import find_operator, suggest_operator

    named = [word for word in words if find_operator(word) is not None]
    if len(words) > 1 and named:
        return f"; try one name at a time, such as anydml ops {named[0]}"
    fix = suggest_operator(" ".join(words))
    return "" if isinstance(fix, OneOf) else f"; try {fix.text(Spelling.MODEL)}"


def _table(summaries: list[dict[str, Any]], with_meaning: bool) -> str:
    terminal = Terminal.of(sys.stdout)
    width = max((len(each["name"]) for each in summaries), default=0)
    lines = [terminal.paint(f"{'':{width}}  level  ranks  data types of inputs", BOLD)]
    for each in summaries:
        types = compact(each["data_types"])
        lines.append(f"{each['name']:{width}}  {each['feature_level']:5}  {_ranks(each['ranks']):5}  {types}")
        if with_meaning:
            lines.append(_wrapped(each["meaning"], terminal, "    "))
    return "\n".join([*lines, counted(len(summaries), "operator")]) + "\n"


def compact(names: Iterable[str]) -> str:
    """Data types in few letters: `FLOAT16-32 INT8-64`; widths that have gaps are listed."""
    widths: dict[str, list[int]] = {}
    for name in names:
        letters = name.rstrip("0123456789")
        widths.setdefault(letters, []).append(int(name[len(letters) :]))
    return " ".join(letters + _span(sorted(bits)) for letters, bits in sorted(widths.items()))


def _span(bits: list[int]) -> str:
    first, last = _BITS.index(bits[0]), _BITS.index(bits[-1])
    if len(bits) > 1 and last - first + 1 == len(bits):
        return f"{bits[0]}-{bits[-1]}"
    return ",".join(map(str, bits))


def _ranks(limits: list[int]) -> str:
    low, high = limits
    return f"{low}" if low == high else f"{low}-{high}"


def _wrapped(text: str, terminal: Terminal, margin: str, hanging: str = "") -> str:
    width = min(terminal.width, _WIDEST)
    return fill(text, width, initial_indent=margin, subsequent_indent=margin + hanging, break_on_hyphens=False)


def _short_lists(text: str) -> str:
    """JSON with every list of plain values on one line."""
    return re.sub(r"\[[^][{}]*\]", lambda found: " ".join(found[0].split()).replace("[ ", "[").replace(" ]", "]"), text)


# One operator


def _one(operator: type[Operator], args: Namespace) -> str:
    from anydml.catalog.examples import SHOWN_DIGITS, as_model, as_python, example_of, plain
    from anydml.catalog.facts import describe

    example = example_of(operator)
    if args.model:
        return _short_lists(json.dumps(as_model(example.operator, example.inputs), indent=2)) + "\n"
    outputs = {name: plain(elements, SHOWN_DIGITS) for name, elements in example.run().items()}
    facts = describe(operator)
    if args.json:
        told = {"python": as_python(example), "model": as_model(example.operator, example.inputs), "outputs": outputs}
        return json.dumps({**facts, "example": told}, indent=2) + "\n"
    program = indent(as_python(example).rstrip(), "  ")
    results = [f"  {name} = {json.dumps(elements)}" for name, elements in outputs.items()]
    return _page(facts, [("example", [program]), ("what comes out", results)])


def _page(facts: dict[str, Any], more: list[tuple[str, list[str]]]) -> str:
    terminal = Terminal.of(sys.stdout)
    since = f"from feature level {facts['feature_level']} (DirectML {release(facts['directml_version'])})"
    lines = [f"{terminal.paint(facts['name'], BOLD)}: dml.{facts['python']}, {since}"]
    lines.append(_wrapped(facts["meaning"], terminal, "  "))
    for heading, section in [*_sections(facts, terminal), *more]:
        lines += ["", terminal.paint(heading, BOLD), *section]
    return "\n".join(lines) + "\n"


def _sections(facts: dict[str, Any], terminal: Terminal) -> Iterator[tuple[str, list[str]]]:
    width = max(len(field["name"]) for field in facts["fields"])
    yield "fields", [f"  {field['name']:{width}}  {_field(field)}" for field in facts["fields"]]
    yield "data types and ranks", [_support(row, terminal) for row in facts["support"]]
    rules = [f"same {' and '.join(g['properties'])}: {', '.join(g['tensors'])}" for g in facts["same"]]
    rules += [f"sizes of {name}: {pattern}" for name, pattern in facts["sizes"].items()]
    rules += [f"{rule['id']}: {rule['says']}" for rule in facts["rules"]]
    rules += [f"may run in place: {target} in the memory of {source}" for source, target in facts["in_place"]]
    if facts["fusable"]:
        rules.append("can be fused into other operators")
    if not facts["owned_inputs"]:
        rules.append("no input may be OWNED_BY_DML")
    yield "rules", [_wrapped(rule, terminal, "  ", "  ") for rule in rules]


def _field(field: dict[str, Any]) -> str:
    role = f"{field['role']} " if field["role"] != "attribute" else ""
    optional = ", optional" if field["optional"] else ""
    since = f" from {field['optional_since']}" if field["optional_since"] else ""
    members = f": {', '.join(field['members'])}" if field["members"] else ""
    return f"{role}{field['type']}{optional}{since}{members}"


def _support(row: dict[str, Any], terminal: Terminal) -> str:
    when = f" where {row['when']}" if row["when"] else ""
    ranks = f"{_ranks(row['ranks'])} dimension{'s' * (row['ranks'] != [1, 1])}"
    text = f"from {row['feature_level']}: {', '.join(row['tensors'])}{when}: {ranks}, {compact(row['data_types'])}"
    return _wrapped(text, terminal, "  ", "  ")


# Feature levels


def _levels(as_json: bool) -> str:
    from anydml.catalog.levels import level_rows

    rows = level_rows()
    if as_json:
        return json.dumps({"levels": rows}, indent=2) + "\n"
    lines = [Terminal.of(sys.stdout).paint("level  DirectML  operators  new  besides", BOLD)]
    for row in rows:
        counts = f"{row['operator_count']:9}  {len(row['operators']):3}"
        lines.append(f"{row['feature_level']:5}  {row['directml_version']:8}  {counts}  {row['besides']}".rstrip())
    return "\n".join(lines) + "\n"


def release(version: str) -> str:
    """A release by its number; 1.2.0 came with few systems, and what it brought reached all others with 1.4.0."""
    return f"{version}, widely with 1.4.0" if version == "1.2.0" else version
