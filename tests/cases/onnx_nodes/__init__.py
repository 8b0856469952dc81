"""Published ONNX node tests as cases of DirectML operators, where the semantics agree.

`table` says which ONNX operator is which DirectML operator and how its attributes translate; `nodes` reads the tests
of the `onnx` package. Needed to run them: the `onnx` package (a test extra), nothing else.
"""
