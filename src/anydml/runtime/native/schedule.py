"""The native part of the thread pool: publishing tasks, working and waiting, as LLVM IR.

Each happens inside one native call, so Python code never runs while helpers work on a caller's buffers: no
exception can leave before they are done.

A pool has one owner at a time. For each task with several chunks the owner writes the task into the pool and sets
`state` to OPEN with a number of seats. Helpers enter by exchanging the state for one that counts one more, which
fails once it is closed. Chunks are divided into as many parts as there may be threads, each with a counter from which
chunks are claimed. A thread begins with the part of its own number, the same for every task, so that it finds in its
caches what it wrote there before; then it helps with the others, whose last chunks it takes first: those that are
taken from a part are the same ones each time, too. When none is left the owner closes the state, so
nobody else enters (a helper does so too), and waits until all who entered have left. That is also the barrier between
tasks.
"""

from __future__ import annotations

from anydml.runtime.native.emit import Emitter, Value

WORD = 8
TASK_WORDS = 4
"""A task in a list: address of the function, address of the parameters, bytes per chunk, number of chunks. The
list begins with the number of its tasks."""

# Fields of a pool. Those that different threads write lie on different cache lines, and these on different pairs.
_APART = 128
_OWNER, _STATE, _TASK = (number * _APART for number in range(3))
_BASES = _TASK + TASK_WORDS * WORD
_PARTS = _BASES + WORD
_HOME = _PARTS + WORD
"""The processor that the owner runs on, where there is one for each thread; else -1."""
FUNCTIONS = ("sched_yield", "sem_wait", "sem_post", "sched_getcpu", "sched_getaffinity", "sched_setaffinity")
"""Functions of the system that pools use; their addresses are in `TABLE`, 0 where there is none."""
YIELD, WAIT, POST, PROCESSOR, GET_MASK, SET_MASK = range(6)
TABLE = 3 * _APART
PROCESSORS = TABLE + len(FUNCTIONS) * WORD
"""How many processors threads may use."""
_OTHERS = 4 * _APART
"""Where the owner writes which processors a helper may wake on."""
_MASK_BYTES = 128
_COUNTERS = 5 * _APART
MOST_THREADS = 256
_HELPERS = _COUNTERS + MOST_THREADS * _APART
_HELPER_BYTES = 256
POOL_BYTES = _HELPERS + MOST_THREADS * _HELPER_BYTES

# Fields of a helper.
_IS_ASLEEP, THREAD, SEMAPHORE, _MASK = 0, 8, 64, 128
MOST_STEERED = 16
"""Helpers that are kept off the processor of whoever wakes them; where there are more, some will find another."""

