"""From operators to plans: graphs, what has to be done for them, in which order and in which memory."""

from anydml.core import arrays as _arrays  # noqa: F401 first: it says what is wrong where there is no NumPy
