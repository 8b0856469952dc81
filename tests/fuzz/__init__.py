"""Files, models and command lines bent out of shape, thousands of them: nothing may come back but a message.

Each target is a function `target(seed, count=None, seconds=None)` that returns a `Summary` of what came of its cases.
"""
