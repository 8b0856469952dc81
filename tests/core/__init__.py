"""Tests of what tensors are: layouts, descriptions, memory and errors."""
