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
    """A model whose name is like this one, in the same folder or one inside it; "another path" if there is none."""
    try:
        folder = path if path.is_dir() else path.parent
        models = [each for pattern in _PATTERNS for each in islice(folder.glob(pattern), _MOST_NAMES)]
        wanted = path.with_suffix(".json").name
    except (OSError, ValueError):
        return "another path"
    names = {each.name: each.as_posix() for each in reversed(models)}
    near = closest(wanted, names)
    return shortened(names[near]) if near else "another path"
