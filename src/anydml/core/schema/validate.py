"""validate(operator, level): every rule an operator breaks at a feature level, all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from anydml.core.datatype import DataType
from anydml.core.errors import MOST_VIOLATIONS, InvalidDescriptionError, UnsupportedError, Violation, counted
from anydml.core.fixes import Advice, Rank, Remove, Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema.fields import RankLadder, Same, TypeLadder, When
from anydml.core.schema.operator import BindingPoint, Operator, bind_sizes
from anydml.core.schema.sizes import Mismatch
from anydml.core.tensor import TensorDesc

SINCE = rule("operator.level", "An operator exists from its feature level on.")
TYPE = rule("tensor.data-type", "A tensor has one of the data types its operator takes at the feature level.")
RANK = rule("tensor.rank", "A tensor has a number of dimensions its operator takes at the feature level.")
SAME_TYPE = rule("same.data-type", "These tensors have one data type.")
SAME_RANK = rule("same.rank", "These tensors have one number of dimensions.")
SAME_SIZES = rule("same.sizes", "These tensors have the same sizes; broadcasting is written with strides of 0.")
REQUIRED = rule("tensor.required", "Some tensors became optional with a later feature level.")
OUTPUT_OVERLAP = rule("output.overlap", "No two elements of an output share memory.")
OWNED = rule("flags.owned", "OWNED_BY_DML is for inputs, and not for recurrent networks.")
OUTPUT_SIZES = rule("output.sizes", "An output's sizes follow from the inputs.")
COUNT = rule("attribute.count", "A list has one value for each dimension, or each spatial dimension, of its tensor.")
PATTERN = rule("tensor.sizes", "A tensor's sizes fit its operator's pattern; a name stands for one size everywhere.")


def require_valid(operator: Operator, level: FeatureLevel) -> None:
    """Return quietly, or raise with everything that is wrong."""
    violations = validate(operator, level)
    if violations:
        only_levels = all(violation.feature_level for violation in violations)
        error = UnsupportedError if only_levels else InvalidDescriptionError
        raise error(violations, type(operator).__name__)


def validate(operator: Operator, level: FeatureLevel) -> list[Violation]:
    """All violations at once. What was right once is not checked again."""
    if level in operator._valid_levels:
        return []
    violations = [*_check_since(operator, level)]
    violations += _some(chain.from_iterable(_check_point(operator, point, level) for point in operator.all_points()))
    violations += check_described(operator, level)
    violations = violations or list(_check_inferred(operator))
    if not violations:
        operator._valid_levels.add(level)
    return violations


def check_described(operator: Operator, level: FeatureLevel) -> list[Violation]:
    """What the tensors and attributes that are there break, of the operator's own rules.

    `check` relies on ranks, counts, axes and patterns, and is asked only where those are right.
    """
    shapes = [*_some(_check_ranks(operator))]
    patterns = [] if shapes else _check_patterns(operator)
    shapes += [violation for group in operator.same for violation in _some(_check_same(operator, group))]
    shapes += [*_some(_check_attributes(operator)), *_some(patterns)]
    violations = list(shapes)
    for field in operator.attribute_fields():
        value = getattr(operator, field.name)
        if value is not None:
            violations += _some(field.type.check(value, operator, level, field.dml_name))
    if all(violation.rule == SAME_TYPE.id for violation in shapes):
        violations += _some(operator.check(level))
    return violations


def _some(violations: Iterable[Violation]) -> Iterable[Violation]:
    """As many as are worth finding, however many there are."""
    return islice(violations, MOST_VIOLATIONS + 1)


def _check_since(operator: Operator, level: FeatureLevel) -> Iterator[Violation]:
    if level < operator.since:
        expected = f"an operator of feature level {level.text}"
        yield SINCE("", operator.dml_type, expected, feature_level=operator.since.text)


def _check_point(operator: Operator, point: BindingPoint, level: FeatureLevel) -> Iterator[Violation]:
    field, tensor = point.field, point.tensor
    if tensor is None:
        if field.optional_since is not None and level < field.optional_since:
            since = field.optional_since.text
            yield REQUIRED(point.dml_name, "nothing", "a tensor at this level", feature_level=since)
        return
    # Below the operator's own level its first row still tells what its tensors may be. What its rows say of
    # types and ranks is stricter than what the level says of all tensors, which therefore need not be asked.
    level = max(level, operator.since)
    types, ranks = type_ladder(operator, field.types), field.rank or operator.ranks
    allowed, (low, high) = types.at(level) or frozenset(), ranks.at(level) or (1, 8)
    if tensor.data_type not in allowed:
        yield _wrong_type(types, allowed, point, tensor.data_type)
    if not low <= tensor.rank <= high:
        yield from _wrong_level_rank(ranks, (low, high), point, tensor)
    if not field.is_input and tensor.layout.has_overlap:
        fix = "strides without 0, each large enough"
        yield OUTPUT_OVERLAP(f"{point.dml_name}.Strides", tensor.strides, "an element of memory for every index", fix)
    if tensor.is_owned_by_dml and not (field.is_input and operator.owned_inputs):
        yield OWNED(f"{point.dml_name}.Flags", "OWNED_BY_DML", "NONE", Remove("Flags"))


def _wrong_type(ladder: TypeLadder, allowed: frozenset[DataType], point: BindingPoint, found: DataType) -> Violation:
    lowest = ladder.first(lambda types: found in types)
    names = ", ".join(data_type.name for data_type in DataType if data_type in allowed)
    return TYPE(f"{point.dml_name}.DataType", found.name, f"one of {names}", feature_level=lowest)


def type_ladder(operator: Operator, types: TypeLadder | When) -> TypeLadder:
    """The ladder in force, where it depends on an attribute."""
    return types.choose(getattr(operator, types.attribute).name) if isinstance(types, When) else types


def _wrong_level_rank(
    ladder: RankLadder, limits: tuple[int, int], point: BindingPoint, tensor: TensorDesc
) -> Iterator[Violation]:
    """Ranks that another level would allow; those that none allows, `_check_ranks` reports."""
    lowest = ladder.first(lambda allowed: allowed[0] <= tensor.rank <= allowed[1])
    if lowest is not None:
        yield _wrong_rank(tensor, point.dml_name, *limits, lowest)


def _check_ranks(operator: Operator) -> Iterator[Violation]:
    """Ranks that no level allows: nothing can be said about dimensions that do not exist."""
    for point in operator.all_points():
        tensor, steps = point.tensor, (point.field.rank or operator.ranks).steps
        if tensor is None or not steps:
            continue
        rank = tensor.rank
        if not any(low <= rank <= high for _, (low, high) in steps):
            yield _wrong_rank(tensor, point.dml_name, *steps[-1][1], None)


def _wrong_rank(tensor: TensorDesc, path: str, low: int, high: int, lowest: str | None) -> Violation:
    expected = f"{low} to {high} dimensions" if low < high else counted(low, "dimension")
    fix = Rank(low if tensor.rank < low else high, tensor.rank)
    return RANK(f"{path}.Sizes", counted(tensor.rank, "dimension"), expected, fix, lowest)


def _check_same(operator: Operator, group: Same) -> Iterator[Violation]:
    members = [p for p in operator.all_points() if p.field.name in group.tensors and p.tensor is not None]
    if len({id(point.tensor) for point in members}) < 2:
        return
    first_name, first = members[0].dml_name, members[0].tensor
    assert first is not None
    for point in members[1:]:
        name, tensor = point.dml_name, point.tensor
        assert tensor is not None
        if "DataType" in group.properties and tensor.data_type is not first.data_type:
            expected = f"{first.data_type.name} as {first_name}"
            yield SAME_TYPE(f"{name}.DataType", tensor.data_type.name, expected, Use(first.data_type.name))
        if "DimensionCount" in group.properties and tensor.rank != first.rank:
            expected, fix = f"{first.rank} as {first_name} has", Rank(first.rank, tensor.rank)
            yield SAME_RANK(f"{name}.Sizes", counted(tensor.rank, "dimension"), expected, fix)
        elif "Sizes" in group.properties and tensor.sizes != first.sizes:
            is_output = name == "OutputTensor"
            advice = Advice("the same sizes, with strides of 0 along what is broadcast")
            fix_sizes = Use(first.sizes) if is_output else advice
            yield SAME_SIZES(f"{name}.Sizes", tensor.sizes, f"{first.sizes} as {first_name} has", fix_sizes)


def _check_attributes(operator: Operator) -> Iterator[Violation]:
    """Lists with a value for each dimension, and axes."""
    for field in operator.attribute_fields():
        value = getattr(operator, field.name)
        if value is None:
            continue
        yield from field.type.check_shape(value, operator, field.dml_name)
        tensor = getattr(operator, field.dimensions[0]) if field.dimensions else None
        if field.dimensions is None or tensor is None:
            continue
        wanted = tensor.rank - field.dimensions[1]
        # Lists that share a count have one length: the first of them stands for all.
        if len(value) != wanted and operator.counts[field.length or ""][0] == field.name:
            which = "each spatial dimension" if field.dimensions[1] else "each dimension"
            expected = f"{wanted}, one for {which}"
            yield COUNT(field.dml_name, counted(len(value), "value"), expected, counted(wanted, "value"))


def _check_patterns(operator: Operator) -> Iterable[Violation]:
    mismatches: list[tuple[BindingPoint, Mismatch]] = []
    bind_sizes(operator, mismatches)
    return [_mismatched(point, mismatch) for point, mismatch in mismatches]


def _mismatched(point: BindingPoint, mismatch: Mismatch) -> Violation:
    assert point.tensor is not None
    dimension, expected, size = mismatch
    if dimension is None:
        return PATTERN(f"{point.dml_name}.Sizes", point.tensor.sizes, expected)
    fix = Use(size) if size is not None else None
    return PATTERN(f"{point.dml_name}.Sizes[{dimension}]", point.tensor.sizes[dimension], expected, fix)


def _check_inferred(operator: Operator) -> Iterator[Violation]:
    if operator.partial_outputs:
        return
    sizes = operator.infer()
    for point in operator.points("output"):
        expected = sizes.get(point.name)
        if expected is not None and point.tensor is not None and point.tensor.sizes != expected:
            yield OUTPUT_SIZES(f"{point.dml_name}.Sizes", point.tensor.sizes, expected, Use(expected))
