"""What tensors and operators are: pure values, no files and no devices."""

from contextlib import suppress
from functools import partial
from importlib import import_module

from anydml.process.uninterrupted import LIBRARIES

# All modules of this folder use NumPy, which cannot be loaded again where its first loading was interrupted.
with suppress(ImportError):  # whoever needs it says so
    LIBRARIES.run(partial(import_module, "numpy"))
