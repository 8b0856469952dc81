"""The CPU kernels: each module writes the inner loops of one way to move elements."""
