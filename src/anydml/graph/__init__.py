"""From operators to plans: what has to be done, in which order, on no particular device."""
