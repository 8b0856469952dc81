"""What is told of a fault in machine code names the kernel, the address and the instruction."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from anydml.runtime.native import llvm

PROGRAM = """
import faulthandler
from anydml.runtime.native import llvm
from tests.faults import report_faults
text = '''define void @kernel(ptr %bases, ptr %parameters, ptr %staging) {
  %v = load volatile i64, ptr %parameters
  ret void
}'''
faulthandler.enable()
if not report_faults(2):
    print("not here")
else:
    code = llvm.compiled(("a kernel that faults",), lambda: text)
    code.function()(b"", 4096 + 8, 0)
"""


@pytest.mark.skipif(not llvm.is_available(), reason="no llvmlite")
def test_fault__is_reported_before_python_does() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], timeout=60, check=False, capture_output=True, text=True)
    if done.stdout == "not here\n":
        pytest.skip("only Linux on x86-64 is asked what it did")
    assert done.returncode == -signal.SIGSEGV
    ours, _, pythons = done.stderr.partition("Fatal Python error: Segmentation fault")
    assert "Fault at 0x1008 in no memory" in ours and "a kernel that faults" in ours
    assert "code from there on: 48 8b" in ours, "a load of 64 bits"
    assert "in <module>" in pythons
