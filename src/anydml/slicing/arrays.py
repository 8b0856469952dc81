"""DML_SLICE1 on an array in hand: a view, not a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.calling import answering
from anydml.core.errors import InvalidDescriptionError
from anydml.core.rules import rule
from anydml.slicing.selection import Selection

ARRAY = rule("slicing.array", "slice1 gives a view, so it takes a NumPy array that outlives it.")


@answering()
def slice1(
    array: npt.NDArray[Any],
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    output_sizes: Sequence[int] | None = None,
) -> npt.NDArray[Any]:
    """What DML_SLICE1 would copy, as a view: `slice1(np.arange(5), [1], [4], [-3])` is `[4, 1]`."""
    if not isinstance(array, np.ndarray):
        found, fix = f"a value of type {type(array).__name__}", "np.asarray(...) around it"
        raise InvalidDescriptionError(ARRAY("array", found, "a NumPy array", fix), "slice1")
    selection = Selection.from_slice1(offsets, sizes, strides, output_sizes, input_sizes=array.shape)
    # The Ellipsis keeps an array without axes an array: without it NumPy would hand back a copy.
    view: npt.NDArray[Any] = array[(*selection.to_numpy(), ...)]
    return view
