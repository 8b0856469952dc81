"""Reductions, softmax and normalization: loops around stages that each fold elements into one value."""
