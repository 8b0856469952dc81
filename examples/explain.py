"""What sizes and strides mean, as text; `save` writes a picture or a page."""

import anydml as dml

padded = dml.TensorDesc("FLOAT32", [2, 3], strides=[5, 1], total_tensor_size_in_bytes=40)
print(dml.explain(padded, values=list("ABCxxDEFxx"), index=(1, 0)))
