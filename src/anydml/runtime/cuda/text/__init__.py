"""CUDA C++ from plans: texts of kernels, made without a GPU."""
