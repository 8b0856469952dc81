"""`anydml bench`: measurements on this machine."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("bench", help="measure this machine", description=__doc__)
    kinds = parser.add_subparsers(dest="bench", required=True, metavar="WHAT")
    add_moves(kinds.add_parser("moves", help="strided moves beside a contiguous copy and beside peers"))


def add_moves(parser: argparse.ArgumentParser) -> None:
    parser.description = "Rates are GB/s of payload; a contiguous NumPy copy in the same run is the measure."
    parser.add_argument("--size", type=size_bytes, default=64 << 20, help="bytes of payload, such as 64M (the default)")
    parser.add_argument("--types", type=names, default=["float32"], help="data types, by comma: float32,uint8")
    parser.add_argument("--patterns", type=names, default=[], help="only patterns whose names hold one of these")
    parser.add_argument("--repeat", type=positive, default=11, help="repetitions, interleaved")
    parser.add_argument("--threads", type=positive, default=None, help="threads of each contender")
    parser.add_argument("--peers", action="store_true", help="also PyTorch and ONNX Runtime, where installed")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a chart of the first type")
    parser.set_defaults(run=run)


def size_bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)\s*([KMG]?)(i?B)?", text.strip(), re.IGNORECASE)
    if not found or not 4096 <= int(found[1]) * UNITS[found[2].upper()] <= 1 << 32:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected bytes from 4K to 4G, such as 64M")
    return int(found[1]) * UNITS[found[2].upper()]


def names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number from 1")
    return int(text)


def run(args: argparse.Namespace) -> int:
    from anydml.core.errors import DmlError

    try:
        return _run(args)
    except DmlError as error:
        print(error, file=sys.stderr)
        return 2


def _run(args: argparse.Namespace) -> int:
    from anydml.bench import chart, first_use, measure, patterns, report
    from anydml.core.datatype import DataType
    from anydml.runtime.moves.threads import get_threads

    types = [DataType.parse(name) for name in args.types]
    chosen = [p for p in patterns.PATTERNS if not args.patterns or any(part in p.name for part in args.patterns)]
    if not chosen:
        known = "\n  ".join(pattern.name for pattern in patterns.PATTERNS)
        print(f"--patterns: found {args.patterns}, expected parts of:\n  {known}", file=sys.stderr)
        return 2
    threads = args.threads or get_threads()
    contenders = measure.contenders_at_hand(args.peers)
    started, first = first_use.first_use_seconds()
    dispatch = measure.dispatch_seconds()
    done = measure.Run(measure.describe_machine(), args.size, threads, [], first, started, dispatch)
    for data_type in types:
        for pattern in chosen:
            print(f"{data_type.name.lower()} {pattern.name} ...", end="\r", file=sys.stderr, flush=True)
            done.results.append(measure.measure(pattern, args.size, data_type, contenders, args.repeat, threads))
            print("\033[K", end="\r", file=sys.stderr)
    if args.svg:
        title = f"{types[0].name.lower()}, {args.size >> 20} MiB, {threads} threads: speed beside a contiguous copy"
        args.svg.write_text(chart.chart(done.of_type(types[0].name.lower()), title), encoding="utf-8")
    print(json.dumps(done.to_json(), indent=1) if args.json else _text(done, report))
    return 0


def _text(done: Any, report: Any) -> str:
    head = ", ".join(f"{name} {value}" for name, value in done.machine.items())
    parts = [f"{head}; {done.size_bytes >> 10} KiB of payload, {done.threads} threads"]
    for type_name in dict.fromkeys(result.type_name for result in done.results):
        parts += ["", f"{type_name}, GB/s of payload", report.table(done.of_type(type_name))]
    return "\n".join([*parts, "", *report.goals(done)])


def main() -> int:
    parser = argparse.ArgumentParser(prog="anydml")
    add_parser(parser.add_subparsers(required=True))
    args = parser.parse_args()
    return int(args.run(args))


if __name__ == "__main__":
    raise SystemExit(main())
