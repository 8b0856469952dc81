"""Normalization and its gradients, on numbers that know their errors.

A parameter tensor broadcasts: along a dimension of size 1 it has one element for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.oracle.inexact import UNIT, Inexact, apply, lift, mean, square_root, total
from tests.oracle.moves import Index, Tensor, indices
from tests.oracle.softmax import groups


def folded(index: Index, sizes: Index) -> Index:
    """Where a parameter of these sizes has the element for an index."""
    return tuple(k if n > 1 else 0 for k, n in zip(index, sizes, strict=True))


def widened(values: Tensor, parameter_sizes: Index, sizes: Index) -> Tensor:
    """A parameter for every element."""
    return {i: values[folded(i, parameter_sizes)] for i in indices(sizes)}


def grouped(x: Tensor, sizes: Index, parameter_sizes: Index) -> dict[Index, list[Index]]:
    """The elements that one element of a parameter stands for."""
    found: dict[Index, list[Index]] = {}
    for i in indices(sizes):
        found.setdefault(folded(i, parameter_sizes), []).append(i)
    return found


def loosened(number: Inexact, magnitude: float) -> Inexact:
    """A bound that also holds where the same formula is computed in another order."""
    return Inexact(number.value, number.error + 8 * UNIT * magnitude)


def standardized(x: Inexact, centre: Inexact, variance: Inexact, epsilon: float) -> Inexact:
    """(x - centre) / sqrt(variance + epsilon)."""
    root = square_root(variance + epsilon)
    return loosened((x - centre) / root, (abs(x.value) + abs(centre.value)) / root.value)


def scaled(number: Inexact, scale: float, bias: float) -> Inexact:
    return number * scale + bias


def variance_of(numbers: list[Inexact], centre: Inexact | float) -> Inexact:
    """The mean of the squared distances from the centre."""
    return mean([(x - centre) * (x - centre) for x in numbers])


def statistics(numbers: list[float]) -> tuple[Inexact, Inexact]:
    """Mean and variance."""
    found = [lift(x) for x in numbers]
    centre = mean(found)
    return centre, variance_of(found, centre)


def mean_variance(x: Tensor, sizes: Index, axes: Iterable[int], centres: bool, divides: bool, epsilon: float) -> Tensor:
    """Elements minus the mean of their group, divided by its deviation: of both, either or neither.

    Where the mean stays, the variance is taken about 0: the mean of the squares.
    """
    result: Tensor = {}
    for group in groups(x, sizes, axes):
        numbers = [lift(x[i]) for i in group]
        centre = mean(numbers) if centres else lift(0.0)
        variance = variance_of(numbers, centre)
        for i, number in zip(group, numbers, strict=True):
            result[i] = standardized(number, centre, variance, epsilon) if divides else number - centre
    return result


def lp(x: Tensor, sizes: Index, axis: int, p: int) -> Tensor:
    """Elements divided by the norm of their line; a line of zeros stays."""
    result: Tensor = {}
    for group in groups(x, sizes, [axis]):
        powers = total([lift(abs(x[i])) if p == 1 else lift(x[i]) * x[i] for i in group])
        norm = powers if p == 1 else square_root(powers)
        result.update({i: lift(x[i]) / norm if norm.value else lift(0.0) for i in group})
    return result


# Local response


@dataclass(frozen=True)
class Response:
    """x / (bias + alpha / size * (sum of squares of the neighbours))^beta."""

    cross_channel: bool
    size: int
    alpha: float
    beta: float
    bias: float

    def neighbours(self, index: Index, sizes: Index) -> list[Index]:
        """Along the channels, or along height and width; of an even number, one more behind than before."""
        axes = (1,) if self.cross_channel else (2, 3)
        before, behind = (self.size - 1) // 2, self.size // 2
        reach = [
            range(max(0, k - before), min(n, k + behind + 1)) if axis in axes else range(k, k + 1)
            for axis, (k, n) in enumerate(zip(index, sizes, strict=True))
        ]
        return [(n, c, h, w) for n in reach[0] for c in reach[1] for h in reach[2] for w in reach[3]]

    def divisor(self, x: Tensor, index: Index, sizes: Index) -> Inexact:
        """What is raised to beta."""
        squares = total([lift(x[i]) * x[i] for i in self.neighbours(index, sizes)])
        return squares * (self.alpha / self.size) + self.bias


def raised(number: Inexact, exponent: float) -> Inexact:
    return apply(lambda v: v**exponent, number, 16)


def local_response(x: Tensor, sizes: Index, how: Response) -> Tensor:
    return {i: lift(x[i]) / raised(how.divisor(x, i, sizes), how.beta) for i in indices(sizes)}


def local_response_gradient(x: Tensor, gradient: Tensor, sizes: Index, how: Response) -> Tensor:
    """dY D^-beta, minus what every neighbour's divisor, which holds x squared, takes back."""
    divisors = {i: how.divisor(x, i, sizes) for i in indices(sizes)}
    parts: dict[Index, list[Inexact]] = {i: [] for i in indices(sizes)}
    for i in indices(sizes):
        parts[i].append(gradient[i] * raised(divisors[i], -how.beta))
        shared = gradient[i] * x[i] * raised(divisors[i], -how.beta - 1)
        for j in how.neighbours(i, sizes):
            parts[j].append(-2.0 * how.alpha * how.beta / how.size * shared * x[j])
    return {i: total(found) for i, found in parts.items()}


# Batches


def batch_gradient(
    x: Tensor, gradient: Tensor, sizes: Index, parameters: tuple[Tensor, Tensor, Tensor], small: Index, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """dX, dScale and dBias where mean and variance are given numbers."""
    centre, variance, scale = parameters
    inputs, scales, biases = {}, {}, {}
    for at, group in grouped(x, sizes, small).items():
        root = square_root(lift(variance[at]) + epsilon)
        inputs.update({i: lift(gradient[i]) * scale[at] / root for i in group})
        scales[at] = total(
            [
                loosened(gradient[i] * ((lift(x[i]) - centre[at]) / root), gain(x[i], centre[at], gradient[i], root))
                for i in group
            ]
        )
        biases[at] = total([gradient[i] for i in group])
    return inputs, scales, biases


def gain(x: float, centre: float, gradient: float, root: Inexact) -> float:
    return abs(gradient) * (abs(x) + abs(centre)) / root.value


def training_gradient(
    x: Tensor, gradient: Tensor, sizes: Index, parameters: tuple[Tensor, Tensor, Tensor], small: Index, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The same where mean and variance are those of the batch, and change with x."""
    _, variance, scale = parameters
    _, scales, biases = batch_gradient(x, gradient, sizes, parameters, small, epsilon)
    inputs: Tensor = {}
    for at, group in grouped(x, sizes, small).items():
        spread = lift(variance[at]) + epsilon
        factor = scale[at] / square_root(spread)
        centre, slope = mean([lift(x[i]) for i in group]), mean([lift(gradient[i]) for i in group])
        pull = mean([gradient[i] * (lift(x[i]) - centre) for i in group]) / spread
        for i in group:
            moved = (lift(x[i]) - centre) * pull
            magnitude = abs(gradient[i]) + abs(slope.value) + (abs(x[i]) + abs(centre.value)) * abs(pull.value)
            inputs[i] = factor * loosened(gradient[i] - slope - moved, magnitude)
    return inputs, scales, biases


def each(values: Tensor, function: Callable[[Inexact], Inexact]) -> Tensor:
    return {i: function(value) for i, value in values.items()}
