"""Normalization by given or computed statistics, by neighbours and by norms, and the gradients."""

from __future__ import annotations

from tests.cases.framework import Case, Draw, Operand, answer, case, values
from tests.cases.fused import draw_fused, fuse
from tests.oracle import normalization
from tests.oracle.inexact import lift
from tests.oracle.moves import Index, Tensor
from tests.oracle.normalization import Response, folded, grouped, scaled, standardized, statistics

EPSILONS = (2.0**-17, 2.0**-10, 0.25)
ABOVE_ZERO = values.between(1 / 8, 4)


def draw_small(draw: Draw, sizes: Index) -> Index:
    """Sizes of a parameter: each 1 or that of the input."""
    return tuple(draw.choice(1, n) for n in sizes)


def parameter_of(operand: Operand | None, index: Index, otherwise: float) -> float:
    return float(operand.values[folded(index, operand.sizes)]) if operand else otherwise


def scaled_and_fused(given: Case, numbers: Tensor) -> Tensor:
    """Scale, bias and activation, each where it is given."""
    result, scale, bias = {}, given.get("scale_tensor"), given.get("bias_tensor")
    for i, number in numbers.items():
        if scale or bias:
            number = scaled(number, parameter_of(scale, i, 1.0), parameter_of(bias, i, 0.0))
        result[i] = fuse(given.get("fused_activation"), number)
    return result


# Statistics of the input


def draw_mean_variance(draw: Draw, sizes: Index) -> None:
    draw.input("input_tensor", sizes=sizes, value=values.between(-4, 4))
    for name in ("scale_tensor", "bias_tensor"):
        if draw.optional(name):
            draw.input(name, sizes=draw_small(draw, sizes))
    draw.output("output_tensor", sizes=sizes)
    draw.attributes(epsilon=draw.choice(*EPSILONS), fused_activation=draw_fused(draw))


@case("MEAN_VARIANCE_NORMALIZATION")
def mean_variance(draw: Draw) -> None:
    draw_mean_variance(draw, draw.sizes(4))
    draw.attributes(
        cross_channel=draw.cycle("channels", (True, False)), normalize_variance=draw.cycle("variance", (True, False))
    )


