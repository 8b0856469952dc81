"""Kernels for machines that are not this one: every shape must at least compile for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import lowering
from anydml.runtime.moves.engine import prepare
from anydml.runtime.moves.kernels import touch
from anydml.runtime.moves.kernels.frame import Shape
from anydml.runtime.moves.plan import plan_move
from anydml.runtime.native import llvm
from tests.runtime.moves.test_moves import CASES

binding = pytest.importorskip("llvmlite.binding", reason="only llvmlite can compile")

MACHINES = [("x86_64-unknown-linux-gnu", "x86-64", 16), ("aarch64-unknown-linux-gnu", "generic", 16)]
MACHINES += [("x86_64-unknown-linux-gnu", "haswell", 32), ("arm64-apple-macosx", "apple-m1", 16)]


def shapes(width: int) -> Iterator[Shape]:
    for cases in CASES.values():
        for layouts in cases:
            for element in (1, 4):
                yield lowering.lower(plan_move(*layouts, element), width, True).shape
    types = DataType.INT32, DataType.FLOAT32
    row = plan_move(Layout((99,)), Layout((99,)), 4, 4)
    yield lowering.lower(row, width, False, types, (2.0, 1.0)).shape
    yield from (touch.reading(width, 2), touch.writing(width, True))


def machine(triple: str, processor: str) -> Any:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding.Target.from_triple(triple).create_target_machine(cpu=processor, opt=2)


@pytest.mark.parametrize(("triple", "processor", "width"), MACHINES)
def test_every_kernel__compiles(triple: str, processor: str, width: int) -> None:
    target = machine(triple, processor)
    chosen = set(shapes(width))
    assert {shape.kernel for shape in chosen} == {*lowering.KERNELS, *lowering.OTHERS}
    for shape in chosen:
        module = binding.parse_assembly(lowering.module_text(shape))
        module.verify()
        assert len(target.emit_object(module)) > 500


@pytest.mark.parametrize(
    ("features", "width"),
    [({"avx2": True, "avx512bw": True}, 64), ({"avx2": True}, 32), ({"sse2": True}, 16), ({"neon": True}, 16)],
)
def test_vector_bytes__follow_the_machine(
    monkeypatch: pytest.MonkeyPatch, features: dict[str, bool], width: int
) -> None:
    monkeypatch.setattr(llvm, "host", lambda: llvm.Host("triple", "processor", features))
    assert llvm.vector_bytes() == width


def test_halves__go_to_numpy_where_machines_have_none(natively: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "host", lambda: llvm.Host("triple", "processor", {"sse2": True}))
    row = Layout((9,))
    assert prepare(row, row, DataType.FLOAT16, DataType.FLOAT32).kernel == "numpy"
    assert prepare(row, row, DataType.INT32, DataType.FLOAT32).kernel == "convert"
