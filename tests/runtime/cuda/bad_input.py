"""What goes wrong on a GPU, and how it is told: memory that is not what it should be, too little of it, kernels that
fail, and work on several streams. Needs a GPU; PyTorch and JAX are used where they are installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Thread
from typing import Any

import numpy as np

import anydml as dml
from anydml.core.errors import OutOfMemoryError
from anydml.graph.graph import Graph

SIDE = 256
SLACK_BYTES = 1 << 20
"""What CuPy may keep for itself; the memory of the runs that fail here is hundreds of times as much."""
FOUR = dml.TensorDesc("FLOAT32", [4])
CHECKS: list[Callable[[], None]] = []


def check(function: Callable[[], None]) -> Callable[[], None]:
    CHECKS.append(function)
    return function


@contextmanager
def raises(kind: type[Exception], *words: str) -> Iterator[None]:
    try:
        yield
    except kind as error:
        lacking = [word for word in words if word not in str(error)]
        assert not lacking, f"{lacking} not in: {error}"
        return
    raise AssertionError(f"no {kind.__name__}")


def device() -> dml.Device:
    return dml.Device("cuda")


def relu(size: int = 4) -> Any:
    return device().compile(dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [size])))


def require_usable() -> None:
    """The device still works."""
    assert relu()(device().upload(np.float32([-1, 2, -3, 4]))).tolist() == [0, 2, 0, 4]


def twice_softmax(rows: int, columns: int) -> Any:
    """A graph with an arena."""
    scan = dml.ActivationSoftmax(input_tensor=dml.TensorDesc("FLOAT32", [rows, columns]))
    return device().compile_graph(Graph([scan, scan], [(0, 0, 0)], [(1, 0, 0)], [(0, 0, 1, 0)]))


# Memory that is not what it should be


@check
def host_arrays_are_refused() -> None:
    with raises(dml.BindingError, "InputTensor", "ndarray of the host", "device.upload"):
        relu()(np.ones(4, "f4"))
    with raises(dml.BindingError, "InputTensor", "memory of host", "device.upload"):
        relu()(dml.Device().upload(np.ones(4, "f4")))
    with raises(dml.BindingError, "OutputTensor", "device.upload"):
        relu()(device().upload(np.ones(4, "f4")), output_tensor=np.ones(4, "f4"))


@check
def what_is_no_memory_is_refused() -> None:
    for value in (1, "text", object(), [1, 2]):
        with raises(dml.BindingError, "InputTensor"):
            relu()(value)


@check
def too_small_memory_is_refused() -> None:
    import cupy

    with raises(dml.BindingError, "InputTensor", "12 bytes", "at least 16"):
        relu()(cupy.ones(3, "f4"))
    with raises(dml.BindingError, "OutputTensor", "8 bytes"):
        relu()(cupy.ones(4, "f4"), output_tensor=cupy.ones(2, "f4"))


@check
def misaligned_memory_is_refused() -> None:
    import cupy

    raw = cupy.zeros(64, "u1")
    with raises(dml.BindingError, "InputTensor", "1 byte past a multiple of 4"):
        relu()(raw[1:17])
    assert relu()(raw[4:20]).tolist() == [0] * 4


@check
def arrays_of_other_layouts_and_types_are_refused() -> None:
    import cupy

    with raises(dml.BindingError, "InputTensor", "strides"):
        relu()(cupy.ones(8, "f4")[::2])
    with raises(dml.BindingError, "InputTensor", "float64", "astype"):
        relu()(cupy.ones(4, "f8"))


@check
def shared_memory_is_refused() -> None:
    import cupy

    raw = cupy.ones(8, "f4")
    with raises(dml.BindingError, "OutputTensor", "memory shared"):
        relu()(raw[:4], output_tensor=raw[2:6])


@check
def freed_memory_is_refused() -> None:
    import cupy

    address = cupy.cuda.runtime.malloc(1 << 22)
    owner = cupy.cuda.UnownedMemory(address, 1 << 22, None)
    array = cupy.ndarray((4,), "f4", cupy.cuda.MemoryPointer(owner, 0))
    relu()(array)
    cupy.cuda.runtime.free(address)
    with raises(dml.BindingError, "InputTensor", "freed"):
        relu()(array)
    require_usable()


@check
def memory_of_another_gpu_is_refused() -> None:
    """With one GPU: a device that takes itself for another one."""
    import cupy

    from anydml.runtime.cuda.space import CudaMemory

    class Second:
        arrays, number = cupy, 1

    with raises(dml.BindingError, "memory of cuda:0", "memory of cuda:1", "this GPU"):
        CudaMemory(Second()).adopt(cupy.ones(4, "f4"), "InputTensor", None)  # type: ignore[arg-type]
    with raises(dml.BindingError, "memory of cuda:0", "memory of cuda:1"):
        CudaMemory(Second()).adopt(device().allocate(16), "InputTensor", None)  # type: ignore[arg-type]


@check
def memory_lives_as_long_as_it_is_bound() -> None:
    import cupy

    run = relu(1 << 20)
    table = device().create_binding_table(run)
    target = cupy.empty(1 << 20, "f4")
    table.bind_inputs([cupy.full(1 << 20, 3, "f4")])
    table.bind_outputs([target])
    table.dispatch()
    for _ in range(8):
        cupy.full(1 << 20, 9, "f4")
    cupy.get_default_memory_pool().free_all_blocks()
    table.dispatch()
    assert float(target.min()) == float(target.max()) == 3


# Too little memory


@contextmanager
def filled(left: int) -> Iterator[None]:
    """Nearly all memory of the GPU taken by somebody else."""
    import cupy

    cupy.get_default_memory_pool().free_all_blocks()
    free, _ = cupy.cuda.runtime.memGetInfo()
    address = cupy.cuda.runtime.malloc(free - left)
    try:
        yield
    finally:
        cupy.cuda.runtime.free(address)


@check
def too_much_memory_is_refused() -> None:
    with raises(OutOfMemoryError, f"{1 << 50} bytes", "free on the GPU"):
        device().allocate(1 << 50)
    require_usable()


@check
def an_arena_that_does_not_fit_is_released() -> None:
    import cupy

    run, pool = twice_softmax(1 << 13, 1 << 13), cupy.get_default_memory_pool()
    source = cupy.ones((1 << 13, 1 << 13), "f4")
    target = cupy.empty_like(source)
    before = pool.used_bytes()
    with filled(128 << 20):
        with raises(OutOfMemoryError, "bytes", "free on the GPU"):
            run(source, output0=target)
        assert pool.used_bytes() < before + SLACK_BYTES and not run._arenas, (pool.used_bytes(), before, run._arenas)
        require_usable()
    run(source, output0=target)
    assert abs(float(target.sum()) - (1 << 13)) < 1


@check
def a_program_that_runs_out_of_memory_is_named() -> None:
    import cupy

    tensor = dml.TensorDesc("FLOAT32", [1 << 14, 1 << 13])
    run = device().compile(
        dml.CumulativeSummation(input_tensor=tensor, axis=1, axis_direction="DECREASING", has_exclusive_sum=True)
    )
    source, target = (cupy.ones((1 << 14, 1 << 13), "f4") for _ in range(2))
    before = cupy.get_default_memory_pool().used_bytes()
    with filled(128 << 20):
        with raises(OutOfMemoryError, "CUMULATIVE_SUMMATION", "free on the GPU"):
            run(source, output_tensor=target)
        used = cupy.get_default_memory_pool().used_bytes()
        assert used < before + SLACK_BYTES, (used, before)
        require_usable()
    run(source, output_tensor=target)
    assert float(target[0, 0]) == (1 << 13) - 1, target


# Kernels that fail


class Broken:
    """A step that starts a kernel of this text."""

    is_replayable = True

    def __init__(self, text: str, threads: int = 32) -> None:
        self.text, self.threads = text, threads

    def bind(self, memory: Any) -> Any:
        from anydml.runtime.cuda.text.pointwise import Launch

        driver: Any = device().backend.driver  # type: ignore[attr-defined]
        return driver.launcher(Launch(self.text, 1, self.threads, bytes(8)))


TRAP = 'struct P { long long x; }; extern "C" __global__ void kernel(const P p) { asm("trap;"); }'
FINE = 'struct P { long long x; }; extern "C" __global__ void kernel(const P p) {}'


def run_broken(step: Broken) -> None:
    from anydml.runtime.cuda.replay import Replay

    Replay(device().backend.driver, [step], [], "SOME_OPERATOR").run()  # type: ignore[attr-defined]


@check
def a_kernel_that_does_not_compile_is_named() -> None:
    from anydml.runtime.cuda.driver import CudaError

    with raises(CudaError, "SOME_OPERATOR", "KernelError"):
        run_broken(Broken("this is no kernel"))
    require_usable()


@check
def a_kernel_that_cannot_start_is_named() -> None:
    from anydml.runtime.cuda.driver import CudaError

    with raises(CudaError, "SOME_OPERATOR", "INVALID_VALUE"):
        run_broken(Broken(FINE, threads=4096))
    require_usable()


@check
def a_kernel_that_fails_is_named_when_somebody_waits() -> None:
    """In a process of its own: CUDA has no way back from it."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.runtime.cuda.bad_input", "trap"], capture_output=True, text=True, timeout=120
    )
    assert "CudaError: SOME_OPERATOR" in done.stdout and "start the program again" in done.stdout, done


