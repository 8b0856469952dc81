"""The GPU as the backend sees it: memory, arrays, kernels and streams, all through CuPy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from threading import Lock, local
from typing import Any

from anydml.core.errors import OutOfMemoryError
from anydml.core.memory import Bytes
from anydml.core.rules import MEMORY
from anydml.process.loading import load_module
from anydml.runtime.backend import Run
from anydml.runtime.cuda.compiler import machine_code
from anydml.runtime.cuda.text.pointwise import Launch

INSTALL = "pip install 'anydml[cuda]'"
_DEFAULT_SHARED_BYTES = 48 << 10
"""More shared memory than this must be asked for."""

_MEMORY_KINDS = (2, 3)
"""CUDA's numbers for memory of a GPU and for managed memory."""


def missing() -> str | None:
    """Why there is no CUDA device here, in words; None where there is one."""
    if not find_spec("cupy"):
        return f"CuPy is not installed: {INSTALL}"
    try:
        count = load_module("cupy").cuda.runtime.getDeviceCount()
    except ImportError as error:
        return f"CuPy does not load: {error}"
    except Exception as error:  # CuPy's own classes, which cannot be named where it is missing
        words = str(error)
        return "no NVIDIA driver" if "InsufficientDriver" in words or "NoDevice" in words else words
    return None if count else "no NVIDIA GPU"


class CudaError(RuntimeError):
    """The GPU, its driver or a library failed while an operator ran."""


