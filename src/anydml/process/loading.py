"""Modules that are loaded when they are first needed, as a whole: no interrupt and no fork leaves one half loaded.

An exception inside Python's import machinery may leave the lock of a module taken, and a fork in the middle leaves the
child with the lock of a module that none of its threads loads: whoever needs that module would wait for ever.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import Any

from anydml.process.uninterrupted import LOADER

PATIENCE_SECONDS = 20.0
"""A module whose loading takes longer may wait for a lock that an exception has left taken in another thread."""


def load_module(name: str) -> Any:
    """The module of this full name: itself if it is loaded, or else when it is."""
    module = sys.modules.get(name)
    # Python's own import statement looks at the same attribute: it is false of a module that was loaded to its end.
    if module is None or getattr(module.__spec__, "_initializing", False):
        return LOADER.run(partial(import_module, name), PATIENCE_SECONDS)
    return module