def trap() -> None:
    from anydml.runtime.cuda.driver import CudaError

    target = device().allocate(16)
    run_broken(Broken(TRAP))
    try:
        device().download(target)
    except CudaError as error:
        print(f"CudaError: {error}", flush=True)


# Streams


@check
def one_operator_on_many_streams() -> None:
    """Runs share an arena, and are started one after another on streams that know nothing of each other."""
    import cupy

    run = twice_softmax(2048, 1024)
    sources = [cupy.random.standard_normal((2048, 1024), dtype="f4") for _ in range(6)]
    wanted = [_softmax(_softmax(source)) for source in sources]
    targets = [cupy.zeros_like(source) for source in sources]
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in sources]
    cupy.cuda.Device().synchronize()
    for _ in range(20):
        for source, target, stream in zip(sources, targets, streams, strict=True):
            with stream:
                run(source, output0=target)
    cupy.cuda.Device().synchronize()
    for target, right in zip(targets, wanted, strict=True):
        assert float(abs(target - right).max()) < 1e-6


def _softmax(x: Any) -> Any:
    import cupy

    power = cupy.exp(x - x.max(1, keepdims=True))
    return power / power.sum(1, keepdims=True)


@check
def products_on_many_streams_and_threads() -> None:
    """Each stream has memory of its own for cuBLAS, as has each recorded graph."""
    import cupy

    tensor = dml.TensorDesc("FLOAT16", [SIDE, 8192]), dml.TensorDesc("FLOAT16", [8192, SIDE])
    run = device().compile(dml.Gemm(a_tensor=tensor[0], b_tensor=tensor[1]))
    a, b = (cupy.random.standard_normal(t.sizes, dtype="f4").astype("f2") for t in tensor)
    wanted = a.astype("f4") @ b.astype("f4")
    targets = [cupy.zeros((SIDE, SIDE), "f2") for _ in range(4)]
    cupy.cuda.Device().synchronize()

    def work(target: Any) -> None:
        with cupy.cuda.Stream(non_blocking=True) as stream:
            for _ in range(50):
                run(a, b, output_tensor=target)
            stream.synchronize()

    threads = [Thread(target=work, args=(target,)) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for target in targets:
        assert float(abs(target - wanted).max()) < 0.02 * float(abs(wanted).max())


def pytorch_tensors_are_ordered_on_pytorchs_stream() -> None:
    import torch

    run, size = relu(1 << 24), 1 << 24
    side = torch.cuda.Stream()
    x, y = torch.zeros(size, device="cuda"), torch.zeros(size, device="cuda")
    table = device().create_binding_table(run)
    table.bind_inputs([x])
    table.bind_outputs([y])
    table.dispatch()
    for number in range(1, 6):
        y.fill_(-7)
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(20_000_000)
            x.fill_(number)
            if number % 2:
                run(x, output_tensor=y)
            else:
                table.dispatch()
            z = y.clone()
        torch.cuda.synchronize()
        assert float(z.min()) == float(z.max()) == number, (number, float(z.min()), float(z.max()))


def pytorch_tensors_of_the_host_and_with_gradients_are_refused() -> None:
    import torch

    with raises(dml.BindingError, "Tensor of the host", "device.upload"):
        relu()(torch.ones(4))
    with raises(dml.BindingError, "InputTensor"):
        relu()(torch.ones(4, device="cuda", requires_grad=True))
    assert relu()(torch.tensor([-1.0, 2, -3, 4], device="cuda")).tolist() == [0, 2, 0, 4]


def jax_arrays_are_read_and_never_written() -> None:
    import jax.numpy as jnp

    x = jnp.array([-1.0, 2, -3, 4], jnp.float32)
    found = relu().on_device(x)
    assert jnp.from_dlpack(found).tolist() == [0, 2, 0, 4]
    with raises(dml.BindingError, "OutputTensor", "read-only"):
        relu()(x, output_tensor=x)
    assert x.tolist() == [-1, 2, -3, 4]


if find_spec("torch"):
    check(pytorch_tensors_are_ordered_on_pytorchs_stream)
    check(pytorch_tensors_of_the_host_and_with_gradients_are_refused)
if find_spec("jax"):
    check(jax_arrays_are_read_and_never_written)


def check_bad_input() -> tuple[int, list[str]]:
    """How many checks there are, and those that failed."""
    failures = []
    for each in CHECKS:
        try:
            each()
        except Exception as error:  # every failure is told, whatever it is
            failures.append(f"{each.__name__}: {type(error).__name__}: {str(error)[:400]}")
    return len(CHECKS), failures


if __name__ == "__main__" and sys.argv[1:] == ["trap"]:
    trap()
