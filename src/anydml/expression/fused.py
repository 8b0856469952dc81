"""FusedActivation: activations inside other operators, by the names DirectMLX gives them."""

from __future__ import annotations

from typing import Any

import anydml.operators  # noqa: F401 - declares them all
from anydml.core.schema import OPERATORS, Operator

_PREFIX = "ACTIVATION_"


class _Factories(type):
    """`FusedActivation.relu()`, `FusedActivation.elu(alpha=0.5)`: a factory for each function that can be fused."""

    def __getattr__(cls, name: str) -> Any:
        found = OPERATORS.get(_PREFIX + name.upper()) or OPERATORS.get(name.upper())
        if found is None or not found.fusable:
            known = ", ".join(cls.names())
            raise AttributeError(f"FusedActivation has no {name!r}; it has {known}")
        return found.fused

    def names(cls) -> list[str]:
        return sorted(key.removeprefix(_PREFIX).lower() for key, found in OPERATORS.items() if found.fusable)

    def __dir__(cls) -> list[str]:
        return [*super().__dir__(), *cls.names()]


class FusedActivation(metaclass=_Factories):
    """Factories of fused activations: `gemm(a, b, fused_activation=FusedActivation.relu())`."""

    @staticmethod
    def none() -> Operator | None:
        """No activation."""
        return None
