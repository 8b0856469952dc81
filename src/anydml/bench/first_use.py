"""How long the first use of a plan takes, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from anydml.runtime.native.cache import VARIABLE

_PROGRAM = """
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


@dataclass(frozen=True)
class FirstUse:
    """Seconds: to load LLVM, and of the longest of three first uses after that; medians of several processes."""

    loading: float
    compiled: float
    from_disk: float
    """The same in a process that finds the kernels on disk."""


def measure_first_use(processes: int = 5) -> FirstUse:
    runs = [_measure_once() for _ in range(processes)]
    return FirstUse(*(median(values) for values in zip(*runs, strict=True)))


def _measure_once() -> tuple[float, float, float]:
    with TemporaryDirectory() as folder:
        loading, *compiled = _run(folder)
        _, *found = _run(folder)
    return loading, max(compiled), max(found)


def _run(cache_folder: str) -> list[float]:
    command = [sys.executable, "-c", _PROGRAM]
    environment = {**os.environ, VARIABLE: str(Path(cache_folder) / "kernels")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    seconds: list[float] = json.loads(done.stdout)
    return seconds
