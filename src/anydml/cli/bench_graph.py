"""`anydml bench graph`: whole networks beside ONNX Runtime."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from anydml.cli.messages import UsageError, write
from anydml.cli.models import positive
from anydml.cli.progress import Progress
from anydml.files.access import write_files

if TYPE_CHECKING:
    from anydml.bench.graphs import GraphRun, Measured

Run = TypeVar("Run")


def add_graph(parser: ArgumentParser) -> None:
    parser.description = "Networks at batch 1 with seeded weights; milliseconds of one run, beside ONNX Runtime's."
    add = parser.add_argument
    add("--networks", help="only networks whose names hold one of these texts, such as resnet,mobilenet")
    add("--weights", type=Path, metavar="FOLDER", help="a folder of .npy files with SqueezeNet's weights")
    add("--repeat", type=positive, default=11, help="repetitions, interleaved (default: 11)")
    add("--threads", type=positive, default=None, help="threads of each contender (default: all processors)")
    add("--processor-time", action="store_true", help="of one thread, where other programs keep the processors busy")
    add("--memory", action="store_true", help="also by how much a process grows at its peak (Linux)")
    add("--json", action="store_true", help="print JSON")
    add("--svg", type=Path, metavar="FILE", help="write a chart of GFLOP/s to a file")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    from anydml.bench.graphs import GraphRun, measure_network, picture, read_weights
    from anydml.bench.measure import describe_machine
    from anydml.runtime.native.threads import get_threads

    names = _chosen(args.networks)
    set_clock(args)
    if args.weights is not None and not args.weights.is_dir():
        raise UsageError(f"--weights: found {str(args.weights)!r}, expected a folder of .npy files")
    given = {} if args.weights is None else read_weights(args.weights)
    if args.weights is not None and not given:
        raise UsageError(f"--weights: found no .npy files in {str(args.weights)!r}, expected SqueezeNet's weights")
    done = GraphRun(describe_machine(), args.threads or get_threads())
    with Progress(len(names), "measuring") as progress:
        for name in names:
            done.results.append(measure_network(name, given, args.repeat, done.threads, args.memory))
            progress.advance()
    write_picture(args.svg, done, picture)
    write((json.dumps(done.to_json(), indent=1) if args.json else _text(done)) + "\n")
    return 0


def write_picture(path: Path | None, done: Run, draw: Callable[[Run], str]) -> None:
    """What --svg asks for."""
    if path is not None:
        write_files({path: [draw(done).encode()]})


def set_clock(args: Namespace) -> None:
    """What --processor-time asks for. Threads of one process would be counted together."""
    from anydml.bench.measure import use_processor_time

    if args.processor_time and args.threads != 1:
        raise UsageError(f"--processor-time: found --threads {args.threads}, expected --threads 1")
    if args.processor_time:
        use_processor_time()


def _chosen(wanted: str | None) -> list[str]:
    from anydml.bench.networks import NETWORKS

    if wanted is None:
        return list(NETWORKS)
    texts = [text.strip().lower() for text in wanted.split(",") if text.strip()]
    found = [name for name in NETWORKS if any(text in name.lower() for text in texts)]
    if not found:
        raise UsageError(f"--networks: found {wanted!r}, expected texts out of these names: {', '.join(NETWORKS)}")
    return found


def _text(done: GraphRun) -> str:
    machine = ", ".join(f"{name} {value}" for name, value in done.machine.items())
    heads: tuple[str, ...] = (
        "network",
        "anydml ms",
        "+-",
        "ONNX Runtime ms",
        "+-",
        "lead",
        "GFLOP/s",
        "temporary MB",
        "persistent MB",
    )
    has_memory = any(result.peak_bytes for result in done.results)
    heads += ("peak MB", "ONNX Runtime's") if has_memory else ()
    rows = [heads, *(_cells(result) + (_memory_cells(result) if has_memory else ()) for result in done.results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(width) if n == 0 else cell.rjust(width) for n, (cell, width) in enumerate(pairs))
        for pairs in (zip(row, widths, strict=True) for row in rows)
    ]
    note = "lead: ONNX Runtime's time divided by anydml's, medians; above 1 anydml is faster"
    return "\n".join([f"{machine}; {done.threads} threads", "", lines[0], "-" * len(lines[0]), *lines[1:], "", note])


def _cells(result: Measured) -> tuple[str, ...]:
    from anydml.bench.graphs import ONNX, OURS

    mine, theirs = result.timings[OURS], result.timings.get(ONNX)
    return (
        result.name,
        f"{mine.median * 1e3:.2f}",
        f"{mine.spread:.0%}",
        "-" if theirs is None else f"{theirs.median * 1e3:.2f}",
        "-" if theirs is None else f"{theirs.spread:.0%}",
        "-" if result.lead is None else f"{result.lead:.2f}",
        f"{result.operations / mine.median / 1e9:.0f}",
        f"{result.temporary_bytes / 1e6:.1f}",
        f"{result.persistent_bytes / 1e6:.1f}",
    )


def _memory_cells(result: Measured) -> tuple[str, ...]:
    from anydml.bench.graphs import ONNX, OURS

    sizes = (result.peak_bytes.get(name) for name in (OURS, ONNX))
    return tuple("-" if size is None else f"{size / 1e6:.0f}" for size in sizes)
