"""All targets by name, for `scripts/fuzz` and for longer runs."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.arrays import fuzz_arrays
from tests.fuzz.calls import fuzz_calls
from tests.fuzz.command_lines import fuzz_command_lines
from tests.fuzz.graphs import fuzz_graphs
from tests.fuzz.harness import Summary
from tests.fuzz.images import fuzz_images
from tests.fuzz.links import fuzz_links
from tests.fuzz.models import fuzz_models, fuzz_operators, fuzz_texts
from tests.fuzz.names import fuzz_names
from tests.fuzz.sources import fuzz_sources

TARGETS: dict[str, Callable[[int, int | None, float | None], Summary]] = {
    "models": fuzz_models,
    "operators": fuzz_operators,
    "texts": fuzz_texts,
    "arrays": fuzz_arrays,
    "images": fuzz_images,
    "command-lines": fuzz_command_lines,
    "links": fuzz_links,
    "graphs": fuzz_graphs,
    "names": fuzz_names,
    "sources": fuzz_sources,
    "calls": fuzz_calls,
}
