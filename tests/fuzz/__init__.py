"""Models bent out of shape, thousands of them: nothing may come back but a message."""
