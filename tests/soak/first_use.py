"""Interrupts while the package is used for the first time in a process, which is when it loads its modules.

Each case is a process of its own. It uses anydml, is disturbed once at a random moment, and uses anydml again: that
must work, and end in time.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.harness import Summary, run_cases

ROOT = Path(__file__).parents[2]
LIMIT_SECONDS, PROGRAM_SECONDS = 55.0, 40
STORMS = 0.1
"""The share of programs with hundreds of interrupts."""
LONGEST_SECONDS = 0.9
"""A first use takes about half a second."""
MOST_EVENTS = 60_000
"""Calls and returns of a first use, in the thread that is interrupted."""

USES = {
    "operator": """
x = dml.TensorDesc("FLOAT32", [2, 3], strides=[1, 2])
y = dml.TensorDesc("FLOAT32", [2, 3])
run = dml.Device().compile(dml.ActivationSoftmax1(input_tensor=x, output_tensor=y, axes=[1]))
result = bytearray(24)
run(bytes(24), result)
assert memoryview(result).cast("f").tolist() == [memoryview(result).cast("f")[0]] * 6
""",
    "products": """
a, b = dml.TensorDesc("FLOAT32", [1, 1, 4, 8]), dml.TensorDesc("FLOAT32", [1, 1, 8, 4])
found = dml.Gemm(a_tensor=a, b_tensor=b)(memoryview(bytearray(b"\\0\\0\\x80\\x3f" * 32)), b"\\0\\0\\0\\x40" * 32)
assert found.tolist() == [[[[16.0] * 4] * 4]]
""",
    "graph": """
x = dml.TensorDesc("FLOAT32", [16])
relu, negate = (kind(input_tensor=x, output_tensor=x) for kind in (dml.ActivationRelu, dml.ElementWiseNegate))
graph = dml.Graph([relu, negate], [(0, 0, 0)], [(1, 0, 0)], [(0, 0, 1, 0)])
assert dml.Device().compile_graph(graph)(b"\\0\\0\\x80\\x3f" * 16).tolist() == [-1.0] * 16
""",
    "pictures": """
assert "FLOAT32" in str(dml.explain(dml.TensorDesc("FLOAT32", [2, 3], [5, 1])))
assert dml.Layout((2, 3), (5, 1))[1, 2] == 7 and dml.explain(dml.Layout((2, 3))).to_svg().startswith("<svg")
""",
    "model": """
assert dml.run_model("examples/slice1_reversed.json")["output"].ravel().tolist() == [14, 16, 6, 8]
""",
    "refused": """
try:
    dml.TensorDesc("FLOAT32", [2, 3], strides=[5])
except dml.DmlError as error:
    assert "strides.count" in str(error)
else:
    raise AssertionError("accepted")
""",
}
"""What a program does first. None imports NumPy itself: that could be interrupted, too, and is not ours."""

HEAD = """
import ctypes, faulthandler, os, signal, sys, threading, time
kind, moment, again = {kind!r}, {moment!r}, {again!r}

def use():
    import anydml as dml
    exec(code, {{"dml": dml}})

code = compile({code!r}, "use", "exec")
faulthandler.dump_traceback_later({limit}, exit=True)

def interrupt(number, frame):
    raise KeyboardInterrupt

def raise_later(thread):
    time.sleep(moment)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))

def fork_later():
    time.sleep(moment)
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later({limit}, exit=True)
        try:
            use()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    children.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

children, errors = [], []

def use_and_tell():
    try:
        use()
    except Exception as error:
        errors.append(repr(error))

left = int(moment * {events} / {longest})
def count(frame, event, argument):
    global left
    left -= 1
    if left < 0:
        sys.setprofile(None)
        raise KeyboardInterrupt

def disturb():
    if kind == "signal":
        signal.signal(signal.SIGVTALRM, interrupt)
        signal.setitimer(signal.ITIMER_VIRTUAL, moment + 1e-6)
    if kind == "asynchronous":
        threading.Thread(target=raise_later, args=(threading.get_ident(),), daemon=True).start()
    if kind == "call":
        sys.setprofile(count)
    if kind == "fork":
        import anydml  # Python itself cannot fork while another thread is in this statement
        forker = threading.Thread(target=fork_later)
        forker.start()
        use()
        forker.join()
    if kind == "threads":
        signal.signal(signal.SIGVTALRM, interrupt)
        signal.setitimer(signal.ITIMER_VIRTUAL, moment + 1e-6)
        threads = [threading.Thread(target=use_and_tell) for _ in range(8)]
        for thread in threads:
            thread.start()
    use()
    # What arrives after the use is not what this program is about.
    time.sleep(moment if kind == "asynchronous" else 0)
    sys.setprofile(None)

