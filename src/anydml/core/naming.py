"""Names: snake_case and PascalCase of one word list, and the nearest name to a misspelt one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

# "2D" is a word of its own (Upsample2D is UPSAMPLE_2D), any other number belongs to the word before it.
_WORD = re.compile(r"\d+D|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+(?:\d+(?![\dD]))?|[A-Z]+\d*|\d+")

_ACRONYMS = {"roi": "ROI"}


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
    options = list(known)
    near = get_close_matches(name, options, n=1, cutoff=0.5)
    if not near:
        folded = {option.lower(): option for option in options}
        near = [folded[key] for key in get_close_matches(name.lower(), list(folded), n=1, cutoff=0.5)]
    return near[0] if near else None
