"""Prepare pictures for a network in one pass over memory, and time it against the NumPy program it replaces.

    python examples/preprocess.py

A batch of pictures in bytes, NHWC, is cropped, flipped, turned into NCHW, made floats and normalized. As a graph that
is a layout, a Slice1 with a negative stride, a Cast, a product and a sum: they are fused, and each byte is read once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
import numpy.typing as npt

import anydml as dml
import anydml.expression as dmlx

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
BATCH, HEIGHT, WIDTH, CROP = 4, 720, 1280, 640
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def with_numpy(pictures: Bytes) -> Floats:
    """The program to beat."""
    top, left = (HEIGHT - CROP) // 2, (WIDTH - CROP) // 2
    cropped = pictures[:, top : top + CROP, left : left + CROP]
    flipped = cropped[:, :, ::-1]
    planes = flipped.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
    normalized = (planes - MEAN[:, None, None]) / DEVIATION[:, None, None]
    return normalized.astype(np.float32, copy=False)


def pipeline() -> dml.CompiledOperator:
    """The same as a graph."""
    graph = dmlx.Graph()
    sizes = [BATCH, 3, CROP, CROP]
    # Logically NCHW; that the bytes are NHWC is a matter of strides.
    pictures = dmlx.input_tensor(graph, 0, dml.TensorDesc("UINT8", [BATCH, 3, HEIGHT, WIDTH], order="NHWC"))
    offsets = [0, 0, (HEIGHT - CROP) // 2, (WIDTH - CROP) // 2]
    window = dmlx.slice(pictures, offsets, sizes, [1, 1, 1, -1], name="crop and flip")
    floats = dmlx.cast(window, "FLOAT32")
    scale = dmlx.constant(graph, (1 / (255 * DEVIATION)).astype(np.float32).reshape(1, 3, 1, 1))
    shift = dmlx.constant(graph, (-MEAN / DEVIATION).astype(np.float32).reshape(1, 3, 1, 1))
    normalized = floats * dmlx.broadcast(scale, sizes) + dmlx.broadcast(shift, sizes)
    return graph.compile(normalized)


def best_times(programs: list[Callable[[], object]], rounds: int) -> list[float]:
    """The shortest time of each; they take turns, so that a busy machine slows all of them."""
    best = [float("inf")] * len(programs)
    for _ in range(rounds):
        for i, program in enumerate(programs):
            start = perf_counter()
            program()
            best[i] = min(best[i], perf_counter() - start)
    return best


def compare(rounds: int = 20) -> tuple[float, float, float]:
    """Seconds of the NumPy program, seconds of the graph, and the largest difference of their results."""
    pictures = np.random.default_rng(1).integers(0, 256, (BATCH, HEIGHT, WIDTH, 3), dtype=np.uint8)
    result = np.empty((BATCH, 3, CROP, CROP), np.float32)
    run = pipeline()
    run(pictures, result)
    difference = float(np.abs(result - with_numpy(pictures)).max())
    numpy_seconds, graph_seconds = best_times([lambda: with_numpy(pictures), lambda: run(pictures, result)], rounds)
    return numpy_seconds, graph_seconds, difference


def main() -> int:
    print(pipeline().plan.describe())
    numpy_seconds, graph_seconds, difference = compare()
    print(f"NumPy    {numpy_seconds * 1000:8.2f} ms")
    print(f"anydml   {graph_seconds * 1000:8.2f} ms, {numpy_seconds / graph_seconds:.1f} times as fast")
    print(f"largest difference {difference:.1e}")
    return 0 if difference < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
