"""The native part of the thread pool: publishing tasks, working and waiting, as LLVM IR.

Each happens inside one native call, so Python code never runs while helpers work on a caller's buffers: no
exception can leave before they are done.

A pool has one owner at a time. For each task with several chunks the owner writes the task into the pool and sets
`state` to OPEN with a number of seats. Helpers enter by exchanging the state for one that counts one more, which
fails once it is closed. Owner and helpers claim chunks from the counter `next`. When none is left the owner
closes the state, so nobody else enters, and waits until all who entered have left. That is also the barrier
between tasks.
"""

from __future__ import annotations

from anydml.runtime.native.emit import Emitter, Value

WORD = 8
TASK_WORDS = 4
"""A task in a list: address of the function, address of the parameters, bytes per chunk, number of chunks. The
list begins with the number of its tasks."""

# Fields of a pool. Those that different threads write lie on different cache lines, and these on different pairs.
_OWNER, _STATE, _NEXT, _TASK = (number * 128 for number in range(4))
_BASES = _TASK + TASK_WORDS * WORD
YIELD = 512
"""The address of the system's function that lets other threads run; 0 for none."""
POOL_BYTES = 640

_COUNT_BITS = 32
_COUNT = (1 << _COUNT_BITS) - 1
"""The bits of the state that count who has entered. Seats follow, and the sign means open."""
_SEATS = (1 << (63 - _COUNT_BITS)) - 1
_OPEN = -(1 << 63)
_FIRST_PAUSES = 1024
"""A thread that waits does not let others run before so many pauses: what it waits for is often about to come, and
whoever lets others run may have to wait for milliseconds."""
_PAUSES = 64
"""From then on it lets others run after so many."""

SYMBOLS = ("alone", "shared", "help", "rest")

_TASK_TYPE = "void (ptr, ptr, ptr)"


def pause_instruction(architecture: str) -> tuple[str, str]:
    """What tells a processor that a loop waits: a declaration and a call; empty where there is none."""
    if architecture in ("x86_64", "amd64", "i386", "i686"):
        return "void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"
    if architecture in ("aarch64", "arm64"):
        return "void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"
    return "", ""


def module_text(architecture: str) -> str:
    """`alone(bases, list, staging)` runs a list in this thread: a kernel whose parameters are the list.

    `shared(bases, list, staging, pool, seats)` does so with up to `seats` helpers; alone if the pool has an owner.
    `help(pool, staging, spins)` works on what is published; returns after `spins` looks that found nothing.
    `rest(pool, rounds)` waits as helpers do; it measures how long a look takes.
    """
    e = Emitter(vector_bytes=16)
    _emit_relax(e, architecture)
    _emit_chunks(e)
    _emit_alone(e)
    _emit_work(e)
    _emit_publish(e)
    _emit_shared(e)
    _emit_join(e)
    _emit_help(e)
    return e.module()


def _emit_relax(e: Emitter, architecture: str) -> None:
    declaration, instruction = pause_instruction(architecture)
    with e.function("relax", "ptr %pool, i64 %round"):
        if declaration:
            e.declare(declaration)
            e.do(instruction)
        is_late = e.value(f"icmp sge i64 %round, {_FIRST_PAUSES}")
        is_turn = e.value(f"icmp eq i64 {e.mask('%round', _PAUSES - 1)}, 0")
        with e.when(e.value(f"and i1 {is_late}, {is_turn}")):
            function = e.load("ptr", e.at("%pool", YIELD), WORD)
            with e.when(e.value(f"icmp ne ptr {function}, null")):
                e.value(f"call i32 {function}()")
    with e.function("rest", "ptr %pool, i64 %rounds", exported=True), e.loop(0, "%rounds") as i:
        e.do(f"call void @relax(ptr %pool, i64 {i})")


def _counter(e: Emitter) -> str:
    """A word on the stack that is 0. It must come first in a function: elsewhere it would be made each time."""
    place = e.value("alloca i64")
    e.store("i64", 0, place, WORD)
    return place


def _relax(e: Emitter, rounds: str) -> None:
    number = e.load("i64", rounds, WORD)
    e.do(f"call void @relax(ptr %pool, i64 {number})")
    e.store("i64", e.add(number, 1), rounds, WORD)


def _load_task(e: Emitter, task: str) -> tuple[str, str, str, str]:
    """Function, parameters, bytes per chunk, chunks."""
    kinds = ("ptr", "ptr", "i64", "i64")
    words = [e.load(kind, e.at(task, number * WORD), WORD) for number, kind in enumerate(kinds)]
    return words[0], words[1], words[2], words[3]


def _call_chunk(e: Emitter, task: tuple[str, str, str, str], chunk: Value, bases: str) -> None:
    function, parameters, size, _ = task
    place = e.at(parameters, e.multiply(chunk, size))
    e.do(f"call {_TASK_TYPE} {function}(ptr {bases}, ptr {place}, ptr %staging)")


def _emit_chunks(e: Emitter) -> None:
    with e.function("chunks", "ptr %task, ptr %bases, ptr %staging"):
        task = _load_task(e, "%task")
        with e.loop(0, task[3]) as chunk:
            _call_chunk(e, task, chunk, "%bases")


def _task_at(e: Emitter, number: str) -> str:
    return e.at(e.at("%list", WORD), e.multiply(number, TASK_WORDS * WORD))


