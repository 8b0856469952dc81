"""Windows over a layout: an offset, a size and a signed stride for each dimension, as DML_SLICE1 has them."""

from __future__ import annotations

from collections.abc import Sequence

from anydml.core.errors import Violation, counted
from anydml.core.fixes import Advice, Use
from anydml.core.rules import rule

WINDOW_COUNT = rule("window.count", "A window has an offset, a size and a stride for each dimension.")
WINDOW_INSIDE = rule("window.inside", "A window is not empty and ends inside its dimension.")
WINDOW_STRIDE = rule("window.stride", "A window's stride is not 0.")
WINDOW_OUTPUT = rule("window.output", "A window gives from 1 to 1 + (size - 1) / |stride| elements.")


def window_limits(sizes: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """The most elements a window gives along each dimension: 1 + (size - 1) / |stride|."""
    return tuple(1 + (size - 1) // abs(stride) for size, stride in zip(sizes, strides, strict=True))


def check_window(
    whole: tuple[int, ...],
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    output_sizes: Sequence[int] | None = None,
) -> list[Violation]:
    """Everything wrong with a window over dimensions of these sizes."""
    violations = []
    fields = {"offsets": offsets, "sizes": sizes, "strides": strides, "output_sizes": output_sizes}
    for name, values in fields.items():
        if values is not None and len(values) != len(whole):
            violations.append(
                WINDOW_COUNT(name, counted(len(values), "value"), f"{len(whole)}, one for each dimension")
            )
    if violations:
        return violations
    for i, (total, offset, size, stride) in enumerate(zip(whole, offsets, sizes, strides, strict=True)):
        if not 0 <= offset < total:
            violations.append(WINDOW_INSIDE(f"offsets[{i}]", offset, f"0 to {total - 1}", "0"))
        elif not 1 <= size <= total - offset:
            found, expected = f"offset {offset}, size {size}", f"a window inside 0 to {total - 1}"
            most = total - offset
            fix = Use(1) if most == 1 else Advice(f"a size from 1 to {most}")
            violations.append(WINDOW_INSIDE(f"sizes[{i}]", found, expected, fix))
        if stride == 0:
            violations.append(WINDOW_STRIDE(f"strides[{i}]", 0, "a stride other than 0", "1 or -1"))
        elif output_sizes is not None and size >= 1:
            limit = 1 + (size - 1) // abs(stride)
            if not 1 <= output_sizes[i] <= limit:
                violations.append(WINDOW_OUTPUT(f"output_sizes[{i}]", output_sizes[i], f"1 to {limit}", str(limit)))
    return violations
