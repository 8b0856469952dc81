"""`anydml bench compute`: arithmetic beside NumPy, PyTorch and ONNX Runtime."""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from anydml.cli.bench_graph import set_clock, write_picture
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
    add(
        "--device", choices=("cpu", "cuda"), default="cpu", help="cpu (the default); cuda has cases of its own, and all"
    )
    add("--no-peers", action="store_true", help="without NumPy, PyTorch and ONNX Runtime")
    add("--processor-time", action="store_true", help="of one thread, where other programs keep the processors busy")
    add("--json", action="store_true", help="print JSON")
    add("--svg", type=Path, metavar="FILE", help="write a chart to a file; of the processor alone")
    add("--markdown", action="store_true", help="print tables for a page")
    parser.set_defaults(run=run)


def _sizes(text: str) -> list[int]:
    sizes = [size_bytes(part) for part in text.split(",") if part.strip()]
    if not sizes:
        raise ArgumentTypeError(f"found {text!r}, expected sizes such as 64M,1M")
    return sizes


def run(args: Namespace) -> int:
    if args.device == "cuda":
        return _run_cuda(args)
    from anydml.bench.compute.report import page, picture

    done = _measure(args)
    write_picture(args.svg, done, picture)
    if args.markdown:
        write(page(done) + "\n")
    else:
        write((json.dumps(done.to_json(), indent=1) if args.json else _text(done)) + "\n")
    return 0


def _run_cuda(args: Namespace) -> int:
    """Operators, products, convolutions and networks on a GPU, each beside PyTorch in the same run."""
    from importlib.util import find_spec

    from anydml.bench import gpu
    from anydml.bench.gpu_compute import compute_table, measure_all

    if args.svg:
        raise UsageError("--svg: found it with --device cuda, expected it without")
    machine = gpu.machine()
    if not find_spec("torch"):
        raise UsageError("bench compute: found no PyTorch, expected it to compare with; pip install torch")
    done = measure_all(args.repeat, machine)
    write(json.dumps(done.to_json(), indent=1) + "\n" if args.json else f"{machine}\n{compute_table(done)}\n")
    return 0


def _measure(args: Namespace) -> Run:
    from anydml.bench.compute.case import OURS, PEERS
    from anydml.bench.compute.peak import peak_rate
    from anydml.bench.compute.run import Limits, Run, copy_rate, measure
    from anydml.bench.measure import describe_machine
    from anydml.runtime.native.threads import get_threads

    set_clock(args)
    threads = args.threads or get_threads()
    chosen = [(case, size) for case in _chosen(args) for size in (args.sizes if case.is_sized else args.sizes[:1])]
    contenders = [OURS] if args.no_peers else [OURS, *PEERS]
    limits = Limits(copy_rate(args.repeat, threads), peak_rate(args.repeat, threads))
    done = Run(describe_machine(), threads, args.repeat, limits)
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
        raise UsageError(f"--family: found {', '.join(unknown)!r}, expected some of {', '.join(FAMILIES)}")
    cases = [case for name in names for case in family(name).cases]
    texts = [part.strip() for part in (args.cases or "").split(",") if part.strip()]
    found = [case for case in cases if not texts or any(text in case.name for text in texts)]
    if not found:
        known = "\n  ".join(case.name for case in cases)
        raise UsageError(f"--cases: found {args.cases!r}, expected texts out of these names\n  {known}")
    return found


def _text(done: Run) -> str:
    from anydml.bench.compute import report

    parts = [report.limits(done)]
    for about, results in report.sections(done):
        parts += ["", about, report.table(done, results)]
    return "\n".join([*parts, "", *report.goals(done.results)])
