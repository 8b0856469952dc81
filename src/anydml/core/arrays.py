"""Imported first where elements are used: what is wrong is said before some other module fails for want of NumPy."""

from anydml.core.interpreters import load_arrays

load_arrays()
