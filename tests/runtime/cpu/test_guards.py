"""Kernels touch no byte beyond their tensors: memory around the buffers ends the process when touched."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from contextlib import ExitStack
from random import Random

import numpy as np
import pytest

import anydml as dml
from tests.runtime.cpu.attention import attention
from tests.runtime.cpu.elements import MAKERS as ELEMENTS
from tests.runtime.cpu.products import (
    Trial,
    backward_convolution,
    channels_last,
    convolution,
    first_layer,
    gemm,
    integer_gemm,
    narrow_product,
    pixelwise,
    small_planes,
    thin_product,
    vector_product,
    wide_images,
)
from tests.runtime.cpu.recurrent import GATES, network
from tests.runtime.cpu.taking import MAKERS as TAKING
from tests.runtime.cpu.taking import top_k
from tests.runtime.cpu.test_pools import average_pooling, max_pooling
from tests.runtime.cpu.test_resampling import random_operator
from tests.runtime.moves.test_guards import guarded


def resampling(random: Random) -> Trial:
    operator = random_operator(random)
    return Trial(operator, {"input_tensor": np.ones(operator.input_tensor.sizes, np.float32)}, 0)


def deep_product(random: Random) -> Trial:
    """The right operand is packed a block of depth at a time, the last one being shorter."""
    rows, depth, columns = random.randint(9, 40), random.randint(1025, 1300), random.randint(512, 600)
    sizes = {"a_tensor": (rows, depth), "b_tensor": (depth, columns)}
    operator = dml.Gemm(**{name: dml.TensorDesc("FLOAT32", size) for name, size in sizes.items()})
    return Trial(operator, {name: np.ones(size, np.float32) for name, size in sizes.items()}, depth)


MAKERS = {
    "gemm": gemm,
    "deep": deep_product,
    "vectors": vector_product,
    "thin": thin_product,
    "narrow": narrow_product,
    "pixelwise": pixelwise,
    "convolution": convolution,
    "depthwise": lambda random: convolution(random, is_depthwise=True),
    "wide images": wide_images,
    "planes": small_planes,
    "channels last": channels_last,
    "first layers": first_layer,
    "backward": backward_convolution,
    "integers": integer_gemm,
    **ELEMENTS,
    **TAKING,
    "best": top_k,
    "maxima": max_pooling,
    "averages": average_pooling,
    "resampling": resampling,
    "attention": lambda random: Trial(*attention(random), 0),
}
TRIALS, TRIALS_OF_ELEMENTS = 5, 12
NETWORKS = "networks"


def run_guarded(trial: Trial, at_end: bool) -> None:
    operator = trial.operator
    run = dml.Device().compile(operator)
    with ExitStack() as stack:
        buffers = {}
        outputs = [
            field.name for field in operator.tensor_fields() if not field.is_input and getattr(operator, field.name)
        ]
        for name in (*trial.inputs, *outputs):
            size = getattr(operator, name).total_tensor_size_in_bytes
            address = stack.enter_context(guarded(size, at_end))
            buffers[name] = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))
            if name in trial.inputs:
                getattr(operator, name).view(buffers[name])[...] = trial.inputs[name]
        if trial.owned:
            run.initialize(**{name: buffers.pop(name) for name in trial.owned})
        run(**buffers)


def run_network_guarded(number: int, at_end: bool) -> None:
    found = network(Random(f"guards {number}"), list(GATES)[number % 3])
    with ExitStack() as stack:
        buffers = {}
        for name in (*found.inputs, *found.outputs):
            desc = getattr(found.operator, name)
            address = stack.enter_context(guarded(desc.total_tensor_size_in_bytes, at_end))
            size = desc.total_tensor_size_in_bytes
            buffers[name] = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))
            if name in found.inputs:
                desc.view(buffers[name])[...] = found.inputs[name]
        dml.Device().compile(found.operator)(**buffers)


def check_all(name: str) -> None:
    if name == NETWORKS:
        for number in range(TRIALS):
            run_network_guarded(number, number % 2 == 0)
        return
    if name == "none":
        with guarded(64, True) as address:
            ctypes.string_at(address, 65)
    trials = TRIALS_OF_ELEMENTS if name in ELEMENTS else TRIALS
    for number in range(trials if name != "none" else 0):
        trial = MAKERS[name](Random(f"guards {name} {number}"))
        for at_end in (False, True):
            run_guarded(trial, at_end)


@pytest.mark.skipif(os.name != "posix", reason="memory is protected with POSIX's mprotect")
@pytest.mark.parametrize("name", [*MAKERS, NETWORKS, "none"])
def test_kernels__stay_inside(name: str) -> None:
    """In a process of its own, which the system ends at the first wrong byte; `none` shows that it does."""
    program = f"from tests.runtime.cpu.test_guards import *; check_all({name!r})"
    done = subprocess.run([sys.executable, "-c", program], timeout=300, check=False, capture_output=True, text=True)
    assert (done.returncode == 0) == (name != "none"), done.stderr[-2000:]
