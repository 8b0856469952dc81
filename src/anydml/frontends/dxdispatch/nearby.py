"""What somebody meant who named a file that is no model: one with a like name nearby."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from anydml.core.errors import shortened
from anydml.core.naming import closest

OTHER_FILES = {
    ".md": "a Markdown page",
    ".py": "a Python program",
    ".txt": "a text file",
    ".html": "a web page",
    ".svg": "a picture",
    ".png": "a picture",
    ".jpg": "a picture",
    ".npy": "an array",
    ".npz": "arrays",
    ".csv": "a table",
}
"""Files that people pass by mistake, by their endings."""
_MOST_NAMES = 1000
_PATTERNS = ("*.json", "*/*.json")


def nearby_model(path: Path) -> str:
    """A model with a like name, in the same folder or one inside it, or the first of a folder; else "another path"."""
    try:
        is_folder = path.is_dir()
        names = {each.stem: each.as_posix() for each in reversed(_models(path if is_folder else path.parent))}
    except (OSError, ValueError):
        return "another path"
    near = min(names, default=None) if is_folder else closest(path.stem, names)
    return "another path" if near is None else shortened(names[near])


def _models(folder: Path) -> list[Path]:
    return [each for pattern in _PATTERNS for each in islice(folder.glob(pattern), _MOST_NAMES)]
