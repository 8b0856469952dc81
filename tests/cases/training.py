"""Optimizers."""

from __future__ import annotations

from tests.cases.framework import Case, Draw, answer, case, values
from tests.oracle.inexact import Inexact, apply, lift, square_root
from tests.oracle.moves import Tensor

OUTPUTS = ("output_parameters_tensor", "output_first_moment_tensor", "output_second_moment_tensor")
RATES = (0.5, 0.875, 0.90625, 1 - 2.0**-10)


@case("ADAM_OPTIMIZER", count=36)
def adam(draw: Draw) -> None:
    """Second moments are above 0; in some cases training has not begun."""
    sizes = draw.sizes(4)
    while sizes == (1, 1, 1, 1):
        sizes = draw.sizes(4)
    for name in ("input_parameters_tensor", "input_first_moment_tensor", "gradient_tensor"):
        draw.input(name, sizes=sizes)
    draw.input("input_second_moment_tensor", sizes=sizes, value=values.between(1 / 16, 3))
    steps = 0.0 if draw.chance(0.1) else float(draw.integer(1, 20))
    draw.input("training_step_tensor", sizes=(1, 1, 1, 1), value={(0, 0, 0, 0): steps})
    for name in OUTPUTS:
        draw.output(name, sizes=sizes)
    draw.attributes(
        learning_rate=draw.choice(0.125, 0.5, 2.0**-8),
        beta1=draw.choice(*RATES),
        beta2=draw.choice(*RATES),
        epsilon=draw.choice(2.0**-20, 2.0**-6),
    )


@answer("ADAM_OPTIMIZER")
def adam_answer(given: Case) -> dict[str, Tensor]:
    """Before the first step the correction is 0 / 0: parameters are left open then."""
    gradient = given["gradient_tensor"].values
    (steps,) = given["training_step_tensor"].values.values()
    first, second = given["beta1"], given["beta2"]
    means = blended(given["input_first_moment_tensor"].values, gradient, first)
    squares = blended(given["input_second_moment_tensor"].values, {i: v * v for i, v in gradient.items()}, second)
    found: Tensor = {}
    if steps:
        correction = square_root(remaining(second, steps)) / remaining(first, steps)
        for i, v in given["input_parameters_tensor"].values.items():
            step = given["learning_rate"] * correction * means[i] / (square_root(squares[i]) + given["epsilon"])
            found[i] = v - step
    return dict(zip(OUTPUTS, (found, means, squares), strict=True))


def blended(old: Tensor, new: Tensor, rate: float) -> Tensor:
    return {i: lift(old[i]) * rate + lift(new[i]) * (1 - rate) for i in old}


def remaining(rate: float, steps: float) -> Inexact:
    """1 - rate^steps."""
    return 1.0 - apply(lambda base: base**steps, rate, 16)
