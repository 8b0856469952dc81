"""Graphs built by writing expressions, in the manner of DirectMLX.

    graph = Graph()
    x = input_tensor(graph, 0, TensorDesc("FLOAT32", [1, 1, 2, 3]))
    y = activation_relu(x * 2 - 1)
    result = graph(array)

There is one function for each operator; see `anydml.expression.functions` for how their parameters follow from the
declarations, and `anydml.expression.composed` for those that DirectMLX shapes in another way.
"""

from typing import Any

from anydml.core import arrays as _arrays  # noqa: F401 first: NumPy as a whole, or what is wrong where there is none
from anydml.core.policy import DEFAULT, INTERLEAVED_CHANNEL, TensorPolicy
from anydml.core.tensor import TensorDesc
from anydml.expression import composed, functions
from anydml.expression.fused import FusedActivation
from anydml.expression.graph import Expression, Graph
from anydml.process.loading import load_module

_FUNCTIONS = {**functions.DERIVED, **composed.FUNCTIONS}
globals().update(_FUNCTIONS)
vars(functions).update(composed.FUNCTIONS)

input_tensor, constant, apply = functions.input_tensor, functions.constant, functions.apply


def __getattr__(name: str) -> Any:
    near = load_module("anydml.core.naming").closest(name, __all__)
    hint = f"; did you mean {near!r}?" if near else ""
    raise AttributeError(f"module 'anydml.expression' has no function {name!r}{hint}")


__all__ = [
    "DEFAULT",
    "INTERLEAVED_CHANNEL",
    "Expression",
    "FusedActivation",
    "Graph",
    "TensorDesc",
    "TensorPolicy",
    "apply",
    "constant",
    "input_tensor",
]
__all__ += sorted(_FUNCTIONS)
