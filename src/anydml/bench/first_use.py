"""How long the first use of a plan, and of common operators, takes: each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from anydml.runtime.native.cache import VARIABLE

_MOVES = """
import json, time
import numpy as np
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves.engine import prepare
from anydml.runtime.native import llvm
data = np.ones(1 << 20, np.uint8)
result = np.ones(1 << 20, np.uint8)
def first(name, side):
    start = time.perf_counter()
    move = prepare(Layout((side, side), (1, side)), Layout((side, side)), DataType[name])
    move.run_arrays(data, result)
    return time.perf_counter() - start
start = time.perf_counter()
llvm.is_available()
started = time.perf_counter() - start
print(json.dumps([started, first("FLOAT32", 512), first("UINT8", 1000), first("FLOAT64", 360)]))
"""
_OPERATOR = """
import importlib, json, sys, time
import numpy as np
import anydml as dml
from anydml.runtime.native import llvm
what, inputs, modules = json.loads(sys.argv[1])
arrays = {name: np.ones(sizes, np.float32) for name, sizes in inputs.items()}
llvm.is_available()
for name in modules:
    importlib.import_module(name)
start = time.perf_counter()
tensors = {name: dml.TensorDesc("FLOAT32", sizes) for name, sizes in inputs.items()}
operator = eval(what)
dml.Device("cpu").compile(operator)(**arrays)
seconds = time.perf_counter() - start
print(json.dumps([seconds, [name for name in sys.modules if name.startswith("anydml")]]))
"""
_IMAGE = {"input_tensor": [1, 64, 28, 28]}
OPERATORS: dict[str, tuple[str, dict[str, list[int]]]] = {
    "add": ("dml.ElementWiseAdd(**tensors)", {"a_tensor": [1, 1, 256, 256], "b_tensor": [1, 1, 256, 256]}),
    "GELU": ("dml.ActivationGelu(**tensors)", {"input_tensor": [1, 1, 256, 256]}),
    "softmax": ("dml.ActivationSoftmax(**tensors)", {"input_tensor": [1, 1, 256, 256]}),
    "GEMM": ("dml.Gemm(**tensors)", {"a_tensor": [1, 1, 512, 512], "b_tensor": [1, 1, 512, 512]}),
    "convolution 3x3": (
        "dml.Convolution(**tensors, start_padding=[1, 1], end_padding=[1, 1])",
        {**_IMAGE, "filter_tensor": [64, 64, 3, 3]},
    ),
    "max pooling 3x3/2": (
        "dml.MaxPooling(**tensors, window_size=[3, 3], strides=[2, 2], start_padding=[1, 1], end_padding=[1, 1])",
        _IMAGE,
    ),
}
"""For each name, how the operator is made of its tensors, and the sizes of its inputs."""


@dataclass(frozen=True)
class FirstUse:
    """Seconds: to load LLVM, and of the longest of three first uses after that; medians of several processes."""

    loading: float
    compiled: float
    from_disk: float
    """The same in a process that finds the kernels on disk."""


@dataclass(frozen=True)
class OperatorUse:
    """Seconds from an operator's description to its first result, LLVM loaded before; medians of several processes."""

    name: str
    compiled: float
    """With nothing on disk."""
    from_disk: float
    compiled_with_imports: float
    """The same in a process that has yet to import most of the package."""
    from_disk_with_imports: float

    @property
    def is_quick(self) -> bool:
        return self.compiled < MOST_SECONDS and self.from_disk < MOST_SECONDS_FROM_DISK


MOST_SECONDS, MOST_SECONDS_FROM_DISK = 0.06, 0.01
"""Goals, without imports."""


MOST_PROCESSES = 5
"""Pairs of them, for a median."""


def measure_first_use(processes: int = MOST_PROCESSES) -> FirstUse:
    runs = [_measure_moves() for _ in range(processes)]
    return FirstUse(*(median(values) for values in zip(*runs, strict=True)))


def _measure_moves() -> tuple[float, float, float]:
    with TemporaryDirectory() as folder:
        loading, *compiled = _run(_MOVES, folder)
        _, *found = _run(_MOVES, folder)
    return loading, max(compiled), max(found)


def measure_operator(name: str, processes: int = MOST_PROCESSES) -> OperatorUse:
    runs = [_measure_operator(name) for _ in range(processes)]
    return OperatorUse(name, *(median(values) for values in zip(*runs, strict=True)))


def _measure_operator(name: str) -> tuple[float, float, float, float]:
    with TemporaryDirectory() as folder, TemporaryDirectory() as other:
        (compiled_with_imports, modules), (found_with_imports, _) = (_run_operator(name, folder, []) for _ in range(2))
        (compiled, _), (found, _) = (_run_operator(name, other, modules) for _ in range(2))
    return compiled, found, compiled_with_imports, found_with_imports


def _run_operator(name: str, cache_folder: str, modules: Sequence[str]) -> tuple[float, list[str]]:
    seconds, loaded = _run(_OPERATOR, cache_folder, json.dumps([*OPERATORS[name], modules]))
    return seconds, loaded


def _run(program: str, cache_folder: str, *arguments: str) -> Any:
    command = [sys.executable, "-c", program, *arguments]
    environment = {**os.environ, VARIABLE: str(Path(cache_folder) / "kernels")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


def operator_table(uses: Sequence[OperatorUse]) -> str:
    """Milliseconds, and the goals."""
    lines = [f"{'':18} {'empty cache':>12} {'from disk':>10} {'with imports':>13} {'from disk':>10}"]
    for use in uses:
        numbers = (use.compiled, use.from_disk, use.compiled_with_imports, use.from_disk_with_imports)
        texts = [f"{number * 1e3:.1f}" for number in numbers]
        verdict = "PASS" if use.is_quick else "MISS"
        lines.append(f"{use.name:18} {texts[0]:>12} {texts[1]:>10} {texts[2]:>13} {texts[3]:>10}  {verdict}")
    goal = f"below {MOST_SECONDS * 1e3:.0f} and {MOST_SECONDS_FROM_DISK * 1e3:.0f} without imports"
    return "\n".join(["milliseconds to the first result, LLVM loaded before", *lines, f"goal: {goal}"])
