"""A transposition by strides alone: padded_transpose.json, in Python."""

import numpy as np

import anydml as dml

# Two rows of three, padded to four elements each; read column by column by exchanging sizes and strides.
memory = np.array([1, 2, 3, -1, 4, 5, 6, -1], np.float32)
columns = dml.TensorDesc("FLOAT32", [3, 2], strides=[1, 4])
copy = dml.ElementWiseIdentity(input_tensor=columns, output_tensor=dml.TensorDesc("FLOAT32", [3, 2]))
print(copy(memory).ravel())