_CHUNK_BITS = 32
"""A counter holds the first chunk that is not claimed, and in the bits above these the one after the last."""
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
_SLEEPS = 8
"""A helper returns after so many: Python may have an exception for its thread."""

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
    `help(pool, staging, spins, number)` works on what is published. After `spins` looks that found nothing it sleeps
    until somebody publishes; where there is no semaphore it returns.
    `rest(pool, rounds)` waits as helpers do; it measures how long a look takes.
    """
    e = Emitter(vector_bytes=16)
    _emit_relax(e, architecture)
    _emit_chunks(e)
    _emit_alone(e)
    _emit_work(e)
    _emit_publish(e)
    _emit_steer(e)
    _emit_leave(e)
    _emit_wake(e)
    _emit_shared(e)
    _emit_join(e)
    _emit_look(e)
    _emit_sleep(e)
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
            function = _function(e, YIELD)
            with e.when(e.value(f"icmp ne ptr {function}, null")):
                e.value(f"call i32 {function}()")
    with e.function("rest", "ptr %pool, i64 %rounds", exported=True), e.loop(0, "%rounds") as i:
        e.do(f"call void @relax(ptr %pool, i64 {i})")


def _function(e: Emitter, number: int) -> str:
    return e.load("ptr", e.at("%pool", TABLE + number * WORD), WORD)


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


def _bound(e: Emitter, part: Value, chunks: Value, parts: Value) -> str:
    """The first chunk of a part."""
    return e.value(f"udiv i64 {e.multiply(part, chunks)}, {parts}")


def _counter_of(e: Emitter, part: Value) -> str:
    return e.at(e.at("%pool", _COUNTERS), e.multiply(part, _APART))


def _emit_work(e: Emitter) -> None:
    """Claims chunks of the published task until none is left. Only for the owner and those who have entered."""
    with e.function("part", "ptr %pool, ptr %staging, i64 %part, i64 %step"):
        task = _load_task(e, e.at("%pool", _TASK))
        bases = e.load("ptr", e.at("%pool", _BASES), WORD)
        is_front = e.value("icmp eq i64 %step, 1")
        with e.repeat() as again:
            first, last = _unclaimed(e, e.atomic("add", _counter_of(e, "%part"), "%step", "monotonic"))
            claimed = e.value(f"icmp slt i64 {first}, {last}")
            with e.when(claimed):
                chunk = e.value(f"select i1 {is_front}, i64 {first}, i64 {e.subtract(last, 1)}")
                _call_chunk(e, task, chunk, bases)
            again(claimed)
    with e.function("work", "ptr %pool, ptr %staging, i64 %number"):
        parts = e.load("i64", e.at("%pool", _PARTS), WORD)
        with e.loop("%number", e.add("%number", parts)) as number:
            part = e.value(f"urem i64 {number}, {parts}")
            is_own = e.value(f"icmp eq i64 {number}, %number")
            step = e.value(f"select i1 {is_own}, i64 1, i64 {-(1 << _CHUNK_BITS)}")
            # Parts that are done are left alone: writing to their counters would only slow others down.
            first, last = _unclaimed(e, e.atomic_load(_counter_of(e, part)))
            with e.when(e.value(f"icmp slt i64 {first}, {last}")):
                e.do(f"call void @part(ptr %pool, ptr %staging, i64 {part}, i64 {step})")


def _unclaimed(e: Emitter, counter: str) -> tuple[str, str]:
    """The first chunk that nobody has claimed, and the one after the last."""
    first = e.value(f"and i64 {counter}, {(1 << _CHUNK_BITS) - 1}")
    return first, e.value(f"ashr i64 {counter}, {_CHUNK_BITS}")


def _emit_publish(e: Emitter) -> None:
    """Runs one task together with helpers, as the pool's owner."""
    with e.function("publish", "ptr %pool, ptr %task, ptr %bases, ptr %staging, i64 %seats"):
        rounds = _counter(e)
        state = e.at("%pool", _STATE)
        for number in range(TASK_WORDS):
            word = e.load("i64", e.at("%task", number * WORD), WORD)
            e.store("i64", word, e.at("%pool", _TASK + number * WORD), WORD)
        e.store("ptr", "%bases", e.at("%pool", _BASES), WORD)
        chunks = e.load("i64", e.at("%task", (TASK_WORDS - 1) * WORD), WORD)
        parts = e.add("%seats", 1)
        e.store("i64", parts, e.at("%pool", _PARTS), WORD)
        with e.loop(0, parts) as part:
            first, last = (_bound(e, number, chunks, parts) for number in (part, e.add(part, 1)))
            e.atomic_store(e.add(first, e.value(f"shl i64 {last}, {_CHUNK_BITS}")), _counter_of(e, part))
        seats = e.value(f"shl i64 %seats, {_COUNT_BITS}")
        e.atomic_store(e.value(f"or i64 {seats}, {_OPEN}"), state, "release")
        e.do("call void @work(ptr %pool, ptr %staging, i64 0)")
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
            with e.when(e.value(f"icmp ne ptr {_function(e, WAIT)}, null")):
                _emit_home(e)
                e.do("call void @wake(ptr %pool, i64 %seats)")
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


def _emit_home(e: Emitter) -> None:
    """Tells helpers which processor to keep off, if each thread can have one."""
    has_room = e.value(f"icmp slt i64 %seats, {e.load('i64', e.at('%pool', PROCESSORS), WORD)}")
    own = e.value(f"zext i32 {e.value(f'call i32 {_function(e, PROCESSOR)}()')} to i64")
    e.store("i64", e.value(f"select i1 {has_room}, i64 {own}, i64 -1"), e.at("%pool", _HOME), WORD)


def helper_offset(number: int) -> int:
    """Where the fields of a helper are in a pool; helpers are counted from 1."""
    return _HELPERS + number % MOST_THREADS * _HELPER_BYTES


