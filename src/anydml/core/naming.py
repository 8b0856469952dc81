"""Names: snake_case and PascalCase of one word list, and the nearest name to a misspelt one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from heapq import nlargest

# "2D" is a word of its own (Upsample2D is UPSAMPLE_2D), any other number belongs to the word before it.
_WORD = re.compile(r"\d+D|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+(?:\d+(?![\dD]))?|[A-Z]+\d*|\d+")

_ACRONYMS = {"roi": "ROI"}
_COMPARED = 4
_LONGEST_NAME = 64


@lru_cache(maxsize=4096)
def pascal(snake: str) -> str:
    """`input_window_sizes` -> `InputWindowSizes`; `roi_tensor` -> `ROITensor`."""
    return "".join(_ACRONYMS.get(word, word[:1].upper() + word[1:]) for word in snake.split("_"))


def snake(pascal_name: str) -> str:
    """`InputWindowSizes` -> `input_window_sizes`."""
    return "_".join(word.lower() for word in _WORD.findall(pascal_name))


def upper(class_name: str) -> str:
    """`MaxPooling2` -> `MAX_POOLING2`."""
    return snake(class_name).upper()


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelt most like this one, if any is."""
    name = name[:_LONGEST_NAME]
    likely = _likely(name, list(known))
    near = get_close_matches(name, likely, n=1, cutoff=0.5)
    if not near:
        folded = {option.lower(): option for option in likely}
        near = [folded[key] for key in get_close_matches(name.lower(), list(folded), n=1, cutoff=0.5)]
    return near[0] if near else None


def _likely(name: str, options: list[str]) -> list[str]:
    """The few options that share most pairs of letters with the name: only these are worth comparing in full."""
    pairs = _pairs(name)

    def likeness(option: str) -> float:
        others = _pairs(option)
        return len(pairs & others) / (len(pairs) + len(others))

    return nlargest(_COMPARED, options, key=likeness)


@lru_cache(maxsize=4096)
def _pairs(name: str) -> frozenset[str]:
    text = f" {name.lower()} "
    return frozenset(map("".join, itertools.pairwise(text)))
