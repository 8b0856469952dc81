"""How much memory a network takes at its peak: by how much a process of its own grows while it is compiled and run.

The weights, and ONNX Runtime's model of them, are in memory before; whatever either makes of them is counted.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"
_RUNS = 2


def measure_peak(name: str, contender: str, threads: int) -> int | None:
    """Bytes; None where the system does not tell, or the contender is missing."""
    if not _STATUS.exists() or not _RESET.exists():
        return None
    command = [sys.executable, "-m", "anydml.bench.peak", name, contender, str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    text = done.stdout.strip()
    return int(text) if done.returncode == 0 and text.isdecimal() else None


def growth_of(name: str, contender: str, threads: int) -> int:
    """What this process grows by, at its peak."""
    import numpy as np

    from anydml.bench.graphs import ONNX, prepare_onnx, prepare_ours
    from anydml.bench.networks import NETWORKS
    from anydml.runtime.native import llvm

    network, output = NETWORKS[name]({})
    x = np.zeros(network.input_sizes, np.float32)
    prepare = prepare_onnx(network, output, x, threads) if contender == ONNX else None
    if contender == ONNX and prepare is None:
        raise SystemExit(1)
    llvm.is_available()
    _RESET.write_text(_FORGET_PEAK, encoding="ascii")
    before = _number_of("VmRSS")
    work = prepare() if prepare is not None else prepare_ours(network, output, x, threads)
    for _ in range(_RUNS):
        work()
    return _number_of("VmHWM") - before


def _number_of(field: str) -> int:
    """In bytes; the system counts KiB."""
    lines = _STATUS.read_text(encoding="ascii").splitlines()
    (text,) = (line for line in lines if line.startswith(f"{field}:"))
    return int(text.split()[1]) * 1024


if __name__ == "__main__":
    print(growth_of(sys.argv[1], sys.argv[2], int(sys.argv[3])))