def _helper(e: Emitter, number: Value) -> str:
    return e.at(e.at("%pool", _HELPERS), e.multiply(e.value(f"urem i64 {number}, {MOST_THREADS}"), _HELPER_BYTES))


def _emit_wake(e: Emitter) -> None:
    """Wakes those of the first `seats` helpers that sleep. Whoever falls asleep later sees that there is an owner."""
    with e.function("wake", "ptr %pool, i64 %seats"):
        e.do("fence seq_cst")
        with e.loop(1, e.add("%seats", 1)) as number:
            helper = _helper(e, number)
            is_asleep = e.value(f"icmp ne i64 {e.atomic_load(e.at(helper, _IS_ASLEEP))}, 0")
            with e.when(is_asleep), e.when(e.exchange(e.at(helper, _IS_ASLEEP), 1, 0)):
                with e.when(e.value(f"icmp sle i64 {number}, {MOST_STEERED}")):
                    e.do(f"call void @steer(ptr %pool, ptr {helper})")
                e.value(f"call i32 {_function(e, POST)}(ptr {e.at(helper, SEMAPHORE)})")


def _emit_steer(e: Emitter) -> None:
    """Lets a sleeping helper wake on any processor it may use but this thread's.

    Virtual machines often tell the system that idle processors are taken, and then it wakes both on the same one.
    The helper goes back to all its processors when it is awake.
    """
    with e.function("steer", "ptr %pool, ptr %helper"):
        number = e.value(f"call i32 {_function(e, PROCESSOR)}()")
        thread = e.load("i32", e.at("%helper", THREAD), WORD)
        e.do(f"call void @allow(ptr %pool, ptr %helper, i32 {thread}, i32 {number}, ptr {e.at('%pool', _OTHERS)})")
    parameters = "ptr %pool, ptr %helper, i32 %thread, i32 %number, ptr %others"
    is_known = f"icmp ult i32 %number, {8 * _MASK_BYTES}"
    with e.function("allow", parameters), e.when(e.value(is_known)):
        wide = e.value("zext i32 %number to i64")
        place, bit = e.value(f"lshr i64 {wide}, 6"), e.value(f"shl i64 1, {e.mask(wide, 63)}")
        for word in range(0, _MASK_BYTES, WORD):
            e.store("i64", e.load("i64", e.at("%helper", _MASK + word), WORD), e.at("%others", word), WORD)
        own = e.at("%others", e.multiply(place, WORD))
        kept = e.value(f"and i64 {e.load('i64', own, WORD)}, {e.value(f'xor i64 {bit}, -1')}")
        e.store("i64", kept, own, WORD)
        # Where no processor is left this fails, and nothing is changed.
        e.value(f"call i32 {_function(e, SET_MASK)}(i32 %thread, i64 {_MASK_BYTES}, ptr %others)")


def _emit_leave(e: Emitter) -> None:
    """Moves a helper off the owner's processor: some systems put threads together that could run side by side."""
    with e.function("leave", "ptr %pool, i64 %number"):
        others = e.value(f"alloca i8, i64 {_MASK_BYTES}, align {WORD}")
        here = e.value(f"call i32 {_function(e, PROCESSOR)}()")
        is_home = e.value(
            f"icmp eq i64 {e.value(f'zext i32 {here} to i64')}, {e.load('i64', e.at('%pool', _HOME), WORD)}"
        )
        with e.when(is_home):
            helper = _helper(e, "%number")
            mask = e.at(helper, _MASK)
            e.value(f"call i32 {_function(e, GET_MASK)}(i32 0, i64 {_MASK_BYTES}, ptr {mask})")
            e.do(f"call void @allow(ptr %pool, ptr {helper}, i32 0, i32 {here}, ptr {others})")
            e.value(f"call i32 {_function(e, SET_MASK)}(i32 0, i64 {_MASK_BYTES}, ptr {mask})")


