"""The strided-copy engine: a pair of layouts becomes a plan, a plan becomes a kernel, a kernel moves bytes."""
