"""Settings all tests share."""

from __future__ import annotations

from hypothesis import settings

# Slow machines must not fail what is right, so nothing is timed; the same cases run for everyone.
settings.register_profile("anydml", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("anydml")
