"""How much memory a process holds, sampled while it works, and whether that stays the same."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

SAMPLE_SECONDS = 0.2
ALLOWED_GROWTH = 1.1
ALLOWED_BYTES = 32 << 20


def resident_bytes() -> int:
    """What the process holds in memory now; the most it ever held where the system does not tell."""
    try:
        import mmap

        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * mmap.PAGESIZE
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Sampler:
    """The most memory held in each stretch of time."""

    def __init__(self, stretch_seconds: float) -> None:
        self.stretch_seconds, self.peaks = stretch_seconds, list[int]()
        self._begin = perf_counter()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _sample(self) -> None:
        while True:
            number = int((perf_counter() - self._begin) / self.stretch_seconds)
            self.peaks += [0] * (number + 1 - len(self.peaks))
            self.peaks[number] = max(self.peaks[number], resident_bytes())
            if self._stopped.wait(SAMPLE_SECONDS):
                return


def is_flat(peaks: Sequence[int]) -> bool:
    """Whether the last quarter holds no more than the one before, but for noise."""
    last = [peak for peak in peaks if peak][len(peaks) // 2 :]
    if len(last) < 2:
        return True
    before, after = max(last[: len(last) // 2]), max(last[len(last) // 2 :])
    return after <= max(before * ALLOWED_GROWTH, before + ALLOWED_BYTES)
