"""Work in a thread of its own runs to its end, and nobody waits for ever for a thread that is stuck."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from anydml.process import uninterrupted
from anydml.process.uninterrupted import Worker

LIMIT_SECONDS = 60.0


def in_time(action: Callable[[], object]) -> object:
    """What an action returns, in a thread that must end."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(action()), daemon=True)
    thread.start()
    thread.join(LIMIT_SECONDS)
    assert found, "it hangs"
    return found[0]


def test_worker__returns_and_raises_what_work_does() -> None:
    worker = Worker()
    assert worker.run(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        worker.run(lambda: 1 // 0)


def test_worker__works_in_a_thread_of_its_own_and_nested_work_stays_there() -> None:
    worker = Worker()
    outer, inner = worker.run(lambda: (threading.get_ident(), worker.run(threading.get_ident)))
    assert outer == inner != threading.get_ident()
    assert not worker.inside.is_working


def test_worker__does_one_thing_at_a_time() -> None:
    worker, working, most = Worker(), [0], [0]

    def work() -> None:
        working[0] += 1
        most[0] = max(most[0], working[0])
        threading.Event().wait(0.002)
        working[0] -= 1

    threads = [threading.Thread(target=worker.run, args=(work,)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_SECONDS)
    assert most == [1]


def test_worker__that_is_stuck_leaves_patient_work_to_its_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a lock that only the caller's own thread can take."""
    monkeypatch.setattr(uninterrupted, "START_SECONDS", 0.01)
    worker, caller, never = Worker(), [0], threading.Event()

    def work() -> str:
        if threading.get_ident() != caller[0]:
            never.wait(LIMIT_SECONDS * 10)
        return "done"

    def call() -> str:
        caller[0] = threading.get_ident()
        return worker.run(work, patience=0.05)

    assert in_time(call) == "done"
    # Others do not wait for the thread that is stuck.
    assert in_time(lambda: worker.run(lambda: "next")) == "next"
    never.set()
