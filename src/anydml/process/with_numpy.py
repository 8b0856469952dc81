"""NumPy, loaded as a whole: packages that users import themselves import this before anything that uses arrays.

NumPy cannot be loaded again in a process in which its first loading was interrupted.
"""

from contextlib import suppress
from functools import partial
from importlib import import_module

from anydml.process.uninterrupted import LIBRARIES

with suppress(ImportError):  # whoever needs it says so
    LIBRARIES.run(partial(import_module, "numpy"))
