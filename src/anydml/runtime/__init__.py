"""Buffers, binding, compiled operators and the devices that run them."""

from anydml.core import arrays as _arrays  # noqa: F401 first: it says what is wrong where there is no NumPy
