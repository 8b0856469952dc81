"""Two windows over the numbers 1 to 16: slice1_forward.json and slice1_reversed.json, in Python."""

import numpy as np

import anydml as dml

numbers = np.arange(1, 17, dtype=np.float32)
forward = dml.Slice1(
    input_tensor=dml.TensorDesc("FLOAT32", [1, 1, 4, 4]),
    input_window_offsets=[0, 0, 0, 1],
    input_window_sizes=[1, 1, 4, 3],
    input_window_strides=[1, 1, 2, 2],
)
print(forward(numbers).ravel())
print(forward.replace(input_window_strides=[1, 1, -2, 2])(numbers).ravel())
