"""Measurements of arithmetic: cases of each family in a module of its own, listed in `families`."""
