"""Native pointwise operators, reductions, running folds and pooling agree with the definition: sizes that are multiples
of nothing, unaligned buffers, any layout, every width of vectors; the same bits for any number of threads."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core.steps import Nest, Program
from anydml.runtime.cpu import pointwise
from anydml.runtime.cpu.loops import canonical
from anydml.runtime.cpu.reductions import places
from anydml.runtime.cpu.reductions.lowering import lower, module_text
from anydml.runtime.cpu.reductions.step import Reduction
from anydml.runtime.native import llvm
from tests.runtime.cpu.elements import MAKERS, assert_near, check
from tests.runtime.cpu.machines import MACHINES, machine
from tests.runtime.cpu.products import Trial
from tests.runtime.cpu.support import assert_threads_change_no_bit

binding = pytest.importorskip("llvmlite.binding", reason="kernels are machine code")

TRIALS, TRIALS_OF_MACHINES = 40, 10
"""Random operators of each kind: on this machine, and as each of the others."""
LARGE = (3, 40, 61, 67)
ROWS = (700, 1030)


@pytest.mark.parametrize("name", MAKERS)
def test_kernels__agree_with_the_definition(name: str) -> None:
    for number in range(TRIALS):
        check(MAKERS[name](Random(f"{name} {number}")))


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("name", MACHINES)
def test_machines__agree_with_the_definition(monkeypatch: pytest.MonkeyPatch, name: str, kind: str) -> None:
    with machine(monkeypatch, name):
        assert llvm.vector_bytes() == {"sse2": 16, "avx2": 32}[name]
        for number in range(TRIALS_OF_MACHINES):
            check(MAKERS[kind](Random(f"{name} {kind} {number}")))


def large_operators() -> dict[str, Any]:
    image, rows = dml.TensorDesc("FLOAT32", LARGE), dml.TensorDesc("FLOAT32", ROWS)
    turned = dml.TensorDesc("FLOAT32", LARGE, order="NHWC")
    window: dict[str, Any] = {"window_size": (3, 3), "strides": (2, 2), "start_padding": (1, 1), "end_padding": (1, 1)}
    found: dict[str, Any] = {
        "sigmoid": dml.ActivationSigmoid(input_tensor=image),
        "NHWC": dml.ElementWiseAdd(a_tensor=image, b_tensor=turned, output_tensor=image),
        "local response": dml.LocalResponseNormalization(
            input_tensor=image, cross_channel=True, local_size=5, alpha=1e-4, beta=0.75, bias=1.0
        ),
        "statistics": dml.BatchNormalizationTraining(
            input_tensor=image,
            scale_tensor=dml.TensorDesc("FLOAT32", (1, LARGE[1], 1, 1)),
            bias_tensor=dml.TensorDesc("FLOAT32", (1, LARGE[1], 1, 1)),
            epsilon=1e-3,
        ),
        "average pooling": dml.AveragePooling(input_tensor=image, include_padding=False, **window),
        "places": dml.MaxPooling2(input_tensor=image, output_indices_tensor=True, dilations=(1, 1), **window),
    }
    for axis in (0, 1):
        of_axis = {"input_tensor": rows, "axes": [axis]}
        found |= {
            f"argmax {axis}": dml.Argmax(**of_axis),
            f"hardmax {axis}": dml.ActivationHardmax1(**of_axis),
            f"average {axis}": dml.Reduce(function="AVERAGE", **of_axis),
            f"normalization {axis}": dml.MeanVarianceNormalization2(
                **of_axis, use_mean=True, use_variance=True, epsilon=1e-3
            ),
            f"running sum {axis}": dml.CumulativeSummation(
                input_tensor=rows, axis=axis, has_exclusive_sum=False, axis_direction="INCREASING"
            ),
        }
    return found


@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16", "INT32", "UINT8"])
def test_places__of_many_elements_are_found_in_parts(monkeypatch: pytest.MonkeyPatch, data_type: str) -> None:
    monkeypatch.setattr(places, "PART_PLACES", 20)
    in_parts = 0
    for number in range(12):
        random = Random(f"parts {data_type} {number}")
        sizes = tuple(random.choice(choices) for choices in ((1, 1, 3), (6, 24, 30, 64), (1, 2, 3)))
        axes = [1, *random.sample((0, 2), random.randint(0, 1))]
        x = np.random.default_rng(number).integers(0, 4, sizes).astype(dml.DataType[data_type].numpy_dtype)
        if x.dtype.kind == "f" and number % 2:
            x.flat[:: random.randint(2, 60)] = random.choice((np.nan, np.inf, -np.inf))
        cls, direction = random.choice((dml.Argmin, dml.Argmax)), random.choice(("INCREASING", "DECREASING"))
        operator = cls(input_tensor=dml.TensorDesc(data_type, sizes), axes=axes, axis_direction=direction)
        compiled = dml.Device("cpu").compile(operator)
        in_parts += len(compiled.plan.steps) == 2
        expected = dml.Device("reference").compile(operator)(x.reshape(-1).view(np.uint8))
        assert np.array_equal(compiled(x.reshape(-1).view(np.uint8)), expected), operator
    assert in_parts >= 3


@pytest.mark.parametrize("name", large_operators())
def test_threads__change_no_bit(name: str) -> None:
    operator = large_operators()[name]
    compiled = dml.Device("cpu").compile(operator)
    assert not any(isinstance(step, Program) for step in compiled.plan.steps), "not native"
    generator = np.random.default_rng(0)
    inputs = [
        generator.standard_normal(port.tensor.total_tensor_size_in_bytes // 4).astype(np.float32)
        for port in operator.points("input")
        if port.tensor is not None
    ]
    assert_threads_change_no_bit(lambda: compiled(*(array.view(np.uint8) for array in inputs)))


@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16", "INT32", "UINT8"])
@pytest.mark.parametrize("seed", range(4))
def test_places_of_pooling__are_those_of_the_definition(data_type: str, seed: int) -> None:
    random = Random(seed)
    spatial = random.choice((2, 2, 3))
    window = [random.randint(1, 2 if spatial == 3 else 4) for _ in range(spatial)]
    desc = dml.TensorDesc(data_type, (2, 3, *(random.randint(5, 20 if spatial == 2 else 7) for _ in window)))
    operator = dml.MaxPooling2(
        input_tensor=desc,
        output_indices_tensor=True,
        window_size=window,
        strides=[random.randint(1, 3) for _ in window],
        start_padding=[random.randrange(size) for size in window],
        end_padding=[random.randrange(size) for size in window],
        dilations=[random.randint(1, 2) if size < 3 else 1 for size in window],
    )
    x = np.random.default_rng(seed).integers(0, 6, desc.sizes).astype(desc.data_type.numpy_dtype)
    if desc.data_type.is_float:
        x.flat[np.random.default_rng(seed).integers(0, x.size, 9)] = np.nan
    found, wanted = (dml.run(operator, x, device=device) for device in ("cpu", "reference"))
    for mine, theirs in zip(found, wanted, strict=True):
        assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")


@pytest.mark.parametrize(
    ("triple", "processor"), [("aarch64-unknown-linux-gnu", "generic"), ("arm64-apple-macosx", "apple-m1")]
)
def test_kernels__compile_for_arm(monkeypatch: pytest.MonkeyPatch, triple: str, processor: str) -> None:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    target = binding.Target.from_triple(triple).create_target_machine(cpu=processor, opt=2)
    texts = {}
    plans = [dml.Device("cpu").compile(operator).plan for operator in large_operators().values()]
    monkeypatch.setattr(llvm, "host", lambda: llvm.Host(triple, processor, {"neon": True}))
    for step in (step for plan in plans for step in plan.steps):
        if isinstance(step, Reduction):
            lowered = lower(step)
            assert lowered is not None
            texts[lowered.shape] = module_text(lowered.shape)
        elif isinstance(step, Nest | pointwise.Together):
            for nest in step.nests if isinstance(step, pointwise.Together) else [step]:
                shape = pointwise.shape_of(nest, canonical(nest), nest.iterations)
                texts[shape] = pointwise.module_text(shape)
    assert len(texts) > 12
    for text in texts.values():
        module = binding.parse_assembly(text)
        module.verify()
        assert len(target.emit_object(module)) > 500


def test_assert_near__can_fail() -> None:
    trial = Trial(None, {"x": np.ones(1, np.float32)}, 1)
    one = np.ones(3, np.float32)
    assert_near(one, one + np.float32(1e-6), trial)
    for wrong in (one + np.float32(1e-5), one * np.float32(np.nan)):
        with pytest.raises(AssertionError):
            assert_near(wrong, one, trial)
    with pytest.raises(AssertionError):
        assert_near(np.array([1]), np.array([2]), trial)