@case("MEAN_VARIANCE_NORMALIZATION1", count=36)
def mean_variance1(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    draw_mean_variance(draw, sizes)
    draw.attributes(axes=draw.axes(len(sizes)), normalize_variance=draw.cycle("variance", (True, False)))


@case("MEAN_VARIANCE_NORMALIZATION2", count=36)
def mean_variance2(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    draw_mean_variance(draw, sizes)
    use_mean, use_variance = draw.cycle("statistics", [(m, v) for m in (True, False) for v in (True, False)])
    draw.attributes(axes=draw.axes(len(sizes)), use_mean=use_mean, use_variance=use_variance)


@answer("MEAN_VARIANCE_NORMALIZATION", "MEAN_VARIANCE_NORMALIZATION1", "MEAN_VARIANCE_NORMALIZATION2")
def mean_variance_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    axes = given.get("axes") or ((1, 2, 3) if given["cross_channel"] else (2, 3))
    divides = given["use_variance"] if "use_variance" in given.fields else given["normalize_variance"]
    found = normalization.mean_variance(x.values, x.sizes, axes, given.get("use_mean", True), divides, given["epsilon"])
    return scaled_and_fused(given, found)


@case("LP_NORMALIZATION")
def norms(draw: Draw) -> None:
    """A tiny epsilon changes nothing, wherever it is added; some lines are all zeros."""
    sizes = draw.sizes(draw.rank("input_tensor"))
    zeros = draw.chance(0.3)
    draw.input("input_tensor", sizes=sizes, value=values.few(0.0, 0.0, 1.5, -2.0) if zeros else values.moderate)
    draw.output("output_tensor", sizes=sizes)
    draw.attributes(axis=draw.axis(len(sizes)), epsilon=2.0**-40, p=draw.cycle("p", (1, 2)))


@answer("LP_NORMALIZATION")
def norms_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    return normalization.lp(x.values, x.sizes, given["axis"], given["p"])


# Neighbours


def draw_response(draw: Draw) -> None:
    draw.attributes(
        cross_channel=draw.cycle("channels", (True, False)),
        local_size=draw.cycle("size", (1, 2, 3, 4, 5)),
        alpha=draw.choice(0.5, 1.0, 2.0**-10),
        beta=draw.choice(0.75, 0.5, 1.0),
        bias=draw.choice(1.0, 2.0, 0.5),
    )


def response_of(given: Case) -> Response:
    keys = ("cross_channel", "local_size", "alpha", "beta", "bias")
    return Response(*(given[key] for key in keys))


def draw_image(draw: Draw) -> Index:
    """Enough channels for a window of several."""
    longest = 5 if draw.is_large else 4
    return tuple(draw.integer(low, longest) for low in (1, 2, 1, 2))


@case("LOCAL_RESPONSE_NORMALIZATION")
def responses(draw: Draw) -> None:
    sizes = draw_image(draw)
    draw.input("input_tensor", sizes=sizes)
    draw.output("output_tensor", sizes=sizes)
    draw_response(draw)


@answer("LOCAL_RESPONSE_NORMALIZATION")
def responses_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    return normalization.local_response(x.values, x.sizes, response_of(given))


@case("LOCAL_RESPONSE_NORMALIZATION_GRAD")
def response_gradients(draw: Draw) -> None:
    sizes = draw_image(draw)
    draw.input("input_tensor", sizes=sizes)
    draw.input("input_gradient_tensor", sizes=sizes)
    draw.output("output_gradient_tensor", sizes=sizes)
    draw_response(draw)


@answer("LOCAL_RESPONSE_NORMALIZATION_GRAD")
def response_gradients_answer(given: Case) -> Tensor:
    x, gradient = given["input_tensor"], given["input_gradient_tensor"].values
    return normalization.local_response_gradient(x.values, gradient, x.sizes, response_of(given))


# Batches


@case("BATCH_NORMALIZATION", count=36)
def batches(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    draw.input("input_tensor", sizes=sizes, value=values.between(-4, 4))
    for name in ("mean", "variance", "scale", "bias"):
        value = ABOVE_ZERO if name == "variance" else values.moderate
        draw.input(f"{name}_tensor", sizes=draw_small(draw, sizes), value=value)
    draw.output("output_tensor", sizes=sizes)
    spatial = draw.cycle("spatial", (True, False))
    draw.attributes(spatial=spatial, epsilon=draw.choice(*EPSILONS), fused_activation=draw_fused(draw))


@answer("BATCH_NORMALIZATION")
def batches_answer(given: Case) -> Tensor:
    mean, variance = given["mean_tensor"], given["variance_tensor"]
    found = {}
    for i, v in given["input_tensor"].values.items():
        centre, spread = lift(parameter_of(mean, i, 0.0)), lift(parameter_of(variance, i, 1.0))
        found[i] = standardized(lift(v), centre, spread, given["epsilon"])
    return scaled_and_fused(given, found)


@case("BATCH_NORMALIZATION_TRAINING", count=36)
def training(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    small = draw_small(draw, sizes)
    draw.input("input_tensor", sizes=sizes, value=values.between(-4, 4))
    for name in ("scale_tensor", "bias_tensor"):
        draw.input(name, sizes=small)
    if draw.optional("fused_add_tensor"):
        draw.input("fused_add_tensor", sizes=sizes)
    draw.output("output_tensor", sizes=sizes)
    for name in ("output_mean_tensor", "output_variance_tensor"):
        draw.output(name, sizes=small)
    draw.attributes(epsilon=draw.choice(*EPSILONS), fused_activation=draw_fused(draw))


@answer("BATCH_NORMALIZATION_TRAINING")
def training_answer(given: Case) -> dict[str, Tensor]:
    x, scale, bias = given["input_tensor"], given["scale_tensor"], given["bias_tensor"].values
    added, found, means, variances = given.get("fused_add_tensor"), {}, {}, {}
    for at, group in grouped(x.values, x.sizes, scale.sizes).items():
        means[at], variances[at] = statistics([x.values[i] for i in group])
        for i in group:
            number = standardized(lift(x.values[i]), means[at], variances[at], given["epsilon"])
            number = scaled(number, scale.values[at], bias[at])
            found[i] = fuse(given.get("fused_activation"), number + added.values[i] if added else number)
    return {"output_tensor": found, "output_mean_tensor": means, "output_variance_tensor": variances}


@case("BATCH_NORMALIZATION_GRAD", "BATCH_NORMALIZATION_TRAINING_GRAD")
def batch_gradients(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    small = draw_small(draw, sizes)
    draw.input("input_tensor", sizes=sizes, value=values.between(-4, 4))
    draw.input("input_gradient_tensor", sizes=sizes)
    draw.input("mean_tensor", sizes=small)
    draw.input("variance_tensor", sizes=small, value=ABOVE_ZERO)
    draw.input("scale_tensor", sizes=small)
    draw.output("output_gradient_tensor", sizes=sizes)
    for name in ("output_scale_gradient_tensor", "output_bias_gradient_tensor"):
        draw.output(name, sizes=small)
    draw.attributes(epsilon=draw.choice(*EPSILONS))


@answer("BATCH_NORMALIZATION_GRAD", "BATCH_NORMALIZATION_TRAINING_GRAD")
def batch_gradients_answer(given: Case) -> dict[str, Tensor]:
    x, gradient, small = given["input_tensor"], given["input_gradient_tensor"].values, given["mean_tensor"].sizes
    parameters = tuple(given[f"{name}_tensor"].values for name in ("mean", "variance", "scale"))
    trains = given.operator == "BATCH_NORMALIZATION_TRAINING_GRAD"
    function = normalization.training_gradient if trains else normalization.batch_gradient
    found = function(x.values, gradient, x.sizes, parameters, small, given["epsilon"])  # type: ignore[arg-type]
    names = ("output_gradient_tensor", "output_scale_gradient_tensor", "output_bias_gradient_tensor")
    return dict(zip(names, found, strict=True))
