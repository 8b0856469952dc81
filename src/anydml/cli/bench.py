"""`anydml bench`: measurements on this machine."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anydml.cli.bench_compile import add_compile
from anydml.cli.bench_compute import add_compute
from anydml.cli.bench_first_use import add_first_use
from anydml.cli.bench_graph import add_graph, write_picture
from anydml.cli.messages import UsageError, write
from anydml.cli.models import positive
from anydml.cli.progress import Progress
from anydml.cli.sizes import size_bytes

if TYPE_CHECKING:
    from anydml.bench.measure import Run
    from anydml.bench.patterns import Pattern
    from anydml.core.datatype import DataType

PEER_PACKAGES = {"PyTorch": "torch", "ONNX Runtime": "onnxruntime"}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("bench", help="measure this machine", description="Measurements on this machine.")
    kinds = parser.add_subparsers(title="what to measure", metavar="WHAT", required=True)
    _add_moves(kinds.add_parser("moves", help="strided moves, beside a contiguous copy and beside peers"))
    add_compute(kinds.add_parser("compute", help="arithmetic, beside NumPy, PyTorch and ONNX Runtime"))
    add_graph(kinds.add_parser("graph", help="whole networks, beside ONNX Runtime"))
    add_compile(kinds.add_parser("compile", help="the time to compile graphs of very many nodes"))
    add_first_use(kinds.add_parser("first-use", help="the time to the first result of common operators"))


def _add_moves(parser: ArgumentParser) -> None:
    parser.description = "Rates are GB/s of payload; a contiguous NumPy copy in the same run is the measure."
    add = parser.add_argument
    add("--size", type=size_bytes, default=64 << 20, help="bytes of payload, from 4K to 4G (default: 64M)")
    add("--types", type=_words, default=["float32"], help="data types, such as float32,uint8 (default: float32)")
    add("--patterns", help="only patterns whose names hold one of these texts, such as transpose,reversed")
    add("--repeat", type=positive, default=11, help="repetitions, interleaved (default: 11)")
    add("--threads", type=positive, default=None, help="threads of each contender (default: all processors)")
    add("--peers", action="store_true", help="also PyTorch and ONNX Runtime, on cuda CuPy, where installed")
    add("--passes", action="store_true", help="also each side alone, and what that leaves to gain; on the processor")
    add(
        "--device",
        choices=("cpu", "cuda"),
        default="cpu",
        help="cpu (the default) or cuda, with peers CuPy and PyTorch",
    )
    add("--json", action="store_true", help="print JSON")
    add("--svg", type=Path, metavar="FILE", help="write a chart of the first type to a file; of the processor alone")
    parser.set_defaults(run=run)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def run(args: Namespace) -> int:
    if args.device == "cuda":
        return _run_cuda(args)
    done = _measure(args)
    write_picture(args.svg, done, _chart)
    write((json.dumps(done.to_json(), indent=1) if args.json else _text(done, args.peers)) + "\n")
    return 0


def _run_cuda(args: Namespace) -> int:
    """Moves on a GPU, by events on its stream."""
    from anydml.bench import gpu

    for name in ("svg", "passes"):
        if getattr(args, name):
            raise UsageError(f"--{name}: found it with --device cuda, expected it without")
    types, machine = _types(args.types), gpu.machine()
    done = gpu.MoveRun(machine, args.size)
    chosen = _chosen(args.patterns)
    with Progress(len(types) * len(chosen), "measuring") as progress:
        for data_type in types:
            for pattern in chosen:
                if gpu.fits(pattern, args.size, data_type):
                    done.results.append(gpu.measure_moves(pattern, args.size, data_type, args.repeat, args.peers))
                progress.advance()
    write(json.dumps(done.to_json(), indent=1) + "\n" if args.json else gpu.move_text(done) + "\n")
    return 0


def _types(names: list[str]) -> list[DataType]:
    from anydml.core.datatype import DataType

    types = [DataType.parse(name, "--types") for name in names]
    if not types or any(data_type.is_packed_pair for data_type in types):
        raise UsageError(f"--types: found {','.join(names)!r}, expected types of whole bytes, such as float32")
    return types


def _measure(args: Namespace) -> Run:
    from anydml.bench import measure
    from anydml.bench.first_use import MOST_PROCESSES, measure_first_use
    from anydml.runtime.native.threads import get_threads

    types = _types(args.types)
    chosen = _chosen(args.patterns)
    threads = args.threads or get_threads()
    contenders = measure.contenders_at_hand(args.peers, args.passes)
    machine, dispatch = measure.describe_machine(), measure.dispatch_seconds()
    first_use = measure_first_use(min(args.repeat, MOST_PROCESSES))
    done = measure.Run(machine, args.size, threads, first_use, dispatch)
    with Progress(len(types) * len(chosen), "measuring") as progress:
        for data_type in types:
            for pattern in chosen:
                done.results.append(measure.measure(pattern, args.size, data_type, contenders, args.repeat, threads))
                progress.advance()
    return done


def _chosen(wanted: str | None) -> list[Pattern]:
    """The patterns whose names hold the whole text, commas and all, or else one of its parts."""
    from anydml.bench.patterns import PATTERNS

    if wanted is None:
        return list(PATTERNS)
    names = [pattern.name for pattern in PATTERNS]
    whole = wanted.strip(" ,")
    texts = [whole] if whole and any(whole in name for name in names) else _words(wanted)
    unknown = [text for text in texts if not any(text in name for name in names)]
    if unknown or not texts:
        found = ",".join(unknown) or wanted
        known = "\n  ".join(names)
        raise UsageError(f"--patterns: found {found!r}, expected texts out of these names\n  {known}")
    return [pattern for pattern in PATTERNS if any(text in pattern.name for text in texts)]


def _text(done: Run, peers: bool) -> str:
    from anydml.bench import bounds, report

    machine = ", ".join(f"{name} {value}" for name, value in done.machine.items())
    parts = [f"{machine}; {_size_text(done.size_bytes)} of payload, {done.threads} threads"]
    for type_name in done.type_names:
        parts += ["", f"{type_name}, GB/s of payload", report.table(done.of_type(type_name))]
        parts += [f"\n{bounds.table(done.of_type(type_name))}"] if bounds.has_passes(done.of_type(type_name)) else []
    missing = [peer for peer, package in PEER_PACKAGES.items() if peers and package not in done.machine]
    absent = [f"not installed: {', '.join(missing)}", ""] if missing else []
    return "\n".join([*parts, "", *absent, *report.goals(done)])


def _chart(done: Run) -> str:
    from anydml.bench.chart import Bar, Group, chart

    name = done.type_names[0]
    title = f"{name}, {_size_text(done.size_bytes)}, {done.threads} threads: speed beside a contiguous copy"
    groups = [
        Group(each.pattern, {contender: Bar.exact(each.fraction(contender)) for contender in each.timings})
        for each in done.of_type(name)
    ]
    return chart(title, groups)


def _size_text(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
