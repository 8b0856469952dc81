"""Every operator's cases on the CUDA device, in several processes: python -m tests.runtime.cuda.on_gpu [NAMES] [STEP]"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from multiprocessing import get_context
from typing import Any

PROCESSES = 12


def check_operator(argument: tuple[str, int, str]) -> tuple[str, int, list[str]]:
    """The operator, how many cases ran, and what went wrong."""
    name, step, device = argument
    import anydml.operators  # noqa: F401
    from tests.cases.framework import answer_of, make_case, numbers_of
    from tests.cases.framework.run import check

    failures, count = [], 0
    for number in numbers_of(name)[::step]:
        count += 1
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", RuntimeWarning)
            try:
                case = make_case(name, number)
                check(case, answer_of(case), device)
            except Exception as error:  # every failure is told, whatever it is
                failures.append(f"{name}-{number}: {type(error).__name__}: {str(error)[:500]}")
        failures += sorted({f"note {name}: {w.message}"[:200] for w in told if "on the host" in str(w.message)})
    return name, count, failures


def main(words: list[str]) -> int:
    import anydml.operators  # noqa: F401
    from anydml.core.schema import OPERATORS
    from tests.cases.framework import operators_with_cases

    names = sorted(set(OPERATORS) & set(operators_with_cases()))
    chosen = [n for n in names if not words or words[0] == "all" or any(w in n for w in words[0].split(","))]
    step = int(words[1]) if len(words) > 1 else 1
    device = words[2] if len(words) > 2 else "cuda"
    started, total, failures = time.perf_counter(), 0, []
    with get_context("spawn").Pool(PROCESSES) as pool:
        for _name, count, found in pool.imap_unordered(check_operator, [(n, step, device) for n in chosen]):
            total += count
            failures += found
    notes: Counter[Any] = Counter(each for each in failures if each.startswith("note"))
    wrong = [each for each in failures if not each.startswith("note")]
    print("\n".join(sorted(notes)))
    print("\n".join(wrong[:60]))
    taken = time.perf_counter() - started
    print(
        f"{total} cases of {len(chosen)} operators on {device}: {len(wrong)} failed, {len(notes)} notes, {taken:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
