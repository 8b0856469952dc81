"""`anydml bench compute`: arithmetic beside NumPy, PyTorch and ONNX Runtime."""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from anydml.cli.bench_graph import set_clock
from anydml.cli.messages import UsageError, write
from anydml.cli.models import positive
from anydml.cli.progress import Progress
from anydml.cli.sizes import size_bytes

if TYPE_CHECKING:
    from anydml.bench.compute.case import Case
    from anydml.bench.compute.run import Run


def add_compute(parser: ArgumentParser) -> None:
    parser.description = "Milliseconds of each case; a speed of 2 beside the best peer means half its time."
    add = parser.add_argument
    add("--family", help="only these families, such as pointwise,reductions (default: all)")
    add("--cases", help="only cases whose names hold one of these texts, such as add,chain")
    add("--sizes", type=_sizes, default=[64 << 20, 1 << 20], help="bytes of payload (default: 64M,1M)")
    add("--repeat", type=positive, default=11, help="repetitions, interleaved (default: 11)")
    add("--threads", type=positive, default=None, help="threads of each contender (default: all processors)")
    add("--no-peers", action="store_true", help="without NumPy, PyTorch and ONNX Runtime")
    add("--processor-time", action="store_true", help="of one thread, where other programs keep the processors busy")
    add("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def _sizes(text: str) -> list[int]:
    sizes = [size_bytes(part) for part in text.split(",") if part.strip()]
    if not sizes:
        raise ArgumentTypeError(f"found {text!r}, expected sizes such as 64M,1M")
    return sizes


def run(args: Namespace) -> int:
    done = _measure(args)
    write((json.dumps(done.to_json(), indent=1) if args.json else _text(done)) + "\n")
    return 0


def _measure(args: Namespace) -> Run:
    from anydml.bench.compute.case import OURS, PEERS
    from anydml.bench.compute.run import Limits, Run, copy_rate, measure
    from anydml.bench.measure import describe_machine
    from anydml.runtime.native.pool import get_threads

    set_clock(args)
    threads = args.threads or get_threads()
    chosen = [(case, size) for case in _chosen(args) for size in (args.sizes if case.is_sized else args.sizes[:1])]
    contenders = [OURS] if args.no_peers else [OURS, *PEERS]
    done = Run(describe_machine(), threads, args.repeat, Limits(copy_rate(args.repeat, threads)))
    with Progress(len(chosen), "measuring") as progress:
        for case, size in chosen:
            done.results.append(measure(case, size, contenders, args.repeat, threads))
            progress.advance()
    return done


def _chosen(args: Namespace) -> list[Case]:
    from anydml.bench.compute.families import FAMILIES, family

    names = [part.strip() for part in args.family.split(",")] if args.family else list(FAMILIES)
    unknown = [name for name in names if name not in FAMILIES]
    if unknown:
        raise UsageError(f"--family: found {', '.join(unknown)}, expected some of {', '.join(FAMILIES)}")
    cases = [case for name in names for case in family(name).cases]
    texts = [part.strip() for part in (args.cases or "").split(",") if part.strip()]
    found = [case for case in cases if not texts or any(text in case.name for text in texts)]
    if not found:
        known = "\n  ".join(case.name for case in cases)
        raise UsageError(f"--cases: found {args.cases!r}, expected texts out of these names\n  {known}")
    return found


def _text(done: Run) -> str:
    from anydml.bench.compute import report

    machine = ", ".join(f"{name} {value}" for name, value in done.machine.items())
    rate = done.limits.copy_rate / 1e9
    parts = [f"{machine}; {done.threads} threads; the fastest copy reads and writes {rate:.1f} GB/s"]
    for key in dict.fromkeys((result.family, result.size_bytes) for result in done.results):
        chosen = [result for result in done.results if (result.family, result.size_bytes) == key]
        parts += ["", f"{key[0]}, {report.size_text(key[1])}", report.table(done, chosen)]
    return "\n".join([*parts, "", *report.goals(done.results)])
