"""Operators as data: what each takes at each feature level, what it means, an example that runs, and how to find it."""
