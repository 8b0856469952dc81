"""Where arrays can be used: newer versions of NumPy load in the main interpreter of a process alone."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from anydml.core.errors import UnsupportedError, shortened
from anydml.core.rules import rule
from anydml.process.loading import load_module
from anydml.process.uninterrupted import LIBRARIES

ARRAYS = rule("python.arrays", "Elements are NumPy's arrays, so that NumPy can be imported where they are used.")
_MODULES = "_interpreters", "_xxsubinterpreters"
"""What tells interpreters apart, from Python 3.13 on and before."""


def load_arrays(name: str = "numpy") -> ModuleType:
    """NumPy, or an error that says why it cannot be had, and what to do."""
    try:
        # NumPy cannot be loaded again where its first loading was interrupted.
        return LIBRARIES.run(partial(import_module, name))
    except ImportError as error:
        reason = str(error).rpartition("Original error was: ")[2].strip() or str(error)
        found = f"{type(error).__name__} ({shortened(reason)})"
        if is_main():
            raise UnsupportedError(ARRAYS(name, found, "NumPy, installed", "python -m pip install numpy")) from error
        expected = "the main interpreter of a process, since NumPy does not support others"
        fix = "that one, or a process of its own (multiprocessing; for mod_wsgi WSGIApplicationGroup %{GLOBAL})"
        raise UnsupportedError(ARRAYS("interpreter", f"a subinterpreter: {found}", expected, fix)) from error


def is_main() -> bool:
    """Whether this is the interpreter that the process began with; yes where there is only one."""
    for name in _MODULES:
        try:
            module = load_module(name)
        except ImportError:
            continue
        return _number(module.get_current()) == _number(module.get_main())
    return True


def _number(interpreter: Any) -> int:
    """From Python 3.13 on interpreters come with more than their number."""
    return int(interpreter[0] if isinstance(interpreter, tuple) else interpreter)
