"""Other ways in: formats and interfaces people already have."""

from anydml.core import arrays as _arrays  # noqa: F401 first: it says what is wrong where there is no NumPy
