"""Functions such as exp and sin on vectors, written as LLVM IR, and how exact each is."""
