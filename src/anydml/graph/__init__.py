"""From operators to plans: graphs, what has to be done for them, in which order and in which memory."""
