"""Weights that the operator keeps: they are given once, when it is initialized (gemm_owned_weights.json, in Python)."""

import numpy as np

import anydml as dml

matrix = dml.TensorDesc("FLOAT32", [1, 1, 2, 2])
gemm = dml.Gemm(a_tensor=matrix, b_tensor=matrix.replace(flags="OWNED_BY_DML"))
run = dml.Device().compile(gemm)
run.initialize(b_tensor=np.array([[1, 2], [3, 4]], np.float32))
for scale in (1, 10):
    print(run(a_tensor=scale * np.eye(2, dtype=np.float32)).ravel())