def _emit_alone(e: Emitter) -> None:
    with (
        e.function("alone", "ptr %bases, ptr %list, ptr %staging", exported=True),
        e.loop(0, e.load("i64", "%list", WORD)) as number,
    ):
        e.do(f"call void @chunks(ptr {_task_at(e, number)}, ptr %bases, ptr %staging)")


def _emit_work(e: Emitter) -> None:
    """Claims chunks of the published task until none is left. Only for the owner and those who have entered."""
    with e.function("work", "ptr %pool, ptr %staging"):
        task = _load_task(e, e.at("%pool", _TASK))
        bases = e.load("ptr", e.at("%pool", _BASES), WORD)
        following = e.at("%pool", _NEXT)
        with e.repeat() as again:
            chunk = e.atomic("add", following, 1, "monotonic")
            claimed = e.value(f"icmp slt i64 {chunk}, {task[3]}")
            with e.when(claimed):
                _call_chunk(e, task, chunk, bases)
            again(claimed)


def _emit_publish(e: Emitter) -> None:
    """Runs one task together with helpers, as the pool's owner."""
    with e.function("publish", "ptr %pool, ptr %task, ptr %bases, ptr %staging, i64 %seats"):
        rounds = _counter(e)
        state = e.at("%pool", _STATE)
        for number in range(TASK_WORDS):
            # Helpers glance at these words before they enter, so even the plain ones are written whole.
            word = e.load("i64", e.at("%task", number * WORD), WORD)
            e.atomic_store(word, e.at("%pool", _TASK + number * WORD))
        e.atomic_store(e.value("ptrtoint ptr %bases to i64"), e.at("%pool", _BASES))
        e.atomic_store(0, e.at("%pool", _NEXT))
        seats = e.value(f"shl i64 %seats, {_COUNT_BITS}")
        e.atomic_store(e.value(f"or i64 {seats}, {_OPEN}"), state, "release")
        e.do("call void @work(ptr %pool, ptr %staging)")
        e.atomic("and", state, _COUNT, "acq_rel")
        with e.repeat() as again:
            inside = e.value(f"icmp ne i64 {e.atomic_load(state, 'acquire')}, 0")
            with e.when(inside):
                _relax(e, rounds)
            again(inside)


def _emit_shared(e: Emitter) -> None:
    with e.function("shared", "ptr %bases, ptr %list, ptr %staging, ptr %pool, i64 %seats", exported=True):
        owned = e.exchange(e.at("%pool", _OWNER), 0, 1)
        with e.when(e.value(f"xor i1 {owned}, true")):
            e.do("call void @alone(ptr %bases, ptr %list, ptr %staging)")
        with e.when(owned):
            with e.loop(0, e.load("i64", "%list", WORD)) as number:
                task = _task_at(e, number)
                chunks = e.load("i64", e.at(task, (TASK_WORDS - 1) * WORD), WORD)
                several = e.value(f"icmp sgt i64 {chunks}, 1")
                with e.when(several):
                    arguments = f"ptr %pool, ptr {task}, ptr %bases, ptr %staging, i64 %seats"
                    e.do(f"call void @publish({arguments})")
                with e.when(e.value(f"xor i1 {several}, true")):
                    e.do(f"call void @chunks(ptr {task}, ptr %bases, ptr %staging)")
            e.atomic_store(0, e.at("%pool", _OWNER), "release")


def _emit_join(e: Emitter) -> None:
    """Enters if the state is still the one that was seen, works, and leaves."""
    with e.function("join", "ptr %pool, ptr %staging, i64 %seen"):
        state = e.at("%pool", _STATE)
        with e.when(e.exchange(state, "%seen", e.add("%seen", 1))):
            e.do("call void @work(ptr %pool, ptr %staging)")
            e.atomic("sub", state, 1, "release")


def _emit_help(e: Emitter) -> None:
    with e.function("help", "ptr %pool, ptr %staging, i64 %spins", exported=True):
        idle, rounds = _counter(e), _counter(e)
        with e.repeat() as again:
            seen = e.atomic_load(e.at("%pool", _STATE))
            with e.when(_has_work(e, seen)):
                e.do(f"call void @join(ptr %pool, ptr %staging, i64 {seen})")
                e.store("i64", 0, idle, WORD)
                e.store("i64", 0, rounds, WORD)
            _relax(e, rounds)
            # While somebody owns the pool the next task may be published at any time: that is no idle look.
            owner = e.atomic_load(e.at("%pool", _OWNER))
            looks = e.subtract(e.add(e.load("i64", idle, WORD), 1), owner)
            e.store("i64", looks, idle, WORD)
            again(e.value(f"icmp slt i64 {looks}, %spins"))


def _has_work(e: Emitter, state: str) -> str:
    """Whether the state is open with a free seat, and chunks are left."""
    is_open = e.value(f"icmp slt i64 {state}, 0")
    seats = e.mask(e.value(f"lshr i64 {state}, {_COUNT_BITS}"), _SEATS)
    is_free = e.value(f"icmp slt i64 {e.mask(state, _COUNT)}, {seats}")
    following = e.atomic_load(e.at("%pool", _NEXT))
    chunks = e.atomic_load(e.at("%pool", _TASK + (TASK_WORDS - 1) * WORD))
    is_left = e.value(f"icmp slt i64 {following}, {chunks}")
    both = e.value(f"and i1 {is_open}, {is_free}")
    return e.value(f"and i1 {both}, {is_left}")
