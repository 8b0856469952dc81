"""A strict array library: what NumPy and CuPy share, and nothing that would leave a GPU unnoticed.

Arrays here refuse to become numbers, truth values, lists or NumPy arrays; functions of other libraries refuse them; and
only the functions listed below exist. A program that runs here carries over to CuPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

FUNCTIONS = frozenset(
    word
    for line in (
        "abs add all amax amin any arange argmax argmin argsort array_split asarray ascontiguousarray",
        "broadcast_to clip concatenate copysign cos cumprod cumsum diagonal divide dot empty empty_like equal",
        "exp expand_dims expm1 flip floor floor_divide full full_like greater greater_equal invert isfinite",
        "isinf isnan left_shift less less_equal log log1p logical_and logical_not logical_or logical_xor",
        "matmul max maximum mean min minimum moveaxis multiply negative nonzero not_equal ones ones_like pad",
        "power prod remainder repeat reshape right_shift rint rollaxis searchsorted sign sin sort split sqrt",
        "square squeeze stack subtract sum swapaxes take take_along_axis tanh tensordot tile transpose tril",
        "triu trunc where zeros zeros_like bitwise_and bitwise_or bitwise_xor ceil unravel_index",
        "ravel_multi_index put_along_axis count_nonzero einsum roll mod fmod argpartition partition var std",
        "outer nan_to_num",
    )
    for word in line.split()
)
CONSTANTS = ["inf", "nan", "pi", "e", "newaxis", "iinfo", "finfo", "dtype", "bool_", "float16", "float32", "float64"]
CONSTANTS += ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp"]


class StrictArray:
    """An array that can only be computed with."""

    __array_ufunc__ = None
    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = np.asarray(array)

    shape = property(lambda self: self._array.shape)
    ndim = property(lambda self: self._array.ndim)
    size = property(lambda self: self._array.size)
    dtype = property(lambda self: self._array.dtype)
    itemsize = property(lambda self: self._array.itemsize)
    nbytes = property(lambda self: self._array.nbytes)
    T = property(lambda self: StrictArray(self._array.T))

    def __getitem__(self, index: Any) -> StrictArray:
        return StrictArray(self._array[_plain(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._array[_plain(index)] = _plain(value)

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("this would copy the array to the host")

    __array__ = __bool__ = __float__ = __int__ = __index__ = __iter__ = __len__ = __array_function__ = _refuse
    __contains__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"strict arrays have no {name!r}")
        method = getattr(self._array, name)
        return lambda *args, **kwargs: _strict(method(*_plain(args), **_plain(kwargs)))


METHODS = frozenset(
    word
    for line in (
        "astype reshape sum prod max min mean any all swapaxes transpose copy ravel squeeze take view argmax",
        "argmin cumsum cumprod repeat diagonal argsort flatten fill clip dot",
    )
    for word in line.split()
)
BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"]


def _operator(name: str) -> Any:
    def apply(self: StrictArray, *others: Any) -> Any:
        return _strict(getattr(self._array, name)(*_plain(others)))

    return apply


for _name in BINARY:
    for _prefix in ("", "r"):
        setattr(StrictArray, f"__{_prefix}{_name}__", _operator(f"__{_prefix}{_name}__"))
for _name in ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(StrictArray, f"__{_name}__", _operator(f"__{_name}__"))
for _name in BINARY:

    def _in_place(self: StrictArray, other: Any, name: str = _name) -> StrictArray:
        getattr(self._array, f"__i{name}__")(_plain(other))
        return self

    setattr(StrictArray, f"__i{_name}__", _in_place)


def _plain(value: Any) -> Any:
    """Arguments with their arrays taken out of the wrapper."""
    if isinstance(value, StrictArray):
        return value._array
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("an array of NumPy among strict ones")
    if isinstance(value, (tuple, list)):
        return type(value)(map(_plain, value))
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


def _strict(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(map(_strict, value))
    return StrictArray(value) if isinstance(value, (np.ndarray, np.generic)) else value


class StrictLibrary:
    """The functions of the list, on strict arrays."""

    def __getattr__(self, name: str) -> Any:
        if name in CONSTANTS:
            return getattr(np, name)
        if name not in FUNCTIONS:
            raise AttributeError(f"{name!r} is no function that programs may use")
        function = getattr(np, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return _strict(function(*_plain(args), **_plain(kwargs)))

        if name == "add":
            call.at = lambda *args: function.at(*_plain(args))  # type: ignore[attr-defined]
        return call


STRICT = StrictLibrary()


def unwrapped(value: Any) -> Any:
    """Results as NumPy arrays."""
    if isinstance(value, dict):
        return {key: unwrapped(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(map(unwrapped, value))
    return value._array if isinstance(value, StrictArray) else np.asarray(value)
