"""ADAM_OPTIMIZER: one step of training."""

from __future__ import annotations

from typing import Any

from anydml.core.schema import Float, Operator, aliases, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.types import FLOAT_16_32, UINT32

_FLOATS = {"3.0": FLOAT_16_32}
_INPUTS = "input_parameters_tensor input_first_moment_tensor input_second_moment_tensor gradient_tensor"
_OUTPUTS = ("output_parameters_tensor", "output_first_moment_tensor", "output_second_moment_tensor")


class AdamOptimizer(Operator, since="3.0", id=136):
    """Moves parameters against their gradient, by running averages of the gradient and of its square.

    The training step counts from 1; at 0 the correction of the averages is 0 / 0, and all parameters become NaN.
    """

    rank = {"3.0": (4, 4)}
    input_parameters_tensor: TensorDesc = tensor_input(_FLOATS)
    input_first_moment_tensor: TensorDesc = tensor_input(_FLOATS)
    input_second_moment_tensor: TensorDesc = tensor_input(_FLOATS)
    gradient_tensor: TensorDesc = tensor_input(_FLOATS)
    training_step_tensor: TensorDesc = tensor_input({"3.0": FLOAT_16_32 | UINT32})
    output_parameters_tensor: TensorDesc = tensor_output(_FLOATS)
    output_first_moment_tensor: TensorDesc = tensor_output(_FLOATS)
    output_second_moment_tensor: TensorDesc = tensor_output(_FLOATS)
    learning_rate: float = attribute(Float())
    beta1: float = attribute(Float())
    beta2: float = attribute(Float())
    epsilon: float = attribute(Float())
    same = (same(f"{_INPUTS} {' '.join(_OUTPUTS)}", "DataType DimensionCount Sizes"),)
    sizes_of = {"training_step_tensor": "1*"}
    in_place = tuple(pair for output in _OUTPUTS for pair in aliases(_INPUTS, output))

    def compute(
        self,
        xp: Any,
        input_parameters_tensor: Any,
        input_first_moment_tensor: Any,
        input_second_moment_tensor: Any,
        gradient_tensor: Any,
        training_step_tensor: Any,
    ) -> dict[str, Any]:
        gradient, number = gradient_tensor, gradient_tensor.dtype.type
        first = number(self.beta1) * input_first_moment_tensor + number(1 - self.beta1) * gradient
        second = number(self.beta2) * input_second_moment_tensor + number(1 - self.beta2) * xp.square(gradient)
        # 1 - beta^t loses most of its digits in float32, and is one number alone.
        step = training_step_tensor.astype(xp.float64)
        correction = xp.sqrt(1 - self.beta2**step) / (1 - self.beta1**step)
        rate = (self.learning_rate * correction).astype(gradient.dtype)
        moved = input_parameters_tensor - rate * first / (xp.sqrt(second) + number(self.epsilon))
        return dict(zip(_OUTPUTS, (moved, first, second), strict=True))
