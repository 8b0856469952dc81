"""TensorPolicy: how tensors that nobody described are laid out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anydml.core.datatype import DataType
from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.integers import require_integers
from anydml.core.layout import Layout
from anydml.core.orders import packed_strides
from anydml.core.rules import rule

POLICY = rule("policy.kind", "A policy has a name, and a function that gives sizes a layout.")


@dataclass(frozen=True)
class TensorPolicy:
    """Chooses the layout of a tensor from its sizes."""

    name: str
    choose: Callable[[Sequence[int]], Layout]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InvalidDescriptionError(POLICY("name", shown(self.name), "a text", "str(...)"))
        if not callable(self.choose):
            raise InvalidDescriptionError(POLICY("choose", shown(self.choose), "a function of sizes", "Layout"))

    def __call__(self, sizes: Sequence[int]) -> Layout:
        wanted = require_integers(sizes, "Sizes")
        found = self.choose(wanted)
        if not isinstance(found, Layout) or found.sizes != wanted:
            raise InvalidDescriptionError(POLICY("choose", shown(found), f"a Layout of {wanted}", "Layout(sizes)"))
        return found


def _interleaved(sizes: Sequence[int]) -> Layout:
    """Channels fastest: NCW as NWC, NCHW as NHWC, NCDHW as NDHWC; below rank 3 there is no channel to move."""
    plain = Layout(sizes)
    if plain.rank < 3:
        return plain
    return Layout(plain.sizes, packed_strides(plain.sizes, (0, *range(2, plain.rank), 1)))


DEFAULT = TensorPolicy("default", Layout)
INTERLEAVED_CHANNEL = TensorPolicy("interleaved_channel", _interleaved)


@dataclass(frozen=True)
class Outline:
    """What is known of an output that is not described; the rest is inferred."""

    data_type: DataType | None = None
    sizes: tuple[int, ...] | None = None
    policy: TensorPolicy = DEFAULT
