"""Buffers, binding, compiled operators and the devices that run them."""
