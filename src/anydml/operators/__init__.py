"""What each operator means: declared here and nowhere else, one module for each family.

Every module of this folder is loaded, and every operator it declares is a name of this package.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from anydml.core import arrays as _arrays  # noqa: F401 first: it says what is wrong where there is no NumPy
from anydml.core.naming import pascal
from anydml.core.schema import OPERATORS
from anydml.core.schema.names import ALIASES, hint

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

_CLASSES = {cls.__name__: cls for cls in OPERATORS.values() if cls.__module__.startswith(f"{__name__}.")}
_CLASSES |= {pascal(alias.lower()): OPERATORS[name] for alias, name in ALIASES.items()}
__all__ = sorted(_CLASSES)
globals().update(_CLASSES)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'anydml.operators' has no operator {name!r}{hint(name)}")
