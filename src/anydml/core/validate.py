"""validate(operator, level): every rule an operator breaks at a feature level, all at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, takewhile
from typing import TypeVar

from anydml.core.datatype import DataType
from anydml.core.enums import check_member_level
from anydml.core.errors import MOST_VIOLATIONS, InvalidDescriptionError, UnsupportedError, Violation, counted
from anydml.core.levels import FeatureLevel
from anydml.core.naming import pascal
from anydml.core.rules import rule
from anydml.core.schema import BindingPoint, Operator, RankLadder, Same, TypeLadder, When
from anydml.core.tensor import TensorDesc

_RELU = "dml.Device({}).compile(dml.ActivationRelu(input_tensor=dml.TensorDesc({}), output_tensor=dml.TensorDesc({})))"
_PLAIN = "'FLOAT32', [4]"

SINCE = rule(
    "operator.level",
    "An operator exists from its feature level on.",
    "dml.Device(feature_level='2.0').compile(dml.FillValueConstant(output_tensor="
    "dml.TensorDesc('FLOAT32', [1, 1, 1, 4]), value_data_type='FLOAT32', value=0))",
)
TYPE = rule(
    "tensor.data-type",
    "A tensor has one of the data types its operator takes at the feature level.",
    _RELU.format("", "'UINT8', [4]", "'UINT8', [4]"),
)
RANK = rule(
    "tensor.rank",
    "A tensor has a number of dimensions its operator takes at the feature level.",
    _RELU.format("feature_level='2.1'", _PLAIN, _PLAIN),
)
SAME_TYPE = rule("same.data-type", "These tensors have one data type.", _RELU.format("", _PLAIN, "'FLOAT16', [4]"))
SAME_RANK = rule(
    "same.rank", "These tensors have one number of dimensions.", _RELU.format("", _PLAIN, "'FLOAT32', [1, 4]")
)
SAME_SIZES = rule(
    "same.sizes",
    "These tensors have the same sizes; broadcasting is written with strides of 0.",
    _RELU.format("", _PLAIN, "'FLOAT32', [5]"),
)
REQUIRED = rule(
    "tensor.required",
    "Some tensors became optional with a later feature level.",
    "dml.Device(feature_level='6.1').compile(dml.ElementWiseQuantizeLinear("
    "input_tensor=dml.TensorDesc('FLOAT32', [4]), scale_tensor=dml.TensorDesc('FLOAT32', [4]), "
    "output_tensor=dml.TensorDesc('UINT8', [4])))",
)
OUTPUT_OVERLAP = rule(
    "output.overlap",
    "No two elements of an output share memory.",
    _RELU.format("", "'FLOAT32', [2, 3]", "'FLOAT32', [2, 3], [0, 1]"),
)
OWNED = rule(
    "flags.owned",
    "OWNED_BY_DML is for inputs, and not for recurrent networks.",
    _RELU.format("", _PLAIN, _PLAIN + ", flags=1"),
)
OUTPUT_SIZES = rule(
    "output.sizes",
    "An output's sizes follow from the inputs.",
    "dml.Device().compile(dml.Tile(input_tensor=dml.TensorDesc('FLOAT32', [2]), repeats=[2], "
    "output_tensor=dml.TensorDesc('FLOAT32', [5])))",
)
Step = TypeVar("Step")
# Where dimensions do not even match in number, what an operator says of each would only confuse.
_RANK_RULES = {"tensor.rank", "same.rank"}


def require_valid(operator: Operator, level: FeatureLevel) -> None:
    """Return quietly, or raise with everything that is wrong."""
    violations = validate(operator, level)
    if violations:
        only_levels = all(violation.feature_level for violation in violations)
        error = UnsupportedError if only_levels else InvalidDescriptionError
        raise error(violations, type(operator).__name__)


def validate(operator: Operator, level: FeatureLevel) -> list[Violation]:
    """All violations at once."""
    violations = list(_check_since(operator, level))
    points = takewhile(lambda _: len(violations) <= MOST_VIOLATIONS, operator.all_points())
    for point in points:
        violations += _check_point(operator, point, level)
    violations += [v for group in operator.same for v in islice(_check_same(operator, group), MOST_VIOLATIONS + 1)]
    for name in operator.fields:
        violations += check_member_level(getattr(operator, name), level, pascal(name))
    if not any(violation.rule in _RANK_RULES for violation in violations):
        violations += operator.own_violations(level, trusting=not violations)
    return violations or list(_check_inferred(operator))


def _check_since(operator: Operator, level: FeatureLevel) -> Iterator[Violation]:
    if level < operator.since:
        expected = f"an operator of feature level {level.text}"
        yield SINCE("", operator.dml_type, expected, feature_level=operator.since.text)


def _check_point(operator: Operator, point: BindingPoint, level: FeatureLevel) -> Iterator[Violation]:
    field, tensor, path = point.field, point.tensor, point.dml_name
    if tensor is None:
        if field.optional_since and level < FeatureLevel.parse(field.optional_since):
            yield REQUIRED(path, "nothing", "a tensor at this level", feature_level=field.optional_since)
        return
    # Below the operator's own level its first row still tells what its tensors may be. What its rows say of
    # types and ranks is stricter than what the level says of all tensors, which therefore need not be asked.
    level = max(level, operator.since)
    yield from _check_type(operator, point, tensor, level)
    yield from _check_rank(field.rank or operator.rank, tensor, path, level)
    if not field.is_input and tensor.layout.has_overlap:
        fix = "strides without 0, each large enough"
        yield OUTPUT_OVERLAP(f"{path}.Strides", tensor.strides, "an element of memory for every index", fix)
    if tensor.is_owned_by_dml and not (field.is_input and operator.owned_inputs):
        yield OWNED(f"{path}.Flags", "OWNED_BY_DML", "NONE", "leaving Flags out")


def _check_type(
    operator: Operator, point: BindingPoint, tensor: TensorDesc, level: FeatureLevel
) -> Iterator[Violation]:
    ladder = type_ladder(operator, point.field.types)
    allowed = at_level(ladder, level) or frozenset()
    if tensor.data_type in allowed:
        return
    later = [step for step, types in ladder.items() if tensor.data_type in types]
    lowest = min(later, key=FeatureLevel.parse) if later else None
    names = ", ".join(kind.name for kind in DataType if kind in allowed)
    yield TYPE(f"{point.dml_name}.DataType", tensor.data_type.name, f"one of {names}", feature_level=lowest)


def _check_rank(ladder: RankLadder, tensor: TensorDesc, path: str, level: FeatureLevel) -> Iterator[Violation]:
    low, high = at_level(ladder, level) or (1, 8)
    if low <= tensor.rank <= high:
        return
    later = [step for step, (a, b) in ladder.items() if a <= tensor.rank <= b]
    lowest = min(later, key=FeatureLevel.parse) if later else None
    fix = f"leading 1s: .with_rank({low})" if tensor.rank < low else "fewer dimensions"
    expected = f"{low} to {high} dimensions" if low < high else counted(low, "dimension")
    yield RANK(f"{path}.Sizes", counted(tensor.rank, "dimension"), expected, fix, lowest)


def type_ladder(operator: Operator, types: TypeLadder | When) -> TypeLadder:
    """The ladder in force, where it depends on an attribute."""
    return types.choose(getattr(operator, types.attribute).name) if isinstance(types, When) else types


def at_level(ladder: Mapping[str, Step], level: FeatureLevel) -> Step | None:
    """The last step of a ladder that the level reaches."""
    reached = [step for step in ladder if FeatureLevel.parse(step) <= level]
    return ladder[max(reached, key=FeatureLevel.parse)] if reached else None


def _check_same(operator: Operator, group: Same) -> Iterator[Violation]:
    members = [(p.dml_name, p.tensor) for p in operator.all_points() if p.field.name in group.tensors and p.tensor]
    if len(members) < 2:
        return
    first_name, first = members[0]
    for name, tensor in members[1:]:
        if "DataType" in group.properties and tensor.data_type is not first.data_type:
            expected = f"{first.data_type.name} as {first_name}"
            yield SAME_TYPE(f"{name}.DataType", tensor.data_type.name, expected, first.data_type.name)
        if "DimensionCount" in group.properties and tensor.rank != first.rank:
            expected = f"{first.rank} as {first_name} has"
            yield SAME_RANK(f"{name}.Sizes", counted(tensor.rank, "dimension"), expected, f".with_rank({first.rank})")
        elif "Sizes" in group.properties and tensor.sizes != first.sizes:
            fix = "the same sizes, with strides of 0 along what is broadcast" if name != "OutputTensor" else ""
            yield SAME_SIZES(f"{name}.Sizes", tensor.sizes, f"{first.sizes} as {first_name} has", fix)


def _check_inferred(operator: Operator) -> Iterator[Violation]:
    if operator.partial_outputs:
        return
    sizes = operator.infer()
    for point in operator.points("output"):
        expected = sizes.get(point.name)
        if expected is not None and point.tensor is not None and point.tensor.sizes != expected:
            yield OUTPUT_SIZES(f"{point.dml_name}.Sizes", point.tensor.sizes, expected, str(list(expected)))
