"""The process at large: what interrupts, forks and exits must not stop half-way. It knows nothing of tensors."""
