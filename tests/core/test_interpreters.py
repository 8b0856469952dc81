"""Subinterpreters: what needs NumPy says that it cannot be had there, and what does not need it works."""

from __future__ import annotations

import subprocess
import sys

import pytest

import anydml as dml
from anydml.core.interpreters import is_main, load_arrays

PROGRAM = """
import sys, warnings
import numpy
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
run = getattr(interpreters, "exec", None) or interpreters.run_string
print(run(interpreters.create(), sys.argv[1]), flush=True)
"""
ATTEMPT = """
import warnings
warnings.simplefilter("ignore")  # some versions of NumPy load, and warn
import anydml
from anydml.core.interpreters import is_main
assert not is_main()
try:
    {use}
    print("it works")
except anydml.DmlError as error:
    print([violation.rule for violation in error.violations], error)
except ImportError as error:
    print("ImportError", error)
"""
USES = (
    "anydml.TensorDesc('FLOAT32', [2, 3])",
    "anydml.Layout((2, 3)).strides",
    "anydml.Gemm",
    "anydml.Device('reference')",
    "anydml.DML_TENSOR_DESC",
    "from anydml import slice1",
    "import anydml.expression",
    "import anydml.frontends.serialized",
    "import pydirectml",
)


def told_by(code: str) -> str:
    """What a subinterpreter of a new process prints, whose main interpreter has NumPy."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0 and done.stdout.endswith("None\n"), done.stdout + done.stderr
    return done.stdout.removesuffix("None\n")


@pytest.fixture(scope="module")
def numpy_loads() -> bool:
    return told_by(ATTEMPT.format(use="import numpy")) == "it works\n"


@pytest.mark.parametrize("use", USES)
def test_subinterpreter__is_told_of_where_numpy_does_not_load(use: str, numpy_loads: bool) -> None:
    told = told_by(ATTEMPT.format(use=use))
    if numpy_loads:
        assert told == "it works\n"
        return
    assert told.startswith("['python.arrays'] interpreter: found a subinterpreter")
    assert "main interpreter" in told and "multiprocessing" in told and len(told.splitlines()) == 1


def test_subinterpreter__has_what_needs_no_arrays() -> None:
    assert told_by(ATTEMPT.format(use="anydml.DmlError, anydml.HResult, anydml.__version__")) == "it works\n"


def test_main_interpreter__is_told_to_install() -> None:
    assert is_main() and load_arrays().__name__ == "numpy"
    with pytest.raises(dml.UnsupportedError, match="pip install numpy") as caught:
        load_arrays("numpy_of_nowhere")
    assert isinstance(caught.value.__cause__, ImportError)


def test_other_missing_modules__are_told_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anydml.runtime.device", None)
    monkeypatch.delitem(vars(dml), "Device", raising=False)
    with pytest.raises(ImportError, match=r"anydml\.runtime\.device"):
        _ = dml.Device
