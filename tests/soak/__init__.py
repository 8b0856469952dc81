"""Everything that went wrong once, again and again for as long as wanted: `scripts/soak`.

A kind is a function `kind(seed, seconds) -> Summary`. Those that may end a process work in processes of their own; the
others share this one, so that memory which is never given back shows.
"""
