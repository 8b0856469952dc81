"""The error of a command line that is itself wrong."""

from __future__ import annotations


class UsageError(Exception):
    """What was typed cannot be understood; the message says what was expected."""
