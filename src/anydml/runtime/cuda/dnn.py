"""cuDNN: convolutions of tensors described by sizes and strides, where the library is there."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from anydml.core.datatype import DataType
from anydml.runtime.cuda.blas import LibraryError, load_library
from anydml.runtime.cuda.driver import Driver

_VERSIONS = (9,)
_TYPES = {DataType.FLOAT32: 0, DataType.FLOAT16: 2}
_FLOAT, _PLANES, _CROSS_CORRELATION = 0, 0, 1
_PRECOMPUTED = 1
"""The algorithm that adds a bias without an activation."""
_MATH_DEFAULT, _MATH_TENSOR, _MATH_FMA = 0, 1, 3
_ACTIVATION_IDENTITY, _ACTIVATION_RELU, _PROPAGATE_NAN = 5, 1, 1
_ALGORITHMS = 8


class _Performance(ctypes.Structure):
    _fields_ = (
        ("algorithm", ctypes.c_int),
        ("status", ctypes.c_int),
        ("time", ctypes.c_float),
        ("memory", ctypes.c_size_t),
        ("determinism", ctypes.c_int),
        ("math_type", ctypes.c_int),
        ("reserved", ctypes.c_int * 3),
    )


@dataclass(frozen=True)
class Window:
    """A convolution: sizes and strides of its tensors, and how the filter slides."""

    type: DataType
    input_sizes: tuple[int, ...]
    input_strides: tuple[int, ...]
    filter_sizes: tuple[int, ...]
    output_sizes: tuple[int, ...]
    output_strides: tuple[int, ...]
    padding: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int
    has_bias: bool = False
    has_relu: bool = False


class Convolution:
    """Descriptors of one convolution, the algorithm that cuDNN chose for it and the memory that this takes."""

    def __init__(self, dnn: Dnn, window: Window) -> None:
        self.dnn, self.window = dnn, window
        kind, make = _TYPES[window.type], dnn.make
        self.input = make("Tensor", kind, *_described(window.input_sizes, window.input_strides))
        self.output = make("Tensor", kind, *_described(window.output_sizes, window.output_strides))
        self.filter = make("Filter", kind, _PLANES, len(window.filter_sizes), _integers(window.filter_sizes))
        self.bias = None
        if window.has_bias:
            sizes = (1, window.filter_sizes[0], *(1 for _ in window.strides))
            self.bias = make("Tensor", kind, *_described(sizes, (sizes[1], *(1 for _ in sizes[1:]))))
        slides = [_integers(numbers) for numbers in (window.padding, window.strides, window.dilations)]
        self.slide = make("Convolution", len(window.strides), *slides, _CROSS_CORRELATION, _FLOAT, of="Convolution")
        dnn.call("SetConvolutionGroupCount", self.slide, window.groups)
        is_half = window.type is DataType.FLOAT16
        dnn.call("SetConvolutionMathType", self.slide, _MATH_TENSOR if is_half else _MATH_FMA)
        self.activation = dnn.activation(_ACTIVATION_RELU if window.has_relu else _ACTIVATION_IDENTITY)
        self.algorithm = self._choose()
        self.scratch_size_in_bytes = self._room()

    def _choose(self) -> int:
        if self.window.has_bias and not self.window.has_relu:
            return _PRECOMPUTED
        found, count = (_Performance * _ALGORITHMS)(), ctypes.c_int()
        tensors = self.input, self.filter, self.slide, self.output
        self.dnn.call("GetConvolutionForwardAlgorithm_v7", *tensors, _ALGORITHMS, ctypes.byref(count), found)
        wanted = _MATH_FMA if self.window.type is DataType.FLOAT32 else None
        for each in found[: count.value]:
            if each.status == 0 and (wanted is None or each.math_type in (_MATH_DEFAULT, wanted)):
                self.dnn.call("SetConvolutionMathType", self.slide, each.math_type)
                return int(each.algorithm)
        raise LibraryError("cuDNN has no algorithm for this convolution")

    def _room(self) -> int:
        size = ctypes.c_size_t()
        tensors = self.input, self.filter, self.slide, self.output
        self.dnn.call("GetConvolutionForwardWorkspaceSize", *tensors, self.algorithm, ctypes.byref(size))
        return size.value

    def bind(self, source: int, weights: int, bias: int, target: int, room: int) -> Any:
        """The convolution on this memory, as a call without arguments."""
        pointer, size = ctypes.c_void_p, ctypes.c_size_t(self.scratch_size_in_bytes)
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        first, second = ctypes.byref(one), ctypes.byref(zero)
        slide = (self.input, pointer(source), self.filter, pointer(weights), self.slide, self.algorithm)
        output = (self.output, pointer(target))
        if self.window.has_bias:
            name = "ConvolutionBiasActivationForward"
            more: tuple[Any, ...] = (self.bias, pointer(bias), self.activation, *output)
        else:
            name, more = "ConvolutionForward", ()
        return self.dnn.bound(name, (first, *slide, pointer(room), size, second, *output, *more), (one, zero, self))


class Dnn:
    """One handle of cuDNN."""

    def __init__(self, driver: Driver, library: Any) -> None:
        self.driver, self._library, self._lock = driver, library, Lock()
        self._handle = ctypes.c_void_p()
        driver.use()
        self._check("Create", library.cudnnCreate(ctypes.byref(self._handle)))
        self._activations: dict[int, Any] = {}
        self._made: dict[Window, Convolution | None] = {}

    def _check(self, name: str, status: int) -> None:
        if status:
            raise LibraryError(f"cuDNN: status {status} of cudnn{name}")

    def convolution(self, window: Window) -> Convolution | None:
        """None where cuDNN does not take it."""
        if window not in self._made:
            try:
                self._made[window] = Convolution(self, window)
            except LibraryError:
                self._made[window] = None
        return self._made[window]

    def make(self, name: str, *arguments: Any, of: str = "") -> Any:
        """A descriptor, set to these values."""
        made = ctypes.c_void_p()
        self._check(name, getattr(self._library, f"cudnnCreate{name}Descriptor")(ctypes.byref(made)))
        self._check(name, getattr(self._library, f"cudnnSet{name}NdDescriptor")(made, *arguments))
        return made

    def activation(self, kind: int) -> Any:
        if kind not in self._activations:
            made = ctypes.c_void_p()
            self._check("Activation", self._library.cudnnCreateActivationDescriptor(ctypes.byref(made)))
            set_to = self._library.cudnnSetActivationDescriptor
            self._check("Activation", set_to(made, kind, _PROPAGATE_NAN, ctypes.c_double(0)))
            self._activations[kind] = made
        return self._activations[kind]

    def call(self, name: str, *arguments: Any) -> None:
        """A function of the library; those on convolutions of given tensors take the handle first."""
        needs_handle = name.startswith("Get")
        with self._lock:
            first = (self._handle,) if needs_handle else ()
            self._check(name, getattr(self._library, f"cudnn{name}")(*first, *arguments))

    def bound(self, name: str, arguments: Sequence[Any], kept: Any) -> Any:
        function, lock, handle = getattr(self._library, f"cudnn{name}"), self._lock, self._handle
        set_stream, stream = self._library.cudnnSetStream, self.driver.current_stream

        def run(kept: Any = kept) -> None:
            with lock:
                set_stream(handle, ctypes.c_void_p(stream().ptr))
                status = function(handle, *arguments)
            self._check(name, status)

        return run


def load_dnn(driver: Driver) -> Dnn | None:
    """cuDNN, where it can be loaded."""
    library = load_library("cudnn", _VERSIONS)
    if library is None:
        return None
    try:
        return Dnn(driver, library)
    except (AttributeError, LibraryError):
        return None


def _integers(numbers: Sequence[int]) -> Any:
    return (ctypes.c_int * len(numbers))(*numbers)


def _described(sizes: Sequence[int], strides: Sequence[int]) -> tuple[int, Any, Any]:
    return len(sizes), _integers(sizes), _integers(strides)
