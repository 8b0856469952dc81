"""Kernels for machines that are not this one: written, and compiled to object files, but never run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from anydml.core.schema import Operator
from anydml.graph.graph import Graph
from anydml.graph.passes import Passes
from anydml.runtime.cpu import backend
from anydml.runtime.native import llvm, pool
from anydml.runtime.planning import plan_graph

AARCH64 = llvm.Host("aarch64-unknown-linux-gnu", "neoverse-n1", {"neon": True, "fullfp16": True})


@contextmanager
def foreign(monkeypatch: pytest.MonkeyPatch, host: llvm.Host) -> Iterator[dict[Any, str]]:
    """While it lasts, kernels are written for another machine; gives the text of each."""
    texts: dict[Any, str] = {}

    def note(key: Any, write: Callable[[], str], *_: object, **__: object) -> llvm.MachineCode:
        if key not in texts:
            texts[key] = write()
        return llvm.MachineCode(None, {llvm.KERNEL: 1})

    pool.functions()  # of this machine: tasks name them
    with monkeypatch.context() as patch:
        patch.setattr(llvm, "host", lambda: host)
        patch.setattr(llvm, "compiled", note)
        yield texts


def prepare(operator: Operator) -> None:
    """Makes all steps of an operator ready."""
    plan = plan_graph(Graph.of(operator), backend.BACKEND, Passes()).plan
    for step in (*plan.initialize, *plan.steps):
        backend._prepare(step)


def emit_objects(texts: Sequence[str], host: llvm.Host) -> list[bytes]:
    """The object files of modules, each of which is verified."""
    import llvmlite.binding as binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    features = ",".join(f"+{name}" for name, has in host.features.items() if has)
    target = binding.Target.from_triple(host.triple)
    machine = target.create_target_machine(cpu=host.processor, features=features, opt=2)
    objects = []
    for text in texts:
        module = binding.parse_assembly(text, binding.create_context())
        module.verify()
        objects.append(machine.emit_object(module))
    return objects
