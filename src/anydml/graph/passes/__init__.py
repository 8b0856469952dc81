"""Passes: each turns a plan into a plan that does the same with fewer steps, less memory or less work.

They are named, run in this order, and can be switched off one by one. None changes a result; none but `hoist` changes
the order of steps. Every pass leaves a plan that `verify` accepts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from anydml.core.errors import InvalidDescriptionError, Violation, raise_if_any, shown
from anydml.core.fixes import suggest
from anydml.core.integers import read_list
from anydml.core.outside import as_text
from anydml.core.rules import rule
from anydml.graph.passes.alias import alias
from anydml.graph.passes.epilogue import fuse_into_programs
from anydml.graph.passes.forward import forward
from anydml.graph.passes.fuse import fuse
from anydml.graph.passes.hoist import hoist
from anydml.graph.passes.memory import assign_memory
from anydml.graph.passes.place import place
from anydml.graph.passes.prune import prune
from anydml.graph.passes.verify import verify
from anydml.graph.plan import Plan

Expand = Callable[[Plan], Plan]
"""A device's own pass."""
UNKNOWN_PASS = rule("passes.known", "A pass is one of those that plans go through.")
_MOST_TOLD = 8
"""More names than there are passes are not looked at one by one."""
NO_PASSES = rule("passes.kind", "Which passes run is told by Passes.")


@dataclass(frozen=True)
class Pass:
    """A named step from plan to plan."""

    name: str
    does: str
    run: Callable[[Plan], Plan]
    improves_one_step: bool = False
    """Whether a plan of a single step can gain from it."""


def _unchanged(plan: Plan) -> Plan:
    return plan


PASSES = (
    Pass("prune", "drop steps whose results nobody reads", prune),
    Pass("forward", "read through copies: movement becomes strides of the reader", forward),
    Pass("place", "write straight to where a copy would put it: parts of joined and padded tensors", place),
    Pass("fuse", "make one nest of pointwise steps that follow one another", fuse),
    Pass("epilogue", "apply pointwise steps to the results of a program before they are stored", fuse_into_programs),
    Pass("expand", "let the device replace programs by steps of its own, with memory they need", _unchanged, True),
    Pass("hoist", "run what depends on nothing but constants and owned inputs once", hoist, True),
    Pass("alias", "let temporary results take the memory of operands that are not read again", alias, True),
)


@dataclass(frozen=True)
class Passes:
    """Which passes run: all of them, unless some are disabled."""

    disabled: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "disabled", _read_names(self.disabled, "disabled"))

    @classmethod
    def without(cls, *names: str) -> Passes:
        """All passes but these."""
        return cls(_read_names(names, "names"))

    @classmethod
    def only(cls, *names: str) -> Passes:
        """None but these."""
        kept = _read_names(names, "names")
        return cls(frozenset(each.name for each in PASSES) - kept)

    @classmethod
    def none(cls) -> Passes:
        return cls.only()

    def _chosen(self, expand: Expand | None) -> list[Pass]:
        chosen = [each for each in PASSES if each.name not in self.disabled]
        return [replace(each, run=expand) if expand and each.name == "expand" else each for each in chosen]

    def trace(self, plan: Plan, expand: Expand | None = None) -> Iterator[tuple[str, Plan]]:
        """The plan after each pass, memory last; each is verified."""
        for each in self._chosen(expand):
            plan = verify(each.run(plan))
            yield each.name, plan
        yield "memory", verify(assign_memory(plan))

    def run(self, plan: Plan, expand: Expand | None = None) -> Plan:
        """The plan after all passes. What one step alone cannot gain from is left out."""
        for each in PASSES:
            if each.name in self.disabled or (len(plan.steps) == 1 and not each.improves_one_step):
                continue
            plan = expand(plan) if expand and each.name == "expand" else each.run(plan)
        return verify(assign_memory(plan))


def require_passes(passes: Any) -> Passes:
    """The passes that are asked for, or an error that says how they are named."""
    if not isinstance(passes, Passes):
        fix = "Passes.without('fuse')"
        raise InvalidDescriptionError(NO_PASSES("passes", shown(passes), "Passes, which says what runs", fix))
    return passes


def _read_names(given: Any, path: str) -> frozenset[str]:
    """Names of passes, or an error with all that are none."""
    violations: list[Violation] = []
    values = list(given) if type(given) in (set, frozenset) else read_list(given, path, violations, "names")
    names = [each.name for each in PASSES]
    found = frozenset(as_text(value) or "" for value in values or ())
    unknown = [(i, value) for i, value in enumerate(values or ()) if as_text(value) not in names]
    for i, value in unknown[:_MOST_TOLD]:
        fix = suggest(as_text(value) or "", names)
        violations.append(UNKNOWN_PASS(f"{path}[{i}]", shown(value), f"one of {', '.join(names)}", fix))
    raise_if_any(violations, subject="Passes")
    return found


def pass_names() -> Iterable[str]:
    return [each.name for each in PASSES]
