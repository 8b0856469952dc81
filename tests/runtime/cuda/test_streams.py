"""Work on several streams, without a GPU: who waits for whom."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from anydml.runtime.buffer import Buffer
from anydml.runtime.cuda.streams import PeerStream, Turns, has_peer


class Stream:
    def __init__(self, driver: Driver, ptr: int) -> None:
        self.driver, self.ptr = driver, ptr

    def wait_event(self, event: str) -> None:
        self.driver.log.append(f"{self.ptr} waits for {event}")


class Driver:
    """Streams and events that only tell what is asked of them."""

    number = 0

    def __init__(self) -> None:
        self.log: list[str] = []
        self.current = 0
        self.marks = 0

    def current_stream(self) -> Stream:
        return Stream(self, self.current)

    def stream(self, ptr: int) -> Stream:
        return Stream(self, ptr)

    def mark(self, ptr: int) -> str:
        self.marks += 1
        return f"mark {self.marks} of {ptr}"


def use(turns: Turns, driver: Driver, stream: int, arena: int) -> None:
    driver.current = stream
    turns.begin(arena)
    turns.end(arena)


def test_one_stream__never_waits() -> None:
    driver = Driver()
    turns = Turns(driver)
    for _ in range(3):
        use(turns, driver, 0, 100)
    assert driver.log == [] and driver.marks == 0


def test_another_stream__waits_for_the_last_use_of_the_arena() -> None:
    driver = Driver()
    turns = Turns(driver)
    use(turns, driver, 7, 100)
    use(turns, driver, 8, 200)
    use(turns, driver, 8, 100)
    use(turns, driver, 0, 100)
    assert driver.log == ["8 waits for mark 1 of 7", "0 waits for mark 3 of 8"]


def test_default_stream__is_marked_when_another_one_waits() -> None:
    driver = Driver()
    turns = Turns(driver)
    use(turns, driver, 0, 100)
    assert driver.marks == 0
    use(turns, driver, 5, 100)
    assert driver.log == ["5 waits for mark 1 of 0"]


def peer(driver: Driver, monkeypatch: pytest.MonkeyPatch, stream: int) -> PeerStream:
    current = SimpleNamespace(current_stream=lambda number: SimpleNamespace(cuda_stream=stream))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=current))  # type: ignore[arg-type]
    return PeerStream(driver)


def test_pytorchs_stream__is_ordered_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver()
    peer(driver, monkeypatch, 9).run(lambda: driver.log.append("work"))
    assert driver.log == ["0 waits for mark 1 of 9", "work", "9 waits for mark 2 of 0"]


def test_same_stream__needs_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver()
    peer(driver, monkeypatch, 0).run(lambda: driver.log.append("work"))
    assert driver.log == ["work"]


def test_peer__is_found_by_the_owner_of_memory() -> None:
    tensor: Any = type("Tensor", (), {"__module__": "torch"})()
    theirs = Buffer("cuda:0", 256, 16, True, (object(), tensor))
    ours = Buffer("cuda:0", 512, 16, True, object())
    assert has_peer([None, ours, theirs]) and not has_peer([None, ours])