def _emit_join(e: Emitter) -> None:
    """Enters if the state is still the one that was seen, works, and leaves."""
    with e.function("join", "ptr %pool, ptr %staging, i64 %seen, i64 %number"):
        state = e.at("%pool", _STATE)
        with e.when(e.exchange(state, "%seen", e.add("%seen", 1))):
            with e.when(e.value(f"icmp ne ptr {_function(e, WAIT)}, null")):
                e.do("call void @leave(ptr %pool, i64 %number)")
            e.do("call void @work(ptr %pool, ptr %staging, i64 %number)")
            # No chunk is left, so nobody needs to enter any more.
            e.atomic("and", state, _COUNT, "acq_rel")
            e.atomic("sub", state, 1, "release")


def _emit_look(e: Emitter) -> None:
    """Works on what is published, until `spins` looks have found nothing."""
    with e.function("look", "ptr %pool, ptr %staging, i64 %spins, i64 %number"):
        idle, rounds = _counter(e), _counter(e)
        with e.repeat() as again:
            seen = e.atomic_load(e.at("%pool", _STATE))
            with e.when(_has_work(e, seen)):
                e.do(f"call void @join(ptr %pool, ptr %staging, i64 {seen}, i64 %number)")
                e.store("i64", 0, idle, WORD)
                e.store("i64", 0, rounds, WORD)
            _relax(e, rounds)
            # While somebody owns the pool the next task may be published at any time: that is no idle look.
            owner = e.atomic_load(e.at("%pool", _OWNER))
            looks = e.subtract(e.add(e.load("i64", idle, WORD), 1), owner)
            e.store("i64", looks, idle, WORD)
            again(e.value(f"icmp slt i64 {looks}, %spins"))


def _emit_help(e: Emitter) -> None:
    with e.function("help", "ptr %pool, ptr %staging, i64 %spins, i64 %number", exported=True):
        sleeps = _counter(e)
        can_sleep = e.value(f"icmp ne ptr {_function(e, WAIT)}, null")
        with e.repeat() as again:
            e.do("call void @look(ptr %pool, ptr %staging, i64 %spins, i64 %number)")
            with e.when(can_sleep):
                e.do("call void @sleep(ptr %pool, i64 %number)")
            count = e.add(e.load("i64", sleeps, WORD), 1)
            e.store("i64", count, sleeps, WORD)
            again(e.value(f"and i1 {can_sleep}, {e.value(f'icmp slt i64 {count}, {_SLEEPS}')}"))


def _emit_sleep(e: Emitter) -> None:
    """Marks itself as asleep, and waits to be woken, unless the pool has got an owner meanwhile.

    Once an owner has taken the mark it raises the semaphore, so that must be waited for.
    """
    with e.function("sleep", "ptr %pool, i64 %number"):
        helper = _helper(e, "%number")
        mark, mask = e.at(helper, _IS_ASLEEP), e.at(helper, _MASK)
        e.value(f"call i32 {_function(e, GET_MASK)}(i32 0, i64 {_MASK_BYTES}, ptr {mask})")
        e.atomic_store(1, mark, "release")
        e.do("fence seq_cst")
        is_owned = e.value(f"icmp ne i64 {e.atomic_load(e.at('%pool', _OWNER))}, 0")
        with e.when(is_owned), e.when(e.value(f"xor i1 {e.exchange(mark, 1, 0)}, true")):
            e.do(f"call void @wait(ptr %pool, ptr {helper})")
        with e.when(e.value(f"xor i1 {is_owned}, true")):
            e.do(f"call void @wait(ptr %pool, ptr {helper})")
    with e.function("wait", "ptr %pool, ptr %helper"):
        with e.repeat() as again:
            status = e.value(f"call i32 {_function(e, WAIT)}(ptr {e.at('%helper', SEMAPHORE)})")
            again(e.value(f"icmp ne i32 {status}, 0"))  # a signal has interrupted it
        e.value(f"call i32 {_function(e, SET_MASK)}(i32 0, i64 {_MASK_BYTES}, ptr {e.at('%helper', _MASK)})")


def _has_work(e: Emitter, state: str) -> str:
    """Whether the state is open with a free seat."""
    is_open = e.value(f"icmp slt i64 {state}, 0")
    seats = e.mask(e.value(f"lshr i64 {state}, {_COUNT_BITS}"), _SEATS)
    is_free = e.value(f"icmp slt i64 {e.mask(state, _COUNT)}, {seats}")
    return e.value(f"and i1 {is_open}, {is_free}")
