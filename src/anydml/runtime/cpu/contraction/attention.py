"""Attention as two products with softmax between them, where nothing is masked, added or remembered."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, constant, operation, result
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.core.tensor import TensorDesc
from anydml.runtime.cpu.contraction.gemm import Problem, matrix_of, multiply, place
from anydml.runtime.cpu.contraction.machine import host_machine
from anydml.runtime.cpu.contraction.results import Finish, Finished, finish, sums_of_floats
from anydml.runtime.cpu.expand import Workspace, expand_program
from anydml.runtime.programs import named_inputs

_SOURCES = ("query_tensor", "key_tensor", "value_tensor")
_MOST_SCORES = 1 << 24
"""More scores would take more memory than attention by blocks is slow."""


def expand_attention(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    views = {name: view for name, view in named_inputs(operator, program.inputs).items() if view is not None}
    nest, *others = program.outputs
    heads, key_heads = operator.head_counts
    if set(views) != set(_SOURCES) or heads != key_heads or nest is None or any(each is not None for each in others):
        return None
    query, key, value = (_by_heads(views[name], heads) for name in _SOURCES)
    scores = (*query.sizes[:3], key.sizes[2])
    if query.type is not DataType.FLOAT32 or prod(scores) > _MOST_SCORES:
        return None
    done = finish(_nest_by_heads(nest, heads), Finish(sums_of_floats()), query.type, host_machine(), workspace)
    if done is None:
        return None
    found, steps = _scores(query, key, scores, operator.scale, workspace)
    likely, more = _softmax(found, workspace)
    left, right = matrix_of(likely, rows_first=True), matrix_of(value, rows_first=False)
    mixed = multiply(Problem(left, right, scores[:2]), done, host_machine(), workspace, place)
    return [*steps, *more, *mixed, *done.after]


def _by_heads(view: View, heads: int) -> View:
    """{batch, sequence, heads * size} as {batch, heads, sequence, size}."""
    batch, sequence, hidden = view.sizes[-3:]
    size, strides = hidden // heads, view.strides[-3:]
    return replace(
        view, sizes=(batch, heads, sequence, size), strides=(strides[0], size * strides[2], strides[1], strides[2])
    )


def _nest_by_heads(nest: Nest, heads: int) -> Nest:
    batch, sequence, hidden = nest.sizes[-3:]
    size = hidden // heads

    def seen(access: Access) -> Access:
        outer, middle, inner = access.strides[-3:]
        return replace(access, strides=(outer, size * inner, middle, inner))

    stores = tuple(Store(seen(store.access), store.value) for store in nest.stores)
    return Nest((batch, heads, sequence, size), tuple(map(seen, nest.loads)), stores)


def _dense(workspace: Workspace, sizes: tuple[int, ...], name: str) -> View:
    strides = tuple(prod(sizes[axis + 1 :]) for axis in range(len(sizes)))
    return View(workspace.temporary(4 * prod(sizes), name), DataType.FLOAT32, sizes, strides)


def _scores(
    query: View, key: View, sizes: tuple[int, ...], scale: float, workspace: Workspace
) -> tuple[View, list[Step]]:
    """Scaled products of queries and keys."""
    found = _dense(workspace, sizes, "scores")
    value = operation("multiply", result(FLOAT32), constant(scale, FLOAT32))
    left, right = matrix_of(query, rows_first=True), matrix_of(key, rows_first=True)
    done = Finished((value,), (), (found.access,))
    return found, multiply(Problem(left, right, sizes[:2]), done, host_machine(), workspace, place)


def _softmax(scores: View, workspace: Workspace) -> tuple[View, list[Step]]:
    from anydml.operators.softmax import ActivationSoftmax1

    found = _dense(workspace, scores.sizes, "likelihoods")
    operator = ActivationSoftmax1(input_tensor=TensorDesc("FLOAT32", scores.sizes), axes=[3])
    nest = Nest(scores.sizes, (), (Store(found.access, result(FLOAT32)),))
    return found, expand_program(Program(operator, (scores,), (nest,)), workspace)
