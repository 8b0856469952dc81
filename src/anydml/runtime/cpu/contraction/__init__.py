"""Sums of products: matrix products and convolutions on the processor.

One tile of the result is computed at a time, its sums held in registers. The left operand gives one number for each row
of the tile, which is spread over a vector; the right operand gives vectors of columns. A convolution is the same
product: its depth runs over the filter, and one operand is gathered from the windows of the input.
"""
