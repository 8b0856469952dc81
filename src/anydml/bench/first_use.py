"""How long the first use of a plan takes, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys

_PROGRAM = """
import json, time
import numpy as np
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import llvm
from anydml.runtime.moves.engine import prepare
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


def first_use_seconds() -> tuple[float, float]:
    """Seconds to load LLVM, and the longest of three first uses after that, compiled afresh."""
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True, timeout=120)
    started, *uses = json.loads(done.stdout)
    return started, max(uses)
