"""Tests on a GPU, without pytest: every operator's cases; `moves`, the patterns of moves between guard bytes; or
`input`, what goes wrong and how it is told.

    python -m tests.runtime.cuda.on_gpu [NAMES | moves | input] [STEP]

NAMES are parts of operators' names; STEP takes every so-many-th case.
"""

from __future__ import annotations

import sys
import time
import warnings
from multiprocessing import get_context

PROCESSES = 12


def check_operator(argument: tuple[str, int]) -> tuple[int, list[str]]:
    """How many cases of an operator ran, and what went wrong."""
    name, step = argument
    import anydml.operators  # noqa: F401
    from tests.cases.framework import answer_of, make_case, numbers_of
    from tests.cases.framework.run import check

    failures, numbers = [], list(numbers_of(name))[::step]
    for number in numbers:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # such as that an operator runs on the host
            try:
                case = make_case(name, number)
                check(case, answer_of(case), "cuda")
            except Exception as error:  # every failure is told, whatever it is
                failures.append(f"{name}-{number}: {type(error).__name__}: {str(error)[:500]}")
    return len(numbers), failures


def check_operators(words: list[str]) -> tuple[int, list[str]]:
    import anydml.operators  # noqa: F401
    from anydml.core.schema import OPERATORS
    from tests.cases.framework import operators_with_cases

    names = sorted(set(OPERATORS) & set(operators_with_cases()))
    chosen = [name for name in names if not words or any(word in name for word in words[0].split(","))]
    step = int(words[1]) if len(words) > 1 else 1
    total, failures = 0, []
    with get_context("spawn").Pool(PROCESSES) as pool:
        for count, found in pool.imap_unordered(check_operator, [(name, step) for name in chosen]):
            total += count
            failures += found
    return total, failures


def main(words: list[str]) -> int:
    from anydml.runtime.backend import find_backend
    from tests.runtime.cuda.bad_input import check_bad_input
    from tests.runtime.cuda.moves import check_all_moves

    started = time.perf_counter()
    if words == ["moves"]:
        total, failures = check_all_moves(find_backend("cuda"))
    elif words == ["input"]:
        total, failures = check_bad_input()
    else:
        total, failures = check_operators(words)
    print("\n".join(failures[:60]))
    print(f"{total} cases on cuda: {len(failures)} failed, {time.perf_counter() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
