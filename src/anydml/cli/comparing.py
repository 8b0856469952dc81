"""`--compare` of `anydml run`: what is expected is read and checked before the model runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from anydml.cli.messages import UsageError, write
from anydml.cli.models import natural, tolerance
from anydml.core.errors import DmlError
from anydml.core.text import printable

if TYPE_CHECKING:
    from anydml.frontends.dxdispatch.executor import Outcome
    from anydml.frontends.dxdispatch.model import Model, Resource

_TOLERANCES = ("ulp", "atol", "rtol")


def add_compare_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--compare",
        metavar="[RESOURCE=]FILE.npy",
        action="append",
        default=[],
        help="compare a resource (the last printed or written one, if not named) with expected values",
    )
    parser.add_argument("--ulp", metavar="N", type=natural, help="how far apart in ULP is still equal (0)")
    parser.add_argument("--atol", metavar="X", type=tolerance, help="absolute tolerance (0)")
    parser.add_argument("--rtol", metavar="X", type=tolerance, help="relative tolerance (0)")


def check_compare_arguments(args: Namespace) -> None:
    """Whether the options about comparing make sense together."""
    if args.compare and len(args.models) > 1:
        raise UsageError(f"--compare: found {len(args.models)} models, expected one")
    for name in _TOLERANCES:
        if getattr(args, name) is not None and not args.compare:
            raise UsageError(f"--{name}: found no --compare, expected something to compare; try --compare FILE.npy")


@dataclass(frozen=True)
class Expectation:
    """A resource, and the values it should have after the run."""

    resource: Resource
    file: str
    values: Any

    @classmethod
    def read(cls, text: str, model: Model) -> Expectation:
        """`output=expected.npy`, or a file alone for what the model shows last."""
        from anydml.files.compare import read_expected
        from anydml.frontends.dxdispatch.printing import shown_count

        name, separator, file = text.partition("=")
        resource = _named(name, model) if separator else _shown_last(text, model)
        file = file if separator else text
        if resource.data_type is None:
            raise UsageError(f"--compare: found {resource.name!r} of mixed types, expected a resource of one data type")
        try:
            values = read_expected(file, resource.data_type, shown_count(resource))
        except DmlError as error:
            raise type(error)(replace(each, path=f"--compare {file}") for each in error.violations) from None
        return cls(resource, file, values)

    def compare(self, outcome: Outcome, args: Namespace) -> dict[str, Any]:
        """How the resource ended, told and returned for machines."""
        from anydml.files.compare import compare
        from anydml.frontends.dxdispatch.printing import shown_values

        name = self.resource.name
        found = shown_values(self.resource, outcome.resources[name])
        result = compare(found, self.values, args.ulp or 0, args.atol or 0.0, args.rtol or 0.0)
        if not args.json:
            verdict = "equal" if result.is_equal else "different"
            first, *rest = result.lines()
            heading = f"Compare '{printable(name)}' with '{printable(self.file)}': {verdict}, {first}"
            write("\n".join([heading, *rest]) + "\n")
        return {"resource": name, "file": self.file, "equal": result.is_equal, "lines": result.lines()}


def _named(name: str, model: Model) -> Resource:
    from anydml.frontends.dxdispatch.fields import nearest, quoted

    if name not in model.resources:
        fix = nearest(name, model.resources)
        hint = f"; try {fix}" if fix else ""
        raise UsageError(f"--compare: found {quoted(name)}, expected a resource of the model{hint}")
    return model.resources[name]


def _shown_last(file: str, model: Model) -> Resource:
    from anydml.frontends.dxdispatch.model import Dispatch

    shown = [command.resource for command in model.commands if not isinstance(command, Dispatch)]
    if not shown:
        name = next(iter(model.resources), "RESOURCE")
        raise UsageError(
            f"--compare: found {file!r} for a model that prints and writes nothing, expected RESOURCE=FILE.npy; "
            f"try {printable(f'{name}={file}')}"
        )
    return model.resources[shown[-1]]
