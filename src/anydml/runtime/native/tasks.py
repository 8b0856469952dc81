"""Native work made ready: kernels with the parameters of every chunk, and lists of such tasks.

A kernel is `void kernel(ptr bases, ptr parameters, ptr staging)`. `bases` is a table of addresses, one for each
buffer of the caller: its slots. `parameters` are the words of one chunk; they name the slots that it uses and say
where in them its part lies. Only `bases` differs from run to run, so all else is made once, never changes, and
may be used by many threads at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from struct import Struct, error

from anydml.runtime.native import pool
from anydml.runtime.native.llvm import KERNEL, Function, MachineCode
from anydml.runtime.native.schedule import TASK_WORDS, WORD
from anydml.runtime.native.staging import staging_block


class Task:
    """A kernel and the parameters of its chunks, which can run in any order and side by side."""

    __slots__ = ("_parameters", "_symbol", "chunk_count", "code", "slot_count")

    def __init__(
        self, code: MachineCode, chunks: Sequence[Sequence[int]], slot_count: int, symbol: str = KERNEL
    ) -> None:
        lengths = {len(chunk) for chunk in chunks}
        if len(lengths) != 1:
            raise ValueError(f"chunks: found {sorted(lengths)} words, expected chunks of equal length")
        self.code = code
        self.chunk_count = len(chunks)
        self.slot_count = slot_count
        """How many slots a run must have, at least."""
        self._parameters = array("q", chain.from_iterable(chunks))
        self._symbol = symbol

    @property
    def function(self) -> Function:
        return self.code.function(self._symbol)

    def record_of(self, chunk: int) -> tuple[int, int, int, int]:
        """One chunk, as lists hold tasks."""
        function, parameters, size, _ = self.record()
        return function, parameters + chunk * size, size, 1

    def chunks(self) -> list[list[int]]:
        """The words of each chunk."""
        length = len(self._parameters) // self.chunk_count
        return [self._parameters[n * length : (n + 1) * length].tolist() for n in range(self.chunk_count)]

    def record(self) -> tuple[int, int, int, int]:
        """As lists hold it; see `schedule`."""
        address, length = self._parameters.buffer_info()
        return self.code.address(self._symbol), address, length // self.chunk_count * WORD, self.chunk_count


class TaskInTurn(Task):
    """A task each of whose chunks runs chunks of other tasks, one after the other."""

    __slots__ = ("_is_ready", "_parts")

    def __init__(self, chunks: Sequence[Sequence[tuple[Task, int]]]) -> None:
        # What runs a list is a kernel whose parameters are the list.
        words = 1 + TASK_WORDS * max(map(len, chunks))
        slot_count = max(task.slot_count for parts in chunks for task, _ in parts)
        super().__init__(pool.functions().code, [[0] * words] * len(chunks), slot_count, pool.RUN_LIST)
        self._parts = chunks
        self._is_ready = False

    def record(self) -> tuple[int, int, int, int]:
        if not self._is_ready:  # not sooner: kernels are compiled when their addresses are asked for
            length = len(self._parameters) // self.chunk_count
            for number, parts in enumerate(self._parts):
                words = [len(parts), *(word for task, chunk in parts for word in task.record_of(chunk))]
                start = number * length
                self._parameters[start : start + len(words)] = array("q", words)
            self._is_ready = True
        return super().record()

    def chunks(self) -> list[list[int]]:
        self.record()
        return super().chunks()


def together(tasks: Sequence[Task]) -> Task:
    """A task whose chunks are the first chunks of all tasks, then the second ones, and so on."""
    most = max(task.chunk_count for task in tasks)
    return TaskInTurn([[(task, n) for task in tasks if n < task.chunk_count] for n in range(most)])


class TaskList:
    """Tasks that one native call runs, each after the one before it is done."""

    __slots__ = ("_bases", "_function", "_most_chunks", "_parameters", "_records", "slot_count", "tasks")

    def __init__(self, tasks: Iterable[Task], slot_count: int = 0) -> None:
        self.tasks = tuple(tasks)
        self.slot_count = max([slot_count, *(task.slot_count for task in self.tasks)])
        self._records = array("q", [len(self.tasks), *(word for task in self.tasks for word in task.record())])
        self._bases = Struct(f"={self.slot_count}Q")
        self._most_chunks = max((task.chunk_count for task in self.tasks), default=1)
        # What runs a list alone is a kernel itself. A single chunk needs no list.
        if len(self.tasks) == self._most_chunks == 1:
            (task,) = self.tasks
            self._function, self._parameters = task.function, task.record()[1]
        else:
            self._function, self._parameters = pool.functions().alone, self._records.buffer_info()[0]

    def pack(self, addresses: Sequence[int]) -> bytes:
        """The addresses of the buffers as `run_packed` takes them."""
        try:
            return self._bases.pack(*addresses)
        except error:
            expected = f"{self.slot_count} addresses of 64 bits"
            raise ValueError(f"addresses: found {list(addresses)}, expected {expected}") from None

    def run(self, addresses: Sequence[int], threads: int | None = None) -> None:
        """Runs all tasks on buffers given by their addresses; several threads share tasks of several chunks.

        Returns, or raises what interrupted it, when no thread uses the buffers any more.
        """
        self.run_packed(self.pack(addresses), threads)

    def run_packed(self, bases: bytes, threads: int | None = None) -> None:
        """The same, for addresses that `pack` has packed."""
        if self._most_chunks == 1:
            staging = staging_block()
            self._function(bases, self._parameters, staging.address)
        else:
            pool.run(bases, self._parameters, self._most_chunks, threads)
