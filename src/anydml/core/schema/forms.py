"""The forms in which an operator's class says what the operator means."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anydml.core.schema.operator import Operator

FORMS = ("moves", "formula", "compute", "equivalent")
"""The ways to say what an operator means; see `Operator`."""


def form_of(cls: type[Operator]) -> str:
    """The one form of meaning; a mistake in the declaration is an error when the class is made."""
    forms = [form for form in FORMS if hasattr(cls, form)]
    if forms == ["moves", "compute"]:
        forms = ["compute"]
    if len(forms) != 1:
        raise TypeError(
            f"{cls.__name__} needs exactly one of {', '.join(FORMS)}; it has {' and '.join(forms) or 'none'}"
        )
    inputs = [field.name for field in cls.tensor_fields() if field.is_input]
    if forms == ["compute"]:
        names = list(signature(cls.compute).parameters)[2:]  # type: ignore[attr-defined]
        if names != inputs:
            raise TypeError(f"{cls.__name__}.compute takes {names}, but the inputs are {inputs}")
    if forms == ["formula"]:
        count = len(signature(cls.formula).parameters) - 2  # type: ignore[attr-defined]
        if count != len(inputs):
            raise TypeError(f"{cls.__name__}.formula takes {count} elements, but there are {len(inputs)} inputs")
    return forms[0]
