"""Graphs to write and read: random ones, and one of each operator."""

from __future__ import annotations

from random import Random

import numpy as np

import anydml as dml
from anydml.core.schema import Operator
from tests.cases.framework import make_case
from tests.graph.generate import random_graph, values_of


def operator_of(name: str, number: int = 0) -> Operator:
    """The operator of a case."""
    return make_case(name, number).build()


def without_flags(operator: Operator) -> Operator:
    """The operator as files have it: flags and alignments are no part of them."""

    def plain(tensor: dml.TensorDesc) -> dml.TensorDesc:
        total = tensor.total_tensor_size_in_bytes
        return tensor.replace(flags=0, guaranteed_base_offset_alignment=0, total_tensor_size_in_bytes=total)

    changes = {}
    for field in operator.tensor_fields():
        value = getattr(operator, field.name)
        if value is not None:
            changes[field.name] = [plain(each) for each in value] if field.is_list else plain(value)
    return operator.replace(**changes)


def drawn(seed: int) -> tuple[dml.Graph, list[np.ndarray[tuple[int], np.dtype[np.uint8]]]]:
    """A random graph, and memory for its inputs."""
    random = Random(f"file {seed}")
    graph, descs = random_graph(random, random.randint(2, 10))
    buffers = []
    for desc in descs:
        data = np.zeros(desc.total_tensor_size_in_bytes, np.uint8)
        desc.store(data, values_of(desc, random))
        buffers.append(data)
    return graph, buffers


def outputs_of(graph: dml.Graph, inputs: list[np.ndarray[tuple[int], np.dtype[np.uint8]]]) -> list[list[float]]:
    """The elements of every output."""
    compiled = dml.Device().compile_graph(graph)
    buffers = [np.zeros(port.total, np.uint8) for port in compiled.outputs]
    compiled(*inputs, *buffers)
    pairs = zip(compiled.outputs, buffers, strict=True)
    return [port.tensor.view(buffer).tolist() for port, buffer in pairs if port.tensor is not None]
