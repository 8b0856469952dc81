"""Graphs, plans and passes."""
