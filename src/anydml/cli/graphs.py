"""`anydml explain MODEL --graph`: the model as a graph, and its plan before and after each pass."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from anydml.cli.messages import UsageError, write
from anydml.cli.models import DEVICE_NAMES, add_source_arguments, check_source_arguments, find_device, read_named
from anydml.core.errors import DmlError
from anydml.core.levels import HIGHEST_LEVEL

if TYPE_CHECKING:
    from anydml.graph.graph import Graph
    from anydml.graph.stages import Stage

_TENSOR_OPTIONS = ("sizes", "strides", "order", "total_bytes", "alignment", "window", "html", "index", "values")


def add_graph_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("graphs of models")
    group.add_argument(
        "--graph", action="store_true", help="explain a model: its graph, and its plan before and after each pass"
    )
    group.add_argument("--device", metavar="NAME", help=f"whose passes: {DEVICE_NAMES}")
    group.add_argument("--without", metavar="PASS", nargs="+", default=[], help="passes to switch off")
    add_source_arguments(group)


def check_no_graph_arguments(args: Namespace) -> None:
    """Options of graphs are for graphs."""
    options = {
        "device": "--device",
        "without": "--without",
        "input_path": "--input_path",
        "allow_outside": "--allow-outside",
    }
    given = [option for name, option in options.items() if getattr(args, name)]
    if given:
        raise UsageError(f"{', '.join(given)}: found without --graph, expected with it; try adding --graph")


def run_graph(args: Namespace) -> int:
    """Print the stages of a model, and draw them if asked."""
    others = [name for name in _TENSOR_OPTIONS if getattr(args, name) not in (None, [])]
    if others or args.plan or args.offset != "0":
        raise UsageError("--graph: found sizes or options of a tensor, expected a model alone; try MODEL.json --graph")
    check_source_arguments(args)
    graph, stages = _stages(args)
    from anydml.graph.stages import as_data, describe_stages, summary

    if args.svg:
        from anydml.files.access import write_files
        from anydml.view.graph import stages_to_svg

        write_files({args.svg: [stages_to_svg(graph, stages).encode()]})
    if args.json:
        write(json.dumps(as_data(graph, stages), indent=2) + "\n")
    else:
        write(f"{describe_stages(graph, stages)}{summary(stages)}\n")
    return 0


def _stages(args: Namespace) -> tuple[Graph, list[Stage]]:
    from anydml.frontends.dxdispatch.graph import model_graph
    from anydml.graph.passes import Passes
    from anydml.graph.stages import trace

    backend = find_device(args.device or "cpu").backend
    try:
        passes = Passes.without(*args.without)
    except DmlError as error:
        raise UsageError(str(error)) from None
    graph = model_graph(read_named(args.data_type, args, HIGHEST_LEVEL))
    chosen = passes if backend.uses_passes else Passes.none()
    return graph, trace(graph, chosen, backend.expand, backend.claims)
