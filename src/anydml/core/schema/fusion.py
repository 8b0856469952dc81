"""Fused activations: an activation inside another operator's description, without tensors of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from anydml.core.errors import InvalidDescriptionError, Violation, shown
from anydml.core.fixes import REMOVE_ONE, Advice
from anydml.core.levels import FeatureLevel
from anydml.core.outside import as_entries, as_text
from anydml.core.rules import rule
from anydml.core.schema.attributes import AttributeType, Known
from anydml.core.schema.names import suggest_operator
from anydml.core.schema.operator import FUSED_TENSORS, OPERATORS, Operator

FUSABLE = rule("activation.fusable", "Only activations can be fused.")
HOST = rule("activation.host", "Some functions can be fused into some operators only, from a feature level on.")
SPELT = rule(
    "activation.desc", "A fused activation has one Type, at most one Desc, which is an object, and each field once."
)
_TYPE_KEYS, _DESC_KEYS = ("Type", "type"), ("Desc", "desc")


@dataclass(frozen=True)
class Activation(AttributeType):
    """FUSED_ACTIVATION; `also` lists what this host takes besides the activations, with the level of each."""

    also: Mapping[str, str] = field(default_factory=dict)
    type_name = "FUSED_ACTIVATION"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> Operator | None:
        if isinstance(value, Operator) and value.fusable:
            if value.is_fused:
                return value
            fix = Advice(f"{type(value).__name__}.fused(...)")
            violations.append(FUSED_TENSORS(path, f"{type(value).__name__} with tensors", "attributes alone", fix))
            return None
        if isinstance(value, Operator):
            value = type(value)
        if isinstance(value, type) and issubclass(value, Operator) and value.fusable:
            return self._read_class(value, path, violations)
        if isinstance(value, type) and issubclass(value, Operator):
            value = value.dml_type
        name, attributes = _spelt(value, path, violations)
        operator = find_activation(name)
        if operator is None:
            fusable = [cls for cls in OPERATORS.values() if cls.fusable]
            near = suggest_operator(as_text(name) or "", fusable)
            violations.append(FUSABLE(path, shown(name), "an activation", near))
            return None
        try:
            return operator.from_model(
                {as_text(k) or shown(k): v for k, v in attributes.items() if v is not None}, fused=True
            )
        except InvalidDescriptionError as error:
            violations += [violation.under(path) for violation in error.violations]
            return None

    @staticmethod
    def _read_class(cls: type[Operator], path: str, violations: list[Violation]) -> Operator | None:
        """An activation named by its class has the defaults of Python; one that is spelt out has none."""
        try:
            return cls.fused()
        except InvalidDescriptionError as error:
            violations += [violation.under(path) for violation in error.violations]
            return None

    def check(self, value: Any, operator: Any, level: FeatureLevel, path: str) -> list[Violation]:
        """Whether this host takes this activation at the level."""
        activation: Operator = value
        needed = activation.since.text if activation.fuses_anywhere else self.also.get(activation.dml_type)
        if needed is None:
            return [HOST(path, activation.dml_type, "an activation this operator takes", "a separate operator")]
        if level < FeatureLevel.parse(needed):
            return [HOST(path, activation.dml_type, "an activation of this level", feature_level=needed)]
        violations = [*activation.check_attributes(level), *_check_axes(activation, operator)]
        return [violation.under(path) for violation in violations]


def _check_axes(activation: Operator, host: Any) -> Iterator[Violation]:
    """Whether the axes of an activation that is not pointwise are dimensions of its host's result."""
    result = getattr(host, "output_tensor", None)
    if result is None:  # not inferred yet
        return
    for attribute in activation.attribute_fields():
        value = getattr(activation, attribute.name)
        if value is not None:
            yield from attribute.type.check_shape(value, activation.over(result), attribute.dml_name)


def _spelt(value: Any, path: str, violations: list[Violation]) -> tuple[Any, Mapping[str, Any]]:
    """Type and attributes from a name, a collapsed object or a nested one; what is said twice is noted."""
    entries = as_entries(value)
    if entries is None:
        return value, {}
    given = {k: v for k, v in entries.items() if v is not None}
    name, nested = (_either(given, keys, path, violations) for keys in (_TYPE_KEYS, _DESC_KEYS))
    rest = {k: v for k, v in given.items() if k not in _TYPE_KEYS + _DESC_KEYS}
    if nested is None:
        return name, rest
    fields = as_entries(nested)
    if fields is None:
        violations.append(SPELT(f"{path}.Desc", shown(nested), "an object with the fields of the activation"))
        return name, rest
    inner = {k: v for k, v in fields.items() if v is not None}
    for key in (key for key in inner if key in rest):
        expected = "each field once, beside Type or inside Desc"
        violations.append(SPELT(f"{path}.{as_text(key) or shown(key)}", "the field twice", expected, REMOVE_ONE))
    return name, {**rest, **inner}


def _either(given: Mapping[str, Any], keys: tuple[str, str], path: str, violations: list[Violation]) -> Any:
    """The entry under one of two spellings, not both."""
    found = [key for key in keys if key in given]
    if len(found) > 1:
        told = " and ".join(keys)
        violations.append(SPELT(f"{path}.{keys[1]}", told, f"one of {told}", REMOVE_ONE))
    return given[found[0]] if found else None


def find_activation(name: Any) -> type[Operator] | None:
    """The fusable operator of this name: `RELU`, `ACTIVATION_RELU` or `DML_OPERATOR_ACTIVATION_RELU`."""
    short = (as_text(name) or "").strip().upper().removeprefix("DML_OPERATOR_")
    found = OPERATORS.get(short) or OPERATORS.get(f"ACTIVATION_{short}")
    return found if found is not None and found.fusable else None
