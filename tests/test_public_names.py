"""The names users import: sorted, complete, there, and explained."""

from __future__ import annotations

import enum
import inspect
import subprocess
import sys

import pytest

import anydml
from anydml import operators


def test_all__is_sorted_and_without_repeats() -> None:
    for module in (anydml, operators):
        assert list(module.__all__) == sorted(set(module.__all__)), module.__name__


def test_all__is_complete() -> None:
    """Every public class or function the package has loaded is one it means to offer."""
    public = {
        name
        for name, value in vars(anydml).items()
        if not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value))
    }
    borrowed = {"load_module", "Any"}
    assert public - borrowed <= {*anydml.__all__, *operators.__all__}
    assert set(anydml.__all__) <= set(dir(anydml)) and set(operators.__all__) <= set(dir(anydml))


@pytest.mark.parametrize("name", sorted({*anydml.__all__, *operators.__all__}))
def test_name__is_there_and_explained(name: str) -> None:
    value = getattr(anydml, name)
    text = inspect.getdoc(value) if callable(value) or inspect.ismodule(value) else value.__doc__
    assert text and text.strip()
    inherited = inspect.isclass(value) and value.__doc__ in (enum.Enum.__doc__, object.__doc__)
    assert not inherited, "the text is the base class's"


def test_unknown_name__is_an_attribute_error() -> None:
    assert not hasattr(anydml, "NoSuchOperator") and not hasattr(anydml, "_no_such_thing")


def test_star_import__gives_the_public_names() -> None:
    code = "from anydml import *; print(TensorDesc('FLOAT32', [2, 3]).total_tensor_size_in_bytes)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "24\n"


def test_version__is_that_of_the_project() -> None:
    from importlib.metadata import version

    assert anydml.__version__ == version("anydml")