ended = "undisturbed"
try:
    disturb()
except KeyboardInterrupt:
    ended = "interrupted"
sys.setprofile(None)
signal.setitimer(signal.ITIMER_VIRTUAL, 0)
for thread in threading.enumerate():
    if thread is not threading.current_thread() and kind == "threads":
        thread.join()
for _ in range(again):
    use()
helper = threading.Thread(target=use_and_tell)
helper.start()
helper.join()
assert not errors and not any(children), (errors, children)
print(ended)
"""
STORM = """
import ctypes, faulthandler, random, sys, threading, time
faulthandler.dump_traceback_later({limit}, exit=True)
import anydml as dml
from anydml.process.loading import load_module
dice, target, raised, is_over = random.Random({seed}), threading.get_ident(), [0], threading.Event()

def rage():
    while raised[0] < {count}:
        time.sleep(dice.uniform(1e-5, 3e-3))
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(target), ctypes.py_object(KeyboardInterrupt))
        raised[0] += 1
    is_over.set()

def use(name):
    load_module("anydml.catalog.examples").example_of(getattr(dml, name)).run("cpu")

def use_some(names):
    while not is_over.is_set():
        use(dice.choice(names))

def use_through(names):
    while not is_over.is_set():
        try:
            use_some(names)
        except KeyboardInterrupt:
            caught.append(1)

names, caught = load_module("anydml.operators").__all__, []
threading.Thread(target=rage, daemon=True).start()
while not is_over.is_set():
    try:
        use_through(names)
    except KeyboardInterrupt:  # outside the loop that expects it
        pass
try:
    time.sleep(0.01)  # the last one may still be on its way
except KeyboardInterrupt:
    pass
others = threading.Thread(target=lambda: [use(name) for name in names[:30]])
others.start()
for name in names:
    use(name)
others.join()
print(len(caught))
"""
"""One program with hundreds of exceptions from another thread, while it loads and compiles all operators."""
KINDS = ("signal", "asynchronous", "call", "fork", "threads")


def program(kind: str, use: str, moment: float, again: int = 2) -> str:
    """The text of a program that is disturbed in this way, after this many seconds, in its first use."""
    return HEAD.format(
        kind=kind,
        moment=moment,
        again=again,
        code=USES[use],
        limit=PROGRAM_SECONDS,
        events=MOST_EVENTS,
        longest=LONGEST_SECONDS,
    )


def storm(seed: int, count: int) -> str:
    """The text of a program that is interrupted so many times while it uses operators for the first time."""
    return STORM.format(seed=seed, count=count, limit=PROGRAM_SECONDS)


def run(text: str, cache: Path) -> tuple[int, str]:
    """Status and output of a program; its last line says how its first use ended."""
    environment = {
        **os.environ,
        "ANYDML_CACHE": str(cache),
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONWARNINGS": "ignore",
    }
    command = [sys.executable, "-X", "faulthandler", "-c", text]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, timeout=LIMIT_SECONDS, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return -1, "did not end"
    return done.returncode, done.stdout.strip() or done.stderr


def soak_first_uses(seed: int, seconds: float) -> Summary:
    """First uses that are interrupted, forked, or made by eight threads at once."""
    summary, dice = Summary("first uses", seed), random.Random(seed)

    def judge(text: str, kind: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            status, told = run(text, Path(folder) / "cache")
        if status:
            summary.fail(f"{kind}: {status} {told[-700:]}")
        summary.count(kind if not status else "failed")

    def case() -> None:
        if dice.random() < STORMS:
            judge(storm(dice.getrandbits(30), 300), "storm")
            return
        kind, use, moment = dice.choice(KINDS), dice.choice(list(USES)), dice.uniform(0, LONGEST_SECONDS)
        judge(program(kind, use, moment), f"{kind} after {moment:.4f} s of {use}")

    return run_cases(summary, case, None, seconds, LIMIT_SECONDS)
