"""Names: snake_case and PascalCase of one word list, and the nearest name to a misspelt one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest

# "2D" is a word of its own (Upsample2D is UPSAMPLE_2D), any other number belongs to the word before it.
_WORD = re.compile(r"\d+D|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+(?:\d+(?![\dD]))?|[A-Z]+\d*|\d+")
_BETWEEN = re.compile(r"[\W_]+")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_ACRONYMS = {"roi": "ROI"}
_COMPARED = 4
_LONGEST_NAME = 64
_SHORTEST_PART = 3
_LETTERS_FOR_A_MISTAKE = 3
"""One letter in three may be wrong in a name that is still near."""


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


def argument(name: str, value: str) -> str:
    """How Python gives a value to a name, whatever the name: `x=...`, or `{"layer/1": ...}`."""
    return arguments([name], value)


def arguments(names: Iterable[str], value: str) -> str:
    """The same for several names: a dictionary of those that are no words stands before the others."""
    texts = sorted(names, key=is_word)
    others = ", ".join(f"{name!r}: {value}" for name in texts if not is_word(name))
    words = [f"{name}={value}" for name in texts if is_word(name)]
    return ", ".join([f"{{{others}}}", *words] if others else words)


def is_word(name: str) -> bool:
    """Whether Python can name an argument so. It reads other forms of letters as the plain ones."""
    from keyword import iskeyword
    from unicodedata import is_normalized

    return name.isidentifier() and not iskeyword(name) and is_normalized("NFKC", name)


def free_name(name: str, taken: Container[str]) -> str:
    """The name, longer if it is taken."""
    while name in taken:
        name += "_"
    return name


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelt most like this one, if any is near."""
    name = name[:_LONGEST_NAME]
    near = [option for option in _likely(name, list(known)) if is_near(name, option)]
    return max(near, key=lambda option: _likeness(name, option), default=None)


def is_near(name: str, other: str) -> bool:
    """Whether two names differ in capitals, in the order of words, by words that one leaves out, or by few letters."""
    words, others = _words(name), _words(other)
    first, second = "".join(words), "".join(others)
    if not first or not second:
        return False
    if first == second or sorted(words) == sorted(others):
        return True
    short, long = sorted((first, second), key=len)
    if len(short) >= _SHORTEST_PART and (long.startswith(short) or long.endswith(short)):
        return True
    most = max(len(long) // _LETTERS_FOR_A_MISTAKE, 1)
    return len(short) > most and len(long) - len(short) <= most and _mistakes(first, second) <= most


def _mistakes(first: str, second: str) -> int:
    """How many letters to insert, drop, change or swap with the next one to get from one text to the other."""
    before: list[int] = []
    above = list(range(len(second) + 1))
    for i, letter in enumerate(first):
        row = [i + 1]
        for j, other in enumerate(second):
            fewest = min(above[j] + (letter != other), above[j + 1] + 1, row[j] + 1)
            if i and j and letter == second[j - 1] and first[i - 1] == other:
                fewest = min(fewest, before[j - 1] + 1)
            row.append(fewest)
        before, above = above, row
    return above[-1]


def _likeness(name: str, option: str) -> tuple[float, float]:
    """Likeness in letters as they are written, after likeness in letters whatever their case."""
    exact = SequenceMatcher(None, name, option, autojunk=False).ratio()
    return SequenceMatcher(None, name.lower(), option.lower(), autojunk=False).ratio(), exact


def _words(name: str) -> list[str]:
    """Words of any script, in small letters."""
    return [word for word in _BETWEEN.split(_CAPITAL.sub("_", name).lower()) if word]


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
