"""anydml: DirectML-compatible tensors and operators on any machine."""
