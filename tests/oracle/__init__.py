"""Scalar definitions of operators: plain loops over indices in Python numbers, sharing no code with the product.

A tensor here is a dictionary from index to number, beside its sizes. Nothing knows of strides, types or bytes.
"""
