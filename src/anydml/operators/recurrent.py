"""RNN: a simple recurrent network in either direction, or both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.enums import RecurrentNetworkDirection as Direction
from anydml.core.errors import Violation, counted
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Array, Enumeration, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.schema.fusion import Activation
from anydml.core.tensor import TensorDesc
from anydml.operators.types import FLOAT_16_32, UINT32

ACTIVATIONS = rule("rnn.activations", "There is one activation for each direction.")
NO_OUTPUT = rule("rnn.outputs", "At least one of the two outputs is asked for.")
_FLOATS, _LENGTHS = {"1.0": FLOAT_16_32}, {"1.0": UINT32}
_ACTIVATIONS = Array(Activation())


class Rnn(Operator, since="1.0", id=76):
    """H[t] = f(X[t] W^T + H[t-1] R^T + bias), along a sequence."""

    rank = {"1.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    weight_tensor: TensorDesc = tensor_input(_FLOATS)
    recurrence_tensor: TensorDesc = tensor_input(_FLOATS)
    bias_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    hidden_init_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    sequence_lengths_tensor: TensorDesc | None = tensor_input(_LENGTHS, optional=True)
    output_sequence_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    output_single_tensor: TensorDesc | None = tensor_output(_FLOATS, optional=True)
    activation_descs: tuple[Operator, ...] = attribute(_ACTIVATIONS, length="ActivationDescCount")
    direction: Direction = attribute(Enumeration(Direction))
    same = (
        same(
            "input_tensor weight_tensor recurrence_tensor bias_tensor hidden_init_tensor output_sequence_tensor "
            "output_single_tensor",
            "DataType",
        ),
    )
    sizes_of = {
        "input_tensor": "1 sequence batch width",
        "weight_tensor": "1 directions hidden width",
        "recurrence_tensor": "1 directions hidden hidden",
        "bias_tensor": "1 1 directions 2*hidden",
        "hidden_init_tensor": "1 directions batch hidden",
        "sequence_lengths_tensor": "1 1 1 batch",
        "output_sequence_tensor": "sequence directions batch hidden",
        "output_single_tensor": "1 directions batch hidden",
    }
    owned_inputs = False

    @property
    def directions(self) -> int:
        return 2 if self.direction is Direction.BIDIRECTIONAL else 1

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        if len(self.activation_descs) != self.directions:
            found = counted(len(self.activation_descs), "activation")
            yield ACTIVATIONS("ActivationDescs", found, f"{self.directions} for {self.direction.name}")
        if self.output_sequence_tensor is None and self.output_single_tensor is None:
            yield NO_OUTPUT("OutputSequenceTensor", "no outputs", "OutputSequenceTensor or OutputSingleTensor")

    def compute(
        self,
        xp: Any,
        input_tensor: Any,
        weight_tensor: Any,
        recurrence_tensor: Any,
        bias_tensor: Any = None,
        hidden_init_tensor: Any = None,
        sequence_lengths_tensor: Any = None,
    ) -> dict[str, Any]:
        x = input_tensor[0]
        sequence, batch, _ = x.shape
        hidden = weight_tensor.shape[2]
        outputs = xp.zeros((sequence, self.directions, batch, hidden), x.dtype)
        last = xp.zeros((1, self.directions, batch, hidden), x.dtype)
        lengths = xp.full((batch,), sequence)
        if sequence_lengths_tensor is not None:
            lengths = xp.minimum(sequence_lengths_tensor.reshape(-1), sequence).astype(xp.int64)
        for d in range(self.directions):
            state = xp.zeros((batch, hidden), x.dtype) if hidden_init_tensor is None else hidden_init_tensor[0, d]
            bias = 0 if bias_tensor is None else bias_tensor[0, 0, d, :hidden] + bias_tensor[0, 0, d, hidden:]
            weights = weight_tensor[0, d].T, recurrence_tensor[0, d].T
            last[0, d] = self._run(xp, x, weights, bias, state, lengths, outputs[:, d], d)
        return {"output_sequence_tensor": outputs, "output_single_tensor": last}

    def _run(
        self, xp: Any, x: Any, weights: tuple[Any, Any], bias: Any, state: Any, lengths: Any, outputs: Any, d: int
    ) -> Any:
        """One direction; a sequence that has ended keeps its state and writes zeros."""
        backward = self.direction is Direction.BACKWARD or d == 1
        steps = range(x.shape[0] - 1, -1, -1) if backward else range(x.shape[0])
        activation: Any = self.activation_descs[d]
        for t in steps:
            fresh = activation.formula(xp, x[t] @ weights[0] + state @ weights[1] + bias)
            alive = (t < lengths)[:, None]
            state = xp.where(alive, fresh, state)
            outputs[t] = xp.where(alive, fresh, xp.zeros_like(fresh))
        return state
