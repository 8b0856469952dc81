"""Equal keys mean equal modules, in one process and in all: kernels are found by their keys, in memory and on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Hashable
from hashlib import sha256
from random import Random
from typing import Any

import pytest

import anydml as dml
from anydml.runtime.native import llvm
from anydml.runtime.native.naming import name_of_key
from tests.runtime.cpu.recurrent import GATES, network
from tests.runtime.cpu.test_guards import MAKERS

TRIALS = 6
needs_llvm = pytest.mark.skipif(not llvm.is_available(), reason="no llvmlite")


class Watcher:
    """Writes every module that is asked for, also those that were compiled before."""

    def __init__(self) -> None:
        self._compiled = llvm.compiled
        self._modules: dict[Hashable, str] = {}
        self.modules: dict[str, str] = {}
        """By their names on disk."""
        self.different: list[str] = []

    def __call__(self, key: Hashable, write: Callable[[], str], *others: Any) -> llvm.MachineCode:
        text = sha256(write().encode()).hexdigest()
        name = name_of_key(key, write)
        assert name is not None
        if self._modules.setdefault(key, text) != text or self.modules.setdefault(name, text) != text:
            self.different.append(repr(key))
        return self._compiled(key, write, *others)


def main() -> None:
    """Prints the modules of random operators."""
    watcher = Watcher()
    llvm.compiled = watcher
    for number in range(TRIALS):
        for name, make in MAKERS.items():
            dml.Device().compile(make(Random(f"keys {name} {number}")).operator)
        for kind in GATES:
            dml.Device().compile(network(Random(f"keys {kind} {number}"), kind).operator)
    print(json.dumps({"modules": watcher.modules, "different": watcher.different}))


@needs_llvm
def test_equal_keys__mean_equal_modules() -> None:
    """Sets have another order in every process."""
    program = "from tests.runtime.cpu.test_kernel_keys import main; main()"
    found = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, timeout=300, check=True, capture_output=True, text=True)
        found.append(json.loads(done.stdout))
    assert [each["different"] for each in found] == [[], []]
    assert len(found[0]["modules"]) > 100
    assert found[0]["modules"] == found[1]["modules"]


@needs_llvm
def test_watcher__sees_another_module_of_a_key() -> None:
    watcher = Watcher()
    texts = iter(["define void @kernel() {\nret void\n}\n", "define void @kernel() {\nunreachable\n}\n"])

    def write() -> str:
        return next(texts)

    write.__module__ = llvm.__name__
    watcher._compiled = lambda *_: llvm.MachineCode(None, {})
    watcher("key", write)
    watcher("key", write)
    assert watcher.different == ["'key'"]
