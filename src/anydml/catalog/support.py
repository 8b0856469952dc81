"""Questions about support: whether a feature level has an operator, with these data types, ranks and members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import anydml.operators  # noqa: F401 - declares them all
from anydml.core.datatype import DataType, DataTypeLike
from anydml.core.enums import check_member_level
from anydml.core.errors import DmlError, InvalidDescriptionError, Violation, raise_if_any, shown
from anydml.core.fixes import suggest
from anydml.core.integers import read_integer
from anydml.core.levels import HIGHEST_LEVEL, FeatureLevel, FeatureLevelLike
from anydml.core.rules import rule
from anydml.core.schema import AttributeField, Enumeration, Operator, TensorField, When
from anydml.core.schema.fields import TypeLadder
from anydml.core.schema.names import require_operator
from anydml.core.schema.validate import validate
from anydml.core.tensor import TensorDesc
from anydml.graph.checks import require_valid_graph
from anydml.graph.graph import Graph

FIELD = rule(
    "support.field",
    "A question about an operator's support names its tensors and enumerations; a description answers for itself.",
)


def supports(
    operator: Operator | Graph | type[Operator] | str,
    feature_level: FeatureLevelLike = HIGHEST_LEVEL,
    *,
    data_type: DataTypeLike | None = None,
    rank: int | None = None,
    **fields: Any,
) -> bool:
    """Whether a feature level has an operator: `supports("SLICE1", "2.0")`.

    `data_type` and `rank` ask whether some input may be of this type and have this many dimensions (some output, for
    an operator without inputs). A field asks about itself: `input_tensor="INT8"` or a TensorDesc, and
    `function="SUM"` for an enumeration. A description or a graph answers for itself: whether all of it holds.
    """
    level = FeatureLevel.parse(feature_level)
    return _asked(operator, data_type, rank, fields).holds(level)


def min_feature_level(
    operator: Operator | Graph | type[Operator] | str,
    *,
    data_type: DataTypeLike | None = None,
    rank: int | None = None,
    **fields: Any,
) -> FeatureLevel | None:
    """The lowest feature level that `supports` all this; None if none does."""
    asked = _asked(operator, data_type, rank, fields)
    return next((level for level in FeatureLevel if asked.holds(level)), None)


def _asked(operator: Any, data_type: Any, rank: Any, fields: dict[str, Any]) -> _Described | _Question:
    if isinstance(operator, (Operator, Graph)):
        given = [name for name, value in (("data_type", data_type), ("rank", rank)) if value is not None]
        expected = "nothing beside a description, which has its types and ranks"
        raise_if_any(FIELD(name, "a question", expected, f"leaving {name} out") for name in [*given, *fields])
        return _Described(operator)
    return _read(require_operator(operator), data_type, rank, fields)


@dataclass(frozen=True)
class _Described:
    """A description, of which everything has to hold."""

    subject: Operator | Graph

    def holds(self, level: FeatureLevel) -> bool:
        if isinstance(self.subject, Operator):
            return not validate(self.subject, level)
        try:
            require_valid_graph(self.subject, level)
        except DmlError:
            return False
        return True


@dataclass(frozen=True)
class _Question:
    """An operator, with what is asked of its tensors and enumerations."""

    operator: type[Operator]
    some: tuple[DataType | None, int | None]
    tensors: dict[str, tuple[DataType, int | None]]
    members: dict[str, Any]

    def holds(self, level: FeatureLevel) -> bool:
        if level < self.operator.since:
            return False
        if any(check_member_level(member, level, "") for member in self.members.values()):
            return False
        mains = [f for f in self.operator.tensor_fields() if f.is_input] or list(self.operator.tensor_fields())
        return any(self._takes(field, *self.some, level) for field in mains) and all(
            self._takes(self._tensor(name), *wanted, level) for name, wanted in self.tensors.items()
        )

    def _tensor(self, name: str) -> TensorField:
        field = self.operator.fields[name]
        assert isinstance(field, TensorField)
        return field

    def _takes(self, field: TensorField, data_type: DataType | None, rank: int | None, level: FeatureLevel) -> bool:
        low, high = (field.rank or self.operator.ranks).at(level) or (0, 0)
        types = [ladder.at(level) or frozenset() for ladder in self._ladders(field)]
        has_type = data_type is None or any(data_type in each for each in types)
        return has_type and (rank is None or low <= rank <= high)

    def _ladders(self, field: TensorField) -> Iterator[TypeLadder]:
        """The ladder of the member that was named, or of every member."""
        if not isinstance(field.types, When):
            yield field.types
        elif field.types.attribute in self.members:
            yield field.types.choose(self.members[field.types.attribute].name)
        else:
            yield from field.types.ladders.values()


def _read(operator: type[Operator], data_type: Any, rank: Any, fields: dict[str, Any]) -> _Question:
    """What is asked, or an error with everything that is no question."""
    violations: list[Violation] = []
    tensors: dict[str, tuple[DataType, int | None]] = {}
    members: dict[str, Any] = {}
    kind = None if data_type is None else _read_type(data_type, "data_type", violations)
    dimensions = None if rank is None else read_integer(rank, "rank", violations)
    for name, value in fields.items():
        field = operator.fields.get(name)
        if isinstance(field, TensorField):
            of = value.data_type if isinstance(value, TensorDesc) else _read_type(value, name, violations)
            if of is not None:
                tensors[name] = of, value.rank if isinstance(value, TensorDesc) else None
        elif isinstance(field, AttributeField) and isinstance(field.type, Enumeration):
            members[name] = field.type.read(value, name, violations, {})
        else:
            known = [each.name for each in operator.fields.values() if _may_be_asked(each)]
            expected = f"a tensor or an enumeration of {operator.dml_type}"
            violations.append(FIELD(name, shown(name), expected, suggest(name, known)))
    raise_if_any(violations, subject=operator.__name__)
    return _Question(operator, (kind, dimensions), tensors, members)


def _may_be_asked(field: TensorField | AttributeField) -> bool:
    return isinstance(field, TensorField) or isinstance(field.type, Enumeration)


def _read_type(value: Any, path: str, violations: list[Violation]) -> DataType | None:
    try:
        return DataType.parse(value, path)
    except InvalidDescriptionError as error:
        violations += error.violations
        return None
