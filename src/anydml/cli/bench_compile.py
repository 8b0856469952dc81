"""`anydml bench compile`: how long graphs of very many nodes take to compile."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from anydml.cli.messages import UsageError, write
from anydml.cli.models import positive
from anydml.cli.progress import Progress


def add_compile(parser: ArgumentParser) -> None:
    parser.description = "Graphs of very many small nodes on the processor: chains, wide ones, and joined ones."
    add = parser.add_argument
    add("--cases", help="only shapes whose names hold one of these texts, such as RELU,join")
    add("--nodes", type=positive, default=20_000, help="nodes of each graph, about (default: 20000)")
    add("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    from anydml.bench.large_graphs import LEAST_NODES, SHAPES, graph_table, measure_graph

    texts = [part.strip() for part in (args.cases or "").split(",") if part.strip()]
    names = [name for name in SHAPES if not texts or any(text in name for text in texts)]
    if not names:
        raise UsageError(f"--cases: found {args.cases!r}, expected texts out of these names: {', '.join(SHAPES)}")
    if args.nodes < LEAST_NODES:
        raise UsageError(f"--nodes: found {args.nodes}, expected at least {LEAST_NODES}")
    runs = []
    with Progress(len(names), "measuring") as progress:
        for name in names:
            runs.append(measure_graph(name, args.nodes))
            progress.advance()
    write((json.dumps([asdict(each) for each in runs], indent=1) if args.json else graph_table(runs)) + "\n")
    return 0
