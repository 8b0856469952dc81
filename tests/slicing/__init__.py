"""Tests of slices said in one dialect and meant in another."""
