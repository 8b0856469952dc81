"""Tests of the same folder in the package."""
