"""What tensors and operators are: pure values, no input or output, no devices."""