class Driver:
    """One GPU: the one that is CuPy's current device when it is first used."""

    def __init__(self) -> None:
        cupy = load_module("cupy")
        self.arrays: Any = cupy
        self.number: int = cupy.cuda.Device().id
        self.capability: str = cupy.cuda.Device().compute_capability
        self._kernels: dict[str, Any] = {}
        self._lock = Lock()
        self._threads = local()
        self._start = cupy.cuda.driver.launchKernel
        self.current_stream: Callable[[], Any] = cupy.cuda.get_current_stream
        self.started = ""
        """The name of what was started last: errors of work are found when somebody waits for it."""

    @cached_property
    def blas(self) -> Any:
        """cuBLAS; None where it does not load."""
        blas = load_module("anydml.runtime.cuda.blas")
        try:
            return blas.Blas(self)
        except (blas.LibraryError, ImportError, RuntimeError):
            return None

    @cached_property
    def dnn(self) -> Any:
        """cuDNN; None where it is not installed."""
        return load_module("anydml.runtime.cuda.dnn").load_dnn(self)

    def describe(self) -> str:
        """Name, memory, compute capability and driver."""
        runtime = self.arrays.cuda.runtime
        found = runtime.getDeviceProperties(self.number)
        name = found["name"].decode() if isinstance(found["name"], bytes) else found["name"]
        version = runtime.driverGetVersion()
        memory = f"{found['totalGlobalMem'] >> 20} MiB"
        driver = f"driver for CUDA {version // 1000}.{version % 1000 // 10}"
        return f"{name}, {memory}, compute capability {self.capability}, {driver}"

    # Streams

    def stream(self, address: int) -> Any:
        """A stream of somebody else."""
        return self.arrays.cuda.ExternalStream(address)

    def mark(self, stream: int) -> Any:
        """An event after all that a stream was given so far."""
        event = self.arrays.cuda.Event(disable_timing=True)
        event.record(self.stream(stream))
        return event

    # Memory

    def allocate(self, size: int) -> tuple[int, Any]:
        """The address of new memory, and what keeps it alive."""
        self.use()
        try:
            memory = self.arrays.cuda.alloc(max(size, 1))
        except self.arrays.cuda.memory.OutOfMemoryError as error:
            raise self.out_of_memory(size) from error
        return memory.ptr, memory

    def out_of_memory(self, size: int, name: str = "") -> OutOfMemoryError:
        free, total = self.arrays.cuda.runtime.memGetInfo()
        expected = f"at most {free} of {total} bytes, what is free on the GPU"
        return OutOfMemoryError(MEMORY("", f"{size} bytes", expected, "smaller tensors, or freeing others"), name)

    def failed(self, name: str, error: Exception) -> Exception:
        """What is raised when an operator's work could not be started."""
        if isinstance(error, MemoryError):
            return self.out_of_memory(getattr(error, "_size", 0), name)
        return CudaError(f"{name}: {type(error).__name__}: {error}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of work that was started come to light when memory is copied, or somebody waits."""
        try:
            yield
        except self.arrays.cuda.runtime.CUDARuntimeError as error:
            name = self.started or "memory"
            raise CudaError(f"{name}, or what was started before it: {error}; start the program again") from error

    def is_memory(self, address: int) -> bool:
        """Whether there is memory of a GPU at this address, or managed memory; not where it was freed."""
        return self.arrays.cuda.runtime.pointerGetAttributes(address).type in _MEMORY_KINDS

    def copy(self, destination: int, source: int, size: int) -> None:
        """Within the GPU, in the order of the current stream."""
        self._move(destination, source, size, 3)

    def upload(self, destination: int, data: Bytes) -> None:
        self._move(destination, data.ctypes.data, data.size, 1)
        self.synchronize()

    def download(self, data: Bytes, source: int) -> None:
        self._move(data.ctypes.data, source, data.size, 2)
        self.synchronize()

    def _move(self, destination: int, source: int, size: int, direction: int) -> None:
        """`direction` is CUDA's number for it."""
        self.use()
        with self._told():
            self.arrays.cuda.runtime.memcpyAsync(destination, source, size, direction, self.current_stream().ptr)

    def synchronize(self) -> None:
        self.use()
        with self._told():
            self.current_stream().synchronize()

    def array(self, address: int, size: int, owner: Any, shape: Any, dtype: Any, strides: Any = None) -> Any:
        """Memory as an array of the array library; strides are in bytes. The owner lives as long as the array."""
        cuda = self.arrays.cuda
        memory = cuda.MemoryPointer(cuda.UnownedMemory(address, size, owner, self.number), 0)
        return self.arrays.ndarray(shape, dtype, memory, strides)

    # Kernels

    def use(self) -> None:
        """Make the GPU this thread's own; once for each thread."""
        if not getattr(self._threads, "is_ready", False):
            self.arrays.cuda.Device(self.number).use()
            self.arrays.cuda.runtime.free(0)
            self._threads.is_ready = True

    def kernel(self, text: str, shared_bytes: int = 0) -> Any:
        """The compiled kernel of a text."""
        found = self._kernels.get(text)
        if found is None:
            with self._lock:
                found = self._kernels.get(text)
                if found is None:
                    found = self._kernels[text] = self._load(text, shared_bytes)
        return found

    def _load(self, text: str, shared_bytes: int) -> Any:
        self.use()
        module = self.arrays.cuda.function.Module()
        module.load(machine_code(text, self.capability))
        function = module.get_function("kernel")
        if shared_bytes > _DEFAULT_SHARED_BYTES:
            attribute = self.arrays.cuda.driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.arrays.cuda.driver.funcSetAttribute(function.ptr, attribute, shared_bytes)
        return function

    def launcher(self, launch: Launch) -> Run:
        """The kernel with its argument, ready to be started as often as wanted."""
        function = self.kernel(launch.text, launch.shared_bytes)
        argument = ctypes.create_string_buffer(launch.arguments, len(launch.arguments))
        pointers = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
        place, handle = ctypes.addressof(pointers), function.ptr
        blocks, threads, shared = launch.blocks, launch.threads, launch.shared_bytes
        start, stream, use, kept = self._start, self.current_stream, self.use, (function, argument, pointers)

        def run(kept: Any = kept) -> None:
            use()
            start(handle, blocks, 1, 1, threads, 1, 1, shared, stream().ptr, place, 0)

        return run

    def record(self, runs: Sequence[Run]) -> Run:
        """Kernels as one CUDA graph, started at once on the stream that is current then."""
        self.use()
        with self._lock:
            stream = self.arrays.cuda.Stream(non_blocking=True)
            with stream:
                stream.begin_capture()
                try:
                    for run in runs:
                        run()
                finally:
                    graph = stream.end_capture()
        graph.upload(self.current_stream())
        room = self.blas.take_room(stream.ptr) if "blas" in vars(self) and self.blas is not None else None
        start, current, use = graph.launch, self.current_stream, self.use

        def replay(kept: Any = (graph, stream, room)) -> None:
            use()
            start(current())

        return replay
