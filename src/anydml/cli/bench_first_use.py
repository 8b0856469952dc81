"""`anydml bench first-use`: how long it takes until an operator gives its first result."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from anydml.cli.messages import UsageError, write
from anydml.cli.models import positive
from anydml.cli.progress import Progress


def add_first_use(parser: ArgumentParser) -> None:
    parser.description = "Common operators, each in new processes: with no kernels on disk, and with those of another."
    add = parser.add_argument
    add("--cases", help="only operators whose names hold one of these texts, such as GEMM,softmax")
    add("--repeat", type=positive, default=5, help="processes of each kind (default: 5)")
    add("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    from anydml.bench.first_use import OPERATORS, measure_operator, operator_table

    texts = [part.strip() for part in (args.cases or "").split(",") if part.strip()]
    names = [name for name in OPERATORS if not texts or any(text in name for text in texts)]
    if not names:
        raise UsageError(f"--cases: found {args.cases!r}, expected texts out of these names: {', '.join(OPERATORS)}")
    uses = []
    with Progress(len(names), "measuring") as progress:
        for name in names:
            uses.append(measure_operator(name, args.repeat))
            progress.advance()
    write((json.dumps([asdict(use) for use in uses], indent=1) if args.json else operator_table(uses)) + "\n")
    return 0
